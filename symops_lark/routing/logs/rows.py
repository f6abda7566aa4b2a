"""Read the rows of a run log: each is one candidate's try, as a line of JSON.

Errors name the field and the reason. Rows of older logs are read as well: their `metric_version`
was `v1`, and the numbers were in `proxy_values`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from ..errors import MetricError, RoutingError
from ..metrics.metrics import METRIC_V1, Metric, MixedMetric, read_metric
from .chain import FIRST

REQUIRED = (
    "timestamp",
    "prompt_hash",
    "model_id",
    "metric_version",
    "verifier_result",
    "q0",
    "cost",
    "refusal_penalty",
    "reward",
)
# How much a logged reward may differ from the computed one: by the last digits of floats only.
TOLERANCE = 1e-9
FALLBACK = "fallback"  # the `role` of a model that serves because none won
# The object of a row in JSON, of a caller and of this package.
JsonRow = Mapping[str, Any]
NewRow = dict[str, Any]
AnyMetric = Metric | MixedMetric
_required = itemgetter(*REQUIRED)
_OLD_NAMES = {"c": "cost", "RefusalPenalty": "refusal_penalty", "R": "reward"}
_OLD_VERSION = re.compile(r"v[1-9][0-9]*\Z")
_MAX_TEXT = 200  # characters of a name or a hash
_MOST_ROWS = 1 << 62
_MAX_COST = 1e6  # costs are normalised; sums of greater numbers lose digits
_MAX_METRICS = 1000  # remembered ones
_USUAL = (24, 27)  # characters of a time with milliseconds or microseconds


class RowError(RoutingError, ValueError):
    """A line is not a row of a run log; the message names the field and the reason."""


@dataclass(slots=True)
class Row:
    """One candidate's try.

    Attributes:
        line: Its line, from 1.
        order: The key of the order of rows, wherever their lines are: the number (`seq`), or
            the time and the names of a row without one.
        timestamp: The time in UTC.
        run_id: The run; None if the log does not name it.
        prompt_hash: The hash of the request.
        model_id: The model.
        version: The version of the model.
        metric: The metric of the reward.
        passed: Whether the reply passed.
        q1: The quality, if there is one.
        cost: The normalised cost.
        refusal_penalty: The penalty for a refusal.
        reward: The reward in the log.
        computed: The reward by the numbers of the row.
        is_training: Whether the row names a winner, or that there is none.
        winner: The winner of the run.
        stable: Whether the model is stable.
        candidates: The number of rows of the run; None if the log does not have it.
        competes: Whether the model can win; a fallback cannot.
        follows: Whether both rewards are equal, up to the last digits.
        judged: The reward that decides. It is the one in the log if both are equal, so that
            equal rewards stay equal.
        prev: The hash of the row before it.
        sealed: Whether its seal is valid (`chain`).
    """

    line: int
    order: tuple[Any, ...]
    timestamp: str
    run_id: str | None
    prompt_hash: str
    model_id: str
    version: str
    metric: AnyMetric
    passed: bool
    q1: float | None
    cost: float
    refusal_penalty: float
    reward: float
    computed: float
    is_training: bool
    winner: str | None
    stable: bool
    candidates: int | None
    competes: bool
    follows: bool
    judged: float
    prev: str | None = None
    sealed: bool = True


def read_json(line: bytes) -> NewRow:
    """Return the object of a line.

    Raises:
        RowError: The line is not a JSON object, or it has a key twice.
    """
    try:
        text = line.decode("utf-8")
        decoder = _EXACT_DECODER if _EXPONENT.search(line) else _DECODER
        value, end = decoder.raw_decode(text)
        if end != len(text) and text[end:].strip(" \t\r"):
            raise RowError("there is something after the object")
    except RowError:
        raise
    except (ValueError, RecursionError) as error:
        raise RowError(f"it is not JSON: {error}") from None
    if type(value) is not dict:
        raise RowError("it is not a JSON object")
    # A fast test for keys that are there twice. Only if it fails, the line is read again.
    key_count = len(value)
    params = value.get("metric_params")
    if type(params) is dict:
        key_count += len(params)
    if line.count(b'":') != key_count or _BLANK_AFTER_KEY.search(line):
        _expect_keys_once(text)
    return value


def _refuse(name: str) -> Any:
    raise RowError(f"{name} is not a number of JSON")


def _as_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise RowError(f"the number {digits[:40]} is larger than a float can be")
    return value


# The decoder of `json.loads`, without its search for encodings.
_DECODER = json.JSONDecoder(parse_constant=_refuse)
# Only numbers with an exponent can be too large.
_EXACT_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_as_float)
_EXPONENT = re.compile(rb"[0-9][eE]")
_BLANK_AFTER_KEY = re.compile(rb'"[ \t\r]+:')


def _expect_keys_once(text: str) -> None:
    def collect(pairs: list[tuple[str, Any]]) -> NewRow:
        items: NewRow = {}
        for name, item in pairs:
            if name in items:
                raise RowError(f"the key {name!r} is there twice")
            items[name] = item
        return items

    json.loads(text, object_pairs_hook=collect)


class RowReader:
    """Reads rows one after another, and remembers the metrics that they have in common."""

    def __init__(self) -> None:
        self._metrics: dict[tuple[str, str], AnyMetric] = {}
        self._last: tuple[str, Any, AnyMetric] = ("", None, METRIC_V1)

    def read(self, line: bytes, number: int) -> Row:
        """Return the row of a line; raises `RowError`."""
        return self.check(read_json(line), number)

    def check(self, value: JsonRow, number: int = 0) -> Row:
        """Return the row of an object.

        Raises:
            RowError: It is not a row.
        """
        # Written for speed: large logs have millions of rows. All fields are tested by one
        # expression, and only if it fails, `_explain` looks for the wrong one.
        value = modernise(value)
        try:
            timestamp, prompt, model, metric_name, result, q0, cost, refusal, reward = _required(
                value
            )
        except KeyError as error:
            raise RowError(f"{error.args[0]}: there is none") from None
        get = value.get
        params = get("metric_params")
        q1 = get("q1")
        winner = get("winner_model_id")
        run = get("run_id")
        seq = get("seq")
        version = get("model_version", "")
        candidates = get("candidates")
        stable = get("stable", False)
        prev = get("prev")
        passed = result == "PASS"
        # `type` is faster than `isinstance`, and a bool is not a number here.
        if not (
            (passed or result == "FAIL")
            and (type(q0) is int or type(q0) is float)
            and q0 == passed
            and (type(reward) is float or type(reward) is int)
            and -1e300 < reward < 1e300
            and type(prompt) is type(model) is type(version) is str
            and 0 < len(prompt) <= _MAX_TEXT
            and 0 < len(model) <= _MAX_TEXT
            and len(version) <= _MAX_TEXT
            and (run is None or (type(run) is str and 0 < len(run) <= _MAX_TEXT))
            and (winner is None or (type(winner) is str and 0 < len(winner) <= _MAX_TEXT))
            and (seq is None or (type(seq) is int and 0 <= seq < _MOST_ROWS))
            and (candidates is None or (type(candidates) is int and 0 < candidates < _MOST_ROWS))
            and type(stable) is bool
            and (prev is None or (type(prev) is str and len(prev) == len(FIRST)))
        ):
            raise RowError(_explain(value))
        # Adjacent rows usually have the same metric.
        last_name, last_params, metric = self._last
        if last_name != metric_name or last_params != params:
            metric = self._read_metric(metric_name, params)
        try:
            computed = metric.reward(passed, q1, cost, refusal)
            if type(metric) is MixedMetric:
                _check_parts(metric.parts(passed, q1, cost, refusal), get("rewards"))
        except MetricError as error:
            raise RowError(str(error)) from None
        if cost > _MAX_COST:
            raise RowError(_expect("cost", "a normalised cost", cost))
        timestamp = _read_time(timestamp)
        follows = -TOLERANCE <= reward - computed <= TOLERANCE
        # Rows without a number are older than all that have one.
        order = (-1, timestamp, run or "", model, reward) if seq is None else (seq,)
        return Row(
            number,
            order,
            timestamp,
            run,
            prompt,
            model,
            version,
            metric,
            passed,
            q1,
            cost,
            refusal,
            reward,
            computed,
            "winner_model_id" in value,
            winner,
            stable,
            candidates,
            get("role") != FALLBACK,
            follows,
            reward if follows else computed,
            prev,
        )

    def _read_metric(self, name: Any, params: Any) -> AnyMetric:
        if type(name) is not str or (params is not None and type(params) is not dict):
            raise RowError(
                "metric_version: a metric, and metric_params: its weights, are expected: "
                f"{_show(name)}"
            )
        if params is None and name != METRIC_V1.name:
            raise RowError(
                f"metric_params: there are none, and only {METRIC_V1.name} is known without"
            )
        key = (name, json.dumps(params, sort_keys=True))
        metric = self._metrics.get(key)
        if metric is None:
            try:
                metric = METRIC_V1 if params is None else read_metric(name, params)
            except (MetricError, TypeError, ValueError) as error:
                raise RowError(f"metric_params: {error}") from None
            # A forged log may have a metric in each row.
            if len(self._metrics) > _MAX_METRICS:
                self._metrics.clear()
            self._metrics[key] = metric
        self._last = (name, params, metric)
        return metric


def _explain(value: JsonRow) -> str:
    """Return what is wrong with a row: the first field that is not as it must be."""
    result = value["verifier_result"]
    if result not in ("PASS", "FAIL"):
        return _expect("verifier_result", "PASS or FAIL", result)
    q0 = value["q0"]
    if q0 != (result == "PASS") or isinstance(q0, bool):
        return (
            f"q0: it is {_show(q0)}, and verifier_result is {result}: 1 belongs to PASS, 0 to FAIL"
        )
    for name in ("prompt_hash", "model_id", "model_version", "run_id", "winner_model_id"):
        text = value.get(name)
        # Only a version may be empty, and only required fields may not be null.
        least = int(name != "model_version")
        is_text = isinstance(text, str) and least <= len(text) <= _MAX_TEXT
        if not is_text and (text is not None or name in REQUIRED):
            return _expect(name, f"a text of at most {_MAX_TEXT} characters", text)
    for name in ("seq", "candidates"):
        number = value.get(name)
        least = int(name == "candidates")
        is_count = type(number) is int and least <= number < _MOST_ROWS
        if number is not None and not is_count:
            return _expect(name, "a number of rows", number)
    stable = value.get("stable", False)
    if not isinstance(stable, bool):
        return _expect("stable", "true or false", stable)
    prev = value.get("prev")
    if prev is not None and not (isinstance(prev, str) and len(prev) == len(FIRST)):
        return _expect("prev", "a SHA-256 hash", prev)
    return _expect("reward", "a finite number", value["reward"])


def _expect(name: str, expected: str, value: Any) -> str:
    return f"{name}: {expected} is expected, and found was {_show(value)}"


def _check_parts(parts: Mapping[str, float], logged: Any) -> None:
    """Raise `MetricError` unless the row has the rewards by both parts of a mixed metric."""
    if logged is None:
        return
    for name, reward in parts.items():
        value = logged.get(name) if isinstance(logged, Mapping) else None
        # A NaN is not at most anything, so the comparison is negated.
        if not isinstance(value, float | int) or not abs(value - reward) <= TOLERANCE:
            raise MetricError(
                f"rewards: that by {name} is {_show(value)}, and the row's numbers give {reward!r}"
            )


def _read_time(value: Any) -> str:
    """Return a time in UTC with milliseconds and without Z, so that texts are in order."""
    try:
        if type(value) is str:
            time = datetime.fromisoformat(value)
            # The usual case, without a conversion.
            is_usual = value[-1] == "Z" and value[10] == "T" and len(value) in _USUAL
            if is_usual and value[13] == ":" and value[19] == ".":
                return value[:23]
            if time.tzinfo is not None:
                return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, IndexError):
        pass
    expected = "a time with its offset, as 2026-01-31T12:00:00Z,"
    raise RowError(_expect("timestamp", expected, value))


def modernise(value: JsonRow) -> JsonRow:
    """Return a row with the present names. A present row is returned itself."""
    version = value.get("metric_version")
    if "proxy_values" not in value and (type(version) is not str or version[:1] != "v"):
        return value
    row: NewRow = {}
    proxies = value.get("proxy_values")
    if isinstance(proxies, Mapping):
        for key, item in proxies.items():
            row[_OLD_NAMES.get(str(key), str(key))] = item
    # A value outside of `proxy_values` counts.
    row |= value
    row.pop("proxy_values", None)
    if type(version) is str and _OLD_VERSION.match(version):
        row["metric_version"] = f"metric_{version}"
    return row


def is_torn(line: bytes, has_end: bool) -> bool:
    """Return whether a line is half a row, as a writer leaves it that is killed.

    Args:
        line: A line that is not a row.
        has_end: Whether it has a line feed: the next writer ends the line.
    """
    if not has_end or line[:1] != b"{" or line[-1:] != b"}":
        return not has_end or line[:1] == b"{"
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        # The brace is the end of an object inside the row.
        return error.pos == len(error.doc)
    except (ValueError, RecursionError):
        pass
    return False


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    if len(text) > 60:
        text = text[:57] + "…"
    return text
