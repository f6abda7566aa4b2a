"""An object that arrives in pieces: however it is cut, the same is announced, and nothing is ever taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_replies import JUDGMENT, read_cases
from json_schemas import OBJECT_SCHEMAS, fitting
from json_values import OBJECTS, SOUP, written

from symops_lark.answers.structured import Extraction, Member, ObjectStream


def announced(pieces: list[str], schema: Any = None) -> tuple[list[Member], Extraction]:
    stream = ObjectStream(schema)
    members = [member for piece in pieces for member in stream.feed(piece)]
    assert stream.value == {json.loads(f'"{_name(m)}"'): m.value for m in members if _is_top(m)}
    return members, stream.close()


def _name(member: Member) -> str:
    name = member.pointer[1:].replace("~1", "/").replace("~0", "~")
    return json.dumps(name)[1:-1]


def _is_top(member: Member) -> bool:
    return member.pointer.count("/") == 1


def lead(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def check(text: str, schema: Any = None) -> tuple[list[Member], Extraction]:
    """The laws of one text: by characters as at once; what the end says has all that was announced in it."""
    whole_announced = announced([text], schema)
    for size in (1, 2, 5):
        assert announced([text[at : at + size] for at in range(0, len(text), size)], schema) == whole_announced
    message, result = whole_announced
    if result.value is not None:
        for member in message:
            assert json.dumps(lead(result.value, member.pointer)) == json.dumps(member.value)
    return whole_announced


@given(st.data(), OBJECTS)
def test_every_value_of_an_object_is_announced_once_it_is_whole(data: st.DataObject, value: dict[str, Any]) -> None:
    text = data.draw(written(value))
    message, result = check(text)
    assert result.value == value and result.strategy == "direct"
    assert {m.pointer: m.value for m in message if _is_top(m)} == {
        "/" + name.replace("~", "~0").replace("/", "~1"): item for name, item in value.items()
    }
    end = data.draw(st.integers(0, len(text)))
    early, _ = announced([text[:end]])
    assert early == message[: len(early)]


@given(SOUP, st.sampled_from((None, JUDGMENT)))
def test_nothing_is_taken_back_whatever_arrives(text: str, schema: Any) -> None:
    assert check("{" + text, schema)[1] is not None
    assert check(text, schema)[1] is not None


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_replies_of_the_corpus(case: Any) -> None:
    message, result = check(case.reply, case.schema)
    if case.value is not None and not message:
        assert result.value == json.loads(case.value)
    assert case.value is not None or result.value is None


@given(st.data(), OBJECT_SCHEMAS)
def test_what_is_announced_fits(data: st.DataObject, schema: dict[str, Any]) -> None:
    value = data.draw(fitting(schema))
    message, result = check(json.dumps(value), schema)
    assert result.value == value
    assert len({member.pointer for member in message}) == len(message) >= len(value)


def test_what_does_not_fit_is_never_announced() -> None:
    stream = ObjectStream(JUDGMENT)
    assert [m.pointer for m in stream.feed('{"reason": "x", "step": true, "reason": "y"}')] == ["/reason"]
    assert stream.close().value is None


def test_second_answer_leaves_none() -> None:
    _, result = check('{"step": 1, "reason": "a"} no: {"step": 2, "reason": "b"}', JUDGMENT)
    assert result.value is None and result.diagnostics[-1].code == "second-answer"


def test_integral_floats_are_announced_as_whole_numbers() -> None:
    message, result = check('{"step": 2.0, "reason": "x"}', JUDGMENT)
    assert [repr(member.value) for member in message] == ["2", "'x'"]
    assert result.value is not None and repr(result.value["step"]) == "2"
