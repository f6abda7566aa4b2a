"""Terminals as regular languages: do two of them share a text, or does one cut another short? With an example.

A terminal's pattern becomes a nondeterministic automaton (Thompson's construction), whose subsets are searched
breadth first, so an example is always a shortest one. No tool for this is needed at run time; where interegular is
installed, the tests compare. `\\d`, `\\w` and `\\s` are taken as ASCII; look-around, anchors and backreferences are no
regular language here: `Unsupported`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

Ranges = tuple[tuple[int, int], ...]  # sorted, disjoint, both ends inside
States = frozenset[int]
Node = tuple[Any, ...]

_LAST = 0x10FFFF
_MAX_STATES, _MAX_VISITS = 5_000, 20_000
_NICE = string.ascii_lowercase + string.digits + string.ascii_uppercase + string.punctuation + " \t\n\r"
_ANY, _BEGIN, _END, _OPTIONAL = ".^$?"
_COUNTED = re.compile(r"\{(\d*)(?:(,)(\d*))?\}")
_FLAGS = re.compile(r"\?([imsux]*):")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_HEX = {"x": 2, "u": 4, "U": 8}
_SHORTHAND: dict[str, Ranges] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 13), (32, 32)),
}


class Unsupported(Exception):
    """A pattern is no regular language that this module understands, or too large to decide about."""


def merge(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sort ranges and join those that touch."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return tuple(out)


def complement(ranges: Ranges) -> Ranges:
    """Return every character that is not in the ranges."""
    out, at = [], 0
    for low, high in ranges:
        if at < low:
            out.append((at, low - 1))
        at = high + 1
    return (*out, (at, _LAST)) if at <= _LAST else tuple(out)


class _Reader:
    """Reads a pattern into nested tuples: ("set", ranges), ("all", parts), ("any", branches), ("times", part, m, n)."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.fold, self.dot_all = text, 0, False, False

    def read(self) -> Node:
        node = self._branches()
        if self.at < len(self.text):
            raise Unsupported(f"a closing bracket too many: {self.text}")
        return node

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _next(self) -> str:
        if self.at >= len(self.text):
            raise Unsupported(f"ends too early: {self.text}")
        self.at += 1
        return self.text[self.at - 1]

    def _branches(self) -> Node:
        branches = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else ("any", branches)

    def _sequence(self) -> Node:
        parts = []
        while self._peek() and self._peek() not in "|)":
            parts.append(self._repetition())
        return ("all", parts)

    def _repetition(self) -> Node:
        node = self._atom()
        counted = _COUNTED.match(self.text, self.at)
        if self._peek() and self._peek() in "*+?":
            sign = "*+?".index(self._next())
            node = ("times", node, int(sign == 1), 1 if sign == 2 else None)
        elif counted and counted[0] != "{}":
            self.at = counted.end()
            low = int(counted[1] or 0)
            node = ("times", node, low, low if counted[2] is None else int(counted[3]) if counted[3] else None)
        else:
            return node
        if self._peek() and self._peek() in "?+":  # lazy or possessive: the same texts, found in another order
            self.at += 1
        return node

    def _atom(self) -> Node:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return ("set", self._class())
        if character == "\\":
            return ("set", self._escape())
        if character == _ANY:
            return ("set", ((0, _LAST),) if self.dot_all else complement(((10, 10),)))
        if character in _BEGIN + _END + "*+?":
            raise Unsupported(f"an anchor: {self.text}")
        return ("set", self._folded(((ord(character),) * 2,)))

    def _group(self) -> Node:
        before = self.fold, self.dot_all
        if self._peek() == _OPTIONAL:
            flags = _FLAGS.match(self.text, self.at)
            if not flags or "x" in flags[1]:
                raise Unsupported(f"a group with an extension: {self.text}")
            self.at = flags.end()
            self.fold, self.dot_all = before[0] or "i" in flags[1], before[1] or "s" in flags[1]
        node = self._branches()
        self.fold, self.dot_all = before
        if self._next() != ")":
            raise Unsupported(f"a bracket is not closed: {self.text}")
        return node

    def _escape(self) -> Ranges:
        character = self._next()
        if character in _HEX:
            digits = "".join(self._next() for _ in range(_HEX[character]))
            try:
                point = int(digits, 16)
            except ValueError:
                raise Unsupported(f"a wrong escape: {self.text}") from None
        elif character in _CONTROL:
            point = ord(_CONTROL[character])
        elif character.lower() in _SHORTHAND:
            ranges = _SHORTHAND[character.lower()]
            return ranges if character.islower() else complement(ranges)
        elif character.isalnum():
            raise Unsupported(f"an anchor or a backreference: {self.text}")
        else:
            point = ord(character)
        return self._folded(((point, point),))

    def _class(self) -> Ranges:
        negated = self._peek() == _BEGIN
        self.at += negated
        found: list[tuple[int, int]] = []
        first = True
        while first or self._peek() != "]":
            first = False
            low = self._class_item()
            if (
                self._peek() == "-"
                and self.text[self.at + 1 : self.at + 2] not in ("]", "")
                and low[0][0] == low[-1][1]
            ):
                self.at += 1
                high = self._class_item()
                found.append((low[0][0], high[-1][1]))
            else:
                found += low
        self.at += 1
        ranges = self._folded(merge(found))
        return complement(ranges) if negated else ranges

    def _class_item(self) -> Ranges:
        character = self._next()
        if character != "\\":
            return ((ord(character),) * 2,)
        if self._peek() == "b":
            self.at += 1
            return ((8, 8),)
        return self._escape()

    def _folded(self, ranges: Ranges) -> Ranges:
        if not self.fold:
            return ranges
        both = list(ranges)
        for low, high in ranges:
            both += [(max(low, 65) + 32, min(high, 90) + 32)] if low <= 90 and high >= 65 else []
            both += [(max(low, 97) - 32, min(high, 122) - 32)] if low <= 122 and high >= 97 else []
        return merge(both)


class Language:
    """The texts of one terminal, as an automaton: `start` is a set of states, `after` follows a character."""

    def __init__(self, pattern: str, *, literal: bool = False) -> None:
        self._silent: list[list[int]] = []
        self._edges: list[list[tuple[Ranges, int]]] = []
        begin, self._final = self._state(), self._state()
        self._cache: dict[tuple[States, str], States] = {}
        node: Node = ("all", [("set", ((ord(c),) * 2,)) for c in pattern]) if literal else _Reader(pattern).read()
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
            case ("set", ranges):
                self._edges[begin].append((ranges, end))
            case ("any", branches):
                for branch in branches:
                    self._build(branch, begin, end)
            case ("all", parts):
                at = begin
                for part in parts:
                    after = self._state()
                    self._build(part, at, after)
                    at = after
                self._silent[at].append(end)
            case ("times", part, low, high):
                self._repeat(part, low, high, begin, end)

    def _repeat(self, part: Node, low: int, high: int | None, begin: int, end: int) -> None:
        at = begin
        for _ in range(low):
            after = self._state()
            self._build(part, at, after)
            at = after
        if high is None:
            loop = self._state()
            self._silent[at].append(loop)
            back = self._state()
            self._build(part, loop, back)
            self._silent[back].append(loop)
            at = loop
        else:
            for _ in range(high - low):
                self._silent[at].append(end)
                after = self._state()
                self._build(part, at, after)
                at = after
        self._silent[at].append(end)

    def _close(self, states: Iterable[int]) -> States:
        found, waiting = set(states), list(states)
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
            self._cache[key] = self._close(
                [
                    target
                    for state in states
                    for ranges, target in self._edges[state]
                    if any(low <= point <= high for low, high in ranges)
                ]
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
    sets = sorted(set().union(*(language.ranges for language in languages)))
    edges = sorted({point for ranges in sets for low, high in ranges for point in (low, high + 1) if point <= _LAST})
    found: dict[tuple[bool, ...], str] = {}
    for character in (*_NICE, *(chr(point) for point in edges if not 0xD800 <= point < 0xE000)):
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
