"""The tool that measures plain English: each measure counts what it should, and the repository keeps its limits."""

from __future__ import annotations

from pathlib import Path

import prose
import pytest

MODULE = '''"""Return the text that stands below."""


def found_in(text: str, start: int, end: int) -> list[str]:
    """Return the rows of a text."""
    if start > end:
        raise ValueError("the start must be before the end, so nothing is told here")
    found = [row for row in text.split() if row]  # what stands behind it
    return found
'''
PLAIN = '''"""Split a text."""


def split_text(text: str, start: int, end: int) -> list[str]:
    """Return the words of a part of a text.

    Args:
        text: The whole text.
        start: Offset of the first character.
        end: Offset after the last character.

    Raises:
        ValueError: `end` is before `start`.
    """
    if start > end:
        raise ValueError("expected start <= end")
    part = text[start:end]
    # `split` drops the empty strings.
    words = part.split()
    words.sort()
    return words
'''
# One row for each line of `prose_words.yaml`: a text that it matches.
HABITS = (
    "the text stands below",
    "it stood there",
    "a message tells why",
    "as is said in the manual",
    "the line behind it",
    "what is told",
    "what becomes of it",
    "whoever calls it",
    "a name of its own",
    "the tools of others",
    "after so many lines",
    "as many as before",
    "the line at hand",
    "a note is none",
    "a line that is no action",
    "this is no action",
    "they are no actions",
    "Of a text only the end is read",
    "Written is the document",
    "the text goes on",
    "the function gives back a list",
    "it comes to an end",
    "the rule puts it right",
    "it makes nothing of the reply",
    "take note of the line",
    "the fault lies in the reply",
    "there is more to be had",
    "the mark is misspelt",
    "it draws whole tasks",
    "that is not to say",
    "the table is made anew",
    "it works all the same",
    "the end thereof",
    "the line as it stands",
    "all lines save for the last",
    "a reply hardly ever has it",
    "it happens by itself",
    "the text is more whole",
    "it is now so",
    "a dearer reading",
    "no news is good",
)


def measured(folder: Path, text: str) -> prose.Page:
    path = folder / "module.py"
    path.write_text(text, encoding="utf-8")
    return prose.measure(path)


def test_each_measure_counts(tmp_path: Path) -> None:
    page = measured(tmp_path, MODULE)
    assert [hit.text for hit in page.habits] == ["stands", "told", "stands", "behind"]
    assert [hit.line for hit in page.habits] == [1, 7, 8, 8]
    assert [hit.text for hit in page.odd_names] == ["found"]
    assert [hit.better for hit in page.undocumented] == [
        "list text, start, end under `Args:`",
        "list ValueError under `Raises:`",
    ]
    assert (page.comments, page.inline_forms, page.long_lines, page.code_lines) == (1, 1, 0, 5)


def test_plain_text_has_no_hits(tmp_path: Path) -> None:
    page = measured(tmp_path, PLAIN)
    assert page.habits == page.odd_names == page.undocumented == ()
    assert page.code_lines == 7


@pytest.mark.parametrize("number", range(len(HABITS)))
def test_each_habit_is_noticed(number: int) -> None:
    assert len(HABITS) == len(prose.HABITS)
    pattern, _ = prose.HABITS[number]
    assert pattern.search(HABITS[number])


@pytest.mark.parametrize(
    "text", ["`what stands there`", "there is no such line", "it stands for a line", "a server behind a proxy"]
)
def test_correct_english_is_not_flagged(text: str) -> None:
    assert list(prose.habits_in(text, 1)) == []


def test_code_of_a_document_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("A line that stands.\n\n```sh\nwhat stands here\n```\n\n[a](stands.md)\n", encoding="utf-8")
    assert [(hit.line, hit.text) for hit in prose.measure(path).habits] == [(1, "stands")]


@pytest.mark.parametrize(
    ("spoilt", "problem"),
    [
        ("found = 1\n" * 30, "odd names"),
        ("# " + "x" * 120 + "\n", "lines over 100 columns"),
        ("value = 1\n" * 200, "comments"),
        ("value = [a for a in b for c in d if e if f(g, h, i)]\n" * 20, "syntax nodes"),
        ("value = lambda: 1\n" * 20, "inline forms"),
        ('"""It stands behind."""\n', "listed words"),
        ("def act(a, b, c):\n    '''Act.'''\n", "public functions"),
    ],
)
def test_each_limit_is_noticed(tmp_path: Path, spoilt: str, problem: str) -> None:
    assert list(prose.broken_limits([measured(tmp_path, PLAIN)])) == []
    assert problem in "\n".join(prose.broken_limits([measured(tmp_path, spoilt)]))


@pytest.mark.slow
def test_the_repository_keeps_its_limits() -> None:
    assert list(prose.check_repository(prose.ROOT, prose.read_not_yet())) == []


def test_the_list_of_exceptions_only_shrinks(tmp_path: Path) -> None:
    folder = tmp_path / "symops_lark" / "room"
    folder.mkdir(parents=True)
    measured(folder, PLAIN)
    assert list(prose.check_repository(tmp_path, [])) == []
    assert "remove the line" in "".join(prose.check_repository(tmp_path, ["symops_lark/room"]))
    assert "does not exist" in "".join(prose.check_repository(tmp_path, ["symops_lark/other"]))
    measured(folder, MODULE)
    assert list(prose.check_repository(tmp_path, ["symops_lark/room"])) == []
    assert list(prose.check_repository(tmp_path, ["symops_lark/room/module.py"])) == []
    assert "listed words" in "".join(prose.check_repository(tmp_path, []))


def test_names_of_tests_are_limited_too(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    path = folder / "test_module.py"
    path.write_text("found = 1\nresult = 2\n")
    assert list(prose.check_repository(tmp_path, [])) == [], "one name is no habit"
    path.write_text("found = 1\ntold = 2\nresult = 3\n")
    of_folder, of_file = prose.check_repository(tmp_path, [])
    assert of_folder.startswith("tests: odd names") and of_file.startswith("tests/test_module.py: odd names")


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("Fix the lost action after attribute lines\n\nBecause the head ends there.\n", ""),
        ("recovery: fix the lost action\n\nBecause the head ends there.\n", ""),
        ("Fix the lost action.\n\nWhy.\n", "full stop"),
        ("Threads lose nothing at the end\n\nWhy.\n", "imperative"),
        ("Fix " + "x" * 80 + "\n\nWhy.\n", "84 characters"),
        ("Fix the lost action\n", "body is empty"),
        ("Fix the lost action\n\nIt stands there.\n", "stands"),
    ],
)
def test_messages_of_commits_are_checked(message: str, problem: str) -> None:
    problems = "\n".join(prose.check_message(message))
    assert problem in problems
    assert bool(problem) == bool(problems)
