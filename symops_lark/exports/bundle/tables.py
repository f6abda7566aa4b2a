"""The tables of a dialect as an export carries them: without what nothing reads there, spelt for every runtime."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.compiling.dialect_tables import LINE_RULES
from ...core.grammar.loading import recovery_grammar
from ...core.ground.errors import ExportError
from ...core.patterns.pattern_syntax import spell_as_re
from ...core.recovery.engines.automaton import Automaton
from ...core.recovery.engines.nesting import find_causes
from ...core.recovery.engines.priced_rules import load_rules
from ...core.recovery.lines.kinds import OWN, Kind, kinds_of
from ...core.repairs.loader import load_rules as load_rules_of
from ...core.repairs.rule import CARRIED, Rule
from ..features import show_statement
from ..portable.frozen import freeze, freeze_strict
from .patterns import PATTERNS, begin_with_runs, spell_out, spell_template

_USUAL = {
    "dialects": [],
    "lines": [],
    "mistakes": [],
    "phase": "",
    "weak": False,
    "without": [],
}  # what a rule has if it says nothing
_REASONING = kinds_of(Kind.REASONING)


def write_tables(dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None) -> str:
    """Return the tables as JSON on one line; only `tolerant` ones say of broken texts more than the words for mistakes.

    `rules` stand in the place of the installed ones, but for None. Raises `ExportError` with the place of a rule of the
    recovery grammar that tables cannot say.
    """
    tables = _carry_tables(dialect, rules) if tolerant else freeze_strict(dialect)
    return json.dumps(tables, ensure_ascii=True, separators=(",", ":"))


def _carry_tables(dialect: WrittenDialect, rules: Sequence[Rule] | None) -> dict[str, Any]:
    _require_automaton(dialect)
    meant = [rule for rule in (load_rules_of(dialect) if rules is None else rules) if rule.serves(dialect)]
    tables = freeze(dialect, meant)
    unmet = frozenset() if dialect.own else OWN
    if "lines" not in dialect.forms:
        unmet |= _REASONING
    return {
        **tables,
        "rules": [name for name in tables["rules"] if name in LINE_RULES],  # of which a stream asks
        "recovery": _without(tables["recovery"], dialect.name, unmet),
        "mistakes": {code: row for code, row in tables["mistakes"].items() if code not in _mistakes_of(unmet)},
        "repairs": [_carry_rule(row, unmet) for row in tables["repairs"]],
    }


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


def _carry_rule(row: dict[str, Any], unmet: frozenset[Kind]) -> dict[str, Any]:
    row = {**row, "lines": [role for role in row["lines"] if role not in {kind.role for kind in unmet}]}
    argument = row["argument"]
    if isinstance(argument, dict):
        spelt = {}
        for key in PATTERNS:
            if key in argument:
                spelt[key] = begin_with_runs(spell_out(spell_as_re(str(argument[key]))))
        if "with" in argument:
            spelt["with"] = spell_template(str(argument["with"]))
        row = {**row, "argument": {**argument, **spelt}}
    told = row if row["phase"] == CARRIED else {**row, "phase": ""}  # of phases only this one is read
    # What a rule touches is said for people who write rules.
    return {key: value for key, value in told.items() if key != "touches" and value != _USUAL.get(key, ...)}


def _without(data: dict[str, Any], name: str, kinds: frozenset[Kind]) -> dict[str, Any]:
    """Return the tables of an automaton without kinds of lines that no text has; its name is else a path."""
    start, end, arcs = Automaton.from_data(data).tables
    return Automaton(name, (start, end, {kind: row for kind, row in arcs.items() if kind not in kinds}), {}).to_data()


def _mistakes_of(kinds: frozenset[Kind]) -> set[str]:
    """Return the mistakes that are called after kinds of lines."""
    return {kind.lower().replace("_", "-").removesuffix("ing") for kind in kinds}
