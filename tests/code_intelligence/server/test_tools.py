"""The tools as clients see and call them: each is described, arguments are understood in all the ways they are sent."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_clients import ERAS, ask, in_memory

from benchmarks.code_intelligence.shop import VAGUE, build_shop
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.code_intelligence.gate.phases import ALLOWED, SEARCHES, SEMANTIC_SEARCH
from symops_lark.code_intelligence.server.answers import Desk
from symops_lark.code_intelligence.server.arguments import ArgumentsError, Tool, input_schema, read_arguments
from symops_lark.code_intelligence.server.prompts import PROMPTS
from symops_lark.code_intelligence.server.short_tools import listed_tools
from symops_lark.code_intelligence.server.tools import LISTED, TOOLS, describe_tools
from symops_lark.models.prompts.tokens import load_counter

NAMED = {
    *("start_session", "get_session_status", "set_query_frame", "submit_understanding", "submit_semantic"),
    *("submit_verification", "check_write_target", "add_explored_files", "revert_to_exploration", "record_outcome"),
    *("get_outcome_stats", "query", "get_symbols", "analyze_structure", "search_text", "search_files"),
    *("find_definitions", "find_references", "get_function_at_line", "semantic_search"),
}
NOT_FOR_CLIENTS = {
    "check_command",
    "check_plan",
    "engine",
    "backend",
    "synonyms",
}  # what plans ask, what the server chooses


def test_all_tools_of_the_design_are_there_and_all_that_phases_know():
    assert NAMED | {"update_slot", "why", "explore"} == set(TOOLS)
    assert set(ALLOWED) - NOT_FOR_CLIENTS <= set(TOOLS)


@pytest.mark.parametrize("tool", describe_tools(listed_tools("all")), ids=lambda tool: str(tool["name"]))
def test_each_tool_is_described_with_each_of_its_arguments(tool):
    assert len(tool["description"]) > 10 and tool["title"]
    schema = tool["inputSchema"]
    Draft202012Validator.check_schema(schema)
    is_short = tool["name"] in LISTED
    assert schema["type"] == "object" and (is_short or schema["additionalProperties"] is False)
    for name, inner in schema["properties"].items():
        assert inner["type"], name
        assert is_short or inner["description"], name
    encoded = json.dumps(schema)
    assert not any(word in encoded for word in ("anyOf", "$ref", '"null"', "title"))  # what some clients do not know


def test_the_list_of_tools_is_short():
    """The list is a part of each request to a model: it may take 746 tokens."""
    counter = load_counter()
    names = ("name", "description", "inputSchema")
    items = [{key: tool[key] for key in names} for tool in describe_tools(listed_tools("few"))]
    assert len(items) == 7 and counter.count(json.dumps(items)) <= (746 if counter.name == "o200k_base" else 900)


def test_what_may_be_submitted_has_its_form(tmp_path):
    """The list of tools has no room for the forms: the answers that ask for them do."""
    desk = Desk(Workspace(build_shop(tmp_path / "shop"), state=tmp_path / "state"))
    begun = desk.answer("start", {"request": VAGUE, "intent": "MODIFY"})
    session = {"session_id": begun["session_id"]}
    assert {"frame", "slot", "understanding", "revert"} <= set(desk.answer("status", session)["forms"])
    refused = desk.answer("submit", {**session, "as": "understanding", "given": {"symbols_identified": ["X"]}})
    assert not refused["ok"] and "slot_evidence" in refused["forms"]["understanding"]
    answer = desk.answer("submit", {**session, "as": "hypotheses", "given": {"hypotheses": [{"symbol": 1}]}})
    assert not answer["ok"] and "confidence" in answer["forms"]["hypotheses"]


@pytest.mark.parametrize("name", [name for name in TOOLS if name not in ("start_session", "get_outcome_stats")])
def test_sessions_take_what_tools_are_said_to_take(name):
    """The method has no argument that clients cannot give, and no other name for one."""
    parameters = inspect.signature(getattr(Session, name)).parameters
    by_name = {key for key, kind in parameters.items() if kind.kind is not kind.VAR_KEYWORD} - {"self"}
    message = set(TOOLS[name].model_fields) - {"session_id", "format"}
    options = message - by_name
    assert by_name <= message
    if name in (*SEARCHES, SEMANTIC_SEARCH):
        module = import_module(f"symops_lark.code_intelligence.tools.{name}")
        used = set(inspect.signature(module.run).parameters) - {"index"} - NOT_FOR_CLIENTS
        assert options | (by_name - {"reason"}) == used
    else:
        assert not options


@pytest.mark.parametrize("mode", ERAS)
def test_prompts_are_described_and_keep_what_people_write(tmp_path, mode):
    async def work(client: Client) -> None:
        prompts = (await client.list_prompts()).prompts
        assert {prompt.name for prompt in prompts} == set(PROMPTS)
        for prompt in prompts:
            assert prompt.description and prompt.arguments
            assert all(argument.description for argument in prompt.arguments)
            request = "{request} {0} %s {session_id}"
            got = await client.get_prompt(prompt.name, {argument.name: request for argument in prompt.arguments})
            assert request in getattr(got.messages[0].content, "text", "")
        with pytest.raises(MCPError, match="wants request"):
            await client.get_prompt("change_with_evidence", {})
        with pytest.raises(MCPError, match="there are change_with_evidence"):
            await client.get_prompt("nothing", {})

    in_memory(tmp_path, work, mode)


SENT: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("search_text", {"patterns": '["a", "b"]'}, {"patterns": ["a", "b"]}),
    ("search_text", {"patterns": "login"}, {"patterns": ["login"]}),
    ("search_text", {"patterns": "[a-z]+"}, {"patterns": ["[a-z]+"]}),
    ("search_text", {"patterns": "[1]"}, {"patterns": ["[1]"]}),
    ("search_text", {"patterns": "null"}, {"patterns": ["null"]}),
    ("search_text", {"patterns": ["a"], "limit": "5"}, {"patterns": ["a"], "limit": 5}),
    ("search_text", {"patterns": ["a"], "limit": None}, {"patterns": ["a"]}),
    ("search_text", {"patterns": ["a"], "limit": ""}, {"patterns": ["a"]}),
    ("search_text", {"patterns": ["a"], "regex": "true"}, {"patterns": ["a"], "regex": True}),
    ("search_text", {"patterns": ["a"], "regex": "False"}, {"patterns": ["a"], "regex": False}),
    ("get_function_at_line", {"path": "a.py", "line": "12"}, {"path": "a.py", "line": 12}),
    ("get_function_at_line", {"path": "a.py", "line": 12.0}, {"path": "a.py", "line": 12}),
    ("analyze_structure", {"path": "null"}, {}),
    ("set_query_frame", {"frame": '{"target_feature": null}'}, {"frame": {"target_feature": None}}),
    ("submit_semantic", {"hypotheses": '{"symbol": "A"}'}, {"hypotheses": [{"symbol": "A"}]}),
    ("submit_semantic", {"hypotheses": ['{"symbol": "A"}']}, {"hypotheses": [{"symbol": "A"}]}),
    ("submit_understanding", {"symbols_identified": "[]"}, {"symbols_identified": []}),
    ("record_outcome", {"outcome": "SUCCESS"}, {"outcome": "success"}),
]


@pytest.mark.parametrize(("name", "sent", "read"), SENT)
def test_arguments_are_understood_as_clients_send_them(name, sent, read):
    assert read_arguments(TOOLS[name], {"session_id": "s", **sent}) == {"session_id": "s", **read}


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search_text", {"patterns": ["a"], "limt": 3}, "limt: there is no such argument; did you mean limit?"),
    ("search_text", {}, "patterns: this argument is wanted"),
    ("search_text", {"patterns": []}, "patterns: "),
    ("search_text", {"patterns": ["a"] * 201}, "patterns: "),
    ("search_text", {"patterns": [["a"]]}, "patterns[0]: "),
    ("search_text", {"patterns": ["a"], "limit": 0}, "limit: "),
    ("get_function_at_line", {"path": "a.py", "line": "many"}, "line: "),
    ("set_query_frame", {"frame": "[1]"}, "frame: "),
    ("set_query_frame", {"frame": "{" * 5_000}, "frame: "),
    ("record_outcome", {"outcome": "perhaps"}, "outcome: "),
    ("query", {"text": "x" * 20_001}, "text: "),
]


@pytest.mark.parametrize(("name", "sent", "told"), WRONG)
def test_a_wrong_argument_is_named_with_what_was_expected(name, sent, told):
    with pytest.raises(ArgumentsError) as caught:
        read_arguments(TOOLS[name], {"session_id": "s", **sent})
    assert any(problem.startswith(told) for problem in caught.value.problems)
    assert "pydantic" not in str(caught.value) and len(str(caught.value)) < 500


def _values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "array":
        return st.lists(_values(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "string": st.text(min_size=2, max_size=20).filter(lambda text: text != "null"),
        "integer": st.integers(1, 1000),
        "boolean": st.booleans(),
        "object": st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    }
    return kinds[schema["type"]]


@given(st.data())
def test_what_the_schema_allows_is_read_alike_as_values_and_as_json_in_strings(data):
    tool: type[Tool] = TOOLS[data.draw(st.sampled_from(sorted(TOOLS)))]
    schema = input_schema(tool)
    sent = {name: data.draw(_values(entry)) for name, entry in schema["properties"].items()}
    assert not [*Draft202012Validator(schema).iter_errors(sent)]
    table = {name: value if isinstance(value, str) else json.dumps(value) for name, value in sent.items()}
    assert read_arguments(tool, sent) == read_arguments(tool, table) == sent


@given(st.text(max_size=30), st.dictionaries(st.text(max_size=10), st.text(max_size=10), max_size=3))
def test_whatever_is_called_is_answered_by_an_object(desk_of_nothing, name, arguments):
    answer = desk_of_nothing.answer(name, arguments)
    assert answer["ok"] is False and answer["reason_code"] == "unknown_tool" and "tools" in answer["missing"]


@pytest.fixture(scope="module")
def desk_of_nothing(tmp_path_factory) -> Desk:
    return Desk(Workspace(tmp_path_factory.mktemp("nothing")))


def test_a_failure_of_the_server_is_told_without_its_traceback_and_the_next_call_goes_on(tmp_path, monkeypatch, caplog):
    desk = Desk(Workspace(tmp_path))
    session = desk.answer("start_session", {"query": "Where is login?"})["session_id"]

    def fail(self: Session) -> dict[str, Any]:
        raise RuntimeError("a secret of the server")

    with monkeypatch.context() as patched:
        patched.setattr(Session, "get_session_status", fail)
        answer = desk.answer("get_session_status", {"session_id": session})
    assert answer["reason_code"] == "internal_error" and "secret" not in json.dumps(answer)
    assert "a secret of the server" in caplog.text
    assert desk.answer("get_session_status", {"session_id": session})["ok"]


@pytest.mark.parametrize("session_id", ["", "x", "../../etc/passwd", "0" * 32, "0" * 31 + "/", "０" * 32])
def test_sessions_that_are_none_are_refused_with_the_way_on(tmp_path, session_id):
    desk = Desk(Workspace(tmp_path))
    for name in ("get_session_status", "check_write_target", "why"):
        extra = {"path": "a.py"} if name == "check_write_target" else {}
        answer = desk.answer(name, {"session_id": session_id, **extra})
        expected = ("unknown_session", ["start_session"]) if session_id else ("invalid_arguments", [name])
        assert (answer["reason_code"], answer["next"]) == expected


def test_a_session_of_another_folder_is_no_session_here(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    theirs = Desk(Workspace(tmp_path / "a")).answer("start_session", {"query": "Change the login"})
    ours = Desk(Workspace(tmp_path / "b"))
    answer = ours.answer("check_write_target", {"session_id": theirs["session_id"], "path": "x.py"})
    assert answer["ok"] is False and answer["reason_code"] == "unknown_session" and not answer.get("allowed")


def test_calls_at_once_are_all_recorded_in_their_own_sessions(tmp_path):
    (tmp_path / "a.py").write_text("def begin():\n    return 1\n")
    desk = Desk(Workspace(tmp_path))
    ids = [desk.answer("start_session", {"query": f"Where is part {number}?"})["session_id"] for number in range(4)]

    def call(number: int) -> bool:
        fields = {"session_id": ids[number % 4], "patterns": ["begin", f"part{number}"]}
        return bool(desk.answer("search_text", fields)["ok"])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(40)))
    for number, session in enumerate(ids):
        answer = desk.answer("why", {"session_id": session})
        assert answer["query"] == f"Where is part {number}?"
        assert [call["call"] for call in answer["calls"]] == list(range(1, 11))
        fields = sorted(int(call["what"].partition("part")[2].partition("'")[0]) for call in answer["calls"])
        assert fields == list(range(number, 40, 4))


@pytest.mark.parametrize("mode", ERAS)
def test_out_of_turn_means_refused_not_hidden(tmp_path: Path, mode):
    async def work(client: Client) -> None:
        before = [tool.name for tool in (await client.list_tools()).tools]
        session = (await ask(client, "start_session", query="ログイン機能直して"))["session_id"]
        answer = await ask(client, "semantic_search", session_id=session, query="login")
        assert answer["reason_code"] == "phase_blocked" and "search_text" in answer["next"]
        status = await ask(client, "get_session_status", session_id=session)
        assert "semantic_search" not in answer["next"] == status["allowed_tools"]
        assert [tool.name for tool in (await client.list_tools()).tools] == before

    in_memory(tmp_path, work, mode)
