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
        ("[user] more", Speaker.USER),
        ("【ユーザー】続けて", Speaker.USER),
        ("---\nrole: user\ncontent: more", Speaker.USER),
        ("Terminal: done", Speaker.TOOL),
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
        "it prints ('<|im_start|>user')",
        "`one` and `<|im_start|>user`",
        *(f"It prints {quote}<|im_start|>user" for quote in "“‘「『"),
        *(f"It prints{sign}'<|im_start|>user" for sign in " \t\n(["),
        "Username: root",
        "Users: 3",
        "#### Users",
        "[users]",
        "<user> is an element",
        "role: admin",
        "User: a name\nTeam: a list of users",
        "User: an admin\nAction: it deletes the page",
        "Observation: a bird is seen\nLatitude: 52",
        "Observation: a bird is seen\nThoughtful: no",
        "観察：鳥\n緯度：52",
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


def test_a_dialogue_before_the_first_utterance() -> None:
    reply = f"I would need root.\n\nUser: you have it\n\nThank you.\n\n{ACT}"
    assert codes_of(reply) == ["invented-turn"]
    assert codes_of(reply.replace("User: ", "### Human:\n")) == ["invented-turn"]
    assert codes_of(reply.replace("User: ", "[user] ")) == ["invented-turn"]
    assert codes_of(reply.replace("User: ", "role: user\ncontent: ")) == ["invented-turn"]
    assert codes_of(reply.replace("User: ", "Player (you): ")) == ["invented-turn"]
    # No answer before it, none after it, a list, a title.
    assert codes_of(reply.removeprefix("I would need root.\n\n")) == [""]
    assert codes_of(reply.replace("Thank you.\n\n", "")) == [""]
    assert codes_of(reply.replace("root.", "these:")) == [""]
    assert codes_of(reply.replace("have it", "have it\nTeam: has it, too")) == [""]
    assert codes_of(reply.replace("User: ", "### User\n")) == [""]
    # A question is answered.
    assert codes_of(f"May I?\n\nUser: yes\n\n{ACT}") == ["invented-turn"]


def test_headings_beside_titles_are_titles() -> None:
    text = f"{ACT}\n\n## User\n\nThe page on users:\n\n{ACT}"
    assert codes_of(text) == INVENTED
    assert codes_of(f"{text}\n\n## Tests\n\n{ACT}") == ["", "", ""]
    assert codes_of(f"## Files\n\n{text}") == ["", ""]
    assert codes_of(f"# Files\n\n{text}") == INVENTED
    assert codes_of(f"{text}\n\n## Answer\n\n{ACT}") == [*INVENTED, "invented-turn"]
    # A section of thinking stays one.
    text = f"## Scratchpad\n\n{ACT}\n\n## Answer\n\n{ACT}\n\n## Tests\n\n{ACT}"
    assert codes_of(text) == ["thought", "", ""]


def test_a_further_turn_of_the_assistant_is_invented_too() -> None:
    assert codes_of(f"{ACT}\n\nCustomer: more\n\nAssistant: sure\n\n{ACT}") == INVENTED
    assert codes_of(f"{ACT}\n\nBuyer: more\n\nAssistant: sure\n\n{ACT}") == INVENTED
    # Harmony writes several messages for one reply.
    final = "<|channel|>final<|message|>"
    assert codes_of(f"{final}{ACT}<|end|><|start|>assistant{final}{ACT}") == ["", ""]


def test_the_role_before_a_token_is_on_its_line() -> None:
    for text, codes in ((f"{ACT}\nuser", INVENTED), (f"{ACT} by the user", ["", ""])):
        assert codes_of(f"{text}<|role_sep|>{'more ' * 20}\n\n{ACT}") == codes


@pytest.mark.parametrize("token", ["<|im_end|>", "<|eot_id|>", "<｜end▁of▁sentence｜>", "</s>"])
def test_the_end_of_the_reply(token: str) -> None:
    text = f"before {token} any utterance {ACT}\n{token}\nmore\n{ACT}\n"
    first, second = utterances_of(text)
    assert (first.code, second.code, second.certain) == ("", "behind-the-end", True)
    assert text[second.why.start : second.why.end] == token


def test_an_end_between_two_utterances_ends_nothing() -> None:
    assert codes_of(f"{ACT}\n<|endoftext|>\n\n{ACT}\n\n{ACT}") == ["", "", ""]
    text = f"{ACT}\n<|endoftext|>\n{ACT}\n<|endoftext|>\nmore\n{ACT}\n{ACT}"
    assert codes_of(text) == ["", "", "behind-the-end", "behind-the-end"]


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


@pytest.mark.parametrize(
    ("opening", "closing"), [("<think mode='long'>", "</think>"), ("<Reason a>", "</reason>")]
)
def test_a_token_of_thinking_with_attributes(opening: str, closing: str) -> None:
    first, second = utterances_of(f"{opening}\n{ACT}\n{closing}\n{ACT}\n")
    assert (first.code, first.certain, second.code) == ("thought", True, "")


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
    # A closing token of another pair closes nothing if the right one follows.
    assert codes_of(f"<think>{ACT}</reasoning>{ACT}</think>{ACT}") == ["thought", "thought", ""]


def test_the_wrong_token_ends_a_section_that_has_no_end() -> None:
    assert codes_of(f"<think>{ACT}</thinking>{ACT}") == ["thought", ""]
    assert codes_of(f"<think><reason>{ACT}</thinking>{ACT}") == ["thought", ""]
    assert codes_of(f"<think>{ACT}</thinking>{ACT}</think>{ACT}") == ["thought", "thought", ""]
    # The right one is in another turn.
    turn = "<|im_start|>assistant\n"
    assert codes_of(f"<think>{ACT}</reason>{ACT}{turn}<think></think>{ACT}") == ["thought", "", ""]


def test_a_section_that_begins_twice_and_ends_once() -> None:
    assert codes_of(f"<think>\n<think>\n{ACT}</think>{ACT}") == ["thought", ""]
    assert codes_of(f"{ACT}<think>the <think> tag{ACT}</think>{ACT}") == ["", "thought", ""]
    assert codes_of(f"<think>{ACT}") == codes_of(f"<think><think>{ACT}") == ["thought"]


def test_tags_of_thinking_with_attributes() -> None:
    text = f'{ACT}\n<reasoning effort="high">{ACT}</reasoning>{ACT}'
    assert codes_of(text) == ["", "thought", ""]
    assert codes_of(f'{ACT}\n<custom effort="high">{ACT}</custom>{ACT}') == ["", "", ""]


@pytest.mark.parametrize(
    "end", ['it says "no"', "it says 'no'", "it is `this`", "```\nx\n```", "~~~\nx\n~~~", 'open "']
)
def test_a_section_of_thinking_may_end_with_a_quotation(end: str) -> None:
    assert codes_of(f"<think>{ACT} {end}</think>{ACT}") == ["thought", ""]
    assert codes_of(f'{ACT} {end} "</think>" {ACT}') == ["", ""]


def test_words_of_the_reply_may_end_with_a_quotation() -> None:
    text = f'{ACT} It says "no"<|im_end|>\nmore {ACT}'
    assert codes_of(text) == ["", "behind-the-end"]


def test_channels_of_harmony() -> None:
    text = (
        f"<|channel|>analysis<|message|>{ACT}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{ACT}<|return|>"
    )
    first, second = utterances_of(text)
    assert (first.code, first.certain, second.code) == ("thought", True, "")


def test_the_channel_of_thinking_may_be_in_the_prompt() -> None:
    final = "<|channel|>final<|message|>"
    assert codes_of(f"{ACT}{final}{ACT}") == ["thought", ""]
    assert codes_of(f"{ACT}<|end|><|start|>assistant{final}{ACT}") == ["thought", ""]
    # It is not the first channel.
    assert codes_of(f"{final}{ACT}{final}{ACT}") == ["", ""]


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


def test_the_reason_is_the_outermost_section() -> None:
    text = f"<think><reasoning>{ACT}</reasoning></think>"
    (only,) = utterances_of(text)
    assert text[only.why.start : only.why.end] == "<think>"
    assert codes_of(f"<think><think>{ACT}</think>{ACT}</think>{ACT}") == ["thought", "thought", ""]
    # The turn has ended the section, so the closing token is alone.
    text = f"<think>{ACT}<|im_start|>assistant\n{ACT}</think>{ACT}"
    assert codes_of(text) == ["thought", "thought", ""]


def test_a_channel_of_thinking_alone() -> None:
    (only,) = utterances_of(f"<|channel|>analysis<|message|>{ACT}")
    assert (only.code, only.certain, only.channel) == ("thought", True, Channel.THINKING)
    # Words that are left of tokens count only if the answer follows.
    assert codes_of(f"assistantanalysis\n{ACT}") == [""]


def test_blocks_are_closed_by_their_own_fence() -> None:
    label = "User: a\n\nAssistant: b\n"
    assert codes_of(f"{ACT}\n\n```\n~~~\n{label}```\n\n{ACT}") == ["", ""]
    assert codes_of(f"{ACT}\n\n```\n```py\n{label}```\n\n{ACT}") == ["", ""]
    assert codes_of(f"{ACT}\n\n````\n```\n{label}````\n\n{ACT}") == ["", ""]
    assert codes_of(f"{ACT}\n\n```\nx\n```\n\n{label}\n\n{ACT}") == INVENTED
    assert codes_of(f"```\n{ACT}\n```\n\n{label}\n\n{ACT}") == INVENTED
    # A block that is never closed quotes nothing.
    assert codes_of(f"{ACT}\n\n```\n\n{label}\n\n{ACT}") == INVENTED


def test_headings_and_margins() -> None:
    assert codes_of(f"{ACT}\n\n\tUser: a\n\n{ACT}") == ["", ""]
    assert codes_of(f"## Scratchpad\n\n{ACT}\n\n**Answer\n\n{ACT}") == ["", ""]
    assert codes_of(f"## Scratchpad\n\n{ACT}\n\n**Answer:**\n\n{ACT}") == ["thought", ""]
    assert codes_of(f"{ACT}\n\n**User**\n\n{ACT}") == ["", ""]
    assert codes_of(f"{ACT}\n\n**User:**\n\n{ACT}") == INVENTED
    # Markdown closes a heading with any number of signs.
    assert codes_of(f"## Scratchpad {'#' * 60}\n\n{ACT}\n\n## Answer\n\n{ACT}") == ["thought", ""]


def test_the_colon_of_a_label_is_among_the_first_sixty_characters() -> None:
    for spaces, codes in ((55, INVENTED), (56, ["", ""])):
        assert codes_of(f"{ACT}\n\nUser{' ' * spaces}: more\n\n{ACT}") == codes


def test_what_was_only_thought_is_not_spoken() -> None:
    # So the label is an ordinary word, and the end is that of another message.
    text = f"<think>{ACT}</think>\n\nUser: wants this\n\n{ACT}"
    assert codes_of(text) == ["thought", ""]
    assert codes_of(f"<|im_end|>\n{ACT}\n{ACT}") == ["", ""]
    assert codes_of(f"<think>{ACT}</think><|im_end|>{ACT}\n{ACT}") == ["thought", "", ""]


def test_numbers_of_turns() -> None:
    text = f"User: a {ACT}\n\nAssistant: b\n{ACT}\n\nAssistant: c\n{ACT}"
    assert [passage.turn for passage in utterances_of(text)] == [1, 2, 3]
    text = f"<|im_start|>assistant\n{ACT}"
    assert [passage.turn for passage in utterances_of(text)] == [0]


def test_the_last_section_of_the_answer_counts() -> None:
    text = f"## Answer\n\n{ACT}\n\n## Thinking\n\n{ACT}\n\n## Answer\n\n{ACT}"
    assert codes_of(text) == ["", "thought", ""]
    passages = utterances_of(text)
    assert [passage.certain for passage in passages] == [False, False, False]
    assert [passage.channel for passage in passages] == ["final", "thinking", "final"]


def test_three_pairs_inside_each_other() -> None:
    opening = "<think>" * 3
    text = f"{opening}{ACT}</think>{ACT}</think>{ACT}</think>{ACT}"
    assert codes_of(text) == ["thought", "thought", "thought", ""]
    # One closing token more: everything before it was thinking.
    assert codes_of(f"{text}</think>{ACT}")[3:] == ["thought", ""]
