"""What the definitions of a strict grammar say, as parts: literals, references, sequences, choices, repetitions.

Rules and terminals come from the trees that Lark loads; the regular expressions in them are taken apart where they
are simple (literals, classes, groups, alternatives, repetitions: the portable subset of the shipped grammars) and stay
whole where they are not.
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
    """A text that stands for itself."""

    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A rule or terminal by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A class of characters, or a regular expression that is not taken apart, as it is written."""

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
    """A part `least` to `most` times (None: any number), with another between each two of them if there is one."""

    part: Part
    least: int
    most: int | None
    between: Part | None = None


Part = Literal | Reference | Pattern | InOrder | OneOf | Repeated


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or a terminal, and what it is."""

    name: str
    is_rule: bool
    part: Part

    @property
    def literal(self) -> str | None:
        """The text of a terminal that is one fixed text: a mark or a verb."""
        return self.part.text if isinstance(self.part, Literal) and not self.is_rule else None


def read_definitions(dialect: WrittenDialect) -> dict[str, Definition]:
    """Return the definitions of a dialect by name: rules, then terminals, each in the order of the file.

    Raises `GrammarError` if the grammar cannot be loaded.
    """
    rules, terminals = dialect.definitions
    # Lark puts the trees of terminals into those that name them: it is the same object, so the name can be told.
    names = {id(tree): name for name, tree in terminals.items()}
    found = {name: Definition(name, True, _convert(tree, names)) for name, tree in rules.items()}
    for name, tree in terminals.items():
        part = Pattern(f"declared only: {name}") if tree is None else _convert(tree, names, top=True)
        found[name] = Definition(name, False, part)
    return found


# ---- from Lark's trees


def _convert(node: Any, names: Mapping[int, str], top: bool = False) -> Part:
    if not top and id(node) in names:
        return Reference(names[id(node)])
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
            part, sign = _convert(children[0], names), str(children[1])
            return Repeated(part, *_REPETITIONS.get(sign) or (int(children[2]), int(children[-1])))
        case _:  # value, literal, alias, template_usage: the first child says what it is
            return _convert(children[0], names)


def _convert_leaf(node: Any) -> Part:
    kind, text = getattr(node, "type", ""), str(node)
    if kind not in ("STRING", "REGEXP"):
        return Reference(str(node.name))
    body, flags = text[1 : text.rindex(text[0])], text[text.rindex(text[0]) + 1 :]
    if flags:
        return Pattern(text)  # a flag changes what every character in it means
    return Literal(str(ast.literal_eval(text))) if kind == "STRING" else read_regex(body)


_REPETITIONS: dict[str, tuple[int, int | None]] = dict(zip("?*+", ((0, 1), (0, None), (1, None)), strict=True))


def one_of(parts: Sequence[Part]) -> Part:
    """Return alternatives of parts; one alone is itself, an empty one makes the others optional."""
    empty = InOrder(())
    filled = [part for part in parts if part != empty]
    part = filled[0] if len(filled) == 1 else OneOf(tuple(filled)) if filled else empty
    return Repeated(part, 0, 1) if filled and len(filled) < len(parts) else part


def in_order(parts: Sequence[Part]) -> Part:
    """Return a sequence of parts: one alone is itself, and `x (y x)*` is x with y between."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and isinstance(part, Repeated) and (part.least, part.most) == (0, None):
            inner = part.part.parts if isinstance(part.part, InOrder) else ()
            if len(inner) == 2 and inner[1] == last:
                found[-1] = Repeated(last, 1, None, inner[0])
                continue
        found.append(part)
    return found[0] if len(found) == 1 else InOrder(tuple(found))


# ---- from regular expressions


def read_regex(regex: str) -> Part:
    """Take a regular expression apart, or give it whole if it is deeply nested or not in the portable subset."""
    try:
        return _RegexReader(regex).read()
    except _NotSimpleError:
        return Pattern(regex)


class _NotSimpleError(Exception):
    """The expression has a construct that is no part here."""


_DEEPEST = 3  # groups in groups; more is clearer as it is written
_WHITE = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_PIECES = re.compile(
    r"(?P<open>\((?:\?:|(?![?*+])))|(?P<close>\))|(?P<bar>\|)|(?P<sign>[?*+])"
    r"|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\]?|\\[dDwWsS])"
    r"|\\(?:u(?P<u>.{4})|x(?P<x>.{2})|(?P<white>[nrtfv])|(?P<escaped>[\W_]))|(?P<plain>[^$^.{\\(])|(?P<other>.)",
    re.DOTALL,
)


class _RegexReader:
    """Reads an expression from left to right."""

    def __init__(self, regex: str) -> None:
        self.pieces = list(_PIECES.finditer(regex))
        self.at = self.depth = 0

    def read(self) -> Part:
        part = self._alternatives()
        if self.at < len(self.pieces):
            raise _NotSimpleError
        return part

    def _next(self) -> str:
        return str(self.pieces[self.at].lastgroup) if self.at < len(self.pieces) else ""

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
                    raise _NotSimpleError  # lazy or possessive
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
        raise _NotSimpleError  # look-around, named groups, flags, places, counted repetition, any character
