"""Regular expressions as trees: the parts of a format's rule that have no free text.

A tree is made of five kinds of nodes. A reader needs its pattern (`PatternWriter`), and a writer
walks over the nodes, so both use the same tree. `to_json` and `from_json` are for kept tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..patterns.regexes import escape

HIDDEN = "_"  # begins the names of terminals whose text is not a part of an action
SAME = "SAME_"  # SAME_X is the text that X had
CLOSE = "_CLOSE"  # the closing mark that may be missing
FENCE = "_FENCE"  # the opening mark that it closes
LINE_ENDS = ("_NL", "_WS")  # hidden terminals that are written as a line feed, if they can be one


@dataclass(frozen=True, slots=True)
class Text:
    """A literal text."""

    value: str


@dataclass(frozen=True, slots=True)
class Term:
    """A terminal with its pattern."""

    name: str
    pattern: str

    @property
    def same_as(self) -> str:
        """The terminal whose text this one repeats; empty if it repeats none."""
        if not self.name.startswith(SAME):
            return ""
        return self.name.removeprefix(SAME)

    @property
    def is_hidden(self) -> bool:
        """Whether the text is structure only."""
        return self.name.startswith(HIDDEN)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts after each other."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, in order of preference."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Many:
    """A part that is repeated; the sign is `?`, `*` or `+`."""

    part: Expression
    sign: str


Expression: TypeAlias = Text | Term | Sequence | Choice | Many
NOTHING = Sequence(())


def sequence(*parts: Expression) -> Expression:
    """Return parts after each other, without sequences in sequences."""
    # An empty sequence disappears.
    flat: list[Expression] = []
    for part in parts:
        if isinstance(part, Sequence):
            flat += part.parts
        else:
            flat.append(part)
    return Sequence(tuple(flat)) if len(flat) != 1 else flat.pop()


def choice(first: Expression | None, second: Expression) -> Expression:
    """Return one of two alternatives, the first of which may not exist."""
    if first is None or first == second:
        return second
    # Alternatives stay in the order of the grammar.
    earlier = first.parts if isinstance(first, Choice) else (first,)
    return Choice((*earlier, second))


def branches(expression: Expression) -> tuple[Expression, ...]:
    """Return the alternatives of an expression: the expression itself if there is no choice."""
    return expression.parts if isinstance(expression, Choice) else (expression,)


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the parts of an expression."""
    match expression:
        case Sequence(parts) | Choice(parts):
            return parts
        case Many(part, _):
            return (part,)
    return ()


def leaves(expression: Expression) -> Iterator[Text | Term]:
    """Yield the texts and terminals of an expression, in order."""
    if isinstance(expression, Text | Term):
        yield expression
    for part in children(expression):
        yield from leaves(part)


def required_texts(expression: Expression) -> Iterator[str]:
    """Yield texts that every text of an expression contains; neighbors are joined."""
    if isinstance(expression, Text):
        yield expression.value
    elif isinstance(expression, Sequence):
        run = ""
        for part in expression.parts:
            if isinstance(part, Text):
                run += part.value
                continue
            # The literal before a part that varies is complete.
            yield run
            run = ""
            yield from required_texts(part)
        yield run


class PatternWriter:
    """Writes the pattern of an alternation of expressions.

    Attributes:
        groups: By the name of a group, the terminal that it captures.
    """

    def __init__(self) -> None:
        self.groups: dict[str, str] = {}

    def write(self, expression: Expression) -> str:
        """Return the pattern of an expression.

        The text of SAME_X is not known yet: it is written as the name X between null characters.
        """
        match expression:
            case Text(value):
                return escape(value)
            # Null characters do not occur in patterns, so the name is found again.
            case Term(_, pattern) if expression.same_as:
                return f"\0{expression.same_as}\0"
            case Term(name, pattern) if expression.is_hidden and name not in (CLOSE, FENCE):
                return f"(?:{pattern})"
            case Term(name, pattern):
                # Groups are numbered: one terminal may occur several times.
                group = f"g{len(self.groups)}"
                self.groups[group] = name
                return f"(?P<{group}>{pattern})"
            case Sequence(parts):
                return "".join(map(self.write, parts))
            case Choice(parts):
                return f"(?:{'|'.join(map(self.write, parts))})"
            case Many(part, sign):
                return f"(?:{self.write(part)}){sign}"


def to_json(expression: Expression) -> list[Any]:
    """Return an expression as nested lists."""
    match expression:
        case Text(value):
            return ["text", value]
        case Term(name, pattern):
            return ["term", name, pattern]
        case Many(part, sign):
            return ["many", to_json(part), sign]
    kind = "sequence"
    if isinstance(expression, Choice):
        kind = "choice"
    parts = map(to_json, children(expression))
    return [kind, *parts]


def from_json(value: list[Any]) -> Expression:
    """Return the expression of nested lists."""
    match value:
        case ["text", text]:
            return Text(text)
        case ["term", name, pattern]:
            return Term(name, pattern)
        case ["many", part, sign]:
            return Many(from_json(part), sign)
    kind, *parts = value
    expressions = tuple([from_json(part) for part in parts])
    return Choice(expressions) if kind == "choice" else Sequence(expressions)
