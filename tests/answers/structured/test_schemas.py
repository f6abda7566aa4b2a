"""Values against schemas: by jsonschema, and without it for small closed shapes; what is missing is told."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_replies import JUDGMENT
from json_schemas import SCHEMAS, fitting, nearly_fitting

from symops_lark.answers.structured import Problem, SchemaError, extract_json, find_problems, prompt_suffix
from symops_lark.answers.structured.schema.shapes import find_misfits


@given(st.data(), SCHEMAS)
def test_small_shapes_are_judged_as_jsonschema_judges_them(data: st.DataObject, schema: dict[str, Any]) -> None:
    judge = jsonschema.Draft202012Validator(schema)
    for value in (data.draw(fitting(schema)), data.draw(nearly_fitting(schema))):
        assert (not find_misfits(value, schema)) is judge.is_valid(value), (schema, value)
        assert (not find_problems(value, schema)) is judge.is_valid(value)


def test_problems_have_pointers() -> None:
    schema = {"type": "object", "properties": {"a/b": {"type": "array", "items": {"type": "integer"}}}}
    for find in (find_problems, find_misfits):
        assert [problem.pointer for problem in find({"a/b": [1, "x", True]}, schema)] == ["/a~1b/1", "/a~1b/2"]
    assert str(Problem("", "why")) == "the value: why"


@pytest.mark.parametrize(
    ("value", "is_fine"),
    [(2, True), (2.0, True), (True, False), (2.5, False), ("2", False), (None, False), (1e300, True)],
)
def test_integers(value: Any, is_fine: bool) -> None:
    for find in (find_problems, find_misfits):
        assert (not find(value, {"type": "integer"})) is is_fine


def test_extraction_without_jsonschema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert extract_json('{"step": 2.0, "reason": "x"}', JUDGMENT).value == {"step": 2, "reason": "x"}
    assert extract_json('{"step": true, "reason": "x"}', JUDGMENT).value is None
    with pytest.raises(SchemaError, match=r"^/properties/a/pattern: .*symops-lark\[structured\]"):
        extract_json("{}", {"properties": {"a": {"pattern": "a+"}}})


def test_repair_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "json_repair", None)
    assert extract_json('{"a": 1}').value == {"a": 1}
    assert extract_json("{'a': None,}").value == {"a": None}  # Python reads it
    extracted = extract_json('{"a": 1 /* one */}')
    assert extracted.value is None
    assert [(diagnostic.code, diagnostic.hint) for diagnostic in extracted.diagnostics] == [
        ("repair-not-installed", "pip install 'symops-lark[structured]'")
    ]


WRONG: list[tuple[Any, str]] = [
    ({"type": "text"}, "/type: "),
    ({"properties": {"a": {"minimum": "x"}}}, "/properties/a/minimum: "),
    ({"properties": {"a": {"pattern": "(?=x)"}}}, "/properties/a/pattern: the pattern"),
    ({"$ref": "http://127.0.0.1:9/x.json"}, "the reference"),
    ({"$ref": "#/none"}, "the reference"),
]


@pytest.mark.parametrize(("schema", "message"), WRONG, ids=[str(schema) for schema, _ in WRONG])
def test_wrong_schema_is_told(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match="^" + message):
        extract_json('{"a": "b"}', schema)


def test_patterns_take_linear_time() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    assert extract_json('{"a": "%s!"}' % ("a" * 5_000), schema).value is None
    assert extract_json('{"a": "%s"}' % ("a" * 5_000), schema).value is not None


def test_schema_of_alternatives_makes_whole_numbers_where_they_are_asked_for() -> None:
    schema = {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}},
            "any": {"type": "number"},
        },
        "$defs": {"n": {"type": "integer"}},
    }
    extracted = extract_json('{"list": [1.0, null, 2e0], "any": 3.0}', schema)
    assert repr(extracted.value) == "{'list': [1, None, 2], 'any': 3.0}"


def test_suffix_of_a_prompt() -> None:
    suffix = prompt_suffix(JUDGMENT)
    lines = suffix.strip().split("\n")
    assert lines[0] == "---" and lines[1].startswith("IMPORTANT: ") and lines[-1] == "```"
    assert '```json\n{\n  "type": "object",' in suffix
    assert extract_json(suffix, JUDGMENT).diagnostics[-1].code == "schema-echoed"
    inner = prompt_suffix({"type": "object", "description": "in ```json fences```"})
    assert inner.rstrip().endswith("\n````") and "\n````json\n" in inner


WHOLE = st.integers() | st.floats(allow_nan=False).filter(float.is_integer)


@given(number=WHOLE | st.floats(allow_nan=False, allow_infinity=False), divisor=WHOLE.filter(lambda value: value > 0))
def test_multiples_are_exact_for_numbers_of_any_size(number: float, divisor: float) -> None:
    is_multiple = Fraction(number) % Fraction(divisor) == 0
    assert (find_problems(number, {"multipleOf": divisor}) == []) is is_multiple


@pytest.mark.parametrize("index", ["²", "9" * 5_000, "01", "-1"])
def test_a_reference_that_nothing_follows_may_have_any_index(index: str) -> None:
    schema = {"anyOf": [{}, {"$ref": f"#/anyOf/{index}"}]}
    assert extract_json('{"a": 1.0}', schema).value == {"a": 1.0}
