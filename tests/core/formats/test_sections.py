"""The parts of a section, and the marks that its openers have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from format_samples import SECTIONS, Sample

from symops_lark import read_format
from symops_lark.core.formats.loading import load_format
from symops_lark.core.formats.sections import Item, LineStarts, Part, has_opener

Own = Callable[[str], Path]


def codes(text: str, format: Path) -> set[str]:
    return {finding.code for finding in read_format(text, format).diagnostics}


def test_an_item_has_its_first_terminal_of_a_name() -> None:
    (section,) = load_format("heredoc").sections
    item = Item(section, 0, 9, [Part("PATH", 0, 3), Part("CONTENT", 4, 6), Part("PATH", 7, 9)])
    assert (item.is_opened, item.is_truncated, item.doubts) == (False, False, [])
    assert item.find("PATH") == Part("PATH", 0, 3)
    assert item.find("END") is None
    assert item.text_of("CONTENT", "abc de fg") == "de"
    assert item.text_of("END", "abc de fg") is None


def test_a_mark_of_eight_characters_is_no_text_by_chance(own: Own) -> None:
    format = own(
        'document: delete*\ndelete: "remove: " PATH _NL | "delete:" PATH _NL | "%discard" PATH _NL\n'
        "PATH: /[a-z.]+/\n_NL: /\\n/\n"
    )
    (section,) = load_format(format).sections
    assert section.opener_texts == ("remove: ", "delete:", "%discard")
    assert section.long_openers == ("remove: ", "%discard")
    assert section.mark_characters == "%r"
    lines = LineStarts("remove: 1\n\n\n  %discard\n", [section])
    assert lines.find("%r") == [0, 12] and lines.find("x") == []
    for line, is_lost in (("remove: 1", True), ("%discard", True), ("delete:", False)):
        assert ("broken-section" in codes(f"Well.\n{line}\n", format)) == is_lost


@pytest.mark.parametrize("sample", SECTIONS, ids=lambda sample: sample.format)
def test_an_opener_begins_a_text_and_may_be_in_it(sample: Sample) -> None:
    sections = load_format(sample.format).sections
    lines = LineStarts(sample.text, sections)
    found = [section for section in sections if section.find_opener(lines, 0) is not None]
    assert found and has_opener(sample.text, sections)
    for section in sections:
        opener = section.find_opener(lines, 0)
        assert section.begins(sample.text) == (opener is not None and opener.start() == 0)
        assert section.is_possible_in(sample.text) or opener is None
        assert not section.is_possible_in("x = 1\n") and not section.begins("x = 1\n")


def test_an_opener_may_need_no_text(own: Own) -> None:
    format = own("document: delete*\ndelete: _SIGN PATH\nPATH: /[a-z.]+/\n_SIGN: /[!-.]+/\n")
    (section,) = load_format(format).sections
    assert section.needed_texts == ()
    assert section.is_possible_in("x") and section.begins("+a.py\n") and not section.begins("a.py\n")
    assert [action.path for action in read_format("Well\n+a.py\n-b.py\n", format).actions] == ["a.py", "b.py"]
