"""Compute the reward of a candidate: `R = q0 + β·q1 - λ·cost - π·refusal`. Speed is only a cost.

Invariants, each with its test in tests/routing/test_metrics.py:

1. A reward grows with q0 and q1, and falls with cost and refusal.
2. A value that is not a finite number is an error.
3. The name of a metric has the same weights forever, so that a reward in a log can be computed
   again from its row alone.
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
_MAX_WEIGHT = 1e6  # a larger one is a typing error, and sums with it lose digits
_MAX_FILE = 100_000  # bytes
_ROUNDING = 1e-9  # weights such as 0.7 and 0.3 may have a sum above 1
_WEIGHTS = (
    "lambda_",  # `lambda` is a keyword of Python
    "pi",
    "beta",
    "t_ref",
    "tokens_ref",
    "w_t",
    "w_o",
)
MIXED = "+"  # between the names of two metrics


def check_number(value: Any, name: str, most: float) -> float:
    """Return a number as a float.

    Args:
        value: The number.
        name: Its name in messages.
        most: The largest number that is allowed; the smallest is 0.

    Raises:
        MetricError: The value is not a number, not finite, negative or too large.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MetricError(f"{name} is {value!r}; it is a number")
    # Python's integers have any size, floats do not.
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise MetricError(f"{name} is {number}; it is a finite number")
    if not 0 <= number <= most:
        limits = "0 or more" if most == math.inf else f"from 0 to {most:g}"
        raise MetricError(f"{name} is {value}; it is {limits}")
    return number


@dataclass(frozen=True)
class Metric(JsonObject):
    """The formula with its weights.

    Attributes:
        name: `metric_v` and a number.
        lambda_: The weight of the cost.
        pi: The weight of a refusal.
        beta: The weight of q1.
        t_ref: The time in seconds that costs the most.
        tokens_ref: The number of tokens that costs the most.
        w_t: The share of the time in the cost.
        w_o: The share of the tokens. Both together are at most 1, so that a cost is from 0 to 1.
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
            raise MetricError(
                f"a metric is called metric_v and a number, as in metric_v2, and not {self.name!r}"
            )
        for name in _WEIGHTS:
            is_divisor = name.endswith("_ref")
            limit = math.inf if is_divisor else _MAX_WEIGHT
            if not check_number(getattr(self, name), name.rstrip("_"), limit) and is_divisor:
                raise MetricError(f"{name} is 0; time or tokens are divided by it")
        total = self.w_t + self.w_o
        if total > 1 + _ROUNDING:
            raise MetricError(f"w_t and w_o are {total:g} together; a cost has 1 at most")

    @cached_property
    def params(self) -> dict[str, Any]:
        """The weights, as a row of a log has them."""
        return {name.rstrip("_"): float(getattr(self, name)) for name in _WEIGHTS}

    def reward(self, q0: int, q1: float | None, cost: float, refusal_penalty: float) -> float:
        """Return the reward.

        Args:
            q0: 1 for a pass, 0 for a failure.
            q1: The score, from 0 to 1; None counts as 0.
            cost: The cost, 0 or more.
            refusal_penalty: From 0 to 1.

        Raises:
            MetricError: A value is not a finite number, or out of its range.
        """
        # The usual row of a log: a million of them are checked at once, the others one by one.
        if not (
            type(q1) is type(cost) is type(refusal_penalty) is float
            and (q0 is True or q0 is False)
            and 0.0 <= q1 <= 1.0
            and 0.0 <= cost < math.inf
            and 0.0 <= refusal_penalty <= 1.0
        ):
            if check_number(int(q0) if isinstance(q0, bool) else q0, "q0", 1) not in (0, 1):
                raise MetricError(
                    f"q0 is {q0!r}; it is 1 if the verifier accepts the reply, and 0 if it does not"
                )
            q1 = 0.0 if q1 is None else check_number(q1, "q1", 1)
            refusal_penalty = check_number(refusal_penalty, "refusal_penalty", 1)
            cost = check_number(cost, "cost", math.inf)
        return float(q0 + self.beta * q1 - self.lambda_ * cost - self.pi * refusal_penalty)

    def cost(self, seconds: float, tokens: float) -> float:
        """Return the normalized cost of a reply, from 0 to 1, by its time and its length."""
        time = check_number(seconds, "seconds", math.inf) / self.t_ref
        length = check_number(tokens, "tokens", math.inf) / self.tokens_ref
        # A reply that is slower or longer than the references costs as much as they do.
        return min(1.0, min(1.0, time) * self.w_t + min(1.0, length) * self.w_o)

    def to_dict(self) -> dict[str, Any]:
        """Return the metric as a JSON object."""
        return {"name": self.name, **self.params}


@dataclass(frozen=True)
class MixedMetric:
    """A metric during a change: `alpha · old + (1 - alpha) · new`.

    Attributes:
        old: The metric before the change.
        new: The metric after it, which also computes the costs.
        alpha: The share of the old one, from 0 to 1.
    """

    old: Metric
    new: Metric
    alpha: float

    def __post_init__(self) -> None:
        check_number(self.alpha, "alpha", 1)
        if self.old.name == self.new.name:
            raise MetricError(
                f"{self.old.name} is mixed with itself: a change is from one metric to another"
            )

    @property
    def name(self) -> str:
        """The names of both."""
        return f"{self.old.name}{MIXED}{self.new.name}"

    @property
    def params(self) -> dict[str, Any]:
        """The share of the old one, and the weights of both by name."""
        return {
            "alpha": float(self.alpha),
            self.old.name: self.old.params,
            self.new.name: self.new.params,
        }

    def parts(
        self, q0: int, q1: float | None, cost: float, refusal_penalty: float
    ) -> dict[str, float]:
        """Return the rewards by both metrics, which a row has beside the mixed one.

        Args:
            q0: 1 for a pass, 0 for a failure.
            q1: The score, from 0 to 1; None counts as 0.
            cost: The cost, 0 or more.
            refusal_penalty: From 0 to 1.
        """
        values = (q0, q1, cost, refusal_penalty)
        return {self.old.name: self.old.reward(*values), self.new.name: self.new.reward(*values)}

    def reward(self, q0: int, q1: float | None, cost: float, refusal_penalty: float) -> float:
        """Return the mixed reward; with alpha 1 or 0, it is exactly that of one metric.

        Args:
            q0: 1 for a pass, 0 for a failure.
            q1: The score, from 0 to 1; None counts as 0.
            cost: The cost, 0 or more.
            refusal_penalty: From 0 to 1.
        """
        old, new = self.parts(q0, q1, cost, refusal_penalty).values()
        return self.alpha * old + (1 - self.alpha) * new

    def cost(self, seconds: float, tokens: float) -> float:
        """Return the normalized cost, by the new metric."""
        return self.new.cost(seconds, tokens)

    def to_dict(self) -> dict[str, Any]:
        """Return the metric as a JSON object."""
        return {"name": self.name, **self.params}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MixedMetric:
        """Read the JSON object that `to_dict` returns.

        Raises:
            MetricError: It is not a mixed metric.
        """
        metric = read_metric(str(data.get("name")), data)
        if not isinstance(metric, cls):
            raise MetricError(f"{metric.name} is not mixed")
        return metric


METRIC_V1 = Metric("metric_v1")


def reward(
    q0: int,
    q1: float | None,
    cost: float,
    refusal_penalty: float,
    metric: Metric | MixedMetric = METRIC_V1,
) -> float:
    """Return `q0 + beta * q1 - lambda * cost - pi * refusal_penalty`.

    Args:
        q0: 1 for a pass, 0 for a failure.
        q1: The score, from 0 to 1; None counts as 0.
        cost: The cost, 0 or more.
        refusal_penalty: From 0 to 1.
        metric: The weights.

    Raises:
        MetricError: A value is not a finite number, or out of its range.
    """
    return metric.reward(q0, q1, cost, refusal_penalty)


def read_metric(name: str, params: Mapping[str, Any]) -> Metric | MixedMetric:
    """Return the metric of a row, by its `metric_version` and `metric_params`.

    Args:
        name: The name; those of a mixed metric have `MIXED` between them.
        params: The weights; missing ones have their defaults. A key `name` is ignored.

    Raises:
        MetricError: It is not a metric.
    """
    if not isinstance(name, str) or not isinstance(params, Mapping):
        raise MetricError(f"{name!r} is not a metric: a name and its weights are expected")
    old, sign, new = name.partition(MIXED)
    if not sign:
        unknown = sorted(params.keys() - METRIC_V1.params.keys() - {"name"})
        if unknown:
            raise MetricError(
                f"{name}: no weight is called {', '.join(map(str, unknown))}; there are "
                f"{', '.join(METRIC_V1.params)}"
            )
        # The file of a metric has its name beside the weights.
        weights = {key.replace("lambda", "lambda_"): value for key, value in params.items()}
        return Metric(**{**weights, "name": name})
    # Before the parts are read: a forged name may have any number of them.
    if "alpha" not in params or MIXED in new:
        raise MetricError(
            f"{name}: a mixed metric has an alpha, and two metrics that are not mixed"
        )
    # Without weights, a part is the usual metric of its name, as a plain one is.
    parts = [read_metric(part, params.get(part) or {}) for part in (old, new)]
    return MixedMetric(parts[0], parts[1], params["alpha"])  # type: ignore[arg-type]


def load_metric(path: str | os.PathLike[str]) -> Metric:
    """Return the metric of a JSON file, such as `{"name": "metric_v2", "lambda": 0.5}`.

    Raises:
        MetricError: The file cannot be read, does not have one metric, or gives the name of
            metric_v1 other weights.
    """
    file = os.fspath(path)
    try:
        data = parse_json(read_bounded(file, _MAX_FILE), file)
        metric = read_metric(str(data.get("name")), data)
    except OSError as error:
        raise MetricError(f"{file}: the metric cannot be read: {error.strerror}") from None
    except MetricError as error:
        raise MetricError(f"{file}: {error}") from None
    except RoutingError as error:  # its message has the file
        raise MetricError(str(error)) from None
    if not isinstance(metric, Metric):
        raise MetricError(f"{file}: {metric.name} is mixed; a file has one metric")
    # A row with this name and other weights would stay in its log, which can only be appended to.
    if metric.name == METRIC_V1.name and metric != METRIC_V1:
        raise MetricError(
            f"{file}: {metric.name} has other weights already ({METRIC_V1.params}): give the new "
            "metric a new name, such as metric_v2"
        )
    return metric
