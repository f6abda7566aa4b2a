"""The workbench of the mistakes: a reply as lines with roles, and what is expected of it.

Law: a mistake claims the zones that it changes. Two mistakes never change the same zone, so a reply
with several of them stays readable; a mistake that finds nothing free, or that would leave even a
human in doubt, declines (returns False).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..documents import COMMAND_VERBS, Document, Head, Line, Role, layout, write_body
from ..marks import Dialect, Foreign, Marks, find, others
from ..phrases import SYNONYMS

Zone = tuple[int, str] | str
PARTS = ("head", "open", "close", "body", "after", "around")  # of an action, that a mistake may claim
VERBS = sorted({*SYNONYMS, *(word for words in SYNONYMS.values() for word in words)})
_HEADISH = re.compile(
    r"[ \t]*(?:[-*#>•][ \t]*|\d+[.)][ \t]*)*[*`]*(?:::?|\$)?[ \t]*(?:\d+[ \t]+)?"
    rf"(?:{'|'.join(VERBS)})(?:[ \t]+\S|[ \t]*[@:])",
    re.IGNORECASE,
)
_RULE = re.compile(r"[ \t]*(?:-{1,5}|={2,5}|<{1,8}|>{1,8}|[—–_*]{1,4}|`{3,}.*|~{3,}.*|<<<\S*|>>>\S*)[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")


def headish(line: str) -> bool:
    """Return whether a line could be taken for an action head, marks or not."""
    return bool(_HEADISH.match(line))


def fenceish(line: str) -> bool:
    """Return whether a line looks like a Markdown fence."""
    return bool(_FENCE.match(line))


def zone_of(line: Line) -> Zone:
    """Return the zone that a line of markup belongs to."""
    if line.action is not None:
        return line.action, line.role
    return "thoughts" if line.role == "thought" else line.role


@dataclass
class Expected:
    """An action that a reader should find.

    Attributes:
        type: Its verb.
        path: Its path or command.
        contents: The acceptable contents.
        dependencies: Its dependencies.
        required: Whether it must be found.
        cut: Whether it must not be marked as complete.
        partial: Whether only the beginning of the path is known.
        wholes: Complete contents of an action that was cut off. A model that is asked to
            continue gives them.
    """

    type: str
    path: str
    contents: tuple[str | None, ...]
    dependencies: tuple[str, ...]
    required: bool = True
    cut: bool = False
    partial: bool = False
    wholes: tuple[str | None, ...] = ()


@dataclass
class Draft:
    """A reply on its way to being damaged."""

    document: Document
    dialect: Dialect
    lines: list[Line]
    expected: list[Expected]
    newline: str = "\n"
    claims: set[Zone] = field(default_factory=set)

    @classmethod
    def of(cls, document: Document, dialect: str | Dialect, lines: list[Line] | None = None) -> Draft:
        """Return a draft without mistakes.

        Args:
            document: The document.
            dialect: The dialect or format.
            lines: The lines; by default those of the canonical text.
        """
        expected = [Expected(a.type, a.path, (a.content,), a.dependencies) for a in document.actions]
        return cls(document, find(dialect), layout(document, dialect) if lines is None else lines, expected)

    def copy(self) -> Draft:
        """Return an independent copy, to try a mistake on."""
        expected = [Expected(**vars(item)) for item in self.expected]
        lines = [line.copy() for line in self.lines]
        return Draft(self.document, self.dialect, lines, expected, self.newline, set(self.claims))

    @property
    def marks(self) -> Marks:
        """The marks of the dialect that was asked for."""
        return self.dialect.marks

    @property
    def other(self) -> Marks:
        """The marks of the other version."""
        return others(self.dialect).marks

    @property
    def paired(self) -> bool:
        """Whether opener and closer differ, as in v2."""
        return self.dialect.family != "v1"

    @property
    def tagged(self) -> bool:
        """Whether each part of an action has a line and a tag, as in plain."""
        return self.dialect.lines

    @property
    def foreign(self) -> Foreign | None:
        """The properties of its format, if that has no dialect."""
        return self.dialect.foreign

    def text(self) -> str:
        """Return the reply as text."""
        text = "".join(f"{line}{line.end}" for line in self.lines[:-1]) + "".join(map(str, self.lines[-1:]))
        text = text + "\n" if self.document.final_newline else text
        return text.replace("\n", self.newline)

    # ---- looking at it

    def rulish(self, line: str) -> bool:
        """Return whether a line could be taken for a delimiter of this dialect, even a wrong one."""
        signs = line.strip()
        marks = set(self.marks.open + self.marks.close)
        return bool(_RULE.fullmatch(line)) or (0 < len(signs) <= 8 and marks.issuperset(signs))

    def content(self, index: int) -> list[str]:
        """Return the lines of an action's content."""
        content = self.document.actions[index].content
        return content.split("\n") if content else []

    def line(self, index: int, role: Role) -> Line:
        """Return the head, open or close line of an action."""
        return next(line for line in self.lines if line.action == index and line.role == role)

    def head(self, index: int) -> Head:
        """Return the pieces of an action's head."""
        head = self.line(index, "head").head
        assert head is not None
        return head

    def all(self, role: Role) -> list[Line]:
        """Return all lines of a role."""
        return [line for line in self.lines if line.role == role]

    def place(self, line: Line) -> int:
        """Return the index of a line, by identity."""
        return next(i for i, candidate in enumerate(self.lines) if candidate is line)

    @property
    def actions(self) -> range:
        """The indices of all actions."""
        return range(len(self.document.actions))

    @property
    def blocks(self) -> list[int]:
        """The actions that have a block with something in it."""
        return [i for i in self.actions if self.document.actions[i].content]

    @property
    def any_blocks(self) -> list[int]:
        """The actions that have a block, empty ones too."""
        return [i for i in self.actions if self.document.actions[i].content is not None]

    @property
    def files(self) -> list[int]:
        """The actions whose target is a path."""
        return [i for i in self.actions if self.document.actions[i].type not in COMMAND_VERBS]

    def fenced(self, index: int) -> bool:
        """Return whether a content contains delimiters, so that only a longer fence shows its end."""
        if self.foreign is not None:
            signs = (self.marks.open[:3], self.marks.close[:3] or self.marks.open[:3])
            return self.foreign.bare and any(line.lstrip().startswith(signs) for line in self.content(index))
        return bool(self.dialect.fence(self.document.actions[index].content or ""))

    def split(self, index: int) -> bool:
        """Return whether the head of an action takes several lines."""
        head = self.line(index, "head").head
        return head is not None and head.split

    def section_behind(self, index: int) -> Line | None:
        """Return the first line of the section that follows an action, or None at the end."""
        inside = False
        for line in self.lines:
            if line.action == index:
                inside = True
            elif inside and line.role not in {"blank", "frame"}:
                return line
        return None

    # ---- changing it

    def free(self, *zones: Zone) -> bool:
        """Return whether no mistake has touched these zones yet."""
        return self.claims.isdisjoint(zones)

    def claim(self, *zones: Zone) -> bool:
        """Return whether the zones were free; they are the mistake's from now on."""
        if not self.free(*zones):
            return False
        self.claims.update(zones)
        return True

    def choose(self, rng: random.Random, candidates: Iterable[int], *parts: str, split: bool = False) -> list[int]:
        """Return one, some or all of the actions whose parts are free, and claim those parts.

        Blocks are left out if only their delimiters show the end.

        Args:
            rng: The random numbers.
            candidates: The numbers of actions.
            parts: The parts.
            split: Whether heads that take several lines are possible.
        """
        free = [i for i in candidates if self.free(*((i, part) for part in parts))]
        if "head" in parts and not split:
            free = [i for i in free if not self.split(i)]
        if "open" in parts or "close" in parts:
            free = [i for i in free if not self.fenced(i)]
        if not free:
            return []
        kind = rng.random()
        if kind < 0.5:
            free = [rng.choice(free)]
        elif kind < 0.7:
            free = sorted(rng.sample(free, rng.randint(1, len(free))))
        for index in free:
            self.claims.update((index, part) for part in parts)
        return free

    def insert(self, at: int, text: str, role: Role = "prose") -> None:
        """Insert lines of text.

        Args:
            at: The index of the line before which they are inserted.
            text: The lines.
            role: Their role.
        """
        self.lines[at:at] = [Line(role, part) for part in text.split("\n")]

    def remove(self, line: Line) -> None:
        """Remove a line. The part before it on the same line gets its end."""
        place = self.place(line)
        if place and not self.lines[place - 1].end:
            self.lines[place - 1].end = line.end
        del self.lines[place]

    def rewrite(self, index: int, content: str) -> None:
        """Put another content between the delimiters of an action."""
        places = [place for place, line in enumerate(self.lines) if line.action == index and line.role == "body"]
        self.lines[places[0] : places[-1] + 1] = write_body(content, index, self.dialect)
