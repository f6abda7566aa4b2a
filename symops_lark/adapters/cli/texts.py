"""Texts in and out: bytes are read and written as they are, so that no line ending is changed on the way."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar

import click

from .progress import show_progress
from .visibility import escape_json, guard, visible, visible_in_place, visible_line

T = TypeVar("T")
_STDIN = "-"
_PIECE = 65_536  # bytes


class InputError(click.ClickException):
    """A file or standard input cannot be read as text."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class InputText:
    """A text and what it is called in messages; `path` is None for standard input."""

    name: str
    text: str
    path: str | None = None


Told = tuple[bool, Any, Iterable[str]]  # of one text: whether all is well, its JSON object, lines for people


def read_texts(files: Sequence[str]) -> list[InputText]:
    """Read all files before anything is done with one of them; none means standard input."""
    if files.count(_STDIN) > 1:
        raise click.UsageError("standard input can be read only once")
    return [read_text(name) for name in files or (_STDIN,)]


def read_text(name: str) -> InputText:
    """Read one file, or standard input for `-`; raise `InputError` with the reason if it is no UTF-8 text."""
    from ...core.processor import MAX_CHARACTERS

    shown = "<stdin>" if name == _STDIN else visible_line(name)
    data = read_bytes(name, 4 * MAX_CHARACTERS + 1)  # no character takes more bytes
    text = _decode(data, shown)
    if len(data) > 4 * MAX_CHARACTERS or len(text) > MAX_CHARACTERS:
        raise InputError(f"{shown}: the text is longer than the limit of {MAX_CHARACTERS:,} characters")
    return InputText(shown, text, None if name == _STDIN else name)


def read_bytes(name: str, most: int) -> bytes:
    """Read at most so many bytes of a file, or of standard input for `-`; raise `InputError` with the reason."""
    shown = "<stdin>" if name == _STDIN else visible_line(name)
    try:
        if name == _STDIN:
            return _standard_input().read(most)
        with open(name, "rb") as stream:
            _expect_no_output(stream, shown)
            return stream.read(most)
    except IsADirectoryError:
        raise InputError(f"{shown}: this is a folder, not a file") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{name!r}: cannot be read: {error}") from None


def _standard_input() -> BinaryIO:
    if sys.stdin is not None and sys.stdin.isatty():
        click.echo("symops: reading from the terminal; end with Ctrl-D", err=True)
    _expect_no_output(stream := _binary(sys.stdin), "<stdin>")
    return stream


def _expect_no_output(stream: BinaryIO, shown: str) -> None:
    """Refuse to read a file that is written to at the same time: by `> FILE` the shell has emptied it before."""
    try:
        here, there = os.fstat(stream.fileno()), os.fstat(sys.stdout.fileno())
    except (OSError, AttributeError, ValueError):  # one of them is no file
        return
    if stat.S_ISREG(here.st_mode) and os.path.samestat(here, there):
        raise InputError(
            f"{shown}: the output goes to this file too, and `>` has emptied it before anything was read: name another "
            "file for the output (`symops check --fix` changes files)"
        )


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
    from ...core.processor import MAX_CHARACTERS

    stream, decoder, done, size = _standard_input(), codecs.getincrementaldecoder("utf-8")(), 0, 0
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)  # read1 takes what there is
    for data in chain(iter(partial(read, _PIECE), b""), [b""]):  # the last one ends the text
        offset = done - len(decoder.getstate()[0])
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            found = f"byte 0x{error.object[error.start]:02x} at offset {offset + error.start}"
            raise InputError(f"<stdin>: not UTF-8: {found}") from None
        done, size = done + len(data), size + len(text)
        if limited and size > MAX_CHARACTERS:
            raise InputError(
                f"<stdin>: the text is longer than the limit of {MAX_CHARACTERS:,} characters; --events-only has none"
            )
        if data:
            yield text


def write_text(text: str) -> None:
    """Write a text to standard output: byte for byte, but on a terminal made visible."""
    if _is_terminal(sys.stdout):
        echo([visible(text.removesuffix("\n"))])
    else:
        _write(_encode(text, "standard output"))


def write_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON, objects by their `to_dict`."""
    from ...core.ground.json_text import spell_json

    text = spell_json(value, indent)
    if _is_terminal(sys.stdout):
        text = escape_json(text)
    _write(text.encode() + b"\n")


def tell(value: Any, lines: Iterable[str], as_json: bool) -> None:
    """Print a value as JSON, or lines for people."""
    if as_json:
        write_json(value)
    else:
        echo(lines)


def tell_each(texts: Sequence[InputText], read: Callable[[InputText], Told], as_json: bool) -> int:
    """Print what `read` tells of each text: JSON (several as a list, with the files' names), or lines for people.

    Return the exit code: 1 unless all is well.
    """
    values, code = [], 0
    # Lines are printed as they come. JSON is one value, so nothing is seen before the last text.
    with show_progress("reading", len(texts)) if as_json else contextlib.nullcontext() as step:
        for number, text in enumerate(texts, 1):
            is_well, value, lines = read(text)
            code = code if is_well else 1
            if step is None:
                echo(lines)
            else:
                values.append(value if isinstance(value, dict) else value.to_dict())
                step(number, len(texts))
    if as_json:
        named = ({"file": text.path or text.name, **value} for text, value in zip(texts, values, strict=True))
        write_json(values[0] if len(texts) == 1 else list(named))
    return code


def write_file(name: str, text: str) -> None:
    """Write a text to a file, which need not exist; one that does is replaced at once or not at all."""
    if os.path.exists(name) and os.path.isfile(name):
        replace_file(name, text)
    else:
        data = _encode(text, name)
        with open(name, "wb") as stream:
            stream.write(data)


def write_forms(report: T, forms: Sequence[tuple[str | None, Callable[[T], str]]]) -> None:
    """Write a report in each form that has a file (`-` is standard output), or print it in the first if none has."""
    for name, write in [(name, write) for name, write in forms if name] or [("-", forms[0][1])]:
        # A report is drawn by resampling, which takes seconds.
        with show_progress("making the report"):
            text = write(report)
        if name == "-":
            write_text(text)
        else:
            write_file(name, text)


def replace_file(name: str, text: str) -> None:
    """Replace a file's text at once or not at all; its mode stays, and a link keeps pointing to it."""
    from tempfile import mkstemp

    path = Path(os.path.realpath(name))
    data = _encode(text, name)
    handle, temporary = mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
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
    is_terminal = _is_terminal(stream)
    text = "".join(guard(line, is_terminal) + "\n" for line in lines)
    _write(text.encode(stream.encoding or "utf-8", "replace"), stream)


def complain(message: str) -> None:
    """Write on standard error what is wrong."""
    with contextlib.suppress(OSError):
        first, *rest = f"symops: {message}".split("\n")
        echo([visible(first), *map(visible_in_place, rest)], err=True)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def silence_stdout() -> None:
    """Let what is still in the buffers of standard output go nowhere."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
