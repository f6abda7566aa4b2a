"""Cache compiled tables as JSON files in the user's cache folder.

Compiling a grammar takes longer than reading most replies, so its tables are kept between programs.

Invariants (tests/test_kept_tables.py):

1. The name of a file is a hash of everything that its tables depend on: the texts, the code that
   compiles them, Python and Lark. So checkouts share files with equal content and never overwrite
   each other's, and a file is never out of date.
2. A file is complete, or it does not exist: it is written under another name, and renamed.
3. A file that is broken, or was made by other means, is compiled and written again.
4. If nothing can be written, nothing is cached, and no error is raised.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from . import resources
from .logs import log_event

_MAX_FILES = 500  # in the folder; the ones that were not used for the longest time are removed
_MAX_BYTES = 20_000_000  # of one file; a longer one was not written by this module
_DAY = 86_400  # seconds
_MAX_AGE = 90 * _DAY  # since a file was used
_MAX_UNFINISHED_AGE = _DAY / 24  # since a file was begun that was never renamed


class KeptTables:
    """The file in the cache for some texts.

    Args:
        kind: The name of the tables; it is the beginning of the file's name.
        rooms: The folders of this package whose code compiles the texts, such as "core/grammar".
            Empty if only the version of the package matters.
        texts: The texts that are compiled.
    """

    def __init__(self, kind: str, rooms: tuple[str, ...], texts: Iterable[str | bytes]) -> None:
        digest = hashlib.sha256(_versions(rooms))
        for text in texts:
            data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
            # With its length: else ("ab", "c") and ("a", "bc") would be the same.
            digest.update(b"%d:" % len(data) + data)
        self._name = f"{kind}-{digest.hexdigest()[:32]}.json"

    def read(self) -> Any:
        """Return the tables that were written; None if there are none, or the file is broken."""
        folder = _folder()
        if folder is None:
            return None
        try:
            data = resources.read_bounded(folder / self._name, _MAX_BYTES)
            seal, _, body = data.partition(b"\n")
            if seal != self._seal(body):
                return None
            value = json.loads(body)
        except (OSError, ValueError, RecursionError):
            return None
        # A file that is in use stays. Its time is set once a day, not at each start.
        with contextlib.suppress(OSError):
            if time.time() - os.stat(folder / self._name).st_mtime > _DAY:
                os.utime(folder / self._name)
        log_event("grammar", "debug", "tables read", file=self._name)
        return value

    def write(self, value: Any) -> None:
        """Write tables. Nothing happens if that is not possible, or if they are not JSON.

        Args:
            value: The tables, as JSON values.
        """
        folder = _folder()
        if folder is None:
            return
        from tempfile import mkstemp

        try:
            body = json.dumps(value).encode()
            # Tuples, or keys that are not strings, would not be read as they were written.
            if json.loads(body) != value:
                return
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, unfinished = mkstemp(".tmp", "", folder)
        except (ValueError, TypeError, RecursionError):
            return
        except OSError as error:
            # Every start compiles again, which takes a second: only a log can explain that.
            log_event(
                "grammar", "warning", "cache not writable", folder=folder, error=error.strerror
            )
            return
        log_event("grammar", "debug", "tables compiled", file=self._name)
        try:
            with open(handle, "wb") as stream:
                stream.write(self._seal(body) + b"\n" + body)
            os.replace(unfinished, folder / self._name)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
        _evict(folder)

    def remember(self, make: Callable[[], Any]) -> Any:
        """Return the tables from the cache, or compile and write them.

        Args:
            make: Compiles the tables. A result of None is not cached.
        """
        value = self.read()
        if value is None:
            self.write(value := make())
        return value

    def _seal(self, body: bytes) -> bytes:
        """Return the first line of the file: a hash, so that a damaged file is noticed."""
        return hashlib.sha256(self._name.encode() + body).hexdigest().encode()


def _folder() -> Path | None:
    folder = resources.cache_folder()
    return folder and folder / "tables"


@cache
def _versions(rooms: tuple[str, ...]) -> bytes:
    """Return a hash of the compiler: of this version, Python, and for some rooms their code."""
    package = str(Path(__file__).parents[2])
    files = [f"{package}/core/ground/version.py"]
    if rooms:
        # Of Lark, one file that contains its version. It is not imported: that takes long.
        lark = find_spec("lark")
        if lark is not None and lark.origin:
            files.append(lark.origin)
        files += _sources(str(resources.find_folder("grammars")))
    for room in rooms:
        files += _sources(f"{package}/{room}")
    digest = hashlib.sha256(str(sys.implementation.cache_tag).encode())
    for path in files:
        with open(path, "rb", buffering=0) as stream:
            digest.update(stream.read())
    return digest.digest()


def _sources(folder: str) -> list[str]:
    """Return the sources and grammars in a folder and all folders below it, sorted."""
    paths = []
    for parent, _, names in os.walk(folder):
        sources = [name for name in names if name.endswith((".py", ".lark"))]
        paths += [f"{parent}/{name}" for name in sources]
    return sorted(paths)


def _evict(folder: Path) -> None:
    """Remove files that are too old or too many, and files that were never finished."""
    now = time.time()
    ages = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                ages.append((now - entry.stat(follow_symlinks=False).st_mtime, entry.path))
    count = 0  # of finished files, the youngest first
    for age, path in sorted(ages):
        count += path.endswith(".json")
        is_abandoned = path.endswith(".tmp") and age > _MAX_UNFINISHED_AGE
        if age > _MAX_AGE or count > _MAX_FILES or is_abandoned:
            with contextlib.suppress(OSError):
                os.unlink(path)
