"""`symops gate hook` and `symops gate doctor`: make coding agents ask before they write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....code_intelligence.clients.configuration import CLIENTS, FILES
from ....core.ground.errors import SymOpsError
from ..options import json_option
from ..texts import complain, echo, print_result
from ..visibility import visible_line
from .sessions import root_option

if TYPE_CHECKING:
    from ....code_intelligence.clients.guard import Verdict

_MOST_BYTES = 50_000_000  # of a call: clients send complete files
_TIMEOUT = 30  # seconds
_DENIED = 2  # the exit code with which a client refuses a call


@click.command(name="hook")
@click.argument("client", type=click.Choice(CLIENTS))
@root_option
@click.option(
    "--lenient",
    is_flag=True,
    help="Allow calls that cannot be judged, with a note. Default: deny them.",
)
@click.option("--install", is_flag=True, help="Show the configuration that makes the client ask.")
@click.option("--uninstall", is_flag=True, help="Show the configuration without the hook.")
@click.option("--write", is_flag=True, help="Write the configuration after a confirmation.")
@click.option("-y", "--yes", is_flag=True, help="Write without a confirmation.")
def hook_command(
    client: str, root: str, lenient: bool, install: bool, uninstall: bool, write: bool, yes: bool
) -> int:
    """Check a call of a coding agent before it writes.

    CLIENT runs this command for each call of a tool that writes, with the call as JSON on standard
    input. The gate of the folder decides: files that its session may not write are refused with the
    next step. Without a session every write is refused.

    Exit code 0: the call is allowed, or the answer is on standard output; 2: it is refused.
    \f

    Args:
        client: The coding agent.
        root: The folder of the code.
        lenient: Whether calls that cannot be judged are allowed.
        install: Whether the configuration with the hook is shown.
        uninstall: Whether the configuration without the hook is shown.
        write: Whether that configuration is written.
        yes: Whether it is written without a confirmation.

    Raises:
        UsageError: Both --install and --uninstall are given.
    """
    if install and uninstall:
        raise click.UsageError("--install and --uninstall exclude each other")
    if install or uninstall:
        return _configure(client, os.path.realpath(root), lenient, uninstall, write, yes)
    try:
        return _answer(client, root, lenient)
    except Exception as error:  # noqa: BLE001  (another exit code would allow the call)
        complain(f"the gate cannot judge this call, so it is refused: {visible_line(str(error))}")
        return _DENIED


def _answer(client: str, root: str, lenient: bool) -> int:
    """Judge the call on standard input, answer as the client expects it; return the exit code."""
    from ....code_intelligence.clients.guard import Guard

    # One byte more than the limit shows that there is more.
    data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise SymOpsError(f"the call has more than {_MOST_BYTES:,} bytes")
    event = json.loads(data)
    if not isinstance(event, dict):
        raise SymOpsError("the call is not an object")
    verdict = Guard(root, lenient=lenient).answer(event)
    # OpenCode reads the exit code, and the others JSON.
    if client == "opencode":
        if verdict.reason:
            complain(visible_line(verdict.reason))
        return 0 if verdict.allowed else _DENIED
    answer = _to_json(verdict)
    if answer:
        echo([json.dumps(answer)])
    return 0


def _to_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as Claude Code and Codex read it.

    An empty object leaves the call to their own rules.
    """
    if verdict.allowed:
        return {"systemMessage": verdict.reason} if verdict.reason else {}
    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": verdict.reason,
    }
    return {"hookSpecificOutput": output}


# ---- configuration


def _configure(
    client: str, root: str, lenient: bool, uninstall: bool, write: bool, yes: bool
) -> int:
    """Show the new text of a client's file, or write it through the journal, for `symops undo`."""
    from ....acting.changes import Change, Decision, Operation, Plan
    from ....acting.execution import apply
    from ....acting.files.texts import EditError, read_text
    from ....acting.files.view import FolderView
    from ....code_intelligence.clients import configuration
    from ....core.document import Action
    from ..acting.asking import make_asker
    from ..acting.fixing import undo_line

    path = FILES[client]
    before = FolderView(root).look(path).data
    try:
        text = read_text(before or b"")
    except EditError as error:
        raise SymOpsError(f"{path}: {error}") from None
    if uninstall:
        after = configuration.uninstall(client, text)
    else:
        command = configuration.hook_command(client, root, lenient=lenient)
        after = configuration.install(client, text, command)
    # No question, and no entry in the journal that `symops undo` would take back.
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
    # A file that has nothing but the hook is deleted with it.
    elif not after:
        operation, verb = Operation.DELETE, "delete"
    change = Change(
        1,
        Action(verb, path, after or None),
        operation,
        path,
        before,
        after.encode() or None,
        decision=Decision.ASK,
        reasons=("it decides what a coding agent may do",),
    )
    outcome = apply(Plan((change,)), root, confirm=make_asker(yes, False, flags="--yes"))
    if not outcome.done:
        complain("nothing was written")
        return 1
    lines = [f"{path} written; `{undo_line(root)}` restores it"]
    if not uninstall:
        if client == "codex":
            lines.append("Codex runs a new hook only after you trust it: enter /hooks in Codex")
        lines.append("`symops gate doctor` checks that it answers")
    echo(lines)
    return 0


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
    # As --install writes the command: without links.
    folder = os.path.realpath(root)
    rows = [{"client": client, **_examine(client, folder)} for client in CLIENTS]
    lines = [f"{row['client']}: {row['message']}" for row in rows]
    print_result({"hooks": rows}, map(visible_line, lines), as_json)
    installed = [row for row in rows if row["installed"]]
    return 0 if installed and all(row["answers"] for row in installed) else 1


def _examine(client: str, root: str) -> dict[str, Any]:
    """Return whether a client's hook is installed, and whether it refuses."""
    from ....code_intelligence.clients.configuration import hook_command, install, installed_command

    file = Path(root, FILES[client])
    text = file.read_text("utf-8", errors="replace") if file.is_file() else ""
    row = {"installed": False, "answers": False, "message": "not installed"}
    try:
        installed = installed_command(client, text)
    except SymOpsError as error:
        return {**row, "message": str(error)}
    if not installed:
        return row
    row["installed"] = True
    # The file may have been changed by others: only the commands that this program writes are run.
    expected = {}
    for lenient in (False, True):
        words = hook_command(client, root, lenient=lenient)
        expected[installed_command(client, install(client, "", words))] = words
    if installed not in expected:
        message = f"{FILES[client]} has another command than --install writes: it was not run"
        return {**row, "message": message}
    # The time includes the start of the interpreter, which is what the agent waits for.
    start = time.monotonic()
    try:
        result = subprocess.run(
            expected[installed],
            cwd=root,
            input=_forbidden_call(root),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return {**row, "message": f"does not answer: {error}"}
    # A refusal is an exit code or an object, as each client expects it.
    if result.returncode != _DENIED and '"permissionDecision": "deny"' not in result.stdout:
        last_line = (result.stderr or result.stdout).strip().splitlines()[-1:]
        message = " ".join([f"does not refuse: exit code {result.returncode}", *last_line])
        return {**row, "message": message}
    seconds = time.monotonic() - start
    return {**row, "answers": True, "message": f"refuses what it must, in {seconds:.2f} s"}


def _forbidden_call(root: str) -> str:
    """Return a call, as clients send it, that writes a file outside a folder."""
    call = {
        "hook_event_name": "PreToolUse",
        "session_id": "doctor",
        "cwd": root,
        "tool_name": "write",
        "tool_input": {"file_path": os.path.join(os.path.dirname(root), "outside"), "content": "x"},
    }
    return json.dumps(call)
