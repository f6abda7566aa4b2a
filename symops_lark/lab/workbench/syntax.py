"""The definitions of a strict grammar as parts: literals, references, sequences, choices, loops.

Rules and terminals come from the trees that Lark loads. Simple regular expressions in them are
parsed (literals, classes, groups, alternatives, repetitions: the portable subset of the built-in
grammars), others remain one part.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A rule or terminal by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A class of characters, or a regular expression that is not parsed, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class InOrder:
    """Parts one after the other; none is the empty text."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """Alternatives."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A part that is repeated.

    Attributes:
        part: The part.
        least: The smallest number of times.
        most: The greatest number of times; None if there is no limit.
        between: The part between each two of them, if there is one.
    """

    part: Part
    least: int
    most: int | None
    between: Part | None = None


Part = Literal | Reference | Pattern | InOrder | OneOf | Repeated


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or a terminal, with its part."""

    name: str
    is_rule: bool
    part: Part

    @property
    def literal(self) -> str | None:
        """The text of a terminal that is one fixed text: a mark or a verb."""
        if self.is_rule or not isinstance(self.part, Literal):
            return None
        return self.part.text


def read_definitions(dialect: WrittenDialect) -> dict[str, Definition]:
    """Return the definitions of a dialect by name: rules, then terminals, in the order of the file.

    Raises `GrammarError` if the grammar cannot be loaded.
    """
    rules, terminals = dialect.definitions
    # Lark puts the tree of a terminal into those that refer to it. It is the same object, so it can
    # be recognized.
    names = {id(tree): name for name, tree in terminals.items()}
    definitions = {}
    for name, tree in rules.items():
        definitions[name] = Definition(name, True, _convert(tree, names))
    for name, tree in terminals.items():
        part: Part = Pattern(f"declared only: {name}")
        if tree is not None:
            part = _convert(tree, names, top=True)
        definitions[name] = Definition(name, False, part)
    return definitions


# ---- from Lark's trees


def _convert(node: Any, names: Mapping[int, str], top: bool = False) -> Part:
    if not top and id(node) in names:
        return Reference(names[id(node)])
    # A leaf is a token.
    kind = getattr(node, "data", None)
    if kind is None:
        return _convert_leaf(node)
    children = node.children
    match str(kind):
        case "expansions":
            return one_of([_convert(child, names) for child in children])
        case "expansion":
            return in_order([_convert(child, names) for child in children])
        case "maybe":
            return Repeated(_convert(children[0], names), 0, 1)
        case "range":
            return Pattern(" to ".join(map(str, children)))
        case "expr":
            part = _convert(children[0], names)
            sign = str(children[1])
            # Without a sign, the numbers of times are the last children: `~2` or `~2..3`.
            times = _REPETITIONS.get(sign) or (int(children[2]), int(children[-1]))
            return Repeated(part, *times)
        case _:
            # A value, literal, alias or template: its first child is the part.
            return _convert(children[0], names)


def _convert_leaf(node: Any) -> Part:
    kind = getattr(node, "type", "")
    text = str(node)
    if kind not in ("STRING", "REGEXP"):
        return Reference(str(node.name))
    end = text.rindex(text[0])
    if text[end + 1 :]:
        # A flag changes the meaning of every character in it.
        return Pattern(text)
    if kind == "STRING":
        return Literal(str(ast.literal_eval(text)))
    return read_regex(text[1:end])


_REPETITIONS: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def one_of(parts: Sequence[Part]) -> Part:
    """Return alternatives of parts; an empty one makes the remaining ones optional."""
    empty = InOrder(())
    # An empty alternative is written as `?`.
    filled = [part for part in parts if part != empty]
    if not filled:
        return empty
    part = filled[0] if len(filled) == 1 else OneOf(tuple(filled))
    return Repeated(part, 0, 1) if len(filled) < len(parts) else part


def in_order(parts: Sequence[Part]) -> Part:
    """Return a sequence of parts; `x (y x)*` is x, repeated with y between."""
    sequence: list[Part] = []
    for part in parts:
        last = sequence[-1] if sequence else None
        if last is not None and isinstance(part, Repeated) and (part.least, part.most) == (0, None):
            # Only two parts can be a separator and the repeated part.
            inner = part.part.parts if isinstance(part.part, InOrder) else ()
            if len(inner) == 2 and inner[1] == last:
                sequence[-1] = Repeated(last, 1, None, inner[0])
                continue
        sequence.append(part)
    return sequence[0] if len(sequence) == 1 else InOrder(tuple(sequence))


# ---- from regular expressions


def read_regex(regex: str) -> Part:
    """Parse a regular expression; one part if it is deeply nested or not in the portable subset."""
    try:
        return _RegexReader(regex).read()
    except _NotSimpleError:
        return Pattern(regex)


class _NotSimpleError(Exception):
    """The expression has a construct for which there is no part."""


_DEEPEST = 3  # nested groups; a deeper expression is clearer as it is written
_WHITE = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_PIECES = re.compile(
    r"(?P<open>\((?:\?:|(?![?*+])))|(?P<close>\))|(?P<bar>\|)|(?P<sign>[?*+])"
    r"|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\]?|\\[dDwWsS])"
    r"|\\(?:u(?P<u>.{4})|x(?P<x>.{2})|(?P<white>[nrtfv])|(?P<escaped>[\W_]))"
    r"|(?P<plain>[^$^.{\\(])|(?P<other>.)",
    re.DOTALL,
)


class _RegexReader:
    """Reads an expression from left to right."""

    def __init__(self, regex: str) -> None:
        self.pieces = list(_PIECES.finditer(regex))
        self.at = 0
        self.depth = 0

    def read(self) -> Part:
        part = self._alternatives()
        if self.at < len(self.pieces):
            raise _NotSimpleError
        return part

    def _next(self) -> str:
        """Return the kind of the next piece; empty at the end."""
        if self.at == len(self.pieces):
            return ""
        return str(self.pieces[self.at].lastgroup)

    def _take(self) -> str:
        self.at += 1
        piece = self.pieces[self.at - 1]
        return piece[str(piece.lastgroup)]

    def _alternatives(self) -> Part:
        parts = [self._sequence()]
        while self._next() == "bar":
            self.at += 1
            parts.append(self._sequence())
        return one_of(parts)

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while self._next() not in ("", "bar", "close"):
            part = self._atom(self._next(), self._take())
            if self._next() == "sign":
                part = Repeated(part, *_REPETITIONS[self._take()])
                if self._next() == "sign":
                    # Lazy or possessive.
                    raise _NotSimpleError
            last = parts[-1] if parts else None
            if isinstance(part, Literal) and isinstance(last, Literal):
                parts[-1] = Literal(last.text + part.text)
            else:
                parts.append(part)
        return in_order(parts)

    def _atom(self, kind: str, text: str) -> Part:
        match kind:
            case "open":
                self.depth += 1
                part = self._alternatives()
                if self._next() != "close" or self.depth > _DEEPEST:
                    raise _NotSimpleError
                self.depth -= 1
                self.at += 1
                return part
            case "class":
                return Pattern(text)
            case "u" | "x":
                return Literal(chr(int(text, 16)))
            case "white":
                return Literal(_WHITE[text])
            case "escaped" | "plain":
                return Literal(text)
        # Look-around, named groups, flags, anchors, counted repetitions, any character.
        raise _NotSimpleError
