"""Read unified diffs, as `diff -u` and git write them and as models write them from memory.

    --- a/a.py                 the names, which may be left out
    +++ b/a.py
    @@ -3,2 +3,2 @@            the numbers, which may be wrong or left out
    -x = 1
    +x = 3
     y = 2

Each line of a hunk is accounted for: one without a mark is refused, because a line that is lost
silently would change the file. The format is that of GNU diff:
https://www.gnu.org/software/diffutils/manual/#Unified-Format
"""

from __future__ import annotations

from ...patterns.regexes import compile_pattern
from ..diff_lines import Head, has_signed_line, is_head, read_heads, read_hunk
from ..hunks import MAX_HUNKS, Hunk, Reading, Unreadable
from ..lines import Texts, filled_lines
from ..nearest import quote_line

KIND = "unified diff"
RANK = 30

# Lines that tools write above the names of the file.
_TOOL_LINE = compile_pattern(
    r"diff --git [^\n]*|index [0-9a-f]+\.\.[^\n]*|Index: [^\n]*|={60,}|(?:old|new) mode [^\n]*|"
    r"(?:new|deleted) file mode [^\n]*|(?:dis)?similarity index [^\n]*"
)
# git names a file here even if it has no hunk, such as an empty one.
_GIT_NAMES = compile_pattern(r"diff --git a/[^\n]+ b/([^\n]+)")
# git's names for the old and the new side; those of the index, the tree, a commit and an object.
_SIDES = ("a/", "b/", "i/", "w/", "c/", "o/")
_RENAME = compile_pattern(r"rename (from|to) ([^\n]+)")
# What git writes of a symbolic link, a submodule or a copy.
_SPECIAL = compile_pattern(
    r"(?:new file|new|old) mode 1[26]0000|index [^\n ]+ 1[26]0000|copy (?:from|to) [^\n]+"
)
# A file becomes executable, or is no longer so.
_EXECUTABLE = compile_pattern(r"(?:new file|new|old) mode 100755")
NO_FILE = "/dev/null"


def read(content: str, path: str = "") -> Reading | None:
    """Read a unified diff.

    Args:
        content: The content of an edit.
        path: The edited file.

    Returns:
        The reading; None if the content does not begin like a diff.

    Raises:
        Unreadable: A line is not understood, or the diff creates or deletes a file.
    """
    lines = filled_lines(content)
    if not _begins(lines):
        return None
    return _Diff(lines).read()


def names_file(lines: Texts, index: int) -> bool:
    """Return whether the line at an index and the next one name the file of a diff.

    Args:
        lines: The lines of the content.
        index: The index.
    """
    if not lines[index].startswith("--- ") or index + 1 == len(lines):
        return False
    return lines[index + 1].startswith("+++ ")


def name_of(old: str, new: str) -> str:
    """Return the file that the two names of a diff mean, without the prefix of git.

    Args:
        old: The old name.
        new: The new name.
    """
    if not new.startswith(_SIDES):
        return new
    bare_new = new[2:]
    # In both, the same letter is a folder.
    is_side = old.startswith(_SIDES) and old[0] != new[0]
    is_half = new.startswith("b/") and old == bare_new
    return bare_new if is_side or is_half else new


def rename_line(line: str) -> tuple[str, str] | None:
    """Return the word and the name of a line such as `rename to b.py`; None for others."""
    match = _RENAME.fullmatch(line) if line.startswith("rename ") else None
    return None if match is None else (match[1], match[2])


def refuse_special(line: str) -> None:
    """Refuse a line about something that is not the text of one file.

    Args:
        line: The line, outside of hunks.

    Raises:
        Unreadable: It is about a symbolic link, a submodule, a copy or the mode of a file.
    """
    if _SPECIAL.fullmatch(line) is not None:
        raise Unreadable(
            f"the diff makes a copy, a link or a submodule: {quote_line(line)}",
            "use `create` for a copy, and a command for the others",
        )
    if _EXECUTABLE.fullmatch(line) is not None:
        raise Unreadable(
            f"the diff sets the mode of the file: {quote_line(line)}",
            "leave the line out, and use a command such as `chmod +x`",
        )


def file_ends(lines: Texts, index: int, is_counted: bool) -> bool:
    """Return whether a hunk ends before a line because another file begins there.

    Args:
        lines: The lines of the content.
        index: The index of the line.
        is_counted: Whether the hunk has all the lines that its head counts.
    """
    if _TOOL_LINE.fullmatch(lines[index]) is not None:
        return True
    # `--- x` and `+++ y` may be lines of the hunk: the lines `-- x` of SQL and `++ y` of C.
    is_before_head = index + 2 < len(lines) and is_head(lines[index + 2])
    return is_counted and is_before_head and names_file(lines, index)


def _begins(lines: Texts) -> bool:
    if not lines:
        return False
    if names_file(lines, 0):
        return True
    # A head alone is evidence only if signs follow: `@@` begins lines of other languages, too.
    if is_head(lines[0]):
        return has_signed_line(lines)
    if lines[0].startswith("diff --git "):
        return True
    # `=====` and `Index:` begin texts of other kinds, too.
    return _TOOL_LINE.fullmatch(lines[0]) is not None and any(map(is_head, lines))


class _Diff:
    """Reads the lines of a diff."""

    def __init__(self, lines: Texts) -> None:
        self._lines = lines
        self._names: list[str] = []
        self._hunks: list[Hunk] = []

    def read(self) -> Reading:
        """Return the reading.

        Raises:
            Unreadable: A line is not understood.
        """
        index = 0
        while index < len(self._lines):
            line = self._lines[index]
            refuse_special(line)
            if not line.strip() or _TOOL_LINE.fullmatch(line) is not None:
                git_names = _GIT_NAMES.fullmatch(line)
                if git_names is not None:
                    self._names.append(git_names[1])
                index += 1
            elif rename_line(line) is not None:
                raise Unreadable(
                    f"the diff renames the file: {quote_line(line)}",
                    "use `create` for the new file and `delete` for the old one",
                )
            elif names_file(self._lines, index):
                self._names.append(self._name_at(index))
                index += 2
            elif is_head(line):
                head, index = read_heads(self._lines, index)
                index = self._add_hunk(head, index)
            elif self._names and not self._hunks and line.startswith(("-", "+", " ")):
                index = self._add_hunk(Head(), index)  # the first hunk may have no head
            else:
                raise Unreadable(
                    f"line {index + 1} of the diff is not understood: {quote_line(line)}",
                    "begin each hunk with a line that begins with `@@`",
                )
        if not self._hunks:
            raise Unreadable("the diff changes nothing", "begin each hunk with `@@`")
        return Reading(
            KIND, tuple(self._hunks), ordered=True, names=tuple(dict.fromkeys(self._names))
        )

    def _add_hunk(self, head: Head, index: int) -> int:
        if len(self._hunks) == MAX_HUNKS:
            raise Unreadable(f"the diff has more than {MAX_HUNKS} hunks", "write the whole text")
        hunk, end = read_hunk(self._lines, index, head, self._ends)
        if hunk is not None:
            self._hunks.append(hunk)
        return end

    def _ends(self, index: int, is_counted: bool) -> bool:
        return file_ends(self._lines, index, is_counted)

    def _name_at(self, index: int) -> str:
        old, new = (line[4:].partition("\t")[0].strip() for line in self._lines[index : index + 2])
        # A tab separates the name from the time of the file.
        if new == NO_FILE:
            raise Unreadable(f"the diff deletes the file {old}", "use `delete` for that")
        if old == NO_FILE:
            raise Unreadable(f"the diff creates the file {new}", "use `create` for that")
        return name_of(old, new)
