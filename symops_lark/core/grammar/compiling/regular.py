r"""Decide questions about the languages of terminals, with an example for each answer.

Do two terminals share a text? Is there a text of one that is not a text of the other? Does one cut
another short? A pattern becomes a nondeterministic automaton (Thompson's construction). The sets
of states that one text leads to are searched breadth first, so each example is as short as
possible, and of equally short ones the most readable.

    find_common(Language("[a-z]+[0-9]"), Language("[a-f]*0"))      'a0'
    find_outside(Language("[a-z]+"), Language("[a-f]+"))           'g'
    find_longer(Language("a+"), Language("a*b"))                   ('ab', 1)

A `Language` reads `\d`, `\w`, `\s` and the cases of letters as ASCII, for readable examples.
Look-arounds, anchors and backreferences are `Unsupported`.
No library is needed; where interegular is installed, the tests compare the answers with it.

K. Thompson, Regular expression search algorithm, Communications of the ACM 11 (1968),
https://doi.org/10.1145/363347.363387
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from ...patterns.re_syntax import ENDLESS, UnreadablePatternError, parse_pattern
from .character_sets import Ranges as Ranges
from .character_sets import combine_flags, contains, read_class, represent
from .character_sets import invert as invert

# Numbers of states of an automaton.
States = frozenset[int]
# A part of a pattern (see `read_pattern`), or a node of a search.
Node = tuple[Any, ...]
# Characters, and the state that they lead to.
_Edge = tuple[Ranges, int]

# States of one automaton. Repetitions are written out, so `(x{1000}){1000}` is far beyond.
_MAX_STATES = 5_000
# Sets of states that one search visits: about two seconds.
_MAX_VISITS = 20_000


class Unsupported(Exception):
    """A pattern is not a regular language that this module can read, or is too large."""


def read_pattern(pattern: str, *, ascii_only: bool = True) -> Node:
    r"""Return a regular expression as nested tuples.

    Args:
        pattern: The regular expression.
        ascii_only: Whether classes and the cases of letters are those of ASCII; False: as in `re`.

    Returns:
        One of the following:

        * `("set", ranges, is_negated)`: one character, in the ranges or outside of them
        * `("all", parts)`: parts after each other
        * `("any", branches)`: alternatives
        * `("times", part, low, high, is_lazy)`: a repetition; `high` is None without a bound, and a
          lazy one tries fewer turns first
        * `("other", name)`: anything else, by the name of its operation in `re`

    Raises:
        Unsupported: `re` cannot read the pattern.
    """
    try:
        tree = parse_pattern(pattern)
    except UnreadablePatternError as error:
        raise Unsupported(str(error)) from None
    return _convert(tree.items, tree.flags | re.ASCII if ascii_only else tree.flags)


def _convert(items: Any, flags: int) -> Node:
    return "all", [_convert_item(str(op), value, flags) for op, value in items]


def _convert_item(op: str, value: Any, flags: int) -> Node:
    match op:
        case "LITERAL" | "NOT_LITERAL":
            ranges, _ = read_class([("LITERAL", value)], flags)
            return "set", ranges, op == "NOT_LITERAL"
        case "ANY":
            return "set", () if flags & re.DOTALL else ((10, 10),), True
        case "IN":
            ranges, is_negated = read_class(value, flags)
            return "set", ranges, is_negated
        case "BRANCH":
            return "any", [_convert(branch, flags) for branch in value[1]]
        case "SUBPATTERN":
            _, added, removed, inside = value
            return _convert(inside, combine_flags(flags, added, removed))
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            # Alone, all three have the same texts in another order. `a*+a` has none, but is read as
            # `a*a` here: `blocks` rejects such patterns before it compares them.
            low, high, items = value
            part = _convert(items, flags)
            is_lazy = op == "MIN_REPEAT"
            bound = int(high) if high < ENDLESS else None
            return "times", part, int(low), bound, is_lazy
        case "ATOMIC_GROUP":
            return "all", [_convert(value, flags)]
    return "other", op


class Language:
    """The texts of one terminal, as an automaton.

    A text leads to a set of states: `after` follows one character.

    Attributes:
        start: The states before the first character.
        ranges: The sets of characters on its edges.
    """

    def __init__(self, pattern: str, *, literal: bool = False) -> None:
        """Build the automaton.

        Args:
            pattern: A regular expression, or a text if `literal`.
            literal: Whether the pattern is a fixed text.

        Raises:
            Unsupported: The pattern is not a regular language, or is too large.
        """
        # By state: the states that it leads to without a character, and those by a character.
        self._silent: list[list[int]] = []
        self._edges: list[list[_Edge]] = []
        self._cache: dict[tuple[States, str], States] = {}
        begin = self._add_state()
        self._final = self._add_state()
        node = read_pattern(re.escape(pattern) if literal else pattern)
        self._build(node, begin, self._final)
        self.start = self._close([begin])
        self.ranges: set[Ranges] = set()
        for edges in self._edges:
            self.ranges.update(ranges for ranges, _ in edges)

    def _add_state(self) -> int:
        if len(self._silent) >= _MAX_STATES:
            raise Unsupported("the terminal has too many states to be compared")
        self._silent.append([])
        self._edges.append([])
        return len(self._silent) - 1

    def _build(self, node: Node, begin: int, end: int) -> None:
        """Add the states of a part that lead from a state to another."""
        match node:
            case ("set", ranges, is_negated):
                characters = invert(ranges) if is_negated else ranges
                self._edges[begin].append((characters, end))
            case ("any", branches):
                for branch in branches:
                    self._build(branch, begin, end)
            case ("all", parts):
                state = begin
                for part in parts:
                    state = self._append(part, state)
                self._silent[state].append(end)
            case ("times", part, low, high, _):
                self._build_repetition(part, low, high, begin, end)
            case ("other", name):
                raise Unsupported(f"not part of a regular language: {name.lower()}")

    def _build_repetition(
        self, part: Node, low: int, high: int | None, begin: int, end: int
    ) -> None:
        state = begin
        for turn in range(low if high is None else high):
            if turn >= low:
                self._silent[state].append(end)
            state = self._append(part, state)
        if high is None:
            # A new state: the way back must not lead into the turns before, nor to `begin`.
            loop = self._add_state()
            self._silent[state].append(loop)
            loop_end = self._append(part, loop)
            self._silent[loop_end].append(loop)
            state = loop
        self._silent[state].append(end)

    def _append(self, part: Node, begin: int) -> int:
        """Add a part that begins at a state; return the new state after it."""
        end = self._add_state()
        self._build(part, begin, end)
        return end

    def _close(self, states: Iterable[int]) -> States:
        """Return states with all that they lead to without a character."""
        closed = set(states)
        waiting = list(closed)
        while waiting:
            for target in self._silent[waiting.pop()]:
                if target not in closed:
                    closed.add(target)
                    waiting.append(target)
        return frozenset(closed)

    def after(self, states: States, character: str) -> States:
        """Return the states after one more character; empty if no text continues this way."""
        # The deterministic automaton is built on demand: most of its states are never needed.
        key = (states, character)
        if key not in self._cache:
            point = ord(character)
            targets = set()
            for state in states:
                for ranges, target in self._edges[state]:
                    if contains(ranges, point):
                        targets.add(target)
            self._cache[key] = self._close(targets)
        return self._cache[key]

    def ends(self, states: States) -> bool:
        """Return whether a text may end in these states."""
        return self._final in states

    def matches(self, text: str) -> bool:
        """Return whether a text is in the language."""
        states = self.start
        for character in text:
            states = self.after(states, character)
        return self.ends(states)


def _list_characters(languages: Collection[Language]) -> list[str]:
    """Return one character of each class that the languages distinguish, readable ones first."""
    sets = set()
    for language in languages:
        sets |= language.ranges
    return represent(frozenset(sets))


# ---- searches

_Moves = Callable[[Node, str], Iterable[Node]]
_IsGoal = Callable[[Node], bool]
# By node: the node before it, and the character between the two; None for the start.
_Origin = dict[Node, tuple[Node, str] | None]


class _Match(NamedTuple):
    """A shortest text, and the node after each of its characters."""

    text: str
    nodes: list[Node]


def _search(
    start: Node, languages: Collection[Language], moves: _Moves, is_goal: _IsGoal
) -> _Match | None:
    """Find a shortest text from a node to a goal, breadth first."""
    # One character for each class: the others lead to the same states.
    characters = _list_characters(languages)
    origin: _Origin = {start: None}
    queue = [start]
    for node in queue:
        if is_goal(node):
            return _trace(origin, node)
        if len(origin) > _MAX_VISITS:
            raise Unsupported("the terminals have too many states to be compared")
        for character in characters:
            for after in moves(node, character):
                if after not in origin:
                    origin[after] = (node, character)
                    queue.append(after)
    return None


def _trace(origin: _Origin, node: Node) -> _Match:
    text = ""
    nodes = []
    step = origin[node]
    while step is not None:
        nodes.append(node)
        node, character = step
        text = character + text
        step = origin[node]
    nodes.reverse()
    return _Match(text, nodes)


def find_shortest(language: Language) -> str | None:
    """Return a shortest text of a language that is not empty, or None if there is none."""

    # The flag of a node separates the start from states after a text.
    def moves(node: Node, character: str) -> list[Node]:
        states = language.after(node[0], character)
        return [(states, True)]

    def is_goal(node: Node) -> bool:
        states, is_after_text = node
        return bool(is_after_text) and language.ends(states)

    start = (language.start, False)
    match = _search(start, [language], moves, is_goal)
    return match.text if match else None


def find_common(first: Language, second: Language) -> str | None:
    """Return a shortest text that is in both languages, or None if there is none."""

    def is_goal(node: Node) -> bool:
        in_first, in_second = node
        return first.ends(in_first) and second.ends(in_second)

    return _search_pairs(first, second, is_goal, needs_second=True)


def find_outside(first: Language, second: Language) -> str | None:
    """Return a shortest text of one language that is not in the other, or None if there is none."""

    def is_goal(node: Node) -> bool:
        in_first, in_second = node
        return first.ends(in_first) and not second.ends(in_second)

    return _search_pairs(first, second, is_goal, needs_second=False)


def _search_pairs(
    first: Language, second: Language, is_goal: _IsGoal, *, needs_second: bool
) -> str | None:
    """Follow two languages by one text, which must continue a text of the first at least."""

    def moves(node: Node, character: str) -> list[Node]:
        in_first, in_second = node
        after_first = first.after(in_first, character)
        if not after_first:
            return []
        after_second = second.after(in_second, character)
        if needs_second and not after_second:
            return []
        return [(after_first, after_second)]

    match = _search((first.start, second.start), [first, second], moves, is_goal)
    return match.text if match else None


def find_longer(
    short: Language, long: Language, then: Language | None = None
) -> tuple[str, int] | None:
    """Find a text of one language that begins with a text of another.

    A lexer that takes the longest match would read the long text where the short one was meant.

    Args:
        short: The language of the beginning.
        long: The language of the whole text.
        then: The language of what may follow the beginning: the rest of the text must begin a text
            of it. None: anything may follow.

    Returns:
        A shortest text of `long` with a proper beginning that is a text of `short`, and the length
        of this beginning in characters. None if there is no such text.
    """

    # A node is inside the beginning (False, states of `long`, states of `short`), or after it
    # (True, states of `long`, states of `then`).
    def moves(node: Node, character: str) -> list[Node]:
        is_after, long_states, states = node
        after_long = long.after(long_states, character)
        if not after_long:
            return []
        nodes = []
        if not is_after:
            after_short = short.after(states, character)
            if after_short:
                nodes.append((False, after_long, after_short))
        if not is_after and not short.ends(states):
            return nodes
        if then is None:
            nodes.append((True, after_long, States()))
            return nodes
        before_then = states if is_after else then.start
        after_then = then.after(before_then, character)
        if after_then:
            nodes.append((True, after_long, after_then))
        return nodes

    def is_goal(node: Node) -> bool:
        is_after, long_states, _ = node
        return bool(is_after) and long.ends(long_states)

    languages = [short, long]
    if then is not None:
        languages.append(then)
    start = (False, long.start, short.start)
    match = _search(start, languages, moves, is_goal)
    if match is None:
        return None
    return match.text, sum(not node[0] for node in match.nodes)


def find_same_beginning(first: Language, second: Language) -> str | None:
    """Return a character with which texts of both languages begin, or None if there is none."""
    for character in _list_characters([first, second]):
        if first.after(first.start, character) and second.after(second.start, character):
            return character
    return None
