"""Which rules of a recovery grammar nest, by grammars of a few symbols: capitals are kinds of lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark.core.recovery.engines.nesting import find_causes, find_lines
from symops_lark.core.recovery.engines.priced_rules import PricedRules, Symbol


def rules(*written: str) -> PricedRules:
    """Return rules that are written as `name: A rule | B | `."""
    alternatives = {
        name: tuple(
            tuple(Symbol(word, word.isupper()) for word in alternative.split()) for alternative in text.split("|")
        )
        for name, text in (item.split(":") for item in written)
    }
    return PricedRules(Path("mine.lark"), alternatives, dict.fromkeys(alternatives, 0))


@pytest.mark.parametrize(
    ("written", "lines", "causes"),
    [
        (["document: | document A"], "", ""),
        (["document: A | document B | other", "other: document C"], "", ""),
        (["document: | document line", "line: A | B"], "line", ""),
        (["document: | document line", "line: A | inner", "inner: B"], "line inner", ""),
        (["document: | document A B"], "", "document"),
        (["document: A document |"], "document", "document"),
        (["document: A A"], "", "document"),
        (["document: head B | head", "head: A | head A"], "", ""),
        (["document: | document block", "block: A document B | A B"], "block document", "block document"),
        (["document: | document block", "block: A more B", "more: | more C"], "block more", "block more"),
        (["document: | document both", "both: A | pair", "pair: B C"], "both pair", "pair"),
        (["document: | document __many", "__many: A A"], "__many", ""),
        (["document: head body tail", "head: | head A", "body: B", "tail: C"], "body tail", "document"),
        (["document: | document head", "head: A", "alone: B"], "head alone", ""),
        (["document: | document block", "block: more B | A", "more: | more C"], "block", ""),
        (["document: head body", "head: | head A", "body: B", "alone: C C"], "body", "alone"),
    ],
)
def test_the_rules_that_nest_are_told(written: list[str], lines: str, causes: str) -> None:
    created = rules(*written)
    assert set(find_causes(created)) == set(causes.split())
    assert find_lines(created) == set(lines.split())
