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
    def read(cls, result: Mapping[str, Any], surroundings: Surroundings) -> Seen:
        """Return what a tool's answer showed; a file that is hidden or not there is left out."""
        seen = cls()
        large: set[str] = set()
        for path in result.get("files", ()):
            data = None
            if not check_path(path).refusal and not surroundings.hides(path):
                data = surroundings.view.look(path).data
            if data is not None:
                seen.hashes[path] = hash_of(data)
                large.update((path,) if len(data) > LARGE else ())
        for item in result.get("items", ()):
            path, line = item.get("path"), item.get("line")
            if path in large and line:
                last = item["end_line"] if item.get("source") else line
                seen.ranges.setdefault(path, []).append([line, last])
        return seen


def find_fresh(root: str, paths: Iterable[str], begun: float) -> list[str]:
    """Return the files that came to be, or changed, after a time (seconds since 1970)."""
    return [path for path in paths if _change_time(os.path.join(root, path)) >= begun]


def name_fresh(result: dict[str, Any], root: str, begun: float) -> dict[str, Any]:
    """Return a tool's answer with the paths of files that are no evidence (`fresh`), and notes."""
    items = [item for item in result.get("items", ()) if "path" in item]
    paths = {str(item["path"]) for item in items if item.get("kind") != "folder"}
    fresh = find_fresh(root, sorted(paths), begun)
    if not fresh:
        return result
    notes = [f"{path} changed after this session began: it is no evidence" for path in fresh[:10]]
    return {**result, "fresh": fresh, "notes": [*result.get("notes", ()), *notes]}


def _change_time(path: str) -> float:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        # It went after it was found.
        return float("inf")
    if os.name == "nt":
        return status.st_mtime
    return max(status.st_mtime, status.st_ctime)
