"""The pieces of an automaton as regular expressions: lines, and parts of lines that are too long to write twice.

States are taken out one by one, those with the fewest ways through them first; what is written again and again is
factored out. The expressions use literals, classes, ( ) | ? * + only, so any engine reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from ..core.grammar.compiling.positions import find_components
from .automaton import WHITE, Alphabet, Automaton, spell_class

# An expression: the letters of one character, or a tag and its parts.
Expression = int | tuple[str, tuple["Expression", ...]]
NOTHING: Expression = ("in order", ())  # the empty text
_END = -1
_LONG = 40  # ranges of characters


def find_pieces(automaton: Automaton) -> dict[tuple[int, int | None], Expression]:
    """Return for each two states where a piece begins the texts that lead from one to the other, as one piece.

    None instead of the second stands for pieces that end a text. A piece ends with a newline, or earlier where ways
    meet; whether it ends is clear from its last character, and the pieces that begin at a state exclude each other.
    """
    cuts = _Cuts(automaton)
    found: dict[tuple[int, int | None], Expression] = {}
    waiting = [0]
    begun = set(waiting)
    for begin in waiting:
        inner = cuts.walk(begin)
        ends: dict[int | None, dict[int, Expression]] = {}
        for state in inner:
            for target, letters in automaton.moves[state].items():
                last = letters & cuts.last(state, target)
                if last:
                    ends.setdefault(target, {})[state] = last
            if state in automaton.accepting and state != begin:
                ends.setdefault(None, {})[state] = NOTHING
        for piece_end, lasts in ends.items():
            found[begin, piece_end] = _join(automaton, begin, inner, lasts, cuts)
            if piece_end is not None and piece_end not in begun:
                begun.add(piece_end)
                waiting.append(piece_end)
    return found


class _Cuts:
    """Where pieces end: behind a newline, and on the way into `joins` from outside of their loops.

    Joins are where ways meet, and what follows would be long to write for each of them. Loops are numbered, newlines
    left out; what follows has a lower number.
    """

    def __init__(self, automaton: Automaton) -> None:
        self._moves, self.newline = automaton.moves, 1 << automaton.alphabet.letter("\n")
        onward = [[t for t, letters in ways.items() if letters & ~self.newline] for ways in automaton.moves]
        self._loops = {state: -at for at, part in enumerate(find_components(onward)) for state in part}
        self.joins: set[int] = set()
        ways_in: dict[int, set[int]] = {}
        for state, targets in enumerate(onward):
            for target in targets:
                if self._loops[state] != self._loops[target]:
                    ways_in.setdefault(target, set()).add(state)
        for target in sorted(ways_in, key=lambda state: self._loops[state]):  # what follows comes first
            if len(ways_in[target]) > 1:
                ways = (letters for state in self.walk(target) for letters in automaton.moves[state].values())
                if sum(len(automaton.alphabet.ranges(letters)) for letters in ways) > _LONG:
                    self.joins.add(target)

    def last(self, state: int, target: int) -> int:
        """Return the letters that end a piece on the way from a state to another."""
        return -1 if target in self.joins and self._loops[state] != self._loops[target] else self.newline

    def walk(self, begin: int) -> list[int]:
        """Return the states inside the pieces that begin at a state, that one first."""
        found = [begin]
        for state in found:
            ways = self._moves[state].items()
            found += [t for t, letters in ways if letters & ~self.last(state, t) and t not in found]
        return found


def _join(
    automaton: Automaton, begin: int, inner: list[int], lasts: Mapping[int, Expression], cuts: _Cuts
) -> Expression:
    """Return the texts from a state to an end, by taking out one state after another."""
    start = -2  # nothing leads back to it
    edges: dict[int, dict[int, Expression]] = {start: {begin: NOTHING}}
    for state in inner:
        ways = ((target, letters & ~cuts.last(state, target)) for target, letters in automaton.moves[state].items())
        edges[state] = {target: letters for target, letters in ways if letters}
        if state in lasts:
            edges[state][_END] = lasts[state]
    waiting = set(inner)
    while waiting:
        before = {state: [s for s, targets in edges.items() if state in targets and s != state] for state in waiting}
        out = min(waiting, key=lambda state: (len(before[state]) * len(edges[state].keys() - {state}), -state))
        waiting.remove(out)
        ways_out = edges.pop(out)
        loop = ways_out.pop(out, None)
        for source in before[out]:
            head = edges[source].pop(out)
            for target, tail in ways_out.items():
                way = in_order([head, *([repeated(loop)] if loop is not None else []), tail])
                old = edges[source].get(target)
                edges[source][target] = way if old is None else one_of([old, way])
    return edges[start][_END]


def in_order(parts: Iterable[Expression]) -> Expression:
    """Return texts of each part one after the other."""
    flat: list[Expression] = []
    for part in parts:
        flat += part[1] if isinstance(part, tuple) and part[0] == "in order" else [part]
    return flat[0] if len(flat) == 1 else ("in order", tuple(flat))


def repeated(part: Expression) -> Expression:
    """Return a part any number of times."""
    while isinstance(part, tuple) and part[0] in ("maybe", "repeated"):
        part = part[1][0]
    return "repeated", (part,)


def one_of(parts: Iterable[Expression]) -> Expression:
    """Return the texts of any part, with what they begin and end with written once."""
    return reduce(_either, parts)


def _either(one: Expression, other: Expression) -> Expression:
    if one == other:
        return one
    if isinstance(one, int) and isinstance(other, int):
        return one | other
    left, right = _parts(one), _parts(other)
    head = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    most = min(len(left), len(right)) - head
    tails = zip(left[::-1], right[::-1], strict=False)
    tail = min(next((i for i, (a, b) in enumerate(tails) if a != b), most), most)
    if head or tail:
        middle = _either(in_order(left[head : len(left) - tail]), in_order(right[head : len(right) - tail]))
        return in_order([*left[:head], middle, *left[len(left) - tail :]])
    if NOTHING in (one, other):
        part = other if one == NOTHING else one
        return part if isinstance(part, tuple) and part[0] in ("maybe", "repeated") else ("maybe", (part,))
    choices: list[Expression] = []
    for part in (one, other):
        choices += part[1] if isinstance(part, tuple) and part[0] == "one of" else [part]
    return _gather(choices)


def _gather(choices: list[Expression]) -> Expression:
    """Return alternatives; single characters are one class, and those that begin or end alike are taken together."""
    found: list[Expression] = []
    for choice in choices:
        for place, other in enumerate(found):
            alike = _parts(choice)[0] == _parts(other)[0] or _parts(choice)[-1] == _parts(other)[-1]
            if choice == other or alike or (isinstance(choice, int) and isinstance(other, int)):
                found[place] = _either(other, choice)
                break
        else:
            found.append(choice)
    return found[0] if len(found) == 1 else ("one of", tuple(found))


def _parts(part: Expression) -> tuple[Expression, ...]:
    return part[1] if isinstance(part, tuple) and part[0] == "in order" else (part,)


# ---- as they are written


def spell_expression(part: Expression, alphabet: Alphabet) -> str:
    """Return a regular expression, without the slashes around it."""
    if isinstance(part, int):
        return _spell_class(alphabet, part)
    tag, parts = part
    if tag == "one of":
        return "|".join(spell_expression(one, alphabet) for one in parts)
    if tag == "in order":
        return _spell_order(parts, alphabet)
    return _group(parts[0], alphabet) + ("?" if tag == "maybe" else "*")


def _spell_order(parts: tuple[Expression, ...], alphabet: Alphabet) -> str:
    out, at = "", 0
    while at < len(parts):
        part = parts[at]
        if at + 1 < len(parts) and parts[at + 1] == ("repeated", (part,)):
            out += _group(part, alphabet) + "+"
            at += 1
        else:
            divided = isinstance(part, tuple) and part[0] == "one of"
            out += _group(part, alphabet) if divided else spell_expression(part, alphabet)
        at += 1
    return out


def _group(part: Expression, alphabet: Alphabet) -> str:
    spelt = spell_expression(part, alphabet)
    return spelt if isinstance(part, int) else f"({spelt})"


def _spell_class(alphabet: Alphabet, letters: int) -> str:
    ranges = alphabet.ranges(letters)
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _escape(ranges[0][0], r"\^$.|?*+()[]{}/-&~#")
    return spell_class(ranges, lambda point: _escape(point, r"\]^[-&~/#"))


def _escape(point: int, special: str) -> str:
    character = chr(point)
    if character in WHITE:
        return WHITE[character]
    if " " <= character < "\x7f":
        return f"\\{character}" if character in special else character
    return f"\\x{point:02x}" if point < 0x80 else f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"
