"""The shape of every answer: so many items of so many, what was left out, and which files were seen. Bounded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ...acting.files.protected import REASON
from ...core.ground.numbers import counted
from ...core.patterns.regexes import is_encodable
from ..index import Index
from ..index.index import IndexedFile

SHOWN = 50  # items, if nothing else is said
MOST_SHOWN = 1_000
MOST_BYTES = 60_000  # of the items as JSON
SECONDS = 10.0
_BROKEN_TOLD = 5  # files with broken lines that an answer names


def give_items(
    index: Index,
    items: Sequence[dict[str, Any]],
    *,
    total: int | None = None,
    limit: object = None,
    incomplete: bool = False,
    notes: Iterable[str] = (),
    failures: Sequence[str] = (),
    text: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """Return an answer with as many items as fit; `total` is at least so many where the answer is incomplete.

    `failures` say what could not be looked into: where nothing was found, that is the answer. Where more than
    `text` is asked, what a language without its wheel has is missing.
    """
    unread = [_explain_gap("unread", index.unread)] if index.unread else []
    if not items and (failures or unread):
        return fail(
            "not_all_searched", f"nothing was found, but not all was looked into: {'; '.join((*failures, *unread))}"
        )
    most = read_limit(limit)
    shown: list[dict[str, Any]] = []
    size = 0
    for item in items[:most]:
        size += len(json.dumps(item, ensure_ascii=False).encode("utf-8", "replace"))
        if size > MOST_BYTES and shown:
            break
        shown.append(item)
    whole = len(items) if total is None else total
    gaps, missing = index.gaps(), [] if text else _find_missing(index)
    said = [*missing, *notes, *failures, *(_explain_gap(reason, count) for reason, count in sorted(gaps.items()))]
    return {
        "items": shown,
        "shown": len(shown),
        "total": whole,
        "truncated": len(shown) < whole,
        "incomplete": incomplete or bool(gaps or failures or missing),
        "files": list(dict.fromkeys(str(item["path"]) for item in shown if item.get("line") or item.get("is_file"))),
        **({"notes": said} if said else {}),
        **more,
    }


def tell_broken(files: Iterable[IndexedFile]) -> list[str]:
    """Return what to say of files that the parser does not get through."""
    broken = [file for file in files if file.broken]
    told = []
    for file in broken[:_BROKEN_TOLD]:
        lines = counted(file.broken, "line is", "lines are")
        told.append(f"{file.path}: {lines} read as text alone")
    rest = len(broken) - _BROKEN_TOLD
    return [*told, f"{counted(rest, 'more file has', 'more files have')} such lines"] if rest > 0 else told


def fail(reason_code: str, message: str) -> dict[str, Any]:
    """Return the answer of a tool that could not look."""
    empty = {"items": [], "shown": 0, "total": 0, "truncated": False, "incomplete": True, "files": []}
    return {**empty, "error": message, "reason_code": reason_code}


def is_asked(value: object) -> bool:
    """Return whether a value is a text that can be looked for: not empty, and without halves of characters."""
    return isinstance(value, str) and bool(value.strip()) and is_encodable(value)


def read_limit(value: object) -> int:
    """Return how many items are wanted, within bounds."""
    if not isinstance(value, int) or isinstance(value, bool):
        return SHOWN
    return max(1, min(value, MOST_SHOWN))


def choose_files(index: Index, path: object) -> list[IndexedFile] | dict[str, Any]:
    """Return the files at or below a path that are read, in order, or the failure if there are none."""
    files = index.files
    if path is None or path in ("", ".", "./"):
        return [file for file in files.values() if _is_read(index, file)]
    if not isinstance(path, str):
        return fail("bad_arguments", "path: a text is expected")
    name = path.removeprefix("./").rstrip("/")
    if name.startswith("/") or "\0" in name or ".." in name.split("/"):
        return fail("outside_root", f"{path}: paths are relative to the root and stay below it")
    if name in files:
        file = files[name]
        if not _is_read(index, file):
            code = REASON if file.left_out == REASON else "file_left_out"
            return fail(code, f"{path}: {explain_left_out(file.left_out)}")
        return [file]
    below = [file for place, file in files.items() if place.startswith(name + "/")]
    found = [file for file in below if _is_read(index, file)]
    if not found and index.unread:
        return fail("not_all_searched", f"{path}: {_explain_gap('unread', index.unread)}")
    if not found and any(file.left_out == REASON for file in below):
        return fail(REASON, f"{path}: {_REASONS[REASON]}")
    if not found:
        return fail("no_such_path", f"{path}: no file is indexed there (links and what .gitignore names are left out)")
    return found


def _is_read(index: Index, file: IndexedFile) -> bool:
    """Return whether the text of a file is there to be looked into; nothing of an allowed one is in the index."""
    return not file.left_out or (file.left_out == REASON and index.shows(file.path))


def _find_missing(index: Index) -> list[str]:
    """Return what to say about languages whose wheels are not installed."""
    from ..index.languages import EXTRA, installed_languages

    names = index.languages.difference(installed_languages())
    return [f"{name}: definitions are guessed by text; install {EXTRA}" for name in sorted(names)]


_REASONS = {
    "large": "too large to be read as code",
    "binary": "it is no text",
    REASON: "it may hold secrets, so its text is not shown unless it is allowed by name (--allow GLOB)",
    "unreadable": "it cannot be read",
    "name": "its name is no text",
    "deep": "too many folders are in one another",
    "unread": "not read yet, there was no time: ask again",
}


def explain_left_out(reason: str) -> str:
    """Return why a file is left out, in words."""
    return _REASONS.get(reason, reason)


def _explain_gap(reason: str, count: int) -> str:
    return f"{count} left out: {explain_left_out(reason)}"
