"""The language of a dialect as one finite automaton: exactly what the strict parser accepts, by its own tables.

A constrained decoder reads a grammar as texts that are put together; Lark's lexer takes the first terminal that
matches and as much of it as there is, and what is then no section is an error. So a grammar taken as it is written
allows more than the parser. Here lexer and parser are followed character by character. Where a terminal may end or go
on, both are followed: the reading in which it ended is dropped as soon as it turns out that it could go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ..core.grammar.compiling.regular import Node, Ranges, Unsupported, invert, read_pattern
from ..core.grammar.dialect import Dialect
from ..core.grammar.lalr import END, read_states
from ..core.ground.errors import SymOpsError
from ..core.patterns.regexes import escape
from .automaton import NEWLINE, Automaton, allow_lead_in, cut, refine, split_letters

_MAX_PARTS, _MAX_STATES, _MAX_DEPTH = 50_000, 20_000, 60
Threads = tuple[int, ...]  # states of the terminals' automaton, the preferred one first
Stack = tuple[int, ...]


class NotRegular(SymOpsError):
    """The language of a dialect is no finite automaton, or one too large; `terminal` is the one to blame, or empty."""

    def __init__(self, message: str, terminal: str = "") -> None:
        super().__init__(message)
        self.terminal = terminal


class _Reading(NamedTuple):
    """A way to read a text so far."""

    point: int  # of the parser, before the terminal at hand
    threads: Threads  # where the terminal at hand stands
    word: str | None  # its text, if it may yet become a fixed string; empty where a terminal begins
    watched: frozenset[Threads]  # terminals that were taken to have ended, and must never match more


class Terminals:
    """The automaton of all terminals, nondeterministic, its ways in the order in which a matcher tries them."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self.silent: list[list[int]] = []
        self.edges: dict[int, tuple[Ranges, int]] = {}
        self.ends: dict[int, str] = {}
        self.begins: dict[str, int] = {}
        for name, pattern, *_ in rows:
            try:
                begin, end = self._state(), self._state()
                self._build(read_pattern(pattern), begin, end)
            except (Unsupported, RecursionError) as error:
                raise NotRegular(f"the terminal {name} is no regular language: {error}", name) from None
            self.begins[name], self.ends[end] = begin, name

    def _state(self) -> int:
        if len(self.silent) > _MAX_PARTS:
            raise Unsupported("it is too large")
        self.silent.append([])
        return len(self.silent) - 1

    def _build(self, node: Node, begin: int, end: int) -> None:
        match node:
            case ("set", ranges, negated):
                at = self._state()
                self.edges[at] = (invert(ranges) if negated else tuple(sorted(ranges)), end)
                self.silent[begin].append(at)
            case ("any", branches):
                for branch in branches:
                    at = self._state()
                    self.silent[begin].append(at)
                    self._build(branch, at, end)
            case ("all", parts):
                for part in parts:
                    begin = self._append(part, begin)
                self.silent[begin].append(end)
            case ("times", part, low, high, lazy):
                ways = []
                for number in range(low if high is None else high):
                    if number >= low:
                        ways.append((begin, begin := self._state()))
                    begin = self._append(part, begin)
                if high is None:
                    loop = self._state()
                    self.silent[begin].append(loop)
                    ways.append((loop, again := self._state()))
                    self.silent[self._append(part, again)].append(loop)
                else:
                    self.silent[begin].append(end)
                for at, on in ways:
                    self.silent[at] += [end, on] if lazy else [on, end]
            case ("other", name):
                raise Unsupported(f"{name.lower().replace('_', ' ')} is in it")

    def _append(self, part: Node, at: int) -> int:
        after = self._state()
        self._build(part, at, after)
        return after

    def close(self, states: Sequence[int]) -> tuple[Threads, str | None]:
        """Return where the ways from states stand, and the terminal that ends here; what comes behind it is cut."""
        found: list[int] = []
        seen: set[int] = set()
        waiting = list(reversed(states))
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            if state in self.ends:
                return tuple(found), self.ends[state]
            if state in self.edges:
                found.append(state)
            waiting += reversed(self.silent[state])
        return tuple(found), None


class _Lexer(NamedTuple):
    """What a state of the parser lets the lexer see: the ways of its terminals, and fixed strings by terminal."""

    threads: Threads
    words: dict[str, dict[str, str]]

    def keep(self, word: str) -> str | None:
        """Return the text if a fixed string begins so."""
        return word if any(text.startswith(word) for texts in self.words.values() for text in texts) else None


class _Points:
    """Where the parser may stand between terminals, told apart only if what may follow differs; 0 is the beginning.

    The rules are not nested in themselves, so its stacks are finitely many.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self._states = read_states(tables)
        self._rules = tables["rules"]
        self._end = tables["ends"]["document"]
        ignored = frozenset(tables["ignored"])
        terminals = {END, *(row[0] for row in tables["terminals"])}
        stacks: dict[Stack, int] = {(tables["starts"]["document"],): 0}
        waiting, moves, seen = list(stacks), list[dict[str, int]](), list[frozenset[str]]()
        for stack in waiting:
            found = {}
            names = terminals & self._states[stack[-1]].keys()
            for name in sorted(names):
                after = self._advance(stack, name)
                if after is not None and name != END:
                    if after not in stacks:
                        stacks[after] = len(stacks)
                        waiting.append(after)
                    found[name] = stacks[after]
                elif after is not None:
                    found[END] = 0
            found |= dict.fromkeys(ignored, stacks[stack])
            moves.append(found)
            seen.append(frozenset(names) | ignored)
            if len(stacks) > _MAX_STATES:
                raise NotRegular(f"its parser stands at more than {_MAX_STATES:,} points")
        self._merge(moves, seen)

    def _merge(self, moves: list[dict[str, int]], seen: list[frozenset[str]]) -> None:
        """Take points together behind which the same follows."""
        group = refine(dict(enumerate(seen)), lambda at, group: frozenset((n, group[t]) for n, t in moves[at].items()))
        self.moves: dict[int, dict[str, int]] = {}  # by terminal
        self.seen: dict[int, frozenset[str]] = {}  # the terminals that the lexer looks for
        for number, found in enumerate(moves):
            self.moves.setdefault(group[number], {name: group[target] for name, target in found.items()})
            self.seen.setdefault(group[number], seen[number])

    def _advance(self, stack: Stack, name: str) -> Stack | None:
        """Return the stack behind a terminal, or None if it cannot stand here."""
        while True:
            action = self._states[stack[-1]].get(name)
            if action is None:
                return None
            shifts, target = action
            if len(stack) > _MAX_DEPTH:
                raise NotRegular("sections are nested in each other, as deep as one likes")
            if shifts:
                return (*stack, target)
            origin, _, symbols, _, _ = self._rules[target]
            stack = stack[: len(stack) - len(symbols)]
            stack = (*stack, self._states[stack[-1]][origin][1])
            if name == END and stack[-1] == self._end:
                return stack


class _WellFormedPoints(_Points):
    """Points of texts that are also well formed: two flags, as a negative number, begin each stack."""

    _BEGUN, _AWAITS = 1, 2  # a section was begun; a verb that writes has no block yet

    def __init__(self, tables: dict[str, Any], writing: frozenset[str]) -> None:
        self._writing = writing
        super().__init__(tables)

    def _advance(self, stack: Stack, name: str) -> Stack | None:
        flags, states = (-1 - stack[0], stack[1:]) if stack[0] < 0 else (0, stack)
        if name == "VERB" or (name == END and not flags & self._BEGUN):
            return None
        if flags & self._AWAITS and name != "BLOCK" and self._ends_action(states, name):
            return None
        after = super()._advance(states, name)
        if after is None:
            return None
        if name not in ("_GAP", END):
            flags |= self._BEGUN
        if name in self._writing:
            flags |= self._AWAITS
        if name == "BLOCK":
            flags &= ~self._AWAITS
        return (-1 - flags, *after)

    def _ends_action(self, states: Stack, name: str) -> bool:
        """Return whether an action is complete before a terminal."""
        while True:
            action = self._states[states[-1]].get(name)
            if action is None or action[0]:
                return False
            origin, _, symbols, _, _ = self._rules[action[1]]
            if origin == "action":
                return True
            states = states[: len(states) - len(symbols)]
            states = (*states, self._states[states[-1]][origin][1])
            if name == END and states[-1] == self._end:
                return False


class Follower:
    """Follows lexer and parser of a dialect.

    `writing` are verbs that need a block in well-formed texts. Each of the `marks` is told apart from other texts.
    """

    def __init__(
        self, tables: dict[str, Any], writing: frozenset[str] | None = None, marks: Iterable[str] = ()
    ) -> None:
        self._rows: list[list[Any]] = tables["terminals"]
        self._points = _Points(tables) if writing is None else _WellFormedPoints(tables, writing)
        self._terminals = Terminals(self._rows)
        self._edges = self._terminals.edges
        words = [row[3] for row in self._rows if row[2]]
        letters = {((ord(c), ord(c)),) for c in "".join([*words, *marks])}
        self.alphabet, self._masks = cut({ranges for ranges, _ in self._edges.values()} | letters | {NEWLINE})
        self.step = cache(self._step)
        self.lexer = cache(self._lexer)

    def begin(self) -> frozenset[_Reading]:
        """Return the readings of the empty text."""
        return frozenset([self._open(0, frozenset())])

    def _open(self, point: int, watched: frozenset[Threads]) -> _Reading:
        return _Reading(point, self.lexer(point).threads, "", watched)

    def letters(self, readings: frozenset[_Reading]) -> int:
        """Return the letters with which one of the readings may go on."""
        found = 0
        for reading in readings:
            for state in reading.threads:
                found |= self._masks[self._edges[state][0]]
        return found

    def follow(self, readings: frozenset[_Reading], letter: int) -> frozenset[_Reading]:
        """Return the readings of a text that is one letter longer."""
        found = set()
        for point, threads, word, watched in readings:
            seen = [self.step(others, letter) for others in watched]
            if any(match for _, match in seen):
                continue
            still = frozenset(others for others, _ in seen if others)
            rest, match = self.step(threads, letter)
            lexer = self.lexer(point)
            text = None if word is None else lexer.keep(word + self.alphabet.shown[letter])
            if match:
                name = lexer.words.get(match, {}).get(text or "", match)
                after = self._points.moves[point].get(name)
                if after is not None:
                    found.add(self._open(after, still | {rest} if rest else still))
            if rest:
                found.add(_Reading(point, rest, text, still))
        return frozenset(found)

    def ends(self, readings: frozenset[_Reading]) -> bool:
        """Return whether a text may end here."""
        return any(reading.word == "" and END in self._points.moves[reading.point] for reading in readings)

    def _step(self, threads: Threads, letter: int) -> tuple[Threads, str | None]:
        edges = (self._edges[state] for state in threads)
        return self._terminals.close([target for ranges, target in edges if self._masks[ranges] >> letter & 1])

    def _lexer(self, point: int) -> _Lexer:
        rows = [row for row in self._rows if row[0] in self._points.seen[point]]
        words: dict[str, dict[str, str]] = {}
        for name, pattern, is_word, _, priority in rows:
            for other, _, other_is_word, text, other_priority in rows:
                if not is_word and other_is_word and priority == other_priority and re.fullmatch(pattern, text):
                    words.setdefault(name, {})[text] = other
        hidden = {word for texts in words.values() for word in texts.values()}
        threads, match = self._terminals.close([self._terminals.begins[row[0]] for row in rows if row[0] not in hidden])
        if match:
            raise NotRegular(f"the terminal {match} may be empty", match)
        return _Lexer(threads, words)


_IN_RANGE = r"[cmfs](?:0(?:\.[0-9]{1,4})?|1(?:\.0{1,4})?)"  # of a vital: 0 to 1


@lru_cache(maxsize=8)
def find_language(
    dialect: Dialect, well_formed: bool = False, paths: tuple[str, ...] = (), lead_in: bool = False
) -> Automaton:
    """Return the texts of a dialect that end with a newline, as the smallest automaton.

    `well_formed` texts have a section, only known verbs, a block after each verb that writes, and vitals from 0 to 1.
    `paths` are then the only ones that actions name; empty: any. `lead_in` allows lines before the text that begin with
    no mark of the dialect.

    Raises `NotRegular` if there is none: rules that are nested in themselves, terminals that look around or refer
    back, or more states than a decoder would bear.
    """
    marks = tuple(dialect.said_marks.values()) if lead_in else ()
    if well_formed:
        follower = _follow_well_formed(dialect, paths, marks)
    else:
        follower = Follower(dialect.table("lalr"), marks=marks)
    known = {follower.begin(): 0}
    waiting, moves = list(known), list[dict[int, int]]()
    for readings in waiting:
        found: dict[int, int] = {}
        for letter in split_letters(follower.letters(readings)):
            after = follower.follow(readings, letter)
            if after:
                if after not in known:
                    known[after] = len(known)
                    waiting.append(after)
                found[known[after]] = found.get(known[after], 0) | 1 << letter
        moves.append(found)
        if len(known) > _MAX_STATES:
            raise NotRegular(f"it takes more than {_MAX_STATES:,} states")
    accepting = frozenset(number for readings, number in known.items() if follower.ends(readings))
    language = Automaton(follower.alphabet, tuple(moves), accepting).minimal()
    return allow_lead_in(language, marks) if lead_in else language


def _follow_well_formed(dialect: Dialect, paths: tuple[str, ...], marks: tuple[str, ...]) -> Follower:
    tables = dialect.table("lalr")
    narrow = {"VITAL": escape(dialect.marks.get("vital", "")) + _IN_RANGE}
    if paths:
        narrow["PATH"] = "|".join(map(escape, sorted(paths, reverse=True)))  # the longer one of two first
    rows = [[name, narrow.get(name, pattern), *others] for name, pattern, *others in tables["terminals"]]
    verbs = dialect.verbs.get("writing", ())
    writing = frozenset(row[0] for row in rows if row[2] and row[3] in verbs)
    return Follower({**tables, "terminals": rows}, writing, marks)
