"""The guard of whole new texts: each signal that a text is an edit in a notation, not the new file."""

from __future__ import annotations

import time

import pytest
from drawn_changes import SOME_LINES
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark.core.edits import marks
from symops_lark.core.edits.comparison import measure
from symops_lark.core.edits.whole_texts import (
    Thresholds,
    describe_left_out,
    describe_mark,
    find_doubts,
    find_loss,
    find_mark,
)
from symops_lark.core.patterns.regexes import compile_linear


def doubts(old: str, new: str) -> str:
    return "; ".join(find_doubts(old, new))


# ---- signals, each alone

BODY = "".join(f"value_{number} = compute({number})\n" for number in range(10))
LONG = "".join(f"value_{number} = compute({number})\n" for number in range(40))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (BODY, "print('other')\nprint('text')\n" * 8, "keeps none of the file's 10 lines"),
        ("x = 1\n", "Please make it three instead.\n", "no line of the new text is like"),
        (BODY, "".join(f"-{line}\n" for line in BODY.splitlines()[:5]) + BODY, "5 of the new text's 15 lines"),
        (BODY, "".join(f"  {n} | {line}\n" for n, line in enumerate(BODY.splitlines())), "after a mark or a number"),
        ("- a\n- b\n- c\n", "- a\n+- d\n", "begins with a mark of a diff"),
        ("a b\nc d\n", "a b\n+c e\n", "begins with a mark of a diff"),
        ("a b\nc d\n", "1: a b\n2: c e\n3:\n", "begins with its number"),
        (BODY, BODY + "=====\n" + BODY, "100% of the file's lines occur twice"),
        (BODY, "".join(f"{line} → {line}0\n" for line in BODY.splitlines()), "contain a line of the file and more"),
        (BODY, "<old_text>\n" + BODY, "line 1 is the mark"),
        (BODY, BODY + "x = 1\n*** End Patch\n", "line 12 is the mark"),
        (BODY, "x = 1\n" * 9 + "[SEARCH]\n" + "x = 1\n" * 9, "line 10 is the mark"),
        (BODY, BODY[:40] + "\n>>>>>>> main\n" + BODY[40:], "is the mark"),
        (BODY, "Replace line 3 with:\n" + BODY, "begins with a command to edit: 'Replace line 3 with:'"),
        (BODY, "s/compute(1)/compute(2)/\n" + BODY, "begins with a command to edit"),
        (BODY, '{"old_str": "a", "new_str": "b"}\n' + BODY, "keys of a tool call"),
        (BODY, BODY + "{ existing code }\n", "line 11 stands for code that was left out"),
        (BODY, BODY + "# ... rest of the code unchanged\n", "stands for code that was left out"),
        (LONG, "".join(LONG.splitlines(keepends=True)[:19]) + "z = 1\n" * 30, "the file keeps 19 of its 40 lines"),
        (LONG, LONG[: len(LONG) // 2 + 60], "the new text ends where the file has 16 more lines"),
        (LONG, "".join(LONG.splitlines(keepends=True)[:30]) + "end()\n", "the file has 9 more lines"),
        (BODY, "".join(BODY.splitlines(keepends=True)[:3]) + "z = 1\n", "keeps 3 of its 10 lines, and becomes shorter"),
    ],
)
def test_signal(old: str, new: str, told: str) -> None:
    assert told in doubts(old, new)
    assert told in doubts(old.replace("\n", "\r\n"), "\ufeff" + new.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.2.3\n", "1.2.4\n"),
        ("", "anything\n"),
        (BODY, BODY.replace("value_3", "total")),
        (BODY, BODY + "- a point\n- another\n"),
        (BODY, "# Old: what it was\n" + BODY),
        ("- a\n- b\n", "- a\n- b\n- c\n"),
        ("- a\n- b\n", "- c\n- a\n- b\n"),
        ("* a\n* b\n* c\n", "- a\n- b\n- c\n* d\n"),
        ("# A\n\nwords\n", "# A\n\nwords\n\n- a\n- b\n"),
        ("a\n  - x\n  - y\n", "a\n- x\n- y\n"),
        ("  - x\n  - y\n", "- x\n- y\n- z\n"),
        ("1. a\n2. b\n", "1. a\n2. b\n3. c\n"),
        ("1\n2\n", "1\n2\n3\n"),
        ("Title\n----\nwords\n", "Title\n-----\nwords\n"),
        ('{\n  "a": 1\n}\n', '{\n  "a": 2\n}\n'),
        ("if x:\n  a()\n  b()\n", "if x:\n    a()\n    b()\n"),
        ("<old>\na\n</old>\n", "<old>\nb\n</old>\n"),
        ("s/a/b/\n", "s/a/b/\ns/c/d/\n"),
        ("Text about `<<<<<<< SEARCH` and\nmore of it\n", "Text about `<<<<<<< SEARCH` and\nmuch more of it\n"),
        (LONG, "".join(line for line in LONG.splitlines(keepends=True) if "7" not in line)),
        (LONG, LONG.replace("value_39 = compute(39)\n", "end()\n")),
        (LONG, "".join(LONG.splitlines(keepends=True)[20:] + LONG.splitlines(keepends=True)[:20])),
    ],
)
def test_whole_text_is_not_doubted(old: str, new: str) -> None:
    assert doubts(old, new) == ""


@given(st.lists(SOME_LINES, min_size=1, max_size=40), st.integers(0, 8), st.lists(st.integers(100, 999), max_size=10))
def test_the_same_text_is_never_doubted_indented_or_with_more_behind(
    lines: list[str], depth: int, more: list[int]
) -> None:
    old = "".join(line + "\n" for line in lines)
    assert doubts(old, old) == ""
    assert doubts(old, "".join(f"{' ' * depth}{line}\n" for line in lines)) == ""
    assert doubts(old, old + "".join(f"appended({number})\n" for number in more)) == ""


@given(st.lists(SOME_LINES, min_size=1, max_size=25), st.lists(SOME_LINES, min_size=1, max_size=25))
def test_what_is_not_doubted_keeps_a_line_or_is_alike(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    measured = measure(before, after)
    assume(measured.old_count and measured.new_count)
    if not find_doubts(before, after):
        assert measured.kept_count or measured.likeness >= Thresholds().like


def test_a_loss_names_how_much_is_kept() -> None:
    half = "".join(LONG.splitlines(keepends=True)[:15])
    assert find_loss(LONG, half) == "the file keeps 15 of its 40 lines"
    assert find_loss(LONG, LONG) == ""


def rows(*numbers: int) -> str:
    """Return a text of numbered lines."""
    return "".join(f"value_{number} = compute({number})\n" for number in numbers)


def loss(old_count: int, kept: int) -> str:
    """Return the sentence on what is lost if the first lines of a text are kept."""
    return find_loss(rows(*range(old_count)), rows(*range(kept)))


def test_a_loss_of_more_than_half_of_a_long_text() -> None:
    assert loss(20, 10) == "" and loss(20, 9) == "the file keeps 9 of its 20 lines"
    assert loss(19, 0) == ""
    assert find_loss(rows(*range(4)), rows(0), Thresholds(shrink_from=4, shrink_share=0.75)) == ""
    limits = Thresholds(shrink_from=4, shrink_share=0.7)
    assert find_loss(rows(*range(4)), rows(0), limits) == "the file keeps 1 of its 4 lines"


def test_nothing_is_kept() -> None:
    for count in (4, 5):
        assert f"keeps none of the file's {count} lines" in doubts(rows(*range(count)), rows(*range(50, 60)))
    short = rows(*range(3))
    assert doubts(short, rows(50, 51, 52, 53)) == ""  # a line is like those of the file
    assert doubts(short, "words\n" * 9) == "no line of the new text is like a line of the file"
    # Where limits begin later, neither sentence is about a text of this length.
    assert find_doubts(rows(0, 1, 2, 3), "words\n" * 9, Thresholds(nothing_from=9)) == ()
    assert find_doubts("ab\n", "xb\n", Thresholds(like=0.5)) == ()
    assert find_doubts("ab\n", "xb\n", Thresholds(like=0.51)) == ("no line of the new text is like a line of the file",)


@pytest.mark.parametrize(
    ("old_count", "missing", "is_told"), [(20, 5, True), (20, 4, False), (19, 5, False), (60, 6, True), (60, 5, False)]
)
def test_a_text_that_ends_early(old_count: int, missing: int, is_told: bool) -> None:
    expected = f"the new text ends where the file has {missing} more lines"
    assert doubts(rows(*range(old_count)), rows(*range(old_count - missing))) == (expected if is_told else "")


@pytest.mark.parametrize(
    ("old_count", "kept", "new_count", "is_told"),
    [(4, 1, 3, True), (3, 1, 2, False), (10, 3, 9, True), (10, 4, 9, False), (10, 3, 10, False), (19, 7, 18, True)],
)
def test_a_short_text_that_may_be_a_snippet(old_count: int, kept: int, new_count: int, is_told: bool) -> None:
    old, new = rows(*range(old_count)), rows(*range(kept), *range(50, 50 + new_count - kept))
    expected = f"the file keeps {kept} of its {old_count} lines, and becomes shorter"
    assert doubts(old, new) == (expected if is_told else "")


def test_a_long_text_that_is_kept_is_no_snippet() -> None:
    old, new = rows(*range(20)), rows(*range(10), *range(50, 59))
    assert find_doubts(old, new, Thresholds(snippet_share=0.9)) == ()


@pytest.mark.parametrize("share", [0.3, 0.0])
def test_shares_of_new_lines(share: float) -> None:
    limits = Thresholds(marked_share=share, inside_share=share, nothing_from=99)
    old, fresh = rows(*range(10)), rows(*range(50, 57))
    marked = "".join(f"-value_{number} = compute({number})\n" for number in range(3))
    assert (
        find_doubts(old, marked + fresh, limits)[0]
        == "3 of the new text's 10 lines are the file's own after a mark or a number"
    )
    longer = "".join(f"value_{number} = compute({number}) → x\n" for number in range(3))
    assert find_doubts(old, longer + fresh, limits) == (
        "3 of the new text's 10 lines contain a line of the file and more",
    )
    assert find_doubts(old, fresh + rows(57, 58, 59), limits) == ()
    if share:
        assert find_doubts(old, marked + fresh + rows(57), limits) == ()
        assert find_doubts(old, longer + fresh + rows(57), limits) == ()


def test_lines_that_occur_twice() -> None:
    sentence = "{}% of the file's lines occur twice in the new text".format
    assert doubts(rows(0, 1, 2), rows(0, 1, 2, 0, 1, 2)) == sentence(100)
    assert doubts(rows(0, 1), rows(0, 1, 0, 1)) == ""
    assert doubts(rows(0, 1, 2, 3), rows(0, 1, 2, 3, 0, 1)) == sentence(50)
    assert doubts(rows(0, 1, 2, 3, 4), rows(0, 1, 2, 3, 4, 0, 1)) == ""


def test_long_lines_are_cut_off() -> None:
    assert describe_mark((3, "x" * 81)).endswith(
        f"taken as text: '{'x' * 80}'"
    ) and "line 3 is the mark" in describe_mark((3, "x"))
    assert describe_left_out((3, "x" * 81)) == f"line 3 stands for code that was left out: {'x' * 80}"


def test_a_mark_is_near_an_end_or_in_a_text_that_loses_most() -> None:
    mark = "*** End of File\n"
    old = rows(*range(10))
    new = rows(*range(5)) + mark + rows(*range(50, 55))
    assert find_mark(old, new) is None and find_mark(old, new, everywhere=True) == (6, mark.strip())
    new = rows(*range(4)) + mark + rows(*range(50, 55))
    assert find_mark(old, new) == (5, mark.strip())
    assert find_mark("", "a\n" + mark) == (2, mark.strip())
    assert find_mark(mark, "a\n" + mark) is None


def test_an_empty_text_has_no_doubts() -> None:
    assert doubts(BODY, "") == doubts(BODY, " \n\n") == doubts("", "words\n" * 30) == ""
    assert "line 1 is the mark" in doubts("", ">>>>>>> main\n")
    assert "keys of a tool call" in doubts("", '{"old_str": "a", "new_str": "b"}\n')


def test_patterns_need_nothing_that_re2_has_not() -> None:
    patterns = [value.pattern for value in vars(marks).values() if hasattr(value, "fullmatch")]
    assert len(patterns) >= 7
    for pattern in patterns:
        compile_linear(pattern)


@pytest.mark.slow
def test_it_takes_time_in_proportion() -> None:
    """Twice the lines take about twice the time; searching each line in each would take four times."""
    times = []
    for size in (20_000, 40_000):
        old = "".join(f"line {number} = compute({number})\n" for number in range(size))
        new = "".join(f"-line {number} = compute({number})\n+line {number}\n" for number in range(size))
        begun = time.process_time()
        assert find_doubts(old, new)
        times.append(time.process_time() - begun)
    assert times[1] < 3 * times[0] + 0.2
