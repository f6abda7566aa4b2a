"""Lines that patterns occur in: ripgrep, where it is, says which files to read; RE2 alone says what is a match.

So the answers are the same with ripgrep and without: it is handed the files of the index by name.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ...core.ground.program_search import find_program
from .index import Index, IndexedFile
from .patterns import LinePattern

_ARGUMENTS = 100_000  # bytes of names that one ripgrep is handed
_ALONE = 20  # files that are read sooner than ripgrep is begun


class Match(NamedTuple):
    """A line that patterns occur in: the first column, which patterns, the line."""

    path: str
    line: int
    column: int
    patterns: tuple[int, ...]
    text: str


class Matcher:
    """Searches files for lines; `incomplete` says whether not all was searched, `late` whether time was up."""

    def __init__(self, index: Index, patterns: Sequence[LinePattern], seconds: float, engine: str = "auto") -> None:
        self._index, self._patterns = index, patterns
        self._end = time.monotonic() + seconds
        self._engine = ("rg" if find_ripgrep() else "re2") if engine == "auto" else engine
        self.incomplete = self.late = False
        self.unread = 0

    def search(self, files: Sequence[IndexedFile]) -> Iterator[Match]:
        """Yield the lines in the order of the files."""
        for file in self._candidates(files):
            if self._is_late():
                return
            data = self._index.data(file.path)
            if data is None:
                self.unread += 1
                self.incomplete = True
                continue
            yield from self._search_text(file.path, data.decode(file.encoding, "replace"))

    def _is_late(self) -> bool:
        self.late = self.late or time.monotonic() > self._end
        self.incomplete = self.incomplete or self.late
        return self.late

    def _search_text(self, path: str, text: str) -> Iterator[Match]:
        present = [(number, one) for number, one in enumerate(self._patterns) if one.may_be_in(text)]
        if not present:
            return
        for number, line in enumerate(text.split("\n"), 1):
            stripped = line.removesuffix("\r")
            places = [(place, which) for which, one in present if (place := one.find(stripped)) >= 0]
            if places:
                yield Match(path, number, min(places)[0] + 1, tuple(which for _, which in places), stripped)

    def _candidates(self, files: Sequence[IndexedFile]) -> Iterator[IndexedFile]:
        if self._engine != "rg" or len(files) <= _ALONE or not all(one.rust for one in self._patterns):
            yield from files
            return
        portion: list[IndexedFile] = []
        size = 0
        for file in files:
            portion.append(file)
            size += len(file.path.encode()) + 3
            if size > _ARGUMENTS:
                yield from self._sift(portion)
                portion, size = [], 0
        yield from self._sift(portion)

    def _sift(self, files: list[IndexedFile]) -> list[IndexedFile]:
        """Return the files that may match; all of them if ripgrep fails."""
        asked = [f"./{file.path}" for file in files if file.encoding == "utf-8"]
        if not asked or self._is_late():
            return files
        patterns = [part for one in self._patterns for part in ("-e", one.rust)]
        options = ["--no-config", "-l", "--null", "--text", "--encoding", "none", "--no-messages", "--no-mmap"]
        try:
            done = subprocess.run(
                [find_ripgrep(), *options, *patterns, "--", *asked],
                cwd=self._index.root, capture_output=True, timeout=max(0.1, self._end - time.monotonic()), check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return files
        if done.returncode not in (0, 1):
            return files
        named = {name.decode("utf-8", "replace").removeprefix("./") for name in done.stdout.split(b"\0") if name}
        return [file for file in files if file.path in named or file.encoding != "utf-8"]


@cache
def find_ripgrep() -> str:
    """Return where ripgrep is; empty if it is not installed."""
    return find_program("rg") or ""
