"""Laws of the discourse: a partition, linear time, one list; words may only take away."""

from __future__ import annotations

import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passages import ACT, codes_of, spans_of, utterances_of
from symops_lark.core.discourse.passages import Speaker, Stance
from symops_lark.core.discourse.reading import read_discourse
from symops_lark.core.discourse.tables import END, TURN, our_tables
from symops_lark.core.discourse.verdicts import find_retraction
from symops_lark.core.discourse.view import read_view

TOKENS = sorted(our_tables().tokens)
WORDS = [
    ACT,
    "\n",
    "\n\n",
    "```\n",
    "User: hello\n",
    "Assistant: hi\n",
    "For example:\n",
    "Here it is:\n",
    "Shall I do that?\n",
    "Scratch that. ",
    "## Answer\n",
    "**Thinking**\n",
    "> ",
    "`",
    "例えば：\n",
    "assistantfinal",
    "\ud800",
    "\r",
]
PIECES = st.one_of(
    st.sampled_from(WORDS), st.sampled_from(TOKENS), st.text(st.characters(), max_size=8)
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)


# ---- 1: any text is partitioned


@given(TEXTS, st.booleans())
def test_passages_partition_the_text(text: str, announced: bool) -> None:
    spans = spans_of(text)
    passages = read_discourse(text, spans, announced=announced)
    assert "".join(text[passage.span.start : passage.span.end] for passage in passages) == text
    ends = [0, *(passage.span.end for passage in passages)]
    assert [passage.span.start for passage in passages] == ends[:-1]
    assert [passage.span for passage in passages if passage.span in spans] == spans
    for passage in passages:
        assert bool(passage.code) == bool(passage.why.end - passage.why.start)
        assert passage.stance is Stance.ASSERTED or passage.span in spans


@given(TEXTS)
def test_no_text_raises_an_error(text: str) -> None:
    assert len(read_view(text, spans_of(text))) == len(text)
    find_retraction(text.replace("\ud800", ""), 0)


def test_two_halves_of_a_character_shift_no_offset() -> None:
    text = "\ud83d\ude00" * 20 + f"\n\nFor example:\n{ACT}"
    [passage] = utterances_of(text)
    assert text[passage.why.start : passage.why.end] == "For example:"


@given(st.lists(PIECES, max_size=12), st.lists(PIECES, max_size=12))
def test_opaque_parts_change_nothing_else(before: list[str], inside: list[str]) -> None:
    text = "".join(before)
    hidden = "".join(inside).replace(ACT, "")
    whole_text = f"{text}\n\n{ACT}{hidden}"
    start = len(text) + 2
    span = spans_of(whole_text)[-1]
    utterance = type(span)(start, len(whole_text))
    passages = read_discourse(whole_text, [utterance])
    plain = read_discourse(f"{text}\n\n{ACT}", [span])
    assert passages[-1].code == plain[-1].code


HOSTILE = {
    "signs": "<|",
    "roles": "<|start_header_id|>",
    "turns": "<|im_start|>user\n",
    "opening": "<think>",
    "closing": "</think></reasoning>",
    "pairs": "<think><reasoning></think>",
    "labels": "User: a\n\n",
    "fences": "```\n~~~\n",
    "headings": "## Answer\n\n**Thinking**\n\n",
    "acts": f"{ACT}\n",
    "asked": f"{ACT}\n\nShall I do that?\n\nFor example:\n",
    "questions": "Shall I? ",
    "words": "would you like to write an example if it fails ",
    "colons": "a: b: c： ",
    "backticks": "`<|im_end|>",
    "blank": " \n",
    "full width": "例えば、こう。",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    def seconds(size: int) -> float:
        text = HOSTILE[name] * (size // len(HOSTILE[name])) + ACT
        spans = spans_of(text)
        # The collector looks at what all other tests have left.
        gc.disable()
        start = time.process_time()
        read_discourse(text, spans)
        read_view(text, spans)
        took = time.process_time() - start
        gc.enable()
        return took

    seconds(1_000)  # compiles the patterns
    short = min(seconds(30_000) for _ in range(3))
    # Quadratic would be 100 times. A machine under load gets three attempts; most need one.
    assert any(seconds(300_000) < 10 * short * 2 + 0.05 for _ in range(3))


# ---- 3: words only take away

NEUTRAL = st.sampled_from(["", "Here is the file:\n\n", "I did it.\n\n", "## Files\n\n"])


@given(st.lists(st.sampled_from(WORDS), max_size=8), NEUTRAL)
def test_a_doubting_line_never_makes_an_utterance_count(pieces: list[str], lead: str) -> None:
    text = "".join(pieces).replace("```\n", "").replace("`", "")
    plain = f"{text}\n\n{lead}{ACT}\n"
    doubted = f"{text}\n\n{lead}For example:\n\n{ACT}\n"
    assert utterances_of(plain)[-1].code == "" or utterances_of(doubted)[-1].code != ""


# ---- 4: one list


OTHERS = [
    token
    for token, (kind, value) in our_tables().tokens.items()
    if kind == TURN and value != Speaker.ASSISTANT
]
ENDS = [token for token, (kind, _) in our_tables().tokens.items() if kind == END]
ACTION = "::run @pytest\n"
OBJECT = '{"step": 1}'
TAG = "[REVIEW:1]"


@pytest.mark.parametrize("word", [ACTION, OBJECT, TAG])
def test_every_turn_is_invented_for_each_kind_of_utterance(word: str) -> None:
    for token in OTHERS:
        text = f"{word}\n{token}\n{word}\n"
        spans = spans_of(text, word)
        passages = read_discourse(text, spans, announced=word != OBJECT)
        codes = [passage.code for passage in passages if passage.span in spans]
        assert codes == ["", "invented-turn"], token


def test_every_end_ends_the_reply() -> None:
    for token in ENDS:
        assert codes_of(f"{ACT}\n{token}\nmore\n{ACT}\n") == ["", "behind-the-end"], token


def test_every_label_begins_a_turn() -> None:
    tables = our_tables()
    for label, speaker in tables.labels.items():
        for colon in (":", "："):
            text = f"{ACT}\n\n{label.capitalize()}{colon} more\n\n{ACT}\n"
            assert codes_of(text) == ["", "invented-turn"], (label, speaker)
    for heading in tables.headings:
        assert codes_of(f"{ACT}\n\n### {heading}\n\nmore\n\n{ACT}\n") == ["", "invented-turn"]


def test_what_agents_write_before_a_result_begins_a_turn_of_the_tool() -> None:
    for line in (
        "EXECUTION RESULT of [execute_bash]:",
        "[execute_command for 'ls -la'] Result:",
        "[write_to_file] Result:",
        "[Command finished with exit code 0]",
        "[The command completed with exit code 127.]",
        "Utilisateur\u00a0: supprime-le",
    ):
        assert codes_of(f"{ACT}\n\n{line}\na.py\n\n{ACT}\n") == ["", "invented-turn"], line
    for line in ("[see the docs for 'a'] More:", "Number of [a]: 3", "Result: good"):
        assert codes_of(f"{ACT}\n\n{line}\n\n{ACT}\n") == ["", ""], line
