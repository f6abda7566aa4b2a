"""Whether a session may write a file: only what it was shown, as it was then, at the end of its exploration."""

from __future__ import annotations

import hashlib
from typing import Any

from ...acting.files.entries import Tree
from ...acting.files.paths import check_path
from .phases import Phase
from .record import State

MARKUP = (".html", ".htm", ".css", ".scss", ".sass", ".less", ".md", ".markdown", ".rst", ".txt", ".svg")
LARGE = 20_000  # characters; of larger files an answer shows a part
RECOVERY = ("add_explored_files", "revert_to_exploration")


def check_target(tree: Tree, state: State, path: str, reason: str = "") -> dict[str, Any]:
    """Return whether a path may be written (`allowed`), and if not, why and how to go on."""
    checked = check_path(path)
    return _answer(state, checked.path, *_find_obstacle(tree, state, checked.path, checked.refusal, reason))


def check_dependency(tree: Tree, state: State, path: str) -> dict[str, Any]:
    """Return whether a file that a change depends on was looked at; what does not exist is for the plan to say."""
    checked = check_path(path)
    if checked.refusal:
        return _answer(state, checked.path, "unsafe_path", f"{path[:200]!r} is not used as a path: {checked.refusal}")
    seen = tree.look(checked.path)
    if seen.kind != "file":
        return _answer(state, checked.path, "", "")
    return _answer(state, checked.path, *_check_existing(state, checked.path, seen.data))


def check_command(state: State, command: str) -> dict[str, Any]:
    """Return whether a command may be run: it can write any file, so the session must be where it writes."""
    return _answer(state, command[:200], *_check_phase(state))


def _answer(state: State, path: str, code: str, message: str) -> dict[str, Any]:
    would = code if state.level == "off" and code not in _NEVER else ""
    allowed = not code or bool(would)
    way = _recovery(code) if code else []
    return {
        "allowed": allowed,
        "ok": allowed,
        "path": path,
        "reason_code": "gate_off" if would else code or "allowed",
        "would_refuse": would or None,
        "message": f"gate is off: would refuse {path} [{code}]: {message}" if would else message or _NOTHING,
        "missing": {code: path} if code else {},
        "explored": path in state.explored,
        "recovery": way,
        "next": way if way or not code else ["check_write_target"],
    }


_NOTHING = "nothing is in the way"
_NEVER = ("unsafe_path", "link", "not_a_file")  # whatever the level


def hash_of(data: bytes) -> str:
    """Return what a content is recognised by."""
    return hashlib.sha256(data).hexdigest()


def is_markup(path: str) -> bool:
    """Return whether a file has no symbols to speak of."""
    return path.lower().endswith(MARKUP)


def _find_obstacle(tree: Tree, state: State, path: str, refusal: str, reason: str) -> tuple[str, str]:
    """Return the code and the words for what is in the way; empty ones if nothing is."""
    if refusal:
        return "unsafe_path", f"{path[:200]!r} is not used as a path: {refusal}"
    seen = tree.look(path)
    if seen.kind == "link":
        return "link", f"{path} is a link, or leads through one: name the file itself"
    if seen.kind not in ("file", "missing"):
        return "not_a_file", f"{path} is no file"
    if (obstacle := _check_phase(state))[0]:
        return obstacle
    if state.markup_only and not is_markup(path):
        return "markup_only", f"only markup and style files were looked at: {path} is code, and needs its exploration"
    if seen.kind == "missing":
        return _check_new(state, path, reason)
    return _check_existing(state, path, seen.data)


def _check_phase(state: State) -> tuple[str, str]:
    if not state.intent.writes:
        return "intent_never_writes", f"a session to {state.intent} may read, and never writes: start one to MODIFY"
    if state.phase is not Phase.READY:
        return "phase_blocked", f"the session is in {state.phase}, and writes in {Phase.READY}"
    return "", ""


def _check_new(state: State, path: str, reason: str) -> tuple[str, str]:
    folder = path.rpartition("/")[0]
    observed = any(each.rpartition("/")[0] == folder for each in state.explored)
    if observed or (len(reason.split()) and len(reason.strip()) >= 8 and state.level != "strict"):
        return "", ""
    return "folder_not_observed", (
        f"nothing in {folder or 'the root'} was looked at in this session: look at a file there, or say the reason for "
        f"{path}" + (" (at the level strict a reason does not do)" if state.level == "strict" else "")
    )


def _check_existing(state: State, path: str, data: bytes | None) -> tuple[str, str]:
    if path not in state.explored:
        name = path.rpartition("/")[2]
        twins = [each for each in state.explored if each.rpartition("/")[2] == name]
        same = f"; {twins[0]} was, which is another file" if twins else ""
        return "not_explored", f"{path} was not looked at in this session{same}"
    if data is None:
        return "unreadable", f"{path} cannot be read, or is too large to be compared with what was seen"
    if hash_of(data) != state.explored[path]:
        return "changed_since_read", f"{path} was changed since you read it: read it again"
    return "", ""


def _recovery(code: str) -> list[str]:
    if code in ("not_explored", "changed_since_read", "folder_not_observed", "unreadable"):
        return list(RECOVERY)
    return [] if code in _NEVER else [RECOVERY[1]] if code == "markup_only" else ["get_session_status", *RECOVERY]
