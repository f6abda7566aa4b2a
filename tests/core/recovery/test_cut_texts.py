"""A law of texts that end too early: what is called complete and sure is what the whole text says."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from texts import DIALECTS
from wings import need_wing

from symops_lark import Action, Completeness, ProtocolError, parse, process


def sure(text: str, dialect: str) -> Iterator[Action]:
    """Yield the actions that nobody would ask about."""
    try:
        result = process(text, dialect)
    except ProtocolError:
        return
    for action in result.document.actions:
        if action.completeness is Completeness.COMPLETE and action.confidence >= 0.9:
            yield action


def breaks_off_in_a_head(text: str) -> bool:
    """Return whether nothing tells the text from a whole one: its last line is an action, and newlines are optional."""
    return not text.endswith("\n")


@pytest.mark.alike(6)
@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("seed", range(4))
def test_a_cut_text_says_nothing_complete_that_is_not(name: str, seed: int) -> None:
    need_wing("lab")
    from symops_lark.lab.benchmark.faults.dialects import load
    from symops_lark.lab.benchmark.faults.documents import draw_documents, write

    rng = random.Random(f"{name} {seed}")
    count = 0
    for document in draw_documents(10, f"cut {seed}", load(name), hard=0.5):
        text = write(document, load(name))
        whole_rows = [(action.type, action.path, action.content) for action in parse(text, name).actions]
        for number in range(6):
            at = rng.randrange(1, len(text))
            at = text.find("\n", at) + 1 or len(text) if number % 2 else at
            for action in sure(text[:at], name):
                last = action.span.end >= at and action.content is None
                if not (last and breaks_off_in_a_head(text[:at])):
                    assert (action.type, action.path, action.content) in whole_rows, text[:at]
                    count += 1
    assert count > 20


@pytest.mark.parametrize("name", ["v2_1", "v2_long_fence"])
def test_a_short_closer_in_a_longer_fence_ends_nothing_for_sure(name: str) -> None:
    content = ">>> f(1)\n>>>\n\n1\n>>>"
    text = f"::create @a.md\n<<<<\n{content}\n>>>>\n\n::run @ls\n"
    [complete, _] = parse(text, name).actions
    for end in range(len(text)):
        assert [row for row in sure(text[:end], name) if row.path == "a.md" and row.content != complete.content] == []
    for closer in ("'''", '">">', ">> >", "EOF", "x = 2"):
        damaged = text.replace(">>>>", closer)
        assert [row for row in sure(damaged, name) if row.path == "a.md" and row.content != complete.content] == []
    # A section right after the closer shows that only its length is wrong.
    [action, _] = sure("::create @a.md\n<<<<\nx\n>>>\n\n::run @ls\n", name)
    assert action.content == "x"
