"""Audits: inputs with a verifier for their outputs, and the results of models.

The format is JSON: `{audit_id, version: "v1", test_cases: [{input, expected_format,
verifier_config}]}`. In a `verifier_config`, `pass_condition` replaces the default condition of the
verifier; all other members are its settings.
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
LEAST = 0.95  # the share of cases that a model must pass, as for a promotion
_MAX_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class AuditCase:
    """One input, and the verifier of its output with its settings."""

    input: str
    expected_format: str
    verifier_config: Mapping[str, Any] = field(default_factory=dict)

    def judge(self, surroundings: Surroundings, where: str = "verifier_config") -> Judge:
        """Return the judge of its output.

        Args:
            surroundings: The folder and the permissions of the verifier.
            where: The place of the settings, for messages.

        Raises:
            FieldError: A setting is wrong.
            RoutingError: The verifier cannot be used here.
        """
        config = dict(self.verifier_config)
        config.pop("pass_condition", None)
        # Not a setting of the verifier itself.
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
    """Cases with which models are examined."""

    audit_id: str
    version: str
    test_cases: tuple[AuditCase, ...]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the audit set of a JSON file.

        Raises:
            RoutingError: It cannot be read or is wrong; the message has the file and the key.
        """
        name = os.fspath(path)
        try:
            data = parse_json(read_bounded(name, _MAX_BYTES), name)
        except OSError as error:
            raise RoutingError(f"{name}: the audit set cannot be read: {error.strerror}") from None
        try:
            return cls.from_dict(data)
        except FieldError as error:
            raise RoutingError(f"{name}: {error}") from None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the audit set of a JSON object, with all cases checked.

        Raises:
            FieldError: It is wrong; the message has the key.
        """
        audit = read_object(cls, data)
        if audit.version != VERSION:
            raise FieldError(f"version: it is {audit.version!r}, and only {VERSION!r} can be read")
        if not audit.test_cases:
            raise FieldError("test_cases: there are none")
        if not audit.audit_id.strip():
            raise FieldError("audit_id: it is empty")
        for number, case in enumerate(audit.test_cases):
            where = f"test_cases[{number}]"
            if not case.input.strip():
                raise FieldError(f"{where}.input: it is empty")
            # Wrong settings are found now, and not after the first models were asked.
            verifiers = known_verifiers()
            if case.expected_format not in verifiers:
                raise FieldError(
                    f"{where}.expected_format: it is {case.expected_format!r}; it is one of "
                    f"{', '.join(verifiers)}"
                )
            case.judge(Surroundings(), f"{where}.verifier_config")
        return audit


def audit_tasks(tasks: Sequence[Task], format: str = "v2") -> AuditSet:
    """Return the audit set of tasks of the benchmark.

    A reply must be a valid document of the dialect with all actions of a dictated task, and with
    at least one of any other task that has some.
    """
    cases = tuple(_audit_task(task, format) for task in tasks)
    return AuditSet(f"compliance-{format}", VERSION, cases)


def _audit_task(task: Task, format: str) -> AuditCase:
    least = len(task.document.actions)
    # A model may solve a task that is not dictated with other actions.
    if not task.dictated:
        least = min(1, least)
    config = {"format": format, "pass_condition": f"valid == true and actions >= {least}"}
    return AuditCase(task.request, "symops", config)


@dataclass(frozen=True, slots=True)
class Score:
    """The result of one model under one metric: its mean reward, and the cases that it won."""

    metric: str
    mean_reward: float
    wins: int


@dataclass(frozen=True, slots=True)
class Audited(JsonObject):
    """The result of one model.

    Attributes:
        model_id: The model.
        version: Its version.
        cases: The number of cases.
        passed: The number of cases that it passed.
        low: The lower end of the interval of the rate.
        high: The upper end of the interval of the rate.
        refusals: The number of refusals.
        mean_cost: The mean cost of a case.
        scores: One score for each metric.
        failures: The numbers of the failed cases, from 0, and the reasons.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = (
        # In the order of the JSON object.
        "model_id",
        "version",
        "cases",
        "passed",
        "rate",
        "low",
        "high",
        "refusals",
        "mean_cost",
        "scores",
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
    """The results of an audit; `least` is the rate that models must reach."""

    audit_id: str
    least: float
    models: tuple[Audited, ...]

    def holds(self, model_id: str) -> bool:
        """Return whether a model reached the rate."""
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
    """Ask models for all cases of an audit set, and judge their replies.

    Args:
        audit: The audit set.
        contestants: The models. Each case is asked of all of them at the same time.
        metrics: The metrics, such as an old and a new one. The same replies are scored by each.
        seconds: The longest time of a case.
        run_code: Whether verifiers may run the code of replies.
        least: The rate that models must reach.
        watch: Called with the number of each case and its results.

    Raises:
        RoutingError: There are no models.
    """
    if not contestants:
        raise RoutingError("there is no model to audit")
    tries = []
    for number, case in enumerate(audit.test_cases):
        judges = {}
        for contestant in contestants:
            manifest = contestant.manifest
            # Each model's verifier reads the schema of the model's manifest.
            schema = manifest.io_contract.output.schema_ref
            around = Surroundings(manifest.folder, schema, run_code)
            judges[contestant.model_id] = case.judge(around)
        tries.append(run_all(contestants, case.input, judges, metrics[0], seconds))
        # After each case, since an audit may take hours.
        watch(number, tries[-1])
    results = [
        _sum_up(contestant, own_tries, tries, metrics)
        for contestant, own_tries in zip(contestants, zip(*tries, strict=True), strict=True)
    ]
    return AuditReport(audit.audit_id, least, tuple(results))


def _sum_up(
    contestant: Contestant,
    own_tries: Sequence[Try],
    tries: Sequence[Sequence[Try]],
    metrics: Sequence[Metric | MixedMetric],
) -> Audited:
    passed = sum(tried.verdict.passed for tried in own_tries)
    # Cases are different inputs, so each is one independent try.
    low, high = exact_interval(passed, len(own_tries))
    failures = []
    for number, tried in enumerate(own_tries):
        if not tried.verdict.passed:
            failures.append((number, tried.told))
    scores = []
    for metric in metrics:
        # As in a run: all models compete in each case.
        winners = [_winner(row, metric) for row in tries]
        rewards = [score(tried, metric).reward for tried in own_tries]
        scores.append(Score(metric.name, fmean(rewards), winners.count(contestant.model_id)))
    return Audited(
        contestant.model_id,
        contestant.manifest.version,
        len(own_tries),
        passed,
        low,
        high,
        sum(bool(tried.verdict.refusal) for tried in own_tries),
        fmean(tried.cost for tried in own_tries),
        tuple(scores),
        tuple(failures),
    )


def _winner(row: Sequence[Try], metric: Metric | MixedMetric) -> str | None:
    return select_winner(score(tried, metric).candidate for tried in row).winner
