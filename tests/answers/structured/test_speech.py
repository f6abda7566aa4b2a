"""Objects in invented turns and in thinking do not count, and words around objects only take away."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_replies import JUDGMENT, read_cases
from json_values import OBJECTS

from symops_lark.answers.structured import ObjectStream, extract_json
from symops_lark.core.discourse.passages import Channel, Speaker
from symops_lark.core.discourse.tables import CHANNEL, END, OPEN, TURN, our_tables
from symops_lark.core.text.diagnostics import Severity

TABLES = our_tables()
OTHERS = [token for token, (kind, value) in TABLES.tokens.items() if kind == TURN and value != Speaker.ASSISTANT]
ENDS = [token for token, (kind, _) in TABLES.tokens.items() if kind == END]
PAIRS = [(token, value) for token, (kind, value) in TABLES.tokens.items() if kind == OPEN]
CHANNELS = [token for token, (kind, value) in TABLES.tokens.items() if kind == CHANNEL and value == Channel.THINKING]
FIRST = {"step": 1, "reason": "first"}
SECOND = {"step": 2, "reason": "second"}
ONE, TWO = json.dumps(FIRST), json.dumps(SECOND)


def codes_of(text: str) -> list[str]:
    """Return the codes of what is said about a reply."""
    return [finding.code for finding in extract_json(text, JUDGMENT).diagnostics]


# ---- one list: each token and label counts for objects


@pytest.mark.parametrize("token", OTHERS)
def test_an_object_behind_an_invented_turn_does_not_count(token: str) -> None:
    for between in ("\nAnd then?\n", "\n```json\n"):
        text = f"{ONE}\n{token}{between}{TWO}\n"
        extracted = extract_json(text, JUDGMENT)
        assert extracted.value == FIRST, text
        [finding] = extracted.diagnostics
        assert (finding.code, finding.severity) == ("invented-turn", Severity.NOTE)
        assert repr(token)[1:-1] in finding.message.lower()


@pytest.mark.parametrize("token", OTHERS)
def test_an_object_in_the_echo_of_the_prompt_does_not_count(token: str) -> None:
    assert codes_of(f"{token}\n{ONE}\n") == ["other-speaker"]


@pytest.mark.parametrize("token", ENDS)
def test_an_object_behind_the_end_does_not_count(token: str) -> None:
    text = f"{ONE}\n{token}\nand more: {TWO}"
    assert extract_json(text, JUDGMENT).value == FIRST
    assert codes_of(text) == ["behind-the-end"]


@pytest.mark.slow
def test_a_label_takes_all_away() -> None:
    """A label is a word, so no earlier object is taken in place of the last one."""
    for label in TABLES.labels:
        text = f"{ONE}\n\n{label.capitalize()}: and then?\n\n{TWO}\n"
        assert extract_json(text, JUDGMENT).value is None, label
        assert codes_of(text) == ["invented-turn"], label


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
@given(value=OBJECTS.filter(bool))
def test_what_is_thought_does_not_count(opening: str, closing: str, value: dict[str, Any]) -> None:
    # Thinking ends at its first closing token, wherever that is.
    thought = json.dumps(value).replace("think>", "")
    opening, closing = opening.replace("here", "Here"), closing.replace("here", "Here")
    for text in (f"{opening}{thought}{closing}", f"{thought}\n{closing}\n", f"{opening}\n{thought}"):
        assert extract_json(text).value is None, text
    assert extract_json(f"{opening}\n{thought}\n{closing}\n{TWO}").value == SECOND
    assert extract_json(f"{TWO}\n{opening}\n{thought}\n{closing}\n").value == SECOND


@pytest.mark.parametrize("token", CHANNELS)
def test_a_channel_of_thinking_does_not_count(token: str) -> None:
    text = f"{token}<|message|>{ONE}<|end|><|start|>assistant<|channel|>final<|message|>"
    assert extract_json(text + TWO, JUDGMENT).value == SECOND
    assert codes_of(text + "It is not certain.") == ["thought"]


@pytest.mark.parametrize("name", TABLES.elements)
def test_an_element_of_thinking_takes_all_away(name: str) -> None:
    element = f"<{name}>\n{ONE}\n</{name}>\n"
    assert extract_json(f"{element}{TWO}", JUDGMENT).value == SECOND
    assert codes_of(f"{TWO}\n{element}") == ["thought"]


@given(st.sampled_from(sorted(TABLES.tokens)), st.sampled_from(["{}", "Result: {}.", "```json\n{}\n```"]))
def test_tokens_in_texts_are_no_marks(token: str, wrapping: str) -> None:
    value = {"step": 1, "reason": f"{token} {token}"}
    extracted = extract_json(wrapping.replace("{}", json.dumps(value, ensure_ascii=False)), JUDGMENT)
    assert (extracted.value, extracted.diagnostics) == (value, ())


# ---- words only take away

WORDS = st.sampled_from(
    (
        "Here it is:",
        "For example:",
        "Final answer:",
        "So",
        "not",
        "or",
        "If that fails:",
        "The previous answer was",
        "Wait, that is wrong.",
        "Shall I do that?",
        "User: thanks",
        "Assistant: sure",
        "Observation: done",
        "## Answer",
        "**Thinking**",
        "<analysis>",
        "</analysis>",
        "例えば：",
        "訂正：",
        "等等，这不对。",
        "- ",
        ". ",
        "`",
        '"',
        "",
    )
)
GAPS = st.lists(WORDS | st.sampled_from(("\n", "\n\n", " ")), max_size=4).map("".join)
STEPS = st.integers(1, 3).map(lambda step: json.dumps({"step": step, "reason": "x"}))


@given(st.lists(st.tuples(GAPS, STEPS), min_size=1, max_size=4), GAPS)
def test_words_leave_the_last_object_or_nothing(parts: list[tuple[str, str]], after: str) -> None:
    """Law: whatever words are around objects of one kind, the value is the last of them that fits, or there is none.

    So words never choose an earlier object. They can make the last one count (`Final answer:`), where
    without them several would have equal right.
    """
    text = "".join(gap + output for gap, output in parts) + after
    value = extract_json(text, JUDGMENT).value
    last = json.loads(parts[-1][1])
    assert value in (None, last), text


@given(GAPS, GAPS)
def test_words_around_one_object_leave_it_or_nothing(before: str, after: str) -> None:
    for text in (f"{before}{ONE}{after}", f"{before}\n```json\n{ONE}\n```\n{after}"):
        assert extract_json(text, JUDGMENT).value in (None, FIRST), text


@given(GAPS, GAPS, STEPS)
def test_what_is_several_is_told(before: str, after: str, other: str) -> None:
    """Two objects without a word between them are one answer, or none."""
    text = f"{before}{ONE}\n{other}{after}"
    value = extract_json(text, JUDGMENT).value
    assert value is None or value == FIRST == json.loads(other), text


def test_several_answers_are_an_error() -> None:
    extracted = extract_json(f"{ONE}\n{TWO}", JUDGMENT)
    [finding] = extracted.diagnostics
    assert (extracted.value, finding.code, finding.severity) == (None, "several-answers", Severity.ERROR)
    assert finding.message.endswith("in line 1, column 1") and finding.hint
    assert finding.span.start == len(ONE) + 1


@pytest.mark.parametrize(
    ("between", "is_announced"),
    [
        ("\n", False),
        (" and ", False),
        ("\n- ", False),
        ("\nFinal answer: ", True),
        ("\n訂正\n", True),
        ("\n```\nlog\n```\n", True),
        ("\n<think>hm</think>\n", True),
        # The words are near the later object, however long the text between is.
        (f"\n{'more ' * 200}. Final answer: ", True),
        (f"\nFinal answer:\n{'more ' * 200}", True),
        # What a passed-over object says announces nothing.
        ('\n{"answer": "final result, so now"}\n', False),
        ("\ud800", False),
        ("\ud800 so: ", True),
    ],
)
def test_a_later_answer_is_announced(between: str, is_announced: bool) -> None:
    value = extract_json(f"{ONE}{between}{TWO}", JUDGMENT).value
    assert value == (SECOND if is_announced else None)


def test_the_reason_has_its_words() -> None:
    [finding] = extract_json(f"{ONE}\n\nThe previous answer was {TWO}", JUDGMENT).diagnostics
    assert finding.code == "not-asked"
    assert finding.message.endswith("it was done before ('The previous answer was')")


# ---- the tables of speech, and streams


def test_an_object_alone_needs_no_tables() -> None:
    for text in (ONE, f"\ufeff \n{ONE}\r\n", '{"a": [1, {"b": "<think>"}]}', '{"a": 1,}', '{"a": 1'):
        our_tables.cache_clear()
        extract_json(text)
        assert our_tables.cache_info().currsize == 0, text
    extract_json(f"So: {ONE}")
    assert our_tables.cache_info().currsize == 1


REPLIES = [case.reply for case in read_cases()]


@given(
    st.sampled_from(REPLIES) | st.lists(st.tuples(GAPS, STEPS), max_size=3).map(str),
    st.sampled_from(["", "\n\nUser: thanks\n\n", "<|im_end|>", "<think>"]),
    st.sampled_from(["", ONE, TWO]),
)
def test_a_stream_says_in_the_end_what_the_whole_reply_says(reply: str, between: str, after: str) -> None:
    for text in (f"{reply}{between}{after}", f"{ONE}{between}{after}"):
        stream = ObjectStream(JUDGMENT)
        announced = [member for letter in text for member in stream.feed(letter)]
        closed, whole_extracted = stream.close(), extract_json(text, JUDGMENT)
        if "second-answer" in [finding.code for finding in closed.diagnostics]:
            assert announced and closed.value is None
        else:
            assert closed == whole_extracted
