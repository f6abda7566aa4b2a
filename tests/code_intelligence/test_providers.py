"""`--provider` of `symops gate start` and `symops serve`: SDKs against loopback, the small model of this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from code_trees import write_tree
from command_line import run
from mcp_clients import ask, over_stdio
from model_server import Failure, model_server
from remote_models import set_keys
from wings import need_wing

from symops_lark.code_intelligence.requests.frame import SLOTS

QUERY = "The login page shows an error, fix it"
VLLM = ("--json", "-p", "vllm", "-m", "m", "--base-url")
READ: dict[str, Any] = {
    "target_feature": {"value": "login page", "quote": "The login page"},
    "trigger_condition": None,
    "observed_issue": {"value": "it is slow", "quote": "it is slow"},
    "desired_action": {"value": "fix it", "quote": "fix it"},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    set_keys(monkeypatch)
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return write_tree(tmp_path / "project")


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_gate_reads_the_request_by_the_provider(project: Path, protocol: str) -> None:
    with model_server([json.dumps(READ)]) as server:
        done = run(
            "gate", "start", QUERY, "--root", str(project), "-p", protocol, "-m", "m",
            "--base-url", server.url, "--json",
        )  # fmt: skip
        [request] = server.requests
    assert done.exit_code == 0, done.output
    assert QUERY in request.prompt
    frame = json.loads(done.output)["frame"]
    assert (frame["target_feature"], frame["desired_action"]) == ("login page", "fix it")
    assert frame["slot_refusals"]["observed_issue"]["reason_code"] == "quote_not_in_query"
    assert frame["missing_slots"] == ["trigger_condition", "observed_issue"]


def test_gate_says_when_the_provider_fails_and_goes_on_without(project: Path) -> None:
    with model_server([Failure(400, "no")] * 4) as server:
        done = run("gate", "start", QUERY, "--root", str(project), *VLLM, server.url)
    answer = json.loads(done.output)
    assert done.exit_code == 0 and len(answer["missing_slots"]) == 4 and answer["frame"]["extraction_error"]
    assert run("gate", "start", QUERY, "--root", str(project), "-p", "no-such", "-m", "m").exit_code == 2


@pytest.mark.slow
def test_server_reads_the_request_by_the_provider(project: Path) -> None:
    with model_server([json.dumps(READ)]) as server:
        options = ("-p", "vllm", "-m", "m", "--base-url", server.url)
        answer = over_stdio(project, lambda client: ask(client, "start_session", query=QUERY), "auto", *options)
        assert QUERY in server.requests[0].prompt
    assert answer["frame"]["target_feature"] == "login page"
    assert answer["missing_slots"] == ["trigger_condition", "observed_issue"]


@pytest.mark.slow
def test_gate_with_the_small_model_of_this_machine(project: Path) -> None:
    """Asked by the command itself, free or held to the schema: nothing is believed that the request does not say."""
    need_wing("lab")
    from symops_lark.lab.benchmark.sources.local_model import LocalServer

    server = LocalServer(0)
    done = run(
        "gate", "start", QUERY, "--root", str(project), "-p", "llama.cpp", "--base-url", f"{server.address}/v1",
        "--max-tokens", "200", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    frame = json.loads(done.output)["frame"]
    assert all(quote in QUERY for quote in frame["slot_quotes"].values())
    assert set(frame["missing_slots"]) == {slot for slot in SLOTS if not frame[slot]}
