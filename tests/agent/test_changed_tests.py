"""Replies that change the tests that judge them: they come last, and are never written unasked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_shop import CHEAT, GOOD, SHOP, make_task, model, read_shop

from symops_lark import Policy
from symops_lark.agent import Kind, Run, Status, run_task
from symops_lark.core.replies.messages import Reply
from symops_lark.routing.verifiers import Verdict


def reasons(run: Run) -> dict[str, str]:
    """Return why each candidate of the contest failed; empty for a pass."""
    event = run.last(Kind.WINNER)
    assert event is not None
    return {attempt["model_id"]: attempt["why"] for attempt in event.data["tries"]}


class Score:
    """A verifier that takes every reply, and finds only one good."""

    def judge(self, reply: Reply) -> Verdict:
        return Verdict(True, float(reply.text == CHEAT))


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, {"run_code": True}, {"verifier": Score()}])
@pytest.mark.parametrize("cheat", [CHEAT, CHEAT + GOOD, GOOD + "::create @conftest.py\n<<<\nx = 1\n>>>\n"])
def test_a_reply_that_changes_tests_is_after_all_others(shop: Path, cheat: str, changes: dict[str, Any]) -> None:
    long = GOOD.replace(">> Return 0.", ">> Return 0" + ", as the request says" * 500 + ".")
    run = run_task(make_task(shop, **changes), [model("long", long), model("cheat", cheat)])
    assert (run.status, run.winner) == (Status.COMPLETE, "long") and reasons(run)["cheat"] == ""
    assert any(line.startswith("  cheat: passed; it changes ") for line in run.story())
    assert read_shop(shop)["test_cart.py"] == SHOP["test_cart.py"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "path"), [(CHEAT, "test_cart.py"), ("::create @conftest.py\n<<<\nx = 1\n>>>\n" + GOOD, "conftest.py")]
)
def test_a_change_of_tests_is_never_written_unasked(shop: Path, reply: str, path: str) -> None:
    task, questions = make_task(shop, policy=Policy(allow=("*",))), list[Any]()
    run = run_task(task, [model("cheat", reply)])
    assert (run.status, run.why) == (Status.DECLINED, f"{path}: it needs consent") and read_shop(shop) == SHOP
    line = f"winner: cheat (1 of 1 passed: the only one; it changes {path}, which your tests use)"
    assert line in run.story()
    run = run_task(task, [model("asked", reply)], confirm=lambda change: not questions.append(change))  # type: ignore[func-returns-value]
    assert run.status is Status.COMPLETE and read_shop(shop) != SHOP
    assert [change.reasons for change in questions if change.path == path] == [(f"your tests use {path}",)]


def test_a_test_may_be_written_where_no_tests_decide(shop: Path) -> None:
    assert run_task(make_task(shop, tests=()), [model("one", CHEAT)]).status is Status.APPLIED
