"""What the encoder knows of a dialect: its marks, its layout, the further forms that it may write.

The marks of v1 and v2 are spelt here once more, so that a mistake of the
package cannot hide behind the same mistake in its measure; other dialects are made of them by `dialects`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

LONGEST_FENCE = 8


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
        """What begins a line of markup other than a delimiter."""
        vitals = [tag for _, tag in self.tags] or [self.vital + letter for letter in "cmfs"]
        return (*filter(None, (self.thought, *vitals, self.action)), self.question + " ", self.error + " ")

    @property
    def delimiters(self) -> frozenset[str]:
        """The lines that a content cannot hold alone."""
        return frozenset(filter(None, (self.open, self.close, self.end_close)))

    @property
    def signs(self) -> frozenset[str]:
        """The characters that the marks are made of."""
        marks = (self.thought, self.vital, self.action, self.at, self.arrow, self.question, self.error)
        return frozenset("".join((*marks, self.open, self.close)))


@dataclass(frozen=True)
class Foreign:
    """What the encoder knows of a format that is no dialect.

    `info` is the word on a fence around a reply, `sketch` the text of one action, `escape` spells a content and
    `unescape` reads any beginning of it. Where contents are `bare`, a line of theirs may look like a delimiter.
    `lacks` names what its actions have not: `close`, `verb` or `marks`.
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
    """A dialect to write and to damage: `format` is what the package is asked for, `family` tells the layout.

    `root` seeds its documents: dialects of one root get the same ones, as far as they can carry them.
    """

    name: str
    format: str
    family: str
    root: str
    marks: Marks
    forms: frozenset[str] = frozenset()
    spared: frozenset[str] = frozenset()  # further lines that no content may hold alone
    foreign: Foreign | None = None  # of a format that is no dialect; then `format` is only its name

    def __str__(self) -> str:
        return self.name

    @property
    def lines(self) -> bool:
        """Whether every part of an action has a line of its own."""
        return "lines" in self.forms

    def fence(self, content: str) -> int | None:
        """Return how many signs longer the fence around a content must be; None if the dialect cannot carry it."""
        alone = {line.rstrip(" \t") for line in content.split("\n")}
        if alone & (self.spared - self.marks.delimiters):
            return None
        longest = LONGEST_FENCE - 2 if "fences" in self.forms else 1
        longer = ({lengthen(self.marks.open, more), lengthen(self.marks.close, more)} for more in range(1, longest))
        fences = chain([self.marks.delimiters], longer)
        return next((more for more, lines in enumerate(fences) if not alone & lines), None)


def lengthen(mark: str, more: int) -> str:
    """Return a mark made longer by its last sign, or shorter; empty if nothing is left."""
    return mark + mark[-1] * more if more >= 0 else mark[:more]


MARKS = {"v1": Marks("~", "#", "$", " ", " ", " ", "--", "--"), "v2": Marks(">>", "::", "::", "", "", "", "<<<", ">>>")}
KNOWN = {name: Dialect(name, name, name, name, marks) for name, marks in MARKS.items()}
DIALECTS = tuple(KNOWN)


def find(dialect: str | Dialect) -> Dialect:
    """Return a dialect by its name: v1 or v2."""
    return KNOWN[dialect] if isinstance(dialect, str) else dialect


def others(dialect: Dialect) -> Dialect:
    """Return the other version: v1 for all that descend from v2."""
    return KNOWN["v2" if dialect.family == "v1" else "v1"]
