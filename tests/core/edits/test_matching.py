"""Which place each of several hunks gets, which choices are refused, and about which a person is asked."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.core.edits.hunks import Ambiguity, Edited, Hunk, Reading, Refusal
from symops_lark.core.edits.line_anchors import NUMBER_ALONE
from symops_lark.core.edits.lines import MAX_PLACES
from symops_lark.core.edits.matching import place_hunks

BLANKS = "the file has other blanks at line ends"
ONLY_NUMBER = "only the line number distinguishes the place, and that of another edit is wrong"
QUOTE_MORE = "quote more of the lines around it"
QUOTE_EXACTLY = "quote the lines of the file exactly, blanks included"
ONE_EDIT = "write one edit for these lines"
CLASSES = "class A:\n    x = 1\n\nclass B:\n    x = 1\n"


def hunk(old: str = "", new: str = "", **more: Any) -> Hunk:
    return Hunk(tuple(old.split()), tuple(new.split()), **more)


def place(text: str, *hunks: Hunk, **more: Any) -> Edited | Refusal:
    return place_hunks(Reading("kind", hunks, **more), text)


def edited(text: str, *hunks: Hunk, **more: Any) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
    """Return the new text, the doubts and the lines."""
    result = place(text, *hunks, **more)
    assert isinstance(result, Edited) and result.kind == "kind", result
    return result.text, result.doubts, result.lines


def refused(text: str, *hunks: Hunk, **more: Any) -> tuple[str, tuple[int, ...], str]:
    """Return the reason, the lines and the hint."""
    result = place(text, *hunks, **more)
    assert isinstance(result, Refusal) and result.kind == "kind", result
    return result.reason, result.places, result.hint


def test_a_place_must_be_the_only_one() -> None:
    assert edited("a\nb\n", hunk("b", "c")) == ("a\nc\n", (), (2,))
    reason = "edit 1 fits at several places: lines 1 and 3"
    assert refused("a\nb\na\n", hunk("a", "c")) == (reason, (1, 3), QUOTE_MORE)
    reason = "edit 2 fits at several places: lines 1 and 3"
    for order in ({}, {"in_turn": True}):
        assert refused("a\nb\na\n", hunk("b", "c"), hunk("a", "c"), **order) == (reason, (1, 3), QUOTE_MORE)


def test_equal_doubts_are_told_once_with_all_lines() -> None:
    result = place(
        "a \nb\nc \n  d\n", hunk("a", "x"), hunk("b", "y"), hunk("c", "z"), hunk("d", "w"), doubts=("first",)
    )
    assert isinstance(result, Edited) and result.text == "x\ny\nz\n  w\n" and result.lines == (1, 2, 3, 4)
    expected = (f"lines 1 and 3: {BLANKS}", "line 4: the file has another indentation")
    assert (result.doubts, result.tolerances) == (("first", *expected), expected)


def test_a_doubt_that_always_asks_is_no_tolerance() -> None:
    result = place("a \n", hunk("a", "b", scope=("def x",)))
    assert isinstance(result, Edited) and result.tolerances == ()
    assert result.doubts == (f"line 1: {BLANKS}; the file has no line 'def x'",)


def test_all_places_change_but_those_that_overlap() -> None:
    assert edited("a\na\na\na\na\n", hunk("a a", "b", every=True)) == ("b\nb\na\n", (), (1, 3))
    assert edited("a\nx\na\n", hunk("a", "b", every=True), in_turn=True) == ("b\nx\nb\n", (), (1, 3))
    assert refused("x\n", hunk("a", "b", every=True))[0].startswith("edit 1 does not fit")


# ---- in turn


def test_each_hunk_is_searched_for_in_what_those_before_left() -> None:
    assert edited("a\nb\n", hunk("a", "x y"), hunk("y b", "z"), in_turn=True) == ("x\nz\n", (), (1, 1))
    assert edited("a\nb\nc\n", hunk("a", "x y"), hunk("c", "z"), in_turn=True) == ("x\ny\nb\nz\n", (), (1, 3))


def test_a_number_counts_in_the_file_as_it_was() -> None:
    doubts = (f"line 3: {NUMBER_ALONE}",)
    hunks = hunk("a", "x y"), hunk("", "z", line=2)
    assert edited("a\nb\nc\n", *hunks, in_turn=True) == ("x\ny\nb\nz\nc\n", doubts, (1, 3))
    reason, places, hint = refused("a\nb\nc\n", hunk("a b", "x"), hunk("", "z", line=1), in_turn=True)
    assert reason == "edit 2 inserts after line 1, which an edit before it changes"
    assert (places, hint) == ((), "quote the line before the new ones")
    reason = "edit 2: there is no line 4; the file has 3 lines"
    assert refused("a\nb\nc\n", hunk("a", "x y z w"), hunk("", "z", line=4), in_turn=True)[0] == reason
    assert refused("a\nb\nc\n", hunk("a", "x y z w"), hunk("", "z", line=-1), in_turn=True)[0].startswith("edit 2: ")


# ---- together


def test_hunks_in_no_order_have_places_in_the_file_as_it_is() -> None:
    assert edited("a\nb\nc\n", hunk("c", "z"), hunk("a", "x y")) == ("x\ny\nb\nz\n", (), (3, 1))


def test_the_order_of_the_hunks_decides() -> None:
    assert edited("a\nb\na\n", hunk("b", "x"), hunk("a", "y"), ordered=True) == ("a\nx\ny\n", (), (2, 3))
    assert edited("a\nb\na\n", hunk("a", "y"), hunk("b", "x"), ordered=True) == ("y\nx\na\n", (), (1, 2))
    assert edited("a\na\n", hunk("a", "x"), hunk("a", "y"), ordered=True) == ("x\ny\n", (), (1, 2))
    assert edited("a\na\na\na\n", hunk("a a", "x"), hunk("a a", "y"), ordered=True) == ("x\ny\n", (), (1, 3))


def test_an_order_that_leaves_two_choices_is_refused() -> None:
    reason = "edit 2 fits at several places: lines 1, 3 and 4"
    assert refused("a\nb\na\na\n", hunk("b", "x"), hunk("a", "y"), ordered=True) == (reason, (1, 3, 4), QUOTE_MORE)
    reason = "edit 1 fits at several places: lines 1, 2 and 3"
    assert refused("a\na\na\n", hunk("a", "x"), hunk("a", "y"), ordered=True)[0] == reason


def test_another_order_is_refused() -> None:
    reason = "the edits are not in the order of the file: lines 2 and 1"
    assert refused("a\nb\n", hunk("b", "x"), hunk("a", "y"), ordered=True) == (
        reason,
        (2, 1),
        "write them in the order of the file",
    )


@pytest.mark.parametrize("ordered", [True, False])
def test_two_edits_of_one_line_are_refused(ordered: bool) -> None:
    reason = "two edits overlap at lines 1 and 2"
    hunks = hunk("a b", "x"), hunk("b c", "y")
    assert refused("a\nb\nc\n", *hunks, ordered=ordered) == (reason, (1, 2), ONE_EDIT)
    assert edited("a\nb\nc\nd\n", hunk("a b", "x"), hunk("c d", "y"), ordered=ordered)[0] == "x\ny\n"


def test_two_insertions_at_one_place_are_refused() -> None:
    reason = "two edits insert at the same place, after line 1"
    assert refused("a\nb\n", hunk("", "x", line=1), hunk("", "y", line=1)) == (reason, (2, 2), ONE_EDIT)
    assert edited("a\nb\n", hunk("", "x", line=1), hunk("", "y", line=0))[0] == "y\na\nx\nb\n"


def test_an_insertion_goes_before_a_line_that_another_edit_changes() -> None:
    for hunks in ([hunk("", "x", line=1), hunk("b", "y")], [hunk("b", "y"), hunk("", "x", line=1)]):
        assert edited("a\nb\n", *hunks)[0] == "a\nx\ny\n"
        assert edited("a\nb\n", *hunks[::-1], hunk("a", "z"))[0] == "z\nx\ny\n"


# ---- numbers


def test_a_number_decides_between_equal_places_only() -> None:
    assert edited("a\nb\na\n", hunk("a", "x", line=3)) == ("a\nb\nx\n", (), (3,))
    assert edited("a\nb\na\n", hunk("b", "x", line=3)) == ("a\nx\na\n", (), (2,))
    assert refused("a\nb\na\n", hunk("a", "x", line=2))[1] == (1, 3)


def test_a_wrong_number_makes_those_doubtful_that_decided() -> None:
    old = "a\nb\nx\nc\nx\n"
    doubts = (f"line 5: {ONLY_NUMBER}",)
    assert edited(old, hunk("b", "B", line=2), hunk("x", "y", line=5)) == ("a\nB\nx\nc\ny\n", (), (2, 5))
    assert edited(old, hunk("b", "B", line=1), hunk("x", "y", line=5)) == ("a\nB\nx\nc\ny\n", doubts, (2, 5))
    assert edited(old, hunk("b", "B", line=1), hunk("c", "C", line=4)) == ("a\nB\nx\nC\nx\n", (), (2, 4))
    # That of an edit is wrong, too, if the order chooses among places that are all elsewhere.
    ordered = hunk("m", "M"), hunk("a", "A", line=9), hunk("b", "B", line=6)
    doubts = (f"line 6: {ONLY_NUMBER}",)
    assert edited("a\nm\na\nb\nz\nb\n", *ordered, ordered=True) == ("a\nM\nA\nb\nz\nB\n", doubts, (2, 3, 6))
    # An edit without a number shows nothing, and one that inserts quotes no line that could show it.
    assert edited(old, hunk("b", "B"), hunk("x", "y", line=5))[1] == ()
    assert edited(old, hunk("", "B", line=2), hunk("x", "y", line=5))[1] == (f"line 3: {NUMBER_ALONE}",)


def test_a_number_beside_empty_lines_is_all_there_is() -> None:
    empty = Hunk(("",), ("x",), line=3)
    assert edited("a\n\n\n", empty) == ("a\n\nx\n", (f"line 3: {NUMBER_ALONE}",), (3,))
    assert edited("a\n\nb\n", Hunk(("",), ("x",), line=2)) == ("a\nx\nb\n", (), (2,))
    assert edited("a\n\na\n", hunk(line=3, within=("a", "x"))) == ("a\n\nx\n", (), (3,))
    assert edited("a\n\na\n\n", Hunk(("a", ""), ("x",), line=3)) == ("a\n\nx\n", (), (3,))
    assert edited("a \n\na \n", hunk(line=3, within=("a\t", "x")))[1] == (f"line 3: {BLANKS}",)
    unknown = Hunk(("",), ("x",), line=3, scope=("def",))
    assert edited("a\n\n\n", unknown)[1] == ("line 3: the file has no line 'def'",)


# ---- the end of the file and scopes


def test_the_end_of_the_file_decides() -> None:
    assert edited("a\nb\na\n", hunk("a", "x", at_end=True)) == ("a\nb\nx\n", (), (3,))
    assert refused("a\nb\na\nb\nc\n", hunk("a", "x", at_end=True)) == (
        "edit 1 fits at lines 1 and 3, not at the file's end",
        (1, 3),
        "quote the last lines of the file",
    )


def test_a_scope_decides_between_equal_places() -> None:
    quoted = Hunk(("    x = 1",), ("    x = 2",), scope=("class B",))
    assert edited(CLASSES, quoted) == ("class A:\n    x = 1\n\nclass B:\n    x = 2\n", (), (5,))
    reason = "edit 1 fits at several places: lines 2 and 3"
    assert refused("class A:\n    x = 1\n    x = 1\n", Hunk(("    x = 1",), scope=("class A",)))[0] == reason


def test_a_scope_that_has_none_of_the_places_does_not_decide() -> None:
    reason = "edit 1 fits at several places: lines 1 and 2"
    assert refused("a\na\ndef f():\n    b\n", hunk("a", "x", scope=("def f",))) == (reason, (1, 2), QUOTE_MORE)
    assert refused("a\na\n", hunk("a", "x", scope=("def f",))) == (reason, (1, 2), QUOTE_MORE)


def test_a_wrong_scope_is_asked_about() -> None:
    old = "a\ndef f():\n    b\nc\n"
    assert edited(old, hunk("a", "x", scope=("def g",)))[1] == ("line 1: the file has no line 'def g'",)
    assert edited(old, hunk("a", "x", scope=("def f",)))[1] == ("line 1: the place is not below the line 'def f'",)
    assert edited(old, hunk("c", "x", scope=("def f",)))[1] == ()
    assert edited(old, hunk("a", "x", scope=("c", "d")))[1] == ("line 1: the file has no line 'd'",)
    nested = hunk("a", "x", scope=("class A", "def f"))
    told = "line 1: the place is not below the line 'def f'"
    assert edited("a\nclass A:\n    def f():\n        b\n", nested)[1] == (told,)
    twice = "a\nq\ndef f():\n    b\na\n"
    assert edited(twice, hunk("a", "x", scope=("def f",), line=1))[1] == (told,)
    assert edited(twice, hunk("a", "x", scope=("def f",), line=5))[1] == ()
    assert edited(twice, hunk("a", "x", scope=("def f",)), hunk("q", "y"), ordered=True)[1] == (told,)
    assert edited(twice, hunk("q", "y"), hunk("a", "x", scope=("def f",)), ordered=True)[1] == ()
    every = hunk("a", "x", scope=("def g",), every=True)
    assert edited(old, every)[1] == ()  # all places change, wherever they are


# ---- what does not fit


def test_new_lines_that_the_file_has_already_are_told() -> None:
    reason = "edit 1 does not fit, and its new lines are already in the file: lines 2 and 3"
    assert refused("a\nx\nx\n", hunk("b", "x")) == (reason, (2, 3), "leave it out")
    nearest = "edit 1 does not fit: none of its lines is in the file: 'b'"
    assert refused("a\n\n", Hunk(("b",), ("",))) == (nearest, (), QUOTE_EXACTLY)
    assert refused("a\n\n", Hunk(("b",), ())) == (nearest, (), QUOTE_EXACTLY)
    reason = "edit 1 does not fit, and its new lines are already in the file: line 1"
    assert refused("a\n\n", Hunk(("b",), ("a", "")))[0] == reason


def test_the_nearest_place_is_told() -> None:
    text = "a\nb\nc\n"
    assert refused(text, hunk("b d", "x"))[0] == "edit 1 does not fit: nearest is line 3, which is 'c' and not 'd'"
    reason = "edit 1 does not fit: nearest is line 2, which is 'b' and not 'q'"
    assert refused(text, hunk("q", "x", line=2)) == (reason, (), QUOTE_EXACTLY)


def test_too_many_places_are_refused() -> None:
    text = "a\n" * (MAX_PLACES + 1)
    reason = "edit 1 fits at too many places to compare them"
    for single in (hunk("a", "b"), hunk("a", "b", every=True), hunk(within=("a", "b"))):
        assert refused(text, single) == (reason, (), QUOTE_MORE)


def test_one_reading_of_several_must_fit() -> None:
    why = Ambiguity("has several dividers", "one of them fits", "use a diff")
    first, second = hunk("a", "b"), hunk("c", "d")
    either = Hunk(choices=(first, second), ambiguity=why)
    assert edited("a\nx\n", either) == ("b\nx\n", ("line 1: one of them fits",), (1,))
    assert edited("x\nc\n", hunk("x", "y"), either) == ("y\nd\n", ("line 2: one of them fits",), (1, 2))
    assert refused("a\nc\n", either) == ("edit 1 has several dividers, and fits in several ways", (1, 2), "use a diff")
    neither = "edit 1 has several dividers, and does not fit with any of them"
    assert refused("x\n", either) == (neither, (), "use a diff")
    assert edited("a\nc\nc\n", either)[0] == "b\nc\nc\n"  # a reading that fits twice does not fit
    assert refused("c\nc\n", either) == (neither, (), "use a diff")
