"""What is kept of a file: its language, its words, its definitions; and why some files are left out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from ...acting.files.entries import Kind
from ...acting.files.protected import REASON, is_protected
from ...acting.files.view import FolderView
from .languages import language_named, load_language
from .symbols import Symbol, broken_lines, read_symbols, read_symbols_of_text
from .words import split_word, words_of

MOST_BYTES = 2_000_000  # of a file that is read; larger ones are data
LONGEST_LINE = 20_000  # bytes of a line in a file that is parsed: longer ones are generated
_NO_CODE = frozenset(
    ("md", "txt", "rst", "json", "yaml", "yml", "toml", "csv", "html", "css", "xml", "svg", "lock", "log")
)


class Reading(NamedTuple):
    """What stands in a file; `left_out` says why it is not read, if it is not."""

    path: str
    hash: bytes = b""
    language: str = ""
    encoding: str = ""
    lines: int = 0
    left_out: str = ""
    words: str = ""
    symbols: Sequence[tuple[Symbol, str]] = ()
    broken: int = 0  # lines that the parser does not get through


class FileReader:
    """Reads files below a root, never by a link."""

    def __init__(self, root: str) -> None:
        self._view = FolderView(root, MOST_BYTES)

    def data(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if it cannot be read, or is too large."""
        try:
            return self._view.look(path).data
        except ValueError:
            return None

    def read(self, path: str) -> Reading:
        """Return what is kept of a file; reading never fails, the reason is told instead.

        Of a protected file only the name is kept, whatever is allowed: no cache on a disk holds its text.
        """
        if is_protected(path):
            return Reading(path, encoding="utf-8", left_out=REASON)
        try:
            found = self._view.look(path)
        except ValueError:
            return Reading(path, left_out="name")
        if found.kind is not Kind.FILE or found.data is None:
            why = "unreadable" if found.kind is not Kind.FILE or self._is_small(path) else "large"
            return Reading(path, left_out=why)
        return read_data(path, found.data)

    def _is_small(self, path: str) -> bool:
        try:
            return os.lstat(os.path.join(self._view.root, path)).st_size <= MOST_BYTES
        except OSError:
            return True


def read_data(path: str, data: bytes) -> Reading:
    """Return what is kept of the bytes of a file."""
    digest = hashlib.blake2b(data, digest_size=16).digest()
    if b"\0" in data:
        return Reading(path, digest, left_out="binary")
    try:
        encoding, text = "utf-8", data.decode()
    except UnicodeDecodeError:  # each byte is a character
        encoding, text = "latin-1", data.decode("latin-1")
    name = language_named(path)
    language = load_language(name) if name else None
    symbols: list[Symbol] = []
    broken = 0
    is_generated = bool(data) and max(map(len, data.split(b"\n"))) > LONGEST_LINE
    if language and not is_generated:
        root = language.parser.parse(data).root_node
        symbols = read_symbols(data, language, root)
        broken = sum(last - first + 1 for first, last in broken_lines(root))
    elif path.rpartition(".")[2].lower() not in _NO_CODE and not is_generated:
        symbols = read_symbols_of_text(text)
    named = [(symbol, " ".join(split_word(symbol.name))) for symbol in symbols]
    way = name if language and not is_generated else ""
    return Reading(
        path, digest, way, encoding, text.count("\n") + 1, "", " ".join(words_of(f"{path}\n{text}")), named, broken
    )
