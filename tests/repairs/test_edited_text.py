"""The endings of lines, and the places of repairs, in a text that is edited."""

from __future__ import annotations

import pytest

from symops_lark.repairs import RepairEngine

ENGINE = RepairEngine("v2")
BROKEN = (
    "Here it is:",
    "",
    "::Create @a.py",
    "<<<",
    "x = 1",
    "",
    "y",
    ">>>",
    "::run @make",
    "::CREATE @b.py",
    "<<<",
    "z",
)
WHOLE = ("", "::create @a.py", "<<<", "x = 1", "", "y", ">>>", "::run @make", "::create @b.py", "<<<", "z", ">>>")


def written(lines: tuple[str, ...], endings: str) -> str:
    """Write lines with these endings by turns: n for a line feed, r for a carriage return before it."""
    return "".join(line + ("\r\n" if endings[at % len(endings)] == "r" else "\n") for at, line in enumerate(lines))


@pytest.mark.parametrize("endings", ["n", "r", "nr", "rn", "rrn"])
def test_each_line_keeps_its_ending(endings: str) -> None:
    text = written(BROKEN, endings)
    repaired = ENGINE.repair(text)
    assert repaired.document is not None
    assert tuple(repaired.text.replace("\r\n", "\n").split("\n")[:-1]) in (WHOLE, WHOLE[1:])
    for line in ("x = 1", "", "y", "::run @make", "z"):
        ending = text[text.index("\n" + line) + 1 + len(line) :][:2].startswith("\r")
        place = repaired.text.index(line, repaired.text.index("x = 1")) if line else repaired.text.index("x = 1") + 5
        if line:
            assert repaired.text[place + len(line) :].startswith("\r\n" if ending else "\n"), line
    for action in repaired.document.actions:
        if action.content_span is not None:
            shown = repaired.text[action.content_span.start : action.content_span.end]
            assert shown == action.content


@pytest.mark.parametrize("endings", ["n", "r", "nr"])
def test_each_repair_stands_where_it_says(endings: str) -> None:
    text = written(BROKEN, endings)
    repaired = ENGINE.repair(text)
    assert [repair.rule for repair in repaired.repairs].count("capital-verb") == 2
    places = [(repair.before.start, repair.before.end) for repair in repaired.repairs]
    assert places == sorted(places)
    for repair in repaired.repairs:
        plain = text[repair.before.start : repair.before.end].replace("\r\n", "\n")
        assert plain == repair.text_before
        assert repaired.text[repair.after.start : repair.after.end].replace("\r\n", "\n") == repair.text_after


def test_an_empty_first_line_has_its_ending() -> None:
    assert ENGINE.repair("\r\n::Create @a.py\n<<<\nx\n>>>\n").text == "\r\n::create @a.py\n<<<\nx\n>>>\n"


def test_what_is_written_ends_as_most_lines_do() -> None:
    assert ENGINE.repair("::create @a.py\r\n<<<\r\nx\r\n").text == "::create @a.py\r\n<<<\r\nx\r\n>>>\r\n"
    assert ENGINE.repair("::create @a.py\n<<<\nx\n").text == "::create @a.py\n<<<\nx\n>>>\n"
