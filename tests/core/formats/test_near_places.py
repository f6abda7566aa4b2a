"""Where a mark that is nearly right begins and ends, when one is looked for, and what it costs its neighbors."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_samples import OWN

from symops_lark import Document, Severity, read_format
from symops_lark.core.document import Action, Completeness, Thought
from symops_lark.core.formats.loading import all_sections, load_format
from symops_lark.core.formats.near_marks import (
    PRICES,
    Corrected,
    Correction,
    correct_marks,
    find_near,
    halves_of,
    marks_by_format,
    may_have_near_marks,
)
from symops_lark.core.text.diagnostics import Diagnostic
from symops_lark.core.text.slips import Slip
from symops_lark.core.text.source import Span

MARK = "</parameter>"
CALL = (
    "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n"
    "<parameter=content>\nx = 1\n</parameter>\n</function>\n</tool_call>\n"
)


def near(text: str, mark: str = MARK, *exact: str) -> set[tuple[str, Slip]]:
    """Return the texts that are nearly a mark, each with what is wrong with it."""
    corrections = set(find_near(text, mark, exact))
    assert all(correction.mark == mark for correction in corrections)
    return {(text[correction.start : correction.end], correction.slip) for correction in corrections}


# ---- when one is looked for


@pytest.mark.parametrize(
    ("code", "is_loss"),
    [
        ("broken-section", True),
        ("early-close", True),
        ("mark-in-content", True),
        ("missing-argument", True),
        ("no-closing-mark", True),
        ("unknown-tool", False),
        ("outside-layout", False),
        ("partial-write", False),
    ],
)
def test_a_mark_may_be_missing_after_a_loss(code: str, is_loss: bool) -> None:
    action = Action("create", "a.py", "x")
    usual = Diagnostic("file-without-verb", "x", Span(0, 1), Severity.WARNING)
    finding = Diagnostic(code, "x", Span(0, 1), Severity.WARNING)
    assert may_have_near_marks(Document((action,), diagnostics=(usual, finding))) == is_loss


@pytest.mark.parametrize(
    ("state", "may_have"),
    [(Completeness.COMPLETE, False), (Completeness.SUSPECT, False), (Completeness.TRUNCATED, True)],
)
def test_a_mark_may_be_missing_where_an_action_has_no_end(state: Completeness, may_have: bool) -> None:
    complete = Action("create", "a.py", "x")
    assert may_have_near_marks(Document((complete, Action("run", "ls", completeness=state)))) == may_have
    assert may_have_near_marks(Document((Thought("x"),)))


def test_a_reply_with_very_many_of_them_is_about_something_else() -> None:
    sections = load_format("glm").sections
    line = "</arg_valu>\n"
    corrected = correct_marks("<tool_call>\n" + line * 200, sections)
    assert corrected is not None and len(corrected.corrections) == 200
    assert correct_marks("<tool_call>\n" + line * 201, sections) is None
    # Without an exact mark, the format is not in use.
    assert correct_marks(line, sections) is None
    assert correct_marks("<tool_call>\nx = 1\n", sections) is None


def test_short_marks_and_those_that_occur_twice_are_left_out() -> None:
    marks = marks_by_format(list(all_sections()))
    assert set(marks["glm"]) >= {"<tool_call>", "</arg_value>"}
    assert marks["react"] == ["Action:", "Action Input:"]
    for row in marks.values():
        assert len(row) == len(set(row)) and all(len(mark) >= 6 and mark == mark.strip() for mark in row)


# ---- where it is


def test_one_half_of_a_mark_is_exact() -> None:
    assert halves_of("abcdefg") == ("abc", "efg")
    assert halves_of("abcdef") == ("abc", "ef")


@pytest.mark.parametrize(
    ("text", "row"),
    [
        # With its end, of the shorter one the end of the line, and of the others the shortest.
        ("</parametr>\nx", ("</parametr>", Slip.MISSING)),
        ("</parameter\nx", ("</parameter", Slip.MISSING)),
        ("</parameterx\ny = 1", ("</parameterx", Slip.REPLACED)),
        ("</parameterx<y", ("</parameterx", Slip.REPLACED)),
        ("</parameterxy", ("</parameter", Slip.MISSING)),
        ("</parametexr>\nx", ("</parametexr>", Slip.ADDED)),
        ("</paramete>r\nx", ("</paramete>r", Slip.EXCHANGED)),
        # The same at its beginning.
        ("\n/parameter>", ("/parameter>", Slip.MISSING)),
        (">x/parameter>", ("x/parameter>", Slip.REPLACED)),
        ("ab/parameter>", ("/parameter>", Slip.MISSING)),
        ("x = 1</arameter> y", ("</arameter>", Slip.MISSING)),
        ("</PARAMETER>", ("</PARAMETER>", Slip.CASE)),
    ],
)
def test_a_mark_that_is_nearly_right_has_its_probable_ends(text: str, row: tuple[str, Slip]) -> None:
    assert near(text) == {row}


@pytest.mark.parametrize("text", ["", "x", "</param>", "</parametrs", "</para\nmeter>", "</p", "parameter", "er>"])
def test_what_has_more_than_one_mistake_is_no_mark(text: str) -> None:
    assert near(text) == set()


def test_an_exact_mark_is_no_mistake_in_another_one() -> None:
    assert near(MARK, MARK, MARK) == set()
    assert all(slip is not None for _, slip in near(MARK))
    assert near("<tool_call>", "</tool_call>") == {("<tool_call>", Slip.MISSING)}
    assert near("<tool_call>", "</tool_call>", "<tool_call>") == set()
    # Not even a part of it is.
    assert near("x</arg_value>", "<arg_value>", "</arg_value>") == set()
    # A part of the mark itself may be exact.
    assert near("</parametr>", MARK, "</p") == {("</parametr>", Slip.MISSING)}
    assert near("</parametr>\n</function>", MARK, "</function>") == {("</parametr>", Slip.MISSING)}


@pytest.mark.parametrize(
    ("text", "mark", "is_mark"),
    [
        ("Acton: x", "Action:", True),
        ("\nAcction: x", "Action:", True),
        ("Reaction: x", "Action:", False),
        ("Action- x", "Action:", False),
        ("Action x", "Action:", False),
        ("</parametr> x", MARK, True),
        ("<patched x>", "<patched>", False),
        ("<patched y", "<patched>", False),
        ("<patched\n", "<patched>", True),
        ("x<patchd>\n", "<patched>", True),
    ],
)
def test_a_word_is_no_mark(text: str, mark: str, is_mark: bool) -> None:
    assert bool(near(text, mark)) == is_mark


def test_of_two_at_one_place_the_cheaper_and_longer_one_is_taken() -> None:
    corrected = correct_marks("<parameter=path>\n</parametr>\n</functon>\n", load_format("qwen_xml").sections)
    assert corrected is not None
    assert [correction.mark for correction in corrected.corrections] == [MARK, "</function>"]
    assert corrected.text == "<parameter=path>\n</parameter>\n</function>\n"


def test_a_place_in_a_corrected_mark_is_not_after_it() -> None:
    corrected = Corrected("ab<x>cd<y>e", [Correction(2, 5, "<long>", Slip.ADDED), Correction(7, 10, "", Slip.ADDED)])
    assert corrected.text == "ab<long>cde"
    assert [corrected.to_original(offset) for offset in range(len(corrected.text) + 1)] == [
        *(0, 1, 2, 3, 4, 5, 5, 5),
        *(5, 6, 10, 11),
    ]


def test_marks_of_a_format_of_a_user_are_corrected_too(tmp_path: Path) -> None:
    """Its exact marks are no mistakes: each was once corrected to itself with one character more."""
    path = tmp_path / "team.lark"
    path.write_text(OWN["team_change"], encoding="utf-8")
    section = "change a.py:\n<<< old\nx\n=== new\ny\n>>>\n"
    text = section + "\n" + section.replace("a.py", "b.py").replace("<<< old", "<<< odl")
    sections = load_format(path).sections
    corrected = correct_marks(text, sections)
    assert corrected is not None
    assert [(correction.mark, correction.slip) for correction in corrected.corrections] == [("<<< old", Slip.EXCHANGED)]
    assert correct_marks(section, sections) is None
    document = read_format(text, path)
    assert [(action.path, action.edits[0].new) for action in document.actions] == [("a.py", "y\n"), ("b.py", "y\n")]
    assert document.actions[1].completeness is Completeness.SUSPECT


# ---- what it costs


@pytest.mark.parametrize("close", ["</functixon>", "</functiom>", "</function", "</Function>"])
def test_a_call_pays_for_its_corrected_mark_and_the_next_one_does_not(close: str) -> None:
    text = CALL.replace("</function>", close) + CALL.replace("a.py", "b.py")
    document = read_format(text)
    assert [action.path for action in document.actions] == ["a.py", "b.py"]
    (slip,) = [finding.message.rpartition("(")[2] for finding in document.diagnostics if finding.code == "near-mark"]
    price = next(price for kind, price in PRICES.items() if slip.startswith(f"{kind},"))
    assert [action.confidence for action in document.actions] == [round(0.5 * 0.95 ** (price / 1000), 4), 0.85]
    assert {action.content for action in document.actions} == {"x = 1"}


def test_each_call_pays_for_its_own_marks() -> None:
    missing, case = CALL.replace("</function>", "</functon>"), CALL.replace("</function>", "</Function>")
    document = read_format(missing + "\nThen:\n\n" + case.replace("a.py", "b.py"))
    prices = {"a.py": PRICES[Slip.MISSING], "b.py": PRICES[Slip.CASE]}
    for action in document.actions:
        assert action.confidence == round(0.5 * 0.95 ** (prices.pop(action.path) / 1000), 4)
    assert prices == {}


def test_a_corrected_reply_may_be_cut_off_later() -> None:
    """One new action with an end is enough."""
    damaged = CALL.replace("</function>", "</functiom>")
    cut = CALL.replace("a.py", "b.py").partition("</parameter>\n</function>")[0]
    document = read_format(damaged + cut)
    assert [(action.path, str(action.completeness)) for action in document.actions] == [
        ("a.py", "suspect"),
        ("b.py", "truncated"),
    ]
    assert "near-mark" in {finding.code for finding in document.diagnostics}
