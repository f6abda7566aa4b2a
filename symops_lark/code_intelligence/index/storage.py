"""Open the database of an index: in the user's cache folder, or in memory if that is impossible.

A database that is damaged, or of another folder or version, is replaced by an empty one.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...core.ground.file_locks import lock_file
from ...core.ground.resources import cache_folder

VERSION = 4  # of the schema: a database with another version is replaced
_APPLICATION = 0x53796D4F  # "SymO"
_PATIENCE = 120  # seconds to wait for the lock
_POLL = 0.02  # seconds between two attempts
_SCHEMA = f"""
CREATE TABLE files(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, changed INTEGER NOT NULL,
    size INTEGER NOT NULL, hash BLOB NOT NULL, language TEXT NOT NULL, encoding TEXT NOT NULL,
    lines INTEGER NOT NULL, left_out TEXT NOT NULL, broken INTEGER NOT NULL
);
CREATE TABLE symbols(
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    line INTEGER NOT NULL, column INTEGER NOT NULL, end_line INTEGER NOT NULL,
    within TEXT NOT NULL, head TEXT NOT NULL
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
    """Return the path of the index of a folder; None if there is no cache folder."""
    folder = cache_folder()
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
    return folder / "code" / f"{name}.sqlite" if folder else None


def open_database(root: str, place: Path | None) -> tuple[sqlite3.Connection, bool]:
    """Return the database of a folder, and whether it is a file; if not, it is in memory."""
    if place is not None:
        with suppress(OSError, sqlite3.Error, UnicodeDecodeError):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for _ in range(2):
                try:
                    return _open(root, place), True
                # A message with damaged names cannot be decoded.
                except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                    if _is_passing(error):
                        break
                    discard(place)
    database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    database.executescript(_SCHEMA)
    return database, False


def _is_passing(error: Exception) -> bool:
    """Return whether an error leaves the database undamaged."""
    texts = ("locked", "readonly", "unable to open")
    has_text = any(text in str(error) for text in texts)
    return isinstance(error, sqlite3.OperationalError) and has_text


def _open(root: str, place: Path) -> sqlite3.Connection:
    database = sqlite3.connect(place, timeout=10, check_same_thread=False, isolation_level=None)
    execute = database.execute
    try:
        with locked(place):
            execute("PRAGMA journal_mode = WAL")
            execute("PRAGMA synchronous = NORMAL")
            if not execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                database.executescript(_SCHEMA)
                execute("INSERT INTO facts VALUES('root', ?)", (root,))
            owner = (
                *execute("PRAGMA application_id").fetchone(),
                *execute("PRAGMA user_version").fetchone(),
                execute("SELECT value FROM facts WHERE name = 'root'").fetchone(),
            )
            if owner != (_APPLICATION, VERSION, (root,)):
                raise sqlite3.DatabaseError("the index is of another folder or another version")
            # Fails now if we may not write.
            execute("BEGIN IMMEDIATE")
            execute("COMMIT")
        return database
    except BaseException:
        database.close()
        raise


def discard(place: Path) -> None:
    """Remove a database that cannot be used; a process that has it open keeps its view of it."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(f"{place}{suffix}")


@contextmanager
def locked(place: Path | None) -> Iterator[None]:
    """Keep other processes from indexing the same folder.

    After two minutes this process indexes it too, which costs time but does no harm.
    """
    if place is None:
        yield
        return
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(f"{place}.lock", flags, 0o600)
    try:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            try:
                lock_file(handle)
                break
            except BlockingIOError:
                time.sleep(_POLL)
        yield
    finally:
        os.close(handle)
