"""Traces such as `Thought:` and `Action:`: the step after a result is not a term of a list."""

from __future__ import annotations

import pytest
from passages import ACT, codes_of

INVENTED = ["", "invented-turn"]


@pytest.mark.parametrize(
    "word", ["Thought", "Thoughts", "Action", "Answer", "Observation", "Assistant"]
)
def test_the_next_step_of_a_trace_is_no_term_of_a_list(word: str) -> None:
    for label in ("Observation", "Tool", "System"):
        assert codes_of(f"{ACT}\n{label}: a.py\n{word}: more\n{ACT}\n") == INVENTED


def test_a_list_of_terms_may_have_a_label_and_end_at_an_utterance() -> None:
    assert codes_of(f"{ACT}\n\nUser: a name\nTeam: a list\nTool: a file\n\n{ACT}\n") == ["", ""]
    assert codes_of(f"{ACT}\n\nUser: a name\nTeam: as in {ACT}\n") == ["", ""]
    assert codes_of(f"{ACT}\n\nUser: as in {ACT}\n") == INVENTED


def test_the_terms_that_a_tool_wrote_are_before_the_next_step() -> None:
    for terms in ("Errors: 0", "Name: a.py\nSize: 3", "名前：一"):
        assert codes_of(f"{ACT}\nObservation: ok\n{terms}\nThought: more\n{ACT}\n") == INVENTED
        assert codes_of(f"{ACT}\nObservation: ok\n{terms}\n{ACT}\n") == ["", ""]


@pytest.mark.parametrize("label", ["User", "Human", "Observation"])
def test_a_thought_follows_every_label(label: str) -> None:
    assert codes_of(f"{ACT}\n{label}: the tests, please\nThought: I run them.\n{ACT}\n") == INVENTED


@pytest.mark.parametrize("colon", [":", "："])
@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("観察", "思考"),
        ("観察結果", "考え"),
        ("ツール結果", "行動"),
        ("観察", "アクション"),
        ("观察", "行动"),
    ],
)
def test_the_next_step_of_a_trace_has_other_words_in_japanese_and_chinese(
    label: str, word: str, colon: str
) -> None:
    assert codes_of(f"{ACT}\n{label}{colon}a.py\n{word}{colon}次\n{ACT}\n") == INVENTED
