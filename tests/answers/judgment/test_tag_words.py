"""The words around tags: the examples of each row, and files that are wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from symops_lark.answers.judgment import tag_words
from symops_lark.answers.judgment.tag_words import matches_group
from symops_lark.core.discourse import tables
from symops_lark.core.discourse.checking import TableError

SOURCE = Path(tag_words.__file__)
OWN = yaml.safe_load(SOURCE.with_name("tag_words.yaml").read_text(encoding="utf-8"))
SHARED = yaml.safe_load(Path(tables.__file__).with_name("stances.yaml").read_text(encoding="utf-8"))
USED = sorted(set(re.findall(r'"(\w+)"', SOURCE.read_text(encoding="utf-8"))) & {*OWN, *SHARED})
ROWS = [(group, row) for group in USED for row in {**SHARED, **OWN}[group]]


@pytest.mark.parametrize(("group", "row"), ROWS, ids=[f"{group}-{row['yes'][0][:30]}" for group, row in ROWS])
def test_the_examples_of_a_row_hold(group: str, row: dict[str, Any]) -> None:
    for text in row["yes"]:
        assert matches_group(group, text), text
        assert matches_group(group, text.replace("'", "’").replace(" ", "\t ")), text
    for text in row.get("no", ()):
        assert not matches_group(group, text), text


def test_each_group_is_used() -> None:
    assert {*OWN} - {"lists"} <= {*USED}
    assert len(USED) > len(OWN)  # the groups of the discourse as well


@pytest.mark.slow
def test_the_examples_hold_without_re2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    tag_words._own_groups.cache_clear()
    try:
        for group in {*OWN} - {"lists"}:
            for row in OWN[group]:
                assert all(matches_group(group, text) for text in row["yes"]), row["yes"]
                assert not any(matches_group(group, text) for text in row["no"]), row["no"]
    finally:
        tag_words._own_groups.cache_clear()


def test_an_announcement_is_short() -> None:
    assert matches_group("announcing_words", "so the answer is " * 4)
    assert not matches_group("announcing_words", "so the answer is " * 5)


WRONG = [
    ("denying: not", "denying: expected a list of rows"),
    ("denying: [not]", "keys with values are expected"),
    ("denying: [{find: a, 'yes': []}]", "a row needs at least one sentence"),
    ("denying: [{find: '(', 'yes': [a]}]", "RE2 refuses the pattern"),
    ("denying: [{find: a, 'yes': [a], stance: x}]", "no key is called 'stance'"),
    ("deny: [{find: a, 'yes': [a]}]", "did you mean 'denying'"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_file_is_reported_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "words.yaml"
    file.write_text(f"lists: {{}}\n{text}", encoding="utf-8")
    with pytest.raises(TableError, match=re.escape(message)) as error:
        tables.load_groups(file, ("denying",))
    assert str(error.value).startswith(f"{file}:")
