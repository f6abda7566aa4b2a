"""What is written as JSON is read again as it was: `from_dict` for every `to_dict` of the package, reports aside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
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
from symops_lark.acting.changes import Change
from symops_lark.acting.commands.commands import CommandResult
from symops_lark.acting.execution import Step
from symops_lark.acting.journal.transaction import Undone
from symops_lark.answers.judgment import Judgment, Stage
from symops_lark.answers.structured import Answer, Attempt, Extraction
from symops_lark.code_intelligence.gate.record import Call
from symops_lark.code_intelligence.gate.understanding import Gap, Understanding
from symops_lark.code_intelligence.requests.frame import Evidence, MappedSymbol, QueryFrame
from symops_lark.code_intelligence.requests.router import RoutingDecision
from symops_lark.core.document import Action, CustomSection, Part
from symops_lark.core.repairs import Repair
from symops_lark.core.replies.messages import Call as ToolCall
from symops_lark.core.result import Alternative, Divergence, TraceStep
from symops_lark.core.streaming import (
    ActionFinished,
    ActionStarted,
    ContentDelta,
    Difference,
    Noticed,
    SectionContent,
    SectionFinished,
    SectionParsed,
    SectionStarted,
)
from symops_lark.lab.benchmark.records import Provenance
from symops_lark.lab.benchmark.runlog import Header
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.tokens import Count
from symops_lark.lab.measuring.statistics import Rate
from symops_lark.lab.workbench.check.delimiters import Survey
from symops_lark.lab.workbench.check.report import Finding, Report
from symops_lark.lab.workbench.cost import Cost, Costs
from symops_lark.models import Message, Reply, Usage
from symops_lark.routing.audit import Audited, AuditReport
from symops_lark.routing.events import Event
from symops_lark.routing.logs.chain import Chain
from symops_lark.routing.logs.runs import Verdict as RunVerdict
from symops_lark.routing.metrics.metrics import Metric, MixedMetric
from symops_lark.routing.metrics.selection import Candidate, Selection
from symops_lark.routing.registry.promotion import Evidence as PromotionEvidence
from symops_lark.routing.registry.registry_events import Happening, Model
from symops_lark.routing.verifiers import Verdict

TEXTS = st.text(max_size=5)
NUMBERS = st.floats(-1e9, 1e9)
METRICS = st.builds(Metric, st.sampled_from(["metric_v1", "metric_v3"]), st.floats(0, 9), w_t=st.floats(0, 0.5))
OF: dict[Any, st.SearchStrategy[Any]] = {
    float: st.floats(allow_nan=False),
    str: TEXTS,
    int: st.integers(),
    bool: st.booleans(),
    bytes: st.sampled_from([b"", b"x\r\n", b"\xff\x00", "é".encode()]),
    Document: documents_of_any_dialect(),
    dict[str, Any]: st.dictionaries(TEXTS, st.integers() | st.none() | TEXTS, max_size=2),
    tuple[tuple[str, str], ...]: st.dictionaries(TEXTS, TEXTS, max_size=2).map(lambda made: tuple(made.items())),
    tuple[tuple[str, int], ...]: st.dictionaries(TEXTS, st.integers(), max_size=2).map(
        lambda made: tuple(made.items())
    ),
    tuple[tuple[str, float], ...]: st.dictionaries(TEXTS, st.floats(0, 1), max_size=2).map(lambda d: tuple(d.items())),
    Message: st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.text("ab\n", max_size=4)),
    Mapping[str, Any]: st.dictionaries(TEXTS, st.integers() | st.none() | TEXTS, max_size=2),
    Rate: st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=5).map(Rate.of) | st.just(Rate(2, 3)),
    Path: st.builds(Path, st.sampled_from(["mine.lark", "a/b c.lark"])),
    Candidate: st.builds(Candidate, TEXTS, st.booleans(), NUMBERS, st.floats(0, 1e6), st.booleans()),
    MappedSymbol: st.builds(MappedSymbol, TEXTS, st.sampled_from(["FACT", "HYPOTHESIS"]), st.floats(0, 1)),
    Metric: METRICS,
    MixedMetric: st.builds(MixedMetric, METRICS, st.builds(Metric, st.just("metric_v7")), st.floats(0, 1)),
    RunSettings: st.builds(RunSettings, st.lists(TEXTS, max_size=2).map(tuple), source=TEXTS),
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
    if get_origin(hint) is tuple and inner[-1] is not ...:
        return st.tuples(*map(strategy_of, inner))
    if get_origin(hint) in (tuple, list):
        return st.lists(strategy_of(inner[0]), max_size=2).map(get_origin(hint))
    if get_origin(hint) in (dict, Mapping):
        return st.dictionaries(TEXTS, strategy_of(inner[1]), max_size=2)
    if inner:
        return st.one_of(*(st.none() if kind is type(None) else strategy_of(kind) for kind in inner))
    if issubclass(hint, Enum):
        return st.sampled_from([*hint])
    return build(hint)


def build(kind: Any, **known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return what makes values of a dataclass; `known` are strategies of some of its fields."""
    hints, names = get_type_hints(kind), [field.name for field in fields(kind)]
    return st.builds(kind, **{name: known[name] if name in known else strategy_of(hints[name]) for name in names})


DATACLASSES: tuple[Any, ...] = (
    Result,
    TraceStep,
    Alternative,
    Divergence,
    Repair,
    Plan,
    Change,
    Outcome,
    Step,
    CommandResult,
    Undone,
    Difference,
    StreamResult,
)
SECTIONS = (SectionParsed, SectionContent, SectionFinished, ActionFinished, Noticed)
FURTHER_ONES = (Reply, ToolCall, Usage, Answer, Attempt, Extraction, Judgment, Stage, ContentDelta)
OF_SESSIONS = (Evidence, MappedSymbol, QueryFrame, Call, RoutingDecision, Gap, Understanding)
OF_ROUTING = (Candidate, Selection, Happening, Model, RunVerdict, Verdict, Audited, AuditReport, Metric, MixedMetric)
EVENTS_OF_ROUTING = (PromotionEvidence, *get_args(Event))
OF_INSTRUMENTS = (Rate, Cost, Costs, Count, Finding, Report, Header, Provenance)
FURTHEST_ONES = (*OF_SESSIONS, *OF_ROUTING, *EVENTS_OF_ROUTING, *OF_INSTRUMENTS)
PUBLIC: tuple[Any, ...] = (*DATACLASSES, *SECTIONS, *FURTHER_ONES, *FURTHEST_ONES, Message)
MADE: dict[Any, st.SearchStrategy[Any]] = {kind: strategy_of(kind) for kind in PUBLIC}
MADE[Audited] = build(Audited, cases=st.integers(1, 99))
MADE[AuditReport] = build(AuditReport, models=st.lists(MADE[Audited], max_size=2).map(tuple))
MADE[Survey] = strategy_of(Survey)
MADE[Chain] = strategy_of(Chain)
MADE[SectionStarted] = st.builds(SectionStarted, st.builds(CustomSection, TEXTS, strategy_of(tuple[Part, ...])))
HEADS = st.builds(Action, TEXTS, TEXTS, dependencies=strategy_of(tuple[str, ...]), number=st.none() | st.integers())
MADE[ActionStarted] = st.builds(ActionStarted, st.integers(), HEADS)  # its content is still to come


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
@settings(max_examples=10)
@given(data=st.data())
def test_what_is_written_is_read_again(kind: Any, data: st.DataObject) -> None:
    value = data.draw(MADE[kind])
    output = json.loads(json.dumps(value.to_dict()))
    repeated_loaded = type(value).from_dict(output)
    assert repeated_loaded == value and repeated_loaded.to_dict() == value.to_dict()


# What is a report alone: told, and made again of what it tells about. Each needs what JSON does not hold.
REPORTS = {
    "agent.runs.Cost": "the events of a run: `read_run`",
    "agent.runs.Run": "the events of a run: `read_run`",
    "routing.contests.contest.Try": "the model that was asked",
    "routing.contests.flow.Answer": "the models that were asked; its rows are those of the log",
    "routing.logs.comparison.Choice": "the contests of a log: `verify_log`",
    "routing.logs.comparison.Comparison": "the contests of a log: `verify_log`",
    "routing.logs.tallies.Tally": "the windows of a log: `verify_log`",
    "routing.logs.verification.LogReport": "a log: `verify_log`",
    "routing.report.facts.RoutingReport": "a log and a registry: `verify_log`",
    "lab.benchmark.comparison.Comparison": "the records of a log: `symops bench compare`",
    "lab.benchmark.comparison.Shown": "the records of a log: `symops bench compare`",
    "lab.benchmark.decision.Decision": "the records of a log: `symops bench decide`",
    "lab.benchmark.tokens.TokenReport": "tasks and tokenizers: `symops bench tokens`",
    "lab.workbench.trace.PassedLine": "a text and a grammar: `symops grammar trace`",
    "lab.workbench.strict_trace.StrictTrace": "a text and a grammar: `symops grammar trace`",
    "lab.workbench.trace.TracedPart": "a text and a grammar: `symops grammar trace`",
    "lab.workbench.trace.Difference": "a text and a grammar: `symops grammar trace`",
    "lab.workbench.trace.RecoveryTrace": "a text and a grammar: `symops grammar trace`",
}
PACKAGE = Path(symops_lark.__file__).parent
_OPTIONAL = ("adapters", "server")  # modules that need libraries which may be missing; they have no class of these
_ELSEWHERE = {
    **dict.fromkeys(
        ("core.document.Document", "core.text.diagnostics.Diagnostic", "core.text.source.Span"),
        "tests/test_json_objects.py",
    ),
    **dict.fromkeys(
        [f"lab.benchmark.edits.{name}" for name in ("figures.ArmFigures", "figures.Difference", "running.Trial")],
        "tests/lab/benchmark/test_edits.py",
    ),
    **dict.fromkeys(("agent.events.Event", "agent.task.Task"), "tests/agent/test_resume.py"),
    "code_intelligence.gate.record.Found": "tests/code_intelligence/test_log_attacks.py",
    "lab.benchmark.records.Record": "tests/lab/benchmark/test_run_log.py",
    "lab.benchmark.judgments.running.JudgmentRecord": "tests/lab/benchmark/test_judgments.py",
    "lab.benchmark.settings.RunSettings": "tests/lab/benchmark/test_run_log.py",
    "routing.manifests.manifest.Manifest": "tests/routing/test_manifest.py",
    "routing.manifests.supply_chain.SupplyChain": "tests/routing/test_supply_chain.py",
    "routing.audit.AuditSet": "tests/routing/test_audit.py",
    "core.ground.json_objects.JsonObject": "what the others are made of",
    "routing.events._Event": "what the others are made of",
    "core.text.source.Later": "what spans are made of",
}


def written_classes() -> dict[str, type[Any]]:
    """Return the classes of the package that have `to_dict`, by module and name."""
    table: dict[str, type[Any]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        if ("def to_dict" in text or "JsonObject" in text) and not {*_OPTIONAL, "standalone"} & {*parts}:
            module = import_module(".".join(("symops_lark", *parts)).removesuffix(".__init__"))
            for kind in vars(module).values():
                if isinstance(kind, type) and kind.__module__ == module.__name__ and hasattr(kind, "to_dict"):
                    table[f"{kind.__module__}.{kind.__qualname__}".removeprefix("symops_lark.")] = kind
    return table


def test_from_dict_for_every_to_dict_but_of_reports() -> None:
    classes = written_classes()
    assert {
        "core.result.Result",
        "routing.metrics.selection.Selection",
        "code_intelligence.requests.frame.QueryFrame",
    } <= {*classes}
    assert {name for name, kind in classes.items() if not hasattr(kind, "from_dict")} == {*REPORTS}
    tried = {f"{kind.__module__}.{kind.__qualname__}".removeprefix("symops_lark.") for kind in MADE}
    assert {*classes} == {*REPORTS, *_ELSEWHERE, *tried}


WRONG: list[tuple[Any, Any, str]] = [
    (Result, [], "the value: expected an object, got a list"),
    (Result, {"phase": "done"}, "phase: expected one of strict, repaired, recovered, corrected, extracted"),
    (
        Result,
        {"phase": "strict", "confidence": 1, "document": {"sections": [{"kind": "thought", "text": 5}]}},
        "document.sections[0].text: expected a string, got a number",
    ),
    (Plan, {"changes": [{"number": "1"}]}, "changes[0].number: expected an integer, got '1'"),
    (Outcome, {"steps": [{"status": "done"}]}, "steps[0].change: missing: expected an object"),
    (Message, {"role": "robot", "content": ""}, "the value: a message has the role 'robot'"),
    (StreamResult, {"result": 5}, "result: expected an object, got a number"),
    (Noticed, {"event": "diagnostic"}, "code: missing: expected a string"),
    (SectionParsed, {"event": "thought"}, "text: missing: expected a string"),
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
        ({"action": {"kind": "action", "type": 5}}, "changes[0].action.type: expected a string"),
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
        planned_changes = symops_lark.plan(document, folder)
        assert planned_changes.changes[1].before == b"\xff\x00"
    outcome = symops_lark.apply(
        Plan.from_dict(json.loads(json.dumps(planned_changes.to_dict()))), tmp_path, confirm=lambda _: True
    )
    assert outcome.done and (tmp_path / "new.py").read_text() == "x = 1\n" and not (tmp_path / "old.bin").exists()
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome
    with pytest.raises(symops_lark.WorkspaceError, match="there is no such folder"):
        symops_lark.plan(document, tmp_path / "nowhere")
