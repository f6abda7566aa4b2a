"""The sentence that says why an utterance does not count, with the words that are the reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from passages import ACT, utterances_of
from symops_lark.core.discourse.findings import describe
from symops_lark.core.discourse.passages import Channel, Speaker, Stance
from symops_lark.core.discourse.reading import read_discourse


def reason_of(text: str) -> str:
    """Return why the last utterance of a reply does not count."""
    return describe(utterances_of(text)[-1], text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            f"{ACT}\n\nUser: more\n\n{ACT}",
            "this is after a turn of the user or of a tool that the reply itself wrote ('User:')",
        ),
        (
            f"{ACT}\n\n[user] more\n\n{ACT}",
            "this is after a turn of the user or of a tool that the reply itself wrote ('[user]')",
        ),
        (
            f"<|im_start|>user\n{ACT}",
            "this is where another speaker than the assistant speaks ('<|im_start|>user')",
        ),
        (f"{ACT}</s>more {ACT}", "this is after the token that ends the reply ('</s>')"),
        (f"<think>{ACT}</think>", "this is in a section of thinking ('<think>')"),
        (
            f"For example:\n\n{ACT}",
            "the words around this do not ask for it now: it is introduced as an example "
            "('For example:')",
        ),
    ],
)
def test_a_reason_quotes_what_it_is_drawn_from(text: str, reason: str) -> None:
    assert reason_of(text).replace('"', "'") == reason


def test_each_stance_has_its_own_words() -> None:
    text = f"For example:\n\n{ACT}"
    passage = utterances_of(text)[0]
    doubting = [stance for stance in Stance if stance is not Stance.ASSERTED]
    reasons = {describe(replace(passage, stance=stance), text) for stance in doubting}
    assert len(reasons) == len(doubting)


def test_a_long_reason_is_quoted_in_part() -> None:
    lead = f"For example, {'x' * 46}:"
    assert len(lead) == 60
    assert lead in reason_of(f"{lead}\n\n{ACT}")
    long_lead = lead.replace(":", "x:")
    reason = reason_of(f"{long_lead}\n\n{ACT}")
    assert long_lead not in reason and long_lead[:60] in reason


def test_a_passage_has_members_for_words() -> None:
    (passage,) = read_discourse("text", [])
    fields: dict[str, Any] = {"speaker": "user", "channel": "thinking", "stance": "denied"}
    passage = replace(passage, **fields)
    members = (passage.speaker, passage.channel, passage.stance)
    assert members == (Speaker.USER, Channel.THINKING, Stance.DENIED)
    assert [type(member) for member in members] == [Speaker, Channel, Stance]
    with pytest.raises(ValueError, match=r"Passage\.speaker is one of assistant, user"):
        replace(passage, **{**fields, "speaker": "nobody"})
