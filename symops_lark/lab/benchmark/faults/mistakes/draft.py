"""The workbench of the mistakes: a reply as lines with roles, and what is expected of it.

Law: a mistake claims the zones that it changes. Two mistakes never change the same zone, so a reply
with several of them stays readable; a mistake that finds nothing free, or that would leave even a
human in doubt, declines (returns False).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, product
from random import Random

from ..documents import COMMAND_VERBS, Action, Document, Head, Line, Role, layout, write_body
from ..marks import LONGEST_FENCE, Dialect, Foreign, Marks, find, others
from ..phrases import SYNONYMS

Zone = tuple[int, str] | str
# The parts of an action that a mistake may claim.
PARTS = ("head", "open", "close", "body", "after", "around")
# Models replace verbs by synonyms, so a line that starts with a synonym may be a head, too.
_VERBS = {*SYNONYMS, *chain.from_iterable(SYNONYMS.values())}
_HEADISH = re.compile(
    r"[ \t]*(?:[-*#>•][ \t]*|\d+[.)][ \t]*)*(?:`[*`]*)?(?:(?:::?|\$)[ \t]*)?(?:\d+[ \t]+)?"
    rf"(?:{'|'.join(sorted(_VERBS))})(?:[ \t]+\S|[ \t]*[@:])",
    re.IGNORECASE,
)
# A line of a few equal signs may be a delimiter of the wrong length, or a rule of Markdown.
_RULE = re.compile(
    r"[ \t]*(?:-{1,5}|={2,5}|<{1,8}|>{1,8}|[—–_*]{1,4}|<<<\S*|>>>\S*)[ \t]*|[ \t]*(?:`{3}|~{3}).*"
)
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


def anywhere(draft: Draft, index: int) -> bool:
    """Accept each place."""
    return True


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
    def of(
        cls, document: Document, dialect: str | Dialect, lines: list[Line] | None = None
    ) -> Draft:
        """Return a draft without mistakes.

        Args:
            document: The document.
            dialect: The dialect or format.
            lines: The lines; by default those of the canonical text.
        """
        if lines is None:
            lines = layout(document, dialect)
        expected = [
            Expected(action.type, action.path, (action.content,), action.dependencies)
            for action in document.actions
        ]
        return cls(document, find(dialect), lines, expected)

    def copy(self) -> Draft:
        """Return an independent copy, to try a mistake on."""
        return replace(
            self,
            lines=list(map(Line.copy, self.lines)),
            expected=[replace(item) for item in self.expected],
            claims=set(self.claims),
        )

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
        parts: list[str] = []
        for line in self.lines:
            parts += [str(line), line.end]
        # The document decides how the last line ends.
        text = "".join(parts[:-1])
        if self.document.final_newline:
            text += "\n"
        return text.replace("\n", self.newline)

    # ---- looking at it

    def rulish(self, line: str) -> bool:
        """Return whether a line may be taken for a delimiter of this dialect, even a wrong one."""
        if _RULE.fullmatch(line):
            return True
        signs = line.strip()
        marks = {*self.marks.open, *self.marks.close}
        # Longer lines of the same signs are read as content.
        return 0 < len(signs) <= LONGEST_FENCE and marks.issuperset(signs)

    def action(self, index: int) -> Action:
        """Return an action of the document."""
        return self.document.actions[index]

    def content(self, index: int) -> list[str]:
        """Return the lines of an action's content."""
        content = self.action(index).content
        return content.split("\n") if content else []

    def part(self, index: int, *roles: Role) -> list[Line]:
        """Return the lines of an action that have one of the roles; without roles, all of them."""
        own = [line for line in self.lines if line.action == index]
        return [line for line in own if line.role in roles] if roles else own

    def line(self, index: int, role: Role) -> Line:
        """Return the head, open or close line of an action."""
        return self.part(index, role)[0]

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
        return [i for i in self.actions if self.action(i).content]

    @property
    def any_blocks(self) -> list[int]:
        """The actions that have a block, empty ones too."""
        return [i for i in self.actions if self.action(i).content is not None]

    @property
    def files(self) -> list[int]:
        """The actions whose target is a path."""
        return [i for i in self.actions if self.action(i).type not in COMMAND_VERBS]

    def fenced(self, index: int) -> bool:
        """Return whether a content has delimiters in it, so that only its fence shows its end."""
        if self.foreign is None:
            return bool(self.dialect.fence(self.action(index).content or ""))
        if not self.foreign.bare:
            return False
        # Some formats end a content without a mark. Three signs are enough to look like a mark.
        opener = self.marks.open[:3]
        signs = (opener, self.marks.close[:3] or opener)
        return any(line.lstrip().startswith(signs) for line in self.content(index))

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

    def is_intact(self, index: int) -> bool:
        """Return whether no mistake has touched an action, so that its text is certain."""
        return self.free(*product([index], PARTS))

    def free(self, *zones: Zone) -> bool:
        """Return whether no mistake has touched these zones yet."""
        return self.claims.isdisjoint(zones)

    def claim(self, *zones: Zone) -> bool:
        """Return whether the zones were free; they are the mistake's from now on."""
        if not self.free(*zones):
            return False
        self.claims.update(zones)
        return True

    def choose(
        self,
        rng: Random,
        candidates: Iterable[int],
        *parts: str,
        where: Condition = anywhere,
        split: bool = False,
    ) -> list[int]:
        """Return one, some or all of the actions whose parts are free, and claim those parts.

        Blocks are left out if only their delimiters show the end.

        Args:
            rng: The random numbers.
            candidates: The numbers of actions.
            parts: The parts.
            where: Returns whether an action is possible.
            split: Whether heads that take several lines are possible.
        """
        chosen = [i for i in candidates if self._accepts(i, parts, split) and where(self, i)]
        if not chosen:
            return []
        # Writers err once, now and then, or always.
        share = rng.random()
        if share < 0.5:
            chosen = [rng.choice(chosen)]
        elif share < 0.7:
            count = rng.randint(1, len(chosen))
            chosen = sorted(rng.sample(chosen, count))
        self.claims.update(product(chosen, parts))
        return chosen

    def _accepts(self, index: int, parts: tuple[str, ...], split: bool) -> bool:
        """Return whether a mistake can change these parts of an action."""
        if not self.free(*product([index], parts)):
            return False
        if "head" in parts and not split and self.split(index):
            return False
        is_delimited = "open" in parts or "close" in parts
        return not (is_delimited and self.fenced(index))

    def insert(self, at: int | Line, text: str, role: Role = "prose") -> None:
        """Insert lines of text.

        Args:
            at: The line before which they are inserted, or its index.
            text: The lines.
            role: Their role.
        """
        if isinstance(at, Line):
            at = self.place(at)
        self.lines[at:at] = [Line(role, row) for row in text.split("\n")]

    def append(self, text: str) -> None:
        """Append lines of prose."""
        self.insert(len(self.lines), text)

    def remove(self, line: Line) -> None:
        """Remove a line. The part before it on the same line gets its end."""
        place = self.place(line)
        if place and not self.lines[place - 1].end:
            self.lines[place - 1].end = line.end
        del self.lines[place]

    def rewrite(self, index: int, content: str) -> None:
        """Put another content between the delimiters of an action."""
        body = self.part(index, "body")
        start, last = self.place(body[0]), self.place(body[-1])
        self.lines[start : last + 1] = write_body(content, index, self.dialect)


Condition = Callable[[Draft, int], bool]  # of an action: whether a mistake is possible there
