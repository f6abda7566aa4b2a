"""The grammar of a schema says what the schema says: for Lark, llguidance and llama.cpp; jsonschema judges."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import jsonschema
import lark
import pytest
from grammar_engines import MISSING, Engine, LlamaCpp, Llguidance
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from json_schemas import OBJECT_SCHEMAS, SCHEMAS, fitting, nearly_fitting
from json_values import written
from lark import Lark
from lark.exceptions import LarkError

from symops_lark.answers.structured import SchemaError, extract_json, schema_to_gbnf, schema_to_lark
from symops_lark.core.grammar.compiling.regular import read_pattern

NODE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    "required": ["name"],
    "additionalProperties": False,
}
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}
TREE = {**NODE, "$defs": {"node": NODE}}


def compiled(schema: dict[str, Any]) -> Lark:
    return Lark(schema_to_lark(schema), parser="lalr")


def parses(parser: Lark, text: str) -> bool:
    try:
        parser.parse(text)
    except LarkError:
        return False
    return True


def in_order(value: Any, schema: Any) -> bool:
    """Return whether all members stand in the order of the schema, and whole numbers are written as such."""
    if "anyOf" in schema:
        return any(
            jsonschema.Draft202012Validator(part).is_valid(value) and in_order(value, part) for part in schema["anyOf"]
        )
    if isinstance(value, dict):
        order = [name for name in schema["properties"] if name in value]
        return list(value) == order and all(in_order(value[name], schema["properties"][name]) for name in value)
    if isinstance(value, list):
        return all(in_order(item, schema["items"]) for item in value)
    types = schema.get("type", "")
    return not isinstance(value, float) or "number" in types


@given(st.data(), SCHEMAS)
def test_what_fits_parses_and_what_does_not_fit_does_not(data: st.DataObject, schema: dict[str, Any]) -> None:
    parser, judge = compiled(schema), jsonschema.Draft202012Validator(schema)
    for value in (data.draw(fitting(schema)), data.draw(nearly_fitting(schema))):
        text = data.draw(written(value))
        if not judge.is_valid(value):
            assert not parses(parser, text), (schema, text)
        elif in_order(value, schema):
            assert parses(parser, text), (schema, text)


class Writer:
    """Writes texts of a grammar, by its rules and the regular expressions of its terminals alone."""

    def __init__(self, grammar: Lark, drawn: random.Random) -> None:
        self.random = drawn
        self.terminals = {terminal.name: read_pattern(terminal.pattern.to_regexp()) for terminal in grammar.terminals}
        self.rules: dict[str, list[list[Any]]] = {}
        for rule in grammar.rules:
            self.rules.setdefault(rule.origin.name, []).append(list(rule.expansion))

    def write(self, name: str = "start", depth: int = 0) -> str:
        ways = sorted(self.rules[name], key=len)
        way = ways[0] if depth > 12 else self.random.choice(ways)
        parts = [self._spell(self.terminals[s.name]) if s.is_term else self.write(s.name, depth + 1) for s in way]
        return "".join(parts)

    def _spell(self, node: Any) -> str:
        match node:
            case ("set", ranges, False):
                low, high = self.random.choice(list(ranges))
                return chr(self.random.randint(low, high))
            case ("set", _, True):
                return self.random.choice("aé日😀 {}[]:,'/0")
            case ("any", branches):
                return self._spell(self.random.choice(list(branches)))
            case ("all", parts):
                return "".join(map(self._spell, parts))
            case ("times", part, low, high, _):
                count = self.random.randint(low, low + 3 if high is None else high)
                return "".join(self._spell(part) for _ in range(count))
        raise AssertionError(node)


@given(st.integers(0, 2**32), OBJECT_SCHEMAS)
def test_all_that_the_grammar_writes_fits(seed: int, schema: dict[str, Any]) -> None:
    grammar = Lark(schema_to_lark(schema), parser="lalr")
    writer, judge = Writer(grammar, random.Random(seed)), jsonschema.Draft202012Validator(schema)
    for _ in range(5):
        text = writer.write()
        assert judge.is_valid(json.loads(text)), (schema, text)
        extracted = extract_json(text, schema)
        assert extracted.strategy == "direct" and not extracted.repaired, (text, extracted)


@given(st.data(), OBJECT_SCHEMAS)
def test_decoders_allow_what_the_parser_allows(data: st.DataObject, schema: dict[str, Any]) -> None:
    engines: list[Engine] = [Llguidance(schema_to_lark(schema))] if "llguidance" not in MISSING else []
    engines += [LlamaCpp(schema_to_gbnf(schema))] if "xllamacpp" not in MISSING else []
    parser = compiled(schema)
    for value in [data.draw(fitting(schema)), *(data.draw(nearly_fitting(schema)) for _ in range(3))]:
        for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, separators=(",", ":"))):
            for engine in engines:
                assert engine.accepts(text) == parses(parser, text), (schema, text, engine)
    assert engines


@pytest.mark.parametrize("depth", [0, 1, 30])
def test_schema_that_refers_to_itself(depth: int) -> None:
    parser = compiled(TREE)
    value: dict[str, Any] = {"name": "leaf"}
    for number in range(depth):
        value = {"name": str(number), "parts": [value, {"name": "x"}]}
    text = json.dumps(value, indent=1)
    assert parses(parser, text) and LlamaCpp(schema_to_gbnf(TREE)).accepts(json.dumps(value))
    assert not parses(parser, text.replace('"leaf"', "1"))


@pytest.mark.slow
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OBJECT_SCHEMAS)
def test_no_two_terminals_of_one_place_can_be_confused(monkeypatch: pytest.MonkeyPatch, schema: dict[str, Any]) -> None:
    pytest.importorskip("interegular")
    monkeypatch.setattr(lark.lexer, "has_interegular", True)
    assert Lark(schema_to_lark(schema), parser="lalr", strict=True)


def test_grammar_keeps_to_the_portable_subset() -> None:
    schema = {"type": "object", "properties": {"a": {"type": ["string", "number", "integer", "null"]}}}
    patterns = re.findall(r"^[A-Z_0-9]+: /(.*)/$", schema_to_lark(schema), re.MULTILINE)
    assert len(patterns) >= 4
    for pattern in patterns:
        bare = re.sub(r"\\.|\[[^\]]*\]", "", pattern)
        assert not re.search(r"[.^${}]|\(\?", bare), pattern
        assert not re.search(r"[?*+][?*+]", re.sub(r"\\.|\[[^\]]*\]", "x", pattern)), pattern
        assert not re.search(r"\\[dwsbDWSB]", pattern), pattern


REFUSED = [
    ({}, "the schema: the type is missing"),
    (True, "the schema: a schema that allows everything"),
    ({"type": "object", "properties": {"a": {}}}, "/properties/a: the type is missing"),
    ({"type": "object", "properties": {}, "additionalProperties": True}, "/additionalProperties: "),
    ({"type": "object", "properties": {}, "required": ["a"]}, "/required: 'a' is required"),
    ({"type": "object", "properties": {"x/y": {"type": "string", "pattern": "a"}}}, "/properties/x~1y/pattern: "),
    ({"type": "string", "maxLength": 3}, "/maxLength: "),
    ({"type": "string", "minLength": 2}, "/minLength: a length is not counted"),
    ({"type": "integer", "minimum": 5}, "/minimum: one limit alone"),
    ({"type": "integer", "minimum": 0, "maximum": 5000}, "/maximum: between the two limits"),
    ({"type": "integer", "minimum": 3, "exclusiveMaximum": 3}, "/maximum: no number lies between"),
    ({"type": "number", "maximum": 2}, "/maximum: "),
    ({"type": "number", "multipleOf": 2}, "/multipleOf: this keyword has no grammar"),
    ({"type": "array"}, "the schema: `items` is missing"),
    ({"type": "array", "items": {"type": "null"}, "uniqueItems": True}, "/uniqueItems: "),
    ({"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 1}, "/maxItems: "),
    ({"type": "array", "items": {"type": "null"}, "minItems": 1000}, "/minItems: "),
    ({"enum": [[1]]}, "the schema: a fixed value can only be"),
    ({"type": "string", "enum": [1]}, "the schema: none of the fixed values"),
    ({"type": "text"}, "/type: 'text' is not a type"),
    ({"anyOf": [EMPTY, {**EMPTY, "title": "other"}]}, "the schema: two kinds of objects"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "/oneOf/1: "),
    ({"anyOf": []}, "/anyOf: a list of schemas"),
    ({"$ref": "#/$defs/none"}, "/$ref: the reference '#/$defs/none' leads nowhere"),
    ({"$ref": "other.json"}, "/$ref: the reference 'other.json' leads out"),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, "the schema: the schema refers to itself"),
    ({"allOf": [{"type": "string"}]}, "the schema: the type is missing"),
    ({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}, "the schema: no finite value"),
]


@pytest.mark.parametrize(("schema", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_schema_without_a_grammar_is_refused_with_its_place(schema: Any, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        schema_to_lark(schema)
    assert str(caught.value).startswith(message)
