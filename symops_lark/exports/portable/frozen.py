"""Freeze a dialect: all that reads it as one JSON object, without what compiles it.

What is read by these tables needs neither Lark nor YAML, so parsers for other runtimes are made of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import load_dialect, recovery_text
from ...core.grammar.mistakes import load_mistakes
from ...core.ground.errors import GrammarError
from ...core.recovery.engines.automaton_compiler import load_automaton
from ...core.recovery.engines.choice import choose_engine
from ...core.repairs.loader import load_rules
from ...core.repairs.rule import Rule


def freeze(format: str | Path | Dialect, rules: Sequence[Rule] | None = None) -> dict[str, Any]:
    """Return the tables of a dialect, of which `Dialect.from_data` makes one without a grammar.

    Args:
        format: The dialect, its name, or the path of its grammar.
        rules: The repair rules to use instead of the installed ones. None: the installed ones.

    Raises:
        GrammarError: The recovery grammar is not left-linear.
    """
    dialect = load_dialect(format)
    # Only Lark's Earley parser runs a recovery grammar with nesting.
    if choose_engine(dialect) != "automaton":
        message = "its recovery grammar has nesting, which tables cannot say"
        raise GrammarError(f"{dialect.name}: {message}")
    chosen = load_rules(dialect) if rules is None else rules
    return {
        **freeze_strict(dialect),
        "recovery": load_automaton(*recovery_text(dialect)).to_data(),
        "repairs": [rule.to_data() for rule in chosen],
    }


def freeze_strict(dialect: Dialect) -> dict[str, Any]:
    """Return the tables of the strict parser alone, with the words and tags of mistakes.

    Args:
        dialect: The dialect.
    """
    rows: dict[str, list[Any]] = {}
    for code, mistake in load_mistakes(dialect).items():
        tags = list(mistake.tags)
        rows[code] = [mistake.sentence, mistake.hint, mistake.price, tags]
    # The strict parser has neither recovery nor rules.
    return {**dialect.to_data(), "recovery": {}, "mistakes": rows, "repairs": []}
