"""`symops plan|apply --session`: what a document does must be allowed by a session that looked first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run

from benchmarks.code_intelligence.shop import DETAILED, EVIDENCE, SHORT, SLOTS, build_shop, explore
from symops_lark.code_intelligence import Session, Workspace

EDIT = "::edit @auth/service.py{depends}\n<<<\nclass AuthService:\n    pass\n>>>\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return build_shop(tmp_path / "shop")


def ready(shop: Path) -> Session:
    session = Workspace(shop).start_session(DETAILED, "MODIFY")
    session.set_query_frame(SLOTS[DETAILED])
    explore(session, deep=False)
    assert session.submit_understanding(**SHORT, slot_evidence=EVIDENCE)["phase"] == "READY"
    return session


def conflicts(shop: Path, session: Session, text: str) -> list[str]:
    done = run("plan", "-", "--json", "--root", str(shop), "--session", session.id, stdin=text)
    return [
        f"{conflict['code']}: {conflict['hint'].partition(';')[0]}" for conflict in json.loads(done.stdout)["conflicts"]
    ]


def test_before_it_looked_nothing_is_possible(shop: Path) -> None:
    session = Workspace(shop).start_session(DETAILED, "MODIFY")
    text = EDIT.format(depends="") + "::run @make\n::delete @app.py\n::create @auth/new.py\n<<<\nx\n>>>\n"
    assert conflicts(shop, session, text) == ["session-refuses: phase_blocked"] * 4
    done = run("apply", "-", "-y", "--root", str(shop), "--session", session.id, stdin=EDIT.format(depends=""))
    assert done.exit_code == 1 and "the way on" in done.output and "nothing was done" in done.output
    assert "raise LoginError" in (shop / "auth/service.py").read_text(encoding="utf-8")


def test_what_was_looked_at_is_applied(shop: Path) -> None:
    session = ready(shop)
    assert conflicts(shop, session, EDIT.format(depends="")) == []
    done = run("apply", "-", "-y", "--root", str(shop), "--session", session.id, stdin=EDIT.format(depends=""))
    assert done.exit_code == 0, done.output
    assert (shop / "auth/service.py").read_text(encoding="utf-8") == "class AuthService:\n    pass\n"
    repeated_changed_text = EDIT.format(depends="").replace("pass", "ok = 1")
    assert conflicts(shop, session, repeated_changed_text) == ["session-refuses: changed_since_read"]
    session.add_explored_files(["auth/service.py"])
    assert conflicts(shop, session, repeated_changed_text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("::delete @billing/service.py\n", ["session-refuses: not_explored"]),
        (EDIT.format(depends=" >users/model.py"), ["session-refuses: not_explored"]),
        (EDIT.format(depends=" >auth/controller.py"), []),
        ("::create @mail/send.py\n<<<\nx = 1\n>>>\n", ["session-refuses: folder_not_observed"]),
        (">> mail is sent by a module of its own\n::create @mail/send.py\n<<<\nx = 1\n>>>\n", []),
        ("::create @auth/texts.py\n<<<\nx = 1\n>>>\n", []),
    ],
)
def test_files_and_dependencies(shop: Path, text: str, expected: list[str]) -> None:
    assert conflicts(shop, ready(shop), text) == expected


def test_a_question_needs_the_user(shop: Path) -> None:
    text = "? which message?\n"
    result = conflicts(shop, ready(shop), text + EDIT.format(depends=""))
    assert result == ["needs-user: ask the user, and send the document again without the question"]


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_a_session_that_is_none(shop: Path, command: str) -> None:
    done = run(command, "-", "--root", str(shop), "--session", "f" * 32, stdin=EDIT.format(depends=""))
    assert done.exit_code == 2 and "there is no such session" in done.output


def test_without_a_session_nothing_changes(shop: Path) -> None:
    done = run("plan", "-", "--json", "--root", str(shop), stdin=EDIT.format(depends=" >users/model.py"))
    assert done.exit_code == 0 and json.loads(done.stdout)["conflicts"] == []
