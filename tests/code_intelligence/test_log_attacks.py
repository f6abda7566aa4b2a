"""Attacks on the log of a session: what was not written by this user's program, in this place, is refused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.code_intelligence.shop import DETAILED, EVIDENCE, SHORT, SLOTS, build_shop, explore
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.code_intelligence.gate.sealed_lines import BadLogError, Seals, WrongRootError
from symops_lark.code_intelligence.server.answers import Desk

TARGET = "auth/service.py"
Lines = list[bytes]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/symops-lark"


@pytest.fixture
def shop(tmp_path: Path, state: Path) -> Path:
    return build_shop(tmp_path / "shop")


def ready(shop: Path) -> Session:
    session = Workspace(shop).start_session(DETAILED, "MODIFY")
    session.set_query_frame(SLOTS[DETAILED])
    explore(session, deep=False)
    session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)
    assert Workspace(shop).session(session.id).check_write_target(TARGET)["allowed"]
    return session


def lines_of(session: Session) -> Lines:
    return session.log.path.read_bytes().splitlines()


def again(shop: Path, session: Session, lines: Lines) -> Session:
    session.log.path.write_bytes(b"".join(line + b"\n" for line in lines))
    return Workspace(shop).session(session.id)


def reseal(lines: Lines, change: Callable[[Any], object], place: int = 0) -> Lines:
    """Return a log of which one event is another, with seals as this user's program makes them."""
    events = [json.loads(line) for line in lines]
    change(events[place])
    seals = Seals("log", make=True)
    return [seals.close({key: event[key] for key in event if key not in ("seal", "sum")})[:-1] for event in events]


FORGERIES: dict[str, Callable[[Lines], Lines]] = {
    "a level that is edited": lambda lines: [lines[0].replace(b'"level":"auto"', b'"level":"off"'), *lines[1:]],
    "a file that is made looked at": lambda lines: [*lines[:-1], lines[-1].replace(b"{", b'{"explored":{"x":"y"},', 1)],
    "a line without a seal": lambda lines: [*lines, b'{"at":"","set":{"phase":"READY"}}'],
    "a line with an invented seal": lambda lines: [*lines, b'{"set":{"phase":"READY"},"seal":"' + b"0" * 64 + b'"}'],
    "a line with the seal of another": lambda lines: [*lines, b'{"set":{"phase":"READY"}' + lines[-1][-75:]],
    "two lines in the other order": lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]],
    "a middle line taken out": lambda lines: [*lines[:2], *lines[3:]],
    "a line twice": lambda lines: [*lines, lines[-1]],
    "the first line taken out": lambda lines: lines[1:],
    "the beginning of another session": lambda lines: [lines[0], *lines],
    "an empty line": lambda lines: [*lines, b""],
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_log_is_refused(shop: Path, name: str) -> None:
    session = ready(shop)
    forged = FORGERIES[name](lines_of(session))
    assert forged != lines_of(session)
    opened = again(shop, session, forged)
    for call in (
        lambda: opened.check_write_target(TARGET),
        lambda: opened.state,
        opened.why,
        lambda: opened.add_explored_files([TARGET]),
    ):
        with pytest.raises(BadLogError, match=r"line [0-9]+: .*Start a new session"):
            call()
    assert lines_of(session) == forged, "what is refused is not changed"


def test_the_forgery_is_refused_by_every_door(shop: Path) -> None:
    """`bad_log` and exit code 1 for commands, a refusal for clients; no traceback."""
    session = ready(shop)
    again(shop, session, FORGERIES["a line without a seal"](lines_of(session)))
    edit = f"::edit @{TARGET}\n<<<\nx = 1\n>>>\n"
    where = ("--root", str(shop))
    for command in (
        ("gate", "status", session.id),
        ("gate", "check-write", session.id, TARGET),
        ("gate", "look", session.id, TARGET),
        ("gate", "why", session.id),
        ("gate", "outcome", session.id, "success"),
        ("code", "definitions", "AuthService", "--session", session.id),
        ("plan", "-", "--session", session.id),
        ("apply", "-", "-y", "--session", session.id),
    ):
        done = run(*command, *where, stdin=edit)
        assert done.exit_code == 1 and "it has no seal" in done.output and "Start a new session" in done.output, command
    answer = Desk(Workspace(shop)).answer("check_write_target", {"session_id": session.id, "path": TARGET})
    assert answer["reason_code"] == "bad_log" and not answer["ok"] and answer["next"] == ["start_session"]


@pytest.fixture(scope="module")
def short_log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Session, bytes]:
    shop = build_shop(tmp_path_factory.mktemp("law") / "shop")
    session = Workspace(shop).start_session(DETAILED, "MODIFY")
    session.set_query_frame(SLOTS[DETAILED])
    session.check_write_target(TARGET)
    return shop, session, session.log.path.read_bytes()


@pytest.mark.slow
@given(st.floats(0, 1, exclude_max=True), st.binary(max_size=1), st.integers(0, 1))
@settings(max_examples=200, deadline=None)
def test_no_byte_of_a_log_can_be_changed(
    short_log: tuple[Path, Session, bytes], place: float, byte: bytes, gone: int
) -> None:
    """Law: a log of which a byte is another, one is gone or one is new is refused, unless only its end is missing."""
    shop, session, full = short_log
    at = int(place * len(full))
    changed = full[:at] + byte + full[at + gone :]
    session.log.path.write_bytes(changed)
    opened = Workspace(shop).session(session.id)
    complete = changed[: changed.rfind(b"\n") + 1]  # the rest is taken for what a killed writer left
    if complete and full.startswith(complete):
        assert not opened.state.explored and session.log.path.read_bytes() == complete
        return
    with pytest.raises(BadLogError):
        _ = opened.state
    assert session.log.path.read_bytes() == changed


def test_a_log_of_another_folder_is_refused(shop: Path, tmp_path: Path) -> None:
    session, other_shop = ready(shop), build_shop(tmp_path / "other")
    folder = Workspace(other_shop).folder
    folder.mkdir(parents=True, mode=0o700)
    shutil.copy(session.log.path, folder)
    with pytest.raises(WrongRootError, match="not about"):
        _ = Workspace(other_shop).session(session.id).phase
    answer = Desk(Workspace(other_shop)).answer("get_session_status", {"session_id": session.id})
    assert answer["reason_code"] == "wrong_root"
    done = run("gate", "check-write", session.id, TARGET, "--root", str(other_shop))
    assert done.exit_code == 1 and str(shop) in done.output


def test_a_copy_under_another_name_is_refused(shop: Path) -> None:
    session = ready(shop)
    shutil.copy(session.log.path, session.log.path.with_name(f"{'a' * 32}.jsonl"))
    with pytest.raises(BadLogError, match="copy of the log of another session"):
        _ = Workspace(shop).session("a" * 32).phase


STRANGE: dict[str, tuple[Callable[[Any], object], int, str]] = {
    "an unknown member": (lambda event: event.update(trusted=True), 1, "trusted: no such key"),
    "an unknown member of the first line": (lambda event: event.update(ok=True), 0, "ok: no such key"),
    "an unknown phase": (lambda event: event.setdefault("set", {}).update(phase="DONE"), 1, "EXPLORATION"),
    "a level set later": (lambda event: event.setdefault("set", {}).update(level="off"), 1, "level: no such key"),
    "an intent set later": (lambda event: event.setdefault("set", {}).update(intent="MODIFY"), 1, "no such key"),
    "an unknown level": (lambda event: event["start"].update(level="none"), 0, "level"),
    "a call out of turn": (lambda event: event["call"].update(number=9), 2, "call.number"),
    "a wrong type": (lambda event: event.update(explored=["x"]), 1, "explored: expected an object"),
    "a hash that is none": (lambda event: event.update(explored={"x": 1}), 1, "explored.x: expected a string"),
    "a first line without a start": (lambda event: event.pop("start"), 0, "start: expected an object"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_no_session_says_is_refused_sealed_or_not(shop: Path, name: str) -> None:
    session = ready(shop)
    change, place, text = STRANGE[name]
    opened = again(shop, session, reseal(lines_of(session), change, place))
    with pytest.raises(BadLogError, match=text):
        _ = opened.state


def test_resealing_without_a_change_is_allowed(shop: Path) -> None:
    session = ready(shop)
    opened = again(shop, session, reseal(lines_of(session), lambda event: None))
    assert opened.check_write_target(TARGET)["allowed"]


def test_an_earlier_end_is_an_earlier_state_which_is_not_noticed_by_another_process(shop: Path) -> None:
    """Not promised (SECURITY.md): whoever may write the log can take lines off its end, or put an old one back.

    It is a state in which the session was; a process that has read more notices it.
    """
    session = ready(shop)
    lines = lines_of(session)
    session.revert_to_exploration("not yet")
    assert not session.check_write_target(TARGET)["allowed"]
    assert again(shop, session, lines).check_write_target(TARGET)["allowed"], "an old log is yours by its seal"
    with pytest.raises(BadLogError, match="cut or exchanged"):
        _ = session.phase


def test_a_log_that_is_exchanged_meanwhile_is_refused(shop: Path) -> None:
    session = ready(shop)
    lines, phase = lines_of(session), session.phase
    assert phase == "READY"
    session.log.path.write_bytes(b"".join(line + b"\n" for line in lines[:-1]) + b"x" * len(lines[-1]) + b"\n")
    with pytest.raises(BadLogError, match="cut or exchanged"):
        _ = session.phase


# ---- no plain file, and no key


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "device"])
@pytest.mark.parametrize("which", ["log", "outcomes"])
def test_what_is_not_a_file_is_refused_at_once(shop: Path, tmp_path: Path, kind: str, which: str) -> None:
    session = ready(shop)
    path = session.log.path if which == "log" else session.log.path.with_name("outcomes.jsonl")
    path.unlink(missing_ok=True)
    treasure = tmp_path / "treasure"
    treasure.write_text("what nobody may cut")
    make: dict[str, Callable[[], object]] = {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to(treasure),
        "device": lambda: path.symlink_to("/dev/zero"),
    }
    make[kind]()
    for command in (("why", session.id), ("outcome", session.id, "success"), ("check-write", session.id, TARGET)):
        done = run("gate", *command, "--root", str(shop))
        if which == "outcomes" and command[0] == "check-write":
            assert done.exit_code == 0
        else:
            assert done.exit_code == 1 and "move it away" in done.output
    assert treasure.read_text() == "what nobody may cut"


@pytest.mark.parametrize("data", [b"", b"half a line", b'{"start":', b"\n", b"\0" * 5000])
def test_a_file_that_is_no_log_is_not_changed(shop: Path, data: bytes) -> None:
    session = ready(shop)
    session.log.path.write_bytes(data)
    with pytest.raises(BadLogError):
        _ = Workspace(shop).session(session.id).phase
    assert session.log.path.read_bytes() == data


def spoil_key(state: Path) -> None:
    (state / "journal.key").unlink(missing_ok=True)
    (state / "journal.key").mkdir(parents=True)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere there is never a key")
def test_without_a_key_sessions_work_and_say_so(shop: Path, state: Path) -> None:
    spoil_key(state)
    session = ready(shop)
    assert b'"sum":"' in lines_of(session)[0]
    for answer in (session.get_session_status(), session.check_write_target(TARGET), session.why()):
        assert any("has no seal" in note and "journal.key" in note for note in answer["notes"])
    done = run("plan", "-", "--session", session.id, "--root", str(shop), stdin=f"::edit @{TARGET}\n<<<\nx\n>>>\n")
    assert done.exit_code == 0 and "has no seal" in done.output
    with pytest.raises(BadLogError, match="line 3"):
        _ = again(shop, session, FORGERIES["a middle line taken out"](lines_of(session))).phase


@pytest.mark.skipif(os.name != "posix", reason="elsewhere there is never a key")
def test_a_log_without_a_seal_counts_only_where_there_is_no_key(shop: Path, state: Path) -> None:
    sealed = ready(shop)
    key = (state / "journal.key").read_bytes()
    spoil_key(state)
    with pytest.raises(BadLogError, match="its seal cannot be checked"):
        _ = Workspace(shop).session(sealed.id).phase
    unsealed = ready(shop)
    (state / "journal.key").rmdir()
    (state / "journal.key").write_bytes(key)
    (state / "journal.key").chmod(0o600)
    with pytest.raises(BadLogError, match="it has no seal, and your key could have sealed it"):
        _ = Workspace(shop).session(unsealed.id).phase
    assert Workspace(shop).session(sealed.id).phase == "READY"


@pytest.mark.skipif(os.name != "posix", reason="masks of POSIX")
def test_the_state_folder_is_made_for_its_owner_whatever_the_mask(shop: Path, state: Path) -> None:
    """A first session makes the folder that the key is in; one that a group may write would be no place for a key."""
    before = os.umask(0o002)
    try:
        session = ready(shop)
    finally:
        os.umask(before)
    assert state.stat().st_mode & 0o077 == 0 and not session.notes


def test_lines_that_are_no_outcomes_are_counted_and_told(shop: Path) -> None:
    session = ready(shop)
    session.record_outcome("failure", "observed_issue")
    path = session.log.path.with_name("outcomes.jsonl")
    strange = [b"[1]", b"[" * 100_000, b'{"session": 1}', b'{"session": "x", "evidence": [1]}', b"1" * 5000, b"\xff"]
    path.write_bytes(path.read_bytes() + b"\n".join(strange) + b"\n")
    output = run("gate", "why", "--root", str(shop))
    assert output.exit_code == 0 and "6 lines of the outcomes cannot be read" in output.output
    assert "1 session with an outcome: 1 failure" in output.output
    assert len(session.why()["outcomes"]) == 1


SAMPLES = Path(__file__).parent / "samples"  # a session of the version before seals, in a folder /project


def test_a_session_of_an_earlier_version_is_refused_and_its_outcome_is_counted(shop: Path, state: Path) -> None:
    """It has no seal, and what has no seal may be forged: it opens no gate, and says why."""
    session = ready(shop)
    [log] = [path for path in state.rglob("*.jsonl") if session.id in path.name]
    log.write_bytes((SAMPLES / "session.jsonl").read_bytes())
    with pytest.raises(BadLogError, match="line 1: it has no seal: an earlier version wrote it"):
        _ = Workspace(shop).session(session.id).phase
    (log.parent / "outcomes.jsonl").write_bytes((SAMPLES / "outcomes.jsonl").read_bytes())
    output = run("gate", "why", "--root", str(shop))
    assert "1 session with an outcome: 1 partial" in output.stdout, output.output
