"""`symops gate hook` and `symops gate doctor`: coding agents ask the gate before they write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....code_intelligence.clients.configuration import CLIENTS, FILES
from ....core.ground.errors import SymOpsError
from ..options import json_option
from ..texts import complain, echo, tell
from ..visibility import visible_line
from .sessions import root_option

if TYPE_CHECKING:
    from ....code_intelligence.clients.guard import Verdict

_MOST_BYTES = 50_000_000  # of a call: clients send whole files
_SECONDS = 30  # that a hook may take to answer
_DENIED = 2  # the exit code with which a client refuses a call


@click.command(name="hook")
@click.argument("client", type=click.Choice(CLIENTS))
@root_option
@click.option("--lenient", is_flag=True, help="Allow calls that cannot be judged, with a note. Default: deny them.")
@click.option("--install", is_flag=True, help="Show the configuration that makes the client ask.")
@click.option("--uninstall", is_flag=True, help="Show the configuration without the hook.")
@click.option("--write", is_flag=True, help="Write the configuration after a confirmation.")
@click.option("-y", "--yes", is_flag=True, help="Write without a confirmation.")
def hook_command(client: str, root: str, lenient: bool, install: bool, uninstall: bool, write: bool, yes: bool) -> int:
    """Check a call of a coding agent before it writes.

    CLIENT runs this command for each call of a tool that writes, with the call as JSON on standard
    input. The gate of the folder decides: files that its session may not write are refused with the
    next step. Without a session every write is refused.

    Exit code 0: the call is allowed, or the answer is on standard output; 2: it is refused.
    """
    if install and uninstall:
        raise click.UsageError("--install and --uninstall exclude each other")
    if install or uninstall:
        return _configure(client, os.path.realpath(root), lenient, uninstall, write, yes)
    try:
        return _answer(client, root, lenient)
    except Exception as error:  # noqa: BLE001  (another exit code would let the call through)
        complain(f"the gate cannot judge this call, so it is refused: {visible_line(str(error))}")
        return _DENIED


def _answer(client: str, root: str, lenient: bool) -> int:
    from ....code_intelligence.clients.guard import Guard

    data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise SymOpsError(f"the call has more than {_MOST_BYTES:,} bytes")
    event = json.loads(data)
    if not isinstance(event, dict):
        raise SymOpsError("the call is not an object")
    verdict = Guard(root, lenient=lenient).answer(event)
    if client == "opencode":
        if verdict.reason:
            complain(visible_line(verdict.reason))
        return 0 if verdict.allowed else _DENIED
    if answer := _to_json(verdict):
        echo([json.dumps(answer)])
    return 0


def _to_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as Claude Code and Codex read it; nothing leaves the call to their own rules."""
    if verdict.allowed:
        return {"systemMessage": verdict.reason} if verdict.reason else {}
    output = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": verdict.reason}
    return {"hookSpecificOutput": output}


# ---- configuration


def _configure(client: str, root: str, lenient: bool, uninstall: bool, write: bool, yes: bool) -> int:
    """Show what a client's file will hold, or write it through the journal, for `symops undo`."""
    from ....acting.changes import Change, Decision, Operation, Plan
    from ....acting.execution import apply
    from ....acting.files.view import FolderView
    from ....code_intelligence.clients import configuration
    from ....core.document import Action
    from ..acting.asking import make_asker

    path = FILES[client]
    before = FolderView(root).look(path).data
    text = (before or b"").decode("utf-8", "replace")
    if uninstall:
        after = configuration.uninstall(client, text)
    else:
        command = configuration.hook_command(client, root, lenient=lenient)
        after = configuration.install(client, text, command)
    if after == text:
        echo([f"{path} needs no change"])
        return 0
    if not write:
        echo([f"# {path}", *after.splitlines()] if after else [f"# {path} would be deleted"])
        echo(["", "`--write` writes it"], err=True)
        return 0
    operation, verb = Operation.REPLACE, "edit"
    if before is None:
        operation, verb = Operation.CREATE, "create"
    elif not after:
        operation, verb = Operation.DELETE, "delete"
    content = after.encode() if after else None
    action = Action(verb, path, after or None)
    reasons = ("it decides what a coding agent may do",)
    change = Change(1, action, operation, path, before, content, decision=Decision.ASK, reasons=reasons)
    outcome = apply(Plan((change,)), root, confirm=make_asker(yes, False, full=False, flags="--yes"))
    if not outcome.done:
        complain("nothing was written")
        return 1
    echo([f"{path} written; `symops undo` restores it", *_advise(client, uninstall)])
    return 0


def _advise(client: str, uninstall: bool) -> Iterator[str]:
    if uninstall:
        return
    if client == "codex":
        yield "Codex runs a new hook only after you trust it: enter /hooks in Codex"
    yield "`symops gate doctor` checks that it answers"


# ---- doctor


@click.command(name="doctor")
@root_option
@json_option
def doctor_command(root: str, as_json: bool) -> int:
    """Check that the hooks of coding agents answer.

    Each installed hook gets a call that the gate always refuses: a file outside the folder. A hook
    whose command differs from what `symops gate hook CLIENT --install` writes is not run.

    Exit code 0: at least one hook is installed, and all of them refuse; 1: otherwise.
    """
    folder = os.path.realpath(root)
    rows = [{"client": client, **_examine(client, folder)} for client in CLIENTS]
    lines = [f"{row['client']}: {row['message']}" for row in rows]
    tell({"hooks": rows}, map(visible_line, lines), as_json)
    installed = [row for row in rows if row["installed"]]
    return 0 if installed and all(row["answers"] for row in installed) else 1


def _examine(client: str, root: str) -> dict[str, Any]:
    """Return whether a client's hook is installed, and whether it refuses."""
    from ....code_intelligence.clients.configuration import hook_command, install, installed_command

    place = Path(root, FILES[client])
    text = place.read_text("utf-8", errors="replace") if place.is_file() else ""
    row = {"installed": False, "answers": False, "message": "not installed"}
    try:
        found = installed_command(client, text)
    except SymOpsError as error:
        return {**row, "message": str(error)}
    if not found:
        return row
    row["installed"] = True
    commands = [hook_command(client, root, lenient=lenient) for lenient in (False, True)]
    expected = {installed_command(client, install(client, "", words)): words for words in commands}
    if found not in expected:
        return {**row, "message": f"{FILES[client]} has another command than --install writes: it was not run"}
    arguments = {"file_path": os.path.join(os.path.dirname(root), "outside"), "content": "x"}
    event = {"hook_event_name": "PreToolUse", "session_id": "doctor", "cwd": root}
    call = json.dumps({**event, "tool_name": "write", "tool_input": arguments})
    begun = time.monotonic()
    try:
        done = subprocess.run(
            expected[found], cwd=root, input=call, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return {**row, "message": f"does not answer: {error}"}
    if done.returncode != _DENIED and '"permissionDecision": "deny"' not in done.stdout:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        return {**row, "message": f"does not refuse: exit code {done.returncode} {' '.join(last)}".rstrip()}
    return {**row, "answers": True, "message": f"refuses what it must, in {time.monotonic() - begun:.2f} s"}
