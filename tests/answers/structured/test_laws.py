"""Any object in any wrapping comes out equal; any text gives a value or a reason; nothing that is cut off counts."""

from __future__ import annotations

import json
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from json_replies import JUDGMENT
from json_values import OBJECTS, SOUP, VALUES, wrapped, written

from symops_lark.answers.structured import extract_json
from symops_lark.answers.structured.values import DEEPEST


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same to the digit and to the order of the names."""
    return json.dumps(one) == json.dumps(other)


@given(st.data(), OBJECTS)
def test_any_object_in_any_wrapping_comes_out_equal(data: st.DataObject, value: dict[str, Any]) -> None:
    text = data.draw(written(value))
    reply = data.draw(wrapped(text))
    extracted = extract_json(reply)
    assume(value or not extracted.value)  # an empty object does not beat the other one that is drawn around it
    assert same(extracted.value, value), (reply, extracted)
    assert extracted.span is not None and reply[extracted.span.start : extracted.span.end] == text
    assert not extracted.repaired


@given(SOUP, st.sampled_from((None, JUDGMENT)))
def test_any_text_gives_a_value_or_the_reason_why_not(text: str, schema: dict[str, Any] | None) -> None:
    extracted = extract_json(text, schema)
    if extracted.value is None:
        assert extracted.diagnostics and extracted.strategy is None and extracted.span is None
    else:
        assert extracted.span is not None and extracted.strategy in ("direct", "code_block", "braces")
        assert schema is None or isinstance(extracted.value["step"], int)
    assert json.dumps(extracted.to_dict()["value"]) is not None


@given(st.data(), OBJECTS, st.sampled_from(("", "Result:\n", "```json\n", '{"step": 1} No:\n', "```json\n{}\n```\n")))
def test_what_is_cut_off_gives_nothing(data: st.DataObject, value: dict[str, Any], before: str) -> None:
    text = data.draw(written(value))
    end = data.draw(st.integers(1, len(text) - 1))
    assert extract_json(before + text[:end]).value is None


@given(VALUES)
def test_what_is_in_a_list_gives_nothing(value: Any) -> None:
    for text in (json.dumps([value]), f"So: {json.dumps([{'step': 1}, value])}"):
        assert extract_json(text).value is None


@given(st.data(), OBJECTS)
def test_a_repair_says_what_was_written(data: st.DataObject, value: dict[str, Any]) -> None:
    """A comma too many, comments and Python's way of writing are repaired to the same value, or refused."""
    text = json.dumps(value, ensure_ascii=False)
    broken = data.draw(st.sampled_from((text[:-1] + ",}", text[:-1] + "/* x */}", "{ // x\n" + text[1:], repr(value))))
    extracted = extract_json(broken)
    assert extracted.value is None or same(extracted.value, value), (broken, extracted)
    if extracted.value is not None and broken != text:
        with pytest.raises(json.JSONDecodeError):
            json.loads(broken)
        assert extracted.repaired and [diagnostic.code for diagnostic in extracted.diagnostics] == ["repaired"]


# ---- depth and time


@pytest.mark.parametrize(("depth", "is_read"), [(DEEPEST, True), (DEEPEST + 1, False), (100_000, False)])
def test_depth(depth: int, is_read: bool) -> None:
    for opening, closing in (('{"a":', "}"), ("[", "]")):
        text = '{"a":' + opening * (depth - 1) + "1" + closing * (depth - 1) + "}"
        extracted = extract_json(text)
        assert (extracted.value is not None) is is_read
        assert is_read or [diagnostic.code for diagnostic in extracted.diagnostics] == ["too-deep"]


HOSTILE = (
    *(
        "{",
        "[",
        '"',
        "'",
        "```",
        "```json\n",
        "~~~",
        "<think>",
        "</think>",
        "<think>{",
        "}",
        " \n",
        "[{",
        "[1,",
        "[[],",
    ),
    *(
        '{"a":',
        '{"a":[',
        '{"',
        "{'",
        "{“",
        "{a:“",
        '{"a":1}',
        '{"a":1,',
        "{a:1}",
        '{"a":1,}',
        '{"a":{"b":x}',
        '{"a":NaN}',
    ),
    *("{/*", "{//\n", '{"a":"\\', '{"a":"\n', '{"a":x', '{"a":x}', '{"a":x\n\n', '{"a":1} </think>', '["a" '),
    *('{"a":1}```y\n', "```py\n", "[[],", '{"a":NaN}'),
    *("<think>x</think>", "<think></reason>", "<|im_start|>user\n", '{"a":x</think>', '{"a":1}<think>{"</think>'),
    *('{"step":1,"reason":""}\n', 'For example: {"step":1,"reason":""}\n\nUser: ', '<idea>\n{"a":1}\n</idea>\n'),
)


def count_calls(text: str) -> int:
    """Return how many functions are called to read a reply, in Python and in C."""
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        extract_json(text, JUDGMENT)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("piece", HOSTILE)
def test_the_steps_grow_with_the_text(piece: str) -> None:
    """Twice the text takes at most about twice the steps; `python -m benchmarks.structured speed` takes the time."""
    once, twice = (count_calls(piece * (size // len(piece))) for size in (6_000, 12_000))
    assert twice <= 2.1 * once + 2_000
    assert once <= 6_000 * 80  # a thousand objects are tried
