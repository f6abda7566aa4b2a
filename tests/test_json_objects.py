"""Dataclasses out of JSON: what was written is read, anything else is an error with the keys that lead to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import documents_of_any_dialect

from symops_lark import Action, Diagnostic, Document, Severity, Span, SymOpsError
from symops_lark.core.ground.json_objects import read_object, write_object

SPANS = st.builds(Span, *[st.integers(0, 10**9)] * 4)
DIAGNOSTICS = st.builds(
    Diagnostic, st.text(), st.text(), SPANS, st.sampled_from(Severity), st.lists(st.text()).map(tuple), st.text()
)
SECTION = {"kind": "action", "type": "run", "path": "ls", "attributes": {"a": "b"}, "content_span": None, "number": 3}
SPAN = {"start": 0, "end": 1, "line": 1, "column": 1}
DOCUMENT: dict[str, Any] = {"dialect": "v2", "sections": [SECTION | {"span": SPAN}, {"kind": "vitals", "values": {}}]}
DIAGNOSTIC = Diagnostic("a", "b", Span(0, 1), expected=("c",)).to_dict()

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400)
KEYS = st.sampled_from([*SECTION, *SPAN, *DIAGNOSTIC, "sections", "kind", "text", "values", "choices", "target"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(), inner, max_size=4)
)


@given(documents_of_any_dialect())
def test_documents_come_back(document: Document) -> None:
    assert Document.from_dict(document.to_dict()) == document
    assert Document.from_dict(document.to_dict()).to_dict() == document.to_dict()


@given(DIAGNOSTICS)
def test_diagnostics_come_back(diagnostic: Diagnostic) -> None:
    assert Diagnostic.from_dict(diagnostic.to_dict()) == diagnostic
    assert Diagnostic.from_dict({"event": "diagnostic", **diagnostic.to_dict()}) == diagnostic, (
        "further keys are ignored"
    )


def exchange(value: Any, draw: Any) -> Any:
    """One value somewhere inside is another one, or gone."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 3)) == 0:
        return draw(VALUES)
    key = draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    copy = value.copy()
    if draw(st.booleans()):
        copy[key] = exchange(copy[key], draw)
    else:
        del copy[key]
    return copy


@pytest.mark.parametrize(("kind", "good"), [(Document, DOCUMENT), (Diagnostic, DIAGNOSTIC), (Span, SPAN)])
@given(data=st.data())
def test_any_json_value_is_one_or_an_error(kind: Any, good: Any, data: st.DataObject) -> None:
    value = exchange(good, data.draw)
    try:
        loaded = kind.from_dict(value)
    except SymOpsError as error:
        assert "expected" in str(error)
    else:
        repeated_loaded = kind.from_dict(loaded.to_dict())
        assert repr(repeated_loaded) == repr(loaded), "nan is not nan"
        hash(loaded)


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([], "the value: expected an object, got a list"),
    "missing": ({}, "sections: missing: expected a list"),
    "a truth": ({"sections": True}, "sections: expected a list, got true"),
    "deep": (
        {"sections": [{"kind": "thought", "text": "", "span": SPAN | {"end": "x"}}]},
        "sections[0].span.end: expected an integer, got 'x'",
    ),
    "a truth for a number": (
        {"sections": [SECTION | {"number": True}]},
        "sections[0].number: expected an integer, got true",
    ),
    "in a list": (
        {"sections": [SECTION | {"dependencies": ["a", None]}]},
        "sections[0].dependencies[1]: expected a string, got null",
    ),
    "in an object": (
        {"sections": [SECTION | {"attributes": {"owner": {}}}]},
        "sections[0].attributes.owner: expected a string, got an object",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_the_keys_and_both_kinds(name: str) -> None:
    value, message = WRONG[name]
    with pytest.raises(SymOpsError) as caught:
        Document.from_dict(value)
    assert str(caught.value) == message


# ---- annotations


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
    assert read_object(Inner, write_object(value.inner)) == value.inner


def test_what_is_written_is_what_json_can_say() -> None:
    output = write_object(WHOLE, "sure", "pair", "colour", "facts")
    assert output == {"sure": True, "pair": [None, "c"], "colour": "red", "facts": {"any": [1]}}
    assert list(output) == ["sure", "pair", "colour", "facts"] and type(output["colour"]) is str
    section = Document((Action("run", "ls", attributes=(("a", "b"),)),)).to_dict()["sections"][0]
    assert section["attributes"] == {"a": "b"} and section["dependencies"] == [] and section["content_span"] is None


def test_a_whole_number_is_a_share_and_becomes_one() -> None:
    result = read_object(Outer, {"inner": {"number": 1}, "share": 1})
    assert type(result.share) is float and result.share == 1.0


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({}, "inner: missing: expected an object"),
        ({"inner": {"number": 1}, "new": 2}, "new: no such key; there are inner, several"),
        ({"inner": {"number": 1, "new": 2}}, "inner.new: no such key; there are number"),
        ({"inner": {"number": 1}, "several": [{}]}, "several[0].number: missing: expected an integer"),
        ({"inner": {"number": 1}, "several": {"a": 1}}, "several: expected a list, got an object"),
        ({"inner": {"number": 1}, "sure": 1}, "sure: expected true or false, got a number"),
        ({"inner": {"number": 1}, "names": "ab"}, "names: expected a list, got 'ab'"),
        ({"inner": {"number": 1}, "pair": [1]}, "pair: expected a list of 2, got a list"),
        ({"inner": {"number": 1}, "options": {"k": 1}}, "options.k: expected a string, got a number"),
        ({"inner": {"number": 1}, "colour": "blue"}, "colour: expected one of red, got 'blue'"),
    ],
)
def test_anything_else_is_refused(data: Any, told: str) -> None:
    with pytest.raises(SymOpsError) as caught:
        read_object(Outer, data)
    assert str(caught.value).startswith(told)
