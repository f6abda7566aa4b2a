"""The file of a registry: events, and the models that result from them.

Events are only ever added. Each has a mark: the hash of its values and of the mark before it. Each
model has a mark, too. So a change by a program that does not know the marks is noticed. The marks
have no key: they are no signature, and whoever computes them anew can change everything.

It is a SQLite file with a rollback journal. A registry on a read-only disk can be read, and a
writer that is killed leaves either all of a change or nothing.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from ..errors import RoutingError
from ..events import hash_text, now
from .registry_events import Happening, Model, replay
from .tables import EXPLANATIONS, MIGRATIONS, READ_EVENTS

_APPLICATION = 0x53594D52  # "SYMR"
_PATIENCE = 30.0  # seconds to wait for another writer


class Store:
    """The file of a registry. Use it in a `with`, or close it."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        """Open the file, and create it if it does not exist.

        Raises:
            RoutingError: The file is not a registry, is of a newer release, or cannot be opened.
        """
        self.path = Path(path)
        if not create and not self.path.exists():
            raise RoutingError(
                f"{self.path}: there is no registry: `symops route register` makes one"
            )
        address = f"file:{quote(str(self.path.absolute()))}?mode={'rwc' if create else 'rw'}"
        with self._errors():
            self._database = sqlite3.connect(
                address, uri=True, timeout=_PATIENCE, isolation_level=None
            )
        try:
            with self._errors():
                # A forged file may call functions in its schema.
                self._database.execute("PRAGMA trusted_schema = OFF")
                self._migrate()
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _migrate(self) -> None:
        has_tables = self._read_number("SELECT count(*) FROM sqlite_master")
        if has_tables and self._read_number("PRAGMA application_id") != _APPLICATION:
            raise RoutingError(f"{self.path}: this is a database, and not a registry of models")
        version = self._read_number("PRAGMA user_version")
        if version > len(MIGRATIONS):
            raise RoutingError(
                f"{self.path}: a newer release of symops-lark wrote this registry: use that one"
            )
        if version < len(MIGRATIONS):
            with self._writing():
                # Read again: another process may have been first.
                version = self._read_number("PRAGMA user_version")
                for statement in chain(*MIGRATIONS[version:]):
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._database.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
                self._build()

    def _read_number(self, statement: str) -> int:
        return int(self._database.execute(statement).fetchone()[0])

    def _build(self) -> None:
        # Models are derived data, so they may be deleted.
        self._database.execute("DELETE FROM models")
        for model in self._replay(self._events()):
            self._write(model)

    def _replay(self, events: Iterable[Happening]) -> Iterable[Model]:
        try:
            return replay(events).values()
        except RoutingError as error:
            raise self._damaged(str(error)) from None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            # Such as SQLITE_BUSY_SNAPSHOT; errors of Python's module have no such name.
            words = getattr(error, "sqlite_errorname", "").split("_")
            message = EXPLANATIONS.get(words[1] if words[1:] else "", str(error))
            raise RoutingError(f"{self.path}: {message}") from error
        except UnicodeDecodeError as error:
            # SQLite quotes damaged names in its errors, which Python cannot decode.
            raise RoutingError(f"{self.path}: {EXPLANATIONS['CORRUPT']}") from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Make several changes as one. Other writers wait meanwhile."""
        with self._errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                # After some errors, SQLite has ended the transaction already.
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def _events(self) -> list[Happening]:
        with self._errors():
            rows = self._database.execute(READ_EVENTS).fetchall()
        events = []
        before = ""
        for number, *texts, mark in rows:
            # SQLite also stores numbers and blobs in a column of texts.
            if mark != _mark(before, *texts) or set(map(type, texts)) != {str}:
                raise self._damaged(f"event {number} is not what was written")
            try:
                events.append(Happening(*[number, *texts[:-1], json.loads(texts[-1])]))
            except (ValueError, RecursionError) as error:
                raise self._damaged(f"event {number}: {error}") from None
            except RoutingError as error:
                raise self._damaged(str(error)) from None
            # Each mark depends on the one before, so that no event can be removed.
            before = mark
        return events

    def _load(self, text: str, mark: str) -> Model:
        if mark != _mark(text) or type(text) is not str:
            raise self._damaged("a model is not what was written")
        try:
            return Model.from_dict(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"a model: {error}") from None

    def _damaged(self, reason: str) -> RoutingError:
        return RoutingError(
            f"{self.path}: the registry was changed from outside ({reason}): restore a copy"
        )

    def _note(
        self, kind: str, data: Mapping[str, Any], key: tuple[str, str] = ("", "")
    ) -> Happening:
        """Add an event.

        Its time is never before that of the last event. If the clock was set back, the event has
        the time of the clock as `clock`.
        """
        newest = "SELECT at, mark FROM events ORDER BY number DESC LIMIT 1"
        last, before = map(str, self._database.execute(newest).fetchone() or ("", ""))
        clock = now()
        at = max(last, clock)
        if at != clock:
            data = {**data, "clock": clock}
        text = json.dumps(data, sort_keys=True)
        added = self._database.execute(
            "INSERT INTO events (at, kind, model_id, version, data, mark) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (at, kind, *key, text, _mark(before, at, kind, *key, text)),
        )
        # As it is read later: tuples are lists in JSON.
        return Happening(int(added.lastrowid or 0), at, kind, *key, json.loads(text))

    def _read(self, key: tuple[str, str]) -> Model | None:
        query = "SELECT model, mark FROM models WHERE model_id = ? AND version = ?"
        row = self._database.execute(query, key).fetchone()
        return self._load(*row) if row else None

    def _write(self, model: Model) -> None:
        text = json.dumps(model.to_dict(), sort_keys=True)
        row = (*model.key, text, _mark(text))
        self._database.execute("INSERT OR REPLACE INTO models VALUES (?, ?, ?, ?)", row)


def _mark(*parts: object) -> str:
    """Return the hash of some texts."""
    # A blob, which SQLite may return instead of a text, has another `repr` and so another hash.
    return hash_text(json.dumps(parts, default=repr))
