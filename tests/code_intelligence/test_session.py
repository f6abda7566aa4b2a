"""Whole sessions on a small project, and every short cut around them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gate_sessions import ISSUE, begin, refused

from benchmarks.code_intelligence import gate, honesty
from benchmarks.code_intelligence.shop import DEEP, DETAILED, EVIDENCE, SHORT, SLOTS, VAGUE, build_shop, explore
from symops_lark.code_intelligence import QueryFrame, Session, Workspace
from symops_lark.code_intelligence.gate.workspaces import SessionError
from symops_lark.code_intelligence.requests.words import Antonyms, Synonyms
from symops_lark.code_intelligence.tools.answers import fail
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.models.scripted import ScriptedModel


def ready(workspace: Workspace) -> Session:
    session = begin(workspace)
    explore(session, deep=False)
    answer = session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)
    assert answer["phase"] == "READY", answer
    return session


def test_a_vague_request_is_forced_through_a_long_exploration(workspace: Workspace) -> None:
    session = begin(workspace, VAGUE)
    status = session.get_session_status()
    assert (status["risk_level"], status["requirements"]["symbols_identified"]) == ("HIGH", 5)
    assert status["guidance"]["missing_slots"] == ["trigger_condition", "observed_issue"]
    refused(session.check_write_target("auth/service.py"), "phase_blocked")
    refused(session.submit_understanding(**DEEP, slot_evidence=EVIDENCE), "evidence_not_recorded")
    explore(session, deep=False)
    refused(
        session.submit_understanding(**SHORT, resolved_frame=ISSUE, slot_evidence=EVIDENCE), "too_few_files_analyzed"
    )
    refused(session.submit_understanding(**SHORT), "too_few_symbols_identified")
    explore(session)
    refused(session.check_write_target("auth/service.py"), "phase_blocked")
    answer = session.submit_understanding(**DEEP)
    assert answer["phase"] == "READY", "the evidence that was given before is known"
    assert session.state.frame.slot_source == {"target_feature": "FACT", "observed_issue": "FACT"}
    assert session.state.frame.confirmed_symbols == DEEP["symbols_identified"]
    assert session.check_write_target("auth/service.py")["allowed"]


def test_a_detailed_request_takes_the_shortest_way(workspace: Workspace) -> None:
    session = ready(workspace)
    assert session.check_write_target("./auth/service.py")["allowed"]
    assert len(session.state.calls) == 5
    answer = session.check_write_target("billing/service.py")
    refused(answer, "not_explored")
    assert (answer["explored"], answer["recovery"]) == (False, ["add_explored_files", "revert_to_exploration"])
    answer = session.add_explored_files(["billing/service.py"])
    assert "class BillingService" in answer["items"][0]["text"]
    answer = session.check_write_target("billing/service.py")
    assert answer["allowed"] and answer["explored"] and answer["reason_code"] == "allowed"


@pytest.mark.parametrize("case", gate.load_sessions(), ids=lambda case: str(case["name"]))
def test_scripted_sessions(case: dict[str, Any], tmp_path: Path) -> None:
    verdict = gate.play(case, tmp_path)
    assert verdict.allowed_wrongly == [] == verdict.refused_wrongly, verdict
    assert verdict.phase == verdict.expected_phase


def test_there_are_enough_scripted_sessions() -> None:
    sessions = gate.load_sessions()
    assert len(sessions) >= 40 and len({case["name"] for case in sessions}) == len(sessions)


def test_a_gate_that_lets_through_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark can fail: without the comparison of contents a changed file would be allowed."""
    monkeypatch.setattr("symops_lark.code_intelligence.gate.write_gate._check_existing", lambda *_: ("", ""))
    case = next(case for case in gate.load_sessions() if case["name"] == "a file that changed since")
    assert gate.play(case, tmp_path).allowed_wrongly == ["auth/service.py"]


def test_without_a_model_only_the_request_is_known(workspace: Workspace) -> None:
    session = workspace.start_session(DETAILED, "MODIFY")
    assert session.state.frame == QueryFrame(DETAILED) and len(session.state.frame.missing_slots) == 4


def test_definitions_and_uses_must_have_been_searched(workspace: Workspace) -> None:
    session = begin(workspace)
    session.get_symbols("auth")
    session.search_text(["login failed"])
    session.find_definitions("AuthService")
    answer = session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)
    assert [(gap["reason_code"], gap["missing"]) for gap in answer["gaps"]] == [
        ("tools_not_used", {"tools": ["find_references"]})
    ]
    session.find_references("AuthService")
    assert session.submit_understanding(**SHORT)["phase"] == "READY"


def test_symbols_are_mapped_as_calls_show_them(workspace: Workspace) -> None:
    session = begin(workspace)
    explore(session, deep=False)
    fields = {"AuthService": EVIDENCE["target_feature"]}
    table = {"LoginController": {"tool": "find_definitions", "symbol": "LoginError"}}
    refused(session.submit_understanding(**SHORT, slot_evidence={**fields, **table}), "evidence_unrelated")
    assert session.state.frame.confirmed_symbols is None, "they are confirmed when all of it is"
    session.submit_understanding(**SHORT, slot_evidence={"LoginError": table["LoginController"]})
    rows = [(symbol.name, symbol.source, symbol.confidence) for symbol in session.state.frame.mapped_symbols]
    assert rows == [("AuthService", "FACT", 1.0), ("LoginError", "FACT", 1.0)]


@pytest.mark.parametrize("strict", [False, True])
def test_a_feature_request_is_ready_unless_the_source_is_taken_to_the_letter(tmp_path: Path, strict: bool) -> None:
    workspace = Workspace(build_shop(tmp_path / "shop"), state=tmp_path / "state", strict_seed=strict)
    session = workspace.start_session("add a refresh token to AuthService", "IMPLEMENT")
    session.set_query_frame(target_feature="AuthService", desired_action="add a refresh token")
    explore(session)
    session.search_text(["refresh_token"])
    nothing = {"tool": "search_text", "params": {"patterns": ["refresh_token"]}}
    answer = session.submit_understanding(
        **DEEP,
        slot_evidence={"target_feature": EVIDENCE["target_feature"]},
        not_applicable={"observed_issue": {"reason": "it is a new feature", "evidence": nothing}},
    )
    if strict:
        refused(answer, "not_declarable")
    assert answer["phase"] == ("EXPLORATION" if strict else "READY"), answer


def test_words_of_users_reach_the_gate_and_semantic_search(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symops_lark.code_intelligence.tools.vectors.is_installed", lambda: False)
    extra = Workspace(
        workspace.root,
        state=workspace.folder.parent.parent,
        synonyms=Synonyms((("入場", ("auth",)),)),
        antonyms=Antonyms((("入場", "退場"),)),
    )
    evidence = EVIDENCE["target_feature"]
    for existing, code in ((workspace, "inconsistent_with_quote"), (extra, "contradicts_quote")):
        session = existing.start_session("入場を直して", "MODIFY")
        refused(session.set_query_frame(target_feature={"value": "退場", "quote": "入場"}), code)
        session.find_definitions("AuthService")
        assert session.update_slot("target_feature", "入場", evidence)["ok"] is (existing is extra)
        tool = existing.run_tool("semantic_search", {"query": "入場"})
        assert ("auth/service.py" in tool["files"]) is (existing is extra)


def test_a_request_that_nobody_read_is_vague(workspace: Workspace) -> None:
    """To leave out `set_query_frame` is no short cut."""
    session = workspace.start_session(DETAILED, "MODIFY")
    explore(session, deep=False)
    fields = {**ISSUE, "target_feature": "AuthService"}
    answer = session.submit_understanding(**SHORT, resolved_frame=fields, slot_evidence=EVIDENCE)
    refused(answer, "too_few_symbols_identified")
    assert answer["required_level"] == "HIGH" and answer["slot_source"] == dict.fromkeys(EVIDENCE, "FACT")


def test_an_index_that_fails_asks_for_no_less(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin(workspace)
    monkeypatch.setattr(Workspace, "run_tool", lambda self, tool, params: fail("tool_failed", "no index"))
    assert session.find_definitions("AuthService")["ok"] is False
    answer = session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)
    refused(answer, "too_few_symbols_identified")
    refused(answer, "too_few_files_analyzed")


def test_ids_of_others_are_no_keys(workspace: Workspace, tmp_path: Path) -> None:
    session = ready(workspace)
    assert len({workspace.start_session("x y").id for _ in range(20)} | {session.id}) == 21
    other_workspace = Workspace(build_shop(tmp_path / "other"), state=tmp_path / "state")
    for item in ("", "0" * 32, "../" + session.id, session.id[:-1], session.id.upper() + "/", None, 5):
        with pytest.raises(SessionError) as caught:
            workspace.session(item)  # type: ignore[arg-type]
        assert caught.value.reason_code == "unknown_session"
    with pytest.raises(SessionError):
        other_workspace.session(session.id)


def test_sessions_do_not_mix(workspace: Workspace) -> None:
    first, second = begin(workspace), begin(workspace)
    explore(first, deep=False)
    assert second.state.calls == [] and second.state.explored == {}
    refused(second.submit_understanding(**SHORT, slot_evidence=EVIDENCE), "evidence_not_recorded")
    assert first.submit_understanding(**SHORT, slot_evidence=EVIDENCE)["phase"] == "READY"
    refused(second.check_write_target("auth/service.py"), "phase_blocked")


def test_update_slot_wants_evidence(workspace: Workspace) -> None:
    session = begin(workspace, VAGUE)
    refused(session.update_slot("observed_issue", "login failed", None), "evidence_missing")
    refused(session.update_slot("observed_issue", "login failed", EVIDENCE["observed_issue"]), "evidence_not_recorded")
    refused(session.update_slot("no_slot", "login failed", EVIDENCE["observed_issue"]), "unknown_slot")
    session.search_text(["login failed", "amount"])
    assert session.get_session_status()["risk_level"] == "HIGH"
    expected = {
        "tool": "search_text",
        "params": {"patterns": '["login failed", "amount"]'},
        "result": "auth/service.py",
    }
    refused(
        session.update_slot("observed_issue", "the tax is wrong", {**expected, "result": "zzz"}),
        "evidence_summary_mismatch",
    )
    refused(session.update_slot("observed_issue", "login failed for a wrong password", expected), "evidence_unrelated")
    session.find_definitions("AuthService")  # so that the file is known to be one of the target
    answer = session.update_slot("observed_issue", "login failed for a wrong password", json.dumps(expected))
    assert answer["risk_level"] == "LOW" and answer["required_level"] == "HIGH", answer
    evidence = session.state.frame.slot_evidence["observed_issue"]
    assert evidence.params == {"patterns": ["login failed", "amount"]} and evidence.timestamp


def test_a_target_needs_evidence_about_it(workspace: Workspace) -> None:
    session = begin(workspace, VAGUE)
    session.find_definitions("BillingService")
    evidence = {"tool": "find_definitions", "symbol": "BillingService", "file": "billing/service.py"}
    refused(session.update_slot("target_feature", "ログイン機能", evidence), "evidence_unrelated")
    assert session.update_slot("target_feature", "BillingService", evidence)["ok"]


def test_slots_of_the_request_are_quoted(workspace: Workspace) -> None:
    session = workspace.start_session(VAGUE, "MODIFY")
    answer = session.set_query_frame(target_feature={"value": "ログアウト機能", "quote": "ログイン機能"})
    refused(answer, "contradicts_quote")
    assert answer["refused"]["target_feature"]["value"] == "ログアウト機能", "what is refused is shown"
    answer = session.set_query_frame(json.dumps({"target_feature": "ログイン機能", "observed_issue": None}))
    assert answer["ok"] and answer["slot_source"] == {}, "what is quoted is no fact yet"
    refused(session.set_query_frame({"colour": "x"}), "unknown_slot")


def test_hypotheses_that_are_all_rejected_never_become_ready(workspace: Workspace) -> None:
    session = workspace.start_session("あれを直して", "MODIFY")
    session.set_query_frame(desired_action="直して")
    refused(session.semantic_search("login"), "phase_blocked")
    explore(session)
    evidence = {"observed_issue": EVIDENCE["observed_issue"]}
    for attempt in range(1, 5):
        answer = session.submit_understanding(**DEEP, resolved_frame=ISSUE, slot_evidence=evidence)
        if attempt == 4:
            break
        assert answer["phase"] == "SEMANTIC", answer
        refused(session.submit_understanding(**DEEP), "slot_missing")
        refused(session.semantic_search("login", reason="because"), "semantic_not_allowed")
        assert session.semantic_search("login", reason="no_definition_found")["ok"]
        claim = {"symbol": "NoSuchThing", "confidence": 1, "evidence": {"tool": "semantic_search", "query": "login"}}
        refused(
            session.submit_semantic([{**claim, "evidence": {"tool": "semantic_search", "query": "x"}}]),
            "evidence_not_recorded",
        )
        assert session.submit_semantic(json.dumps([claim]))["phase"] == "VERIFICATION"
        assert session.state.frame.mapped_symbols[-1].confidence < 1
        answer = session.submit_verification([])
        assert answer["rejected"] == ["Symbol 'NoSuchThing' not found in codebase"] and not answer["ok"]
        refused(session.check_write_target("auth/service.py"), "phase_blocked")
    assert session.phase == "NEEDS_USER"
    refused(session.submit_understanding(**DEEP), "phase_blocked")
    refused(session.revert_to_exploration(), "phase_blocked")
    refused(session.check_write_target("auth/service.py"), "phase_blocked")


def test_a_small_project_never_asks_for_more_than_there_is(tmp_path: Path) -> None:
    root = tmp_path / "tiny"
    root.mkdir()
    (root / "login.py").write_text("def login():\n    raise ValueError('login failed')\n", encoding="utf-8")
    session = Workspace(root, state=tmp_path / "state").start_session("login failed, fix login", "MODIFY")
    session.set_query_frame(target_feature="login", observed_issue="login failed", desired_action="fix login")
    session.find_definitions("login")
    session.find_references("login")
    session.search_text(["login failed"])
    table: dict[str, Any] = {
        "symbols_identified": ["login"],
        "entry_points": ["login"],
        "existing_patterns": ["raise ValueError in login.py"],
    }
    evidence = {
        "target_feature": {"tool": "find_definitions", "params": {"symbol": "login"}, "result": "login.py"},
        "observed_issue": {"tool": "search_text", "params": {"patterns": ["login failed"]}, "result": "login.py"},
    }
    answer = session.submit_understanding(**table, files_analyzed=["login.py"], slot_evidence=evidence)
    assert answer["phase"] == "READY", answer


@pytest.mark.parametrize("level", ["strict", "auto", "off"])
def test_levels(tmp_path: Path, level: str) -> None:
    workspace = Workspace(build_shop(tmp_path / "shop"), state=tmp_path / "state", level=level)
    session = begin(workspace)
    answer = session.check_write_target("auth/service.py")
    assert answer["allowed"] is (level == "off")
    assert answer["would_refuse"] == ("phase_blocked" if level == "off" else None)
    refused(session.check_write_target("../out.py"), "unsafe_path")
    explore(session, deep=False)
    answer = session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)
    assert (answer["phase"] == "READY") is (level != "strict"), "strict asks of every request what a risky one needs"
    repeated_session = Workspace(workspace.root, state=tmp_path / "state", level="off").session(session.id)
    assert repeated_session.check_write_target("billing/service.py")["allowed"] is (level == "off"), (
        "the level is the session's own"
    )


def test_arguments_that_are_none(workspace: Workspace) -> None:
    session = begin(workspace)
    refused(session.submit_understanding(symbols_identified=5), "bad_arguments")
    refused(session.submit_understanding(slot_evidence="[1]"), "bad_arguments")
    refused(session.submit_understanding(resolved_frame="prose"), "bad_arguments")
    refused(session.check_write_target(5), "bad_arguments")  # type: ignore[arg-type]
    refused(session.check_write_target(""), "unsafe_path")
    refused(session.record_outcome("wonderful"), "bad_arguments")
    refused(session.find_definitions("AuthService", no_such_option=1), "bad_arguments")
    refused(session.call("check_write_target", path="app.py"), "bad_arguments")
    refused(session.call("../tools"), "phase_blocked")
    assert session.state.used() == [], "what failed is no exploration"
    assert session.find_definitions("AuthService", limit="1")["ok"]
    assert session.state.calls[-1].params == {"symbol": "AuthService", "limit": 1}, "as the tool takes it"
    function = session.get_function_at_line("auth/service.py", "3")
    assert function["ok"] and "login" in json.dumps(function["items"])
    for item in ("", "  ", "x" * 30_000):
        with pytest.raises(SymOpsError, match="query"):
            workspace.start_session(item)
    with pytest.raises(SymOpsError, match="intent"):
        workspace.start_session("x y", "DESTROY")


def test_outcomes_tell_which_tool_led_astray(workspace: Workspace) -> None:
    session = ready(workspace)
    assert session.record_outcome("failure", slot="observed_issue", note="it was another message")["ok"]
    session.record_outcome("failure", slot="observed_issue")
    stats = ready(workspace).get_outcome_stats()
    assert stats["total"] == 1 and stats["by_outcome"] == {"failure": 1}
    assert stats["by_tool"] == {"search_text": {"failure": 1}} and stats["misread_slots"] == {"observed_issue": 1}
    why = session.why()
    assert why["led_astray"] == ["search_text"] and why["evidence"]["observed_issue"]["tool"] == "search_text"
    assert [decision["tool"] for decision in why["decisions"]][:2] == ["set_query_frame", "submit_understanding"]


def test_a_model_reads_the_request(tmp_path: Path) -> None:
    reply = json.dumps({**SLOTS[VAGUE], "observed_issue": {"value": "落ちる", "quote": "落ちる"}}, ensure_ascii=False)
    workspace = Workspace(build_shop(tmp_path / "shop"), ScriptedModel([reply, "no", "no"]), state=tmp_path / "state")
    frame = workspace.start_session(VAGUE, "MODIFY").state.frame
    assert (frame.target_feature, frame.observed_issue) == ("ログイン機能", None)
    assert frame.slot_refusals["observed_issue"]["reason_code"] == "quote_not_in_query"
    frame = workspace.start_session(VAGUE, "MODIFY").state.frame
    assert len(frame.missing_slots) == 4 and frame.extraction_error


@pytest.mark.slow
def test_to_be_honest_is_the_cheapest_way(tmp_path: Path) -> None:
    costs = []
    for number, case in enumerate(honesty.CASES):
        costs.append(honesty.play(case, tmp_path / str(number)))
    assert honesty.is_as_expected(costs), "\n".join(honesty.show(costs))
