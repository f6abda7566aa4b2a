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
from ..documents import read_json
from ..options import json_option, together
from ..texts import complain, echo, read_text, write_json
from ..visibility import visible, visible_line
from .providers import model_options, way_option, with_limits

if TYPE_CHECKING:
    from ....answers.judgment import Judgment, RulesFile, Stage, Step

# Facts about the step beside its reports: they may decide without a model.
_knowledge = together(
    click.option(
        "--fact",
        "facts",
        multiple=True,
        metavar="NAME=VALUE",
        help="Add a fact for `when`, as JSON or text; may be repeated.",
    ),
    click.option(
        "--part",
        "parts",
        multiple=True,
        metavar="NAME=RULE",
        help="The rule that a parallel part of the step matched, by its condition, or by its "
        "number in the step NAME; may be repeated.",
    ),
    click.option(
        "--parts",
        "parts_file",
        metavar="FILE",
        help="Add the parts of a JSON object: the name of each part, and its rule as in --part.",
    ),
    click.option(
        "--outcome",
        metavar="FILE",
        help="Add the facts passed, failed, total, timed_out, changes and declined of the JSON of "
        "`symops apply --json`.",
    ),
)


@click.command(name="judge")
@click.argument("rules", metavar="RULES.yaml")
@click.argument("reports", nargs=-1, metavar="[REPORT]...")
@click.option("-s", "--step", metavar="NAME", help="The step. Default: the only step of the file.")
@click.option(
    "--response", metavar="FILE", help="The last response of the step, used if there is no report."
)
@_knowledge
@click.option(
    "--log",
    metavar="FILE",
    help="Append the judgment to a file, as one line of JSON; also that no rule was found.",
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
    \f

    Args:
        rules: The file of rules.
        reports: The reports; none for those that the step names.
        step: The step; None for the only one of the file.
        response: The file of the last response.
        facts: Facts, as NAME=VALUE.
        parts: Rules of the parts of the step, as NAME=RULE.
        parts_file: The file of further parts.
        outcome: The file of the outcome of a plan.
        log: The file that the judgment is appended to.
        interactive: Whether rules for interactive runs count.
        explain: Whether questions and replies are printed.
        as_json: Whether the output is JSON.
        settings: The values of `model_options`, and `way`.
    """
    from ....answers.conditions import ConditionError
    from ....answers.judgment import (
        Judgment,
        Method,
        StatusNotFound,
        judge_status,
        load_rules,
        read_source,
        write_tag,
    )
    from ....models import load_model

    file = load_rules(rules)
    judged = file.find(step)
    all_facts = {**_read_outcome(outcome), **_read_facts(facts, judged)}
    matched = _match_parts((*_read_parts(parts_file), *parts), file)
    # Rules about the parts come first: where one holds, the reports need not exist.
    for index, rule in enumerate(judged.rules):
        is_hidden = rule.interactive_only and not interactive
        is_about_parts = matched and rule.when is None and not is_hidden
        if is_about_parts and rule.holds(all_facts, matched):
            tag = write_tag(judged.name, index + 1)
            judgment = Judgment(index, Method.AGGREGATE, tag, "by the parts")
            _show(judged, judgment, explain, as_json, log)
            return 0
    model = load_model(**with_limits(settings)) if settings["provider"] else None
    names = reports or [str(Path(rules).parent / name) for name in judged.reports]
    last_response = read_text(response).text if response else None
    # Without a source, facts alone may decide.
    source = ""
    if names or last_response or model:
        source = read_source(names, last_response)
    # A step may have written only some of its reports.
    for name in names:
        if not Path(name).exists():
            complain(f"{visible_line(name)}: there is no such report; it is passed over")
    try:
        judgment = judge_status(
            judged.rules,
            source,
            model,
            step=judged.name,
            interactive=interactive,
            facts=all_facts,
            parts=matched,
            aliases=file.aliases,
            language=file.language,
        )
    except ConditionError as error:
        # The file was checked: the name is one of the step's facts, or of each run.
        if not error.missing:
            raise
        name = error.missing
        raise click.UsageError(f"no value was given for {name}: --fact {name}=…") from None
    except StatusNotFound as error:
        stages = [stage.to_dict() for stage in error.stages]
        value = {"rule_index": None, "error": str(error), "stages": stages}
        # A log without the failures would show only the steps that went well.
        _log(log, {"step": judged.name, **value})
        if as_json:
            write_json(value)
        elif explain:
            echo(_explain(error.stages))
        complain(str(error))
        return 1
    _show(judged, judgment, explain, as_json, log)
    return 0


def _show(step: Step, judgment: Judgment, explain: bool, as_json: bool, log: str | None) -> None:
    """Log a judgment and print it."""
    rule = step.rules[judgment.rule_index]
    value = {"step": step.name, "condition": rule.condition, "next": rule.next}
    value |= judgment.to_dict()
    _log(log, value)
    if as_json:
        write_json(value)
        return
    number = judgment.rule_index + 1
    title = f"rule {number} of {visible_line(step.name)}: {visible_line(rule.condition)}"
    lines = [paint(title, bold=True)]
    # A rule need not name a next step.
    if rule.next is not None:
        lines.append(f"next: {visible_line(rule.next)}")
    reason = f": {visible_line(judgment.reason)}" if judgment.reason else ""
    lines.append(f"found by {judgment.method}{reason}")
    if explain:
        lines += _explain(judgment.stages)
    echo(lines)


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
    value = read_json(read_text(name))
    # `bool` is a class of integers in Python, but `true` is not a number of a rule.
    if not isinstance(value, dict) or not {int, str}.issuperset(map(type, value.values())):
        expected = "expected a JSON object with a number or a condition for each part"
        raise SymOpsError(f'{name}: {expected}, such as {{"review": 1}}')
    return [f"{part}={rule}" for part, rule in value.items()]


def _match_parts(parts: Sequence[str], file: RulesFile) -> list[str]:
    """Return the condition that each part matched."""
    matched: dict[str, str] = {}
    for part in parts:
        name, condition = _read_part(part, file)
        if name in matched:
            raise click.UsageError(f"--part {part}: the rule of {name!r} is given twice")
        matched[name] = condition
    return list(matched.values())


def _read_part(part: str, file: RulesFile) -> tuple[str, str]:
    """Return the name of a part, and the condition that it matched."""
    name, _, rule = (word.strip() for word in part.partition("="))
    if not name or not rule:
        raise click.UsageError(f"--part {part}: a part is NAME=RULE")
    is_number = rule.lstrip("+-").isdecimal()
    # The part may also be a step of another file, whose conditions are unknown here.
    steps = [step for step in file.steps if step.name == name]
    if not steps and not is_number:
        return name, rule
    for step in steps:
        # A misspelled condition would match no rule, and the one for all other cases would hold.
        # Numbers are compared as texts: Python does not convert thousands of digits.
        for number, own in enumerate(step.rules, 1):
            matches = own.condition == rule
            if rule.isdecimal():
                matches = str(number) == rule.lstrip("0")
            if matches:
                return name, own.condition
    problem = f"the file has no rule {rule} of a step {name!r}: give its condition"
    if steps:
        numbered = (f"{number}: {own.condition}" for number, own in enumerate(steps[0].rules, 1))
        problem = f"the step {name!r} has no rule {rule}; there are {', '.join(numbered)}"
    raise click.UsageError(f"--part {part}: {problem}")


def _read_outcome(name: str | None) -> Mapping[str, Any]:
    """Return the facts of a file with the outcome of a plan."""
    if name is None:
        return {}
    from ....answers.judgment.outcome_facts import facts_of_outcome

    try:
        return facts_of_outcome(read_json(read_text(name)))
    except SymOpsError as error:
        raise SymOpsError(f"{name}: {error}") from None


def _read_facts(arguments: Sequence[str], step: Step) -> Mapping[str, Any]:
    from ....answers.judgment.rules_file import RUN_FACTS

    facts: dict[str, Any] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        # A misspelled name would leave a rule undecided, without a word.
        if not equals or name not in (*step.facts, *RUN_FACTS):
            names = ", ".join(step.facts) or "none"
            expected = f"a fact is NAME=VALUE, with a name of the step's facts ({names})"
            raise click.UsageError(f"--fact {argument}: {expected}")
        if name in facts:
            raise click.UsageError(f"--fact {argument}: the value of {name!r} is given twice")
        # As JSON, so that `errors=2` is a number; other values are texts.
        try:
            facts[name] = json.loads(value)
        except ValueError:
            facts[name] = value
    return facts


def _explain(stages: Sequence[Stage]) -> Iterator[str]:
    for number, stage in enumerate(stages, 1):
        yield ""
        title = f"call {number}: stage {stage.stage}, {stage.method}: {stage.status}"
        error = f" ({visible_line(stage.error)})" if stage.error else ""
        yield paint(title, bold=True) + error
        for mark, text in (("asked", stage.instruction), ("reply", stage.response)):
            for line in text.split("\n"):
                yield f"{mark} | {visible(line)}"
