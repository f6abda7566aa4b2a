"""Open files for a session: whole, or by lines (`a.py:100-400`), within bounds.

Invariant: only lines that an answer shows count as seen, and only names that these lines define.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....acting.files.paths import check_path
from ....acting.files.protected import REASON
from ....core.ground.numbers import counted
from ..slot_steps import Answer, refuse
from ..surroundings import Surroundings
from ..write_gate import LARGE, hash_of
from .seen import Ranges

_MAX_FILES = 50  # in one answer
_MAX_TEXT = 200_000  # characters of one answer
_PART = re.compile(r"(.+):([0-9]{1,9})-([0-9]{1,9})\Z")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HIDDEN = "it may hold secrets, so its text is not shown unless it is allowed (--allow GLOB)"
_FULL = "this answer is full: open it by another call"


Item = dict[str, Any]


@dataclass
class Opening:
    """The files that one call opens.

    Attributes:
        items: The texts, as the answer shows them.
        refused: The files that were not opened, with the reason.
        hashes: The hash of each opened file, by path.
        ranges: The first and the last line of each part that was shown, by path.
    """

    items: list[Item] = field(default_factory=list)
    refused: list[Item] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    ranges: Ranges = field(default_factory=dict)
    _size: int = 0

    @classmethod
    def read(cls, paths: Sequence[str], workspace: Surroundings) -> Opening:
        """Return the files that were opened; `paths` may end with lines, such as `a.py:100-400`."""
        opening = cls()
        for path in paths:
            opening._open(path, workspace)
        return opening

    def answer(self) -> Answer:
        """Return the texts, and the reasons of what was not opened."""
        has_refused = bool(self.refused)
        is_cut = any(item["truncated"] for item in self.items)
        answer = {
            "ok": not has_refused,
            "items": self.items,
            "shown": len(self.items),
            "total": len(self.items) + len(self.refused),
            "truncated": is_cut or has_refused,
            "incomplete": has_refused,
        }
        if has_refused:
            first = self.refused[0]
            answer |= refuse(
                first["reason_code"],
                first["message"],
                missing={"files": self.refused},
                following=["search_files"],
            )
        return answer

    def names(self, workspace: Surroundings) -> dict[str, tuple[str, ...]]:
        """Return the names that the shown lines of each file define, each once."""
        names = {}
        for path, definitions in workspace.names_in(list(self.hashes)).items():
            # A name may be defined several times, as overloads are.
            unique: dict[str, None] = {}
            for line, name in definitions:
                if is_within(line, self.ranges[path]):
                    unique[name] = None
            names[path] = tuple(unique)
        return names

    def _open(self, target: str, workspace: Surroundings) -> None:
        reference, first, last = _split_lines(target)
        checked = check_path(reference)
        path, refusal = checked.path, checked.refusal
        if not refusal and workspace.hides(path):
            self._refuse(target, _HIDDEN, REASON)
            return
        is_full = len(self.items) >= _MAX_FILES or self._size >= _MAX_TEXT
        if refusal or is_full:
            self._refuse(target, refusal or _FULL)
            return
        entry = workspace.view.look(path)
        if entry.data is None:
            kind = "nothing" if entry.kind == "missing" else entry.kind
            self._refuse(target, f"there is {kind} to open")
            return
        text = entry.data.decode("utf-8", "replace")
        lines = _LINE.findall(text) or [""]
        if first > min(len(lines), last or first):
            total = counted(len(lines), "line")
            self._refuse(target, f"it has {total}")
            return
        self.hashes[path] = hash_of(entry.data)
        self._show(path, lines, first, last)

    def _show(self, path: str, lines: list[str], first: int, last: int | None) -> None:
        part = "".join(lines[first - 1 : last])
        text = part[:LARGE]
        is_cut = len(text) < len(part)
        # Whole lines. One that is longer than an answer counts: no other call can show all of it.
        if is_cut:
            text = text[: text.rfind("\n") + 1] or text
        end = first + text.removesuffix("\n").count("\n")
        item: Item = {"path": path, "text": text, "truncated": is_cut}
        if is_cut or (first, end) != (1, len(lines)):
            item |= {"lines": [first, end], "of_lines": len(lines)}
        self._size += len(text)
        self.items.append(item)
        ranges = self.ranges.setdefault(path, [])
        ranges.append([first, end])

    def _refuse(self, path: str, reason: str, code: str = "not_opened") -> None:
        refusal = {"path": path, "reason_code": code, "message": f"{path}: {reason}"}
        self.refused.append(refusal)


def is_within(line: int, ranges: Iterable[Sequence[int]]) -> bool:
    """Return whether a line is in one of some ranges, whose last lines belong to them."""
    return any(first <= line <= last for first, last in ranges)


def _split_lines(target: str) -> tuple[str, int, int | None]:
    """Return a path with the first and the last line; no path has a colon."""
    part = _PART.match(target)
    if part is None:
        return target, 1, None
    path, first, last = part.groups()
    return path, max(int(first), 1), int(last)
