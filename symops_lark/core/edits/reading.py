"""Read the content of an edit: recognize its notation, and return its hunks.

`READERS` has the modules of the folder `notations`, so a new notation is a new file there. Readers
are asked in the order of their rank; those that need the text of the file come last. One wrapping
around the content is removed if there is a notation inside: a Markdown fence, or the here-document
of a shell command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from ..patterns.regexes import compile_pattern
from . import notations
from .file_names import names_in
from .hunks import Reading, Unreadable
from .lines import filled_lines
from .notations import blocks, diffs, v4a

WHOLE_TEXT = "whole text"  # the kind of a content in no notation
# Files whose own text is in a notation: a diff in them is their whole text.
_IS_NOTATION = compile_pattern(r"(?i:[^\n]*\.(?:diff|patch|rej))")
_FENCE = compile_pattern(r"[ \t]*(`{3,}|~{3,})((?:[^`~\n][^`\n]*)?)")
_HERE_DOCUMENT = compile_pattern(
    r"[ \t]*(?:apply_patch|git apply|patch|cat)(?:[ \t](?:[^<\n]|<[^<\n])*)?<<-?[ \t]*"
    r"['\"]?([0-9A-Za-z_]+)(?:[^0-9A-Za-z_\n][^\n]*)?"
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of one notation.

    Attributes:
        kind: The name of the notation.
        rank: Readers with a lower one are asked first.
        read_content: A function of the content, the path and the text of the file.
    """

    kind: str
    rank: int
    read_content: Callable[[str, str, str], Reading | None]


def _make_reader(module: ModuleType) -> Reader:
    if hasattr(module, "read_against"):
        return Reader(module.KIND, module.RANK + 1_000, module.read_against)
    return Reader(module.KIND, module.RANK, lambda content, path, old: module.read(content, path))


def notation_modules() -> tuple[ModuleType, ...]:
    """Return the modules of all notations, in the order of their names."""
    names = sorted(module.name for module in iter_modules(notations.__path__))
    return tuple(import_module(f"{notations.__name__}.{name}") for name in names)


READERS: tuple[Reader, ...] = tuple(
    sorted(map(_make_reader, notation_modules()), key=lambda reader: reader.rank)
)


class UnreadableEdit(Exception):
    """A content is in a notation and breaks its grammar.

    Attributes:
        error: What is wrong.
        kind: The notation.
    """

    def __init__(self, error: Unreadable, kind: str) -> None:
        self.error = error
        self.kind = kind
        super().__init__(error.reason)


def read_edit(content: str, path: str = "", old: str = "") -> Reading | None:
    """Read the content of an edit.

    Args:
        content: The content.
        path: The edited file.
        old: Its text, which a diff without a head and a sketch need.

    Returns:
        The reading; None if the content is in no notation, and so the whole text of the file.

    Raises:
        UnreadableEdit: The content is in a notation and breaks its grammar.
    """
    if _IS_NOTATION.fullmatch(path):
        return None
    candidates = list(unwrap(content, path))
    for reader in READERS:
        for text, names in candidates:
            try:
                reading = reader.read_content(text, path, old)
            except Unreadable as error:
                raise UnreadableEdit(error, reader.kind) from None
            if reading is not None:
                return replace(reading, names=(*reading.names, *names))
    return None


def kind_of(content: str, path: str = "", old: str = "") -> str:
    """Return the notation of a content, such as "unified diff".

    Args:
        content: The content of an edit.
        path: The edited file.
        old: Its text. Without it, a diff without a head and a sketch are not recognized.

    Returns:
        The notation, also of a content that breaks its grammar; else "whole text".
    """
    try:
        reading = read_edit(content, path, old)
    except UnreadableEdit as error:
        return error.kind
    return WHOLE_TEXT if reading is None else reading.kind


def shows_edit(content: str, path: str) -> bool:
    """Return whether a content is in a notation whose marks show it: blocks, a diff or a patch.

    Args:
        content: The content.
        path: The file.
    """
    if _IS_NOTATION.fullmatch(path):
        return False
    for text, _ in unwrap(content, path):
        for read_notation in (blocks.read, diffs.read, v4a.read):
            try:
                reading = read_notation(text, path)
            except Unreadable:
                # It begins like one.
                return True
            if reading is not None:
                return True
    return False


def unwrap(content: str, path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a content, and then the text inside of its wrapping if it has one.

    Args:
        content: The content of an edit.
        path: The edited file.

    Yields:
        A text, and the names of files in the wrapping.
    """
    yield content, ()
    lines = filled_lines(content)
    if len(lines) < 3:
        return
    here_document = _HERE_DOCUMENT.fullmatch(lines[0])
    if here_document is not None and lines[-1].strip() == here_document[1]:
        yield "\n".join(lines[1:-1]) + "\n", ()
        return
    # A fence may have the name of the file after it, or above it.
    for index in (0, 1):
        fence = _FENCE.fullmatch(lines[index])
        names = names_in(lines[: index + 1], path)
        if fence is not None and names is not None and _closes(lines[-1], fence[1]):
            yield "\n".join(lines[index + 1 : -1]) + "\n", tuple(names)
            return


def _closes(line: str, fence: str) -> bool:
    """Return whether a line closes a fence: it has at least its signs, and nothing else."""
    text = line.strip()
    return text.startswith(fence) and not text.strip(fence[0])
