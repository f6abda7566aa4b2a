"""Show the files that a request is about, within a budget of tokens.

Each file is named with its size, and its text is between tags that do not occur in it. A file that
does not fit is cut at a line's end or left out, and the list of files has a note about it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.edits import show_anchors
from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import counted
from ...core.text.source import lines_with_endings
from .template import enclose, quote
from .tokens import TokenCounter, load_counter

_BYTES_PER_TOKEN = 64  # longer texts are not tried: only runs of blanks have more bytes a token


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
        notes: The names of files that are cut or left out, each with a note about it.
        tokens: The tokens of the text. None: there was no budget to count for.
        ranges: The lines that are shown, from 1: the name, the first and the last one.
    """

    text: str
    notes: tuple[tuple[str, str], ...]
    tokens: int | None = None
    ranges: tuple[tuple[str, int, int], ...] = ()


def make_file(name: str, data: str | bytes | None) -> ContextFile:
    """Return a file with its content.

    Args:
        name: Its name.
        data: Its content. Bytes that are not UTF-8 text, or contain a NUL, are not shown.

    Raises:
        SymOpsError: It is neither a text nor bytes.
    """
    if data is None:
        return ContextFile(name)
    if isinstance(data, str):
        return ContextFile(name, data, len(data.encode("utf-8", "surrogatepass")))
    if not isinstance(data, bytes):
        kind = type(data).__name__
        raise SymOpsError(f"the content of the file {name!r} is a text or bytes, not {kind}")
    # Text in UTF-16 has these, too.
    if b"\0" in data:
        return ContextFile(name, None, len(data), "binary, so it is not shown")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ContextFile(name, None, len(data), "not UTF-8 text, so it is not shown")
    return ContextFile(name, text, len(data))


def read_files(files: Any) -> tuple[ContextFile, ...]:
    """Return the files of a context.

    Args:
        files: A mapping of names to contents, or a list of names or files.

    Raises:
        SymOpsError: It is something else.
    """
    if isinstance(files, Mapping):
        return tuple(make_file(str(name), data) for name, data in files.items())
    # The characters of a text are not names.
    if isinstance(files, str) or not isinstance(files, Iterable):
        expected = "a list of names, or a mapping of names to contents"
        raise SymOpsError(f"the files of a context are {expected}, not {type(files).__name__}")
    return tuple(
        file if isinstance(file, ContextFile) else ContextFile(str(file)) for file in files
    )


def show_files(
    files: Sequence[ContextFile],
    budget: int | None = None,
    counter: TokenCounter | None = None,
    *,
    with_anchors: bool = False,
) -> ShownFiles:
    """Return the list of files and their texts.

    Args:
        files: The files. If the budget is small, the first ones are shown.
        budget: The maximum number of tokens. None: no limit.
        counter: Counts the tokens. None: the default counter.
        with_anchors: Whether each line has its number and hash before it.

    Raises:
        SymOpsError: Not even the names fit in the budget.
    """
    views = [_View(file, with_anchors) for file in files]
    if budget is None:
        for view in views:
            view.count = len(view.lines)
        return _finish(views, None)
    # Loading a tokenizer takes a second: without a budget none is loaded.
    count = (counter or load_counter()).count
    # All names are listed: a model must know which files exist.
    least = count(_compose(views))
    if least > budget:
        names = counted(len(files), "file alone take", "files alone take")
        tokens = counted(budget, "token")
        raise SymOpsError(f"a budget of {tokens} is too small: the names of {names} {least}")

    for view in views:
        _grow(view, views, budget, count)
    return _finish(views, count(_compose(views)))


class _View:
    """A file, with the number of lines that are shown.

    Attributes:
        file: The file.
        lines: The lines that may be shown. A range outside the file has none.
        total: Number of lines of the file.
        count: Number of lines that are shown.
    """

    def __init__(self, file: ContextFile, with_anchors: bool) -> None:
        self.file = file
        self.lines = file.all_lines
        self.total = len(self.lines)
        self.count = 0
        if with_anchors:
            # Of the whole file, even if it is cut: the hash of a line covers the next one.
            self.lines = lines_with_endings(show_anchors(file.text or ""))
        if file.lines is not None:
            self.lines = self.lines[file.start : max(file.lines[1], 0)]

    @property
    def note(self) -> str:
        """What is not shown of the file; empty if it is shown completely."""
        file = self.file
        if file.note or file.text is None:
            return file.note
        is_cut = self.count < len(self.lines)
        if not is_cut and self.count == self.total:
            return ""
        if not self.count:
            return "left out, there is no room for it"
        word = "cut, " if is_cut else ""
        return f"{word}only lines {file.start + 1:,} to {file.start + self.count:,} are shown"

    def row(self) -> str:
        """Return the line of the file in the list of files."""
        file = self.file
        facts = []
        if file.text is not None:
            facts.append(counted(self.total, "line"))
        if file.size is not None:
            facts.append(counted(file.size, "byte"))
        # A line end in a name would begin another line of the prompt.
        name = quote(file.name if file.name.isprintable() else ascii(file.name))
        size = f" ({', '.join(facts)})" if facts else ""
        note = f": {self.note}" if self.note else ""
        return f"- {name}{size}{note}\n"

    def show(self) -> str:
        """Return the lines of the file between tags; empty if none are shown."""
        file = self.file
        if file.text is None or (self.lines and not self.count):
            return ""
        # Of the part that is shown, so that the model does not take it for the file.
        attributes = {"path": file.name}
        if self.count < self.total:
            attributes["lines"] = f"{file.start + 1}-{file.start + self.count} of {self.total}"
        # The closing tag is on a separate line, so a missing line end cannot be seen.
        if self.lines and self.count == len(self.lines) and not self.lines[-1].endswith("\n"):
            attributes["newline_at_end"] = "no"
        return "\n" + enclose("file", "".join(self.lines[: self.count]), **attributes)


def _grow(view: _View, views: Sequence[_View], budget: int, count: Callable[[str], int]) -> None:
    """Show as many lines of a file as fit in the budget, beside those of the files before it."""

    def is_too_much(lines: int) -> bool:
        view.count = lines
        return count(_compose(views)) > budget

    high = 0
    size = 0
    # More lines than this never fit, and need not be counted.
    while high < len(view.lines) and size <= budget * _BYTES_PER_TOKEN:
        size += len(view.lines[high])
        high += 1
    # Most files fit completely.
    if is_too_much(high):
        view.count = bisect_left(range(1, high), True, key=is_too_much)


def _compose(views: Sequence[_View]) -> str:
    # The list is first: it is complete even if the texts are cut.
    return "".join([view.row() for view in views] + [view.show() for view in views])


def _finish(views: Sequence[_View], tokens: int | None) -> ShownFiles:
    notes = tuple((view.file.name, view.note) for view in views if view.note)
    ranges = []
    for view in views:
        start = view.file.start
        if view.count:
            ranges.append((view.file.name, start + 1, start + view.count))
    return ShownFiles(_compose(views), notes, tokens, tuple(ranges))
