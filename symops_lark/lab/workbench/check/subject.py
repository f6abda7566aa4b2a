"""A grammar under examination: its words, tables and languages, each built at its first use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partialmethod
from itertools import combinations
from operator import attrgetter
from typing import NamedTuple

from ....core.grammar.compiling.compiler import STARTS, WrittenDialect
from ....core.grammar.compiling.regular import Language, Unsupported, find_shortest
from ....core.grammar.tokens import Definition, Statements, split
from ....core.text.diagnostics import Severity
from ....core.text.source import Source
from .report import Finding
from .tables import State, Tables, Terminal, build_tables


class Pair(NamedTuple):
    """Two terminals that may come at one point, `state`; Lark's lexer tries `first` first."""

    first: Terminal
    second: Terminal
    state: State


class Subject:
    """The grammar for the checks. `tables` raises Lark's errors if the grammar is broken."""

    def __init__(self, dialect: WrittenDialect, start: str = "") -> None:
        """`start` is the start rule of a grammar that is not a dialect, else empty."""
        self.dialect = dialect
        self.start = start
        self.source = Source(dialect.text, str(dialect.path))
        # An automaton may take long to build, and checks compare each terminal with many others.
        self._languages: dict[str, Language | None] = {}

    @cached_property
    def statements(self) -> Statements:
        """The grammar's text in parts."""
        return split(self.dialect.text)

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """The definitions by name; of a name defined twice, the first."""
        # The second definition of a name is a fault, so the first one counts.
        return {d.name.text: d for d in reversed(self.statements.definitions)}

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """The start rules of the library, the one for a complete text first."""
        if self.start:
            return (self.start,)
        return STARTS[0], *(start for start in STARTS[1:] if start in self.definitions)

    @cached_property
    def tables(self) -> Tables:
        """The LALR tables, with conflicts."""
        return build_tables(self.dialect.text, self.dialect.path, self.starts, self.spell)

    def spell(self, terminal: Terminal) -> str:
        """Return a shortest text of a terminal; empty if none is known."""
        language = self.language(terminal)
        try:
            return (find_shortest(language) if language else None) or ""
        except Unsupported:
            return ""

    def language(self, terminal: Terminal) -> Language | None:
        """Return the texts of a terminal as an automaton; None: it is not a regular language."""
        if terminal.name not in self._languages:
            try:
                self._languages[terminal.name] = Language(
                    terminal.pattern, literal=terminal.is_string
                )
            # Look-around, a back reference, or an automaton that is too large.
            except (Unsupported, RecursionError):
                self._languages[terminal.name] = None
        return self._languages[terminal.name]

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of terminals of one priority that a state accepts, with the shortest prefix."""
        by_names: dict[tuple[str, str], Pair] = {}
        terminals = self.tables.terminals
        for state in sorted(self.tables.states, key=lambda state: len(state.prefix)):
            names = (state.accepts | self.tables.ignored) & terminals.keys()
            # In the order in which the lexer tries them.
            ordered = sorted(map(terminals.__getitem__, names), key=attrgetter("order"))
            for first, second in combinations(ordered, 2):
                if first.priority == second.priority:
                    by_names.setdefault((first.name, second.name), Pair(first, second, state))
        return tuple(by_names.values())

    def followers(self, name: str) -> Iterator[Terminal]:
        """Yield the terminals that may directly follow a terminal, by name."""
        states = self.tables.states
        terminals = self.tables.terminals
        names: set[str] = set()
        for state in states:
            if name in state.shifts:
                names |= states[state.shifts[name]].accepts
        # A terminal that is only declared has no pattern.
        for follower in sorted(names & terminals.keys()):
            yield terminals[follower]

    def find(
        self,
        severity: Severity,
        code: str,
        message: str,
        at: int | str,
        *,
        example: str = "",
        hint: str = "",
    ) -> Finding:
        """Return a finding.

        Args:
            severity: The severity.
            code: The code.
            message: The problem.
            at: The offset in the complete grammar, or the name of the definition at the place.
            example: A text of the dialect that shows the problem.
            hint: The advice.
        """
        # A definition of another file has no place in this one.
        if isinstance(at, str):
            at = self.definitions[at].name.start if at in self.definitions else 0
        place = self.source.place(min(at, len(self.source.text)))
        # The grammar may be of several files.
        path, line, column, source = self.dialect.place(*place)
        return Finding(code, severity, message, path, line, column, example, hint, source)

    error = partialmethod(find, Severity.ERROR)
    warn = partialmethod(find, Severity.WARNING)
    note = partialmethod(find, Severity.NOTE)
