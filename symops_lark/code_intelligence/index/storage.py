"""The database of an index: in the user's cache folder, rebuilt when it is broken or not ours, else in memory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from ...core.ground.file_locks import lock_file
from ...core.ground.resources import cache_folder

VERSION = 3  # of what stands in the database: another one is made anew
_APPLICATION = 0x53796D4F
_SCHEMA = f"""
CREATE TABLE files(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, changed INTEGER NOT NULL, size INTEGER NOT NULL,
    hash BLOB NOT NULL, language TEXT NOT NULL, encoding TEXT NOT NULL, lines INTEGER NOT NULL, left_out TEXT NOT NULL,
    broken INTEGER NOT NULL
);
CREATE TABLE symbols(
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL,
    column INTEGER NOT NULL, end_line INTEGER NOT NULL, within TEXT NOT NULL, head TEXT NOT NULL
);
CREATE TABLE imports(file INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL);
CREATE INDEX imports_by_file ON imports(file);
CREATE INDEX symbols_by_name ON symbols(name);
CREATE INDEX symbols_by_file ON symbols(file);
CREATE VIRTUAL TABLE words USING fts5(
    text, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Pc'"
);
CREATE TABLE spellings(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE names USING fts5(
    text, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Pc'"
);
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""


def place_of(root: str) -> Path | None:
    """Return where the index of a folder is kept; None where there is no home."""
    folder = cache_folder()
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
    return folder / "code" / f"{name}.sqlite" if folder else None


def open_database(root: str, place: Path | None) -> tuple[sqlite3.Connection, bool]:
    """Return the database of a folder, and whether it is kept; where nothing can be written it is in memory."""
    if place is not None:
        with contextlib.suppress(OSError, sqlite3.Error, UnicodeDecodeError):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for _ in range(2):
                try:
                    return _open(root, place), True
                except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # damaged names in its messages
                    passing = any(word in str(error) for word in ("locked", "readonly", "unable to open"))
                    if passing and isinstance(error, sqlite3.OperationalError):
                        break
                    discard(place)
    database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    database.executescript(_SCHEMA)
    return database, False


def _open(root: str, place: Path) -> sqlite3.Connection:
    database = sqlite3.connect(place, timeout=10, check_same_thread=False, isolation_level=None)
    try:
        with locked(place):
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                database.executescript(_SCHEMA)
                database.execute("INSERT INTO facts VALUES('root', ?)", (root,))
            application = database.execute("PRAGMA application_id").fetchone()[0]
            version = database.execute("PRAGMA user_version").fetchone()[0]
            kept = database.execute("SELECT value FROM facts WHERE name = 'root'").fetchone()
            if (application, version, kept) != (_APPLICATION, VERSION, (root,)):
                raise sqlite3.DatabaseError("the index is of another folder or another version")
            database.execute("BEGIN IMMEDIATE")  # is it ours to write?
            database.execute("COMMIT")
        return database
    except BaseException:
        database.close()
        raise


def discard(place: Path) -> None:
    """Remove a database that cannot be used; who has it open keeps what it sees."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{place}{suffix}")


@contextlib.contextmanager
def locked(place: Path | None, patience: float = 120) -> Iterator[None]:
    """Keep other processes from indexing the same folder; after so many seconds both do it, which harms nothing."""
    if place is None:
        yield
        return
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(f"{place}.lock", flags, 0o600)
    try:
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                lock_file(handle)
                break
            except BlockingIOError:
                time.sleep(0.02)
        yield
    finally:
        os.close(handle)
