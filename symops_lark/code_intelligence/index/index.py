"""The index of a folder: its files, definitions and words, updated before each answer."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache, cached_property
from importlib.util import find_spec
from math import inf
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from ...acting.files.protected import HARMLESS, PROTECTED, REASON, is_protected
from ...core.ground.errors import SymOpsError
from ...core.ground.logs import elapsed_since, log_event
from .languages import EXTRA, installed_languages, language_named
from .storage import discard, locked, open_database, place_of
from .walking import Found, Walk, Walker

if TYPE_CHECKING:
    from .file_reading import FileReader, Reading
    from .owners import Sought, Sources

_DEFINITIONS = """
    SELECT f.path, s.line, s.column, s.kind, s.within FROM symbols s JOIN files f ON f.id = s.file
    WHERE s.name = ? ORDER BY f.path, s.line
"""
# After a question ran out of time, this many seconds pass before another one waits for files.
_PAUSE = 1.0
_GAPS = ("unreadable", "name", "deep", "large", REASON)


class IndexedFile(NamedTuple):
    """A file of the index: how it is read, or why it is left out.

    `broken` is the number of lines with syntax errors: definitions in them are guessed.
    """

    id: int
    path: str
    changed: int
    size: int
    hash: bytes
    language: str
    encoding: str
    lines: int
    left_out: str
    broken: int


class Index:
    """The index of one folder. Several threads and processes may use it at once.

    Attributes:
        files: The files by path, in order, as of the last refresh, with those that are left out.
        languages: The languages of these files, whether their wheels are installed or not.
        unread: The number of new or changed files that there was no time to read. The next
            question continues with them.
    """

    def __init__(
        self,
        root: str,
        database: sqlite3.Connection,
        place: Path | None = None,
        patience: float = inf,
        allow: tuple[str, ...] = (),
    ) -> None:
        self.root = root
        self.is_kept = place is not None
        self.allow = allow
        self.unread = 0
        self.files: dict[str, IndexedFile] = {}
        self.languages: frozenset[str] = frozenset()
        self.walk = Walk()
        self._database = database
        self._place = place
        self._lock = RLock()
        self._patience = patience
        self._resume = 0.0  # the time (`monotonic`) before which no question waits for files
        self._begun = -1.0  # the time of the last refresh
        self._walker: Walker | None = None
        self._left_out: Counter[str] = Counter()
        self._sources: Sources | None = None
        self._is_stale = True  # whether a file has changed since the sources were made
        self._version: Any = None
        self._agreed: Walk | None = None  # a walk that had the same files as the database

    @classmethod
    def open(
        cls,
        root: str | os.PathLike[str],
        place: Path | None = None,
        patience: float = inf,
        allow: tuple[str, ...] = (),
    ) -> Index:
        """Return the index of a folder; nothing is read yet.

        Args:
            root: The folder.
            place: The file of the database; by default one in the user's cache folder.
            patience: Seconds that a question waits for files that are new or changed.
            allow: Globs of protected files whose text is shown anyway.

        Raises:
            SymOpsError: There is no such folder, or a package that it needs is not installed.
        """
        real = os.path.realpath(root)
        if not os.path.isdir(real):
            raise SymOpsError(f"{os.fspath(root)}: there is no such folder to look into")
        if find_spec("pathspec") is None:
            raise SymOpsError(f"looking into code needs pathspec and tree-sitter: {EXTRA}")
        if place is None:
            place = place_of(real)
        database, is_kept = open_database(real, place)
        return cls(real, database, place if is_kept else None, patience, allow)

    @cached_property
    def _reader(self) -> FileReader:
        from .file_reading import FileReader

        return FileReader(self.root)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    # ---- the content

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the database, with all changes until now.

        Raises:
            SymOpsError: The database is damaged. It was replaced by an empty one.
        """
        requested = time.monotonic()
        with self._lock:
            # Another thread may have refreshed the index while this one waited for the lock.
            if self._begun < requested:
                self.refresh()
            try:
                yield self._database
            except sqlite3.DatabaseError as error:
                self._start_over()
                raise SymOpsError(
                    f"the index was broken ({error}), and is rebuilt: ask again"
                ) from None

    def data(self, path: str) -> bytes | None:
        """Return the bytes of a file below the root.

        None if there is no such file, if it is too large or protected, or if a link is on the way.
        """
        return self._reader.data(path) if self.shows(path) else None

    def shows(self, path: str) -> bool:
        """Return whether the text of a file may be shown: it is allowed or not protected."""
        return not is_protected(path, self.allow)

    @property
    def sources(self) -> Sources:
        """The files with their trees and packages, as of the last refresh."""
        with self._lock:
            if self._sources is None or self._is_stale:
                # Imported late: a question for definitions does not need it.
                from .owners import Sources

                files = {path: (file.language, file.hash) for path, file in self.files.items()}
                self._sources = Sources(files, self.data, self._definitions, self._sources)
                self._is_stale = False
            return self._sources

    def _definitions(self, name: str) -> list[Sought]:
        from .owners import Sought

        with self._lock:
            return [Sought(*row) for row in self._database.execute(_DEFINITIONS, (name,))]

    def gaps(self) -> dict[str, int]:
        """Return how many files are left out of answers, by the reason, without ignored files."""
        left_out = self.walk.left_out + self._left_out
        gaps = Counter({reason: left_out[reason] for reason in _GAPS})
        gaps["unread"] = self.unread
        return dict(+gaps)

    # ---- the update

    def refresh(self) -> None:
        """Read files that are new or changed, and forget those that were removed."""
        with self._lock:
            self._begun = time.monotonic()
            start = time.perf_counter()
            self.walk = self._walk()
            try:
                self._catch_up()
            except sqlite3.DatabaseError:  # damaged since it was opened, or the disk is full
                log_event("code_intelligence", "warning", "index rebuilt")
                self._start_over()
                self._catch_up()
            counts = {"files": len(self.files), "unread": self.unread}
            milliseconds = elapsed_since(start)
            log_event("code_intelligence", "info", "index", milliseconds=milliseconds, **counts)

    def _walk(self) -> Walk:
        """Return the current files; the first walk uses the verdicts of another process."""
        if self._walker is None:
            self._walker = Walker(self.root)
            # A damaged database is detected and replaced in the next step.
            with suppress(sqlite3.DatabaseError):
                if row := self._fact("verdicts"):
                    self._walker.recall(row[0])
        return self._walker.walk()

    def _fact(self, name: str) -> Any:
        """Return the row of a fact; None if there is no such fact."""
        return self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()

    def _keep_fact(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO facts VALUES(?, ?)", (name, value))

    def _catch_up(self) -> None:
        before = self._version
        self._load()
        if self._version != before:
            self._agreed = None
        self.unread = 0
        if self._differs():
            with locked(self._place):
                self._load()  # another process may have updated it before we got the lock
                self._update()
        if self._walker is not None and self._walker.has_judged:
            verdicts = self._walker.verdicts()
            with locked(self._place):
                self._keep_fact("verdicts", verdicts)
        self._agreed = None if self.unread else self.walk

    def _start_over(self) -> None:
        """Continue in memory; the next process that opens the index builds it again."""
        self._database.close()
        if self._place is not None:
            discard(self._place)
        self._database, self.is_kept = open_database(self.root, None)
        self._place = self._version = None
        self.files = {}
        self._begun = -1.0

    def _load(self) -> None:
        """Load the table of files if this or another process has changed it."""
        changes = self._database.execute("PRAGMA data_version").fetchone()[0]
        version = (changes, self._fact("reading"))
        if version == self._version:
            return
        rows = self._database.execute("SELECT * FROM files ORDER BY path")
        self.files = {row[1]: IndexedFile._make(row) for row in rows}
        self._version = version
        self._is_stale = True
        self._left_out = Counter()
        for file in self.files.values():
            # An allowed file is read for each question, so it is not a gap.
            if file.left_out != REASON or not self.shows(file.path):
                self._left_out[file.left_out] += 1
        self.languages = frozenset(map(language_named, self.files)) - {""}

    def _differs(self) -> bool:
        if self._is_outdated():
            return True
        if self.walk is self._agreed:
            return False
        files = self.walk.files
        return len(self.files) != len(files) or any(map(self._is_changed, files))

    def _is_outdated(self) -> bool:
        """Return whether files were read without a wheel, or with other protected names."""
        return bool(self._version[1] != (_way_of_reading(),))

    def _is_changed(self, file: Found) -> bool:
        entry = self.files.get(file.path)
        return entry is None or entry.changed != file.changed or entry.size != file.size

    def _update(self) -> None:
        from .file_reading import MOST_BYTES, Reading
        from .workers import read_files

        if self._is_outdated():
            self._write({}, [], self.files.values())
            self.files = {}
            self._keep_fact("reading", _way_of_reading())
        by_path = {file.path: file for file in self.walk.files}
        removed = [file for path, file in self.files.items() if path not in by_path]
        changed = [file for file in self.walk.files if self._is_changed(file)]
        large = [Reading(file.path, left_out="large") for file in changed if file.size > MOST_BYTES]
        self._write(by_path, large, removed)
        start = time.monotonic()
        small = []
        if start >= self._resume:
            small = [file.path for file in changed if file.size <= MOST_BYTES]
        # Each portion is written at once: it is not lost if the next one takes too long.
        portions = read_files(self.root, small, start + self._patience)
        with closing(portions):  # type: ignore[type-var]
            for portion in portions:
                self._write(by_path, portion, ())
        self._version = None
        self._load()
        self.unread = sum(map(self._is_changed, self.walk.files))
        if small and self.unread:
            self._resume = time.monotonic() + _PAUSE

    def _write(
        self, by_path: dict[str, Found], readings: Iterable[Reading], removed: Iterable[IndexedFile]
    ) -> None:
        """Write files to the database and remove others, all or nothing."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            for file in removed:
                _forget(database, file.path)
            for reading in readings:
                stat = by_path[reading.path]
                if not self._update_stamp(stat, reading):
                    _forget(database, stat.path)
                    _add(database, stat, reading)
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            raise

    def _update_stamp(self, stat: Found, reading: Reading) -> bool:
        """Update only the time and size of a file; return False if its content is different."""
        entry = self.files.get(stat.path)
        if entry is None or not entry.hash:
            return False
        if (entry.hash, entry.left_out) != (reading.hash, reading.left_out):
            return False
        stamp = (stat.changed, stat.size, stat.path, reading.hash)
        sql = "UPDATE files SET changed = ?, size = ? WHERE path = ? AND hash = ?"
        return self._database.execute(sql, stamp).rowcount > 0


@cache
def _way_of_reading() -> str:
    """Return a text that changes if the languages or the protected names change."""
    names = "\n".join((*PROTECTED, "", *HARMLESS))
    return " ".join((*installed_languages(), hashlib.sha256(names.encode()).hexdigest()))


def _forget(database: sqlite3.Connection, path: str) -> None:
    for (number,) in database.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchall():
        for rows in ("symbols WHERE file", "imports WHERE file", "words WHERE rowid"):
            database.execute(f"DELETE FROM {rows} = ?", (number,))
        database.execute("DELETE FROM files WHERE id = ?", (number,))


def _add(database: sqlite3.Connection, stat: Found, reading: Reading) -> None:
    number = database.execute(
        "INSERT INTO files VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*stat, *reading[1:6], reading.broken),
    ).lastrowid
    if reading.words:
        row = (number, reading.words)
        database.execute("INSERT INTO words(rowid, text) VALUES(?, ?)", row)
    symbols = []
    imports = []
    words_by_name = {}
    for symbol, words in reading.symbols:
        if symbol.kind == "import":
            imports.append((number, symbol.name, symbol.line))
        else:
            symbols.append((number, *symbol))
            words_by_name[symbol.name] = words
    database.executemany("INSERT INTO symbols VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)", symbols)
    database.executemany("INSERT INTO imports VALUES(?, ?, ?)", imports)
    # Names stay here after their last definition is removed: that does no harm.
    for name, words in words_by_name.items():
        result = database.execute("INSERT OR IGNORE INTO spellings(name) VALUES(?)", (name,))
        if result.rowcount:
            row = (result.lastrowid, words)
            database.execute("INSERT INTO names(rowid, text) VALUES(?, ?)", row)
