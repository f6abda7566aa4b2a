"""Read and write texts as bytes, so that no line ending is changed on the way."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO, TypeVar

import click

from .progress import show_progress
from .visibility import escape_json, guard, visible, visible_in_place, visible_line

T = TypeVar("T")
_STDIN = "-"
_PIECE = 65_536  # bytes
_READ = f"{__name__}.read"  # the key in the context of Click: whether standard input was read


class InputError(click.ClickException):
    """A file or standard input cannot be read as text."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class InputText:
    """A text that the user named.

    Attributes:
        name: Its name in messages.
        text: The text.
        path: The file; None for standard input.
    """

    name: str
    text: str
    path: str | None = None


# The result for one text: whether it has no errors, its JSON object, its lines for people.
Report = tuple[bool, Any, Iterable[str]]


def read_texts(files: Sequence[str]) -> list[InputText]:
    """Read all files before any of them is processed; none means standard input.

    Raises:
        UsageError: Standard input is named twice.
    """
    return [read_text(name) for name in files or (_STDIN,)]


def read_text(name: str) -> InputText:
    """Read one file, or standard input for `-`.

    Raises:
        InputError: It cannot be read, is not UTF-8, or is too long.
    """
    from ...core.processor import MAX_CHARACTERS

    limit = 4 * MAX_CHARACTERS  # bytes: no character takes more than 4
    title = _name_input(name)
    data = read_bytes(name, limit + 1)
    text = _decode(data, title)
    if len(data) > limit or len(text) > MAX_CHARACTERS:
        message = f"the text is longer than the limit of {MAX_CHARACTERS:,} characters"
        raise InputError(f"{title}: {message}")
    return InputText(title, text, None if name == _STDIN else name)


def read_bytes(name: str, most: int) -> bytes:
    """Read the beginning of a file, or of standard input for `-`.

    Args:
        name: The file.
        most: The maximum number of bytes.

    Raises:
        InputError: It cannot be read.
    """
    title = _name_input(name)
    try:
        if name == _STDIN:
            return _standard_input().read(most)
        with open(name, "rb") as stream:
            _refuse_output(stream, title)
            return stream.read(most)
    except IsADirectoryError:
        raise InputError(f"{title}: this is a folder, not a file") from None
    except OSError as error:
        raise InputError(f"{title}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{name!r}: cannot be read: {error}") from None


def _name_input(name: str) -> str:
    return "<stdin>" if name == _STDIN else visible_line(name)


def _standard_input() -> BinaryIO:
    """Return standard input, for the only time in a command: its end is not an empty text."""
    context = click.get_current_context(silent=True)
    if context is not None:
        if _READ in context.meta:
            raise click.UsageError("standard input can be read only once")
        context.meta[_READ] = True
    # Without a word the command would seem to hang.
    if sys.stdin.isatty():
        click.echo("symops: reading from the terminal; end with Ctrl-D", err=True)
    stream = sys.stdin.buffer
    _refuse_output(stream, _name_input(_STDIN))
    return stream


def _refuse_output(stream: BinaryIO, title: str) -> None:
    """Refuse to read the file that standard output is written to: the shell has emptied it."""
    try:
        source = os.fstat(stream.fileno())
        output = os.fstat(sys.stdout.fileno())
    except (OSError, AttributeError, ValueError):  # one of them is not a file
        return
    if stat.S_ISREG(source.st_mode) and os.path.samestat(source, output):
        raise InputError(
            f"{title}: the output goes to this file too, and `>` has emptied it before anything "
            "was read: name another file for the output (`symops check --fix` changes files)"
        )


def _decode(data: bytes, title: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = f"byte 0x{data[error.start]:02x} at offset {error.start} (line {line})"
        # Windows tools write UTF-16, with one of these marks at the beginning.
        hint = ""
        if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            hint = " (it looks like UTF-16)"
        raise InputError(f"{title}: not UTF-8: {place}{hint}") from None


def read_pieces(*, limited: bool = True) -> Iterator[str]:
    """Yield standard input as it arrives.

    Args:
        limited: Whether the text may not be longer than the limit of the parsers.

    Raises:
        InputError: It is not UTF-8, or too long.
    """
    from ...core.processor import MAX_CHARACTERS

    stream = _standard_input()
    # `read1` returns the bytes that are there; `read` would wait for a complete piece.
    read_some: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    decoder = codecs.getincrementaldecoder("utf-8")()
    byte_count = 0
    character_count = 0
    while True:
        data = read_some(_PIECE)
        # The decoder keeps the first bytes of a character whose end has not arrived.
        start = byte_count - len(decoder.getstate()[0])
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            place = f"byte 0x{error.object[error.start]:02x} at offset {start + error.start}"
            raise InputError(f"<stdin>: not UTF-8: {place}") from None
        byte_count += len(data)
        character_count += len(text)
        if limited and character_count > MAX_CHARACTERS:
            message = f"the text is longer than the limit of {MAX_CHARACTERS:,} characters"
            raise InputError(f"<stdin>: {message}; --events-only has none")
        if not data:
            return
        yield text


def write_text(text: str) -> None:
    """Write a text to standard output: byte for byte, but on a terminal made visible."""
    if sys.stdout.isatty():
        echo([visible(text.removesuffix("\n"))])
    else:
        _write(_encode(text, "standard output"))


def write_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON, objects by their `to_dict`."""
    from ...core.ground.json_text import spell_json

    text = spell_json(value, indent)
    if sys.stdout.isatty():
        text = escape_json(text)
    _write(text.encode() + b"\n")


def print_result(value: Any, lines: Iterable[str], as_json: bool) -> None:
    """Print a result as JSON, or as lines for people.

    Args:
        value: The result.
        lines: Its lines; they are not read if it is printed as JSON.
        as_json: Whether it is printed as JSON.
    """
    if as_json:
        write_json(value)
    else:
        echo(lines)


def print_each(
    texts: Sequence[InputText], read: Callable[[InputText], Report], as_json: bool
) -> int:
    """Print the report of each text.

    Args:
        texts: The texts.
        read: Returns the report of a text.
        as_json: Whether one JSON value is printed: an object, or for several texts a list of
            objects with the names of the files.

    Returns:
        The exit code: 1 if a text has errors.
    """
    values = []
    code = 0
    # Lines are printed as they come. JSON is one value: nothing is seen before the last text.
    with show_progress("reading", len(texts), quiet=not as_json) as step:
        for number, text in enumerate(texts, 1):
            is_well, value, lines = read(text)
            if not is_well:
                code = 1
            if as_json:
                members = value if isinstance(value, dict) else value.to_dict()
                values.append({"file": text.path or text.name, **members})
                step(number, len(texts))
            else:
                echo(lines)
    if as_json and len(values) == 1:
        del values[0]["file"]
        write_json(values[0])
    elif as_json:
        write_json(values)
    return code


def write_file(name: str, text: str) -> None:
    """Write a text to a file; an existing one is replaced at once or not at all.

    Its mode stays, and a link still points to it.
    """
    data = _encode(text, name)
    path = Path(os.path.realpath(name))
    # A new file, or a device or pipe, which cannot be replaced.
    if not path.is_file():
        Path(name).write_bytes(data)
        return
    from tempfile import mkstemp

    handle, temporary = mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            # Before the rename: after a crash the file must not be empty.
            os.fsync(stream.fileno())
        os.chmod(temporary, path.stat().st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_forms(report: T, forms: Sequence[tuple[str | None, Callable[[T], str]]]) -> None:
    """Write a report in each form that has a file, or print it in the first form.

    Args:
        report: The report.
        forms: The file of each form (`-` is standard output; None: no file), and its writer.
    """
    chosen = [(name, write) for name, write in forms if name]
    for name, write in chosen or [(_STDIN, forms[0][1])]:
        # A report resamples its records, which takes seconds.
        with show_progress("making the report"):
            text = write(report)
        if name == _STDIN:
            write_text(text)
        else:
            write_file(name, text)


def _write(data: bytes, stream: TextIO | None = None) -> None:
    binary = (stream or sys.stdout).buffer
    remaining = memoryview(data)
    # An unbuffered stream (PYTHONUNBUFFERED) may accept only a part.
    while remaining:
        remaining = remaining[binary.write(remaining) :]
    binary.flush()


def _encode(text: str, name: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        character = f"U+{ord(text[error.start]):04X} at offset {error.start}"
        message = f"the text has a character that UTF-8 cannot carry: {character}"
        raise InputError(f"{name}: {message}") from None


def echo(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines for people; a character that the terminal lacks becomes a question mark."""
    stream = sys.stderr if err else sys.stdout
    is_terminal = stream.isatty()
    text = "".join(guard(line, is_terminal) + "\n" for line in lines)
    _write(text.encode(stream.encoding or "utf-8", "replace"), stream)


def complain(message: str) -> None:
    """Write an error or a warning on standard error."""
    # A closed standard error must not hide the exit code.
    with contextlib.suppress(OSError):
        first, *following = f"symops: {message}".split("\n")
        echo([visible(first), *map(visible_in_place, following)], err=True)


class _ClosedInput(io.FileIO):
    def readinto(self, *_: object) -> NoReturn:
        raise OSError(errno.EBADF, "it is closed", "standard input")

    readall = readinto


def open_missing_streams() -> None:
    """Open the standard streams that the caller of the process has closed (`>&-`).

    Output is then discarded. Reading is an error: a closed input is not an empty text. The numbers
    of the streams are taken as well, so that no other file gets them, and no message goes there.
    """
    if sys.stdin is None:
        raw = _ClosedInput(os.devnull)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = _open_nothing()
    if sys.stderr is None:
        sys.stderr = _open_nothing()


def _open_nothing() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def silence_stdout() -> None:
    """Discard the text in the buffers of standard output, which nothing reads any more."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(device, sys.stdout.fileno())
        os.close(device)
