"""Read a file for the index: its language, words and definitions, or why it is left out."""

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
# Suffixes of files whose text is not searched for definitions.
_NO_CODE = frozenset((
    "md", "txt", "rst", "json", "yaml", "yml", "toml", "csv", "html", "css", "xml", "svg", "lock",
    "log",
))  # fmt: skip


class Reading(NamedTuple):
    """The content of a file for the index; `left_out` is the reason if it was not read."""

    path: str
    hash: bytes = b""
    language: str = ""
    encoding: str = ""
    lines: int = 0
    left_out: str = ""
    words: str = ""
    symbols: Sequence[tuple[Symbol, str]] = ()
    broken: int = 0  # lines with syntax errors


class FileReader:
    """Reads files below a root. It never follows a link."""

    def __init__(self, root: str) -> None:
        self._view = FolderView(root, MOST_BYTES)

    def data(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if it cannot be read, or is too large."""
        try:
            return self._view.look(path).data
        except ValueError:
            return None

    def read(self, path: str) -> Reading:
        """Return the reading of a file. Instead of raising an error, it names the reason.

        A protected file is never read, even if it is allowed, so that no cache holds its text.
        """
        if is_protected(path):
            return Reading(path, encoding="utf-8", left_out=REASON)
        try:
            entry = self._view.look(path)
        except ValueError:
            return Reading(path, left_out="name")
        if entry.kind is Kind.FILE and entry.data is not None:
            return read_data(path, entry.data)
        is_large = entry.kind is Kind.FILE and not self._is_small(path)
        return Reading(path, left_out="large" if is_large else "unreadable")

    def _is_small(self, path: str) -> bool:
        try:
            return os.lstat(os.path.join(self._view.root, path)).st_size <= MOST_BYTES
        except OSError:
            return True


def read_data(path: str, data: bytes) -> Reading:
    """Return the reading of a file with these bytes."""
    digest = hashlib.blake2b(data, digest_size=16).digest()
    if b"\0" in data:
        return Reading(path, digest, left_out="binary")
    encoding = "utf-8"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Latin-1 has a character for each byte, so that columns stay right.
        encoding = "latin-1"
        text = data.decode(encoding)
    words = " ".join(words_of(f"{path}\n{text}"))
    reading = Reading(path, digest, "", encoding, text.count("\n") + 1, "", words)
    if max(map(len, data.split(b"\n"))) > LONGEST_LINE:
        return reading
    name = language_named(path)
    language = load_language(name) if name else None
    symbols = []
    if language:
        root = language.parser.parse(data).root_node
        symbols = read_symbols(data, language, root)
        broken = sum(last - first + 1 for first, last in broken_lines(root))
        reading = reading._replace(language=name, broken=broken)
    elif path.rpartition(".")[2].lower() not in _NO_CODE:
        symbols = read_symbols_of_text(text)
    with_words = [(symbol, " ".join(split_word(symbol.name))) for symbol in symbols]
    return reading._replace(symbols=with_words)
