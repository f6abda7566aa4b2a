"""Two steps of a run as tools over MCP: they say what a run would, and write nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_shop import FIXED, FRAME, GOOD, PROSE, REQUEST, SHOP, UNSEEN, make_shop, model, read_shop
from mcp.client import Client
from mcp_clients import over_stdio

from symops_lark.adapters.cli.code.further_tools import make_tools
from symops_lark.code_intelligence import Workspace
from symops_lark.code_intelligence.server.answers import Desk

CONTEST = [("good", GOOD), ("unseen", UNSEEN), ("prose", PROSE)]


@pytest.fixture(name="shop")
def make_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return make_shop(tmp_path / "shop")


def open_desk(shop: Path, *contestants: Any) -> tuple[Desk, str]:
    """Return a desk with a session about the shop, which has explored nothing yet."""
    desk = Desk(Workspace(shop), "", "all", make_tools(contestants))
    session = desk.answer("start_session", {"query": REQUEST, "intent": "MODIFY"})["session_id"]
    assert desk.answer("set_query_frame", {"session_id": session, "frame": FRAME})["ok"]
    return desk, session


def explore(desk: Desk, session: str) -> None:
    explored = desk.answer("explore", {"session_id": session})
    submitted = desk.answer("submit_understanding", {"session_id": session, **explored["understanding"]})
    assert submitted["ok"], submitted


def test_a_plan_says_what_the_gate_says(shop: Path) -> None:
    desk, session = open_desk(shop)
    fields = {"session_id": session, "document": GOOD}
    early = desk.answer("plan_document", fields)
    assert early["ok"] and not early["possible"] and "the session is in EXPLORATION" in early["conflicts"][0]
    explore(desk, session)
    planned = desk.answer("plan_document", fields)
    assert planned["possible"] and planned["message"] == "1 change, 0 conflicts", planned
    assert planned["changes"] == [{"operation": "replace", "path": "shop/cart.py", "decision": "auto", "reasons": ""}]
    assert desk.answer("plan_document", {**fields, "document": PROSE})["reason_code"] == "failed"
    secret = GOOD + "\n::create @.env\n<<<\nKEY=1\n>>>\n"
    refused = desk.answer("plan_document", {**fields, "document": secret})
    assert not refused["possible"] and refused["changes"][-1]["decision"] == "refuse", refused
    assert read_shop(shop) == SHOP


def test_models_compete_for_the_session(shop: Path) -> None:
    models = [model(*pair) for pair in CONTEST]
    desk, session = open_desk(shop, *models)
    refused = desk.answer("ask_models", {"session_id": session})
    assert refused["reason_code"] == "phase_blocked" and models[0][1].requests == []
    explore(desk, session)
    won = desk.answer("ask_models", {"session_id": session})
    assert (won["ok"], won["model_id"], won["document"]) == (True, "good", GOOD)
    content = models[0][1].requests[0][-1].content
    assert SHOP["shop/cart.py"] in content and REQUEST in content
    assert desk.answer("plan_document", {"session_id": session, "document": won["document"]})["possible"]
    assert read_shop(shop) == SHOP and FIXED not in content


def test_what_no_model_passes_has_the_reason_of_each(shop: Path) -> None:
    desk, session = open_desk(shop, model("unseen", UNSEEN), model("prose", PROSE))
    explore(desk, session)
    answer = desk.answer("ask_models", {"session_id": session, "request": "Return 0."})
    assert answer["reason_code"] == "none_passed"
    assert "unseen: gate: shop/mail.py" in answer["message"] and "prose: document" in answer["message"]
    tight = desk.answer("ask_models", {"session_id": session, "tokens": 3})
    assert "3 are too few" in tight["message"]


def test_without_a_model_no_tool_asks_one(shop: Path) -> None:
    assert [name for name in make_tools(()) if name == "ask_models"] == []
    assert "ask_models" in open_desk(shop, model("good", GOOD))[0].tools
    assert open_desk(shop)[0].answer("ask_models", {})["reason_code"] == "unknown_tool"


@pytest.mark.slow
def test_a_client_sees_them_where_all_tools_are_listed(shop: Path) -> None:
    async def names(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    few = over_stdio(shop, names)
    options = ("--tools", "all", "-p", "command", "--command", "cat")
    every = over_stdio(shop, names, "auto", *options)
    assert len(few) == 7 and {"plan_document", "ask_models"} <= every
