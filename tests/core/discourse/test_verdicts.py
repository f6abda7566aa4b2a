"""Replies that give a verdict: what counts as another turn, and as the end."""

from __future__ import annotations

import pytest
from passages import ACT, spans_of
from symops_lark.core.discourse.reading import read_discourse
from symops_lark.core.discourse.tables import our_tables


def codes_of(text: str, *, verdicts: bool = True) -> list[str]:
    """Return the codes of the utterances, and that of the last passage."""
    spans = spans_of(text)
    passages = read_discourse(text, spans, announced=False, verdicts=verdicts)
    codes = [passage.code for passage in passages if passage.span in spans]
    return [*codes, passages[-1].code]


@pytest.mark.parametrize("colon", [":", "："])
def test_labels_count_on_each_line_and_after_the_last_verdict(colon: str) -> None:
    text = f"{ACT}\nIt is small.\nUser{colon} no\n"
    assert codes_of(text) == ["", "invented-turn"]
    assert codes_of(text, verdicts=False) == ["", ""]
    text = f"{ACT}\nIt is small.\n**User{colon}** no\n{ACT}"
    assert codes_of(text) == ["", "invented-turn", "invented-turn"]


def test_labels_may_be_indented() -> None:
    text = f"{ACT}\n  User: no\n"
    passages = read_discourse(text, spans_of(text), announced=False, verdicts=True)
    assert text[passages[-1].why.start : passages[-1].why.end] == "User:"
    assert codes_of(f"{ACT}\n\n  User: no\n\n{ACT}", verdicts=False) == ["", "", ""]


def test_a_label_of_the_user_needs_no_reply() -> None:
    assert codes_of(f"User: small?\n\n{ACT}") == ["other-speaker", "other-speaker"]
    assert codes_of(f"User: small?\n\n{ACT}", verdicts=False) == ["", ""]
    assert codes_of(f"User: small?\nIt is.\nAssistant: {ACT}") == ["", ""]
    # The words for tools are ordinary words of a report.
    assert codes_of(f"System: Linux\nObservation: small\n{ACT}") == ["", ""]


@pytest.mark.parametrize("label", our_tables().later_labels)
def test_later_labels_count_after_a_verdict(label: str) -> None:
    for line in (f"{label.title()}: more", f"### {label}", f"**{label}**"):
        assert codes_of(f"{ACT}\n{line}\n") == ["", "invented-turn"], line
        codes = codes_of(f"{ACT}\n\n{line}\n\nThat was all.\n\n{ACT}", verdicts=False)
        assert codes == ["", "", ""], line
    assert codes_of(f"{label}: more\n{ACT}\n") == ["", ""]


def test_a_token_ends_a_reply_at_once_and_after_any_text() -> None:
    assert codes_of(f"{ACT}</s>{ACT}") == ["", "behind-the-end", "behind-the-end"]
    assert codes_of(f"{ACT}</s>{ACT}", verdicts=False) == ["", "", ""]
    assert codes_of(f"It is small.</s>\n{ACT}")[0] == "behind-the-end"
    assert codes_of(f"It is small.</s>\n{ACT}", verdicts=False) == ["", ""]
    # Nothing was said before it, or it ends the prompt, or what was said was thinking.
    assert codes_of(f"\n</s>\n{ACT}") == ["", ""]
    assert codes_of(f"<|im_end|></s>{ACT}") == ["", ""]
    assert codes_of(f"Small?<|im_end|><|im_start|>assistant\n{ACT}") == ["", ""]
    assert codes_of(f"<|im_start|>user\nSmall?<|im_end|>\n<|im_start|>assistant\n{ACT}") == ["", ""]
    assert codes_of(f"Small?<|im_end|></think>{ACT}") == ["", ""]


def test_a_second_message_is_invented() -> None:
    text = f"{ACT}<|end|><|start|>assistant<|message|>{ACT}"
    assert codes_of(text) == ["", "invented-turn", "invented-turn"]
    assert codes_of(f"{ACT}\n<|im_start|>assistant\n") == ["", "invented-turn"]


def test_the_end_of_a_message_is_that_of_the_reply() -> None:
    assert codes_of(f"{ACT}<|end|>{ACT}") == ["", "behind-the-end", "behind-the-end"]
    assert codes_of(f"{ACT}<|end|>{ACT}", verdicts=False) == ["", "", ""]
    text = (
        "<|channel|>analysis<|message|>Small.<|end|><|start|>assistant<|channel|>final<|message|>"
    )
    assert codes_of(f"{text}{ACT}") == ["", ""]
