"""Choose the engine for a recovery grammar: the automaton if it is left-linear, else Earley.

Both engines give the same reading of everything that both can read. The Earley engine takes
milliseconds a line, and on grammars that nest, time in the cube of the lines. So it reads texts of
up to `MOST_LINES` lines, where a run of plain text counts as one. The automaton reads longer texts:
that of the same grammar if it is left-linear, else that of the installed grammar of the family.
Then a sentence that reports this comes with the path.
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
# Lines. On a grammar that nests the time grows with the cube: twice the number takes eight times as
# long, and a command line that answers after seconds would answer after a minute.
MOST_LINES = 200


class Engine(Protocol):
    """Something that reads line kinds by a recovery grammar.

    Attributes:
        mistakes: The price of each mistake by its diagnostic code.
    """

    mistakes: dict[str, int]

    def read(self, kinds: Sequence[str]) -> ViterbiPath:
        """Return the minimum-cost reading of line kinds, or raise `GrammarError`."""


def choose_engine(dialect: Dialect, engine: str | None = None) -> str:
    """Return the name of the engine that reads the broken texts of a dialect.

    Args:
        dialect: The dialect.
        engine: The engine that the caller wants. None: the one that fits the grammar.

    Raises:
        ValueError: There is no engine with this name.
    """
    if engine is not None and engine not in ENGINES:
        names = " and ".join(ENGINES)
        raise ValueError(f"there is no engine {engine!r}; the engines are {names}")
    if engine is not None:
        return engine
    if dialect.frozen("recovery") is not None:  # tables can only hold an automaton
        return "automaton"
    return "automaton" if _remember(recovery_grammar(dialect)) else "earley"


def load_engine(dialect: Dialect, engine: str | None = None) -> Engine:
    """Return an engine that reads by the recovery grammar of a dialect.

    Args:
        dialect: The dialect.
        engine: The engine that the caller wants. None: the one that fits the grammar.

    Raises:
        GrammarError: The engine cannot run the grammar, or the dialect has no recovery grammar.
    """
    if engine != "earley" and dialect.frozen("recovery") is not None:
        return _thaw(dialect)
    grammar = recovery_grammar(dialect)
    if choose_engine(dialect, engine) == "automaton":
        # If there is no automaton, to compile it again raises the error that explains why.
        return _remember(grammar) or load_automaton(grammar.path, grammar.text)
    return load_earley(grammar.path, grammar.text)


@lru_cache(maxsize=32)
def _remember(grammar: WrittenDialect) -> Automaton | None:
    """Return the automaton of a recovery grammar, cached on disk; None if it is not left-linear."""

    # A list, because the cache holds JSON arrays, and None is a result too.
    def compile() -> list[Any]:
        rules = load_rules(grammar.path, grammar.text)
        if not rules.is_left_linear:
            return [None]
        return [load_automaton(grammar.path, grammar.text).to_data()]

    tables = KeptTables("recovery", ("core/grammar", "core/recovery"), grammar.contents())
    [data] = tables.remember(compile)
    # The name is a path, and the cached one may be that of another checkout.
    return data and Automaton.from_data({**data, "name": str(grammar.path)})


@lru_cache(maxsize=32)
def _thaw(dialect: Dialect) -> Automaton:
    """Return the automaton in the tables of a dialect that was loaded without its grammar."""
    return Automaton.from_data(dialect.frozen("recovery"))


def read_kinds(
    dialect: Dialect, kinds: Sequence[str], engine: str | None = None
) -> tuple[ViterbiPath, str]:
    """Return the minimum-cost reading of line kinds.

    Args:
        dialect: The dialect whose recovery grammar gives the prices.
        kinds: The kinds of the lines, in order; runs of plain text count as one line.
        engine: The engine that the caller wants. None: the one that fits the grammar.

    Returns:
        The reading, and a sentence that reports which other engine had to read; empty if none.
    """
    if len(kinds) <= MOST_LINES or choose_engine(dialect, engine) == "automaton":
        return load_engine(dialect, engine).read(kinds), ""
    # The text is too long for Earley.
    grammar = recovery_grammar(dialect)
    count = counted(len(kinds), "line")
    note = (
        f"the text has {count} (a run of plain text is one), "
        f"the Earley engine reads up to {MOST_LINES}; "
    )
    if load_rules(grammar.path, grammar.text).is_left_linear:
        path = load_engine(dialect, "automaton").read(kinds)
        return path, note + "the automaton gave the same reading"
    family = load_dialect(dialect.family)
    note += f"it was read by the recovery grammar of {family.name} instead"
    return load_engine(family).read(kinds), note
