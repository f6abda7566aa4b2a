"""The tables of a dialect as an export carries them: without what nothing reads there, spelt for every runtime."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...grammar.compiler import WrittenDialect
from ...grammar.loading import recovery_grammar
from ...pattern_syntax import spell_as_re
from ...recovery.nesting import find_causes
from ...recovery.priced_rules import load_rules
from ...repairs.rule import CARRIED, Rule
from ...tables import freeze, freeze_strict
from .. import ExportError
from ..features import show_statement
from .patterns import PATTERNS, spell_out, spell_template

_USUAL = {
    "dialects": [],
    "lines": [],
    "mistakes": [],
    "phase": "",
    "weak": False,
    "without": [],
}  # what a rule has if it says nothing
_NEEDLESS = ("touches",)  # of rules: for people who write them


def carry_tables(
    dialect: WrittenDialect, *, strict: bool = False, rules: Sequence[Rule] | None = None
) -> dict[str, Any]:
    """Return the tables; `strict` ones say nothing of broken texts but the words for mistakes.

    `rules` stand in the place of the installed ones. Raises `ExportError` with the place of a rule of the recovery
    grammar that tables cannot say.
    """
    if strict:
        return freeze_strict(dialect)
    _require_automaton(dialect)
    tables = freeze(dialect, rules)
    recovery = {**tables["recovery"], "name": dialect.name, "mistakes": {}}  # else a path; the prices are told below
    return {**tables, "recovery": recovery, "repairs": [_carry_rule(row) for row in tables["repairs"]]}


def _require_automaton(dialect: WrittenDialect) -> None:
    grammar = recovery_grammar(dialect)
    rules = load_rules(grammar.path, grammar.text)
    if rules.is_left_linear:
        return
    name = next(find_causes(rules), "document")
    place = show_statement(grammar, name)
    reason = "a rule of several lines stands elsewhere than first in it, which no automaton runs"
    raise ExportError(
        f"{place}: a tolerant parser cannot keep {name}: {reason}; without --tolerant the dialect is exported"
    )


def write_tables(dialect: WrittenDialect, *, strict: bool = False, rules: Sequence[Rule] | None = None) -> str:
    """Return the tables as JSON on one line."""
    tables = carry_tables(dialect, strict=strict, rules=rules)
    return json.dumps(tables, ensure_ascii=True, separators=(",", ":"))


def _carry_rule(row: dict[str, Any]) -> dict[str, Any]:
    argument = row["argument"]
    if isinstance(argument, dict):
        spelt = {key: spell_out(spell_as_re(str(argument[key]))) for key in PATTERNS if key in argument}
        if "with" in argument:
            spelt["with"] = spell_template(str(argument["with"]))
        row = {**row, "argument": {**argument, **spelt}}
    told = row if row["phase"] == CARRIED else {**row, "phase": ""}  # of phases only this one is read
    return {key: value for key, value in told.items() if key not in _NEEDLESS and value != _USUAL.get(key, ...)}
