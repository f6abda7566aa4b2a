"""Rows of a run log: one candidate's try, as a line of JSON. What is no such row is told with the field and the reason.

Rows of older logs are read as well: `metric_version` was `v1`, and the numbers stood in `proxy_values`.
"""

from __future__ import annotations

import json
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
TOLERANCE = 1e-9  # how far a logged reward may be from what its row gives: digits of floats, and nothing else
FALLBACK = "fallback"  # the `role` of who serves because nobody won; who competes has none, or another
_required = itemgetter(*REQUIRED)
_OLD_NAMES = {"c": "cost", "RefusalPenalty": "refusal_penalty", "R": "reward"}
_OLD_VERSION = re.compile(r"v[1-9][0-9]*\Z")
_LONG = 200
_MOST_ROWS = 1 << 62
_DEAREST = 1e6  # costs are normalised; sums of what is beyond this lose digits
_USUAL = (24, 27)  # characters of a time to the millisecond and the microsecond, with dashes and colons


class RowError(RoutingError, ValueError):
    """A line is no row of a run log; the message says which field is wrong, and why."""


@dataclass(slots=True)
class Row:
    """One candidate's try. `reward` is what is logged, `computed` what the row's own numbers give.

    Where the one `follows` from the other, it is the logged one that is `judged` by, so that equals stay equal.

    `order` is what rows are in order by, wherever they stand: their number (`seq`), or, of rows without one, their
    time and names. `candidates` is how many rows the run has, None if the log does not say. `prev` is the hash of the
    row before it, and `sealed` is whether its seal is valid (`logs/chain`).
    """

    line: int
    order: tuple[Any, ...]
    timestamp: str
    run_id: str | None
    prompt_hash: str
    model_id: str
    version: str
    metric: Metric | MixedMetric
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


def read_json(line: bytes) -> dict[str, Any]:
    """Return the object of a line; raise `RowError` for anything else, and for a key that is there twice."""
    try:
        text = line.decode("utf-8")
        value, end = _DECODER.raw_decode(text)
        if end != len(text) and text[end:].strip(" \t\r"):
            raise RowError("there is something behind the object")
    except RowError:
        raise
    except (ValueError, RecursionError) as error:
        raise RowError(f"it is no JSON: {error}") from None
    if type(value) is not dict:
        raise RowError("it is no JSON object")
    params = value.get("metric_params")
    if line.count(b'":') != len(value) + (len(params) if type(params) is dict else 0):  # a cheap sign; then surely
        _expect_keys_once(text)
    return value


def _refuse(name: str) -> Any:
    raise RowError(f"{name} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)  # what json.loads uses, without its search for encodings


def _expect_keys_once(text: str) -> None:
    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            raise RowError(f"the key {next(name for name in names if names.count(name) > 1)!r} is there twice")
        return found

    json.loads(text, object_pairs_hook=collect)


class RowReader:
    """Reads rows one after another; what rows have in common (metrics, times) is looked at once."""

    def __init__(self) -> None:
        self._metrics: dict[tuple[str, str], Metric | MixedMetric] = {}
        self._last: tuple[str, Any, Metric | MixedMetric] = ("", None, METRIC_V1)

    def read(self, line: bytes, number: int) -> Row:
        """Return the row that a line says; raise `RowError`."""
        return self.check(read_json(line), number)

    def check(self, value: Mapping[str, Any], number: int = 0) -> Row:
        """Return the row that an object says; raise `RowError`."""
        value = modernise(value)
        try:
            timestamp, prompt, model, metric_name, result, q0, cost, refusal, reward = _required(value)
        except KeyError as error:
            raise RowError(f"{error.args[0]}: there is none") from None
        get = value.get
        params, q1, winner, run = get("metric_params"), get("q1"), get("winner_model_id"), get("run_id")
        seq, version, candidates, stable = get("seq"), get("model_version", ""), get("candidates"), get("stable", False)
        prev = get("prev")
        passed = result == "PASS"
        if not (
            (passed or result == "FAIL")
            and (type(q0) is int or type(q0) is float)
            and q0 == passed
            and (type(reward) is float or type(reward) is int)
            and -1e300 < reward < 1e300
            and type(prompt) is type(model) is type(version) is str
            and 0 < len(prompt) <= _LONG
            and 0 < len(model) <= _LONG
            and len(version) <= _LONG
            and (run is None or (type(run) is str and 0 < len(run) <= _LONG))
            and (winner is None or (type(winner) is str and 0 < len(winner) <= _LONG))
            and (seq is None or (type(seq) is int and 0 <= seq < _MOST_ROWS))
            and (candidates is None or (type(candidates) is int and 0 < candidates < _MOST_ROWS))
            and type(stable) is bool
            and (prev is None or (type(prev) is str and len(prev) == len(FIRST)))
        ):
            raise RowError(_explain(value))
        last = self._last
        metric = last[2] if last[0] == metric_name and last[1] == params else self._read_metric(metric_name, params)
        try:
            computed = metric.reward(passed, q1, cost, refusal)
            if type(metric) is MixedMetric:
                _check_parts(metric.parts(passed, q1, cost, refusal), get("rewards"))
        except MetricError as error:
            raise RowError(str(error)) from None
        if cost > _DEAREST:
            raise RowError(f"cost: a normalised cost is expected, and found was {_show(cost)}")
        timestamp = _read_time(timestamp)
        follows = -TOLERANCE <= reward - computed <= TOLERANCE
        return Row(
            number,
            (-1, timestamp, run or "", model, reward) if seq is None else (seq,),
            timestamp, run, prompt, model, version, metric, passed, q1, cost, refusal, reward, computed,
            "winner_model_id" in value, winner, stable, candidates, get("role") != FALLBACK, follows,
            reward if follows else computed, prev,
        )  # fmt: skip

    def _read_metric(self, name: Any, params: Any) -> Metric | MixedMetric:
        if type(name) is not str or (params is not None and type(params) is not dict):
            raise RowError(f"metric_version: a metric, and metric_params: its weights, are expected: {_show(name)}")
        if params is None and name != METRIC_V1.name:
            raise RowError(f"metric_params: there are none, and only {METRIC_V1.name} is known without")
        key = (name, json.dumps(params, sort_keys=True))
        metric = self._metrics.get(key)
        if metric is None:
            try:
                metric = METRIC_V1 if params is None else read_metric(name, params)
            except (MetricError, TypeError, ValueError) as error:
                raise RowError(f"metric_params: {error}") from None
            if len(self._metrics) > 1000:
                self._metrics.clear()
            self._metrics[key] = metric
        self._last = (name, params, metric)
        return metric


def _explain(value: Mapping[str, Any]) -> str:
    """Return what is wrong with a row: the first field that is not as it must be."""
    result = value["verifier_result"]
    if result not in ("PASS", "FAIL"):
        return f"verifier_result: PASS or FAIL is expected, and found was {_show(result)}"
    if value["q0"] != (result == "PASS") or isinstance(value["q0"], bool):
        return f"q0: it is {_show(value['q0'])}, and verifier_result is {result}: 1 belongs to PASS, 0 to FAIL"
    for name in ("prompt_hash", "model_id", "model_version", "run_id", "winner_model_id"):
        text, least = value.get(name), int(name != "model_version")
        if not (isinstance(text, str) and least <= len(text) <= _LONG) and (text is not None or name in REQUIRED):
            return f"{name}: a text of at most {_LONG} characters is expected, and found was {_show(text)}"
    for name in ("seq", "candidates"):
        number = value.get(name)
        if number is not None and (type(number) is not int or not (name == "candidates") <= number < _MOST_ROWS):
            return f"{name}: a number of rows is expected, and found was {_show(number)}"
    if not isinstance(value.get("stable", False), bool):
        return f"stable: true or false is expected, and found was {_show(value['stable'])}"
    prev = value.get("prev")
    if prev is not None and not (isinstance(prev, str) and len(prev) == len(FIRST)):
        return f"prev: a SHA-256 hash is expected, and found was {_show(prev)}"
    return f"reward: a finite number is expected, and found was {_show(value['reward'])}"


def _check_parts(parts: Mapping[str, float], logged: Any) -> None:
    """Raise `MetricError` unless the rewards by both metrics of a mixed one are those of the row."""
    if logged is None:
        return
    for name, reward in parts.items():
        found = logged.get(name) if isinstance(logged, Mapping) else None
        if not isinstance(found, float | int) or not abs(found - reward) <= TOLERANCE:
            raise MetricError(f"rewards: that by {name} is {_show(found)}, and the row's numbers give {reward!r}")


def _read_time(value: Any) -> str:
    """Return a time in UTC to the millisecond, without its Z, so that texts are in the order of times."""
    try:
        if type(value) is str:
            time = datetime.fromisoformat(value)
            if value[-1] == "Z" and value[10] == "T" and len(value) in _USUAL:
                return value[:23]
            if time.tzinfo is not None:
                return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, IndexError):
        pass
    told = "a time with its offset, as 2026-01-31T12:00:00Z, is expected"
    raise RowError(f"timestamp: {told}, and found was {_show(value)}")


def modernise(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row as today's rows are: a row of an older log made new, any other as it is."""
    version = value.get("metric_version")
    if "proxy_values" not in value and (type(version) is not str or version[:1] != "v"):
        return value
    row: dict[str, Any] = {key: item for key, item in value.items() if key != "proxy_values"}
    proxies = value.get("proxy_values")
    if isinstance(proxies, Mapping):
        named = {_OLD_NAMES.get(str(key), str(key)): item for key, item in proxies.items()}
        row = {**named, **row}
    if type(version) is str and _OLD_VERSION.match(version):
        row["metric_version"] = f"metric_{version}"
    return row


def is_torn(line: bytes, whole: bool) -> bool:
    """Return whether a line that is no row is what a killed writer leaves: half a row, with its end or without it."""
    if not whole or line[:1] != b"{" or line[-1:] != b"}":
        return not whole or line[:1] == b"{"
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos == len(error.doc)  # of an object inside the row, the end is there
    except (ValueError, RecursionError):
        pass
    return False


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
