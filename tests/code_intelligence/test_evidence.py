"""Evidence of the gate: of what was there before the session, about the target, and seen as far as it is changed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from gate_sessions import begin, refused

from benchmarks.code_intelligence.shop import DEEP, DETAILED, EVIDENCE, SHORT, VAGUE, explore
from symops_lark import parse
from symops_lark.acting.plan.planning import plan
from symops_lark.code_intelligence import Session, Workspace, gate_for

UNIVERSE = "the test of the universe is wrong"
ABOVE = "".join(f"def above_{number}():\n    return {number}\n\n\n" for number in range(1_000))


def plant(workspace: Workspace, path: str, text: str) -> None:
    place = Path(workspace.root, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def show(session: Session, value: str, tool: str = "search_text", **params: Any) -> dict[str, Any]:
    """Return what the gate says of an issue, after the call that is to show it."""
    session.call(tool, **params)
    return session.update_slot("observed_issue", value, {"tool": tool, "params": params})


# ---- older than the session


@pytest.mark.parametrize("path", ["scratch.txt", "auth/login_notes.py", "auth/service.py"])
def test_a_file_that_was_planted_shows_no_issue(workspace: Workspace, path: str) -> None:
    session = begin(workspace, VAGUE)
    session.find_definitions("AuthService")
    plant(workspace, path, f"class Login:\n    '{UNIVERSE}'\n")
    answer = show(session, UNIVERSE, patterns=["universe"])
    refused(answer, "evidence_too_new")
    assert f"{path} changed after this session began, so it is not evidence" in answer["message"]


def test_a_file_that_was_planted_shows_no_target(workspace: Workspace) -> None:
    session = workspace.start_session("Fix the refund", "MODIFY")
    session.set_query_frame(target_feature="refund")
    plant(workspace, "scratch_refund.py", "def refund():\n    pass\n")
    for tool, params in (("find_definitions", {"symbol": "refund"}), ("search_files", {"pattern": "refund"})):
        answer = session.call(tool, **params)
        assert answer["notes"] == ["scratch_refund.py changed after this session began, so it is not evidence"]
        refused(session.update_slot("target_feature", "refund", {"tool": tool, "params": params}), "evidence_too_new")
    session.add_explored_files(["scratch_refund.py"])
    refused(session.submit_understanding(symbols_identified=["refund"]), "symbol_not_seen")


def test_a_planted_file_with_old_times_is_new(workspace: Workspace) -> None:
    """Programs can set the time of a change, but not the time when that was set."""
    session = begin(workspace, VAGUE)
    plant(workspace, "auth/login.py", f"# {UNIVERSE}\n")
    os.utime(Path(workspace.root, "auth/login.py"), (0, 0))
    refused(show(session, UNIVERSE, patterns=["universe"]), "evidence_too_new")
    os.rename(Path(workspace.root, "auth/login.py"), Path(workspace.root, "auth/logon.py"))
    refused(show(session, UNIVERSE, patterns=["universe"]), "evidence_too_new")


@pytest.mark.parametrize(
    ("tool", "params", "is_seen"),
    [
        ("search_files", {"pattern": "*.py"}, False),
        ("query", {"text": "wrong password login"}, False),
        ("search_text", {"patterns": ["def "]}, True),
    ],
)
def test_files_that_were_only_listed_are_not_seen(
    workspace: Workspace, tool: str, params: dict[str, Any], is_seen: bool
) -> None:
    """Lines that were shown count, and names of files do not; `query` also ranks files by their words."""
    session = begin(workspace)
    items = session.call(tool, **params)["items"]
    listed = {item["path"] for item in items if tool == "search_files" or item.get("kind") == "file"}
    paths = {item["path"] for item in items if tool != "search_files" and item.get("kind") != "file"}
    assert set(session.state.explored) >= paths and bool(paths) == (is_seen or tool == "query")
    assert not (listed - paths) & set(session.state.explored)
    assert bool(listed) != is_seen


def test_what_the_session_wrote_is_seen_and_is_no_evidence(workspace: Workspace) -> None:
    session = begin(workspace)
    session.submit_understanding(**session.explore()["understanding"])
    plant(workspace, "auth/service.py", "class AuthService:\n    pass\n")
    refused(session.check_write_target("auth/service.py"), "changed_since_read")
    session.add_explored_files(["auth/service.py"])
    assert session.check_write_target("auth/service.py")["allowed"]
    assert session.state.calls[-1].fresh == ("auth/service.py",)
    later = begin(workspace)
    assert later.find_definitions("AuthService").get("fresh") is None, "a new session takes it as it is"


# ---- about the target


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("it raises 'login failed: wrong password'", True),
        ("「login failed: wrong password」と出る", True),
        ("login failed, wrong password", True),
        (UNIVERSE, False),
        ("the login does not work", False),  # in words of its own: a quote is wanted
        ("'login' is broken", False),  # one word is in any file
        ("宇宙の検査が間違っている", False),
    ],
)
def test_what_was_found_by_looking_needs_a_quote_or_all_words(workspace: Workspace, value: str, shown: bool) -> None:
    session = begin(workspace, VAGUE)
    session.find_definitions("AuthService")
    answer = show(session, value, patterns=["login", "password", "def"])
    assert answer["ok"] is shown, answer
    if not shown:
        refused(answer, "evidence_unrelated")
        assert "quote a line of it" in answer["message"]


def test_what_the_request_says_needs_one_word_in_the_code(workspace: Workspace) -> None:
    query = "AuthService shows a wrong eta, so hide it"
    for issue, pattern, output in (("shows a wrong eta", "wrong", True), ("shows a wrong eta", "class", False)):
        session = workspace.start_session(query, "MODIFY")
        session.set_query_frame(target_feature="AuthService", observed_issue=issue)
        session.find_definitions("AuthService")
        assert show(session, issue, patterns=[pattern])["ok"] is output


def test_a_comment_elsewhere_is_no_evidence(workspace: Workspace) -> None:
    plant(workspace, "billing/notes.py", f"# {UNIVERSE}, and 'login failed: wrong password'\n")
    session = begin(workspace, VAGUE)
    session.find_definitions("AuthService")
    for value in (UNIVERSE, "it raises 'login failed: wrong password'"):
        refused(show(session, value, patterns=[UNIVERSE]), "evidence_unrelated")


def test_a_list_of_all_symbols_makes_no_file_a_home(workspace: Workspace) -> None:
    plant(workspace, "billing/notes.py", f"# {UNIVERSE}\ndef unrelated(): pass\n")
    session = begin(workspace, VAGUE)
    session.get_symbols(".")
    refused(show(session, UNIVERSE, patterns=["universe"]), "evidence_unrelated")


def test_an_issue_waits_for_its_target(workspace: Workspace) -> None:
    session = workspace.start_session("あれを直して", "MODIFY")
    refused(show(session, "it raises 'login failed'", patterns=["login failed"]), "slot_evidence_missing")


def test_a_short_name_is_not_found_in_other_words(workspace: Workspace) -> None:
    plant(workspace, "auth/short.py", "def e():\n    return 1\n")
    time.sleep(0.02)
    session = begin(workspace)
    session.call("find_definitions", symbol="e")
    evidence = {"tool": "find_definitions", "params": {"symbol": "e"}}
    for summary, code in (("the universe", "evidence_summary_mismatch"), ("it defines e", "")):
        answer = session.update_slot("trigger_condition", "in the end", {**evidence, "result_summary": summary})
        assert answer.get("reason_code", "") == code, answer


def test_what_was_found_in_a_new_file_is_not_absent(workspace: Workspace) -> None:
    session = workspace.start_session("ログイン機能にトークン更新を追加して", "IMPLEMENT")
    session.set_query_frame(target_feature="ログイン機能", desired_action="トークン更新を追加")
    explore(session)
    plant(workspace, "auth/tokens.py", "def refresh_token():\n    pass\n")
    session.search_text(["refresh_token"])
    nothing = {"tool": "search_text", "params": {"patterns": ["refresh_token"]}}
    answer = session.submit_understanding(
        **DEEP,
        slot_evidence={"target_feature": EVIDENCE["target_feature"]},
        not_applicable={"observed_issue": {"reason": "it is a new feature", "evidence": nothing}},
    )
    refused(answer, "evidence_found_something")


def test_a_search_for_nonsense_shows_no_absence(workspace: Workspace) -> None:
    plant(workspace, "auth/login.py", "x = 1\n")
    session = workspace.start_session("ログイン機能にトークン更新を追加して", "IMPLEMENT")
    session.set_query_frame(target_feature="ログイン機能", desired_action="トークン更新を追加")
    explore(session)
    # The folder that is searched is not what is searched for.
    for pattern, path, code in (
        ("xyzzy", ".", "evidence_unrelated"),
        ("xyzzy", "auth/login.py", "evidence_unrelated"),
        ("refresh_token", ".", ""),
    ):
        session.search_text([pattern], path=path)
        nothing = {"tool": "search_text", "params": {"patterns": [pattern], "path": path}}
        answer = session.submit_understanding(
            **DEEP,
            slot_evidence={"target_feature": EVIDENCE["target_feature"]},
            not_applicable={"observed_issue": {"reason": "it is a new feature", "evidence": nothing}},
        )
        if code:
            refused(answer, code)
    assert answer["phase"] == "READY"


# ---- markup


def understand_markup(session: Session, path: str, pattern: str) -> dict[str, Any]:
    session.search_text([pattern])
    session.add_explored_files([path])
    evidence = {"tool": "search_text", "params": {"patterns": [pattern]}}
    slots = dict.fromkeys(("target_feature", "observed_issue"), evidence)
    return session.submit_understanding(files_analyzed=[path], slot_evidence=slots)


def test_a_readme_does_not_open_the_gate_for_code(workspace: Workspace) -> None:
    plant(workspace, "README.md", "# Shop\n\nThe login of AuthService fails.\n")
    time.sleep(0.02)
    session = workspace.start_session("AuthService: the login fails", "MODIFY")
    session.set_query_frame(target_feature="AuthService", observed_issue="the login fails")
    refused(understand_markup(session, "README.md", "AuthService"), "tools_not_used")


def test_markup_is_enough_for_what_only_markup_has(workspace: Workspace) -> None:
    plant(workspace, "docs/install.md", "# Instalation\n\nRun it.\n")
    plant(workspace, "docs/usage.md", "# Usage\n")
    time.sleep(0.02)
    session = workspace.start_session("'Instalation' has an l too few", "MODIFY")
    session.set_query_frame(target_feature="Instalation", observed_issue="'Instalation' has an l too few")
    session.search_text(["Usage"])
    assert understand_markup(session, "docs/install.md", "Instalation")["phase"] == "READY"
    for path, code in {
        "docs/install.md": "allowed",
        "docs/usage.md": "markup_only",  # a search showed a line of it, and it was not opened
        "docs/new.md": "allowed",
        "docs/new.html": "markup_only",
        "auth/service.py": "markup_only",
    }.items():
        assert session.check_write_target(path)["reason_code"] == code, path


# ---- seen in parts, and names


@pytest.fixture
def large(workspace: Workspace) -> Session:
    service = Path(workspace.root, "auth/service.py")
    service.write_text(service.read_text("utf-8") + ABOVE, "utf-8")
    time.sleep(0.02)
    session = begin(workspace)
    session.submit_understanding(**session.explore()["understanding"])
    session.revert_to_exploration()
    plain = workspace.start_session(DETAILED, "MODIFY")
    plain.set_query_frame(target_feature="AuthService", observed_issue="login failed というエラーが出る")
    explore(plain, deep=False)
    assert plain.submit_understanding(**SHORT, slot_evidence=EVIDENCE)["phase"] == "READY"
    return plain


def test_a_large_file_is_written_where_it_was_shown(large: Session) -> None:
    refused(large.check_write_target("auth/service.py"), "partly_seen")
    refused(large.check_write_target("auth/service.py", lines=[[500, 510]]), "partly_seen")
    assert large.check_write_target("auth/service.py", lines=[[5, 5]])["allowed"], "a search showed this line"
    large.add_explored_files(["auth/service.py:490-520"])
    assert large.check_write_target("auth/service.py", lines="[[500, 510]]")["allowed"]
    answer = large.check_write_target("auth/service.py", lines=[[500, 510], [521, 522]])
    assert "open auth/service.py:521-522" in answer["message"]
    refused(large.check_write_target("auth/service.py", lines=[5]), "bad_arguments")


def test_a_line_that_an_answer_cuts_is_not_shown(large: Session) -> None:
    item = large.add_explored_files(["auth/service.py"])["items"][0]
    last = item["lines"][1]
    assert item["truncated"] and item["text"].endswith("\n") and item["text"].count("\n") == last
    assert large.check_write_target("auth/service.py", lines=[[1, last]])["allowed"]
    refused(large.check_write_target("auth/service.py", lines=[[last + 1, last + 1]]), "partly_seen")


def test_a_plan_knows_the_lines_that_it_changes(large: Session) -> None:
    edit = "<<<<<<< SEARCH\ndef above_{0}():\n=======\ndef below_{0}():\n>>>>>>> REPLACE\n"
    text = f"::edit @auth/service.py\n<<<\n{edit}>>>\n"
    large.add_explored_files(["auth/service.py:1-100"])
    codes = []
    for number in (3, 900):
        document = parse(text.format(number), "v2")
        conflicts = plan(document, large.workspace.root, gate=gate_for(large)).conflicts
        codes.append([(conflict.hint or "").partition(";")[0] for conflict in conflicts])
    assert codes == [[], ["partly_seen"]]


def test_a_change_of_the_file_forgets_what_was_shown(large: Session) -> None:
    large.add_explored_files(["auth/service.py:1-100"])
    service = Path(large.workspace.root, "auth/service.py")
    service.write_text("# new\n" + service.read_text("utf-8"), "utf-8")
    large.add_explored_files(["auth/service.py:200-210"])
    refused(large.check_write_target("auth/service.py", lines=[[50, 50]]), "partly_seen")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("conftest.py", "acts_by_existing"),
        (".mcp.json", "acts_by_existing"),
        (".github/workflows/build.yml", "acts_by_existing"),
        (".claude/settings.json", "acts_by_existing"),
        (".opencode/plugins/x.ts", "acts_by_existing"),
        ("lib/sitecustomize.py", "acts_by_existing"),
        ("auth/Service.py", "confusable"),
        ("auth/sеrvice.py", "confusable"),  # a Cyrillic letter
        ("auth/contro11er.py", "confusable"),
        ("auth/ｓervice.py", "confusable"),
        ("lib/services.py", "allowed"),
        ("auth/conftest.py", "allowed"),  # its folder was looked at
    ],
)
def test_new_files_that_act_or_deceive(workspace: Workspace, path: str, code: str) -> None:
    session = begin(workspace)
    explore(session, deep=False)  # in the folder auth alone
    assert session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)["phase"] == "READY"
    answer = session.check_write_target(path, "a good reason for this file")
    assert answer["reason_code"] == code, answer


def test_tools_that_are_none_are_not_named(workspace: Workspace) -> None:
    session = begin(workspace)
    allowed = session.get_session_status()["allowed_tools"]
    assert "explore" in allowed and not {"check_plan", "check_command"} & set(allowed)
    assert not {"check_plan"} & set(session.submit_semantic([])["next"])


def test_a_text_search_says_that_regex_is_off(workspace: Workspace) -> None:
    session = begin(workspace)
    assert "regex" in session.search_text(["login|logout"])["notes"][0]
    assert "notes" not in session.search_text(["login|logout"], regex=True)


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("query", {"text": "x " * 20_000}),
        ("find_definitions", {"symbol": "x" * 20_001}),
        ("search_text", {"patterns": ["x" * 20_001]}),
        ("search_text", {"patterns": [str(number) for number in range(51)]}),
        ("get_symbols", {"path": "a/" * 3_000}),
        ("search_files", {"pattern": "x" * 20_001}),
        ("check_write_target", {"path": "a/" * 3_000}),
        ("add_explored_files", {"paths": ["a/" * 3_000]}),
        ("explore", {"words": "x " * 20_000}),
    ],
)
def test_what_is_too_long_is_answered_in_short(workspace: Workspace, tool: str, params: dict[str, Any]) -> None:
    answer = getattr(begin(workspace), tool)(**params)
    assert answer["ok"] is False and answer["reason_code"] == "bad_arguments"
    assert len(str(answer)) < 1_000, "what was sent is not repeated"


@pytest.mark.parametrize("summary", ["in cart.py, line 3: it is", "cart.py: it sums", "(cart.py)", "`cart.py`"])
def test_a_file_is_found_before_a_mark(workspace: Workspace, summary: str) -> None:
    plant(workspace, "cart.py", "def e():\n    return 1\n")
    time.sleep(0.02)
    session = begin(workspace)
    session.call("find_definitions", symbol="e")
    evidence = {"tool": "find_definitions", "params": {"symbol": "e"}, "result_summary": summary}
    assert not session.update_slot("trigger_condition", "in the end", evidence).get("reason_code")
    evidence["result_summary"] = summary.replace("cart.py", "other.py")
    refused(session.update_slot("trigger_condition", "in the end", evidence), "evidence_summary_mismatch")


@pytest.mark.parametrize(
    ("value", "pattern", "is_shown"),
    [
        ("age", "message", False),
        ("file", "filename", True),
        ("base", "database", True),
        ("retries", "retry", True),
        ("boxes", "box", True),
        ("text", "retryText", True),
        ("turn", "return", False),
        ("test", "latest", False),
    ],
)
def test_a_word_is_one_of_the_code_and_not_a_part_of_one(
    workspace: Workspace, value: str, pattern: str, is_shown: bool
) -> None:
    names = ("message", "retry", "box", "retryText", "filename", "database", "latest")
    assigned = "".join(f"{name} = {number}\n" for number, name in enumerate(names))
    plant(workspace, "auth/login_form.py", f"{assigned}def take():\n    return 1\n")
    time.sleep(0.02)
    answer = show(begin(workspace, VAGUE), value, patterns=[pattern])
    assert answer.get("reason_code", "") == ("" if is_shown else "evidence_unrelated"), answer
