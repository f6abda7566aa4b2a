"""All that reads a dialect, as one JSON object: grammar, recovery, mistakes and rules, without what compiles them.

What is read by these tables needs neither Lark nor YAML: parsers for other runtimes are made of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.grammar.dialect import Dialect
from ..core.grammar.loading import load_dialect, recovery_text
from ..core.grammar.mistakes import load_mistakes
from ..core.ground.errors import GrammarError
from ..core.ground.schemas import schema
from ..core.recovery.engines.automaton_compiler import load_automaton
from ..core.recovery.engines.choice import choose_engine
from ..core.repairs.loader import load_rules
from ..core.repairs.rule import Rule

SUMMARY = "the strict parser as JSON tables, for a runtime of any language"
KIND = "data"
ENGINE = "node"
TOLERANT = False


def write(dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None) -> dict[str, str]:
    """Return the tables and their schema."""
    from .portable.tables import portable_tables

    tables = json.dumps(portable_tables(dialect), separators=(",", ":"))
    described = json.dumps(schema("tables"), indent=2)
    return {"tables.json": f"{tables}\n", "tables.schema.json": f"{described}\n"}


def freeze(format: str | Path | Dialect, rules: Sequence[Rule] | None = None) -> dict[str, Any]:
    """Return the tables of a dialect, of which `Dialect.from_data` makes one that needs no grammar.

    `rules` stand in the place of the installed ones. Raises `GrammarError` if the recovery grammar is not left-linear:
    only Lark's Earley parser runs such a one.
    """
    dialect = load_dialect(format)
    if choose_engine(dialect) != "automaton":
        raise GrammarError(f"{dialect.name}: its recovery grammar has nesting, which tables cannot say")
    return {
        **freeze_strict(dialect),
        "recovery": load_automaton(*recovery_text(dialect)).to_data(),
        "repairs": [rule.to_data() for rule in (load_rules(dialect) if rules is None else rules)],
    }


def freeze_strict(dialect: Dialect) -> dict[str, Any]:
    """Return the tables of the strict parser alone, with the words and tags of mistakes."""
    rows = {
        code: [mistake.sentence, mistake.hint, mistake.price, list(mistake.tags)]
        for code, mistake in load_mistakes(dialect).items()
    }
    return {**dialect.to_data(), "recovery": {}, "mistakes": rows, "repairs": []}
