"""Decide whether a session may write a file.

It may write at the end of its exploration, and only files that it was shown, as they were then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import combining, normalize

from ...acting.files.entries import Tree
from ...acting.files.paths import check_path
from ...acting.files.protected import matches
from ...acting.plan.sensitive import SENSITIVE
from .phases import Phase
from .record import State

Lines = Iterable[tuple[int, int]]
Answer = dict[str, Any]
Obstacle = tuple[str, str]  # the code and the message, empty without an obstacle
MARKUP = (".html", ".htm", ".css", ".scss", ".sass", ".less", ".md", ".markdown", ".rst")
LARGE = 20_000  # characters; of larger files an answer shows a part
RECOVERY = ("add_explored_files", "revert_to_exploration")
_LEAST_REASON = 8  # characters
_MAX_PATH = 200  # characters of a path in an answer
_FREE: Obstacle = ("", "")
# Obstacles that disappear when the right file is looked at.
_BY_LOOKING = (
    "not_explored",
    "changed_since_read",
    "folder_not_observed",
    "unreadable",
    "partly_seen",
    "acts_by_existing",
    "markup_only",
)
_NEVER = ("unsafe_path", "link", "not_a_file")  # at every level
# Files that other programs run, trust or obey unasked; pytest runs a conftest.py.
_ACTING = (*SENSITIVE, "conftest.py")
# Cyrillic and Greek letters, dotless i, digits: the letters that they look like.
_LOOKS = str.maketrans("асеһіјѕорԛԝхуαινορτυχκωγıɩɡ01", "acehijsopqwxyaivoptuxkwyiigol")
_ONLY_MARKUP = "only markup and style files were looked at"


def check_target(
    tree: Tree, state: State, path: str, reason: str = "", lines: Lines | None = None
) -> Answer:
    """Return whether a path may be written (`allowed`), and if not, why and how to continue.

    Args:
        tree: The folder.
        state: The session.
        path: The file, relative to the folder.
        reason: Why a new file is made in a folder where nothing was looked at.
        lines: The first and the last line of each place that changes. None: the whole file changes.
    """
    checked = check_path(path)
    if checked.refusal:
        return _answer(state, checked.path, _unsafe(path, checked.refusal))
    obstacle = _find_obstacle(tree, state, checked.path, reason)
    if obstacle == _FREE:
        obstacle = _check_lines(tree, state, checked.path, lines)
    return _answer(state, checked.path, obstacle)


def check_dependency(tree: Tree, state: State, path: str) -> Answer:
    """Return whether a file that a change depends on was looked at.

    Args:
        tree: The folder.
        state: The session.
        path: The file, relative to the folder. The plan reports one that does not exist.
    """
    checked = check_path(path)
    if checked.refusal:
        return _answer(state, checked.path, _unsafe(path, checked.refusal))
    entry = tree.look(checked.path)
    obstacle = _FREE
    if entry.kind == "file":
        obstacle = _check_existing(state, checked.path, entry.data)
    return _answer(state, checked.path, obstacle)


def check_command(state: State, command: str) -> Answer:
    """Return whether a command may be run. It can write any file, so the phase must be READY."""
    return _answer(state, command[:_MAX_PATH], _check_phase(state))


def _answer(state: State, path: str, obstacle: Obstacle) -> Answer:
    code, message = obstacle
    recovery = _recovery(code) if code else []
    answer = {
        "allowed": not code,
        "ok": not code,
        "path": path,
        "reason_code": code or "allowed",
        "would_refuse": None,
        "message": message or "nothing is in the way",
        "missing": {code: path} if code else {},
        "explored": path in state.explored,
        "recovery": recovery,
        "next": recovery,
    }
    if code and not recovery:
        answer["next"] = ["check_write_target"]
    if code and state.level == "off" and code not in _NEVER:
        answer |= {
            "allowed": True,
            "ok": True,
            "reason_code": "gate_off",
            "would_refuse": code,
            "message": f"gate is off: would refuse {path} [{code}]: {message}",
        }
    return answer


def _recovery(code: str) -> list[str]:
    """Return the tools that may remove an obstacle."""
    if code in _NEVER:
        return []
    # Another file may be looked at; a phase is seen in the status.
    return [*RECOVERY] if code in _BY_LOOKING else ["get_session_status", *RECOVERY]


def hash_of(data: bytes) -> str:
    """Return the hash by which a content is recognized."""
    return hashlib.sha256(data).hexdigest()


def is_markup(path: str) -> bool:
    """Return whether a file is markup or style, and defines no symbols."""
    return path.lower().endswith(MARKUP)


def _unsafe(path: str, refusal: str) -> Obstacle:
    return "unsafe_path", f"{path[:_MAX_PATH]!r} is not used as a path: {refusal}"


def _find_obstacle(tree: Tree, state: State, path: str, reason: str) -> Obstacle:
    entry = tree.look(path)
    if entry.kind == "link":
        return "link", f"{path} is a link, or leads through one: name the file itself"
    if entry.kind not in ("file", "missing"):
        return "not_a_file", f"{path} is not a file"
    is_new = entry.kind == "missing"
    obstacle = _check_phase(state)
    if obstacle == _FREE and state.markup_only:
        obstacle = _check_markup(state, path, is_new)
    if obstacle != _FREE:
        return obstacle
    if is_new:
        return _check_new(state, path, reason)
    return _check_existing(state, path, entry.data)


def _check_phase(state: State) -> Obstacle:
    intent = state.intent
    if not intent.writes:
        message = f"a session to {intent} may read, and never writes: start one to MODIFY"
        return "intent_never_writes", message
    if state.phase is not Phase.READY:
        message = f"the session is in {state.phase}, and writes in {Phase.READY}"
        return "phase_blocked", message
    return _FREE


def _check_markup(state: State, path: str, is_new: bool) -> Obstacle:
    """Return the obstacle if only markup was explored.

    Such a session may write files that it opened, and make others of their kinds.
    """
    if not is_markup(path):
        message = f"{_ONLY_MARKUP}: {path} is code, and needs its exploration"
        return "markup_only", message
    if not is_new and path not in state.opened:
        return "markup_only", f"{_ONLY_MARKUP}: open it before {path} is written"
    if is_new and _ending(path) not in set(map(_ending, state.opened)):
        return "markup_only", f"{_ONLY_MARKUP}: open a file of its kind before {path} is written"
    return _FREE


def _check_new(state: State, path: str, reason: str) -> Obstacle:
    # A file that only looks like another one would not be noticed in a review.
    look = _fold_looks(path)
    folder, _, _ = path.rpartition("/")
    is_observed = False
    for explored in state.explored:
        if explored != path and _fold_looks(explored) == look:
            message = f"{path!a} looks like {explored!a}, which was looked at"
            advice = "write that file, or choose another name"
            return "confusable", f"{message}: {advice}"
        if explored.rpartition("/")[0] == folder:
            is_observed = True
    if is_observed:
        return _FREE
    if matches(path, _ACTING):
        message = f"{path} acts by being there, and no file of its folder was looked at"
        return "acts_by_existing", f"{message}: a reason is not enough"
    if len(reason.strip()) >= _LEAST_REASON and state.level != "strict":
        return _FREE
    place = folder or "the root"
    message = (
        f"nothing in {place} was looked at in this session: look at a file there, or say the"
        f" reason for {path}"
    )
    if state.level == "strict":
        message += " (at the level strict a reason does not do)"
    return "folder_not_observed", message


def _check_existing(state: State, path: str, data: bytes | None) -> Obstacle:
    if path not in state.explored:
        message = f"{path} was not looked at in this session"
        name = path.rpartition("/")[2]
        for explored in state.explored:
            if explored.rpartition("/")[2] == name:
                message += f"; {explored} was, which is another file"
                break
        return "not_explored", message
    if data is None:
        message = f"{path} cannot be read, or is too large to be compared with what was seen"
        return "unreadable", message
    if hash_of(data) != state.explored[path]:
        return "changed_since_read", f"{path} was changed since you read it: read it again"
    return _FREE


def _check_lines(tree: Tree, state: State, path: str, lines: Lines | None) -> Obstacle:
    """Return the obstacle if lines of a large file that change were not shown."""
    data = tree.look(path).data or b""
    text = data.decode("utf-8", "replace")
    if len(text) <= LARGE:
        return _FREE
    ranges = sorted(state.ranges.get(path, ()))
    line_count = text.count("\n") + (not text.endswith("\n"))
    if lines is None:
        lines = [(1, line_count)]
    for first, last in lines:
        last = min(last, line_count)
        unseen = _find_unseen(ranges, first, last)
        if unseen:
            place = f"{path}:{unseen}-{last}"
            message = f"line {unseen} of {path} was not shown: open {place}"
            return "partly_seen", message
    return _FREE


def _find_unseen(ranges: Sequence[Sequence[int]], first: int, last: int) -> int:
    """Return the first of some lines that no range has; 0 if they have all."""
    # Sorted by their first lines: a gap before one is not closed by a later one.
    for start, end in ranges:
        if start <= first <= end:
            first = end + 1
    return first if first <= last else 0


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


def _fold_looks(path: str) -> str:
    """Return a path in which letters and digits that look alike are the same."""
    decomposed = normalize("NFKD", path.casefold())
    plain = "".join(sign for sign in decomposed if not combining(sign))
    return plain.translate(_LOOKS)
