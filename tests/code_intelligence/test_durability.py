"""State on disk: whoever is killed goes on, processes share a session, half lines and lost files are told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.code_intelligence.shop import DETAILED, EVIDENCE, SHORT, SLOTS, explore
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.code_intelligence.gate.decision_log import DecisionLog
from symops_lark.code_intelligence.gate.outcomes import OutcomeLog
from symops_lark.code_intelligence.gate.sealed_lines import BadLogError
from symops_lark.code_intelligence.gate.workspaces import SessionError

LOOKS = """
import sys
from symops_lark.code_intelligence import Workspace
session = Workspace(sys.argv[1], state=sys.argv[2]).session(sys.argv[3])
for number in range(int(sys.argv[4])):
    session.search_text([f"nothing {sys.argv[5]} {number}"])
    print(number, flush=True)
"""


def begin(workspace: Workspace) -> Session:
    session = workspace.start_session(DETAILED, "MODIFY")
    session.set_query_frame(SLOTS[DETAILED])
    return session


def look(workspace: Workspace, session: Session, count: int, name: str) -> subprocess.Popen[str]:
    state = str(workspace.folder.parent.parent)
    command = [sys.executable, "-c", LOOKS, workspace.root, state, session.id, str(count), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_session_goes_on_after_each_line(workspace: Workspace, tmp_path: Path) -> None:
    """Cut after every byte of the last lines: the state is that of the whole lines, and the session goes on."""
    session = begin(workspace)
    explore(session, deep=False)
    path, whole_data = session.log.path, session.log.path.read_bytes()
    lines = whole_data.split(b"\n")[:-1]
    for item in range(1, len(lines) + 1):
        for element in (0, 5):
            head = b"\n".join(lines[:item]) + b"\n"
            path.write_bytes(head + lines[item][:element] if item < len(lines) else head)
            repeated_session = Workspace(workspace.root, state=tmp_path / "state").session(session.id)
            assert len(repeated_session.state.calls) == sum(b'"call"' in line for line in lines[:item])
            assert path.read_bytes() == head, "what was half written is gone"
    assert repeated_session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)["phase"] == "READY"
    assert repeated_session.check_write_target("auth/service.py")["allowed"]


@pytest.mark.slow
def test_processes_share_a_session_and_one_is_killed(workspace: Workspace) -> None:
    session = begin(workspace)
    victim, second = look(workspace, session, 1_000, "a"), look(workspace, session, 5, "b")
    assert victim.stdout is not None
    readlines = [victim.stdout.readline() for _ in range(5)]
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    assert second.wait(60) == 0 and readlines[-1] == "4\n"
    second.communicate()
    calls = session.state.calls
    items = [call.params["patterns"][0] for call in calls]
    assert [f"nothing a {number}" for number in range(5)] == [item for item in items if " a " in item][:5]
    assert [f"nothing b {number}" for number in range(5)] == [entry for entry in items if " b " in entry]
    assert [call.number for call in calls] == list(range(1, len(calls) + 1)), "no number is given twice"
    explore(session, deep=False)
    assert session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)["phase"] == "READY"


def test_threads_share_a_session(workspace: Workspace) -> None:
    session = begin(workspace)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: session.update_slot("no slot", str(number), None), range(40)))
    events = list(DecisionLog(session.log.path))
    assert [event["tool"] for event in events[2:]] == ["update_slot"] * 40


def test_two_objects_of_one_session_see_each_other(workspace: Workspace, tmp_path: Path) -> None:
    session = begin(workspace)
    twin = Workspace(workspace.root, state=tmp_path / "state").session(session.id)
    explore(session, deep=False)
    assert len(twin.state.calls) == 5
    assert twin.submit_understanding(**SHORT, slot_evidence=EVIDENCE)["phase"] == session.phase == "READY"


def test_state_is_for_its_owner_alone(workspace: Workspace) -> None:
    session = begin(workspace)
    if os.name == "posix":
        assert session.log.path.stat().st_mode & 0o077 == 0
    assert session.id not in repr(session), "an id is a key"


def test_what_is_lost_or_strange_is_told(workspace: Workspace, tmp_path: Path) -> None:
    session = begin(workspace)
    session.log.path.unlink()
    with pytest.raises(SessionError, match="start_session"):
        workspace.session(session.id)
    other_begin = begin(workspace)
    with open(other_begin.log.path, "ab") as file:
        file.write(b"not json\n[1]\n")
    repeated_session = Workspace(workspace.root, state=tmp_path / "state").session(other_begin.id)
    with pytest.raises(BadLogError, match="line 3: it is damaged"):
        repeated_session.find_definitions("AuthService")


def test_outcomes_only_grow(tmp_path: Path) -> None:
    log = OutcomeLog(tmp_path / "new" / "outcomes.jsonl")
    assert log.read() == ([], 0)
    log.append({"session": "a"})
    with open(log.path, "ab") as file:
        file.write(b'{"half')
    before = log.path.read_bytes()
    log.append({"session": "b"})
    assert log.path.read_bytes().startswith(before)
    outcomes, unread = log.read()
    assert [outcome["session"] for outcome in outcomes] == ["a", "b"] and unread == 1


def test_a_call_that_fails_to_be_recorded_is_not_remembered(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin(workspace)
    with monkeypatch.context() as patch:
        patch.setattr("symops_lark.code_intelligence.gate.sealed_lines.json.dumps", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            session.find_definitions("AuthService")
    assert session.state.calls == [] and json.loads(session.log.path.read_text().splitlines()[-1])["ok"]
