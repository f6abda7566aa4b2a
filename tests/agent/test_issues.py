"""Requests whose issue the code does not show."""

from __future__ import annotations

from pathlib import Path

from agent_shop import GOOD, make_task, model

from symops_lark.agent import Status, run_task


def test_an_issue_that_is_in_no_file_is_reported_as_searched(shop: Path) -> None:
    good = model("good", GOOD)
    issue = {"value": "ZeroDivisionError", "quote": "ZeroDivisionError"}
    target = {"value": "login_user", "quote": "login_user"}
    frame = {"target_feature": target, "observed_issue": issue}
    request = "login_user stops with ZeroDivisionError"
    run = run_task(make_task(shop, request=request, frame=frame), [good])
    assert run.status is Status.NEEDS_USER
    assert "'ZeroDivisionError' was searched for, and found in no file" in run.why
    assert "the line that raises it" in run.why
