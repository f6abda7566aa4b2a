"""Turns and channels: the six rules, each with twins that must count."""

from __future__ import annotations

import pytest
from passages import ACT, codes_of, utterances_of
from symops_lark import Source
from symops_lark.core.discourse.passages import Channel, Speaker
from symops_lark.core.discourse.reading import read_discourse
from symops_lark.core.discourse.tables import our_tables

INVENTED = ["", "invented-turn"]


@pytest.mark.parametrize(
    ("between", "speaker"),
    [
        ("<|im_start|>user\nnow this", Speaker.USER),
        ("<|IM_START|>User\nnow this", Speaker.USER),
        ("<|eot_id|><|start_header_id|>ipython<|end_header_id|>\nok", Speaker.TOOL),
        ("[INST] more", Speaker.USER),
        ("<｜User｜>more", Speaker.USER),
        ("user<|role_sep|>more", Speaker.USER),
        ("User: now this", Speaker.USER),
        ("**Human:** now this", Speaker.USER),
        ("USER 2: now this", Speaker.USER),
        ("### Observation", Speaker.TOOL),
        ("[user]\nmore", Speaker.USER),
        ("<tool_result>\nok", Speaker.TOOL),
        ("user> more", Speaker.USER),
        ("ユーザー：続けて", Speaker.USER),
        ("工具结果：完成", Speaker.TOOL),
    ],
)
def test_another_speaker_after_an_utterance_is_invented(between: str, speaker: Speaker) -> None:
    first, second = utterances_of(f"{ACT}\n\n{between}\n\n{ACT}\n")
    assert (first.code, second.code) == ("", "invented-turn")
    assert second.speaker == speaker
    assert second.turn == first.turn + 1
    assert second.certain is ("<|" in between.lower() or between.startswith(("[INST", "<｜")))


@pytest.mark.parametrize(
    "between",
    [
        "The User: field is new.",  # not at the beginning of the line
        "- User: a table with names",  # an item of a list
        "  User: indented",
        "> User: quoted",
        "These are the parts.\nUser: the model",  # does not begin a paragraph
        "```\nUser: hello\nAssistant: hi\n```",  # a log in a block
        "```\n<|im_start|>user\n```",
        "`<|im_start|>user` begins a turn in ChatML.",
        'The text "<|im_start|>user" begins one.',
        "It prints `x <|im_end|>` now.",
        "<|im_start|>somebody",
        "Username: root",
        "Users: 3",
        "#### Users",
        "[users]",
    ],
)
def test_words_that_are_not_marks(between: str) -> None:
    assert codes_of(f"{ACT}\n\n{between}\n\n{ACT}\n") == ["", ""]


def test_a_label_without_an_utterance_after_it_is_text() -> None:
    passages = read_discourse("User: thanks\n\nUser: bye\n", [])
    assert {passage.speaker for passage in passages} == {Speaker.ASSISTANT}
    text = f"{ACT}\n\nUser: can log in now\n"
    spans = [Source(text).span(0, len(ACT))]
    assert {passage.speaker for passage in read_discourse(text, spans)} == {Speaker.ASSISTANT}


def test_the_prompt_may_be_echoed() -> None:
    assert codes_of(f"User: do this: {ACT}\n\nAssistant: sure\n\n{ACT}\n") == ["other-speaker", ""]
    text = f"<|im_start|>user\n{ACT}<|im_end|>\n<|im_start|>assistant\n{ACT}"
    assert codes_of(text) == ["other-speaker", ""]
    assert codes_of(f"<|im_start|>system\n{ACT}") == ["other-speaker"]
    # Without a turn of the assistant, the word is an ordinary one.
    assert codes_of(f"User: wants a file, so here it is.\n\n{ACT}") == [""]


def test_a_further_turn_of_the_assistant_is_invented_too() -> None:
    assert codes_of(f"{ACT}\n\nCustomer: more\n\nAssistant: sure\n\n{ACT}") == INVENTED
    assert codes_of(f"{ACT}\n\nBuyer: more\n\nAssistant: sure\n\n{ACT}") == INVENTED
    # Harmony writes several messages for one reply.
    assert codes_of(f"{ACT}<|end|><|start|>assistant<|channel|>final<|message|>{ACT}") == ["", ""]


@pytest.mark.parametrize("token", ["<|im_end|>", "<|eot_id|>", "<｜end▁of▁sentence｜>", "</s>"])
def test_the_end_of_the_reply(token: str) -> None:
    text = f"before {token} any utterance {ACT}\n{token}\nmore\n{ACT}\n"
    first, second = utterances_of(text)
    assert (first.code, second.code, second.certain) == ("", "behind-the-end", True)
    assert text[second.why.start : second.why.end] == token


def test_struck_text_does_not_end_a_reply() -> None:
    assert codes_of(f"{ACT}\n\n<s>not this</s> but\n\n{ACT}") == ["", ""]


# ---- thinking


def thinking_pairs() -> list[tuple[str, str]]:
    tokens = our_tables().tokens
    return [(token, value) for token, (kind, value) in tokens.items() if kind == "open"]


@pytest.mark.parametrize(("opening", "closing"), thinking_pairs())
def test_thinking_does_not_count(opening: str, closing: str) -> None:
    opening = opening.replace("here", "Here")
    closing = closing.replace("here", "Here")
    first, second = utterances_of(f"{opening}\n{ACT}\n{closing}\n{ACT}\n")
    assert (first.code, first.channel, first.certain) == ("thought", Channel.THINKING, True)
    assert (second.code, second.channel) == ("", Channel.FINAL)


@pytest.mark.parametrize(
    "name", ["analysis", "inner_monologue", "Brainstorming", "self-reflection"]
)
def test_elements_whose_names_are_words(name: str) -> None:
    text = f"<{name}>\n{ACT}\n</{name}>\n{ACT}\n"
    first, second = utterances_of(text)
    assert (first.code, first.certain, second.code) == ("thought", False, "")
    # One tag alone, one inside a line, one in a block, another name.
    assert codes_of(f"<{name}>\n{ACT}\n") == [""]
    assert codes_of(f"{ACT}\n</{name}>\n{ACT}\n") == ["", ""]
    assert codes_of(f"I added <{name}>.\n{ACT}\n</{name}>\n") == [""]
    assert codes_of(f"```\n<{name}>\n```\n{ACT}\n</{name}>\n") == [""]
    assert codes_of(f"<summary>\n{ACT}\n</summary>\n") == [""]


def test_a_closing_token_alone() -> None:
    first, second = utterances_of(f"{ACT}\n</think>\n{ACT}\n")
    assert (first.code, first.certain, second.code) == ("thought", True, "")
    assert first.channel is Channel.THINKING


def test_an_opening_token_alone_is_doubtful() -> None:
    (only,) = utterances_of(f"<think>\n{ACT}\n")
    assert (only.code, only.certain) == ("thought", False)


def test_pairs_nest_like_brackets() -> None:
    text = f"<think>{ACT}<reasoning>{ACT}</reasoning>{ACT}</think>{ACT}"
    assert codes_of(text) == ["thought", "thought", "thought", ""]
    # The inner one was not closed.
    assert codes_of(f"<think><reasoning>{ACT}</think>{ACT}") == ["thought", ""]
    # A closing token of another pair closes nothing.
    assert codes_of(f"<think>{ACT}</reasoning>{ACT}</think>{ACT}") == ["thought", "thought", ""]


def test_channels_of_harmony() -> None:
    text = (
        f"<|channel|>analysis<|message|>{ACT}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{ACT}<|return|>"
    )
    first, second = utterances_of(text)
    assert (first.code, first.certain, second.code) == ("thought", True, "")


def test_stripped_channels_of_harmony() -> None:
    assert codes_of(f"analysisMaybe:\n{ACT}\nassistantfinal{ACT}") == ["thought", ""]
    assert codes_of(f"analysis is done, so here it is:\n\n{ACT}\n") == [""]
    assert codes_of(f"Here is my analysis:\n{ACT}\nassistantfinal\n{ACT}") == ["", ""]


@pytest.mark.parametrize(
    "heading", ["## Scratchpad", "**Thinking**", "# My reasoning:", "### 思考"]
)
def test_sections_by_heading(heading: str) -> None:
    first, second = utterances_of(f"{heading}\n\n{ACT}\n\n## Answer\n\n{ACT}\n")
    assert (first.code, first.certain, second.code) == ("thought", False, "")
    # Without a section of the answer it is an ordinary heading.
    assert codes_of(f"{heading}\n\n{ACT}\n\n## Tests\n\n{ACT}\n") == ["", ""]


def test_a_token_of_a_role_ends_thinking() -> None:
    assert codes_of(f"<think>{ACT}<|im_start|>assistant\n{ACT}") == ["thought", ""]


def test_marks_in_opaque_parts_do_not_count() -> None:
    text = f"{ACT}\n<|im_start|>user\n{ACT}"
    source = Source(text)
    content = source.span(len(ACT), text.rindex(ACT))
    spans = [source.span(0, len(ACT)), source.span(text.rindex(ACT), len(text))]
    passages = read_discourse(text, spans, opaque=[*spans, content])
    assert [passage.code for passage in passages if passage.span in spans] == ["", ""]
