"""The endings of lines, and the places of repairs, in a text that is edited."""

from __future__ import annotations

import pytest

from symops_lark.core.repairs import RepairEngine
from symops_lark.core.repairs.edited_text import EditedText
from symops_lark.core.repairs.edits import Edit

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
            part = repaired.text[action.content_span.start : action.content_span.end]
            assert part == action.content


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


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("> ::create @a.py\r\n> <<<\r\n> x\r\n", "::create @a.py\r\n<<<\r\nx\r\n>>>\r\n"),
        ("Here:\r\nit is:\r\n::create @a.py\\n<<<\\nx\\n", "::create @a.py\n<<<\nx\n>>>\n"),
        ("::create @a.py\\n<<<\\nx\r\n", "::create @a.py\n<<<\nx\r\n>>>\n"),
        ("\r::create @a.py\r<<<\rx\r", "\n::create @a.py\n<<<\nx\n>>>\n"),
        (">> a\r\n\r\n\r\n::Run @ls\r\n", ">> a\r\n\r\n\r\n::run @ls\r\n"),
        ("x\r\r\n::Run @ls\r\r\n", "::run @ls\r\r\n"),
        ("::Create @a.py\n<<<\nx\r\ny\n>>>\r\n::Run @ls", "::create @a.py\n<<<\nx\r\ny\n>>>\r\n::run @ls"),
    ],
)
def test_wrapped_and_escaped_lines_have_their_endings(text: str, repaired: str) -> None:
    assert ENGINE.repair(text).text == repaired


def test_a_newline_that_is_written_ends_as_others_do_unless_it_was_escaped() -> None:
    for repairs, output in ((None, "a\r\nb\r\nc\r\n"), ([Edit(0, 3, "a\nb")], "a\nb\r\nc\r\n")):
        edited = EditedText("a b\r\nc\r\n", {})
        assert edited.apply([Edit(1, 2, "\n")], repairs)
        assert edited.restore_endings()
        assert edited.text == output
    edited = EditedText("a b\n", {})
    assert not edited.apply([Edit(0, 1, "a")]) and not edited.done
    assert not edited.restore_endings() and edited.text == "a b\n"


@pytest.mark.parametrize(
    ("text", "rule", "before", "after"),
    [
        ("> Sure!\n> ::Create @a.py\n> <<<\n> x\n> >>>\n", "stray-text", "Sure!\n", ""),
        ("Sure!\n> ::Create @a.py\n> <<<\n> x\n> >>>\n", "stray-text", "Sure!\n", ""),
        ("> Sure!\n> ::Create @a.py\n> <<<\n> x\n> >>>\n", "capital-verb", "::Create @a.py", "::create @a.py"),
        ("> ::create @a.py\n> <<<\n> x\n", "missing-closer", "", ">>>\n"),
        ("> ::create @a.py\r\n> <<<\r\n> x\r\n", "missing-closer", "", ">>>\r\n"),
        ("\r\n\r\n::create @a\r\n```\r\nx\r\n```\r\n", "fence-for-delimiter", "```", "<<<"),
    ],
)
def test_a_repair_in_a_wrapper_has_its_own_place(text: str, rule: str, before: str, after: str) -> None:
    repaired = ENGINE.repair(text)
    created = next(repair for repair in repaired.repairs if repair.rule == rule)
    assert text[created.before.start : created.before.end] == before
    assert repaired.text[created.after.start : created.after.end] == after
    assert [repair.before.start for repair in repaired.repairs] == sorted(r.before.start for r in repaired.repairs)


def test_what_is_lost_and_half_is_told_of_the_callers_text() -> None:
    repaired = ENGINE.repair("Sure!\r\n::create @\r\n>> so\r\n::Create @a.py\r\n<<<\r\nx\r\n")
    assert repaired.lost == (repaired.original.index("::create"),)
    assert [(place, str(state)) for place, state in repaired.completeness] == [
        (repaired.original.index("::Create"), "unterminated")
    ]
