"""The projection of a schema for strict mode: what fits still fits, and comes back equal; what is lost is told."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_schemas import OBJECT_SCHEMAS, fitting

from symops_lark.answers.structured import SchemaError, from_strict, project, strict_projection, to_strict

A = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}


def check_strict(schema: Any) -> None:
    """Everything that OpenAI's strict mode asks of a schema, part by part."""
    if "$ref" in schema:
        assert set(schema) == {"$ref"} and schema["$ref"].startswith("#")
        return
    assert not {"oneOf", "allOf", "const", "not", "definitions", "default", "minLength", "if"} & set(schema)
    if "anyOf" in schema:
        for part in schema["anyOf"]:
            check_strict(part)
        return
    assert "type" in schema
    if "properties" in schema:
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
        for part in schema["properties"].values():
            check_strict(part)
    if "items" in schema:
        check_strict(schema["items"])
    for part in schema.get("$defs", {}).values():
        check_strict(part)


@given(st.data(), OBJECT_SCHEMAS)
def test_what_fits_is_carried_over_and_back(data: st.DataObject, schema: dict[str, Any]) -> None:
    created, value = project(schema), data.draw(fitting(schema))
    check_strict(created.schema)
    jsonschema.Draft202012Validator.check_schema(created.schema)
    carried = to_strict(value, schema)
    assert jsonschema.Draft202012Validator(created.schema).is_valid(carried), (created.schema, carried)
    back = from_strict(carried, schema)
    assert jsonschema.Draft202012Validator(schema).is_valid(back)
    if not any(loss.narrower for loss in created.dropped):
        assert back == value


def test_references_definitions_constants_and_alternatives() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "kind": {"const": "x"},
            "one": {"$ref": "#/definitions/A", "description": "beside"},
            "list": {
                "oneOf": [{"type": "string", "minLength": 2}, {"type": "array", "items": {"$ref": "#/definitions/A"}}]
            },
            "self": {"$ref": "#"},
            "both": {
                "allOf": [{"$ref": "#/definitions/A"}, {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]
            },
        },
        "required": ["kind"],
        "additionalProperties": False,
        "definitions": {"A": A},
    }
    created = project(schema)
    check_strict(created.schema)
    assert created.schema["properties"]["kind"] == {"type": "string", "enum": ["x"]}
    assert created.schema["properties"]["one"] == {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}
    assert created.schema["properties"]["self"] == {"anyOf": [{"$ref": "#"}, {"type": "null"}]}
    assert set(created.schema["$defs"]) == {"A"}
    assert [loss.pointer for loss in created.dropped] == [
        "/properties/list/oneOf",
        "/properties/list/oneOf/0/minLength",
        "/properties/one/description",
    ]
    value = {"kind": "x", "one": {}, "list": [{"a": "1"}, {}], "self": {"kind": "x"}}
    carried = to_strict(value, schema)
    assert jsonschema.Draft202012Validator(created.schema).is_valid(carried)
    assert from_strict(carried, schema) == value


def test_what_cannot_be_said_any_more_is_told() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "null"}},
        "required": ["b"],
    }
    created = project(schema)
    assert [(loss.pointer, loss.narrower) for loss in created.dropped] == [
        ("/additionalProperties", True),
        ("/properties/a", True),
    ]
    assert from_strict({"a": None, "b": None}, schema) == {"b": None}


@pytest.mark.parametrize(
    ("keyword", "value"), [("minLength", 1), ("not", {}), ("format", "uri"), ("x-own", 1), ("uniqueItems", True)]
)
def test_keyword_that_strict_mode_does_not_know_is_dropped_and_told(keyword: str, value: Any) -> None:
    part = {"type": "string", keyword: value}
    created = project({"type": "object", "properties": {"a": part}, "required": ["a"], "additionalProperties": False})
    assert created.schema["properties"]["a"] == {"type": "string"}
    assert [(loss.pointer, loss.narrower) for loss in created.dropped] == [(f"/properties/a/{keyword}", False)]


REFUSED = [
    ({"type": "string"}, "the schema: strict mode wants an object"),
    ({"anyOf": [A, A], "type": "object"}, "/anyOf: strict mode has no alternatives"),
    ({"type": "object"}, "the schema: members without names"),
    ({"type": "object", "properties": {"a": {}}}, "/properties/a: the type is missing"),
    ({"type": "object", "properties": {"a": True}}, "/properties/a: strict mode cannot ask"),
    ({"type": "object", "properties": {"a": {"type": "array"}}}, "/properties/a: `items` is missing"),
    ({"type": "object", "properties": {"a": {"type": "object", "additionalProperties": A}}}, "/properties/a: members"),
    ({"$ref": "#"}, "the schema: a reference leads back"),
    ({"type": "object", "properties": {"a": {"$ref": "#/none"}}}, "the reference '#/none' leads nowhere"),
]


@pytest.mark.parametrize(("schema", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_schema_that_strict_mode_cannot_ask_for(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        strict_projection(schema)
    assert str(caught.value).startswith(message)
