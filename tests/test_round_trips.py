"""What is written as JSON is read again as it was: each class of the front doors with `to_dict` has `from_dict`."""

from __future__ import annotations

import json
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import documents_of_any_dialect

import symops_lark
from symops_lark import Document, Outcome, Plan, ProtocolError, Result, StreamResult, SymOpsError
from symops_lark.document import Action, Part
from symops_lark.judgment import Judgment, Stage
from symops_lark.models import Message, Reply, Usage
from symops_lark.repairs import Repair
from symops_lark.result import TraceStep
from symops_lark.streaming import ActionFinished, ActionStarted, ContentDelta, Difference, Noticed, SectionParsed
from symops_lark.structured import Answer, Attempt, Extraction
from symops_lark.workspace.changes import Change
from symops_lark.workspace.commands import CommandResult
from symops_lark.workspace.execution import Step
from symops_lark.workspace.journal import Undone

TEXTS = st.text(max_size=5)
OF: dict[Any, st.SearchStrategy[Any]] = {
    float: st.floats(allow_nan=False),
    str: TEXTS,
    int: st.integers(),
    bool: st.booleans(),
    bytes: st.sampled_from([b"", b"x\r\n", b"\xff\x00", "é".encode()]),
    Document: documents_of_any_dialect(),
    dict[str, Any]: st.dictionaries(TEXTS, st.integers() | st.none() | TEXTS, max_size=2),
    tuple[tuple[str, str], ...]: st.dictionaries(TEXTS, TEXTS, max_size=2).map(lambda made: tuple(made.items())),
    tuple[tuple[str, float], ...]: st.dictionaries(TEXTS, st.floats(0, 1), max_size=2).map(lambda d: tuple(d.items())),
    Message: st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.text("ab\n", max_size=4)),
    Part: st.recursive(
        st.builds(Part, TEXTS, TEXTS),
        lambda parts: st.builds(Part, TEXTS, parts=st.lists(parts, max_size=2).map(tuple)),
        max_leaves=4,
    ),
    ProtocolError: st.builds(ProtocolError, TEXTS, documents_of_any_dialect()),
}


@cache
def strategy_of(hint: Any) -> st.SearchStrategy[Any]:
    """Return what makes values of an annotation."""
    inner = get_args(hint)
    if hint in OF:
        return OF[hint]
    if get_origin(hint) is tuple:
        return st.lists(strategy_of(inner[0]), max_size=2).map(tuple)
    if inner:
        return st.one_of(*(st.none() if kind is type(None) else strategy_of(kind) for kind in inner))
    if issubclass(hint, Enum):
        return st.sampled_from([*hint])
    return st.builds(hint, **{name: strategy_of(kind) for name, kind in get_type_hints(hint).items()})


DATACLASSES = (Result, TraceStep, Repair, Plan, Change, Outcome, Step, CommandResult, Undone, Difference, StreamResult)
FURTHER_ONES = (Reply, Usage, Answer, Attempt, Extraction, Judgment, Stage, ContentDelta, ActionFinished, Noticed)
MADE = {kind.__name__: strategy_of(kind) for kind in (*DATACLASSES, *FURTHER_ONES, SectionParsed, Message)}
HEADS = st.builds(Action, TEXTS, TEXTS, dependencies=strategy_of(tuple[str, ...]), number=st.none() | st.integers())
MADE["ActionStarted"] = st.builds(ActionStarted, st.integers(), HEADS)  # its content is still to come


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=15)
@given(data=st.data())
def test_what_is_written_is_read_again(name: str, data: st.DataObject) -> None:
    value = data.draw(MADE[name])
    written = json.loads(json.dumps(value.to_dict()))
    again = type(value).from_dict(written)
    assert again == value and again.to_dict() == value.to_dict()


ROOMS = ("", ".models", ".streaming", ".structured", ".judgment")
FURTHER = (Change, Step, CommandResult, Undone, Repair, TraceStep)  # what those of the front door hold


def test_whatever_is_public_and_is_written_can_be_read() -> None:
    rooms = [import_module(f"symops_lark{room}") for room in ROOMS]
    public = {getattr(room, name) for room in rooms for name in room.__all__ if isinstance(getattr(room, name), type)}
    written = {kind for kind in {*public, *FURTHER} if hasattr(kind, "to_dict")}
    assert {kind.__name__ for kind in written if not hasattr(kind, "from_dict")} == set()
    elsewhere = {"Document", "Diagnostic", "Span"}  # in test_json_objects.py
    assert {kind.__name__ for kind in written} == {*MADE, *elsewhere}


WRONG: list[tuple[Any, Any, str]] = [
    (Result, [], "the value: an object is expected, and found was a list"),
    (Result, {"phase": "done"}, "phase: one of strict, repaired, recovered, corrected, extracted is expected"),
    (
        Result,
        {"phase": "strict", "confidence": 1, "document": {"sections": [{"kind": "thought", "text": 5}]}},
        "document.sections[0].text: a text is expected, and found was a number",
    ),
    (Plan, {"changes": [{"number": "1"}]}, "changes[0].number: a whole number is expected, and found was '1'"),
    (Outcome, {"steps": [{"status": "done"}]}, "steps[0].change: an object is expected, but there is none"),
    (Message, {"role": "robot", "content": ""}, "the value: a message has the role 'robot'"),
    (StreamResult, {"result": 5}, "result: an object is expected, and found was a number"),
    (Noticed, {"event": "diagnostic"}, "code: a text is expected, but there is none"),
    (SectionParsed, {"event": "thought"}, "text: a text is expected, but there is none"),
]


@pytest.mark.parametrize(("kind", "data", "told"), WRONG)
def test_bad_data_is_told_with_its_place(kind: Any, data: Any, told: str) -> None:
    with pytest.raises(SymOpsError) as caught:
        kind.from_dict(data)
    assert str(caught.value).startswith(told)


CHANGE = {"number": 1, "operation": "create", "path": "a", "action": {"kind": "action", "type": "create", "path": "a"}}


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        ({"after": {"bytes": 3}}, "changes[0].after: a text, null, or an object with bytes in `base64` is expected"),
        ({"after": {"base64": "ä"}}, "changes[0].after: a text, null, or an object with bytes"),
        ({"action": {"kind": "thought", "text": ""}}, "changes[0].action: a section whose `kind` is action"),
        ({"action": {"kind": "action", "type": 5}}, "changes[0].action.type: a text is expected"),
    ],
)
def test_changes_with_bad_data_are_told_with_their_place(spoilt: dict[str, Any], told: str) -> None:
    assert Plan.from_dict({"changes": [CHANGE]}).changes[0].action == Action("create", "a")
    with pytest.raises(SymOpsError) as caught:
        Plan.from_dict({"changes": [CHANGE | spoilt]})
    assert str(caught.value).startswith(told)


def test_a_plan_that_travelled_as_json_is_carried_out(tmp_path: Path) -> None:
    (tmp_path / "old.bin").write_bytes(b"\xff\x00")
    document = symops_lark.parse("::create @new.py\n<<<\nx = 1\n>>>\n::delete @old.bin\n")
    for folder in (tmp_path, str(tmp_path)):
        made = symops_lark.plan(document, folder)
        assert made.changes[1].before == b"\xff\x00"
    outcome = symops_lark.apply(
        Plan.from_dict(json.loads(json.dumps(made.to_dict()))), tmp_path, confirm=lambda _: True
    )
    assert outcome.done and (tmp_path / "new.py").read_text() == "x = 1\n" and not (tmp_path / "old.bin").exists()
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome
    with pytest.raises(symops_lark.WorkspaceError, match="there is no such folder"):
        symops_lark.plan(document, tmp_path / "nowhere")
