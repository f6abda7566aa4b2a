"""Whether a session may write a file: only what it was shown, as it was then, at the end of its exploration."""

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
MARKUP = (".html", ".htm", ".css", ".scss", ".sass", ".less", ".md", ".markdown", ".rst")
LARGE = 20_000  # characters; of larger files an answer shows a part
RECOVERY = ("add_explored_files", "revert_to_exploration")


def check_target(tree: Tree, state: State, path: str, reason: str = "", lines: Lines | None = None) -> dict[str, Any]:
    """Return whether a path may be written (`allowed`), and if not, why and how to go on.

    Args:
        tree: The folder.
        state: The session.
        path: The file, relative to the folder.
        reason: Why a new file is made in a folder where nothing was looked at.
        lines: The first and the last line of each place that changes. None: the whole file changes.
    """
    checked = check_path(path)
    obstacle = _find_obstacle(tree, state, checked.path, checked.refusal, reason)
    if not obstacle[0]:
        obstacle = _check_lines(tree, state, checked.path, lines)
    return _answer(state, checked.path, *obstacle)


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


_BY_LOOKING = (
    "not_explored",
    "changed_since_read",
    "folder_not_observed",
    "unreadable",
    "partly_seen",
    "acts_by_existing",
)
# What other programs run, trust or obey unasked; pytest runs a conftest.py.
_ACTING = (*SENSITIVE, "conftest.py")
# Cyrillic and Greek letters, dotless i, digits: the letters that they look like.
_LOOKS = str.maketrans("асеһіјѕорԛԝхуαινορτυχκωγıɩɡ01", "acehijsopqwxyaivoptuxkwyiigol")
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
    if state.markup_only and (obstacle := _check_markup(state, path, seen.kind == "missing"))[0]:
        return obstacle
    if seen.kind == "missing":
        return _check_new(state, path, reason)
    return _check_existing(state, path, seen.data)


def _check_phase(state: State) -> tuple[str, str]:
    if not state.intent.writes:
        return "intent_never_writes", f"a session to {state.intent} may read, and never writes: start one to MODIFY"
    if state.phase is not Phase.READY:
        return "phase_blocked", f"the session is in {state.phase}, and writes in {Phase.READY}"
    return "", ""


def _check_markup(state: State, path: str, is_new: bool) -> tuple[str, str]:
    """Return what is in the way where only markup was looked at: it opens files, and makes others like them."""
    if not is_markup(path):
        return "markup_only", f"only markup and style files were looked at: {path} is code, and needs its exploration"
    endings = {each.rpartition(".")[2] for each in state.opened}
    if path.rpartition(".")[2] in endings if is_new else path in state.opened:
        return "", ""
    need = "a file of its kind" if is_new else "it"
    return "markup_only", f"only markup and style files were looked at: open {need} before {path} is written"


def _check_new(state: State, path: str, reason: str) -> tuple[str, str]:
    look = _fold_looks(path)
    twin = next((each for each in state.explored if each != path and _fold_looks(each) == look), "")
    if twin:
        return (
            "confusable",
            f"{path!a} looks like {twin!a}, which was looked at: write that file, or choose another name",
        )
    folder = path.rpartition("/")[0]
    observed = any(each.rpartition("/")[0] == folder for each in state.explored)
    if not observed and matches(path, _ACTING):
        message = f"{path} acts by being there, and no file of its folder was looked at: a reason is not enough"
        return "acts_by_existing", message
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


def _check_lines(tree: Tree, state: State, path: str, lines: Lines | None) -> tuple[str, str]:
    """Return what is in the way where a large file was shown in parts: the changed lines must be among them."""
    data = tree.look(path).data
    if data is None or len(text := data.decode("utf-8", "replace")) <= LARGE:
        return "", ""
    ranges = sorted(state.ranges.get(path, ()))
    last = text.count("\n") + (not text.endswith("\n"))
    for first, final in [(1, last)] if lines is None else lines:
        unseen = _find_unseen(ranges, first, min(final, last))
        if unseen:
            return "partly_seen", f"line {unseen} of {path} was not shown: open {path}:{unseen}-{min(final, last)}"
    return "", ""


def _find_unseen(ranges: Sequence[Sequence[int]], first: int, last: int) -> int:
    """Return the first of some lines that no range has; 0 if they have all."""
    for start, end in ranges:
        if start <= first <= end:
            first = end + 1
    return first if first <= last else 0


def _fold_looks(path: str) -> str:
    """Return a path with letters and digits that look alike made one."""
    decomposed = normalize("NFKD", path.casefold())
    return "".join(sign for sign in decomposed if not combining(sign)).translate(_LOOKS)


def _recovery(code: str) -> list[str]:
    if code in _BY_LOOKING:
        return list(RECOVERY)
    return [] if code in _NEVER else [*RECOVERY] if code == "markup_only" else ["get_session_status", *RECOVERY]
