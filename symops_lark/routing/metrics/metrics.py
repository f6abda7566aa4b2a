"""Metrics: the reward of a candidate, `R = q0 + β·q1 - λ·cost - π·refusal`. Speed is a cost, never a reward.

Laws: a reward grows with q0 and q1, and falls with cost and refusal; what is no finite number is refused; a metric's
name stands for its weights for ever, so a logged reward can be computed again from the row alone.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...core.ground.json_objects import JsonObject
from ...core.ground.resources import read_bounded
from ..errors import MetricError, RoutingError
from ..files import parse_json

_NAME = re.compile(r"metric_v[1-9][0-9]{0,8}\Z")
_MOST = 1e6  # a weight or a reference beyond this is a slip, and sums of such lose digits
_LIMIT = 100_000  # bytes of a file
MIXED = "+"  # between the names of two metrics


def check_number(value: Any, name: str, most: float) -> float:
    """Return a number from 0 to `most`; raise `MetricError` for NaN, infinity, negatives and what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MetricError(f"{name} is {value!r}; it is a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise MetricError(f"{name} is {number}; it is a finite number")
    if not 0 <= number <= most:
        raise MetricError(f"{name} is {value}; it is " + ("0 or more" if most == math.inf else f"from 0 to {most:g}"))
    return number


@dataclass(frozen=True)
class Metric(JsonObject):
    """The formula with its weights: `lambda_` of the cost, `pi` of a refusal, `beta` of q1.

    `t_ref` (seconds) and `tokens_ref` are where time and tokens cost the most; `w_t` and `w_o` are what each counts,
    together 1 at most, so that a cost is from 0 to 1.
    """

    name: str
    lambda_: float = field(default=0.3, metadata={"json": "lambda"})
    pi: float = 1.0
    beta: float = 1.0
    t_ref: float = 30.0
    tokens_ref: float = 1000.0
    w_t: float = 0.5
    w_o: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.match(self.name):
            raise MetricError(f"a metric is called metric_v and a number, as in metric_v2, and not {self.name!r}")
        for name in ("lambda_", "pi", "beta", "w_t", "w_o"):
            check_number(getattr(self, name), name.rstrip("_"), _MOST)
        for name in ("t_ref", "tokens_ref"):
            if not check_number(getattr(self, name), name, math.inf) > 0:
                raise MetricError(f"{name} is 0; it is what time or tokens are divided by")
        if self.w_t + self.w_o > 1 + 1e-9:
            raise MetricError(f"w_t and w_o are {self.w_t + self.w_o:g} together; a cost has 1 at most")

    @cached_property
    def params(self) -> dict[str, Any]:
        """The weights, as a row of a log has them."""
        names = ("lambda_", "pi", "beta", "t_ref", "tokens_ref", "w_t", "w_o")
        return {name.rstrip("_"): float(getattr(self, name)) for name in names}

    def reward(self, q0: int, q1: float | None, cost: float, refusal_penalty: float) -> float:
        """Return the reward; raise `MetricError` for NaN, infinity, negatives, and what is beyond its range."""
        if not (  # what a million rows of a log are, at a glance; anything else is looked at closely
            type(q1) is type(cost) is type(refusal_penalty) is float
            and (q0 is True or q0 is False)
            and 0.0 <= q1 <= 1.0
            and 0.0 <= cost < math.inf
            and 0.0 <= refusal_penalty <= 1.0
        ):
            if check_number(int(q0) if isinstance(q0, bool) else q0, "q0", 1) not in (0, 1):
                raise MetricError(f"q0 is {q0!r}; it is 1 where the verifier says PASS, and 0 where it does not")
            q1 = 0.0 if q1 is None else check_number(q1, "q1", 1)
            refusal_penalty = check_number(refusal_penalty, "refusal_penalty", 1)
            cost = check_number(cost, "cost", math.inf)
        return float(q0 + self.beta * q1 - self.lambda_ * cost - self.pi * refusal_penalty)

    def cost(self, seconds: float, tokens: float) -> float:
        """Return the normalised cost of a reply: how long it took and how many tokens it has, from 0 to 1."""
        time = min(1.0, check_number(seconds, "seconds", math.inf) / self.t_ref)
        length = min(1.0, check_number(tokens, "tokens", math.inf) / self.tokens_ref)
        return min(1.0, time * self.w_t + length * self.w_o)

    def to_dict(self) -> dict[str, Any]:
        """Return the metric as a JSON object."""
        return {"name": self.name, **self.params}


@dataclass(frozen=True)
class MixedMetric:
    """A metric on its way to another: `alpha · old + (1 - alpha) · new`; costs are those of the new one."""

    old: Metric
    new: Metric
    alpha: float

    def __post_init__(self) -> None:
        check_number(self.alpha, "alpha", 1)
        if self.old.name == self.new.name:
            raise MetricError(f"{self.old.name} is mixed with itself: a change is from one metric to another")

    @property
    def name(self) -> str:
        """The names of both."""
        return f"{self.old.name}{MIXED}{self.new.name}"

    @property
    def params(self) -> dict[str, Any]:
        """The share of the old one, and the weights of both by name."""
        return {"alpha": float(self.alpha), self.old.name: self.old.params, self.new.name: self.new.params}

    def parts(self, q0: int, q1: float | None, cost: float, refusal_penalty: float) -> dict[str, float]:
        """Return the rewards by both metrics, which a row has beside the mixed one."""
        return {metric.name: metric.reward(q0, q1, cost, refusal_penalty) for metric in (self.old, self.new)}

    def reward(self, q0: int, q1: float | None, cost: float, refusal_penalty: float) -> float:
        """Return the mixed reward; at alpha 1 and 0 exactly that of one metric."""
        old, new = self.parts(q0, q1, cost, refusal_penalty).values()
        return self.alpha * old + (1 - self.alpha) * new

    def cost(self, seconds: float, tokens: float) -> float:
        """Return the normalised cost, by the new metric."""
        return self.new.cost(seconds, tokens)

    def to_dict(self) -> dict[str, Any]:
        """Return the metric as a JSON object."""
        return {"name": self.name, **self.params}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MixedMetric:
        """Read what `to_dict` wrote; raise `MetricError` for anything else."""
        metric = read_metric(str(data.get("name")), {key: value for key, value in data.items() if key != "name"})
        if not isinstance(metric, cls):
            raise MetricError(f"{metric.name} is not mixed")
        return metric


METRIC_V1 = Metric("metric_v1")


def reward(
    q0: int, q1: float | None, cost: float, refusal_penalty: float, metric: Metric | MixedMetric = METRIC_V1
) -> float:
    """Return `q0 + beta * q1 - lambda * cost - pi * refusal_penalty`; a q1 that is None counts 0.

    Raises `MetricError` for NaN, infinity and negatives, and for a q0, q1 or refusal_penalty above 1.
    """
    return metric.reward(q0, q1, cost, refusal_penalty)


def read_metric(name: str, params: Mapping[str, Any]) -> Metric | MixedMetric:
    """Return the metric of a row: its `metric_version` and `metric_params`; weights that are missing are the usual.

    Raises `MetricError` for what is none.
    """
    if not isinstance(name, str) or not isinstance(params, Mapping):
        raise MetricError(f"{name!r} is no metric: a name and its weights are expected")
    old, mixed, new = name.partition(MIXED)
    if not mixed:
        weights = {
            ("lambda_" if key == "lambda" else str(key)): value for key, value in params.items() if key != "name"
        }
        try:
            return Metric(name, **weights)
        except TypeError:
            known = ", ".join(METRIC_V1.params)
            unknown = ", ".join(sorted(str(key) for key in params if key not in METRIC_V1.params and key != "name"))
            raise MetricError(f"{name}: no weight is called {unknown}; there are {known}") from None
    parts = [read_metric(part, params.get(part) or {}) for part in (old, new)]
    if "alpha" not in params or not all(isinstance(part, Metric) for part in parts):
        raise MetricError(f"{name}: a mixed metric has an alpha, and two metrics that are not mixed")
    return MixedMetric(parts[0], parts[1], params["alpha"])  # type: ignore[arg-type]


def load_metric(path: str | os.PathLike[str]) -> Metric:
    """Return the metric of a JSON file, `{"name": "metric_v2", "lambda": 0.5}`; or raise `MetricError`."""
    shown = os.fspath(path)
    try:
        data = parse_json(read_bounded(shown, _LIMIT), shown)
        metric = read_metric(str(data.get("name")), data)
    except OSError as error:
        raise MetricError(f"{shown}: the metric cannot be read: {error.strerror}") from None
    except MetricError as error:
        raise MetricError(f"{shown}: {error}") from None
    except RoutingError as error:  # which tells the file
        raise MetricError(str(error)) from None
    if not isinstance(metric, Metric):
        raise MetricError(f"{shown}: {metric.name} is mixed; a file has one metric")
    return metric
