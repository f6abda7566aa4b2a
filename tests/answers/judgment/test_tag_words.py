"""The words around tags: the examples of each row, and files that are wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from symops_lark import SymOpsError
from symops_lark.answers.judgment import tag_words
from symops_lark.answers.judgment.tag_words import load_rows, matches_group

ROWS = [(group, row) for group, rows in load_rows().items() for row in rows]


@pytest.mark.parametrize(("group", "row"), ROWS, ids=[f"{group}-{row.pattern[:30]}" for group, row in ROWS])
def test_the_examples_of_a_row_hold(group: str, row: tag_words.Row) -> None:
    assert row.yes and row.no
    for text in row.yes:
        assert matches_group(group, text), text
    for text in row.no:
        assert not matches_group(group, text), text


def test_each_group_is_used_and_each_used_group_exists() -> None:
    source = Path(tag_words.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'matches_group\("(\w+)"', source)) == set(load_rows())


@pytest.mark.parametrize("row", [row for _, row in ROWS])
def test_quotes_and_blanks_of_any_form_match(row: tag_words.Row) -> None:
    group = next(group for group, other in ROWS if other is row)
    for text in row.yes:
        assert matches_group(group, text.replace("'", "’").replace(" ", "\t ")), text


def test_the_examples_hold_without_re2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    tag_words._compile_group.cache_clear()
    try:
        for group, row in ROWS:
            assert all(matches_group(group, text) for text in row.yes), row.yes
            assert not any(matches_group(group, text) for text in row.no), row.no
    finally:
        tag_words._compile_group.cache_clear()


WRONG = [
    ("denying: not", "expected a list of rows"),
    ("denying: [not]", "keys with values are expected"),
    ("denying: [{find: a, 'yes': [a]}]", "the key 'no' is missing"),
    ("denying: [{find: '(', 'yes': [a], 'no': [b]}]", "expected an RE2 pattern"),
    ("denying: [{words: [a], 'yes': [a], 'no': [b], stance: x}]", "no key is called 'stance'"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_file_is_reported_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "words.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SymOpsError, match=re.escape(message)) as error:
        load_rows(file)
    assert str(error.value).startswith(f"{file}:1:")
