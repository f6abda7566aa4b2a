"""The index of a folder: its files, definitions and words, brought up to date before each answer."""

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
_PAUSE = 1.0  # seconds after the time was too short in which questions are answered by what was read


class IndexedFile(NamedTuple):
    """A file of the index: how it is read, or why it is left out; `broken` lines are read as text alone."""

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
    """What stands in a folder, for all questions; several threads and processes may use it at once.

    `unread` files are new or changed, and there was no time to read them: the next question goes on.
    """

    def __init__(
        self,
        root: str,
        database: sqlite3.Connection,
        place: Path | None = None,
        patience: float = inf,
        allow: tuple[str, ...] = (),
    ) -> None:
        self.root, self.is_kept, self.allow = root, place is not None, allow
        self._patience = patience
        self.unread, self._resume = 0, 0.0
        self._database, self._place, self._lock = database, place, RLock()
        self._walker: Walker | None = None
        self.files: dict[str, IndexedFile] = {}  # by path, in order, those left out too; as of the last refresh
        self._left_out: Counter[str] = Counter()
        self._sources: Sources | None = None
        self._is_stale = True  # whether a file has changed since the sources were made
        self.languages: frozenset[str] = frozenset()  # that could be parsed, whether their wheels are there or not
        self._version: Any = None
        self._begun = -1.0
        self.walk = Walk()
        self._agreed: Walk | None = None  # that the files of the database were found to be those of

    @classmethod
    def open(
        cls, root: str | os.PathLike[str], place: Path | None = None, patience: float = inf, allow: tuple[str, ...] = ()
    ) -> Index:
        """Return the index of a folder; nothing is read yet.

        Args:
            root: The folder.
            place: The file of the database; by default one in the user's cache folder.
            patience: Seconds that a question waits for files that are new or changed.
            allow: Globs of protected files whose text is shown nevertheless.

        Raises:
            SymOpsError: There is no such folder, or a package that it needs is not installed.
        """
        real = os.path.realpath(root)
        if not os.path.isdir(real):
            raise SymOpsError(f"{os.fspath(root)}: there is no such folder to look into")
        if find_spec("pathspec") is None:
            raise SymOpsError(f"looking into code needs pathspec and tree-sitter: {EXTRA}")
        kept = place if place is not None else place_of(real)
        database, is_kept = open_database(real, kept)
        return cls(real, database, kept if is_kept else None, patience, allow)

    @cached_property
    def _reader(self) -> FileReader:
        from .file_reading import FileReader

        return FileReader(self.root)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    # ---- what there is

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the database, with all that has changed until now."""
        asked = time.monotonic()
        with self._lock:
            if self._begun < asked:
                self.refresh()
            try:
                yield self._database
            except sqlite3.DatabaseError as error:
                self._start_over()
                raise SymOpsError(f"the index was broken ({error}), and is made anew: ask again") from None

    def data(self, path: str) -> bytes | None:
        """Return the bytes of a file below the root.

        None if there is no such file, if it is too large or protected, or if a link is on the way.
        """
        return self._reader.data(path) if self.shows(path) else None

    def shows(self, path: str) -> bool:
        """Return whether the text of a file may be shown: it holds no secrets by its name, or is allowed."""
        return not is_protected(path, self.allow)

    @property
    def sources(self) -> Sources:
        """The files with their trees and packages, as of the last refresh."""
        with self._lock:
            if self._sources is None or self._is_stale:
                from .owners import Sources  # what is only asked for definitions needs no part of it

                files = {path: (file.language, file.hash) for path, file in self.files.items()}
                self._sources = Sources(files, self.data, self._definitions, self._sources)
                self._is_stale = False
            return self._sources

    def _definitions(self, name: str) -> list[Sought]:
        from .owners import Sought

        with self._lock:
            return [Sought(*row) for row in self._database.execute(_DEFINITIONS, (name,))]

    def gaps(self) -> dict[str, int]:
        """Return how many files are left out of answers, by the reason; ignored files are none of them."""
        gaps = Counter({reason: self.walk.left_out[reason] for reason in ("unreadable", "name", "deep")})
        gaps.update({reason: self._left_out[reason] for reason in ("unreadable", "large", REASON)}, unread=self.unread)
        return dict(+gaps)

    # ---- bringing it up to date

    def refresh(self) -> None:
        """Read what is new or has changed since the last time; what has gone is forgotten."""
        with self._lock:
            self._begun = time.monotonic()
            begun = time.perf_counter()
            self.walk = self._walk()
            try:
                self._catch_up()
            except sqlite3.DatabaseError:  # broken since it was opened, or the disk is full
                log_event("code_intelligence", "warning", "index rebuilt")
                self._start_over()
                self._catch_up()
            counts = {"files": len(self.files), "unread": self.unread}
            log_event("code_intelligence", "info", "index", milliseconds=elapsed_since(begun), **counts)

    def _walk(self) -> Walk:
        """Return what the folder holds now; what ignore files say of it is kept for the next process."""
        if self._walker is None:
            self._walker = Walker(self.root)
            with suppress(sqlite3.DatabaseError):  # it is found to be broken soon
                for (kept,) in self._database.execute("SELECT value FROM facts WHERE name = 'verdicts'"):
                    self._walker.recall(kept)
        return self._walker.walk()

    def _keep_verdicts(self) -> None:
        if self._walker is not None and self._walker.has_judged:
            row = ("verdicts", self._walker.verdicts())
            with locked(self._place):
                self._database.execute("INSERT OR REPLACE INTO facts VALUES(?, ?)", row)

    def _catch_up(self) -> None:
        before = self._version
        self._load()
        if self._version != before:
            self._agreed = None
        self.unread = 0
        if self._differs():
            with locked(self._place):
                self._load()  # another process may have done it meanwhile
                self._update()
        self._keep_verdicts()
        self._agreed = None if self.unread else self.walk

    def _start_over(self) -> None:
        """Go on in memory; the next one that opens the index makes it anew."""
        self._database.close()
        if self._place is not None:
            discard(self._place)
        self._database, self.is_kept = open_database(self.root, None)
        self._place = self._version = None
        self.files, self._begun = {}, -1.0

    def _load(self) -> None:
        version = (
            self._database.execute("PRAGMA data_version").fetchone()[0],
            self._database.execute("SELECT value FROM facts WHERE name = 'reading'").fetchone(),
        )
        if version != self._version:
            rows = self._database.execute("SELECT * FROM files ORDER BY path")
            self.files = {row[1]: IndexedFile._make(row) for row in rows}
            self._version, self._is_stale = version, True
            told = (file for file in self.files.values() if file.left_out != REASON or not self.shows(file.path))
            self._left_out = Counter(file.left_out for file in told)
            self.languages = frozenset(map(language_named, self.files)) - {""}

    def _differs(self) -> bool:
        if self.walk is self._agreed:
            return self._is_other()
        found = self.walk.files
        return len(self.files) != len(found) or any(map(self._is_changed, found)) or self._is_other()

    def _is_other(self) -> bool:
        kept = self._database.execute("SELECT value FROM facts WHERE name = 'reading'").fetchone()
        return bool(kept != (_way_of_reading(),))

    def _is_changed(self, found: Found) -> bool:
        known = self.files.get(found.path)
        return known is None or known.changed != found.changed or known.size != found.size

    def _update(self) -> None:
        from .file_reading import MOST_BYTES, Reading
        from .workers import read_files

        if self._is_other():  # files that were read without a wheel, or are protected now, are read again
            self._write([], self.files.values())
            self.files = {}
            self._database.execute("INSERT OR REPLACE INTO facts VALUES('reading', ?)", (_way_of_reading(),))
        there = {found.path: found for found in self.walk.files}
        gone = [file for path, file in self.files.items() if path not in there]
        self._write([], gone)
        changed = [found.path for found in self.walk.files if self._is_changed(found)]
        large = {path for path in changed if there[path].size > MOST_BYTES}
        few = [Reading(path, left_out="large") for path in sorted(large)]
        self._write([(there[reading.path], reading) for reading in few], ())
        begun = time.monotonic()
        end = begun + self._patience
        small = [path for path in changed if path not in large] if begun >= self._resume else []
        with closing(read_files(self.root, small, end)) as portions:  # type: ignore[type-var]
            for portion in portions:
                self._write([(there[reading.path], reading) for reading in portion], ())
        self._version = None
        self._load()
        self.unread = sum(map(self._is_changed, self.walk.files))
        if small and self.unread:
            self._resume = time.monotonic() + _PAUSE

    def _write(self, readings: Iterable[tuple[Found, Reading]], gone: Iterable[IndexedFile]) -> None:
        """Put files into the database and take others out, all or nothing."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            for file in gone:
                _forget(database, file.path)
            for found, reading in readings:
                known = self.files.get(found.path)
                if known and known.hash and known.hash == reading.hash and known.left_out == reading.left_out:
                    stamp = (found.changed, found.size, found.path, reading.hash)
                    sql = "UPDATE files SET changed = ?, size = ? WHERE path = ? AND hash = ?"
                    if database.execute(sql, stamp).rowcount:
                        continue
                _forget(database, found.path)
                _add(database, found, reading)
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            raise


@cache
def _way_of_reading() -> str:
    """Return a text that changes if files would be read in another way: their languages, and which are protected."""
    names = "\n".join((*PROTECTED, "", *HARMLESS))
    return " ".join((*installed_languages(), hashlib.sha256(names.encode()).hexdigest()))


def _forget(database: sqlite3.Connection, path: str) -> None:
    for (number,) in database.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchall():
        for rows in ("symbols WHERE file", "imports WHERE file", "words WHERE rowid", "files WHERE id"):
            database.execute(f"DELETE FROM {rows} = ?", (number,))


def _add(database: sqlite3.Connection, found: Found, reading: Reading) -> None:
    kept = (found.path, found.changed, found.size, reading.hash, reading.language, reading.encoding, reading.lines)
    sql = "INSERT INTO files VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    number = database.execute(sql, (*kept, reading.left_out, reading.broken)).lastrowid
    if reading.words:
        database.execute("INSERT INTO words(rowid, text) VALUES(?, ?)", (number, reading.words))
    rows = [(number, *symbol) for symbol, _ in reading.symbols if symbol.kind != "import"]
    database.executemany("INSERT INTO symbols VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    imports = [(number, symbol.name, symbol.line) for symbol, _ in reading.symbols if symbol.kind == "import"]
    database.executemany("INSERT INTO imports VALUES(?, ?, ?)", imports)
    names = {symbol.name: words for symbol, words in reading.symbols if symbol.kind != "import"}
    for name, words in names.items():  # names that nobody has any more are harmless
        row = database.execute("INSERT OR IGNORE INTO spellings(name) VALUES(?)", (name,))
        if row.rowcount:
            database.execute("INSERT INTO names(rowid, text) VALUES(?, ?)", (row.lastrowid, words))
