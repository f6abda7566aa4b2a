"""Find the lines that match patterns: ripgrep, if installed, selects files, RE2 matches lines.

So the answers with and without ripgrep are the same: it gets the names of the files of the index.
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

_ARGUMENTS = 100_000  # bytes of names that one ripgrep gets
_FEW_FILES = 20  # files that are read in less time than ripgrep needs to start
_OPTIONS = "--no-config -l --null --text --encoding none --no-messages --no-mmap"


class Match(NamedTuple):
    """A line with matches: the first column, the numbers of the patterns, the line."""

    path: str
    line: int
    column: int
    patterns: tuple[int, ...]
    text: str


class Matcher:
    """Searches files for lines.

    Attributes:
        incomplete: Whether some files were not searched.
        late: Whether there was no time for them.
        unread: The number of files that could not be read.
    """

    def __init__(
        self, index: Index, patterns: Sequence[LinePattern], seconds: float, engine: str = "auto"
    ) -> None:
        self._index = index
        self._patterns = patterns
        self._end = time.monotonic() + seconds
        self._engine = engine
        if engine == "auto":
            self._engine = "rg" if find_ripgrep() else "re2"
        self.incomplete = False
        self.late = False
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
        # One search in the text is faster than one in each line, and most files have no match.
        candidates = []
        for number, pattern in enumerate(self._patterns):
            if pattern.may_be_in(text):
                candidates.append((number, pattern))
        if not candidates:
            return
        for line_number, line in enumerate(text.split("\n"), 1):
            stripped = line.removesuffix("\r")
            starts = {}
            for number, pattern in candidates:
                start = pattern.find(stripped)
                if start >= 0:
                    starts[number] = start
            if starts:
                column = min(starts.values()) + 1
                yield Match(path, line_number, column, tuple(starts), stripped)

    def _candidates(self, files: Sequence[IndexedFile]) -> Iterator[IndexedFile]:
        has_all = all(pattern.rust for pattern in self._patterns)
        if self._engine != "rg" or len(files) <= _FEW_FILES or not has_all:
            yield from files
            return
        portion = []
        size = 0
        for file in files:
            portion.append(file)
            size += len(file.path.encode()) + 3  # "./" and the end of the argument
            if size > _ARGUMENTS:
                yield from self._sift(portion)
                portion = []
                size = 0
        yield from self._sift(portion)

    def _sift(self, files: list[IndexedFile]) -> list[IndexedFile]:
        """Return the files that may match; all of them if ripgrep fails."""
        # The "./" protects names that begin with a hyphen.
        names = [f"./{file.path}" for file in files if file.encoding == "utf-8"]
        if not names or self._is_late():
            return files
        command = [find_ripgrep(), *_OPTIONS.split()]
        for pattern in self._patterns:
            command += ["-e", pattern.rust]
        try:
            process = subprocess.run(
                [*command, "--", *names],
                cwd=self._index.root,
                capture_output=True,
                timeout=max(0.1, self._end - time.monotonic()),
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired):
            return files
        if process.returncode not in (0, 1):  # 1: no file matches
            return files
        matching = set(process.stdout.decode("utf-8", "replace").split("\0"))
        return [file for file in files if file.encoding != "utf-8" or f"./{file.path}" in matching]


@cache
def find_ripgrep() -> str:
    """Return the path of ripgrep; empty if it is not installed."""
    return find_program("rg") or ""
