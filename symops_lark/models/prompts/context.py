"""The files that a request is about, shown within a budget of tokens.

Every file is named with its size. Its text stands between tags that do not occur in it. What does not fit is cut at a
line's end or left out, and the list says so: nothing is missing silently.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.edits import show_anchors
from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import counted
from ...core.text.source import lines_with_endings
from .template import enclose, quote
from .tokens import TokenCounter, load_counter

_BYTES_PER_TOKEN = 64  # no more than this is tried: only runs of blanks take more


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file to show, or some of its lines.

    Attributes:
        name: Its name.
        text: Its text. None: only the name is shown.
        size: Its size in bytes. None: unknown.
        note: Why the text is not shown. Empty: no reason.
        lines: The first and the last line to show, from 1. None: all lines.
    """

    name: str
    text: str | None = None
    size: int | None = None
    note: str = ""
    lines: tuple[int, int] | None = None

    @property
    def all_lines(self) -> list[str]:
        """The lines of the whole file."""
        return lines_with_endings(self.text or "")

    @property
    def start(self) -> int:
        """The number of lines before the first one to show."""
        return max(self.lines[0], 1) - 1 if self.lines is not None else 0


@dataclass(frozen=True, slots=True)
class ShownFiles:
    """The text that shows files.

    Attributes:
        text: The text.
        notes: The names of files that are cut or left out, each with what of it is shown.
        tokens: The tokens of the text. None: there was no budget to count for.
        ranges: The lines that are shown, from 1: the name, the first and the last one.
    """

    text: str
    notes: tuple[tuple[str, str], ...]
    tokens: int | None = None
    ranges: tuple[tuple[str, int, int], ...] = ()


def make_file(name: str, data: str | bytes | None) -> ContextFile:
    """Return a file of its content; bytes that are no UTF-8 text, or hold a NUL, are only named."""
    if data is None:
        return ContextFile(name)
    if isinstance(data, str):
        return ContextFile(name, data, len(data.encode("utf-8", "surrogatepass")))
    if b"\0" in data:
        return ContextFile(name, None, len(data), "binary, so it is not shown")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ContextFile(name, None, len(data), "not UTF-8 text, so it is not shown")
    return ContextFile(name, text, len(data))


def read_files(files: Any) -> tuple[ContextFile, ...]:
    """Return files of what a caller gives: a mapping of names to contents, or names, or files."""
    if isinstance(files, Mapping):
        return tuple(make_file(str(name), data) for name, data in files.items())
    if isinstance(files, str) or not isinstance(files, Iterable):
        raise SymOpsError(
            f"the files of a context are a list of names, or a mapping of names to contents, not {type(files).__name__}"
        )
    return tuple(file if isinstance(file, ContextFile) else ContextFile(str(file)) for file in files)


def show_files(
    files: Sequence[ContextFile],
    budget: int | None = None,
    counter: TokenCounter | None = None,
    *,
    with_anchors: bool = False,
) -> ShownFiles:
    """Return the list of files and their texts in at most `budget` tokens; the first files come first.

    With anchors, each line has its number and hash before it. Raises `SymOpsError` if not even the names fit.
    """
    texts = [file.text or "" for file in files]
    if with_anchors:
        # The hashes of all lines, also if the file is cut: that of a line covers the next one.
        texts = [show_anchors(text) for text in texts]
    lines = [_select(file, lines_with_endings(text)) for file, text in zip(files, texts, strict=True)]
    everything = [len(own) for own in lines]
    if budget is None:
        text = _compose(files, lines, everything)
        return ShownFiles(text, _notes(files, everything, lines), None, _ranges(files, everything))
    count = (counter or load_counter()).count
    kept = [0 for _ in files]
    least = count(_compose(files, lines, kept))
    if least > budget:
        raise SymOpsError(
            f"a budget of {counted(budget, 'token')} is too small: the names of "
            f"{counted(len(files), 'file alone take', 'files alone take')} {least}"
        )
    for index in range(len(files)):
        _grow(index, files, lines, kept, budget, count)
    text = _compose(files, lines, kept)
    return ShownFiles(text, _notes(files, kept, lines), count(text), _ranges(files, kept))


def _ranges(files: Sequence[ContextFile], kept: Sequence[int]) -> tuple[tuple[str, int, int], ...]:
    pairs = zip(files, kept, strict=True)
    return tuple((file.name, file.start + 1, file.start + most) for file, most in pairs if most)


def _select(file: ContextFile, lines: list[str]) -> list[str]:
    """Return the lines of a file that are to be shown; a range outside the file has none."""
    return lines if file.lines is None else lines[file.start : max(file.lines[1], 0)]


def _grow(
    index: int, files: Sequence[ContextFile], lines: Sequence[list[str]], kept: list[int], budget: int, count: Any
) -> None:
    """Show as many lines of a file as fit: all of them, or the most that leave the whole within the budget."""
    high, size = 0, 0
    while high < len(lines[index]) and size <= budget * _BYTES_PER_TOKEN:
        size += len(lines[index][high])
        high += 1

    def is_too_much(most: int) -> bool:
        kept[index] = most
        return bool(count(_compose(files, lines, kept)) > budget)

    if is_too_much(high):  # most files fit
        kept[index] = bisect_left(range(1, high), True, key=is_too_much)


def _notes(
    files: Sequence[ContextFile], kept: Sequence[int], lines: Sequence[list[str]]
) -> tuple[tuple[str, str], ...]:
    found = ((file.name, _note(file, kept[i], len(lines[i]))) for i, file in enumerate(files))
    return tuple((name, note) for name, note in found if note)


def _note(file: ContextFile, kept: int, lines: int) -> str:
    if file.note or file.text is None:
        return file.note
    if file.lines is None and kept == lines:
        return ""
    if not kept:
        return "left out, there is no room for it"
    if kept == lines and kept == len(file.all_lines):
        return ""
    word = "cut, " if kept < lines else ""
    return f"{word}only lines {file.start + 1:,} to {file.start + kept:,} are shown"


def _compose(files: Sequence[ContextFile], lines: Sequence[list[str]], kept: Sequence[int]) -> str:
    listed, shown = [], []
    for file, own, most in zip(files, lines, kept, strict=True):
        total = len(own) if file.lines is None else len(file.all_lines)
        facts = [counted(total, "line")] if file.text is not None else []
        facts += [counted(file.size, "byte")] if file.size is not None else []
        note = _note(file, most, len(own))
        name = quote(file.name if file.name.isprintable() else ascii(file.name))
        size = f" ({', '.join(facts)})" if facts else ""
        listed.append(f"- {name}{size}" + (f": {note}\n" if note else "\n"))
        if file.text is not None and (most or not own):
            more = {"lines": f"{file.start + 1}-{file.start + most} of {total}"} if most < total else {}
            if own and most == len(own) and not own[-1].endswith("\n"):
                more["newline_at_end"] = "no"
            shown.append("\n" + enclose("file", "".join(own[:most]), path=file.name, **more))
    return "".join((*listed, *shown))
