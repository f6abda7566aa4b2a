"""The explorer: it finds the code of a request, within its bounds, and the record of the session decides as ever."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gate_sessions import begin, refused

from benchmarks.code_intelligence.shop import DETAILED, FILES, VAGUE
from symops_lark import parse
from symops_lark.acting.plan.planning import plan
from symops_lark.code_intelligence import Session, Workspace, gate_for
from symops_lark.models.prompts.tokens import load_counter

LONG = "".join(f"def unrelated_{number}():\n    return {number}\n\n\n" for number in range(2_000))


def test_a_detailed_request_is_ready_after_two_calls(workspace: Workspace) -> None:
    session = begin(workspace)
    answer = session.explore()
    assert answer["items"][0]["path"] == "auth/service.py"
    assert answer["hits"][0]["text"].strip() == 'raise LoginError("login failed: wrong password")'
    assert answer["definitions"]["AuthService"] == ["auth/service.py:1"]
    assert session.submit_understanding(**answer["understanding"])["phase"] == "READY"
    assert session.check_write_target("auth/service.py")["allowed"]


def test_an_issue_that_the_request_does_not_say_is_not_made_up(workspace: Workspace) -> None:
    session = begin(workspace, VAGUE)
    answer = session.explore()
    assert answer["items"][0]["path"] == "auth/service.py"
    assert set(answer["understanding"]["slot_evidence"]) == {"target_feature"}
    refused(session.submit_understanding(**answer["understanding"]), "slot_evidence_missing")


def test_the_same_folder_gives_the_same_answer(workspace: Workspace) -> None:
    answers = [begin(workspace).explore() for _ in range(2)]
    for answer in answers:
        answer.pop("session_id")
    assert answers[0] == answers[1]


@pytest.mark.slow
@pytest.mark.parametrize("tokens", [300, 1_000, 8_000])
def test_no_more_tokens_than_asked_for(workspace: Workspace, tokens: int) -> None:
    Path(workspace.root, "auth/service.py").write_text(LONG + FILES["auth/service.py"] + LONG, "utf-8")
    answer = begin(workspace).explore(tokens=tokens)
    counter = load_counter()
    assert sum(counter.count(item["text"]) for item in answer["items"]) <= answer["tokens"] <= tokens
    parts = [item for item in answer["items"] if item["path"] == "auth/service.py"]
    text = "".join(item["text"] for item in parts)
    lines = (LONG + FILES["auth/service.py"] + LONG).split("\n")
    for item in parts:
        start, end = item["lines"]
        assert item["text"] == "\n".join([*lines[start - 1 : end], ""])
    if tokens > 300:
        assert "login failed" in text and "unrelated_1000(" not in text


def test_no_more_calls_than_asked_for(workspace: Workspace) -> None:
    answer = begin(workspace).explore(calls=3)
    assert answer["calls"] == 3 and answer["incomplete"] and answer["notes"]


def test_other_words_can_be_explored(workspace: Workspace) -> None:
    answer = begin(workspace).explore(["BillingService"])
    assert answer["items"][0]["path"] == "billing/service.py"


def test_files_that_the_request_names_come_first(workspace: Workspace) -> None:
    session = workspace.start_session("users/model.py: check_password compares texts", "MODIFY")
    assert session.explore()["items"][0]["path"] == "users/model.py"


def test_nothing_found_says_so(workspace: Workspace) -> None:
    refused(workspace.start_session("frobnicate the quux", "MODIFY").explore(), "nothing_found")


@pytest.mark.parametrize("given", [{"tokens": 0}, {"calls": "many"}, {"words": [1]}, {"tokens": True}])
def test_wrong_bounds_are_refused(workspace: Workspace, given: dict[str, object]) -> None:
    refused(begin(workspace).explore(**given), "bad_arguments")  # type: ignore[arg-type]  # as clients may send them


def test_secrets_are_not_opened(workspace: Workspace) -> None:
    Path(workspace.root, ".env").write_text("AuthService=1\n", "utf-8")
    assert ".env" not in str(begin(workspace).explore())


# ---- opening files


def test_names_of_opened_files_count_as_seen(workspace: Workspace) -> None:
    session = begin(workspace)
    session.add_explored_files(["billing/service.py"])
    answer = session.submit_understanding(symbols_identified=["BillingService", "charge", "AuthService"])
    [gap] = [gap for gap in answer["gaps"] if gap["reason_code"] == "symbol_not_seen"]
    assert gap["missing"] == {"symbols_identified": ["AuthService"]}


def test_of_a_part_only_its_own_names_count(workspace: Workspace) -> None:
    Path(workspace.root, "long.py").write_text(LONG, "utf-8")
    session = begin(workspace)
    answer = session.add_explored_files(["long.py:5-8"])
    [item] = answer["items"]
    assert item["text"] == "def unrelated_1():\n    return 1\n\n\n"
    assert (item["lines"], item["of_lines"]) == ([5, 8], 8_000)
    assert session.state.calls[-1].names == ("unrelated_1",)


def test_a_long_file_is_opened_in_parts(workspace: Workspace) -> None:
    Path(workspace.root, "long.py").write_text(LONG, "utf-8")
    session = begin(workspace)
    text, first = "", 1
    while first <= 8_000:
        [item] = session.add_explored_files([f"long.py:{first}-8000"])["items"]
        text, first = text + item["text"], item["lines"][1] + 1
        if not text.endswith("\n"):  # the last line was cut: it is opened again
            text, first = text[: text.rindex("\n") + 1], first - 1
    assert text == LONG


@pytest.mark.parametrize("path", ["long.py:9-8", "long.py:99999999-100000000", "auth:1-2", "../x:1-2", "none.py:1-2"])
def test_lines_that_are_not_there_are_refused(workspace: Workspace, path: str) -> None:
    Path(workspace.root, "long.py").write_text(LONG, "utf-8")
    refused(begin(workspace).add_explored_files([path]), "not_opened")


# ---- what other programs build on


def test_the_gate_of_a_session_is_that_of_a_plan(workspace: Workspace) -> None:
    session = begin(workspace)
    session.submit_understanding(**session.explore()["understanding"])
    document = parse(
        ">> Explain.\n\n::create @mail/send.py\n<<<\nx = 1\n>>>\n\n::edit @web/style.css\n<<<\nx\n>>>\n", "v2"
    )
    conflicts = plan(document, workspace.root, gate=gate_for(session)).conflicts
    assert [re.match(r"\w+", conflict.hint or "")[0] for conflict in conflicts] == ["not_explored"]  # type: ignore[index]


def test_the_answer_to_slots_is_about_the_slots(workspace: Workspace) -> None:
    """Before, it told the requirements of the request without them."""
    session: Session = workspace.start_session(DETAILED, "MODIFY")
    slots = {"target_feature": "AuthService", "observed_issue": "login failed というエラーが出る"}
    answer = session.set_query_frame(slots)
    status = session.get_session_status()
    assert (answer["risk_level"], answer["required_level"]) == (status["risk_level"], status["required_level"])
    assert answer["required_level"] == "LOW"


def test_outcomes_name_the_run_and_the_model(workspace: Workspace) -> None:
    session = begin(workspace)
    answer = session.record_outcome("success", run_id="3f2a.1", model_id="small")
    assert (answer["run_id"], answer["model_id"]) == ("3f2a.1", "small")
    [outcome], unread = workspace.outcomes.read()
    assert (outcome["run_id"], outcome["model_id"], unread) == ("3f2a.1", "small", 0)
    assert session.why()["outcomes"][0]["run_id"] == "3f2a.1"
