"""The proofs of passes, repair rules and checks: each does to its own example what the example says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from pass_tables import prove_groups, prove_pass, prove_reading
from registries import Registry

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.recovery.lines.kinds import Line
from symops_lark.core.recovery.lines.passes import PASSES, Pass
from symops_lark.core.recovery.lines.spelling import LineReader
from symops_lark.core.recovery.outline.group_passes import PASSES as GROUP_PASSES_IN_ORDER
from symops_lark.core.recovery.outline.group_passes import GroupPass
from symops_lark.core.recovery.outline.groups import Group, Outlined
from symops_lark.core.recovery.reading import PASSES as OUTLINE_PASSES
from symops_lark.core.recovery.reading import Context, OutlinePass, Reading
from symops_lark.core.repairs import RepairEngine, load_rules
from symops_lark.core.repairs.line_repairer import RuleRepairer
from symops_lark.core.repairs.loader import all_rules
from symops_lark.core.repairs.rule import LINE_VERBS, TEXT_VERBS, Example, Rule

# ---- passes over the lines of a broken text, over its reading, and over its groups


def _idle_pass(a_pass: Pass) -> Pass:
    def nothing(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
        return lines

    nothing.__doc__ = a_pass.run.__doc__
    return a_pass._replace(run=nothing)


def _idle_outline_pass(a_pass: OutlinePass) -> OutlinePass:
    def nothing(reading: Reading, context: Context) -> Reading:
        return reading

    nothing.__doc__ = a_pass.run.__doc__
    return a_pass._replace(run=nothing)


def _idle_group_pass(a_pass: GroupPass) -> GroupPass:
    def nothing(groups: Sequence[Group], outline: Outlined) -> None:
        return

    nothing.__doc__ = a_pass.run.__doc__
    return a_pass._replace(run=nothing)


LINE_PASSES = Registry(
    "passes",
    {single_pass.name: single_pass for single_pass in PASSES},
    _idle_pass,
    lambda name, a_pass, folder: prove_pass(a_pass, folder),
)

READING_PASSES = Registry(
    "passes over readings",
    {outline_pass.name: outline_pass for outline_pass in OUTLINE_PASSES},
    _idle_outline_pass,
    lambda name, a_pass, folder: prove_reading(a_pass),
)

GROUP_PASSES = Registry(
    "passes over groups",
    {item.name: item for item in GROUP_PASSES_IN_ORDER},
    _idle_group_pass,
    lambda name, a_pass, folder: prove_groups(a_pass),
)

# ---- repair rules


def _engine_for(rule: Rule, example: Example) -> RepairEngine:
    """Line and text rules stand alone; what answers to a mistake needs the reading that the whole set gives."""
    if rule.verb in LINE_VERBS | TEXT_VERBS:
        return RepairEngine(example.dialect, rules=[rule])
    rules = load_rules(load_grammar(example.dialect))
    return RepairEngine(
        example.dialect, rules=[rule if single_rule.id == rule.id else single_rule for single_rule in rules]
    )


def _prove_rule(name: str, rule: Rule, folder: Path) -> None:
    """Each example comes out as it says, twice; the first one shows the rule itself at work."""
    for example in rule.examples:
        engine = _engine_for(rule, example)
        once = engine.repair(example.before)
        assert once.text == example.after
        assert engine.repair(once.text).text == once.text, "repairing twice changes more"
    example = rule.examples[0]
    if rule.verb in LINE_VERBS:
        repairer = RuleRepairer(load_grammar(example.dialect), [rule])
        lines = example.before.split("\n")
        lines = [*lines, *map("\n".join, pairwise(lines))]  # a tag and what it names may stand on two lines
        assert any(repairer.candidate(line, role) for line in lines for role in rule.lines)
    else:
        repaired = _engine_for(rule, example).repair(example.before)
        assert rule.id in {repair.rule for repair in repaired.repairs}


def _idle_rule(rule: Rule) -> Rule:
    """Return a rule with the same examples whose pattern no text has."""
    if rule.verb in TEXT_VERBS:
        return replace(rule, verb="replace_text", argument={"pattern": _NEVER, "with": ""})
    return replace(rule, verb="replace", argument={"pattern": _NEVER, "with": ""}, lines=("head",), mistakes=())


_NEVER = r"[^\x00-\x{10FFFF}]"
RULES = Registry("repair rules", {rule.id: rule for rule in all_rules()}, _idle_rule, _prove_rule)
