"""Requests whose issue the code does not show."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_shop import GOOD, make_task, model

from symops_lark.agent import Status, run_task
from symops_lark.models import ScriptedModel


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


def test_an_issue_that_a_model_did_not_search_for_is_not_reported_as_searched(shop: Path) -> None:
    steps = ['{"open": ["shop/cart.py", "test_cart.py"]}', '{"look": ["Cart", "checkout"]}', '{"submit": ["Cart"]}']
    explorer = ScriptedModel(steps)
    run = run_task(make_task(shop, explore="model"), [model("good", GOOD)], explorer=explorer)
    assert run.status is Status.NEEDS_USER and "was searched for" not in run.why
    assert """no search of the model that explored is evidence of "raises 'the cart is empty'\"""" in run.why


@pytest.mark.parametrize("question", ["", " \\n"])
def test_a_question_without_words_is_an_answer_in_no_form(shop: Path, question: str) -> None:
    explorer = ScriptedModel([f'{{"ask_user": "{question}"}}'] * 9)
    run = run_task(make_task(shop, explore="model"), [model("good", GOOD)], explorer=explorer)
    assert run.status is Status.COMPLETE and len(explorer.requests) > 1
