"""Texts in and out: bytes are read and written as they are, so that no line ending is changed on the way."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import click

_STDIN = "-"
_PIECE = 65_536  # bytes


class InputError(click.ClickException):
    """A file or standard input cannot be read as text."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class InputText:
    """A text and what it is called; `path` is None for standard input."""

    name: str
    text: str
    path: str | None = None


def read_texts(files: tuple[str, ...]) -> list[InputText]:
    """Read all files before anything is done with one of them; none means standard input."""
    if files.count(_STDIN) > 1:
        raise click.UsageError("standard input can be read only once")
    return [read_text(name) for name in files or (_STDIN,)]


def read_text(name: str) -> InputText:
    """Read one file, or standard input for `-`; raise `InputError` with the reason if it is no UTF-8 text."""
    shown = "<stdin>" if name == _STDIN else name
    from ..processor import MAX_CHARACTERS

    most = 4 * MAX_CHARACTERS  # no character takes more bytes
    try:
        if name == _STDIN:
            if sys.stdin is not None and sys.stdin.isatty():
                click.echo("symops: reading from the terminal; end with Ctrl-D", err=True)
            data = _binary(sys.stdin).read(most + 1)
        else:
            with open(name, "rb") as stream:
                data = stream.read(most + 1)
    except IsADirectoryError:
        raise InputError(f"{shown}: this is a folder, not a file") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{shown!r}: cannot be read: {error}") from None
    text = _decode(data, shown)
    if len(data) > most or len(text) > MAX_CHARACTERS:
        raise InputError(f"{shown}: the text is longer than the limit of {MAX_CHARACTERS:,} characters")
    return InputText(shown, text, None if name == _STDIN else name)


def _decode(data: bytes, shown: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        guess = " (it looks like UTF-16)" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        message = f"byte 0x{data[error.start]:02x} at offset {error.start} (line {line})"
        raise InputError(f"{shown}: not UTF-8: {message}{guess}") from None


def read_pieces(*, limited: bool = True) -> Iterator[str]:
    """Yield standard input as it arrives; raise `InputError` where it is no UTF-8, or (`limited`) too long."""
    from ..processor import MAX_CHARACTERS

    stream, decoder, done, size = _binary(sys.stdin), codecs.getincrementaldecoder("utf-8")(), 0, 0
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)  # read1 takes what there is
    if sys.stdin.isatty():
        click.echo("symops: reading from the terminal; end with Ctrl-D", err=True)
    while data := read(_PIECE):
        waiting = len(decoder.getstate()[0])
        text = _decode_piece(decoder, data, done - waiting)
        done, size = done + len(data), size + len(text)
        if limited and size > MAX_CHARACTERS:
            raise InputError(
                f"<stdin>: the text is longer than the limit of {MAX_CHARACTERS:,} characters; --events-only has none"
            )
        yield text
    _decode_piece(decoder, b"", done - len(decoder.getstate()[0]))


def _decode_piece(decoder: codecs.IncrementalDecoder, data: bytes, offset: int) -> str:
    try:
        return decoder.decode(data, final=not data)
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x} at offset {offset + error.start}"
        raise InputError(f"<stdin>: not UTF-8: {found}") from None


def write_text(text: str) -> None:
    """Write a text to standard output, byte for byte."""
    _write(_encode(text, "standard output"))


def write_json(value: Any) -> None:
    """Print a value as JSON; a character that UTF-8 cannot carry is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        data = json.dumps(value, indent=2).encode("ascii")
    _write(data + b"\n")


def write_json_line(value: Any) -> None:
    """Print a value as one line of JSON, at once."""
    _write(json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


def write_json_of(texts: list[InputText], values: list[dict[str, Any]]) -> None:
    """Print what was made of one text as an object, of several as a list of objects with the files' names."""
    if len(texts) == 1:
        write_json(values[0])
    else:
        write_json([{"file": text.name, **value} for text, value in zip(texts, values, strict=True)])


def write_file(name: str, text: str) -> None:
    """Write a text to a file, which need not exist; one that does is replaced at once or not at all."""
    if os.path.exists(name) and os.path.isfile(name):
        replace_file(name, text)
    else:
        data = _encode(text, name)
        with open(name, "wb") as stream:
            stream.write(data)


def replace_file(name: str, text: str) -> None:
    """Replace a file's text at once or not at all; its mode stays, and a link keeps pointing to it."""
    path = Path(os.path.realpath(name))
    data = _encode(text, name)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, path.stat().st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _binary(stream: TextIO | None) -> BinaryIO:
    if stream is None:
        raise InputError("standard input or output is closed")
    return stream.buffer


def _write(data: bytes, stream: TextIO | None = None) -> None:
    binary, rest = _binary(stream or sys.stdout), memoryview(data)
    while rest:  # an unbuffered stream (PYTHONUNBUFFERED) may take less than it is given
        rest = rest[binary.write(rest) :]
    binary.flush()


def _encode(text: str, name: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X} at offset {error.start}"
        raise InputError(f"{name}: the text has a character that UTF-8 cannot carry: {found}") from None


def echo(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines for people; what the terminal's encoding lacks becomes a question mark."""
    stream = sys.stderr if err else sys.stdout
    text = "".join(line + "\n" for line in lines)
    _write(text.encode(stream.encoding or "utf-8", "replace"), stream)


def complain(message: str) -> None:
    """Write on standard error what is wrong."""
    from .view import visible

    with contextlib.suppress(OSError):
        echo(["symops: " + visible(message)], err=True)


def silence_stdout() -> None:
    """Let what is still in the buffers of standard output go nowhere."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
