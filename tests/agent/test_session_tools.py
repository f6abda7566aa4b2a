"""Two steps of a run for a session of an agent: what a reply would do, and a contest for one."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_shop import GOOD, PROSE, REQUEST, SHOP, UNSEEN, model, read_shop

from symops_lark import SymOpsError
from symops_lark.agent import Limits
from symops_lark.agent.session_tools import ask_models, plan_document
from symops_lark.code_intelligence import Session, Workspace


def test_what_a_reply_would_do(session: Session, shop: Path) -> None:
    planned = plan_document(session, GOOD, "v2")
    change = {"operation": "replace", "path": "shop/cart.py", "decision": "auto", "reasons": ""}
    assert (planned["ok"], planned["possible"], planned["message"]) == (True, True, "1 change, 0 conflicts")
    assert planned["changes"] == [change] and planned["conflicts"] == [] and planned["confidence"] == 1.0
    refused = plan_document(session, GOOD + "::create @.env\n<<<\nKEY=1\n>>>\n", "v2")
    assert (refused["possible"], len(refused["changes"])) == (False, 2) and refused["changes"][1]["reasons"]
    assert read_shop(shop) == SHOP


def test_what_has_nothing_to_do_is_not_possible(session: Session) -> None:
    planned = plan_document(session, ">> Nothing to do.\n", "v2")
    assert (planned["ok"], planned["possible"], planned["message"]) == (True, False, "0 changes, 0 conflicts")
    unseen = plan_document(session, UNSEEN, "v2")
    assert not unseen["possible"] and "shop/mail.py" in unseen["conflicts"][0]
    with pytest.raises(SymOpsError):
        plan_document(session, PROSE, "v2")


def test_the_dialect_of_a_reply_is_found(session: Session) -> None:
    assert plan_document(session, GOOD) == plan_document(session, GOOD, "v2")


def test_models_are_asked_when_the_code_was_looked_at(shop: Path) -> None:
    good = model("good", GOOD)
    answer = ask_models(Workspace(shop).start_session(REQUEST, "MODIFY"), [good])
    assert (answer["ok"], answer["reason_code"]) == (False, "phase_blocked") and good[1].requests == []
    assert answer["message"] == "the session is in EXPLORATION, and models are asked in READY" and answer["next"]


def test_without_models_there_is_no_contest(session: Session) -> None:
    with pytest.raises(SymOpsError, match="no model competes"):
        ask_models(session, [])


def test_the_reply_that_passes_is_the_answer(session: Session, shop: Path) -> None:
    good = model("good", GOOD)
    answer = ask_models(session, [good, model("unseen", UNSEEN)])
    assert (answer["ok"], answer["message"], answer["model_id"]) == (True, "good won", "good")
    assert (answer["document"], answer["cut"]) == (GOOD, []) and answer["why"]
    content = good[1].requests[0][-1].content
    assert REQUEST in content and SHOP["shop/cart.py"] in content and SHOP["shop/mail.py"] not in content
    assert read_shop(shop) == SHOP


def test_another_request_takes_the_place_of_the_first(session: Session) -> None:
    good = model("good", GOOD)
    assert ask_models(session, [good], "Return 0, please.")["ok"]
    content = good[1].requests[0][-1].content
    assert "<request>\nReturn 0, please.\n</request>" in content and REQUEST not in content


def test_limits_and_tokens_are_those_of_the_caller(session: Session) -> None:
    models = [model(name, GOOD) for name in ("one", "two")]
    answer = ask_models(session, models, limits=Limits(calls=1))
    assert answer["ok"] and sum(len(single_model.requests) for _, single_model in models) == 1
    with pytest.raises(SymOpsError, match="context_tokens: 3 are too few"):
        ask_models(session, models, tokens=3)
    failed = ask_models(session, [model("prose", PROSE)])
    assert (failed["ok"], failed["reason_code"]) == (False, "none_passed")
    assert failed["message"].startswith("prose: document: ")
