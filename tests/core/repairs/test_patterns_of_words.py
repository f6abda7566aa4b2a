"""Rules that change a group of their pattern have one; a group that takes no part in a match changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark import RuleError, repair

RULE = """id: mine
phase: symbols
why: a test
summary: a test
cost: 1
lines: [head]
{verb}
examples:
- before: "::Create @a.py\\n"
  after: "::create @a.py\\n"
unchanged: ["::run @Make all\\n"]
"""


def write(folder: Path, verb: str) -> Path:
    (folder / "mine.yaml").write_text(RULE.format(verb=verb), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "verb", ["lowercase: {pattern: ''}", "lowercase: {pattern: a}", "translate_words: {pattern: '', words: {a: b}}"]
)
def test_a_pattern_without_a_group_is_told(verb: str, tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"has no group: put \( \) around what it changes"):
        repair("::Create @a.py\n", rules=[write(tmp_path, verb)])


def test_a_group_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="no group called 'x'"):
        repair("::Create @a.py\n", rules=[write(tmp_path, r"replace: {pattern: 'a', with: '\g<x>'}")])


@pytest.mark.parametrize("value", [r"\\", r"\\x4", r"\\q", r"a\\u12", r"\\0", r"\\g<", r"\\g", "\\\\\\\\\\\\"])
def test_an_escape_that_is_none_is_told(value: str, tmp_path: Path) -> None:
    """Python's error about the escape came when the first line matched."""
    with pytest.raises(RuleError, match="the replacement has the escape"):
        repair("::Create @a.py\n", rules=[write(tmp_path, f'replace: {{pattern: "C", with: "{value}"}}')])


def test_a_backslash_a_tab_and_groups_are_no_odd_escapes(tmp_path: Path) -> None:
    replacement = r"create \\\\ \t\1\g<1>\g<x>"
    rule = write(tmp_path, f"replace: {{pattern: '(?P<x>C)reate', with: '{replacement}'}}")
    assert repair("::create @a.py\n", rules=[rule]).text == "::create @a.py\n"


def test_a_group_without_a_part_in_the_match_changes_nothing(tmp_path: Path) -> None:
    repair("::Create @a.py\n", rules=[write(tmp_path, "lowercase: {pattern: '(zzz)?'}")])
