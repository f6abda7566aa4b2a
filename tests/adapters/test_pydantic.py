"""Results as Pydantic models: there and back, in JSON the same as `to_dict` writes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from new_dialects import NEW, write_dialects
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError
from strategies import documents_of_any_dialect, replies

from symops_lark import Document, ProtocolError, Result, StreamParser, apply, parse, plan, process, schema
from symops_lark.adapters import pydantic as models
from symops_lark.adapters.pydantic import DocumentModel, EventModel, OutcomeModel, PlanModel, ResultModel, SectionModel

BROKEN = ">> Two.\nconfidence: 90%\n::Create a.py\n---\nx = 1\n>>>\n? Which?\n  1. a\n! NotFound @c.py\nSo be it.\n"


def assert_the_same(result: Result) -> None:
    model = ResultModel.of(result)
    assert model.model_dump(mode="json") == result.to_dict()
    repeated = ResultModel.model_validate_json(model.model_dump_json())
    assert repeated == model and repeated.to_result() == result
    Draft202012Validator(schema("result")).validate(json.loads(model.model_dump_json()))


@pytest.mark.slow
@settings(max_examples=20)
@given(replies())
def test_results_come_back(text: str) -> None:
    try:
        result = process(text)
    except ProtocolError as error:
        assert DocumentModel.of(error.document).to_document() == error.document
    else:
        assert_the_same(result)


@pytest.mark.slow
@settings(max_examples=20)
@given(documents_of_any_dialect())
def test_documents_come_back(document: Document) -> None:
    model = DocumentModel.of(document)
    assert model.to_document() == document and model.model_dump(mode="json") == document.to_dict()


class Order(BaseModel):
    number: int
    result: ResultModel


def test_it_is_a_field_of_models() -> None:
    result = process(BROKEN)
    assert_the_same(result)
    order = Order.model_validate({"number": 1, "result": result.to_dict()})
    assert order.result.document.sections[2].kind == "action" and pickle.loads(pickle.dumps(order)) == order
    described = Order.model_json_schema(mode="serialization")
    Draft202012Validator(described).validate(order.model_dump(mode="json"))
    Draft202012Validator(described).validate(order.model_dump(mode="json", exclude_unset=True))


def test_half_of_a_character_stays_in_the_model() -> None:
    result = process("::create @caf\udce9.py\n<<<\nx\n>>>\n")
    model = ResultModel.of(result)
    assert model.to_result() == result and json.loads(json.dumps(model.model_dump(mode="json"))) == result.to_dict()
    assert not plan(result.document, ".").possible
    with pytest.raises(PydanticSerializationError, match="surrogates"):
        model.model_dump_json()


MODELS = [getattr(models, name) for name in models.__all__ if hasattr(getattr(models, name), "model_json_schema")]
# What FastAPI has as `response_model_exclude_unset` and the like.
LEFT_OUT: list[dict[str, Any]] = [
    {"exclude_unset": True},
    {"exclude_defaults": True},
    {"exclude_none": True},
    {"include": {"phase"}},
    {"exclude": {"readings"}},
    {"exclude": {"document": {"sections": {"__all__": {"edits"}}}}},
]


@pytest.mark.parametrize("left_out", LEFT_OUT, ids=str)
def test_members_may_be_left_out_of_the_json(left_out: dict[str, Any]) -> None:
    for reply, readings in ((BROKEN, 1), ("create a.py\n<<<\nx = 1\n>>\n", 5)):
        model = ResultModel.of(process(reply, readings=readings))
        dumped = model.model_dump(mode="json", **left_out)
        assert json.loads(model.model_dump_json(**left_out)) == dumped
        assert dumped.keys() <= model.model_dump(mode="json").keys()
        if left_out.get("exclude_unset"):
            assert ResultModel.model_validate(dumped) == model


@pytest.mark.parametrize("model", MODELS)
def test_frameworks_publish_the_schema_of_what_is_written(model: type[BaseModel]) -> None:
    schemas = [model.model_json_schema(mode=mode) for mode in ("validation", "serialization")]
    assert schemas[0] == schemas[1] and not model.__private_attributes__
    assert schemas[1].keys() & {"properties", "oneOf", "$ref"}


@pytest.mark.parametrize(
    ("spoilt", "place"),
    [
        ({"phase": "done"}, ("phase",)),
        ({"confidence": 2}, ("confidence",)),
        ({"colour": "red"}, ("colour",)),
        ({"document": {"sections": [{"kind": "deed"}]}}, ("document", "sections", 0)),
    ],
)
def test_other_values_are_refused(spoilt: dict[str, Any], place: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        ResultModel.model_validate(process(BROKEN).to_dict() | spoilt)
    assert caught.value.errors()[0]["loc"] == place


def test_models_know_every_key_of_the_schemas() -> None:
    assert set(ResultModel.model_fields) == set(schema("result")["properties"])
    assert set(DocumentModel.model_fields) == set(schema("document")["properties"])
    table = {model.model_fields["kind"].default: model for model in get_args(get_args(SectionModel)[0])}
    sections = {
        name: rows for name, rows in schema("document")["$defs"].items() if "kind" in rows.get("properties", {})
    }
    assert {name: set(model.model_fields) for name, model in table.items()} == {
        name: set(rows["properties"]) for name, rows in sections.items()
    }


def test_readings_come_back() -> None:
    result = process("create a.py\n<<<\nx = 1\n>>\n::run @ls\n<<<\n", "v2", readings=5)
    assert len(result.readings) > 1
    assert_the_same(result)


@pytest.mark.slow
def test_what_a_dialect_has_of_its_own_comes_back(tmp_path: Path) -> None:
    for name, path in write_dialects(tmp_path).items():
        for text in (NEW[name].text, *NEW[name].broken):
            assert_the_same(process(text, path))


def test_plans_and_outcomes_come_back(tmp_path: Path) -> None:
    (tmp_path / "old.bin").write_bytes(b"\xff")
    text = "::create @a.py\n<<<\nx = 1\n>>>\n::delete @old.bin\n::run @no-such-command\n"
    planned_changes = plan(parse(text), tmp_path)
    model = PlanModel.of(planned_changes)
    assert model.model_dump(mode="json") == planned_changes.to_dict() and model.changes[1].before is not None
    repeated = PlanModel.model_validate_json(model.model_dump_json())
    assert repeated.to_plan() == planned_changes
    outcome = apply(planned_changes, tmp_path, confirm=lambda change: True)
    done = OutcomeModel.of(outcome)
    assert done.model_dump(mode="json") == outcome.to_dict() and not done.done
    assert OutcomeModel.model_validate_json(done.model_dump_json()).to_outcome() == outcome
    for name, value in (("plan", model), ("outcome", done)):
        Draft202012Validator(schema(name)).validate(json.loads(value.model_dump_json()))
        assert set(type(value).model_fields) == set(schema(name)["properties"])


@pytest.mark.slow
def test_events_come_back(tmp_path: Path) -> None:
    texts = [(BROKEN, "v2"), ("::create @a.py\n@deps: b.py\n@x: 1\n@x: 2\n<<<\n>>>\n", "v2_1")]
    texts += [(NEW[name].text, str(path)) for name, path in write_dialects(tmp_path).items()]
    validator = Draft202012Validator(schema("event"))
    kinds = set()
    for text, dialect in texts:
        for event in StreamParser(dialect).events([text]):
            model = EventModel.of(event)
            validator.validate(json.loads(model.model_dump_json()))
            assert model.model_dump(mode="json") == event.to_dict()
            assert EventModel.model_validate_json(model.model_dump_json()).to_event() == event
            kinds.add(model.root.event)
    branches = [schema("event")["$defs"][row["$ref"].rpartition("/")[2]] for row in schema("event")["oneOf"]]
    assert kinds == {branch["properties"]["event"]["const"] for branch in branches}
    models = get_args(EventModel.model_fields["root"].annotation)
    members = {get_args(model.model_fields["event"].annotation)[0]: set(model.model_fields) for model in models}
    assert members == {row["properties"]["event"]["const"]: set(row["properties"]) for row in branches}
