"""Lines put into a repaired text: where they stand, how they end, and where the repairs are then."""

from __future__ import annotations

import pytest

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.repairs import RepairEngine
from symops_lark.core.repairs.marking import insert_lines
from symops_lark.core.text.source import Source

V2 = load_dialect("v2")
ENGINE = RepairEngine(V2)
BROKEN = "::Create @a.py\n<<<\nx\n>>>\n::Run @ls"
NOTE = "! Suspect @ a.py\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_lines_are_put_behind_others(ending: str, last: str) -> None:
    repaired = ENGINE.repair((BROKEN + last).replace("\n", ending))
    lines = [(repaired.text.index(">>>") + 3, NOTE), (repaired.text.index("@ls") + 3, NOTE)]
    marked = insert_lines(repaired, lines, V2)
    assert marked.text == f"::create @a.py\n<<<\nx\n>>>\n{NOTE}::run @ls\n{NOTE}".replace("\n", ending)
    assert marked.original == (BROKEN + last).replace("\n", ending)
    assert marked.document is not None and len(marked.document.sections) == 4
    for before, after in zip(repaired.repairs, marked.repairs, strict=True):
        assert marked.text[after.after.start : after.after.end] == after.text_after
        assert (after.rule, after.before, after.cost) == (before.rule, before.before, before.cost)
    source = Source(marked.original)
    places = [marked.original_span(action.span, source) for action in marked.document.actions]
    assert [(place.start, place.line) for place in places] == [(0, 1), (marked.original.index("::Run"), 5)]


def test_a_line_that_is_no_section_makes_the_text_invalid() -> None:
    repaired = ENGINE.repair(BROKEN)
    assert insert_lines(repaired, [(0, "no section\n")], V2).document is None
