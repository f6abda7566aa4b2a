"""Compile ordered regular expressions to deterministic automata over classes of code points.

A state is a tuple of threads in the order in which a backtracking matcher tries them. A thread that
has matched cuts those after it. So the last match that a scan passes is the match of `re`: the
leftmost, then the first (R. Cox, Regular Expression Matching: the Virtual Machine Approach, 2009,
https://swtch.com/~rsc/regexp/regexp2.html).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...core.grammar.compiling.character_sets import LAST
from ...core.ground.numbers import grouped
from ..automata.alphabet import NEWLINE, Alphabet, cut
from ..automata.automaton import refine
from ..automata.terminals import NotRegular, Terminals, Threads

DEAD = -1
JsonTable = dict[str, Any]  # a part of the tables that are written
Numbers = list[int]
States = tuple[int, ...]  # one of each of several automata
Rows = list[Numbers]  # for each state the next one by class, or `DEAD`
Cuts = list[list[int]]  # [first code point, class], in order
_State = tuple[Threads, str | None]  # and the terminal that ends there
# The installed dialects have a few hundred states.
_MAX_STATES = 20_000
# A state with more exceptions than this is not worth a search for each of them.
_MAX_SKIP_TEXTS = 12
_MAX_SKIP_LENGTH = 40  # characters of one exception


class Dfa:
    """Automata of several sets of terminals, which share their states.

    Attributes:
        alphabet: The classes of code points that no terminal distinguishes.
        rows: The moves of each state; complete after `close`.
        match: By state, the index of the terminal that ends there, or -1.
    """

    def __init__(self, terminals: Sequence[Sequence[Any]]) -> None:
        """Build the automaton.

        Args:
            terminals: Rows of a dialect's tables: name, pattern, whether it is fixed, its text and
                its priority.
        """
        self._nfa = Terminals(terminals)
        sets = {NEWLINE}
        for ranges, _ in self._nfa.edges.values():
            sets.add(ranges)
        self.alphabet, self._masks = cut(sets)
        self._names = []
        for name, *_ in terminals:
            self._names.append(name)
        self._states: dict[_State, int] = {}
        self._threads: list[Threads] = []  # by state
        self.rows: Rows = []
        self.match: Numbers = []

    def start(self, names: Iterable[str]) -> int:
        """Return the state that tries terminals in this order.

        Args:
            names: The names of the terminals.

        Raises:
            NotRegular: A terminal may be empty.
        """
        begins = [self._nfa.begins[name] for name in names]
        threads, ending = self._nfa.close(begins)
        if ending is not None:
            raise NotRegular(f"the terminal {ending} may be empty", ending)
        return self._number(threads, ending)

    def _number(self, threads: Threads, name: str | None) -> int:
        # Without threads a state may still be one in which a terminal has just ended.
        if not threads and name is None:
            return DEAD
        key = (threads, name)
        if key not in self._states:
            self._states[key] = len(self._states)
            self._threads.append(threads)
            match = -1
            if name is not None:
                match = self._names.index(name)
            self.match.append(match)
        return self._states[key]

    def close(self) -> None:
        """Follow all classes from all states.

        Raises:
            NotRegular: There are too many states.
        """
        size = 1 + max(self.alphabet.letters)
        while len(self.rows) < len(self._states):
            threads = self._threads[len(self.rows)]
            row = [self._move(threads, letter) for letter in range(size)]
            self.rows.append(row)
            if len(self._states) > _MAX_STATES:
                raise NotRegular(f"its lexer takes more than {grouped(_MAX_STATES)} states")

    def _move(self, threads: Threads, letter: int) -> int:
        targets = []
        for thread in threads:
            ranges, target = self._nfa.edges[thread]
            if self._masks[ranges] >> letter & 1:
                targets.append(target)
        if not targets:
            return DEAD
        threads, name = self._nfa.close(targets)
        return self._number(threads, name)


def join_patterns(patterns: Sequence[str]) -> tuple[Dfa, Rows, Numbers]:
    """Return one automaton that names the first of several patterns that matches a whole text.

    Args:
        patterns: Regular expressions.

    Returns:
        The automaton of the patterns, and the rows and the matches of the joint one, which begins
        at state 0.
    """
    names = list(map(str, range(len(patterns))))
    terminals = []
    for name, pattern in zip(names, patterns, strict=True):
        terminals.append((name, pattern, False, "", 0))
    dfa = Dfa(terminals)
    begin = tuple([dfa.start([name]) for name in names])
    dfa.close()
    size = len(dfa.rows[0])
    numbers = {begin: 0}
    waiting = [begin]
    rows: Rows = []
    match = []
    # The list of states grows while it is read.
    for states in waiting:
        match.append(_first_match(dfa, states))
        row = []
        for letter in range(size):
            after = _move_all(dfa, states, letter)
            is_dead = set(after) == {DEAD}
            if is_dead:
                row.append(DEAD)
                continue
            if after not in numbers:
                numbers[after] = len(numbers)
                waiting.append(after)
            row.append(numbers[after])
        rows.append(row)
    return dfa, rows, match


def _first_match(dfa: Dfa, states: States) -> int:
    """Return the index of the first of several automata that is at the end of a match, or -1."""
    for index, state in enumerate(states):
        if state == DEAD:
            continue
        if dfa.match[state] >= 0:
            return index
    return -1


def _move_all(dfa: Dfa, states: States, letter: int) -> States:
    after = [DEAD] * len(states)
    for index, state in enumerate(states):
        if state != DEAD:
            row = dfa.rows[state]
            after[index] = row[letter]
    return tuple(after)


def minimize(rows: Rows, match: Numbers, starts: Numbers) -> tuple[Rows, Numbers, Numbers]:
    """Merge states that no text distinguishes.

    Args:
        rows: The moves by state.
        match: By state, what ends there.
        starts: The states that a scan may begin at.

    Returns:
        The same for the smaller automaton, its states numbered in the order in which they are met.
    """
    # The dead state has no row, and no group has its number.
    group = refine(
        dict(enumerate(match)),
        lambda state, group: tuple([group.get(target, DEAD) for target in rows[state]]),
    )
    members: dict[int, int] = {}
    for state in range(len(rows)):
        members.setdefault(group[state], state)
    # Groups get their numbers when they are first met, so unreachable ones are left out.
    order: dict[int, int] = {}
    waiting: Numbers = []

    def number_of(state: int) -> int:
        if state == DEAD:
            return DEAD
        if group[state] not in order:
            order[group[state]] = len(order)
            waiting.append(members[group[state]])
        return order[group[state]]

    new_starts = list(map(number_of, starts))
    new_rows: Rows = []
    new_match: Numbers = []
    # `number_of` adds the states that it meets first to the list.
    for state in waiting:
        new_match.append(match[state])
        targets = map(number_of, rows[state])
        new_rows.append(list(targets))
    return new_rows, new_match, new_starts


def squeeze(rows: Rows, alphabet: Alphabet) -> tuple[Rows, Cuts]:
    """Merge the classes of code points that no state distinguishes.

    Args:
        rows: The moves by state.
        alphabet: The classes that the moves are for.

    Returns:
        The shorter rows, and the classes that they are for.
    """
    columns: dict[States, int] = {}
    classes = []
    size = 1 + max(alphabet.letters)
    for letter in range(size):
        column = tuple([row[letter] for row in rows])
        number = columns.setdefault(column, len(columns))
        classes.append(number)
    cuts: Cuts = []
    for edge, letter in zip(alphabet.edges, alphabet.letters, strict=True):
        # Neighbours of one class are one range.
        number = classes[letter]
        _, last = cuts[-1] if cuts else (0, DEAD)
        if number != last:
            cuts.append([edge, number])
    count = len(columns)
    firsts = list(map(classes.index, range(count)))
    shorter = []
    for row in rows:
        columns_of_row = map(row.__getitem__, firsts)
        shorter.append(list(columns_of_row))
    return shorter, cuts


def find_skips(rows: Rows, cuts: Cuts) -> list[tuple[int, list[str]]]:
    """Return the states at which a runtime may pass over whole lines.

    At such a state every line leads back to it, unless it begins with one of a few texts. Nothing
    about blocks is assumed: the rows alone prove it.

    Args:
        rows: The moves by state.
        cuts: The classes of code points.

    Returns:
        The states, each with the texts that a line that is passed over does not begin with.
    """
    single = _find_single(cuts)
    newline = _find_class(cuts, "\n")
    skips = []
    for state, row in enumerate(rows):
        # An empty line must lead back, too.
        if row[newline] != state:
            continue
        for default in sorted(set(row) - {DEAD, state}):
            if not _is_default(rows[default], default, state, newline):
                continue
            search = _SkipSearch(rows, state, default, newline, single)
            if not search.collect(state, ""):
                continue
            if 0 < len(search.texts) <= _MAX_SKIP_TEXTS:
                skips.append((state, search.texts))
    return skips


def _find_class(cuts: Cuts, character: str) -> int:
    """Return the class of a character."""
    number = DEAD
    for edge, following in cuts:
        if edge > ord(character):
            break
        number = following
    return number


def _is_default(row: Numbers, default: int, home: int, newline: int) -> bool:
    """Return whether a state takes the rest of any line, and then leads home."""
    expected = [default] * len(row)
    expected[newline] = home
    return row == expected


def _find_single(cuts: Cuts) -> dict[int, str]:
    """Return the classes of one code point, with their character."""
    counts: dict[int, int] = {}
    characters: dict[int, str] = {}
    for index, (edge, number) in enumerate(cuts):
        end = LAST + 1
        following = cuts[index + 1 : index + 2]
        if following:
            [[end, _]] = following
        count = counts.get(number, 0)
        counts[number] = count + end - edge
        characters[number] = chr(edge)
    single = {}
    for number, count in counts.items():
        if count == 1:
            single[number] = characters[number]
    return single


class _SkipSearch:
    """Collects the texts after which a line is not surely passed over."""

    def __init__(
        self, rows: Rows, home: int, default: int, newline: int, single: dict[int, str]
    ) -> None:
        self._rows = rows
        self._home = home
        self._default = default
        self._newline = newline
        self._single = single
        self.texts: list[str] = []

    def collect(self, state: int, text: str) -> bool:
        """Collect the texts that begin with `text`; return whether they can be listed."""
        for number, target in enumerate(self._rows[state]):
            # A line that ends here, or continues in this way, leads home.
            is_end = number == self._newline and target == self._home
            if target == self._default or is_end:
                continue
            # Only a class of one character can be written as a text.
            if number not in self._single or len(text) > _MAX_SKIP_LENGTH:
                return False
            longer = text + self._single[number]
            # A line that ends here leads elsewhere, so the text may not be passed over.
            if not self._can_end(target):
                self.texts.append(longer)
            elif not self.collect(target, longer):
                return False
        return True

    def _can_end(self, state: int) -> bool:
        """Return whether a line that ends at a state leads home."""
        if state == DEAD:
            return False
        row = self._rows[state]
        return row[self._newline] == self._home
