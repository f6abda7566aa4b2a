"""Find the language of a dialect as a finite automaton: exactly the texts that the parser accepts.

But a byte order mark, which the parser drops, does not begin a text of the language.

A constrained decoder combines the terminals of a grammar freely. The lexer of Lark does not: it
takes the first terminal that matches, and as much text as this terminal can match. So the grammar
itself allows more texts than the parser. Therefore lexer and parser are followed here, character by
character. Where a terminal can end or continue, both readings are followed. The reading in which it
ended is dropped as soon as the terminal turns out to match more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain, count
from typing import Any, NamedTuple

from ...core.grammar.dialect import Dialect
from ...core.grammar.lalr import END
from ...core.ground.numbers import grouped
from ...core.patterns.regexes import escape
from .alphabet import NEWLINE, cut, split_letters
from .automaton import Automaton, Steps, explore
from .lead_in import allow_lead_in
from .points import MAX_STATES, Points, WellFormedPoints
from .terminals import Match, NotRegular, Rows, Terminals, Threads

# A vital from 0 to 1.
_VITAL = r"[cmfs](?:0(?:\.[0-9]{1,4})?|1(?:\.0{1,4})?)"
Words = dict[str, dict[str, str]]  # the terminal of each fixed string, by another terminal


class _Reading(NamedTuple):
    """A reading of a text so far.

    Attributes:
        point: The point of the parser before the current terminal.
        threads: The states of the current terminal.
        word: The text of the current terminal; None if no fixed string begins with it.
        watched: The states of terminals that were taken to have ended, and must not match more.
    """

    point: int
    threads: Threads
    word: str | None
    watched: frozenset[Threads]


Readings = frozenset[_Reading]


class _Lexer(NamedTuple):
    """The lexer at a point of the parser.

    Attributes:
        threads: The states at the beginning of a terminal.
        words: By terminal, the fixed strings that are another terminal.
    """

    threads: Threads
    words: Words

    def keep(self, word: str) -> str | None:
        """Return a text if a fixed string begins with it, else None."""
        for texts in self.words.values():
            for text in texts:
                if text.startswith(word):
                    return word
        return None


class Follower:
    """Follows lexer and parser of a dialect.

    Args:
        tables: The tables of the parser.
        writing: The verbs that need a block. None: the texts need not be well formed.
        marks: Texts whose characters the alphabet distinguishes.
    """

    def __init__(
        self,
        tables: dict[str, Any],
        writing: frozenset[str] | None = None,
        marks: Iterable[str] = (),
    ) -> None:
        self._rows: list[list[Any]] = tables["terminals"]
        if writing is None:
            self._points = Points(tables)
        else:
            self._points = WellFormedPoints(tables, writing)
        self._terminals = Terminals(self._rows)
        self._edges = self._terminals.edges
        # The letters must show where a fixed string begins.
        words = [row[3] for row in self._rows if row[2]]
        sets = {NEWLINE}
        for character in chain(*words, *marks):
            point = ord(character)
            sets.add(((point, point),))
        for ranges, _ in self._edges.values():
            sets.add(ranges)
        self.alphabet, self._masks = cut(sets)
        self.step = cache(self._step)
        self.lexer = cache(self._lexer)

    def begin(self) -> Readings:
        """Return the readings of the empty text."""
        start = self._open(0, frozenset())
        return frozenset([start])

    def _open(self, point: int, watched: frozenset[Threads]) -> _Reading:
        lexer = self.lexer(point)
        return _Reading(point, lexer.threads, "", watched)

    def letters(self, readings: Readings) -> int:
        """Return the letters with which a reading can continue."""
        letters = 0
        for reading in readings:
            for state in reading.threads:
                ranges, _ = self._edges[state]
                letters |= self._masks[ranges]
        return letters

    def follow(self, readings: Readings, letter: int) -> Readings:
        """Return the readings of a text that is one letter longer."""
        after = set()
        for reading in readings:
            watched = self._watch(reading, letter)
            if watched is not None:
                after |= self._follow_reading(reading, letter, watched)
        return frozenset(after)

    def _watch(self, reading: _Reading, letter: int) -> set[Threads] | None:
        """Return the watched terminals after a letter; None if one of them matches more."""
        watched = set()
        for threads in reading.watched:
            threads_after, match = self.step(threads, letter)
            if match:
                return None
            if threads_after:
                watched.add(threads_after)
        return watched

    def _follow_reading(
        self, reading: _Reading, letter: int, watched: set[Threads]
    ) -> set[_Reading]:
        readings = set()
        threads, match = self.step(reading.threads, letter)
        lexer = self.lexer(reading.point)
        # A text is followed only while it can become a fixed string.
        word = None
        if reading.word is not None:
            character = self.alphabet.shown[letter]
            word = lexer.keep(reading.word + character)
        if match:
            # A pattern that matches a fixed string is the terminal of this string.
            words = lexer.words.get(match, {})
            name = words.get(word or "", match)
            moves = self._points.moves[reading.point]
            target = moves.get(name)
            if target is not None:
                ended = set(watched)
                # The terminal can still match more.
                if threads:
                    ended.add(threads)
                readings.add(self._open(target, frozenset(ended)))
        if threads:
            longer = _Reading(reading.point, threads, word, frozenset(watched))
            readings.add(longer)
        return readings

    def ends(self, readings: Readings) -> bool:
        """Return whether a text can end here."""
        for reading in readings:
            # The text is empty between terminals.
            if reading.word == "" and END in self._points.moves[reading.point]:
                return True
        return False

    def _step(self, threads: Threads, letter: int) -> Match:
        targets = []
        for state in threads:
            ranges, target = self._edges[state]
            if self._masks[ranges] >> letter & 1:
                targets.append(target)
        return self._terminals.close(targets)

    def _lexer(self, point: int) -> _Lexer:
        names = self._points.seen[point]
        rows = [row for row in self._rows if row[0] in names]
        words = _find_words(rows)
        # A fixed string that another terminal matches needs no automaton.
        hidden: set[str] = set()
        for texts in words.values():
            hidden.update(texts.values())
        begins = []
        for name, *_ in rows:
            if name not in hidden:
                begins.append(self._terminals.begins[name])
        threads, match = self._terminals.close(begins)
        if match:
            raise NotRegular(f"the terminal {match} may be empty", match)
        return _Lexer(threads, words)


def _find_words(rows: Rows) -> Words:
    """Return the fixed strings that a pattern of the same priority matches, by its terminal.

    In Lark, such a match is the terminal of the fixed string.
    """
    words: Words = {}
    fixed = [row for row in rows if row[2]]
    for name, pattern, is_fixed, _, priority in rows:
        if is_fixed:
            continue
        for word, _, _, text, word_priority in fixed:
            if priority != word_priority:
                continue
            if re.fullmatch(pattern, text):
                words.setdefault(name, {})[text] = word
    return words


@lru_cache(maxsize=8)
def find_language(
    dialect: Dialect, well_formed: bool = False, paths: tuple[str, ...] = (), lead_in: bool = False
) -> Automaton:
    """Return the texts of a dialect that end with a newline, as the smallest automaton.

    Args:
        dialect: The dialect.
        well_formed: Whether texts need a section, only known verbs, a block after each verb that
            writes, and vitals from 0 to 1.
        paths: The only paths that actions of well-formed texts can name; empty: any path.
        lead_in: Whether lines that begin with no mark can come before the text.

    Raises:
        NotRegular: The rules nest in themselves, terminals look around or refer back, or the
            automaton would be too large for a decoder.
    """
    marks: tuple[str, ...] = ()
    if lead_in:
        marks = tuple(dialect.said_marks.values())
    if well_formed:
        follower = _follow_well_formed(dialect, paths, marks)
    else:
        follower = Follower(dialect.table("lalr"), marks=marks)
    automaton = _follow_all(follower)
    language = automaton.minimal()
    if lead_in:
        language = allow_lead_in(language, marks)
    return language


def _follow_all(follower: Follower) -> Automaton:
    """Return the automaton whose states are sets of readings."""

    followed = count(1)

    def follow(readings: Readings) -> Steps[Readings]:
        if next(followed) > MAX_STATES:
            raise NotRegular(f"it takes more than {grouped(MAX_STATES)} states")
        for letter in split_letters(follower.letters(readings)):
            after = follower.follow(readings, letter)
            if after:
                yield letter, after

    states, moves = explore(follower.begin(), follow)
    accepting = set()
    for number, readings in enumerate(states):
        if follower.ends(readings):
            accepting.add(number)
    return Automaton(follower.alphabet, moves, frozenset(accepting))


def _follow_well_formed(
    dialect: Dialect, paths: tuple[str, ...], marks: tuple[str, ...]
) -> Follower:
    tables = dialect.table("lalr")
    patterns = {"VITAL": escape(dialect.marks.get("vital", "")) + _VITAL}
    if paths:
        # A path must not hide a longer one that begins with it.
        paths = tuple(sorted(paths, reverse=True))
        patterns["PATH"] = "|".join(map(escape, paths))
    verbs = dialect.verbs.get("writing", ())
    rows = []
    writing = set()
    for name, pattern, is_fixed, text, priority in tables["terminals"]:
        pattern = patterns.get(name, pattern)
        rows.append([name, pattern, is_fixed, text, priority])
        if is_fixed and text in verbs:
            writing.add(name)
    tables = {**tables, "terminals": rows}
    return Follower(tables, frozenset(writing), marks)
