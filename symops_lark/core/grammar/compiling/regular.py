"""Terminals as regular languages: do two of them share a text, or does one cut another short? With an example.

A terminal's pattern becomes a nondeterministic automaton (Thompson's construction), whose subsets are searched
breadth first, so an example is always a shortest one. No tool for this is needed at run time; where interegular is
installed, the tests compare. `\\d`, `\\w` and `\\s` are taken as ASCII; look-around, anchors and backreferences are no
regular language here: `Unsupported`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

from ...patterns.re_syntax import UnreadablePatternError, parse_pattern
from .letters import LAST, NICE, read_part
from .letters import Ranges as Ranges
from .letters import invert as invert

States = frozenset[int]
Node = tuple[Any, ...]

_ENDLESS = 10**9
_MAX_STATES, _MAX_VISITS = 5_000, 20_000


class Unsupported(Exception):
    """A pattern is no regular language that this module understands, or too large to decide about."""


def read_pattern(pattern: str) -> Node:
    """Return a regular expression as nested tuples; raises `Unsupported` if it is none.

    They are ("set", ranges, whether it is any but these), ("all", parts), ("any", branches), ("times", part, low, high
    or None, whether fewer are tried first), and ("other", its name) for what `re` knows beyond.
    """
    try:
        tree = parse_pattern(pattern)
    except UnreadablePatternError as error:
        raise Unsupported(str(error)) from None
    return _convert(tree.items, tree.flags)


def _convert(items: Any, flags: int) -> Node:
    return "all", [_convert_item(str(op), value, flags) for op, value in items]


def _convert_item(op: str, value: Any, flags: int) -> Node:
    match op:
        case "LITERAL" | "NOT_LITERAL":
            return "set", _fold([(value, value)], flags), op == "NOT_LITERAL"
        case "ANY":
            return "set", () if flags & re.DOTALL else ((10, 10),), True
        case "IN":
            negated = str(value[0][0]) == "NEGATE"
            found = [pair for part in value[negated:] for pair in read_part(part[0], part[1], re.ASCII)]
            return "set", _fold(found, flags), negated
        case "BRANCH":
            return "any", [_convert(branch, flags) for branch in value[1]]
        case "SUBPATTERN":
            return _convert(value[3], (flags | value[1]) & ~value[2])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":  # the same texts, found in another order
            low, high = int(value[0]), int(value[1])
            return "times", _convert(value[2], flags), low, high if high < _ENDLESS else None, op == "MIN_REPEAT"
    return ("all", [_convert(value, flags)]) if op == "ATOMIC_GROUP" else ("other", op)


def _fold(ranges: list[tuple[int, int]], flags: int) -> Ranges:
    """Return ranges with the other case of their ASCII letters where a flag asks for it."""
    if flags & re.IGNORECASE:
        for low, high in list(ranges):
            ranges += [(max(low, 65) + 32, min(high, 90) + 32)] if low <= 90 and high >= 65 else []
            ranges += [(max(low, 97) - 32, min(high, 122) - 32)] if low <= 122 and high >= 97 else []
    return tuple(ranges)


class Language:
    """The texts of one terminal, as an automaton: `start` is a set of states, `after` follows a character."""

    def __init__(self, pattern: str, *, literal: bool = False) -> None:
        self._silent: list[list[int]] = []
        self._edges: list[list[tuple[Ranges, int]]] = []
        begin, self._final = self._state(), self._state()
        self._cache: dict[tuple[States, str], States] = {}
        node = read_pattern(re.escape(pattern) if literal else pattern)
        self._build(node, begin, self._final)
        self.start = self._close([begin])
        self.ranges = {ranges for edges in self._edges for ranges, _ in edges}

    def _state(self) -> int:
        if len(self._silent) >= _MAX_STATES:
            raise Unsupported("a terminal with too many states to decide about")
        self._silent.append([])
        self._edges.append([])
        return len(self._silent) - 1

    def _build(self, node: Node, begin: int, end: int) -> None:
        match node:
            case ("set", ranges, negated):
                self._edges[begin].append((invert(ranges) if negated else ranges, end))
            case ("any", branches):
                for branch in branches:
                    self._build(branch, begin, end)
            case ("all", parts):
                at = begin
                for part in parts:
                    at = self._append(part, at)
                self._silent[at].append(end)
            case ("times", part, low, high, _):
                at = begin
                for number in range(low if high is None else high):
                    if number >= low:
                        self._silent[at].append(end)
                    at = self._append(part, at)
                if high is None:
                    loop = self._state()
                    self._silent[at].append(loop)
                    self._silent[self._append(part, loop)].append(loop)
                    at = loop
                self._silent[at].append(end)
            case ("other", name):
                raise Unsupported(f"no regular language: {name.lower()}")

    def _append(self, part: Node, at: int) -> int:
        """Return a new state behind a part that begins at a state."""
        after = self._state()
        self._build(part, at, after)
        return after

    def _close(self, states: Iterable[int]) -> States:
        found = set(states)
        waiting = list(found)
        while waiting:
            for state in self._silent[waiting.pop()]:
                if state not in found:
                    found.add(state)
                    waiting.append(state)
        return frozenset(found)

    def after(self, states: States, character: str) -> States:
        """Return the states behind one more character; none if no text goes on like this."""
        key = (states, character)
        if key not in self._cache:
            point = ord(character)
            edges = (edge for state in states for edge in self._edges[state])
            self._cache[key] = self._close(
                target for ranges, target in edges if any(low <= point <= high for low, high in ranges)
            )
        return self._cache[key]

    def ends(self, states: States) -> bool:
        """Whether a text may end here."""
        return self._final in states

    def matches(self, text: str) -> bool:
        """Whether the text is in the language."""
        states = self.start
        for character in text:
            states = self.after(states, character)
        return self.ends(states)


def _letters(languages: Collection[Language]) -> list[str]:
    """Return one character for each kind that the languages tell apart, the most readable one, readable ones first."""
    return _tell_apart(frozenset[Ranges]().union(*(language.ranges for language in languages)))


@lru_cache(1000)
def _tell_apart(kinds: frozenset[Ranges]) -> list[str]:
    sets = sorted(kinds)
    edges = sorted({point for ranges in sets for low, high in ranges for point in (low, high + 1) if point <= LAST})
    found: dict[tuple[bool, ...], str] = {}
    for character in (*NICE, *(chr(point) for point in edges if not 0xD800 <= point < 0xE000)):
        kind = tuple(any(low <= ord(character) <= high for low, high in ranges) for ranges in sets)
        if any(kind):
            found.setdefault(kind, character)
    return list(found.values())


def _search(
    start: Node, letters: Sequence[str], moves: Callable[[Node, str], Iterable[Node]], is_goal: Callable[[Node], bool]
) -> tuple[str, list[Node]] | None:
    """Find a shortest text from a node to a goal, breadth first, with the nodes behind each of its characters."""
    origin: dict[Node, tuple[Node, str] | None] = {start: None}
    queue = [start]
    for node in queue:
        if is_goal(node):
            text, nodes, at = "", [], node
            while (step := origin[at]) is not None:
                nodes.append(at)
                at, text = step[0], step[1] + text
            return text, nodes[::-1]
        if len(origin) > _MAX_VISITS:
            raise Unsupported("two terminals with too many states to decide about")
        for letter in letters:
            for after in moves(node, letter):
                if after not in origin:
                    origin[after] = (node, letter)
                    queue.append(after)
    return None


def find_shortest(language: Language) -> str | None:
    """Return a shortest text of a language that is not empty, or None if there is none."""
    found = _search(
        (language.start, 0),
        _letters([language]),
        lambda node, c: [(language.after(node[0], c), 1)],
        lambda node: bool(node[1]) and language.ends(node[0]),
    )
    return found[0] if found else None


def find_common(one: Language, other: Language) -> str | None:
    """Return a shortest text that is in both languages, or None if there is none."""

    def moves(node: Node, character: str) -> list[Node]:
        after = one.after(node[0], character), other.after(node[1], character)
        return [after] if all(after) else []

    found = _search(
        (one.start, other.start), _letters([one, other]), moves, lambda node: one.ends(node[0]) and other.ends(node[1])
    )
    return found[0] if found else None


def find_outside(one: Language, other: Language) -> str | None:
    """Return a shortest text of one language that is not in the other, or None if there is none."""
    found = _search(
        (one.start, other.start),
        _letters([one, other]),
        lambda node, c: [(after, other.after(node[1], c))] if (after := one.after(node[0], c)) else [],
        lambda node: one.ends(node[0]) and not other.ends(node[1]),
    )
    return found[0] if found else None


def find_longer(short: Language, long: Language, then: Language | None = None) -> tuple[str, int] | None:
    """Return a shortest text of `long` with a proper beginning that is a text of `short`, and where that one ends.

    With `then`, what stands behind that beginning must also begin a text of `then`.
    """

    def moves(node: Node, character: str) -> list[Node]:
        phase, one, other = node
        after = long.after(one, character)
        if not after:
            return []
        out: list[Node] = []
        if phase == 0:
            beside = short.after(other, character)
            out += [(0, after, beside)] if beside else []
        if phase == 1 or short.ends(other):
            rest = States() if then is None else then.after(then.start if phase == 0 else other, character)
            out += [(1, after, rest)] if then is None or rest else []
        return out

    languages = [short, long] if then is None else [short, long, then]
    found = _search(
        (0, long.start, short.start), _letters(languages), moves, lambda node: node[0] == 1 and long.ends(node[1])
    )
    return (found[0], sum(node[0] == 0 for node in found[1])) if found else None


def find_same_beginning(one: Language, other: Language) -> str | None:
    """Return a character with which texts of both languages begin, or None if the first character tells them apart."""
    letters = _letters([one, other])
    return next((c for c in letters if one.after(one.start, c) and other.after(other.start, c)), None)
