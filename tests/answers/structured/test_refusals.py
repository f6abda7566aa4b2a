"""Refusals are told by their wording, in short replies alone; files of users extend the wordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark.answers.structured import RefusalError, extract_json, find_refusal, load_refusals, our_refusals

REFUSING = (
    "I'm sorry, but I can't assist with that.",
    "I cannot help with this request.",
    "Sorry — I won't do that. I will not produce this content.",
    "I’m not able to decide that for you.",
    "As a large language model I don't have opinions on that.",
    "This request was blocked.",
    "申し訳ございませんが、お手伝いできません。",
    "その内容にはお答えできかねます。",
    "規約に違反する可能性があるため、出力できません。",
)
ANSWERING = (
    "",
    "Rule 2 holds: the tests pass.",
    "[STEP:2]",
    "The user cannot log in, so the second condition holds.",
    "ルール2が成立します。テストはすべて通りました。",
    "ログインできないという問題は解決しました。",
    "The parser refuses an empty file; that is rule 1.",
)


@pytest.mark.parametrize("text", REFUSING)
def test_refusal(text: str) -> None:
    words = find_refusal(text)
    assert words and words in text
    assert extract_json(text).refused == words
    assert find_refusal(f"<think>{'long ' * 500}</think>\n{text}") == words


@pytest.mark.parametrize("text", ANSWERING)
def test_no_refusal(text: str) -> None:
    assert find_refusal(text) is None
    assert extract_json(text).refused is None


def test_the_limit_is_600_characters() -> None:
    text = "I cannot help. "
    assert find_refusal(text + "x" * (600 - len(text)))
    assert find_refusal(text + "x" * (601 - len(text))) is None


def test_wordings_of_users(tmp_path: Path) -> None:
    file = tmp_path / "de.yaml"
    file.write_text("longest: 20\npatterns:\n  de:\n    - das geht (?:leider )?nicht\n", encoding="utf-8")
    refusals = our_refusals() + load_refusals(file)
    assert find_refusal("Das geht leider  nicht.", refusals) == "Das geht leider  nicht"
    assert find_refusal("Das geht leider nicht.") is None
    assert refusals.longest == 600 and load_refusals(file).longest == 20


WRONG = [
    ("patterns: [a]", "patterns is a mapping"),
    ("patterns:\n  en: x", "a list of patterns is expected"),
    ("patterns:\n  en: ['(']", "not a pattern of RE2's"),
    ("patterns:\n  en: [1]", "a pattern is a text"),
    ("patterns:\n  en: []\nlongest: 0", "longest is a whole number"),
    ("longest: 3", "patterns"),
    ("pattern:\n  en: []", "pattern"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_file(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RefusalError) as caught:
        load_refusals(file)
    assert str(caught.value).startswith(f"{file}:") and message in str(caught.value)
