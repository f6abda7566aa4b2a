"""Answers as lines carry the same as JSON; the short list of tools does what the long one does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answer_texts import read_json, read_text
from code_trees import write_tree
from hypothesis import given
from hypothesis import strategies as st
from mcp.client import Client
from mcp_clients import ask, in_memory
from reference_trees import TREES

from benchmarks.code_intelligence.shop import DEEP, DETAILED, SLOTS, build_shop
from symops_lark.code_intelligence import Workspace
from symops_lark.code_intelligence.server.answers import Desk
from symops_lark.code_intelligence.server.short_tools import SHORT_TOOLS, listed_tools
from symops_lark.code_intelligence.server.texts import spell_answer
from symops_lark.code_intelligence.server.tools import LISTED, TOOLS, describe_tools
from symops_lark.models.prompts.tokens import load_counter

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("find_references", {"symbol": "AuthService"}),
    ("find_references", {"symbol": "login", "definitions": True}),
    ("find_definitions", {"symbol": "Session"}),
    ("find_definitions", {"symbol": ""}),
    ("query", {"text": "login"}),
    ("get_symbols", {"path": ".", "limit": 3}),
    ("search_text", {"patterns": ["login", "password"]}),
    ("get_function_at_line", {"path": "auth/service.py", "line": 4}),
]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Workspace(build_shop(tmp_path / "shop"), state=tmp_path / "state"))


@pytest.mark.parametrize(("tool", "params"), CALLS)
def test_lines_carry_the_items_of_the_json(desk: Desk, tool: str, params: dict[str, Any]) -> None:
    answer = desk.workspace.run_tool(tool, params)
    assert read_text(spell_answer(answer)) == read_json(answer)


@pytest.mark.parametrize("name", sorted(TREES))
def test_lines_carry_who_owns_what_is_left_out(tmp_path: Path, name: str) -> None:
    files, symbol, _ = TREES[name]
    workspace = Workspace(write_tree(tmp_path / "tree", files), state=tmp_path / "state")
    answer = workspace.run_tool("find_references", {"symbol": symbol, "limit": 20})
    # In the trees of files for several systems, nothing is left out.
    assert "left_out" in answer or name in ("go-systems", "python-quoted")
    assert read_text(spell_answer(answer)) == read_json(answer)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=20)
PATH = st.one_of(TEXT, st.sampled_from([" 12 a", "#1", "~ a", "- 1 b c", "@1 x", '"q"', "a\nb", "a: b", "1 of 2"]))


@given(st.lists(st.tuples(PATH, st.integers(1, 99), st.integers(0, 9), st.booleans(), TEXT), max_size=6), st.data())
def test_no_path_and_no_text_is_taken_for_another_line(rows: list[tuple[str, int, int, bool, str]], data: Any) -> None:
    items = [
        {"path": path, "line": line, "end_line": line + extra, "certain": certain, "text": f"x {text} x"}
        for path, line, extra, certain, text in rows
    ]
    flags = {name: data.draw(st.booleans()) for name in ("truncated", "incomplete")}
    answer = {"ok": True, "items": items, "shown": len(items), "total": len(items) + 1, **flags}
    assert read_text(spell_answer(answer)) == read_json(answer)


def test_a_file_that_is_opened_is_shown_whole(desk: Desk) -> None:
    session = desk.workspace.start_session("why?", "QUESTION")
    answer = session.add_explored_files(["app.py", "web/style.css", "missing.py"])
    reading = read_text(spell_answer(answer))
    assert [(item.path, item.text) for item in reading.items] == [
        (item["path"], item["text"]) for item in answer["items"]
    ]
    assert reading.counts[2:] == (answer["truncated"], answer["incomplete"])
    assert reading.reason_code == "not_opened"


def test_seven_tools_are_listed_and_all_are_answered(tmp_path: Path) -> None:
    listed = list(listed_tools("few"))
    assert listed == [name for name in LISTED if name in {**SHORT_TOOLS, **TOOLS}]
    assert set(listed_tools("all")) == {*SHORT_TOOLS, *TOOLS}
    tokens = {}
    for which in ("few", "all"):
        tools = describe_tools(listed_tools(which) if which == "few" else TOOLS)
        items = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]
        tokens[which] = load_counter().count(json.dumps(items))
    assert 5 * tokens["few"] < tokens["all"]

    async def work(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == listed
        begun = await ask(client, "start_session", query="why?")
        assert (await ask(client, "query", session_id=begun["session_id"], text="login"))["call"] == 1
        plain = await client.call_tool("look", {"session_id": begun["session_id"], "what": "words", "for": "login"})
        assert plain.structured_content is None
        assert getattr(plain.content[0], "text", "").startswith("#2 ")

    in_memory(tmp_path, work)


def test_a_session_by_the_short_tools_may_write_as_by_the_long_ones(desk: Desk) -> None:
    def call(name: str, **arguments: Any) -> dict[str, Any]:
        return desk.answer(name, arguments)

    session = call("start", request=DETAILED, intent="MODIFY")["session_id"]
    assert call("submit", session_id=session, **{"as": "frame", "given": SLOTS[DETAILED]})["ok"]
    symbols = ["AuthService", "LoginController", "LoginError", "find_user"]
    result = call("look", session_id=session, what="definitions", **{"for": symbols})
    assert [answer["call"] for answer in result["answers"]] == [1, 2, 3, 4]
    assert call("look", session_id=session, what="references", **{"for": ["AuthService", "LoginController"]})["ok"]
    assert call("look", session_id=session, what="text", **{"for": ["login failed", "raise"]})["call"] == 7
    assert call("look", session_id=session, what="function_at_line", **{"for": "auth/service.py:4"})["ok"]
    assert call("look", session_id=session, what="symbols", **{"for": ["auth"]})["ok"]
    opened = call("open", session_id=session, paths=["auth/service.py", "users/model.py"])
    assert opened["shown"] == 2
    refused = call("status", session_id=session, paths="auth/service.py")
    assert not refused["allowed"]
    assert "status" in refused["next"]
    evidence = {"target_feature": {"call": 1}, "observed_issue": {"call": "#7"}}
    fields = {**DEEP, "slot_evidence": evidence}
    understood = call("submit", session_id=session, **{"as": "understanding", "given": fields})
    assert understood["ok"], understood["message"]
    both = call("status", session_id=session, paths=["auth/service.py", "users/model.py"])
    assert both["allowed"], both
    assert not call("status", session_id=session, paths=["auth/service.py", "billing/service.py"])["allowed"]
    assert call("outcome", session_id=session, outcome="success")["ok"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"what": "all", "for": "x"}, "what: "),
        ({"what": "words"}, "for: this argument is wanted"),
        ({"what": "words", "fro": "x", "for": "x"}, "fro: there is no such argument; did you mean for?"),
        ({"what": "function_at_line", "for": "a.py"}, "path: "),
    ],
)
def test_wrong_arguments_of_a_short_tool_are_named(desk: Desk, arguments: dict[str, Any], message: str) -> None:
    session = desk.answer("start", {"request": "why?"})["session_id"]
    answer = desk.answer("look", {"session_id": session, **arguments})
    assert answer["reason_code"] == "invalid_arguments"
    assert message in answer["message"]


def test_evidence_of_a_call_that_was_not_made_is_refused(desk: Desk) -> None:
    session = desk.answer("start", {"request": "why?"})["session_id"]
    fields = {"slot_evidence": {"target_feature": {"call": 9}}}
    answer = desk.answer("submit", {"session_id": session, "as": "understanding", "given": fields})
    assert "this session has no call #9" in answer["message"]
