"""Judging by a schema ends, whatever the schema: patterns in linear time, steps counted, and a time limit."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest
from hostile_schemas import ODD, SLOW, SLOW_PATTERN, doubling
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from symops_lark.answers.structured import (
    SchemaError,
    extract_json,
    find_problems,
    from_strict,
    schema_to_gbnf,
    schema_to_lark,
    strict_projection,
    to_strict,
)
from symops_lark.answers.structured.arriving import ObjectStream
from symops_lark.answers.structured.schema import budget
from symops_lark.answers.structured.schema.budget import TooComplexError, canonical, time_limit
from symops_lark.answers.structured.schema.schemas import problem_finder

SECONDS = 20  # of the processor; the largest takes about 2, and each was endless, or minutes long
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, -0.0, 1.0, 1.5, 2**53, 1e300])
    | st.text("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "STEPS", 10_000)  # of 100,000: the tests have no minute for it


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("name", SLOW)
def test_judging_ends(name: str) -> None:
    schema, value = SLOW[name]
    begin = time.process_time()
    problems = find_problems(value, schema)
    assert time.process_time() - begin < SECONDS
    assert all(len(problem.message) < 300 for problem in problems)


@pytest.mark.parametrize("name", ODD)
def test_odd_numbers_references_and_characters_are_told(name: str) -> None:
    schema, value = ODD[name]
    try:
        find_problems(value, schema)
    except SchemaError as error:
        assert len(str(error)) < 400


@pytest.mark.slow
@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_what_is_too_complex_is_never_accepted(keyword: str) -> None:
    schema = doubling(keyword, {"type": "object", "required": ["b"]} if keyword == "anyOf" else {"type": "object"})
    assert [(problem.pointer, problem.code) for problem in find_problems({"a": 1}, schema)] == [("", "too-complex")]
    extracted = extract_json('{"a": 1} or {"a": 2}', schema)
    assert extracted.value is None
    assert [diagnostic.code for diagnostic in extracted.diagnostics] == ["too-complex"]
    stream = ObjectStream(schema)
    assert stream.feed('{"a": 1}') == ()
    assert stream.close().value is None


@pytest.mark.slow
def test_the_objects_of_one_reply_share_a_budget() -> None:
    schema = doubling("allOf", {"type": "object", "properties": {"a": {"const": 2}}}, depth=10)
    assert [problem.code for problem in find_problems({"a": 1}, schema)] == ["does-not-fit"] * 5
    assert extract_json('{"a": 1} {"a": 2}', schema).value == {"a": 2}
    anyhow = doubling("anyOf", {"type": "object", "properties": {"a": {"const": 2}}}, depth=10)
    extracted = extract_json('{"a": 2} ' + '{"a": 1} ' * 100, anyhow)  # each takes some thousand steps
    assert extracted.value is None
    assert "too-complex" in [diagnostic.code for diagnostic in extracted.diagnostics]


@given(VALUES, VALUES)
def test_equality_is_that_of_json(one: Any, other: Any) -> None:
    is_same = Draft202012Validator({"const": one}).is_valid(other)
    assert (canonical(one) == canonical(other)) is is_same
    for schema in ({"const": one}, {"enum": [one]}):
        assert (not find_problems(other, schema)) is is_same
    assert (not find_problems([one, other], {"uniqueItems": True})) is not is_same


def test_numbers_and_truth_values() -> None:
    assert find_problems([1, True, "1", [1], [True]], {"uniqueItems": True}) == []
    assert find_problems([1, 1.0], {"uniqueItems": True})
    assert find_problems([{"a": [0]}, {"a": [-0.0]}], {"uniqueItems": True})


def test_a_part_of_another_draft_is_judged_by_linear_patterns() -> None:
    schema, value = SLOW["a part of another draft"]
    assert find_problems(value, schema) == []
    assert find_problems({"aaa": 1}, schema) != []


@pytest.mark.parametrize("keyword", ["patternProperties", "additionalProperties", "unevaluatedProperties"])
def test_patterns_of_names_mean_what_they_meant(keyword: str) -> None:
    schema: dict[str, Any] = {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False}
    if keyword == "unevaluatedProperties":
        schema = {"allOf": [{"patternProperties": {"^a": {"type": "integer"}}}], keyword: False}
    assert find_problems({"ab": 1}, schema) == []
    assert find_problems({"ab": "x"}, schema) != []
    assert find_problems({"ba": 1}, schema) != []


def test_a_pattern_that_no_automaton_runs_is_told_before_anything_is_judged() -> None:
    schemas: list[dict[str, Any]] = [{"patternProperties": {"(?=a)": {}}}, {"pattern": r"(a)\1"}]
    for schema in schemas:
        with pytest.raises(SchemaError, match=r"^/pattern.*linear time"):
            find_problems(1, schema)


def test_patterns_without_re2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    schema = {"patternProperties": {SLOW_PATTERN: {"type": "string"}}, "additionalProperties": False}
    assert find_problems({"a" * 2_000 + "!": 1}, schema) != []
    assert find_problems({"aaa": "x"}, schema) == []


def test_a_time_limit_ends_judging() -> None:
    schema, value = SLOW["items"]
    find = problem_finder(schema)
    with time_limit(0.0):
        assert [problem.code for problem in find(value)] == ["too-complex"]


@pytest.mark.slow
def test_small_shapes_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    begin = time.process_time()
    assert [problem.code for problem in find_problems(1, doubling("anyOf"))] == ["too-complex"]
    assert find_problems([[-1]] * 3_000, {"items": {"enum": [[number] for number in range(3_000)]}}) != []
    with pytest.raises(SchemaError):
        find_problems(1, {"$ref": "#"})
    for schema in ({"properties": 5}, {"anyOf": 5}, {"minimum": "x"}, {"enum": 5}, {"required": 5}):
        for value in ({"a": 1},) if "minimum" not in schema else (1,):
            with pytest.raises(SchemaError):
                find_problems(value, schema)
    with pytest.raises(SchemaError, match="/pattern: to check this, jsonschema is needed"):
        find_problems("b", {"$ref": "#/default", "default": {"pattern": "a"}})
    assert time.process_time() - begin < SECONDS


def test_whole_numbers_of_schemas_without_an_end() -> None:
    itself = {"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}, {"$ref": "#/properties/a"}]}}}
    assert repr(extract_json('{"a": 2.0}', itself).value) == "{'a': 2}"
    twice = {f"d{n}": {"anyOf": [{}, {"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(60)}
    schema = {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": twice | {"d60": {"type": "integer"}}}
    assert repr(extract_json('{"a": 2.0}', schema).value) == "{'a': 2}"


def test_a_reference_to_itself_does_not_hang_an_object_that_arrives() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/x"}}}
    stream = ObjectStream(schema)
    assert stream.feed('{"a": {"b": 1}}') == ()
    assert stream.close().value is None


ENDLESS = {
    "itself": {"type": "object", "properties": {"a": {"allOf": [{"$ref": "#/properties/a"}]}}},
    "the root": {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
    "doubling allOf": {"type": "object", "properties": {"a": doubling("allOf")}, "$defs": doubling("allOf")["$defs"]},
    "doubling anyOf": {"type": "object", "properties": {"a": doubling("anyOf")}, "$defs": doubling("anyOf")["$defs"]},
    "doubling oneOf": {"type": "object", "properties": {"a": doubling("oneOf")}, "$defs": doubling("oneOf")["$defs"]},
    "an endless minimum": {"type": "integer", "minimum": float("inf")},
    "items of another kind": {"type": "array", "minItems": "x", "items": {"type": "null"}},
    "fixed numbers beside any": {"anyOf": [{"type": "number"}, {"enum": [10**16 + number for number in range(500)]}]},
    "many members": {
        "type": "object",
        "properties": {f"n{number}": {"type": "null"} for number in range(3_000)},
        "additionalProperties": False,
    },
}


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("make", [schema_to_lark, schema_to_gbnf, strict_projection])
@pytest.mark.parametrize("name", ENDLESS)
def test_grammars_and_projections_of_hostile_schemas_end(name: str, make: Any) -> None:
    begin = time.process_time()
    try:
        make(ENDLESS[name])
    except SchemaError as error:
        assert str(error)
    assert time.process_time() - begin < SECONDS


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("carry", [to_strict, from_strict])
@pytest.mark.parametrize("name", ENDLESS)
def test_values_are_carried_in_a_bounded_number_of_steps(name: str, carry: Any) -> None:
    begin = time.process_time()
    try:
        carry({"a": 1}, ENDLESS[name])
    except SchemaError as error:
        assert isinstance(error, TooComplexError) or str(error)
    assert time.process_time() - begin < SECONDS
