"""A grammar under examination: its words, tables and languages, each made once, when a check first asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partialmethod
from itertools import combinations
from typing import NamedTuple

from ....core.grammar.compiling.compiler import STARTS, WrittenDialect
from ....core.grammar.compiling.regular import Language, Unsupported, find_shortest
from ....core.grammar.tokens import Definition, Statements, split
from ....core.text.diagnostics import Severity
from ....core.text.source import Source
from .report import Finding
from .tables import State, Tables, Terminal, build_tables


class Pair(NamedTuple):
    """Two terminals that may both come at one point; Lark's lexer tries `first` first. `state` is such a point."""

    first: Terminal
    second: Terminal
    state: State


class Subject:
    """What the checks look at. `tables` raises what Lark raises if the grammar is broken."""

    def __init__(self, dialect: WrittenDialect, start: str = "") -> None:
        """`start` is the start rule of a grammar that is not a dialect, else empty."""
        self.dialect = dialect
        self.start = start
        self.source = Source(dialect.text, str(dialect.path))
        self._languages: dict[str, Language | None] = {}

    @cached_property
    def statements(self) -> Statements:
        """The grammar's text in parts."""
        return split(self.dialect.text)

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """The definitions by name; of a name defined twice, the first."""
        return {d.name.text: d for d in reversed(self.statements.definitions)}

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """The rules with which the library begins to read, the one for a complete text first."""
        if self.start:
            return (self.start,)
        return STARTS[0], *(start for start in STARTS[1:] if start in self.definitions)

    @cached_property
    def tables(self) -> Tables:
        """The LALR tables, with conflicts."""
        return build_tables(self.dialect.text, self.dialect.path, self.starts, self.spell)

    def spell(self, terminal: Terminal) -> str:
        """Return a shortest text of a terminal, or nothing if none is known."""
        language = self.language(terminal)
        try:
            return (find_shortest(language) if language else None) or ""
        except Unsupported:
            return ""

    def language(self, terminal: Terminal) -> Language | None:
        """Return the texts of a terminal as an automaton, or None if its pattern is no regular language."""
        if terminal.name not in self._languages:
            try:
                self._languages[terminal.name] = Language(terminal.pattern, literal=terminal.is_string)
            except (Unsupported, RecursionError):
                self._languages[terminal.name] = None
        return self._languages[terminal.name]

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Each two terminals of the same priority that one state accepts, with the state of the shortest prefix."""
        found: dict[tuple[str, str], Pair] = {}
        terminals = self.tables.terminals
        for state in sorted(self.tables.states, key=lambda state: len(state.prefix)):
            names = (state.accepts | self.tables.ignored) & terminals.keys()
            for first, second in combinations(sorted((terminals[n] for n in names), key=lambda t: t.order), 2):
                if first.priority == second.priority:
                    found.setdefault((first.name, second.name), Pair(first, second, state))
        return tuple(found.values())

    def followers(self, name: str) -> Iterator[Terminal]:
        """Return the terminals that may stand right behind one."""
        states, terminals = self.tables.states, self.tables.terminals
        names = {after for s in states if name in s.shifts for after in states[s.shifts[name]].accepts}
        return (terminals[after] for after in sorted(names & terminals.keys()))

    def find(
        self, severity: Severity, code: str, message: str, at: int | str, *, example: str = "", hint: str = ""
    ) -> Finding:
        """Return a finding; `at` is an offset in the whole grammar, or the name of what is defined there."""
        if isinstance(at, str):
            at = self.definitions[at].name.start if at in self.definitions else 0
        place = self.source.place(min(at, len(self.source.text)))
        path, line, column, shown = self.dialect.place(*place)
        return Finding(code, severity, message, path, line, column, example, hint, shown)

    error = partialmethod(find, Severity.ERROR)
    warn = partialmethod(find, Severity.WARNING)
    note = partialmethod(find, Severity.NOTE)
