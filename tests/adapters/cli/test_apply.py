"""`symops apply` and `symops undo` with plans made by hand: questions, results, exit codes; nothing half done."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import Result
from command_line import GOOD, run
from crashes import change, command, kill_at, read_tree, write_tree

import symops_lark
from symops_lark.acting.changes import Change, Decision, Plan
from symops_lark.acting.commands.commands import Runner
from symops_lark.acting.execution import Outcome, Status, apply
from symops_lark.acting.files.filesystem import Folder
from symops_lark.acting.journal.room import lock_journal
from symops_lark.core.ground.errors import UnsafeActionError, WorkspaceError
from symops_lark.core.text.diagnostics import Diagnostic
from symops_lark.core.text.source import Span

ASK, REFUSE = Decision.ASK, Decision.REFUSE
OK, FAIL = f"{sys.executable} -c 'print(1)'", f"{sys.executable} -c 'raise SystemExit(2)'"
Apply = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    write_tree(root, {"a": b"A\n", "b": b"B\n"})
    (tmp_path / "reply.txt").write_text(GOOD)
    return root


@pytest.fixture
def cli(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Apply:
    """Give a function that runs `symops apply` with the changes that a planner would have made."""

    def call(
        changes: list[Change], *arguments: str, answers: str = "", conflicts: tuple[Diagnostic, ...] = ()
    ) -> Result:
        planner = ModuleType("planning")
        planner.plan = lambda document, tree, *rest: Plan(tuple(changes), conflicts)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "symops_lark.acting.plan.planning", planner)
        return run("apply", str(tmp_path / "reply.txt"), "--root", str(root), *arguments, stdin=answers)

    return call


FILES = [
    change(1, "a", b"A\n", b"AA\n", decision=ASK, reasons=("not sure",)),
    change(2, "n/x", None, b"X\n"),
    change(3, "b", b"B\n", None, decision=ASK),
]


def statuses(outcome: Outcome) -> list[str]:
    return [str(step.status) for step in outcome.steps]


# ---- the library


def test_files_first_then_commands(root: Path) -> None:
    line = f"{sys.executable} -c 'print(open(\"n/x\").read())'"
    plan = Plan((command(1, line), *FILES[1:2], command(3, OK, needs=(1,))))
    outcome = apply(plan, root, confirm=lambda _: True, run=Runner())
    assert outcome.done and statuses(outcome) == ["done"] * 3 and outcome.recovered is None
    assert outcome.steps[0].command and outcome.steps[0].command.output == "X\n\n"
    data = json.loads(json.dumps(outcome.to_dict()))
    assert data["steps"][1].pop("change")["path"] == "n/x"
    assert data["steps"][1] == {
        "number": 2,
        "operation": "create",
        "path": "n/x",
        "status": "done",
        "reason": "",
        "command": None,
    }


def test_commands_are_never_run_without_consent(root: Path) -> None:
    plan = Plan((command(1, "touch ran", decision=Decision.AUTO),))
    for consent, runner, reason in (
        (None, Runner(), "not confirmed: apply(…, confirm=…) was not given"),
        (lambda _: False, Runner(), "not agreed to"),
        (lambda _: True, None, "commands are not run: give apply(…, run=Runner())"),
        (None, None, "commands are not run: give apply(…, run=Runner())"),
    ):
        outcome = apply(plan, root, confirm=consent, run=runner)
        assert (statuses(outcome), outcome.steps[0].reason) == (["skipped"], reason)
    assert sorted(os.listdir(root)) == ["a", "b"]


def test_a_failing_command_stops_what_needs_it(root: Path) -> None:
    plan = Plan(
        (
            command(1, FAIL),
            command(2, "touch two", needs=(1,)),
            command(3, "touch three", needs=(2,)),
            command(4, "touch four"),
            *FILES[1:2],
        )
    )
    outcome = apply(plan, root, confirm=lambda _: True, run=Runner())
    assert statuses(outcome) == ["failed", "skipped", "skipped", "done", "done"] and not outcome.done
    assert [step.reason for step in outcome.steps[:3]] == [
        "exit code 2",
        f"it needs number 1 ({FAIL}), which was not done",
        "it needs number 2 (touch two), which was not done",
    ]
    assert sorted(os.listdir(root)) == [".symops", "a", "b", "four", "n"]


def test_a_command_that_cannot_be_run_does_not_hide_what_was_done(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        raise WorkspaceError("the sandbox does not work here")

    monkeypatch.setattr(Runner, "run", run)
    outcome = apply(Plan((FILES[1], command(3, OK))), root, confirm=lambda _: True, run=Runner())
    assert statuses(outcome) == ["done", "failed"] and outcome.steps[1].reason == "the sandbox does not work here"


def test_what_is_declined_takes_what_needs_it_along(root: Path) -> None:
    changes = (
        *FILES[:2],
        change(3, "a", b"AA\n", b"AAA\n"),
        change(4, "m", None, b"", needs=(1,)),
        command(5, "touch ran", needs=(4,)),
    )
    numbers: list[int] = []

    def decline(one: Change) -> bool:
        numbers.append(one.number)
        return False

    outcome = apply(Plan(changes), root, confirm=decline, run=Runner())
    assert numbers == [1] and statuses(outcome) == ["skipped", "done", "skipped", "skipped", "skipped"]
    assert outcome.steps[2].reason == "an earlier change of this file is not done"
    assert (root / "a").read_bytes() == b"A\n" and (root / "n/x").exists() and not (root / "m").exists()


def test_plans_that_are_refused(root: Path) -> None:
    before = read_tree(root, journal=True)
    finding = Diagnostic("in-the-way", "a folder is in the way", Span(0, 0))
    refused = change(9, "k", None, b"", decision=REFUSE, reasons=("a secret",))
    cases = [
        (Plan((*FILES, refused)), UnsafeActionError, "k: a secret"),
        (Plan(tuple(FILES), (finding,)), WorkspaceError, "conflicts: a folder is in the way"),
        (Plan((command(1, OK), change(2, "k", None, b"", needs=(1,)))), WorkspaceError, "k needs a command"),
        (Plan((*FILES, command(4, "a | b"))), UnsafeActionError, "would need a shell"),
        (Plan((change(1, "a", b"A\n", b"1"), change(2, "a", b"?", b"2"))), WorkspaceError, "contradicts itself"),
        (Plan((change(1, "../a", None, b""),)), UnsafeActionError, "not a path below the root"),
    ]
    for plan, kind, message in cases:
        with pytest.raises(kind, match=message):
            apply(plan, root, confirm=lambda _: True, run=Runner())
        assert read_tree(root, journal=True) == before


def test_cancellation(root: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    outcome = apply(Plan((command(1, "touch ran"),)), root, confirm=lambda _: True, run=Runner(), cancel=cancel)
    assert outcome.steps[0].status is Status.SKIPPED and outcome.steps[0].reason == "cancelled"


def test_front_door(root: Path) -> None:
    before = read_tree(root)
    assert symops_lark.apply(Plan(tuple(FILES)), root, confirm=lambda _: True).done
    symops_lark.undo(root)
    assert read_tree(root) == before


# ---- the command line


def test_questions(root: Path, cli: Apply) -> None:
    result = cli(FILES, answers="y\nn\n")
    assert result.exit_code == 1, result.output
    assert "1. ~ a (replace)" in result.stderr and "not sure" in result.stderr and "+AA" in result.stderr
    assert result.stdout == "1. ~ a  done\n2. + n/x  done\n3. - b  skipped: not agreed to\n2 done, 1 skipped\n"
    assert (root / "a").read_bytes() == b"AA\n" and (root / "b").exists()


def test_questions_show_what_changes_as_plans_do(root: Path, cli: Apply) -> None:
    (root / "a").write_bytes("one\u2028two\n".encode())
    (root / "b").write_bytes(b"\xff")
    many = "".join(f"{number}\n" for number in range(6000)).encode()
    changes = [
        change(1, "a", "one\u2028two\n".encode(), b"three\n", decision=ASK, reasons=("a\nb",)),
        change(2, "b", b"\xff", b"B\n", decision=ASK),
        change(3, "c", None, many, decision=ASK),
        change(4, "d", None, many[:400], decision=ASK),
    ]
    errors = cli(changes, answers="q\n").stderr
    assert "   a␊b\n   --- a\n   +++ a\n   @@ -1 +1 @@\n   -one<U+2028>two\n   +three\nMake this change?" in errors
    errors = cli(changes, answers="y\ny\ny\ny\n").stderr
    assert "   1 byte that is not text\n" in errors and "too many to show (--full-diff shows them)\n" in errors
    assert "   … 92 more lines (d shows them)\n" in errors


def test_yes_asks_nothing_about_files(root: Path, cli: Apply) -> None:
    result = cli(FILES, "--yes")
    assert (result.exit_code, result.stderr) == (0, "") and not (root / "b").exists()
    assert result.stdout.endswith("3 done\n")


def test_all_at_once(root: Path, cli: Apply) -> None:
    result = cli([*FILES, command(4, "touch ran")], answers="a\nn\n")
    assert result.stderr.count("Make this change?") == 1 and result.stderr.count("Run this command?") == 1
    assert result.exit_code == 1 and not (root / "b").exists() and not (root / "ran").exists()


@pytest.mark.parametrize(
    ("arguments", "answers", "ran", "code"),
    [
        ((), "y\n", True, 0),
        ((), "n\n", False, 1),
        (("--run",), "", True, 0),
        (("--no-run",), "", False, 1),
        (("--yes",), "y\n", True, 0),
        (("--yes",), "n\n", False, 1),
    ],
)
def test_commands(root: Path, cli: Apply, arguments: tuple[str, ...], answers: str, ran: bool, code: int) -> None:
    result = cli([command(1, "touch ran")], *arguments, answers=answers)
    assert ((root / "ran").exists(), result.exit_code) == (ran, code)
    assert ("Run this command?" in result.stderr) is bool(answers)


def test_commands_that_the_user_has_named_need_no_question(root: Path, cli: Apply) -> None:
    assert cli([command(1, "touch ran", decision=Decision.AUTO)]).exit_code == 0 and (root / "ran").exists()
    (root / "ran").unlink()
    assert cli([command(1, "touch ran", decision=Decision.AUTO)], "--no-run").exit_code == 1
    assert not (root / "ran").exists()


@pytest.mark.parametrize("answers", ["y\nq\n", "y\n", ""])
def test_whoever_stops_answering_gets_nothing(root: Path, cli: Apply, answers: str) -> None:
    before = read_tree(root, journal=True)
    result = cli(FILES, answers=answers)
    assert result.exit_code == 1 and "symops: nothing was done, as" in result.stderr
    assert read_tree(root, journal=True) == before


def test_no_questions_while_the_reply_is_on_standard_input(root: Path, cli: Apply) -> None:
    cli([])
    planner: Any = sys.modules["symops_lark.acting.plan.planning"]
    planner.plan = lambda *_: Plan(tuple(FILES))
    result = run("apply", "--root", str(root), stdin=GOOD)
    assert result.exit_code == 2 and "no question can be asked" in result.stderr and "--yes" in result.stderr
    assert run("apply", "--root", str(root), "--yes", stdin=GOOD).exit_code == 0


@pytest.mark.slow
def test_shell_time_limit_and_json(root: Path, cli: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "hunter2hunter2")
    slow = command(1, "echo $MY_TOKEN | tr a-z A-Z; sleep 60")
    result = cli([slow], "--run", "--shell", "--timeout", "0.5", "--json")
    value = json.loads(result.stdout)
    assert result.exit_code == 1 and value["done"] is False
    assert value["steps"][0]["command"]["timed_out"] and value["steps"][0]["command"]["output"] == "\n"
    output = cli([command(1, "echo $MY_TOKEN")], "--run", "--shell", "--keep", "MY_TOKEN").stdout
    assert output == "1. $ echo $MY_TOKEN  done\n   | hunter2hunter2\n1 done\n"
    refused = cli([*FILES, command(4, "a | b")], "--run", "--yes")
    assert refused.exit_code == 1 and "would need a shell" in refused.stderr and (root / "b").exists()


def test_a_command_that_fails_tells_what_it_did_not_see(
    root: Path, cli: Apply, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in list(os.environ):
        if name not in ("PATH", "HOME"):
            monkeypatch.delenv(name)
    for name in ("MY_MODE", "MY_TOKEN"):
        monkeypatch.setenv(name, "hunter2hunter2")
    monkeypatch.setenv("MY_MODE", "fast")
    failing = command(1, 'test "$MY_MODE" = fast')
    output = cli([failing], "--run", "--shell").stdout
    assert "`environment` let through: MY_MODE, MY_TOKEN\n" in output and "hunter2" not in output
    policy = tmp_path / "policy.yaml"
    policy.write_text('environment: ["MY_*"]\n')
    result = cli([failing], "--run", "--shell", "--policy", str(policy))
    assert result.exit_code == 0 and "MY_TOKEN" not in result.stdout
    for number in range(20):
        monkeypatch.setenv(f"N{number}", "x")
    assert ", … (--json names all)\n" in cli([failing], "--run", "--shell").stdout


def test_output_cannot_act_on_the_terminal(root: Path, cli: Apply) -> None:
    result = cli([command(1, "printf '\\033[2Jx'")], "--run", "--shell")
    assert "\033" not in result.output and "␛[2Jx" in result.stdout


def test_conflicts_and_refusals(root: Path, cli: Apply) -> None:
    finding = Diagnostic("in-the-way", "a folder is in the way", Span(0, 2, 1, 1))
    result = cli(FILES, "--yes", conflicts=(finding,))
    assert result.exit_code == 1 and "a folder is in the way [in-the-way]" in result.stderr
    result = cli([change(1, "k", None, b"", decision=REFUSE, reasons=("a secret",))], "--yes")
    assert result.exit_code == 1 and "1. + k: refused: a secret" in result.stderr and not (root / "k").exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_errors_of_the_system(root: Path, cli: Apply, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    before, real = read_tree(root, journal=True), os.open

    def fail(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if str(path).startswith(".symops-") and flags & os.O_CREAT:
            raise OSError(number, os.strerror(number))
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", fail)
    monkeypatch.setattr(os, "supports_dir_fd", os.supports_dir_fd | {fail})
    result = cli(FILES, "--yes")
    assert result.exit_code == 1 and os.strerror(number) in result.stderr and "Traceback" not in result.output
    assert result.stderr.count("\n") == 1 and read_tree(root, journal=True) == before


def test_changed_files_locks_and_missing_roots(root: Path, cli: Apply, tmp_path: Path) -> None:
    (root / "b").write_bytes(b"mine")
    result = cli(FILES, "--yes")
    assert (result.exit_code, result.stderr) == (1, "symops: b: the file has changed since it was planned\n")
    assert (root / "a").read_bytes() == b"A\n"
    with Folder(root) as folder, lock_journal(folder):
        assert "another apply or undo is at work" in cli(FILES, "--yes").stderr
        assert "another apply or undo is at work" in run("undo", "--root", str(root)).stderr
    missing = run("undo", "--root", str(tmp_path / "none"))
    assert missing.exit_code == 1 and "No such file or directory" in missing.stderr


def test_undo(root: Path, cli: Apply) -> None:
    before = read_tree(root, journal=True)
    assert run("undo", "--root", str(root)).stderr == f"symops: {root}: there is nothing to undo\n"
    cli(FILES, "--yes")
    (root / "a").write_bytes(b"mine")
    refused = run("undo", "--root", str(root))
    assert refused.exit_code == 1 and "a: it has been changed since" in refused.stderr
    result = run("undo", "--root", str(root), "--force")
    assert result.exit_code == 0 and "as it was before: b\n" in result.stdout and "removed: n/\n" in result.stdout
    assert read_tree(root, journal=True) == before
    cli(FILES, "--yes")
    value = json.loads(run("undo", "--root", str(root), "--json").stdout)
    assert set(value["files"]) == {"a", "b", "n/x"} and value["interrupted"] is False


def test_an_unset_variable_undoes_nothing(root: Path, cli: Apply) -> None:
    cli(FILES, "--yes")
    after = read_tree(root)
    for name in ("", " "):
        undone = run("undo", "--root", str(root), "--run", name)
        assert undone.exit_code == 2 and "--run" in undone.stderr
    assert read_tree(root) == after


@pytest.mark.slow
def test_an_interrupted_apply_is_told_and_undone_first(root: Path, cli: Apply) -> None:
    for at in range(1, 200):
        kill_at(at, lambda: apply(Plan(tuple(FILES)), root, confirm=lambda _: True))
        if (root / ".symops/1/open.json").exists() and not (root / "b").exists():
            break
        if (root / ".symops").exists():
            cli([], "--yes")
    result = cli(FILES, "--yes")
    assert result.exit_code == 0 and "an earlier apply was interrupted" in result.stderr
    assert "as it was before: b" in result.stderr and not (root / "b").exists()


def test_replies_that_cannot_be_read(root: Path, cli: Apply, tmp_path: Path) -> None:
    cli([])
    (tmp_path / "reply.txt").write_text("::create @../../x\n<<<\n>>>\n")
    result = run("apply", str(tmp_path / "reply.txt"), "--root", str(root), "--yes")
    assert result.exit_code in (0, 1) and not (tmp_path / "x").exists()
    assert run("apply", str(tmp_path / "none.txt")).exit_code == 2
