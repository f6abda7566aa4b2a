"""Build the answers of all tools: bounded items, totals, and notes on what was left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ...acting.files.protected import REASON
from ...core.ground.numbers import counted
from ...core.patterns.regexes import is_encodable
from ..index import Index
from ..index.index import IndexedFile

SHOWN = 50  # items, by default
MOST_SHOWN = 1_000
MOST_BYTES = 60_000  # of the items as JSON
SECONDS = 10.0
_MAX_BROKEN = 5  # files with broken lines that an answer names
# A file has one reason at most, `unread` is for files that the index does not have yet.
_REASONS = {
    "large": "too large to be read as code",
    "binary": "it is not text",
    REASON: (
        "it may hold secrets, so its text is not shown unless it is allowed by name (--allow GLOB)"
    ),
    "unreadable": "it cannot be read",
    "name": "its name is not text",
    "deep": "too many folders are in one another",
    "unread": "not read yet, there was no time: ask again",
}
Item = dict[str, Any]
Answer = dict[str, Any]


def give_items(
    index: Index,
    items: Sequence[Item],
    *,
    total: int | None = None,
    limit: object = None,
    incomplete: bool = False,
    notes: Iterable[str] = (),
    failures: Sequence[str] = (),
    text: bool = False,
    **members: Any,
) -> Answer:
    """Return an answer with the first items that fit.

    Args:
        index: The index.
        items: The items, the first ones to be shown first.
        total: The number of all items; the least number if the answer is incomplete. None: the
            number of `items`.
        limit: The most items to show. None: 50.
        incomplete: Whether there may be other items.
        notes: Notes on the answer.
        failures: What could not be searched. If nothing was found, this is the answer.
        text: Whether only texts were searched. Otherwise, definitions of languages whose grammar is
            not installed are missing.
        members: Other members of the answer.
    """
    reasons = list(failures)
    if index.unread:
        reasons.append(_explain_gap("unread", index.unread))
    if reasons and not items:
        explanation = "; ".join(reasons)
        message = f"nothing was found, but not everything was searched: {explanation}"
        return fail("not_all_searched", message)
    first = _fit(items[: read_limit(limit)])
    if total is None:
        total = len(items)
    # Of a text search, no language is missing.
    missing = [] if text else _missing_languages(index)
    gaps = index.gaps()
    all_notes = [*missing, *notes, *failures]
    all_notes += [_explain_gap(reason, gaps[reason]) for reason in sorted(gaps)]
    # An item for a folder, or without a place, shows nothing of a file.
    files = [item["path"] for item in first if item.get("line") or item.get("is_file")]
    answer = {
        "items": first,
        "shown": len(first),
        "total": total,
        "truncated": len(first) < total,
        "incomplete": incomplete or bool(gaps or failures or missing),
        "files": list(dict.fromkeys(files)),
    }
    if all_notes:
        answer["notes"] = all_notes
    return answer | members


def _fit(items: Sequence[Item]) -> list[Item]:
    """Return the first items that fit into an answer; one at least."""
    first: list[Item] = []
    size = 0
    for item in items:
        data = json.dumps(item, ensure_ascii=False).encode("utf-8", "replace")
        size += len(data)
        if size > MOST_BYTES and first:
            break
        first.append(item)
    return first


def tell_broken(files: Iterable[IndexedFile]) -> list[str]:
    """Return notes on files with lines that the parser cannot read."""
    broken = [file for file in files if file.broken]
    notes = []
    for file in broken[:_MAX_BROKEN]:
        lines = counted(file.broken, "line is", "lines are")
        notes.append(f"{file.path}: {lines} read as text alone")
    hidden_count = len(broken) - len(notes)
    if hidden_count:
        files_have = counted(hidden_count, "more file has", "more files have")
        notes.append(f"{files_have} such lines")
    return notes


def fail(reason_code: str, message: str) -> Answer:
    """Return the answer of a tool that could not search."""
    return {
        "items": [],
        "shown": 0,
        "total": 0,
        "truncated": False,
        "incomplete": True,
        "files": [],
        "error": message,
        "reason_code": reason_code,
    }


def is_asked(value: object) -> bool:
    """Return whether a value is a text that can be searched for."""
    # Half of a surrogate pair is in no file.
    return isinstance(value, str) and bool(value.strip()) and is_encodable(value)


def read_limit(value: object) -> int:
    """Return the number of items to show, within bounds."""
    if not isinstance(value, int) or isinstance(value, bool):
        return SHOWN
    return max(1, min(value, MOST_SHOWN))


def choose_files(index: Index, path: object) -> list[IndexedFile] | Answer:
    """Return the files at or below a path whose text can be searched, in order.

    Args:
        index: The index.
        path: The path. None and an empty one stand for the whole folder.

    Returns:
        The files, or the failure if there are none.
    """
    if path is not None and not isinstance(path, str):
        return fail("bad_arguments", "path: a text is expected")
    name = clean_path(path)
    if not name and path != "/":
        return [file for file in index.files.values() if _is_readable(index, file)]
    # The index has no such path; the message shows why.
    if name.startswith("/") or "\0" in name or ".." in name.split("/"):
        message = f"{path}: paths are relative to the root and stay below it"
        return fail("outside_root", message)
    if name in index.files:
        file = index.files[name]
        if _is_readable(index, file):
            return [file]
        code = REASON if file.left_out == REASON else "file_left_out"
        reason = explain_left_out(file.left_out)
        return fail(code, f"{path}: {reason}")
    prefix = f"{name}/"
    files = [index.files[place] for place in index.files if place.startswith(prefix)]
    readable = [file for file in files if _is_readable(index, file)]
    if readable:
        return readable
    if index.unread:
        reason = _explain_gap("unread", index.unread)
        return fail("not_all_searched", f"{path}: {reason}")
    # A folder with protected files alone: the reason helps more than "no file".
    if any(file.left_out == REASON for file in files):
        return fail(REASON, f"{path}: {_REASONS[REASON]}")
    message = "no file is indexed there (links and what .gitignore names are left out)"
    return fail("no_such_path", f"{path}: {message}")


def clean_path(path: str | None) -> str:
    """Return a path as the index has it; empty for the whole folder."""
    name = (path or ".").removeprefix("./").rstrip("/")
    return "" if name == "." else name


def explain_left_out(reason: str) -> str:
    """Return why a file is left out, in words."""
    return _REASONS.get(reason, reason)


def _is_readable(index: Index, file: IndexedFile) -> bool:
    """Return whether the text of a file can be searched."""
    # An allowed file is left out of the index, too: it is read for each question.
    is_allowed = file.left_out == REASON and index.shows(file.path)
    return is_allowed or not file.left_out


def _missing_languages(index: Index) -> list[str]:
    """Return notes on languages whose grammar is not installed."""
    # Imported here: languages load parsers, which a search for text does not need.
    from ..index.languages import EXTRA, installed_languages

    missing = index.languages.difference(installed_languages())
    hint = f"definitions are guessed by text; install {EXTRA}"
    return [f"{name}: {hint}" for name in sorted(missing)]


def _explain_gap(reason: str, count: int) -> str:
    return f"{count} left out: {explain_left_out(reason)}"
