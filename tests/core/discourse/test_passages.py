"""Where passages begin, and parts in which no mark counts."""

from __future__ import annotations

from passages import ACT, spans_of, stances_of
from symops_lark import Source
from symops_lark.core.discourse.reading import read_discourse


def test_marks_in_opaque_parts_do_not_count() -> None:
    text = f"{ACT}\n<|im_start|>user\n{ACT}"
    source = Source(text)
    content = source.span(len(ACT), text.rindex(ACT))
    spans = [source.span(0, len(ACT)), source.span(text.rindex(ACT), len(text))]
    passages = read_discourse(text, spans, opaque=[*spans, content])
    assert [passage.code for passage in passages if passage.span in spans] == ["", ""]


def test_a_token_that_reaches_into_an_opaque_part_does_not_count() -> None:
    text = f"{ACT}\n<|im_start|>user\n{ACT}"
    spans = spans_of(text)
    start = text.index("user")
    opaque = [*spans, Source(text).span(start, start + 2)]
    assert {passage.code for passage in read_discourse(text, spans, opaque=opaque)} == {""}


def test_no_block_after_the_last_utterance_has_tokens() -> None:
    text = f"{ACT}\n\nfirst\n«part»\n```\n<|im_start|>user\n```\n"
    spans = spans_of(text)
    opaque = [*spans, *spans_of(text, "«part»")]
    assert {passage.code for passage in read_discourse(text, spans, opaque=opaque)} == {""}
    shown = text.replace("```", "")
    opaque = [*spans, *spans_of(shown, "«part»")]
    assert read_discourse(shown, spans, opaque=opaque)[-1].code == "invented-turn"


def test_passages_begin_at_the_marks() -> None:
    text = f"Hi {ACT}<|eot_id|> User: x\n\nUser: y\n{ACT} z"
    spans = [Source(text).span(3, 3 + len(ACT))]
    start = text.rindex(ACT)
    spans.append(Source(text).span(start, start + len(ACT)))
    passages = read_discourse(text, spans)
    pieces = [text[passage.span.start : passage.span.end] for passage in passages]
    assert pieces == ["Hi ", ACT, "<|eot_id|> User: x\n\n", "User: y\n", ACT, " z"]
    assert [passage.turn for passage in passages] == [0, 0, 0, 1, 1, 1]
    codes = ["", "", "behind-the-end", "invented-turn", "invented-turn", "invented-turn"]
    assert [passage.code for passage in passages] == codes


def test_thinking_begins_and_ends_with_its_tokens() -> None:
    text = f"a<think>b</think>c{ACT}"
    passages = read_discourse(text, spans_of(text))
    pieces = [text[passage.span.start : passage.span.end] for passage in passages]
    assert pieces == ["a", "<think>b</think>", "c", ACT]
    channels = [passage.channel for passage in passages]
    assert channels == ["final", "thinking", "final", "final"]


def test_marks_that_change_nothing_begin_no_passage() -> None:
    final = "<|channel|>final<|message|>"
    texts = [
        f"<|channel|>analysis<|message|>{final}{ACT}" + f"a{final}" * count for count in (1, 5)
    ]
    assert len({len(read_discourse(text, spans_of(text))) for text in texts}) == 1


def test_half_of_a_surrogate_pair_hides_no_words() -> None:
    assert stances_of(f"\ud800 For example:\n\n{ACT}") == ["example"]
    assert stances_of(f"\ud800\n\n{ACT}\n\nScratch that. \ud800") == ["withdrawn"]
