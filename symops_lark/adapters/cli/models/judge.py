"""`symops judge`: which rule holds at the end of a step, by its reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.errors import SymOpsError
from ..colours import paint
from ..options import json_option
from ..texts import complain, echo, read_text, write_json
from ..visibility import visible, visible_line
from .providers import model_options, way_option, with_limits

if TYPE_CHECKING:
    from ....answers.judgment import Judgment, RulesFile, Stage, Step


@click.command(name="judge")
@click.argument("rules", metavar="RULES.yaml")
@click.argument("reports", nargs=-1, metavar="[REPORT]...")
@click.option("-s", "--step", metavar="NAME", help="The step. Default: the only step of the file.")
@click.option("--response", metavar="FILE", help="The last response of the step, used if there is no report.")
@click.option(
    "--fact",
    "facts",
    multiple=True,
    metavar="NAME=VALUE",
    help="Add a fact for `when`, as JSON or text; may be repeated.",
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    metavar="NAME=RULE",
    help="The rule that a parallel part of the step matched, by its condition, or by its number in the step NAME; "
    "may be repeated.",
)
@click.option(
    "--parts",
    "parts_file",
    metavar="FILE",
    help="Add the parts of a JSON object: the name of each part, and its rule as in --part.",
)
@click.option(
    "--outcome",
    metavar="FILE",
    help="Add the facts passed, failed, total, timed_out, changes and declined of the JSON of `symops apply --json`.",
)
@click.option(
    "--log", metavar="FILE", help="Append the judgment to a file, as one line of JSON; also that no rule was found."
)
@click.option("--interactive", is_flag=True, help="Include the rules for interactive runs.")
@model_options(required=False)
@way_option("The way to enforce the form of the first answer. Default: set by the provider.")
@click.option("--explain", is_flag=True, help="Show each question, each reply and its outcome.")
@json_option
def command(
    rules: str,
    reports: tuple[str, ...],
    step: str | None,
    response: str | None,
    facts: tuple[str, ...],
    parts: tuple[str, ...],
    parts_file: str | None,
    outcome: str | None,
    log: str | None,
    interactive: bool,
    explain: bool,
    as_json: bool,
    **settings: Any,
) -> int:
    """Decide which rule holds at the end of a step.

    The decision is based on the REPORTs. Without a REPORT those that the step names are read from
    the folder of the rules; missing ones are skipped. Rules with `all` and `any` are decided by the
    parts, rules with `when` by the facts.
    If a single rule remains, it holds; otherwise a model is asked, at most three times.

    Exit code 0: a rule was found; 1: none was; 2: bad arguments or files.
    """
    from ....answers.judgment import Judgment, Method, StatusNotFound, judge_status, load_rules, read_source, write_tag
    from ....models import load_model

    file = load_rules(rules)
    chosen = file.find(step)
    known = {**_read_outcome(outcome), **_read_facts(facts, chosen)}
    matched = [_read_part(part, file) for part in (*_read_parts(parts_file), *parts)]
    for index, rule in enumerate(chosen.rules):
        is_hidden = rule.interactive_only and not interactive
        if matched and rule.when is None and not is_hidden and rule.holds(known, matched):
            judgment = Judgment(index, Method.AGGREGATE, write_tag(chosen.name, index + 1), "by the parts")
            _show(chosen, judgment, explain, as_json, log)
            return 0
    model = load_model(**with_limits(settings)) if settings["provider"] else None
    names = reports or [str(Path(rules).parent / name) for name in chosen.reports]
    last = read_text(response).text if response else None
    source = read_source(names, last) if names or last or model else ""
    for name in names:
        if not Path(name).exists():
            complain(f"{visible_line(name)}: there is no such report; it is passed over")
    try:
        found = judge_status(
            chosen.rules,
            source,
            model,
            step=chosen.name,
            interactive=interactive,
            facts=known,
            aliases=file.aliases,
            language=file.language,
        )
    except StatusNotFound as error:
        stages = [stage.to_dict() for stage in error.stages]
        value = {"rule_index": None, "error": str(error), "stages": stages}
        _log(log, {"step": chosen.name} | value)
        if as_json:
            write_json(value)
        elif explain:
            echo(_explain(error.stages))
        complain(str(error))
        return 1
    _show(chosen, found, explain, as_json, log)
    return 0


def _show(step: Step, judgment: Judgment, explain: bool, as_json: bool, log: str | None) -> None:
    rule = step.rules[judgment.rule_index]
    value = {"step": step.name, "condition": rule.condition, "next": rule.next} | judgment.to_dict()
    _log(log, value)
    if as_json:
        write_json(value)
        return
    echo(_tell(step, judgment))
    echo(_explain(judgment.stages) if explain else [])


def _log(log: str | None, value: Mapping[str, Any]) -> None:
    """Append a judgment to the log, if there is one."""
    if log is None:
        return
    from ....core.ground.json_lines import open_lines

    # A process that died while it wrote leaves half a line, which is removed.
    with open_lines(Path(log), "another process writes to it") as lines:
        lines.cut()
        lines.append({"at": datetime.now(UTC).isoformat(timespec="seconds"), **value})


def _read_parts(name: str | None) -> list[str]:
    """Return the parts of a file as NAME=RULE."""
    if name is None:
        return []
    value = _read_json(name)
    if not isinstance(value, dict) or not all(type(rule) in (int, str) for rule in value.values()):
        raise SymOpsError(
            f'{name}: a JSON object with a number or a condition for each part is expected, such as {{"review": 1}}'
        )
    return [f"{part}={rule}" for part, rule in value.items()]


def _read_json(name: str) -> Any:
    text = read_text(name)
    try:
        return json.loads(text.text)
    except (ValueError, RecursionError) as error:
        raise SymOpsError(f"{text.name}: this is not JSON: {error}") from None


def _read_part(part: str, file: RulesFile) -> str:
    """Return the condition that a part of the step matched."""
    name, equals, rule = part.partition("=")
    if not equals or not rule.strip():
        raise click.UsageError(f"--part {part}: a part is NAME=RULE")
    if not rule.strip().isdecimal():
        return rule.strip()
    for step in file.steps:
        # Numbers count in the step that the part is, which may be another one of the file.
        if step.name == name and 1 <= int(rule) <= len(step.rules):
            return step.rules[int(rule) - 1].condition
    raise click.UsageError(f"--part {part}: the file has no rule {rule.strip()} of a step {name!r}: give its condition")


def _read_outcome(name: str | None) -> Mapping[str, Any]:
    """Return the facts of a file with the outcome of a plan."""
    if name is None:
        return {}
    from ....answers.judgment.outcome_facts import facts_of_outcome

    try:
        return facts_of_outcome(_read_json(name))
    except SymOpsError as error:
        raise SymOpsError(f"{name}: {error}") from None


def _read_facts(given: Sequence[str], step: Step) -> Mapping[str, Any]:
    from ....answers.judgment.rules_file import RUN_FACTS

    facts: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or name not in (*step.facts, *RUN_FACTS):
            known = ", ".join(step.facts) or "none"
            raise click.UsageError(f"--fact {each}: a fact is NAME=VALUE, with a name of the step's facts ({known})")
        try:
            facts[name] = json.loads(value)
        except ValueError:
            facts[name] = value
    return facts


def _tell(step: Step, found: Judgment) -> Iterator[str]:
    rule = step.rules[found.rule_index]
    said = f"rule {found.rule_index + 1} of {visible_line(step.name)}: {visible_line(rule.condition)}"
    yield paint(said, bold=True)
    if rule.next is not None:
        yield f"next: {visible_line(rule.next)}"
    yield f"found by {found.method}" + (f": {visible_line(found.reason)}" if found.reason else "")


def _explain(stages: Sequence[Stage]) -> Iterator[str]:
    for number, stage in enumerate(stages, 1):
        yield ""
        why = f" ({visible_line(stage.error)})" if stage.error else ""
        yield paint(f"call {number}: stage {stage.stage}, {stage.method}: {stage.status}", bold=True) + why
        for mark, text in (("asked", stage.instruction), ("reply", stage.response)):
            yield from (f"{mark} | {visible(line)}" for line in text.split("\n"))
