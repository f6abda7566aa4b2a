"""Write the tables of a dialect for an export: only those that it reads, with portable patterns."""

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
from ...core.repairs.loader import load_rules as load_repair_rules
from ...core.repairs.rule import CARRIED, Rule
from ..features import show_statement
from ..portable.frozen import freeze, freeze_strict
from .patterns import PATTERNS, begin_with_runs, spell_out, spell_template

# The values of a rule that are left out, because the reader of the tables has them as defaults.
_DEFAULTS = {"dialects": [], "lines": [], "mistakes": [], "phase": "", "weak": False, "without": []}
_REASONING = kinds_of(Kind.REASONING)


def write_tables(dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None) -> str:
    """Return the tables as JSON on one line.

    Args:
        dialect: The dialect.
        tolerant: Whether to include repairs and recovery. Strict tables describe broken texts only
            by the messages for mistakes.
        rules: Custom repair rules; None: the installed ones.

    Raises:
        ExportError: Tables cannot express a rule of the recovery grammar. The message has its
            place.
    """
    tables = _collect(dialect, rules) if tolerant else freeze_strict(dialect)
    return json.dumps(tables, ensure_ascii=True, separators=(",", ":"))


def _collect(dialect: WrittenDialect, rules: Sequence[Rule] | None) -> dict[str, Any]:
    _require_automaton(dialect)
    if rules is None:
        rules = load_repair_rules(dialect)
    tables = freeze(dialect, [rule for rule in rules if rule.serves(dialect)])
    # Kinds of lines that no text in this dialect has.
    unused = frozenset() if dialect.own else OWN
    if "lines" not in dialect.forms:
        unused |= _REASONING
    # A stream needs only these rules.
    tables["rules"] = [name for name in tables["rules"] if name in LINE_RULES]
    tables["recovery"] = _without(tables["recovery"], dialect.name, unused)
    for kind in unused:
        # Some mistakes have the name of a kind.
        tables["mistakes"].pop(kind.lower().replace("_", "-").removesuffix("ing"), None)
    tables["repairs"] = [_shorten_rule(row, unused) for row in tables["repairs"]]
    return tables


def _require_automaton(dialect: WrittenDialect) -> None:
    grammar = recovery_grammar(dialect)
    rules = load_rules(grammar.path, grammar.text)
    if rules.is_left_linear:
        return
    name = next(find_causes(rules), "document")
    place = show_statement(grammar, name)
    raise ExportError(
        f"{place}: a tolerant parser cannot keep {name}: a rule of several lines is elsewhere than"
        " first in it, which no automaton runs; without --tolerant the dialect is exported"
    )


def _shorten_rule(row: dict[str, Any], unused: frozenset[Kind]) -> dict[str, Any]:
    """Return a row of the repair rules with portable patterns and without its defaults."""
    roles = {kind.role for kind in unused}
    row = {**row, "lines": [role for role in row["lines"] if role not in roles]}
    argument = row["argument"]
    if isinstance(argument, dict):
        argument = dict(argument)
        for key in PATTERNS:
            if key in argument:
                argument[key] = begin_with_runs(spell_out(spell_as_re(str(argument[key]))))
        if "with" in argument:
            argument["with"] = spell_template(str(argument["with"]))
        row["argument"] = argument
    # Exports read the phase only to find the rules of carried texts.
    if row["phase"] != CARRIED:
        row["phase"] = ""
    # `touches` is for the authors of rules.
    del row["touches"]
    return {key: value for key, value in row.items() if value != _DEFAULTS.get(key, ...)}


def _without(data: dict[str, Any], name: str, kinds: frozenset[Kind]) -> dict[str, Any]:
    """Return the tables of an automaton without some kinds of lines.

    Args:
        data: The tables.
        name: The name of the automaton in the result. It is a path in `data`.
        kinds: The kinds of lines.
    """
    start, end, arcs = Automaton.from_data(data).tables
    for kind in kinds:
        arcs.pop(kind, None)
    return Automaton(name, (start, end, arcs), {}).to_data()
