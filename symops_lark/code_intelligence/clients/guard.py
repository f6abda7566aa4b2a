"""Decide on a call of a client's tool before it runs: allowed, or denied with the way on.

Invariants
    1. A call that is not understood, or that no session covers, is denied (`lenient`: allowed with
       a note). A path outside the folder is denied always.
    2. Reading is never denied: a client must be able to explore.
    3. The client's session is joined with the session that it started. The joins are sealed, so
       that a program that cannot read the key cannot lend a client another session.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ..gate.decision_log import append_all, open_plain, wait_for
from ..gate.sealed_lines import BadLogError, Seals
from ..gate.session import Session
from ..gate.workspaces import SESSION_ID, SessionError, Workspace
from .tool_calls import ShapeError, Target, read_call

_LONGEST_START = 1_000_000  # bytes of the first line of a log
_JOINS = "clients.jsonl"
_STARTING = ("start_session", "symops_start")
_NO_SESSION = (
    "no session of the gate covers this folder: call start_session of the server `symops` with the "
    "user's request, explore, and submit what you understood; or `symops gate start REQUEST`"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a client is answered.

    Attributes:
        allowed: Whether the call may run.
        reason: Why not, and the way on; or what an allowed call is to know.
    """

    allowed: bool
    reason: str = ""


class Guard:
    """Answers the hook of one folder.

    Args:
        root: The folder.
        lenient: Allow, with a note, what cannot be judged: no session, or an unknown shape.
        state: The folder for sessions. None: that of the user.
    """

    def __init__(self, root: str, *, lenient: bool = False, state: Path | None = None) -> None:
        self._workspace = Workspace(root, state=state)
        self._lenient = lenient

    def answer(self, event: Mapping[str, Any]) -> Verdict:
        """Return what a client is answered to an event of its hook.

        Args:
            event: `session_id`, `cwd`, `hook_event_name`, `tool_name`, `tool_input`, and after the
                call `tool_response`, as Claude Code and Codex send them.
        """
        # The client's own id, which has nothing to do with those of our sessions.
        client = str(event.get("session_id", ""))
        tool = event.get("tool_name")
        if not isinstance(tool, str) or not tool:
            return self._doubt("the call names no tool")
        if event.get("hook_event_name") == "PostToolUse":
            self._join(client, tool, event.get("tool_response"))
            return Verdict(True)
        try:
            writing = read_call(tool, event.get("tool_input"))
            places = self._place(writing.targets, str(event.get("cwd") or self._workspace.root))
        except ValueError as error:  # a `ShapeError`, or a path that no system can have
            return self._doubt(f"{tool}: this call is not understood: {error}")
        outside = [target.path for target, path in places if not path]
        if outside:
            return Verdict(False, f"{outside[0]} is outside the folder of the gate")
        if not places and not writing.command:
            return Verdict(True)
        try:
            session = self._find_session(client)
            if session is None:
                return self._doubt(_NO_SESSION)
            return _judge(session, places, writing.command)
        except (SymOpsError, OSError) as error:
            return self._doubt(str(error))

    def _doubt(self, reason: str) -> Verdict:
        if self._lenient:
            return Verdict(True, f"not checked by the gate: {reason}")
        return Verdict(False, reason)

    # ---- places

    def _place(self, targets: tuple[Target, ...], folder: str) -> list[tuple[Target, str]]:
        """Return each target with its path below the root; an empty one if it is outside."""
        places = []
        for target in targets:
            if "\0" in target.path:
                raise ShapeError("a path with a zero byte")
            places.append((target, self._below(os.path.join(folder, target.path))))
        return places

    def _below(self, place: str) -> str:
        root = self._workspace.root
        plain = os.path.normpath(place)
        # `link/../a.py` is not `a.py` for the system: `..` leads above the target of the link.
        if os.path.realpath(place) != os.path.realpath(plain):
            return ""
        # The parent is resolved where the folder itself is reached by a link; links below the
        # root stay in the path, and are for the gate to refuse.
        resolved = os.path.join(os.path.realpath(os.path.dirname(plain)), os.path.basename(plain))
        for candidate in (plain, resolved):
            if candidate.startswith(root.rstrip(os.sep) + os.sep):
                return os.path.relpath(candidate, root).replace(os.sep, "/")
        return ""

    # ---- sessions

    def _join(self, client: str, tool: str, response: object) -> None:
        """Keep which session a client started."""
        # A server's tools have a prefix: `mcp__symops__start_session`, `symops_start_session`.
        if not client or not tool.endswith(_STARTING):
            return
        for session_id in SESSION_ID.findall(json.dumps(response)):
            try:
                session = self._workspace.session(session_id)
            except SessionError:
                continue
            line = Seals(str(self._path)).close({"client": client, "session": session.id})
            with open_plain(self._path, os.O_CREAT | os.O_RDWR | os.O_APPEND) as file:
                wait_for(file.fileno(), self._path)
                append_all(file, line)
            return

    @property
    def _path(self) -> Path:
        return self._workspace.folder / _JOINS

    def _find_session(self, client: str) -> Session | None:
        """Return the session that a client started, else the newest one of the folder."""
        for line in reversed(list(self._read_joins())):
            if client and line.get("client") == client:
                return self._workspace.session(str(line.get("session")))
        # Joins and outcomes are in the same folder.
        logs = [path for path in self._workspace.folder.glob("*.jsonl") if len(path.stem) == 32]
        if not logs:
            return None
        newest = max(logs, key=_begun)
        return self._workspace.session(newest.stem)

    def _read_joins(self) -> Iterator[Mapping[str, Any]]:
        try:
            with open_plain(self._path, os.O_RDONLY) as file:
                lines = file.read().splitlines()
        except OSError:
            return
        for line in lines:
            # Each line has a seal of a first line, not of a chain: one that was forged is left out.
            try:
                yield Seals(str(self._path)).open(line)
            except BadLogError:
                continue


def _begun(path: Path) -> float:
    """Return when a session began, by the first line of its log; opening it checks the seal."""
    try:
        with open_plain(path, os.O_RDONLY) as file:
            return float(json.loads(file.readline(_LONGEST_START))["start"]["begun"])
    except (OSError, SymOpsError, ValueError, TypeError, KeyError):
        return 0.0


def _judge(session: Session, places: list[tuple[Target, str]], command: str) -> Verdict:
    """Return what the gate says of files, and of a command that may write."""
    answers = []
    if command:
        answers.append(session.check_command(command))
    for target, path in places:
        answers.append(session.check_write_target(path, lines=_find_lines(session, target, path)))
    for answer in answers:
        if not answer["allowed"]:
            following = ", ".join(answer.get("recovery") or answer.get("next") or ())
            way = f"; next: {following} (session {session.id})" if following else ""
            return Verdict(False, f"[{answer['reason_code']}] {answer['message']}{way}")
    # The level `off` allows, and says what it would have refused.
    notes = [answer["message"] for answer in answers if answer.get("would_refuse")]
    return Verdict(True, "; ".join(notes))


def _find_lines(session: Session, target: Target, path: str) -> list[list[int]] | None:
    """Return the lines of the texts that an edit replaces; None if the whole file counts."""
    data = session.workspace.view.look(path).data
    if not target.old or data is None:
        return None
    text = data.decode("utf-8", "replace")
    ranges = []
    # All occurrences: whether the client replaces one or all of them is its own option.
    for old in target.old:
        start = text.find(old)
        if start < 0:
            return None
        while start >= 0:
            first = text.count("\n", 0, start) + 1
            ranges.append([first, first + old.rstrip("\n").count("\n")])
            start = text.find(old, start + len(old))
    return ranges
