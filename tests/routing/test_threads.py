"""Threads that share a flow, as those of a server."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from route_models import make_contestant

from symops_lark.models import Reply, ScriptedModel, Usage
from symops_lark.routing import Flow
from symops_lark.routing.contests.candidates import order_by_cost

GOOD = '{"x": 1}'


class SlowCosts(dict[str, float]):
    """Costs that another thread may read before they are written."""

    def get(self, name: str, default: Any = None) -> Any:
        cost = super().get(name, default)
        time.sleep(0.001)
        return cost


def test_threads_that_share_a_flow_lose_no_cost(tmp_path: Path) -> None:
    """A server answers each request in another thread: most costs were lost, and a model looked free."""
    cheap = make_contestant(tmp_path, "cheap", GOOD)
    models = [
        make_contestant(tmp_path, name, ScriptedModel([Reply(GOOD, usage=Usage(1, count))] * 8))
        for name, count in (("a", 100), ("b", 200))
    ]
    flow = Flow(models, asked=Counter(cheap=1), spent=SlowCosts(cheap=1e-9))
    costs: list[tuple[str, float]] = []

    def answer() -> None:
        answered = flow.run("x?")
        costs.extend((attempt.contestant.model_id, attempt.cost) for attempt in answered.tries)

    threads = [Thread(target=answer) for _ in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        order = order_by_cost([*flow.contestants, cheap], flow.asked, flow.spent)
        assert order[0] is cheap, "a call is counted with its cost"
    assert flow.asked == {"a": 8, "b": 8, "cheap": 1}
    for name in "ab":
        assert flow.spent[name] == pytest.approx(sum(cost for model_id, cost in costs if model_id == name))
