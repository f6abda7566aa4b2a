"""The widths of characters in drawn messages, and the code points where a property changes."""

from __future__ import annotations

from sys import maxunicode

import pytest

from symops_lark.exports.portable.characters import find_edges, is_narrow, is_wide


def test_widths_of_characters() -> None:
    # Unicode calls the voiced sound mark wide, but it is drawn over the character before it.
    table = {"a": "", "é": "", "あ": "wide", "Ａ": "wide", "🙂": "wide", "\u0301": "narrow", "\u3099": "narrow"}
    for character, width in table.items():
        assert (is_wide(character), is_narrow(character)) == (width == "wide", width == "narrow"), character


@pytest.mark.slow
def test_edges_are_where_a_range_begins_and_after_its_end() -> None:
    assert find_edges(lambda character: character in "abcx\0") == [0, 1, 97, 100, 120, 121]
    assert find_edges(lambda character: ord(character) == maxunicode) == [maxunicode]
