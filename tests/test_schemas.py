"""The JSON Schemas hold for what the package really writes and reads, and refuse what it does not."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from corpus_reader import Case, corpus_files, read_corpus
from crashes import change, command
from jsonschema import Draft202012Validator
from trees import CORPUS_TREE

from symops_lark import (
    Document,
    ProtocolError,
    Result,
    SymOpsError,
    apply,
    parse,
    plan,
    process,
    recover,
    repair,
    schema,
    undo,
)
from symops_lark.acting.changes import Plan
from symops_lark.acting.commands.commands import Runner
from symops_lark.adapters.cli import symops
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.ground.schemas import SCHEMAS
from symops_lark.core.repairs.loader import all_rules
from symops_lark.core.repairs.rule import ROLES, VERBS

FULL = """\
>> Two files and a run.
::c0.88 ::m0.85 ::f0.95 ::s0.78

::create @a.py
<<<
x = 1
>>>
::create @b.py >a.py, c.py
<<<
>>>
::delete @old.py
::run @python b.py > out.txt
? "Which one?"
  1. this
  2. that
! NotFound @c.py
! Stuck
"""
BROKEN = [
    FULL.replace("::create", "create"),
    FULL.replace("<<<", "```python").replace(">>>\n", "```\n"),
    "Sure!\n\n" + FULL + "\nThat is all.\n",
    FULL[: FULL.index("x = 1") + 3],
    FULL.replace(">>>\n", "", 1),
    FULL.replace("0.88", "1.7"),
    "<think>\n::create @draft.py\n</think>\n" + FULL,
]


DOCUMENT, RESULT, PLAN, OUTCOME, RULE = map(schema, ("document", "result", "plan", "outcome", "rule"))


def complaints(schema: dict[str, Any], value: Any) -> list[str]:
    validator = Draft202012Validator(schema)  # without a registry
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def process_any(text: str, dialect: str = "v2") -> Document:
    try:
        return process(text, format=dialect).document
    except ProtocolError as error:
        return error.document


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False))


NOT_WHOLE = {"required": [], "properties": {}, "additionalProperties": True}


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_schema_stands_by_itself(name: str) -> None:
    result = schema(name)
    Draft202012Validator.check_schema(result)
    assert result["$id"] == f"urn:symops-lark:{name}"
    refs = re.findall(r'"\$ref": "([^"]*)"', json.dumps(result))
    assert {ref.removeprefix("#/$defs/") for ref in refs} == set(result.get("$defs", {}))


def test_what_several_schemas_define_is_the_same() -> None:
    defined: dict[str, Any] = {}
    for name in ("document", "result", "event", "plan", "outcome"):
        for key, definition in schema(name)["$defs"].items():
            key = f"{key} of {name}" if key == "step" else key  # of a trace; of an outcome
            assert defined.setdefault(key, definition) == definition, (name, key)
    complete, inside = DOCUMENT, defined["document"]
    assert all(complete[key] == inside[key] for key in ("type", "required", "properties", "additionalProperties"))


def test_a_schema_that_is_not_there_is_told() -> None:
    with pytest.raises(SymOpsError, match=r"there is no schema 'resutl'; there are .* \(did you mean 'result'\?\)"):
        schema("resutl")
    done = CliRunner().invoke(symops, ["schema", "result"])
    assert json.loads(done.stdout) == RESULT and CliRunner().invoke(symops, ["schema"]).stdout.split() == [*SCHEMAS]


# ---- documents and results


@pytest.mark.parametrize("text", [FULL, "", *BROKEN, "just prose\n"])
def test_document_schema_and_round_trip(text: str) -> None:
    for document in (process_any(text), recover(text)):
        data = through_json(document.to_dict())
        assert complaints(DOCUMENT, data) == []
        back = Document.from_dict(data)
        assert back == document
        assert back.to_dict() == document.to_dict(), "spans, confidence and completeness come back as well"


@pytest.mark.parametrize("text", [FULL, *BROKEN])
def test_result_schema(text: str) -> None:
    assert complaints(RESULT, through_json(process(text, format="v2").to_dict())) == []


def test_all_node_kinds_are_tried() -> None:
    kinds = {section["kind"] for text in (FULL, *BROKEN) for section in recover(text).to_dict()["sections"]}
    items = {branch["$ref"].rpartition("/")[2] for branch in DOCUMENT["$defs"]["section"]["oneOf"]}
    assert kinds == items - {"custom"}  # tests/test_new_dialects.py tries those


def test_all_keys_are_described() -> None:
    result = process(BROKEN[0], format="v2")
    assert isinstance(result, Result)
    data = result.to_dict()
    assert set(data) == set(RESULT["properties"]) - {"readings"}  # there only if they were asked for
    assert set(data["diagnostics"][0]) == set(RESULT["$defs"]["diagnostic"]["properties"])
    assert set(data["repairs"][0]) == set(RESULT["$defs"]["repair"]["properties"])
    assert set(data["trace"][0]) == set(RESULT["$defs"]["step"]["properties"])
    for section in data["document"]["sections"]:
        described = set(DOCUMENT["$defs"][section["kind"]]["properties"])
        optional = {"repeated_attributes", "edits"}  # there only if there are any
        assert described - optional == set(section) - optional


@pytest.mark.parametrize("change", ["kind", "span", "extra", "completeness", "confidence"])
def test_document_schema_refuses(change: str) -> None:
    data = through_json(parse(FULL).to_dict())
    action = next(section for section in data["sections"] if section["kind"] == "action")
    match change:
        case "kind":
            action["kind"] = "deed"
        case "span":
            action["span"]["line"] = 0
        case "extra":
            action["colour"] = "red"
        case "completeness":
            action["completeness"] = "half"
        case "confidence":
            action["confidence"] = 1.5
    assert complaints(DOCUMENT, data)


def test_repairs_are_json() -> None:
    repaired = repair(BROKEN[0])
    assert repaired.repairs
    for single_repair in repaired.repairs:
        assert complaints(RESULT | {"$ref": "#/$defs/repair", **NOT_WHOLE}, through_json(single_repair.to_dict())) == []


# ---- plans and outcomes


PLANNED = [case for case in read_corpus(corpus_files()) if "plan" in case.facets]


@pytest.mark.parametrize("case", PLANNED, ids=lambda case: case.id)
def test_plan_schema(case: Case) -> None:
    data = through_json(plan(process(case.text, case.dialect).document, CORPUS_TREE).to_dict())
    assert complaints(PLAN, data) == []
    assert set(data) == set(PLAN["properties"])
    for single_change in data["changes"]:
        assert set(single_change) == set(PLAN["$defs"]["change"]["properties"])


def test_plans_of_all_kinds_are_tried() -> None:
    plans = [plan(process(case.text, case.dialect).document, CORPUS_TREE) for case in PLANNED]
    items = [single_change for single_plan in plans for single_change in single_plan.changes]
    properties = PLAN["$defs"]["change"]["properties"]
    assert {str(item.decision) for item in items} == set(properties["decision"]["enum"])
    assert {str(single_item.operation) for single_item in items} == set(PLAN["$defs"]["operation"]["enum"])
    assert any(element.conflicts for element in plans) and any(entry.notes for entry in plans)


@pytest.mark.parametrize(
    "spoilt",
    [
        {"decision": "maybe"},
        {"decision": "ask"},
        {"reasons": ["why"]},
        {"before": "x"},
        {"after": None},
        {"after": {"bytes": 0}},
        {"number": 0},
        {"mode": 4096},
        {"extra": 1},
        {"operation": "delete"},
    ],
)
def test_plan_schema_refuses(spoilt: dict[str, Any]) -> None:
    data = through_json(Plan((change(1, "a", None, b"\xff", mode=0o644),)).to_dict())
    assert complaints(PLAN, data) == [] and data["changes"][0]["after"] == {"bytes": 1, "base64": "/w=="}
    data["changes"][0] |= spoilt
    assert complaints(PLAN, data)


def test_outcome_schema(tmp_path: Path) -> None:
    created = (change(1, "a", None, b"A"), command(2, "ls"), command(3, "false"), command(4, "ls", needs=(3,)))
    changes = tuple(replace(item, reasons=("it is run",) if item.after is None else ()) for item in created)
    outcome = apply(Plan(changes), tmp_path, confirm=lambda _: True, run=Runner())
    data = through_json(outcome.to_dict())
    assert complaints(OUTCOME, data) == []
    assert {step["status"] for step in data["steps"]} == set(OUTCOME["$defs"]["step"]["properties"]["status"]["enum"])
    assert set(data["steps"][1]["command"]) == set(OUTCOME["$defs"]["command"]["properties"])
    undone = undo(tmp_path)
    brought = through_json(undone.to_dict())
    assert complaints(OUTCOME | {"$ref": "#/$defs/undone", **NOT_WHOLE}, brought) == []
    assert complaints(OUTCOME, data | {"recovered": brought}) == []
    data["steps"][0]["status"] = "half done"
    assert complaints(OUTCOME, data)


# ---- rule files


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_rule_schema(rule: Any) -> None:
    assert complaints(RULE, read_yaml(rule.path)) == []


def test_rule_schema_knows_the_loader_s_words() -> None:
    assert set(RULE["$defs"]["role"]["enum"]) == set(ROLES)
    assert {branch["required"][0] for branch in RULE["oneOf"]} == set(VERBS)


@pytest.mark.parametrize("change", ["no verb", "two verbs", "unknown key", "no examples", "role", "content verb"])
def test_rule_schema_refuses(change: str) -> None:
    good = read_yaml(find_folder("repair_rules") / "symbols" / "capital-verb.yaml")
    rule = copy.deepcopy(good)
    match change:
        case "no verb":
            del rule["lowercase"]
        case "two verbs":
            rule["replace"] = {"pattern": "a", "with": "b"}
        case "unknown key":
            rule["colour"] = "red"
        case "no examples":
            rule["examples"] = []
        case "role":
            rule["lines"] = ["haed"]
        case "content verb":
            del rule["lowercase"]
            rule["dedent"] = True
    assert complaints(RULE, good) == []
    assert complaints(RULE, rule)
