"""Numbers about an old and a new text, each with its limits."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.core.edits.comparison import filled_lines, find_mark_row, measure
from symops_lark.core.edits.whole_texts import find_doubts

LETTERS = [f"line {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
FRESH = ["1 fresh", "2 fresh", "3 fresh", "4 fresh", "5 fresh"]


def lines(*rows: str) -> str:
    return "".join(row + "\n" for row in rows)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_filled_lines_have_their_numbers(ending: str) -> None:
    content = ending.join(("\ufeff  a  ", "", " \t", "b", ""))
    assert filled_lines(content) == [(1, "  a"), (4, "b")]


@pytest.mark.parametrize(
    ("new", "missing"),
    [
        (LETTERS, 0),
        (LETTERS[:20], 6),
        (LETTERS[:3], 23),
        (LETTERS[:2], 0),
        (LETTERS[:1], 0),
        (LETTERS[23:], 0),
        # Up to three lines below may be new.
        (LETTERS[:20] + FRESH[:1], 5),
        (LETTERS[:20] + FRESH[:3], 3),
        (LETTERS[:20] + FRESH[:4], 0),
        (LETTERS[:24] + FRESH[:3], 0),
        (LETTERS + FRESH[:2], 0),
        # Lines that have moved are not lost; but a few of those below may be elsewhere.
        (LETTERS[20:] + LETTERS[:20], 0),
        (LETTERS[25:] + LETTERS[:16], 10),
        (LETTERS[24:] + LETTERS[:16], 0),
        (FRESH, 0),
    ],
)
def test_a_missing_end_is_what_follows_the_last_lines(new: list[str], missing: int) -> None:
    assert measure(lines(*LETTERS), lines(*new)).missing_end == missing


def test_the_last_place_of_repeated_lines_tells_what_is_missing() -> None:
    old = [*LETTERS[:3], *LETTERS]
    assert measure(lines(*old), lines(*LETTERS[:3])).missing_end == 23


ABC = "abcdefgh = 1\nbcdefghi = 2\ncdefghij = 3\ndefghijk = 4\n"
OTHERS = "".join(f"other {number}\n" for number in range(11))


@pytest.mark.parametrize(
    ("old", "new", "numbers"),
    [
        # the likeness of short texts of which nothing is kept
        ("abcd\n", "abcf\n", {"likeness": 0.75}),
        ("abcd\nxyz\n", "1\nxy\n", {"likeness": 0.8}),
        ("abcd\n", "abcd\nabcf\n", {"likeness": 0.0}),
        ("ab\ncd\nef\n", "abc\n", {"likeness": 0.8}),
        ("ab\ncd\nef\ngh\n", "abc\n", {"likeness": 0.0}),
        ("b" * 200 + "c" * 300 + "\n", "b" * 200 + "d" * 300 + "\n", {"likeness": 1.0}),
        ("b" * 199 + "c" * 300 + "\n", "b" * 199 + "d" * 300 + "\n", {"likeness": 0.995}),
        ("12" + "b" * 198 + "\n", "3" + "b" * 199 + "\n", {"likeness": 0.99}),
        ("##\n", OTHERS + "##\u00a0#\n", {"likeness": 2 * 2 / 6}),
        ("##\n", OTHERS + "one\n##\u00a0#\n", {"likeness": 0.0}),
        # lines that contain an old one, where two thirds are lost
        (ABC, "abcdefgh = 1 → 2\nbcdefghi = 3\n", {"inside_count": 1}),
        (ABC, "abcdefgh = 1\nbcdefghi = 2 → 3\n", {"inside_count": 1}),
        (ABC, "abcdefgh = 1\nbcdefghi = 2\ncdefghij = 3 → 4\n", {"inside_count": 0}),
        ("a = 1111\n", "a = 1111 → 2\n", {"inside_count": 1}),
        ("a = 111\n", "a = 111 → 2\n", {"inside_count": 0}),
        ("a = 1111\nb\nc\n", "a = 1111 → 2\nb\n", {"inside_count": 0}),
        # lines that occur twice
        ("ab\ncd\n}\n", "ab\nab\ncd\n}\n}\n", {"twice_share": 0.5}),
        ("ab\nab\n", "ab\nab\nab\n", {"twice_share": 0.0}),
        ("ab\nab\n", "ab\n" * 4, {"twice_share": 1.0}),
        ("}\nab\n", "ab\nab\n", {"twice_share": 1.0}),
        ("}\n", "}\n}\n", {"twice_share": 0.0}),
        ("x;\n", "x;\nx;\n", {"twice_share": 0.0}),
        # old lines after a mark or a number
        ("foo\n", "-foo\n", {"marked_count": 1}),
        ("foo\n", "- foo\n+bar\n", {"marked_count": 1}),
        (" foo\n", "- foo\n", {"marked_count": 1}),
        ("foo\n", "-xfoo\n", {"marked_count": 0}),
        ("foo\n", "-  foo\n", {"marked_count": 0}),
        ("foo\nbar\n", " foo\n-bar\n", {"marked_count": 2}),
        ("foo\nbar\n", "  foo\n-bar\n", {"marked_count": 1}),
        ("foo\nbar\n", " foo\n bar\n", {"marked_count": 0}),
        ("foo\nbar\n", " foo\n+new\n", {"marked_count": 1}),
        ("foo\nbar\n", " foo\n>new\n", {"marked_count": 0}),
        ("foo\n", "12 | foo\n", {"marked_count": 1}),
        ("foo\n", "foo\nfoo\n", {"marked_count": 0}),
        ("---\n", "----\n-foo\n", {"marked_count": 0}),
        ("foo\n", "-\n+\n", {"marked_count": 0}),
        ("foo\n", "foo\n---\nbaz\n-\n-foo\n", {"marked_count": 1}),
        # a fence around the text, which the file does not have
        ("foo\n", "```\nfoo\n```\n", {"new_count": 1}),
        ("```\nfoo\n```\n", "```\nbar\n```\n", {"new_count": 3}),
        ("foo\n", "```\n```\n", {"new_count": 2}),
        ("foo\n", "```\n", {"new_count": 1}),
        ("foo\n", "\ufeff\n", {"new_count": 0}),
        ("foo\n", "```\nfoo\nbar\n", {"new_count": 3}),
        ("foo\n", "bar\nfoo\n```\n", {"new_count": 3}),
        # keys of tool calls
        ("foo\n", '{"old_string": "a"}\n', {"has_keys": True}),
        ('x = {"old_string": "a"}\n', '{"old_string": "a"}\n', {"has_keys": False}),
        ("foo\n", 'x = {"old_string": "a"}\n', {"has_keys": False}),
        # a first line that commands an edit
        ("foo\n", "  s/foo/bar/\n", {"command": "s/foo/bar/"}),
        ("foo\n", "s/foo/bar/\nfoo\nx\n", {"command": "s/foo/bar/"}),
        ("s/foo/bar/\n", "s/foo/bar/\nx\n", {"command": ""}),
        ("foo\n", "foo\ns/foo/bar/\n", {"command": ""}),
        ("foo\n", "s/foo/\n", {"command": ""}),
        ("foo\n", f"s/a/{'x' * 394}/\n", {"command": f"s/a/{'x' * 394}/"}),
        ("foo\n", f"s/a/{'x' * 395}/\n", {"command": ""}),
        # lines that stand for omitted code
        ("foo\n", "foo\n  # ... existing code ...\n", {"left_out": (2, "# ... existing code ...")}),
        ("# ... existing code ...\n", "# ... existing code ...\nfoo\n", {"left_out": None}),
    ],
)
def test_measure(old: str, new: str, numbers: dict[str, Any]) -> None:
    result = measure(old, new)
    assert {name: getattr(result, name) for name in numbers} == numbers
    assert find_doubts(old, old) == ()


@pytest.mark.parametrize(
    ("old", "new", "is_signed"),
    [
        ("a\nb\n", "+a\n b\n", True),
        ("a\nb\n", "+a\nb c\n", False),
        ("a\nb\n", " a\n b\n", False),
        ("a\nb\n", " a\n c\n", False),
        ("a\nb\n", "a\nb\n+c\n", True),
        ("a\nb\n", "a\n-b\n", True),
        ("a\nb\n", "a\n-c\n", False),
        ("Title\n", "Title\n-----\n", False),
        ("Title\n", "Title\n--\n", False),
        ("-\n", "--\n", True),
        ("--\n", "---\n", False),
        ("+ a\n", "+ a\n+ b\n", False),
        ("  + a\n", "  + a\n+ b\n", False),
        ("+ a\n", "+ a\n+b\n", True),
        ("- a\n- b\n", "- a\n-- b\n", True),
        ("-x\n-y\n", "-x\n--y\n", True),
        ("-x\n y\n", "-x\n  y\n-z\n", True),
        ("-x\n y\n", "-x\n   y\n-z\n", False),
        ("- a\n", "- b\n", False),
        ("a\n- b\n", "- a\n- b\n", True),
        ("a\n- b\n", "-\n- a\n", True),
        ("- a\n- b\n", "- c\n  a\n", False),
        ("- a\n  b\n", "- a\n  c\n- d\n", False),
    ],
)
def test_signs_of_a_diff(old: str, new: str, is_signed: bool) -> None:
    assert measure(old, new).has_signs == is_signed


@pytest.mark.parametrize(
    ("old", "new", "is_numbered"),
    [
        ("a\nb\n", "1: a\n2: b\n", True),
        ("a\nb\n", "1: a\n1: b\n", False),
        ("a\nb\n", "2: a\n1: b\n", False),
        ("a\nb\n", "1: a\nb\n", False),
        ("a\nb\n", "1\n2\n", False),
        ("a\nb\n", "1\n2:\n", True),
        ("a\nb\n", "1:\n2\n", True),
        ("1: a\n2: b\n", "1: a\n2: c\n", False),
        ("a\n", "7 | a\n", True),
    ],
)
def test_numbers_of_lines(old: str, new: str, is_numbered: bool) -> None:
    assert measure(old, new).has_numbers == is_numbered


def test_a_mark_counts_near_the_ends_and_anywhere_in_a_text_that_loses_most() -> None:
    def found(mark: str, *, is_anywhere: bool = False) -> list[int]:
        rows = [(2 * number, "x") for number in range(10)]
        marked = [[*rows[:at], (2 * at, mark), *rows[at + 1 :]] for at in range(10)]
        marks = [find_mark_row({"old"}, row, is_anywhere=is_anywhere) for row in marked]
        assert all(row is None or row == (2 * at, mark.strip()) for at, row in enumerate(marks))
        return [at for at, row in enumerate(marks) if row is not None]

    assert found("[SEARCH]") == found("  [SEARCH]") == [0, 1, 2, 3, 8, 9]
    assert found("<<<<<<< main") == found("[SEARCH]", is_anywhere=True) == [*range(10)]
    assert found("  <<<<<<< main") == [0, 1, 2, 3, 8, 9]
    assert found("old") == found("a = [SEARCH]") == found("<<<<<<< " + "x" * 392) == []
    assert found("<<<<<<< " + "x" * 391) == [*range(10)]


@pytest.mark.parametrize(("count", "kept", "is_found"), [(4, 1, True), (4, 2, False), (5, 2, True), (5, 3, False)])
def test_most_of_a_file_is_more_than_half(count: int, kept: int, is_found: bool) -> None:
    new = [*FRESH, "[SEARCH]", *FRESH, *LETTERS[:kept]]
    assert (measure(lines(*LETTERS[:count]), lines(*new)).mark is not None) == is_found
