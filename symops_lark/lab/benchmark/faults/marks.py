"""The encoder's knowledge of a dialect: its marks, its layout, and its optional forms.

The marks of v1 and v2 are repeated here, so that a mistake of the package cannot hide in its own
measure. `dialects` derives the entries of other dialects from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

LONGEST_FENCE = 8  # signs; a fence has three by default, and grows only if a content requires it


@dataclass(frozen=True)
class Marks:
    """The spelling of one dialect."""

    thought: str
    vital: str
    action: str
    after_action: str
    after_at: str
    after_arrow: str
    open: str
    close: str
    at: str = "@"
    arrow: str = ">"
    question: str = "?"
    error: str = "!"
    end_close: str = ""
    path_key: str = ""
    depends_key: str = ""
    tags: tuple[tuple[str, str], ...] = ()  # plain: the tag of each vital by its letter

    @property
    def starts(self) -> tuple[str, ...]:
        """The beginnings of lines of markup other than delimiters."""
        vitals = [tag for _, tag in self.tags] or [self.vital + letter for letter in "cmfs"]
        # Some dialects have no mark for thoughts.
        starts = filter(None, (self.thought, *vitals, self.action))
        return (*starts, self.question + " ", self.error + " ")

    @property
    def delimiters(self) -> frozenset[str]:
        """The lines that a content cannot have, unless its fence is longer."""
        return frozenset(filter(None, (self.open, self.close, self.end_close)))

    @property
    def signs(self) -> frozenset[str]:
        """The characters that the marks consist of."""
        marks = self.thought + self.vital + self.action + self.at + self.arrow
        return frozenset(marks + self.question + self.error + self.open + self.close)


@dataclass(frozen=True)
class Foreign:
    """The encoder's knowledge of a format that has no dialect.

    Attributes:
        info: The word on a fence around a reply.
        sketch: The text of one action.
        escape: Returns the lines of a content as they are written.
        unescape: Decodes any beginning of a written content.
        joint: The text between the lines of a written content.
        indent: The blanks before each line of a content.
        bare: Whether a line of a content may look like a delimiter.
        lacks: The parts that its actions do not have: `close`, `verb` or `marks`.
    """

    info: str
    sketch: str
    escape: Callable[[str], list[str]] = lambda content: content.split("\n") if content else []
    unescape: Callable[[str], str] = str
    joint: str = "\n"
    indent: str = ""
    bare: bool = True
    lacks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Dialect:
    """A dialect to write and to damage.

    Attributes:
        name: Its name.
        format: The name or file by which the package is asked for it.
        family: The version whose layout it has.
        root: The version that seeds its documents. Dialects with the same root get the same
            documents, as far as they can carry them.
        marks: Its marks.
        forms: Its optional forms.
        spared: Further lines that no content may have.
        foreign: The properties of a format that has no dialect.
    """

    name: str
    format: str
    family: str
    root: str
    marks: Marks
    forms: frozenset[str] = frozenset()
    spared: frozenset[str] = frozenset()
    foreign: Foreign | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def lines(self) -> bool:
        """Whether each part of an action has a separate line."""
        return "lines" in self.forms

    def fence(self, content: str) -> int | None:
        """Return by how many signs the fence around a content must be longer than usual.

        None means that the dialect cannot carry the content.
        """
        # Readers accept blanks after a delimiter.
        rows = {line.rstrip(" \t") for line in content.split("\n")}
        if rows & (self.spared - self.marks.delimiters):
            return None
        if not rows & self.marks.delimiters:
            return 0
        longest = LONGEST_FENCE - 2 if "fences" in self.forms else 1
        for length in range(1, longest):
            if rows.isdisjoint(
                (lengthen(self.marks.open, length), lengthen(self.marks.close, length))
            ):
                return length
        return None


def lengthen(mark: str, count: int) -> str:
    """Return a mark with its last sign repeated, or shortened if the count is negative."""
    return mark + mark[-1] * count if count >= 0 else mark[:count]


# Written by hand; `tests/lab/benchmark` compares the texts with those of the package.
_MARKS = {
    "v1": Marks("~", "#", "$", " ", " ", " ", "--", "--"),
    "v2": Marks(">>", "::", "::", "", "", "", "<<<", ">>>"),
}
KNOWN = {name: Dialect(name, name, name, name, marks) for name, marks in _MARKS.items()}
DIALECTS = tuple(KNOWN)


def find(dialect: str | Dialect) -> Dialect:
    """Return a dialect; texts are the names v1 and v2."""
    return KNOWN[dialect] if isinstance(dialect, str) else dialect


def others(dialect: Dialect) -> Dialect:
    """Return the other version: v1 for all that descend from v2."""
    return KNOWN["v2" if dialect.family == "v1" else "v1"]
