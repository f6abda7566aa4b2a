"""Audit sets: inputs with the verifier that their outputs must pass, and what comes of them for some models.

The format is `{audit_id, version: "v1", test_cases: [{input, expected_format, verifier_config}]}`, in JSON. In a
`verifier_config`, `pass_condition` is a condition instead of the verifier's usual one; the rest are its settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..answers.conditions import ConditionError
from ..core.ground.json_objects import FieldError, JsonObject, read_object
from ..core.ground.resources import read_bounded
from ..lab.measuring.intervals import exact_interval
from .contests.contest import Contestant, Judge, Try, run_all, score
from .errors import RoutingError
from .files import parse_json
from .metrics.metrics import METRIC_V1, Metric, MixedMetric
from .metrics.selection import select_winner
from .verifiers import Surroundings, check_condition, known_verifiers, make_check

if TYPE_CHECKING:
    from ..lab.benchmark.tasks import Task

VERSION = "v1"
LEAST = 0.95  # the share of cases that an audited model passes, as for a promotion
_LIMIT = 64_000_000


@dataclass(frozen=True, slots=True)
class AuditCase:
    """One input, and how its output is judged."""

    input: str
    expected_format: str
    verifier_config: Mapping[str, Any] = field(default_factory=dict)

    def judge(self, surroundings: Surroundings, where: str = "verifier_config") -> Judge:
        """Return the judge of its output; raise `FieldError` or `RoutingError` for settings that are wrong."""
        config = {key: value for key, value in self.verifier_config.items() if key != "pass_condition"}
        check = make_check(self.expected_format, config, where)
        condition = self.verifier_config.get("pass_condition", check.condition)
        if not isinstance(condition, str):
            raise FieldError(f"{where}.pass_condition: a text is expected")
        try:
            check_condition(condition, check)
        except ConditionError as error:
            raise FieldError(f"{where}.pass_condition:\n{error}") from None
        return Judge(check, condition, surroundings)


@dataclass(frozen=True, slots=True)
class AuditSet(JsonObject):
    """Cases by which models are examined."""

    audit_id: str
    version: str
    test_cases: tuple[AuditCase, ...]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the audit set of a JSON file; raise `RoutingError` with the file, the key and the reason."""
        shown = os.fspath(path)
        try:
            data = parse_json(read_bounded(shown, _LIMIT), shown)
        except OSError as error:
            raise RoutingError(f"{shown}: the audit set cannot be read: {error.strerror}") from None
        try:
            return cls.from_dict(data)
        except FieldError as error:
            raise RoutingError(f"{shown}: {error}") from None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote, and look at every case; raise `FieldError` with the key for anything else."""
        audit = read_object(cls, data)
        if audit.version != VERSION:
            raise FieldError(f"version: it is {audit.version!r}, and {VERSION!r} is what can be read")
        if not audit.audit_id.strip() or not audit.test_cases:
            raise FieldError("audit_id: it is empty" if audit.test_cases else "test_cases: there are none")
        for number, case in enumerate(audit.test_cases):
            where = f"test_cases[{number}]"
            if not case.input.strip():
                raise FieldError(f"{where}.input: it is empty")
            if case.expected_format not in known_verifiers():
                known = ", ".join(known_verifiers())
                raise FieldError(f"{where}.expected_format: it is {case.expected_format!r}; it is one of {known}")
            case.judge(Surroundings(), f"{where}.verifier_config")
        return audit


def audit_tasks(tasks: Sequence[Task], format: str = "v2") -> AuditSet:
    """Return the audit set of tasks of the compliance benchmark: documents of a dialect, with as many actions."""
    return AuditSet(f"compliance-{format}", VERSION, tuple(_audit_task(task, format) for task in tasks))


def _audit_task(task: Task, format: str) -> AuditCase:
    least = len(task.document.actions) if task.dictated else min(1, len(task.document.actions))
    config = {"format": format, "pass_condition": f"valid == true and actions >= {least}"}
    return AuditCase(task.request, "symops", config)


@dataclass(frozen=True, slots=True)
class Score:
    """How one model did under one metric: its mean reward, and how many cases it won against the others."""

    metric: str
    mean_reward: float
    wins: int


@dataclass(frozen=True, slots=True)
class Audited(JsonObject):
    """How one model did: `passed` of `cases`, with the interval of the rate; `scores` has one item a metric.

    `failures` are the numbers of the cases (from 0) that it failed, and why.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = (
        *("model_id", "version", "cases", "passed", "rate", "low", "high", "refusals", "mean_cost", "scores"),
        "failures",
    )

    model_id: str
    version: str
    cases: int
    passed: int
    low: float
    high: float
    refusals: int
    mean_cost: float
    scores: tuple[Score, ...]
    failures: tuple[tuple[int, str], ...] = ()

    @property
    def rate(self) -> float:
        """The share of cases that it passed."""
        return self.passed / self.cases


@dataclass(frozen=True, slots=True)
class AuditReport(JsonObject):
    """What an audit found, model by model; `least` is the rate that is asked for."""

    audit_id: str
    least: float
    models: tuple[Audited, ...]

    def holds(self, model_id: str) -> bool:
        """Return whether a model passed as many cases as is asked for."""
        return next(model.rate >= self.least for model in self.models if model.model_id == model_id)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        models = [{**model.to_dict(), "ok": model.rate >= self.least} for model in self.models]
        return {"audit_id": self.audit_id, "least": self.least, "models": models}


def run_audit(
    audit: AuditSet,
    contestants: Sequence[Contestant],
    metrics: Sequence[Metric | MixedMetric] = (METRIC_V1,),
    *,
    seconds: float = 120.0,
    run_code: bool = False,
    least: float = LEAST,
    watch: Callable[[int, Sequence[Try]], object] = lambda number, tries: None,
) -> AuditReport:
    """Return how models do on an audit set: each case is asked of all at once, and judged as the case says.

    With several metrics (an old and a new one) the same replies are scored by each. `watch` gets the number of each
    case and what came of it.
    """
    if not contestants:
        raise RoutingError("there is no model to audit")
    tries: list[list[Try]] = []
    for number, case in enumerate(audit.test_cases):
        judges = {}
        for each in contestants:
            manifest = each.manifest
            around = Surroundings(manifest.folder, manifest.io_contract.output.schema_ref, run_code)
            judges[each.model_id] = case.judge(around)
        tries.append(run_all(contestants, case.input, judges, metrics[0], seconds))
        watch(number, tries[-1])
    return AuditReport(
        audit.audit_id, least, tuple(_sum_up(i, each, tries, metrics) for i, each in enumerate(contestants))
    )


def _sum_up(
    place: int, contestant: Contestant, tries: Sequence[Sequence[Try]], metrics: Sequence[Metric | MixedMetric]
) -> Audited:
    mine = [row[place] for row in tries]
    passed = sum(tried.verdict.passed for tried in mine)
    low, high = exact_interval(passed, len(mine))
    scores = []
    for metric in metrics:
        winners = [_winner(row, metric) for row in tries]
        rewards = [score(tried, metric).reward for tried in mine]
        scores.append(Score(metric.name, fmean(rewards), winners.count(contestant.model_id)))
    return Audited(
        contestant.model_id,
        contestant.manifest.version,
        len(mine),
        passed,
        low,
        high,
        sum(bool(tried.verdict.refusal) for tried in mine),
        fmean(tried.cost for tried in mine),
        tuple(scores),
        tuple((number, tried.told) for number, tried in enumerate(mine) if not tried.verdict.passed),
    )


def _winner(row: Sequence[Try], metric: Metric | MixedMetric) -> str | None:
    return select_winner(score(each, metric).candidate for each in row).winner
