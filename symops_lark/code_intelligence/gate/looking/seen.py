"""What a session saw of files: their hashes, the lines that were shown, and which came too late.

A file that changed after the session began is evidence of nothing: a model that wants to
write could have planted it. Programs cannot set `ctime`, and a rename changes it, so it decides
together with `mtime`. On Windows it is the time of creation, and `mtime` alone decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....acting.files.paths import check_path
from ..surroundings import Surroundings
from ..write_gate import LARGE, hash_of

_MAX_NOTES = 10
Ranges = dict[str, list[list[int]]]


@dataclass
class Seen:
    """What an answer showed of files.

    Attributes:
        hashes: The hash of each file, by path.
        ranges: The lines that were shown of each large file.
    """

    hashes: dict[str, str] = field(default_factory=dict)
    ranges: Ranges = field(default_factory=dict)

    @classmethod
    def read(cls, result: Mapping[str, Any], workspace: Surroundings) -> Seen:
        """Return what a tool's answer showed; a file that is hidden or not there is left out."""
        items = result.get("items", ())
        code_paths: set[str] = set()
        listed: set[str] = set()
        for item in items:
            paths = code_paths if _shows_code(item) else listed
            paths.add(item.get("path"))
        view = cls()
        large = set()
        for path in result.get("files", ()):
            is_only_listed = path in listed and path not in code_paths
            if is_only_listed or check_path(path).refusal or workspace.hides(path):
                continue
            data = workspace.view.look(path).data
            if data is None:
                continue
            view.hashes[path] = hash_of(data)
            if len(data) > LARGE:
                large.add(path)
        for item in items:
            path = item.get("path")
            line = item.get("line")
            if path in large and line:
                # Only `source` has more than the first line of a definition.
                last = item["end_line"] if item.get("source") else line
                ranges = view.ranges.setdefault(path, [])
                ranges.append([line, last])
        return view


def _shows_code(item: Mapping[str, Any]) -> bool:
    """Return whether an item shows code, and not only the name of a file."""
    # The best line of a file that `query` ranks only gives the reason why it was found.
    if item.get("kind") == "file":
        return False
    return any(item.get(name) for name in ("text", "source", "name", "symbol"))


def find_fresh(root: str, paths: Iterable[str], begun: float) -> list[str]:
    """Return the files that were made, or changed, at a time or after it.

    Args:
        root: The folder.
        paths: The files, relative to it.
        begun: The time, in seconds since 1970.
    """
    fresh = []
    for path in paths:
        full_path = os.path.join(root, path)
        if _change_time(full_path) >= begun:
            fresh.append(path)
    return fresh


def name_fresh(result: dict[str, Any], root: str, begun: float) -> dict[str, Any]:
    """Return a tool's answer with the files that do not count as evidence: `fresh`, and notes.

    Args:
        result: The answer.
        root: The folder.
        begun: When the session began, in seconds since 1970.
    """
    paths = set()
    for item in result.get("items", ()):
        # The time of a folder changes with each file in it.
        if "path" in item and item.get("kind") != "folder":
            paths.add(str(item["path"]))
    fresh = find_fresh(root, sorted(paths), begun)
    if not fresh:
        return result
    notes = list(result.get("notes", ()))
    notes += [
        f"{path} changed after this session began, so it is not evidence"
        for path in fresh[:_MAX_NOTES]
    ]
    return {**result, "fresh": fresh, "notes": notes}


def _change_time(path: str) -> float:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        # It went after it was found.
        return float("inf")
    if os.name == "nt":
        return status.st_mtime
    return max(status.st_mtime, status.st_ctime)
