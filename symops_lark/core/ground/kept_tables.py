"""What is compiled of texts, kept as JSON in the user's cache folder: one file for each content.

Laws: a file is named after all that its tables are made of: the texts, the code that compiles them, Python and Lark.
So checkouts share what is alike and never overwrite each other, and what has changed is not found. A file is there
whole or not at all, one that is broken or of somebody else is made anew, and where nothing can be written nothing is
kept.
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

_MOST_FILES, _MOST_BYTES = 500, 20_000_000
_DAY = 86_400
_OLDEST, _UNFINISHED = 90 * _DAY, _DAY / 24  # seconds since a file was used, and since one was begun


class KeptTables:
    """The place of what `rooms` of this package compile of some texts; `kind` tells what they make of them."""

    def __init__(self, kind: str, rooms: tuple[str, ...], texts: Iterable[str | bytes]) -> None:
        digest = hashlib.sha256(_versions(rooms))
        for text in texts:
            data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data) + data)
        self._name = f"{kind}-{digest.hexdigest()[:32]}.json"

    def read(self) -> Any:
        """Return what was written: JSON values; None if nothing was, or if it cannot be read."""
        folder = _folder()
        if folder is None:
            return None
        try:
            seal, _, body = resources.read_bounded(folder / self._name, _MOST_BYTES).partition(b"\n")
            if seal != self._seal(body):
                return None
            value = json.loads(body)
        except (OSError, ValueError, RecursionError):
            return None
        with contextlib.suppress(OSError):
            if time.time() - os.stat(folder / self._name).st_mtime > _DAY:
                os.utime(folder / self._name)  # what is in use stays
        return value

    def write(self, value: Any) -> None:
        """Keep JSON values; that this cannot be done, or that they are none, is no news."""
        folder = _folder()
        if folder is None:
            return
        from tempfile import mkstemp

        try:
            body = json.dumps(value).encode()
            if json.loads(body) != value:
                return
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, unfinished = mkstemp(".tmp", "", folder)
        except (OSError, ValueError, TypeError, RecursionError):
            return
        try:
            with open(handle, "wb") as stream:
                stream.write(self._seal(body) + b"\n" + body)
            os.replace(unfinished, folder / self._name)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
        _evict(folder)

    def remember(self, make: Callable[[], Any]) -> Any:
        """Return what was written before, or else what is made now, and keep it; None is made each time."""
        value = self.read()
        if value is None:
            self.write(value := make())
        return value

    def _seal(self, body: bytes) -> bytes:
        return hashlib.sha256(self._name.encode() + body).hexdigest().encode()


def _folder() -> Path | None:
    folder = resources.cache_folder()
    return folder and folder / "tables"


@cache
def _versions(rooms: tuple[str, ...]) -> bytes:
    """Return a hash of what compiles: this version, Python, and for some rooms their code, our grammars and Lark."""
    package = str(Path(__file__).parents[2])
    lark = find_spec("lark") if rooms else None
    # These two files name the versions of this package and of Lark.
    files = [f"{package}/core/ground/version.py", *([lark.origin] if lark and lark.origin else [])]
    for folder in (str(resources.find_folder("grammars")), *(f"{package}/{room}" for room in rooms)) if rooms else ():
        files += sorted(
            f"{below}/{name}"  # a room with all rooms in it
            for below, _, names in os.walk(folder)
            for name in names
            if name.endswith((".py", ".lark"))
        )
    digest = hashlib.sha256(str(sys.implementation.cache_tag).encode())
    for path in files:
        with open(path, "rb", buffering=0) as stream:
            digest.update(stream.read())
    return digest.digest()


def _evict(folder: Path) -> None:
    """Remove what was not used for long, beyond a number the oldest, and what was never finished."""
    now, ages = time.time(), []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                ages.append((now - entry.stat(follow_symlinks=False).st_mtime, entry.path))
    kept = 0
    for age, path in sorted(ages):
        kept += path.endswith(".json")
        if age > _OLDEST or kept > _MOST_FILES or (path.endswith(".tmp") and age > _UNFINISHED):
            with contextlib.suppress(OSError):
                os.unlink(path)
