"""Which engine runs a recovery grammar: the automaton where its rules are left-linear, else Lark's Earley parser.

Both give the same reading of everything that both can read. Earley takes milliseconds a line, and on grammars with
nesting the cube of the lines, so it reads texts of up to `MOST_LINES` lines (runs of plain text count as one). Longer
ones are read by the automaton: of the same grammar where that is possible, else of the installed grammar of the
family. Then the path comes with a sentence that says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

from ...grammar.compiling.compiler import WrittenDialect
from ...grammar.dialect import Dialect
from ...grammar.loading import load_dialect, recovery_grammar
from ...ground.kept_tables import KeptTables
from ...ground.numbers import counted
from .automaton import Automaton
from .automaton_compiler import load_automaton
from .earley import load_earley
from .priced_rules import ViterbiPath, load_rules

ENGINES = ("automaton", "earley")
MOST_LINES = 200


class Engine(Protocol):
    """What reads line kinds by a recovery grammar; `mistakes` are its prices by diagnostic code."""

    mistakes: dict[str, int]

    def read(self, kinds: Sequence[str]) -> ViterbiPath:
        """Return the cheapest reading of line kinds; raise `GrammarError` if there is none."""


def choose_engine(dialect: Dialect, engine: str | None = None) -> str:
    """Return the name of the engine that reads a dialect's broken texts; raise `ValueError` if there is no such one."""
    if engine is not None and engine not in ENGINES:
        raise ValueError(f"there is no engine {engine!r}; the engines are {' and '.join(ENGINES)}")
    if dialect.frozen("recovery") is not None:
        return engine or "automaton"
    return engine or ("automaton" if _remember(recovery_grammar(dialect)) else "earley")


def load_engine(dialect: Dialect, engine: str | None = None) -> Engine:
    """Return an engine with a dialect's recovery grammar in it; `None` chooses by the shape of the grammar.

    Raises `GrammarError` if the engine cannot run the grammar, and if there is none.
    """
    if engine != "earley" and dialect.frozen("recovery") is not None:
        return _thaw(dialect)
    grammar = recovery_grammar(dialect)
    if choose_engine(dialect, engine) == "automaton":
        return _remember(grammar) or load_automaton(
            grammar.path, grammar.text
        )  # which says why there is none
    return load_earley(grammar.path, grammar.text)


@lru_cache(maxsize=32)
def _remember(grammar: WrittenDialect) -> Automaton | None:
    """Return the automaton of a recovery grammar, from the cache or compiled; None if it is not left-linear."""

    def compile() -> list[Any]:
        rules = load_rules(grammar.path, grammar.text)
        return [
            load_automaton(grammar.path, grammar.text).to_data() if rules.is_left_linear else None
        ]

    kept = KeptTables("recovery", ("core/grammar", "core/recovery"), grammar.contents())
    [data] = kept.remember(compile)
    return data and Automaton.from_data({**data, "name": str(grammar.path)})


@lru_cache(maxsize=32)
def _thaw(dialect: Dialect) -> Automaton:
    return Automaton.from_data(dialect.frozen("recovery"))


def read_kinds(
    dialect: Dialect, kinds: Sequence[str], engine: str | None = None
) -> tuple[ViterbiPath, str]:
    """Return the cheapest reading of line kinds, and a sentence if another engine than the wanted one had to read."""
    if len(kinds) <= MOST_LINES or choose_engine(dialect, engine) == "automaton":
        return load_engine(dialect, engine).read(kinds), ""
    grammar = recovery_grammar(dialect)
    lines = counted(len(kinds), "line")
    note = f"the text has {lines} (a run of plain text is one), the Earley engine reads up to {MOST_LINES}; "
    if load_rules(grammar.path, grammar.text).is_left_linear:
        return load_engine(dialect, "automaton").read(
            kinds
        ), note + "the automaton gave the same reading"
    family = load_dialect(dialect.family)
    return load_engine(family).read(
        kinds
    ), note + f"it was read by the recovery grammar of {family.name} instead"
