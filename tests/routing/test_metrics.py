"""Rewards: the formula, its laws, what is refused; metrics with their names, mixed, and one after another."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.routing import METRIC_V1, Metric, MetricError, MetricRegistry, MixedMetric, read_metric, reward
from symops_lark.routing.events import (
    EvalMetricChange,
    Event,
    InferRequest,
    InferResult,
    ModelAddRequest,
    SelectTrainExample,
)
from symops_lark.routing.metrics.metrics import load_metric

SHARE = st.floats(0, 1)
WEIGHT = st.floats(0, 10)
METRICS = st.builds(
    Metric, st.sampled_from(["metric_v2", "metric_v3"]), WEIGHT, WEIGHT, WEIGHT, st.floats(0.1, 1e4), st.floats(1, 1e6)
)
NUMBERS = st.tuples(st.sampled_from([0, 1]), st.none() | SHARE, st.floats(0, 1e3), SHARE)
WRONG = [math.nan, math.inf, -math.inf, -0.1, -1, 10**400, "1", None, True]


def test_the_formula_is_that_of_the_text() -> None:
    """The example whose reward is told as 1.38 has the weight 1 for the cost; by the recommended 0.3 it is 1.611."""
    assert (METRIC_V1.lambda_, METRIC_V1.pi, METRIC_V1.beta) == (0.3, 1.0, 1.0)
    assert reward(1, 0.71, 0.33, 0) == pytest.approx(1.611)
    assert reward(1, 0.71, 0.33, 0, metric=Metric("metric_v2", lambda_=1.0)) == pytest.approx(1.38)
    assert reward(q0=0, q1=None, cost=0.5, refusal_penalty=1.0) == pytest.approx(-1.15)


@given(METRICS, NUMBERS, NUMBERS)
def test_a_reward_is_monotone_in_each_term(metric: Metric, one: Any, other: Any) -> None:
    for place, sign in enumerate((1, 1, -1, -1)):
        low, high = sorted((one[place] or 0, other[place] or 0))
        first, second = list(one), list(one)
        first[place], second[place] = low, high
        assert sign * metric.reward(*first) <= sign * metric.reward(*second)


@given(NUMBERS)
def test_a_q1_that_is_absent_counts_nothing(numbers: Any) -> None:
    q0, _, cost, penalty = numbers
    assert reward(q0, None, cost, penalty) == reward(q0, 0.0, cost, penalty)


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("name", ["q0", "q1", "cost", "refusal_penalty"])
def test_what_is_no_number_is_refused(name: str, wrong: Any) -> None:
    if (name, wrong) in (("q1", None), ("q0", True)):  # no score; a pass
        assert reward(**{"q0": 1, "q1": 0.5, "cost": 0.1, "refusal_penalty": 0, name: wrong}) > 0
        return
    with pytest.raises(MetricError, match=rf"^{name} is "):
        reward(**{"q0": 1, "q1": 0.5, "cost": 0.1, "refusal_penalty": 0, name: wrong})


@pytest.mark.parametrize(("name", "wrong"), [("q0", 0.5), ("q0", 2), ("q1", 1.01), ("refusal_penalty", 1.5)])
def test_what_is_beyond_its_range_is_refused(name: str, wrong: float) -> None:
    with pytest.raises(MetricError, match=rf"^{name} is "):
        reward(**{"q0": 1, "q1": 0.5, "cost": 0.1, "refusal_penalty": 0, name: wrong})  # type: ignore[arg-type]


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.floats(0, 1e9))
def test_a_cost_is_a_share_that_never_falls(seconds: float, tokens: float, more: float) -> None:
    cost = METRIC_V1.cost(seconds, tokens)
    assert 0 <= cost <= METRIC_V1.cost(seconds + more, tokens) <= 1
    assert cost <= METRIC_V1.cost(seconds, tokens + more)
    assert METRIC_V1.cost(15.0, 500) == pytest.approx(0.5)


@pytest.mark.parametrize(("seconds", "tokens"), [(math.nan, 1), (1, math.inf), (-1, 1)])
def test_a_cost_of_nonsense_is_refused(seconds: float, tokens: float) -> None:
    with pytest.raises(MetricError):
        METRIC_V1.cost(seconds, tokens)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"name": "v1"}, "metric_v and a number"),
        ({"name": "metric_v0"}, "metric_v and a number"),
        ({"lambda_": -1}, "lambda is -1"),
        ({"beta": math.nan}, "beta is nan"),
        ({"t_ref": 0}, "t_ref is 0"),
        ({"w_t": 0.7, "w_o": 0.7}, "together"),
        ({"pi": True}, "pi is True"),
    ],
)
def test_a_metric_with_wrong_weights_is_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(MetricError, match=told):
        Metric(**{"name": "metric_v2", **settings})


# ---- two metrics


@given(METRICS, NUMBERS, SHARE)
def test_a_mixture_is_its_ends_at_its_ends(new: Metric, numbers: Any, alpha: float) -> None:
    old = METRIC_V1
    assert MixedMetric(old, new, 1).reward(*numbers) == old.reward(*numbers)
    assert MixedMetric(old, new, 0).reward(*numbers) == new.reward(*numbers)
    mixed, ends = MixedMetric(old, new, alpha), (old.reward(*numbers), new.reward(*numbers))
    assert min(ends) - 1e-9 <= mixed.reward(*numbers) <= max(ends) + 1e-9
    assert mixed.parts(*numbers) == {old.name: ends[0], new.name: ends[1]}


@given(METRICS, SHARE, NUMBERS)
def test_a_metric_is_known_again_by_what_a_row_has_of_it(metric: Metric, alpha: float, numbers: Any) -> None:
    for item in (metric, MixedMetric(METRIC_V1, metric, alpha)):
        repeated_metric = read_metric(item.name, json.loads(json.dumps(item.params)))
        assert repeated_metric == item and repeated_metric.reward(*numbers) == item.reward(*numbers)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("metric_v2", {"lamda": 1}),
        ("metric_v1+metric_v2", {}),
        ("metric_v1+metric_v2", {"alpha": 2, "metric_v1": {}, "metric_v2": {}}),
        ("metric_v1+metric_v1", {"alpha": 0.5}),
        ("metric_v1+metric_v2+metric_v3", {"alpha": 0.5}),
        ("metric_v1+" * 5_000 + "metric_v2", {"alpha": 0.5}),
        ("", {}),
        (3, {}),
        ("metric_v1", []),
    ],
)
def test_what_is_no_metric_is_refused(name: Any, params: Any) -> None:
    with pytest.raises(MetricError):
        read_metric(name, params)


def test_a_metric_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "metric.json"
    path.write_text('{"name": "metric_v2", "lambda": 1.0}')
    assert load_metric(path) == Metric("metric_v2", lambda_=1.0)
    for text in ('{"name": "metric_v2", "lambda": NaN}', "[]", '{"name": "x"}', '{"lambda": 1', '{"name": 3}'):
        path.write_text(text)
        with pytest.raises(MetricError, match=r"metric\.json") as caught:
            load_metric(path)
        assert "Traceback" not in str(caught.value)
    # The name of the protocol's metric has its weights, in any notation.
    path.write_text('{"name": "metric_v1", "lambda": 0.3, "pi": 1}')
    assert load_metric(path) == METRIC_V1
    path.write_text('{"name": "metric_v1", "lambda": 0.5}')
    with pytest.raises(MetricError, match=r"metric\.json: metric_v1 has other weights already"):
        load_metric(path)


# ---- one metric after another


def registry() -> MetricRegistry:
    metric_registry = MetricRegistry()
    for number in (2, 3):
        metric_registry = metric_registry.add(Metric(f"metric_v{number}", lambda_=number / 10))
    return metric_registry


@given(st.lists(st.sampled_from(["metric_v1", "metric_v2", "metric_v3"])))
def test_changes_have_epochs_and_can_be_replayed(names: list[str]) -> None:
    existing, events = registry(), []
    for name in names:
        if name == existing.current:
            with pytest.raises(MetricError, match="to itself"):
                existing.change(name)
            continue
        existing, event = existing.change(name)
        events.append(event)
    assert [event.epoch for event in events] == list(range(1, len(events) + 1))
    assert registry().replay(events) == existing
    for i in range(len(events) - 1):  # an event that is lost, or comes twice, is told
        with pytest.raises(MetricError):
            registry().replay([*events[:i], *events[i + 1 :][:1], *events[i:]])


def test_a_name_keeps_its_weights_for_ever() -> None:
    existing = registry()
    assert existing.add(existing["metric_v2"]) == existing
    with pytest.raises(MetricError, match="a new name"):
        existing.add(Metric("metric_v2", lambda_=0.9))
    with pytest.raises(MetricError, match="no metric is called 'metric_v9'"):
        existing.change("metric_v9")
    with pytest.raises(MetricError, match="epoch"):
        existing.replay([EvalMetricChange("metric_v1", "metric_v2", 0)])


# ---- events

_TEXT = st.text(max_size=10)
_MADE = st.one_of(
    st.builds(InferRequest, _TEXT, st.lists(_TEXT).map(tuple), st.none() | _TEXT, run_id=_TEXT),
    st.builds(InferResult, _TEXT, st.floats(0, 1e9), st.integers(0, 10**6), _TEXT, st.floats(0, 2)),
    st.builds(SelectTrainExample, _TEXT, _TEXT, timestamp=_TEXT),
    st.builds(ModelAddRequest, _TEXT, st.dictionaries(_TEXT, st.integers())),
    st.builds(EvalMetricChange, _TEXT, _TEXT, st.integers(1)),
)


@given(_MADE)
def test_events_are_read_back(event: Event) -> None:
    data = json.loads(json.dumps(event.to_dict()))
    assert data["event"] == type(event).NAME
    assert type(event).from_dict(data) == event


def test_what_is_no_event_is_told() -> None:
    with pytest.raises(Exception, match="'INFER_REQUEST' is expected"):
        InferRequest.from_dict({"event": "INFER"})
    with pytest.raises(Exception, match="epoch"):
        EvalMetricChange.from_dict({"event": "EVAL_METRIC_CHANGE", "old_metric": "a", "new_metric": "b", "epoch": True})
