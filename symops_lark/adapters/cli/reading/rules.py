"""`symops rules`: the repair rules, what they are for, and whether they keep their word."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ..colours import paint
from ..options import format_option, json_option, rules_option
from ..progress import show_progress
from ..texts import InputError, tell
from ..visibility import visible

if TYPE_CHECKING:
    from ....core.repairs.rule import Rule


@click.group(name="rules")
def rules_group() -> None:
    """Show and test the repair rules."""


@rules_group.command(name="list")
@format_option(None, "List only the rules of this dialect, in running order. Default: all rules.")
@rules_option
@json_option
def list_command(format: str | None, rules: tuple[str, ...], as_json: bool) -> int:
    """List the repair rules."""
    from ....core.grammar.loading import load_dialect
    from ....core.repairs.loader import load_rules

    found = load_rules(load_dialect(format), rules) if format else _all(rules)
    tell([_to_dict(rule) for rule in found], _list(found), as_json)
    return 0


@rules_group.command(name="show")
@click.argument("rule_id", metavar="RULE")
@rules_option
@json_option
def show_command(rule_id: str, rules: tuple[str, ...], as_json: bool) -> int:
    """Show a rule with its reason and its examples."""
    rule = _pick(_all(rules), (rule_id,))[0]
    tell(_to_dict(rule), _show(rule), as_json)
    return 0


@rules_group.command(name="test")
@click.argument("rule_ids", nargs=-1, metavar="[RULE]...")
@rules_option
@json_option
def test_command(rule_ids: tuple[str, ...], rules: tuple[str, ...], as_json: bool) -> int:
    """Run the examples of repair rules.

    Without a RULE all installed rules are tested, or with --rules those of the folders. A rule that
    normalizes lines must pass its examples alone; a rule for a mistake of structure runs with its
    rule set.

    Exit code 0: every example passes; 1: an example fails.
    """
    every = _all(rules)
    chosen = _pick(every, rule_ids) if rule_ids else every
    if rules and not rule_ids:
        places = [Path(folder) for folder in rules]
        chosen = [rule for rule in every if any(place in (rule.path, *rule.path.parents) for place in places)]
    failures: list[dict[str, Any]] = []
    with show_progress("examples of rules", len(chosen)) as step:
        for number, rule in enumerate(chosen, 1):
            failures += _test(rule, rules)
            step(number, len(chosen))
    count = sum(len(rule.examples) for rule in chosen)
    numbers = {"rule": len(chosen), "example": count, "failure": len(failures)}
    counts = ", ".join(counted(number, noun, zero="no") for noun, number in numbers.items())
    lines = chain(chain.from_iterable(map(_show_failure, failures)), [counts])
    tell({"rules": len(chosen), "examples": count, "failures": failures}, lines, as_json)
    return 1 if failures else 0


def _list(rules: Sequence[Rule]) -> Iterator[str]:
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        only = f" ({', '.join(rule.dialects)} only)" if rule.dialects else ""
        yield f"{paint(f'{rule.id:<{width}}', 'cyan')}  {rule.cost:>3g}  {visible(rule.summary)}{only}"


def _all(folders: tuple[str, ...]) -> list[Rule]:
    """Return every rule by id: the installed ones, and those of the user's folders in their place."""
    from ....core.grammar.loading import dialects, load_dialect
    from ....core.repairs.loader import all_rules, load_rules

    found = {rule.id: rule for rule in all_rules()}
    if folders:
        for name in dialects():
            found.update({rule.id: rule for rule in load_rules(load_dialect(name), folders)})
    return [found[name] for name in sorted(found)]


def _pick(rules: Sequence[Rule], ids: Sequence[str]) -> list[Rule]:
    known = {rule.id: rule for rule in rules}
    for name in ids:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3)
            hint = f"; did you mean {', '.join(near)}?" if near else "; `symops rules list` lists them"
            raise InputError(f"no rule is called {name!r}{hint}")
    return [known[name] for name in ids]


def _test(rule: Rule, folders: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield a failure for each example that does not come out as it says."""
    from ....core.grammar.loading import load_dialect
    from ....core.repairs.engine import RepairEngine
    from ....core.repairs.rule import LINE_VERBS, TEXT_VERBS

    alone = rule.verb in LINE_VERBS | TEXT_VERBS
    for number, example in enumerate(rule.examples, 1):
        dialect = load_dialect(example.dialect)
        engine = RepairEngine(dialect, rules=[rule]) if alone else RepairEngine(dialect, folders=folders)
        found = engine.repair(example.before).text
        if found != example.after:
            failure = {"rule": rule.id, "path": str(rule.path), "example": number, "dialect": example.dialect}
            yield failure | {"before": example.before, "expected": example.after, "found": found}


def _to_dict(rule: Rule) -> dict[str, Any]:
    facts = write_object(rule, "id", "phase", "path", "dialects", "summary", "why", "touches", "cost")
    examples = [write_object(example, "dialect", "before", "after") for example in rule.examples]
    facts |= {"path": str(rule.path), rule.verb: rule.argument}
    return facts | write_object(rule, "lines", "mistakes") | {"examples": examples}


def _show(rule: Rule) -> Iterator[str]:
    yield f"{paint(rule.id, 'cyan', bold=True)}: {visible(rule.summary)}"
    facts = {
        "why": rule.why,
        "phase": rule.phase,
        "dialects": ", ".join(rule.dialects) or "all",
        "cost": f"{rule.cost:g}",
        "touches": rule.touches,
        "lines": ", ".join(rule.lines),
        "mistakes": ", ".join(rule.mistakes),
        rule.verb: rule.argument,
        "file": rule.path,
    }
    yield from (f"  {name}: {visible(str(value))}" for name, value in facts.items() if value not in ("", None))
    for example in rule.examples:
        texts = {"before": example.before, "after": example.after}
        if example.before == example.after:
            texts = {"unchanged": example.before}
        for title, text in texts.items():
            yield paint(f"  {title} ({example.dialect})", bold=True)
            yield from ("    " + visible(line) for line in text.removesuffix("\n").split("\n"))


def _show_failure(failure: dict[str, Any]) -> Iterator[str]:
    place = f"{failure['path']}: {failure['rule']}, example {failure['example']} ({failure['dialect']})"
    yield paint(place, "red", bold=True)
    expected, found = failure["expected"].split("\n"), failure["found"].split("\n")
    lines = difflib.unified_diff(expected, found, "expected", "found", lineterm="")
    yield from ("  " + visible(line) for line in lines)
