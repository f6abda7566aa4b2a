"""Read V4A patches, the notation of `apply_patch`.

    *** Begin Patch            this line and the last one may be left out
    *** Update File: a.py
    @@ class A:                lines above the place, which may be left out; several nest
    -x = 1
    +x = 3
    *** End of File            the hunk is at the end of the file
    *** End Patch

Patches of several files, and those that move or delete a file, are split by `splitting` before
they are read here.
"""

from __future__ import annotations

from dataclasses import replace

from ...patterns.regexes import Match, Pattern, compile_pattern
from ..diff_lines import Head, has_signed_line, is_head, read_heads, read_hunk
from ..file_names import is_one_path
from ..hunks import MAX_HUNKS, Hunk, Reading, Unreadable
from ..lines import Texts, filled_lines
from ..nearest import quote_line

KIND = "V4A patch"
RANK = 20

# Models write two stars or more, and some at the end of the line too.
_BEGIN = compile_pattern(r"\*{2,} *Begin Patch(?:[ \t]*\*+)?[ \t]*")
_END = compile_pattern(r"\*{2,} *End Patch(?:[ \t]*\*+)?[ \t]*")
_END_OF_FILE = compile_pattern(r"\*{2,} *End of File(?:[ \t]*\*+)?[ \t]*")
# `*** Update File: a.py`, `** Add File: a.py **`.
_NAME = r"[ \t*]*(?:([^ \t*\n](?:[^\n]*[^ \t*\n])?)[ \t*]*)?"
_FILE = compile_pattern(rf"\*{{2,}} *(Update|Add|Delete) File:{_NAME}")
_MOVE = compile_pattern(rf"\*{{2,}} *Move(?: File)? to:{_NAME}")


def read(content: str, path: str = "") -> Reading | None:
    """Read a V4A patch of one file.

    Args:
        content: The content of an edit.
        path: The edited file.

    Returns:
        The reading; None if the content does not begin like a patch.

    Raises:
        Unreadable: A line is not understood, or the patch moves or deletes the file.
    """
    lines = filled_lines(content)
    if not lines:
        return None
    # The lines above the first hunk are often lost, those at the end rarely.
    is_opened = is_begin(lines[0]) or file_line(lines[0]) is not None
    has_end = is_head(lines[0]) and has_signed_line(lines) and any(map(_is_closing, lines))
    if not is_opened and not has_end:
        return None
    return _Patch(lines, path).read()


def is_begin(line: str) -> bool:
    """Return whether a line is `*** Begin Patch`."""
    return _match(_BEGIN, line) is not None


def is_end(line: str) -> bool:
    """Return whether a line is `*** End Patch`."""
    return _match(_END, line) is not None


def file_line(line: str) -> tuple[str, str] | None:
    """Return the verb and the name of a line such as `*** Update File: a.py`; None for others."""
    match = _match(_FILE, line)
    if match is None:
        return None
    return match[1], match[2] or ""


def move_line(line: str) -> str | None:
    """Return the name in a line such as `*** Move to: b.py`; None for others."""
    match = _match(_MOVE, line)
    if match is None:
        return None
    return match[1] or ""


def _is_closing(line: str) -> bool:
    return is_end(line) or _match(_END_OF_FILE, line) is not None


def _match(pattern: Pattern, line: str) -> Match | None:
    # Few lines of a patch are marks, so the patterns are tried for these alone.
    if not line.startswith("**"):
        return None
    return pattern.fullmatch(line)


def _at_end(hunk: Hunk) -> Hunk:
    """Return a hunk, and each of its readings, as one at the end of the file."""
    choices = tuple(map(_at_end, hunk.choices))
    return replace(hunk, at_end=True, choices=choices)


class _Patch:
    """Reads the lines of a patch."""

    def __init__(self, lines: Texts, path: str) -> None:
        self._lines = lines
        self._path = path
        self._names: list[str] = []
        self._hunks: list[Hunk] = []
        self._added: list[str] | None = None

    def read(self) -> Reading:
        """Return the reading.

        Raises:
            Unreadable: A line is not understood.
        """
        index = 0
        while index < len(self._lines) and not is_end(self._lines[index]):
            index = self._read_line(index)
        for number, line in enumerate(self._lines[index + 1 :], index + 2):
            if line.strip():
                raise Unreadable(f"line {number} of the patch is after its end")
        if self._added is not None and self._hunks:
            raise Unreadable("the patch adds the file and changes it", "write the added file once")
        names = tuple(dict.fromkeys(self._names))
        if self._added is not None:
            return Reading(KIND, text="".join(line + "\n" for line in self._added), names=names)
        if not self._hunks:
            raise Unreadable("the patch changes nothing", "begin each hunk with `@@`")
        return Reading(KIND, tuple(self._hunks), ordered=True, names=names)

    def _read_line(self, index: int) -> int:
        """Read the part that a line begins; return the index after it."""
        line = self._lines[index]
        if not line.strip() or is_begin(line):
            return index + 1
        file = file_line(line)
        if file is not None:
            return self._open_file(*file, index + 1)
        new_name = move_line(line)
        if new_name is not None:
            if not is_one_path(new_name, (self._path, *self._names)):
                raise Unreadable(
                    f"the patch renames the file to {new_name}",
                    "use `create` for the new file and `delete` for the old one",
                )
            return index + 1
        if self._added is None and is_head(line):
            head, index = read_heads(self._lines, index)
            return self._add_hunk(head, index)
        if self._added is None and not self._hunks and line.startswith(("-", "+", " ")):
            return self._add_hunk(Head(), index)  # the first hunk may have no head
        raise Unreadable(
            f"line {index + 1} of the patch is not understood: {quote_line(line)}",
            "begin each hunk with a line that begins with `@@`",
        )

    def _open_file(self, verb: str, name: str, index: int) -> int:
        if verb == "Delete":
            raise Unreadable(f"the patch deletes the file {name}", "use `delete` for that")
        self._names.append(name)
        if verb == "Add":
            if self._added is not None:
                raise Unreadable("the patch adds two files", "write one action for each file")
            # A line without `+` ends the text; it is refused as one that is not understood.
            self._added = []
            while index < len(self._lines) and self._lines[index].startswith("+"):
                self._added.append(self._lines[index][1:])
                index += 1
        return index

    def _add_hunk(self, head: Head, index: int) -> int:
        if len(self._hunks) == MAX_HUNKS:
            raise Unreadable(f"the patch has more than {MAX_HUNKS} hunks", "write the whole text")
        hunk, end = read_hunk(self._lines, index, head, self._ends)
        # Without the marker, new lines that quote nothing have no place.
        is_at_end = end < len(self._lines) and _match(_END_OF_FILE, self._lines[end]) is not None
        if is_at_end:
            end += 1
        if hunk is not None:
            self._hunks.append(_at_end(hunk) if is_at_end else hunk)
        return end

    # The counts are ignored: lines of a patch cannot be mistaken for lines of a hunk.
    def _ends(self, index: int, is_counted: bool) -> bool:
        line = self._lines[index]
        return _is_closing(line) or file_line(line) is not None
