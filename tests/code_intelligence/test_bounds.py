"""Sessions are bounded: what is read and told at once, how long an answer takes, what little was looked into."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from gate_sessions import ISSUE, begin, refused

from benchmarks.code_intelligence.shop import DEEP, EVIDENCE, SHORT, explore
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.code_intelligence.gate.record import paths_in


def test_what_is_opened_and_told_at_once_is_bounded(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin(workspace)
    names = [f"many/{number}.py" for number in range(60)]
    (Path(workspace.root) / "many").mkdir()
    for name in names:
        (Path(workspace.root) / name).write_text("x = 1\n", encoding="utf-8")
    answer = session.add_explored_files(names)
    refused(answer, "not_opened")
    assert (answer["shown"], answer["total"], answer["truncated"], answer["incomplete"]) == (50, 60, True, True)
    assert [file["path"] for file in answer["missing"]["files"]] == names[50:], "what was not shown was not looked at"
    assert session.get_session_status()["explored_files"] == sorted(names[:50])
    for name in names:
        (Path(workspace.root) / name).write_text("x" * 30_000, encoding="utf-8")
    answer = session.add_explored_files(names)
    assert (answer["shown"], answer["total"]) == (10, 60) and len(json.dumps(answer)) < 250_000
    monkeypatch.setattr("symops_lark.code_intelligence.gate.outcomes._MAX_SHOWN", 1)
    monkeypatch.setattr("symops_lark.code_intelligence.gate.steps._MAX_FILES", 1)
    why, status = session.why(), session.get_session_status()
    assert (len(why["decisions"]), why["decisions_total"], why["truncated"]) == (1, 3, True)
    assert (len(status["explored_files"]), status["explored_total"]) == (1, 50)


def test_a_search_that_was_not_finished_shows_nothing(workspace: Workspace) -> None:
    """It is no evidence that there is nothing, and a project is not small because little of it was read."""
    session = workspace.start_session("add a refresh token to AuthService", "IMPLEMENT")
    workspace.index._patience = -1
    answer = session.search_text(["refresh_token"])
    assert not answer["ok"] and answer["reason_code"] == "not_all_searched" and workspace.sizes() == {}
    nothing = {"tool": "search_text", "params": {"patterns": ["refresh_token"]}}
    declared = {"observed_issue": {"reason": "it is a new feature", "evidence": nothing}}
    refused(session.submit_understanding(not_applicable=declared), "evidence_not_recorded")
    workspace.index._patience, workspace.index._resume = 20, 0
    assert session.search_text(["refresh_token"])["ok"] and workspace.sizes()["files_analyzed"] == 8
    answer = session.submit_understanding(not_applicable=declared)
    assert "evidence_not_recorded" not in {gap["reason_code"] for gap in answer["gaps"]}


@pytest.mark.slow
def test_whatever_is_submitted_is_judged_in_time_and_told_in_short(workspace: Workspace) -> None:
    """All of it is what the server takes; it once took minutes, in which no other client was answered."""
    session = begin(workspace)
    explore(session, deep=False)
    long = [f"{number:05}{'y' * 19_990}" for number in range(200)]
    mixed = [" ".join(f"AuthService{number}.{item}" for item in range(2_000)) for number in range(200)]
    begun = time.monotonic()
    for element in (long, mixed):
        answer = session.submit_understanding(
            element,
            element,
            element,
            element,
            resolved_frame={"target_feature": "z" * 1_000_000},
            slot_evidence={name: {"tool": "query"} for name in element},
        )
        refused(answer, "symbol_not_seen")
        assert len(json.dumps(answer)) < 1_500_000
    fields = {**EVIDENCE["target_feature"], "result": "auth/service.py " + "p" * 1_000_000}
    refused(session.update_slot("target_feature", "AuthService " * 1_000, fields), "too_long")
    refused(session.set_query_frame(target_feature={"value": "x" * 1_000_000, "quote": "AuthService"}), "too_long")
    assert session.update_slot("target_feature", "AuthService", fields)["ok"]
    refused(
        session.submit_understanding(**SHORT, slot_evidence=dict.fromkeys(map(str, range(501)), fields)),
        "bad_arguments",
    )
    assert len(json.dumps(session.get_session_status())) < 500_000 and len(json.dumps(session.why())) < 50_000
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see auth/service.py:15, and b.py:3 (or c.py)", ["auth/service.py", "b.py"]),
        ("./a/b.py.", ["a/b.py"]),
        (r"a\b 'x/y' .py:1 c.p-y:1 d.py:x", [r"a\b", "x/y"]),
    ],
)
def test_what_is_written_like_a_path(text: str, paths: list[str]) -> None:
    assert paths_in(text) == paths


def in_semantic(workspace: Workspace) -> Session:
    session = workspace.start_session("あれを直して", "MODIFY")
    session.set_query_frame(desired_action="直して")
    explore(session)
    evidence = {"observed_issue": EVIDENCE["observed_issue"]}
    assert session.submit_understanding(**DEEP, resolved_frame=ISSUE, slot_evidence=evidence)["phase"] == "SEMANTIC"
    assert session.semantic_search("login")["ok"]
    return session


def test_hypotheses_are_as_few_as_can_be_verified(workspace: Workspace) -> None:
    session = in_semantic(workspace)
    claim = {
        "symbols": [f"Thing{number}" for number in range(51)],
        "evidence": {"tool": "semantic_search", "query": "login"},
    }
    refused(session.submit_semantic([claim]), "bad_arguments")
    refused(session.submit_semantic([{**claim, "symbols": ["Thing"] * 26}] * 2), "bad_arguments")
    wordy = {"slot": "target_feature", "value": "x" * 3_000, "evidence": claim["evidence"]}
    refused(session.submit_semantic([wordy]), "bad_arguments")
    assert session.phase == "SEMANTIC" and session.state.frame.mapped_symbols == []


def test_semantic_search_that_gave_nothing_leads_back_to_exploring(workspace: Workspace) -> None:
    session = in_semantic(workspace)
    answer = session.submit_semantic([])
    assert answer["ok"] and answer["phase"] == "EXPLORATION" and answer["hypotheses"] == 0
    refused(session.semantic_search("login"), "phase_blocked")
