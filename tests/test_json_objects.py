"""Dataclasses from JSON objects: every annotation is checked, and errors name the field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import pytest

from symops_lark.json_objects import read_object


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    number: int


@dataclass(frozen=True)
class Outer:
    inner: Inner
    several: tuple[Inner, ...] = ()
    share: float = 0.0
    sure: bool | None = None
    names: tuple[str, ...] | None = None
    pair: tuple[int | None, str] = (None, "")
    options: tuple[tuple[str, str], ...] = ()
    colour: Colour = Colour.RED
    facts: Mapping[str, Any] | None = None


WHOLE = Outer(
    Inner(1), (Inner(2), Inner(3)), 0.5, True, ("a", "b"), (None, "c"), (("k", "v"),), Colour.RED, {"any": [1]}
)


@pytest.mark.parametrize("value", [WHOLE, Outer(Inner(0))])
def test_what_was_written_is_read_before_and_after_json(value: Outer) -> None:
    assert read_object(Outer, asdict(value)) == value
    assert read_object(Outer, json.loads(json.dumps(asdict(value)))) == value
    assert read_object(Outer, {**asdict(value), "options": dict(value.options)}) == value


def test_a_whole_number_is_a_share_and_becomes_one() -> None:
    found = read_object(Outer, {"inner": {"number": 1}, "share": 1})
    assert type(found.share) is float and found.share == 1.0


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ([], r"\[\] is no Mapping"),
        ({}, "inner"),
        ({"inner": {"number": 1}, "new": 2}, "Outer has no 'new'"),
        ({"inner": {"number": "1"}}, "inner: number: '1' is no int"),
        ({"inner": {"number": True}}, "inner: number: True is no int"),
        ({"inner": {"number": 1}, "several": [{}]}, "several: .*number"),
        ({"inner": {"number": 1}, "several": {"a": 1}}, "several: "),
        ({"inner": {"number": 1}, "share": "0.5"}, "share: '0.5' is no"),
        ({"inner": {"number": 1}, "sure": 1}, "sure: 1 is no bool"),
        ({"inner": {"number": 1}, "names": "ab"}, "names: 'ab' is no"),
        ({"inner": {"number": 1}, "pair": [1]}, "pair: "),
        ({"inner": {"number": 1}, "options": {"k": 1}}, "options: 1 is no str"),
        ({"inner": {"number": 1}, "colour": "blue"}, "colour: 'blue'"),
    ],
)
def test_anything_else_is_refused_with_the_name_of_its_field(data: Any, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        read_object(Outer, data)
