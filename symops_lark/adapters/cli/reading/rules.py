"""`symops rules`: list, show and test the repair rules."""

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
from ..texts import InputError, print_result
from ..view import compare_lines
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
    """List the repair rules.

    \f

    Args:
        format: The dialect; None for all rules.
        rules: Folders with custom rules.
        as_json: Whether the output is JSON.
    """
    from ....core.grammar.loading import load_dialect
    from ....core.repairs.loader import load_rules

    listed: Sequence[Rule]
    listed = load_rules(load_dialect(format), rules) if format else _load_all(rules)
    print_result([_to_dict(rule) for rule in listed], _list(listed), as_json)
    return 0


@rules_group.command(name="show")
@click.argument("rule_id", metavar="RULE")
@rules_option
@json_option
def show_command(rule_id: str, rules: tuple[str, ...], as_json: bool) -> int:
    """Show a rule with its reason and its examples.

    \f

    Args:
        rule_id: The rule.
        rules: Folders with custom rules.
        as_json: Whether the output is JSON.
    """
    # An unknown id ends here with a hint.
    [rule] = _pick(_load_all(rules), [rule_id])
    print_result(_to_dict(rule), _show(rule), as_json)
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
    \f

    Args:
        rule_ids: The rules; none for all, or for all of the folders.
        rules: Folders with custom rules.
        as_json: Whether the output is JSON.
    """
    tested = _load_all(rules)
    if rule_ids:
        tested = _pick(tested, rule_ids)
    elif rules:
        # A folder may also be one file with rules.
        folders = set(map(Path, rules))
        tested = [rule for rule in tested if folders & {rule.path, *rule.path.parents}]
    # All installed rules take seconds.
    failures: list[dict[str, Any]] = []
    with show_progress("examples of rules", len(tested)) as step:
        for number, rule in enumerate(tested, 1):
            failures += _test(rule, rules)
            step(number, len(tested))
    examples = sum(len(rule.examples) for rule in tested)
    numbers = {"rule": len(tested), "example": examples, "failure": len(failures)}
    counts = ", ".join(counted(number, noun, zero="no") for noun, number in numbers.items())
    lines = chain(chain.from_iterable(map(_show_failure, failures)), [counts])
    value = {"rules": len(tested), "examples": examples, "failures": failures}
    print_result(value, lines, as_json)
    return int(bool(failures))


def _list(rules: Sequence[Rule]) -> Iterator[str]:
    # The longest id decides, so that the costs form a column.
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        name = paint(f"{rule.id:<{width}}", "cyan")
        only = f" ({', '.join(rule.dialects)} only)" if rule.dialects else ""
        yield f"{name}  {rule.cost:>3g}  {visible(rule.summary)}{only}"


def _load_all(folders: tuple[str, ...]) -> list[Rule]:
    """Return all rules, sorted by id; a rule of a folder replaces an installed one of its id."""
    from ....core.grammar.loading import dialects, load_dialect
    from ....core.repairs.loader import all_rules, load_rules

    rules = {rule.id: rule for rule in all_rules()}
    if folders:
        # Rules are loaded for a dialect, and a rule of a folder may be for only one.
        for name in dialects():
            rules |= {rule.id: rule for rule in load_rules(load_dialect(name), folders)}
    return [rules[name] for name in sorted(rules)]


def _pick(rules: Sequence[Rule], ids: Sequence[str]) -> list[Rule]:
    rules_by_id = {rule.id: rule for rule in rules}
    for name in ids:
        if name not in rules_by_id:
            # Ids are long: most wrong ones are a slip away from one that exists.
            near = difflib.get_close_matches(name, rules_by_id, 3)
            hint = f"did you mean {', '.join(near)}?" if near else "`symops rules list` lists them"
            raise InputError(f"no rule is called {name!r}; {hint}")
    return [rules_by_id[name] for name in ids]


def _test(rule: Rule, folders: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield a failure for each example whose repaired text is not the one in the file."""
    from ....core.grammar.loading import load_dialect
    from ....core.repairs.engine import RepairEngine
    from ....core.repairs.rule import LINE_VERBS, TEXT_VERBS

    # A rule for a mistake of structure needs others: they bring the lines into their form.
    rules = [rule] if rule.verb in LINE_VERBS | TEXT_VERBS else None
    for number, example in enumerate(rule.examples, 1):
        engine = RepairEngine(load_dialect(example.dialect), rules=rules, folders=folders)
        text = engine.repair(example.before).text
        if text != example.after:
            yield {
                "rule": rule.id,
                "path": str(rule.path),
                "example": number,
                "dialect": example.dialect,
                "before": example.before,
                "expected": example.after,
                "found": text,
            }


def _to_dict(rule: Rule) -> dict[str, Any]:
    names = ("id", "phase", "path", "dialects", "summary", "why", "touches", "cost")
    value = write_object(rule, *names)
    # A rule has one verb, and its key is the verb's name, as in the file.
    value |= {"path": str(rule.path), rule.verb: rule.argument}
    value |= write_object(rule, "lines", "mistakes")
    value["examples"] = [
        write_object(example, "dialect", "before", "after") for example in rule.examples
    ]
    return value


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
    # Facts that a rule does not have are left out.
    for name, fact in facts.items():
        if fact not in ("", None):
            yield f"  {name}: {visible(str(fact))}"
    for example in rule.examples:
        texts = {"before": example.before, "after": example.after}
        # Such an example shows a text that the rule must leave alone.
        if example.before == example.after:
            texts = {"unchanged": example.before}
        for title, text in texts.items():
            yield paint(f"  {title} ({example.dialect})", bold=True)
            for line in text.removesuffix("\n").split("\n"):
                yield "    " + visible(line)


def _show_failure(failure: dict[str, Any]) -> Iterator[str]:
    example = f"{failure['rule']}, example {failure['example']} ({failure['dialect']})"
    yield paint(f"{failure['path']}: {example}", "red", bold=True)
    expected = failure["expected"].split("\n")
    repaired = failure["found"].split("\n")
    # The titles of the two texts are their keys in the JSON.
    for line in compare_lines(expected, repaired, "expected", "found"):
        yield "  " + visible(line)
