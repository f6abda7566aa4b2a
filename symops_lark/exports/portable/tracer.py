"""Read and write texts by the tables of a dialect, step by step.

A `Tracer` is a runtime of the tables, written to be inspected and not to be fast. It notes each
transition that a text takes, and walks through the tables at random to make valid texts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from random import Random
from string import ascii_lowercase
from typing import Any

from ...core.text.source import BOM
from .dfa import DEAD, JsonTable, Numbers, Rows

_MAX_STEPS = 40  # terminals of a walk before it stops at the next end of a section
_MAX_ADDED = 30  # tries to add a character to a terminal
_MAX_LENGTH = 2000  # characters of a walk
_LAST_IN_PLANE = 0xFFFF  # a code point above it takes two units of UTF-16
Transition = tuple[Any, ...]
Texts = dict[int, str]  # by a state or a terminal
Counts = dict[tuple[int, int], int]  # by state and terminal
Transitions = set[Transition]


class Tracer:
    """Reads texts by the tables of a dialect, and notes the transitions that a text takes."""

    def __init__(self, tables: JsonTable) -> None:
        """Make the tables ready.

        Args:
            tables: The tables of a dialect (`portable_tables`).
        """
        self._tables = tables
        self._rows = unpack(tables["dfa"]["rows"])
        self._match: Numbers = tables["dfa"]["match"]
        self._actions = unpack(tables["actions"])
        # Two lists, so that a class is found by bisection.
        self._edges = []
        self._classes = []
        for edge, number in tables["classes"]:
            self._edges.append(edge)
            self._classes.append(number)
        self._texts: dict[int, Texts] = {}
        # A letter of each class, where it has one, reads best.
        self._characters: Texts = {}
        for character in (*ascii_lowercase, *map(chr, self._edges)):
            letter = self._class_of(character)
            self._characters.setdefault(letter, character)

    def _class_of(self, character: str) -> int:
        edge = bisect_right(self._edges, ord(character)) - 1
        return int(self._classes[edge])

    def trace(self, text: str) -> Transitions:
        """Return the transitions of a text, up to its first error.

        Args:
            text: Any text.
        """
        transitions: Transitions = set()
        place = 0
        if text.startswith(BOM):
            transitions.add(("byte order mark",))
            place = 1
        if not text.endswith("\n"):
            transitions.add(("no line end",))
            text += "\n"
        if ord(max(text)) > _LAST_IN_PLANE:
            transitions.add(("two units",))
        states: Numbers = [self._tables["start"]]
        while place < len(text):
            end, terminal = self._scan(text, place, states[-1], transitions)
            if terminal < 0:
                transitions.add(("no terminal", states[-1]))
                return transitions
            place = end
            row = self._tables["terminals"][terminal]
            symbol = row["symbol"]
            # An ignored terminal never reaches the parser.
            if terminal in self._tables["ignored"]:
                continue
            if not self._advance(states, symbol, transitions):
                return transitions
        self._advance(states, self._tables["end_symbol"], transitions)
        return transitions

    def _scan(self, text: str, place: int, state: int, transitions: Transitions) -> tuple[int, int]:
        """Return the end of the terminal at a place, and the terminal; -1 if there is not any."""
        number = self._tables["lexer_of"][state]
        lexer = self._tables["lexers"][number]
        start = place
        at = lexer["start"]
        end = terminal = -1
        while at != DEAD:
            if self._match[at] >= 0:
                terminal = self._match[at]
                end = place
            if place == len(text):
                transitions.add(("end", at))
                break
            letter = self._class_of(text[place])
            target = self._rows[at][letter]
            # The letters that a state refuses are one transition, for the suite is small enough
            # to ship only then.
            transition: Transition = ("move", at, letter)
            if target == DEAD:
                transition = ("refused", at)
            transitions.add(transition)
            at = target
            place += 1
        for pattern, word, instead in lexer["words"]:
            if pattern == terminal and word == text[start:end]:
                transitions.add(("word", instead))
                return end, int(instead)
        return end, terminal

    def _advance(self, states: Numbers, symbol: int, transitions: Transitions) -> bool:
        """Read one symbol; return whether it is one that the parser accepts."""
        while True:
            state = states[-1]
            action = self._actions[state][symbol]
            transitions.add(("action", state, symbol))
            # Positive: shift a state. Negative: reduce by a rule.
            if action == 0:
                return False
            if action > 0:
                states.append(action - 1)
                return True
            origin, _, parts, _, _ = self._tables["rules"][-1 - action]
            del states[len(states) - len(parts) :]
            following = self._actions[states[-1]][origin]
            states.append(following - 1)
            is_end = symbol == self._tables["end_symbol"]
            if is_end and states[-1] == self._tables["end"]:
                return True

    def walk(self, draw: Random, counts: Counts) -> str:
        """Return a text made of random terminals that the parser accepts.

        Args:
            draw: The source of choices.
            counts: How often each terminal was chosen at each state, over all walks: the rarest
                ones are preferred, so that the walks soon take all actions.
        """
        states: Numbers = [self._tables["start"]]
        end_symbol = self._tables["end_symbol"]
        steps = draw.randrange(_MAX_STEPS)
        text = ""
        while len(text) < _MAX_LENGTH:
            state = states[-1]
            can_end = self._actions[state][end_symbol] != 0
            if can_end and steps <= 0:
                break
            steps -= 1
            texts = self._texts_at(state)
            terminals = list(texts)
            draw.shuffle(terminals)
            usage = [counts.get((state, number), 0) for number in terminals]
            rarest = min(usage)
            terminal = terminals[usage.index(rarest)]
            counts[state, terminal] = rarest + 1
            shortest = texts[terminal]
            text += self._lengthen(draw, state, shortest, terminal)
            row = self._tables["terminals"][terminal]
            self._advance(states, row["symbol"], set())
        return text

    def _lengthen(self, draw: Random, state: int, text: str, terminal: int) -> str:
        """Return a text of a terminal with random characters added that keep it one."""
        number = self._tables["lexer_of"][state]
        at = self._tables["lexers"][number]["start"]
        for character in text:
            at = self._rows[at][self._class_of(character)]
        # The text of a word ends at the state of another terminal: it stays as it is.
        if self._match[at] != terminal:
            return text
        tries = draw.randrange(_MAX_ADDED)
        for _ in range(tries):
            row = self._rows[at]
            letter = draw.randrange(len(row))
            target = row[letter]
            if target == DEAD:
                continue
            if self._match[target] == terminal:
                text += self._characters[letter]
                at = target
        return text

    def _texts_at(self, state: int) -> Texts:
        """Return the terminals that a state of the parser accepts, each with a shortest text."""
        texts = self._texts.get(state)
        if texts is None:
            number = self._tables["lexer_of"][state]
            lexer = self._tables["lexers"][number]
            all_texts = self._find_texts(lexer["start"])
            for _, word, terminal in lexer["words"]:
                all_texts[terminal] = word
            texts = {}
            actions = self._actions[state]
            for terminal, text in all_texts.items():
                row = self._tables["terminals"][terminal]
                symbol = row["symbol"]
                # An ignored terminal never reaches the parser.
                if symbol < 0:
                    continue
                if actions[symbol] != 0:
                    texts[terminal] = text
            self._texts[state] = texts
        return texts

    def _find_texts(self, start: int) -> Texts:
        """Return a shortest text of each terminal that a state of the automaton leads to."""
        texts: Texts = {}
        prefixes = {start: ""}
        waiting = deque(prefixes)
        while waiting:
            at = waiting.popleft()
            if at == DEAD:
                continue
            prefix = prefixes[at]
            terminal = self._match[at]
            if terminal >= 0:
                texts.setdefault(terminal, prefix)
            for letter, target in enumerate(self._rows[at]):
                if target not in prefixes:
                    prefixes[target] = prefix + self._characters[letter]
                    waiting.append(target)
        return texts


def unpack(texts: Sequence[str]) -> Rows:
    """Return the rows of numbers that `pack` has written.

    Args:
        texts: A text of runs for each row.
    """
    rows = []
    for text in texts:
        row: Numbers = []
        for run in text.split(" "):
            value, _, count = run.partition("*")
            row += [int(value)] * int(count or 1)
        rows.append(row)
    return rows
