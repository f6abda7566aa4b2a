"""Openers are looked for only where lines begin like one, and the same ones are found."""

from __future__ import annotations

import time

import pytest
from format_samples import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.formats.loading import all_sections
from symops_lark.core.formats.sections import LineStarts, Section, has_opener
from symops_lark.core.patterns.first_characters import find_first_characters

SECTIONS = list(all_sections())
PIECES = [line for sample in SAMPLES for line in sample.text.splitlines(keepends=True)]
AROUND = [
    "\n",
    "  ",
    "\t",
    "   \n",
    "<|im_start|>assistant",
    "<|x|>",
    "\u200b",
    "Text.\n",
    "[",
    "{",
    '{"name": "bash"',
    "- ",
]


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*PIECES, *AROUND]), max_size=12).map("".join)


@given(texts(), st.data())
def test_the_same_openers_are_found(text: str, data: st.DataObject) -> None:
    """Law: from any place on, the opener is that of a search through the whole text."""
    text += "\n"
    lines = LineStarts(text, SECTIONS)
    starts = [0, *[place + 1 for place, sign in enumerate(text) if sign == "\n"]]
    start = data.draw(st.sampled_from(starts))
    for section in SECTIONS:
        opener = section.find_opener(lines, start)
        searched = section.opener_pattern.search(text, start)
        # In a run of blank lines, the place of a call without a mark may be a later one.
        assert visible_place(section, opener, text) == visible_place(section, searched, text)
    found = [section for section in SECTIONS if section.opener_pattern.search(text)]
    assert has_opener(text, SECTIONS) == bool(found)


def visible_place(section: Section, opener: object, text: str) -> int | None:
    """Return where an opener begins, without the blanks before it."""
    if opener is None:
        return None
    start = section.start_of(opener)  # type: ignore[arg-type]
    return start + len(text[start:]) - len(text[start:].lstrip())


def test_blank_lines_before_a_brace_take_time_in_proportion() -> None:
    """Each blank line was a place from which the pattern of calls in JSON read all that follow."""
    times = []
    for count in (20_000, 40_000):
        text = "\n" * count + "text {\n"
        start = time.process_time()
        assert not has_opener(text, SECTIONS)
        times.append(time.process_time() - start)
    assert times[1] < 3 * times[0] + 0.05


@pytest.mark.parametrize(
    ("pattern", "characters"),
    [
        ("abc", "a"),
        ("(?:x|yz)?[ab]", "abxy"),
        ("(?P<name>[a-c]+)", "abc"),
        ("^(?=[<{])", "<{"),
        ("(?!x)a", "a"),
        ("a*", ""),
        ("[^a]b", ""),
        (".b", ""),
        (r"\wb", ""),
        ("(?:|a)b", "ab"),
        ("a{2}", "a"),
        ("[\u0100-\u0fff]", ""),
    ],
)
def test_first_characters(pattern: str, characters: str) -> None:
    assert find_first_characters(pattern) == characters
