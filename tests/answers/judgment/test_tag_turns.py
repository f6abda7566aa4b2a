"""Tags in the turns and channels of `core.discourse`: one list of tokens and labels for all readers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import SymOpsError
from symops_lark.answers.judgment import find_tag
from symops_lark.core.discourse.passages import Speaker
from symops_lark.core.discourse.tables import END, OPEN, TURN, our_tables
from symops_lark.core.text.yaml_file import YamlFile

TABLES = our_tables()
OTHERS = [token for token, (kind, value) in TABLES.tokens.items() if kind == TURN and value != Speaker.ASSISTANT]
OWN = [token for token, (kind, value) in TABLES.tokens.items() if kind == TURN and value == Speaker.ASSISTANT]
ENDS = [token for token, (kind, _) in TABLES.tokens.items() if kind == END]
PAIRS = [(token, closing) for token, (kind, closing) in TABLES.tokens.items() if kind == OPEN]
USERS = [label for label, speaker in TABLES.labels.items() if speaker == Speaker.USER]
FOLDER = Path(__file__).parent
CASES = YamlFile(FOLDER / "tag_cases.yaml", "file of cases", SymOpsError).data
TAILS = YamlFile(FOLDER / "tag_tails.yaml", "file of cases", SymOpsError).data


def read(text: str) -> int | None:
    """Return the number (from 1) of the rule that a reply answers with."""
    index = find_tag(text, ["REVIEW"], 3)
    return None if index is None else index + 1


# ---- tokens


@pytest.mark.parametrize("token", OTHERS)
def test_a_tag_in_the_turn_of_another_speaker_does_not_count(token: str) -> None:
    assert read(f"{token}\n[REVIEW:2]") is None
    assert read(f"{token}[REVIEW:2]") is None
    assert read(f"[REVIEW:1]\n{token}\n[REVIEW:2]") is None
    assert read(f"The tests fail. [REVIEW:1]{token}\nno") is None
    # What the other speaker says before the reply is an echo.
    assert read(f"{token}\n[REVIEW:1]?\n<|im_start|>assistant\n[REVIEW:2]") == 2


@pytest.mark.parametrize("token", OWN)
def test_the_first_turn_of_the_assistant_is_the_reply(token: str) -> None:
    assert read(f"{token}\n[REVIEW:2]") == 2
    assert read(f"<|im_start|>user\nWhich?<|im_end|>\n{token}\n[REVIEW:2]<|im_end|>") == 2
    assert read(f"[REVIEW:1]\n{token}\n[REVIEW:2]") is None


@pytest.mark.parametrize("token", ENDS)
def test_a_tag_behind_the_end_does_not_count(token: str) -> None:
    assert read(f"[REVIEW:2]{token}") == 2
    assert read(f"The tests fail.\n\n[REVIEW:2]\n{token}\n") == 2
    assert read(f"[REVIEW:1]{token}[REVIEW:2]") is None
    assert read(f"[REVIEW:1]\n{token}\nmore\n[REVIEW:2]") is None
    assert read(f"The tests fail.{token}\n[REVIEW:2]") is None


def test_a_token_that_is_only_mentioned_ends_nothing() -> None:
    assert read("The prompt ends with `<|im_end|>`, and the template is wrong.\n\n[REVIEW:2]") == 2
    assert read("```\n<|im_start|>user\n```\n\n[REVIEW:2]") == 2


def test_a_token_of_an_unknown_template_is_decoration() -> None:
    assert read("<|reserved_special|>[REVIEW:2]<|pad|>") == 2
    assert read("<s>[REVIEW:2]") == 2
    assert read("<|header_start|>reviewer<|header_end|>\n[REVIEW:2]") == 2


# ---- thinking


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_a_tag_in_thinking_does_not_count(opening: str, closing: str) -> None:
    opening = opening.replace("here", "Here")
    closing = closing.replace("here", "Here")
    assert read(f"{opening}\n[REVIEW:1]\n{closing}\n[REVIEW:2]") == 2
    assert read(f"{opening}[REVIEW:1]{closing}[REVIEW:2] - two tests fail") == 2
    assert read(f"{opening}\n[REVIEW:1]\n{closing}\n") is None
    assert read(f"{opening}\n[REVIEW:1]") is None
    assert read(f"[REVIEW:1]\n{closing}\nI cannot tell.") is None
    assert read(f"[REVIEW:2]\n{opening}\nwait, that is wrong\n{closing}") == 2


def test_sections_of_thinking_in_words() -> None:
    assert read("<inner_monologue>\n[REVIEW:1]\n</inner_monologue>\n[REVIEW:2]") == 2
    assert read("<inner_monologue>\n[REVIEW:1]\n</inner_monologue>") is None
    assert read("## Scratchpad\n\n[REVIEW:1]\n\n## Answer\n\n[REVIEW:2]") == 2
    assert read("[REVIEW:2]\n<think>\n[REVIEW:1]") is None


# ---- labels


@pytest.mark.parametrize("label", [*TABLES.labels, *TABLES.later_labels])
def test_a_label_behind_a_tag_takes_it_away(label: str) -> None:
    for line in (f"{label}: more", f"**{label.title()}:** more", f"{label}："):
        assert read(f"[REVIEW:2]\n{line}") is None
        assert read(f"[REVIEW:2]\n\nThe tests fail.\n{line}") is None
        assert read(f"[REVIEW:1]\n\n{line}\n\n[REVIEW:2]") is None


@pytest.mark.parametrize("label", USERS)
def test_what_the_user_says_is_no_answer(label: str) -> None:
    assert read(f"{label}: [REVIEW:2]") is None
    assert read(f"{label}: no\n\n[REVIEW:2]") is None
    assert read(f"{label}: which?\nAssistant: [REVIEW:2]") == 2


@pytest.mark.parametrize("label", ["Observation", "Tool", "stdout"])
def test_a_tool_s_tag_is_only_named(label: str) -> None:
    assert read(f"{label}: [REVIEW:2]") is None
    assert read(f"{label}: two tests fail\n\n[REVIEW:2]") == 2


# ---- laws

PROSE = st.sampled_from([*TAILS["taken_back"], *TAILS["harmless"]])
NO_ANSWERS = [case["twin"] for case in CASES["twins"]]
NO_ANSWERS += [case["text"] for case in [*CASES["replies"], *TAILS["forms"]] if case["rule"] is None]
ANSWERS = [(case["text"], case["rule"]) for case in CASES["twins"] if case["rule"] is not None]


@given(st.sampled_from(ANSWERS), st.lists(PROSE, max_size=3), st.lists(PROSE, max_size=3))
def test_prose_only_takes_a_verdict_away(case: tuple[str, int], before: list[str], after: list[str]) -> None:
    text, rule = case
    assert read("\n\n".join([*before, text, *after])) in (rule, None)


@given(st.sampled_from(NO_ANSWERS), st.lists(PROSE, max_size=3), st.lists(PROSE, max_size=3))
def test_prose_never_gives_a_verdict(text: str, before: list[str], after: list[str]) -> None:
    assert read("\n\n".join([*before, text, *after])) is None


@given(st.sampled_from(ANSWERS), PROSE, PROSE)
def test_a_verdict_that_was_taken_back_stays_away(case: tuple[str, int], tail: str, more: str) -> None:
    text, _ = case
    if read(f"{text}\n\n{tail}") is None:
        assert read(f"{text}\n\n{tail}\n\n{more}") is None
