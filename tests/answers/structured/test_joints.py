"""A bracket at the wrong place never cuts members off without a word: what belongs to a value is read, or refused."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from json_values import OBJECTS, written

from symops_lark.answers.structured import ObjectStream, extract_json


def brackets(text: str, which: str) -> list[int]:
    """Return the offsets of brackets of a JSON text that stand outside of its strings."""
    result, is_string, is_escaped = [], False, False
    for at, letter in enumerate(text):
        if is_string:
            is_string, is_escaped = letter != '"' or is_escaped, letter == "\\" and not is_escaped
        elif letter == '"':
            is_string = True
        elif letter in which:
            result.append(at)
    return result


def damage(draw: st.DrawFn, text: str) -> str:
    kind = draw(st.sampled_from(("cut", "remove", "double")))
    if kind == "cut":
        at = draw(st.integers(0, len(text)))
        return text[:at] + draw(st.sampled_from(("}", "]", "}}", " }", "} "))) + text[at:]
    at = draw(st.sampled_from(brackets(text, "{[" if kind == "remove" else "}]")))
    return text[:at] + text[at + 1 :] if kind == "remove" else text[:at] + text[at] + text[at:]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    value = draw(OBJECTS)
    return value, damage(draw, draw(written(value)))


def expect_all_or_nothing(value: dict[str, Any], text: str, reply: str) -> None:
    error = extract_json(reply).value
    try:
        whole_data = json.loads(text)  # the bracket went into a string
    except ValueError:
        whole_data = value
    assert error is None or json.dumps(error) in (json.dumps(value), json.dumps(whole_data)), (reply, error)


@given(damaged())
@example(({"key": "value", "key2": "value2"}, '{"key": "value"}, "key2": "value2"}'))
@example(({"a": 1, "b": {"c": 2}}, '{"a": 1, "b"}: {"c": 2}}'))
@example(({"c": 2, "k": {"a": 1}}, '{"c": 2, "k": }{"a": 1}}'))
@example(({"a": 12}, '{"a": 1}2}'))
@example(({"a": {}}, '{"a": {}}}'))
def test_a_bracket_at_the_wrong_place_loses_no_member(pair: tuple[dict[str, Any], str]) -> None:
    value, text = pair
    for reply in (text, f"Here it is:\n\n{text}\n\nThat is all.", f"```json\n{text}\n```"):
        expect_all_or_nothing(value, text, reply)


@given(damaged(), st.integers(1, 9))
def test_a_stream_says_no_other_object_than_the_whole_reply(pair: tuple[dict[str, Any], str], size: int) -> None:
    _, text = pair
    stream = ObjectStream()
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size])
    value = stream.close().value
    assert value is None or value == extract_json(text).value


def test_a_stream_refuses_what_was_cut_off_by_a_bracket() -> None:
    stream = ObjectStream()
    assert [member.pointer for member in stream.feed('{"key": "value"}, "key2": "value2"}')] == ["/key"]
    closed = stream.close()
    assert closed.value is None and [diagnostic.code for diagnostic in closed.diagnostics] == ["members-outside"]


def test_the_place_is_told() -> None:
    [finding] = extract_json('So:\n{"a": 1},\n"b": 2}').diagnostics
    assert finding.code == "members-outside" and "in line 2, column 9" in finding.message and finding.hint


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize(
    "piece",
    ['{"a": 1} ', '{"a": 1}, ', '"a": 1, ', '{"a": 1} /* x', '{"a": 1}, [1] ', "[1] ", '{} "a" ', '{"a": 1} "b" '],
)
def test_many_values_take_linear_time(piece: str) -> None:
    def measure(n: int) -> float:
        begun = time.process_time()
        extract_json(piece * n + '{"a": 1}')
        return time.process_time() - begun

    measure(200)
    few = min(measure(1_000) for _ in range(3))
    # A machine under load gets a second attempt.
    assert any(measure(8_000) < 8 * few * 3 + 0.1 for _ in range(2))
