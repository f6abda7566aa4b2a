"""Read YAML files of rules: the steps of a workflow, their reports and rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.text.yaml_file import Keys, YamlFile
from ..conditions import ConditionError, read_condition
from .instructions import LANGUAGES
from .rules import Rule, read_call
from .tags import ALIASES, tag_name

MAX_BYTES = 1_000_000
# Keys that decide a rule in another way than by its condition, in the order in which they
# describe a rule without one.
_DECIDING = ("ai", "when", "all", "any")
_RULE_KEYS = ("condition", "next", "interactive_only", *_DECIDING)
_EXAMPLE = "a line is `- condition: approved`"


# Facts that a run of `symops do` has at the end of every step, without a list in the file.
RUN_FACTS = ("failed", "passed", "total", "timed_out", "changes", "declined", "round")


class End(StrEnum):
    """The end of a workflow, as `next` names it."""

    COMPLETE = "COMPLETE"
    ABORT = "ABORT"


class RulesError(SymOpsError):
    """A file of rules is wrong; the message begins with `file:line:column:` if there is a place."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a workflow.

    Attributes:
        name: Its name.
        rules: Its rules, in order.
        reports: The names of the reports that it writes.
        facts: The names of the facts that `when` may use.
    """

    name: str
    rules: tuple[Rule, ...]
    reports: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The contents of a file of rules.

    Attributes:
        steps: The steps, in order.
        language: The language of the instructions.
        aliases: Further names of the tags.
    """

    steps: tuple[Step, ...]
    language: str = "en"
    aliases: tuple[str, ...] = ALIASES

    def find(self, name: str | None = None) -> Step:
        """Return a step.

        Args:
            name: The name of the step. None: the only step.

        Returns:
            The step.

        Raises:
            RulesError: No step has the name, or there are several and the name is None.
        """
        if name is None and len(self.steps) == 1:
            return self.steps[0]
        for step in self.steps:
            if step.name == name:
                return step
        problem = f"no step is called {name!r}"
        if name is None:
            problem = "there are several steps: name one of them"
        names = ", ".join(step.name for step in self.steps)
        raise RulesError(f"{problem}; there are {names}")

    def follow(self, step: str | None, next: str | None) -> Step | End:
        """Return where a rule leads.

        Args:
            step: The name of the step that has the rule. None: the only step.
            next: The rule's `next`. None: the rule names nothing, so the step comes again.

        Returns:
            A step, or the end of the workflow.

        Raises:
            RulesError: `next` is neither the name of a step nor an end.
        """
        if next is None:
            return self.find(step)
        for end in End:
            if next == end:
                return end
        return self.find(next)


def load_rules(path: str | Path, *, closed: bool = False) -> RulesFile:
    """Read a file of rules.

    Args:
        path: The file.
        closed: Whether each `next` must name a step of the file, or an end (COMPLETE, ABORT), as a
            program needs that follows it. By default another program may have further steps.

    Returns:
        Its steps.

    Raises:
        RulesError: The file is wrong. The message has file, line, column and the line.
    """
    file = YamlFile(path, "rules file", RulesError, MAX_BYTES, ("steps", "language", "aliases"))
    file.check_keys((), ("steps",), ("language", "aliases"))
    language = "en"
    if "language" in file.data:
        language = file.one_of(("language",), LANGUAGES)
    aliases = _texts(file, ("aliases",)) if "aliases" in file.data else ALIASES
    steps = file.data["steps"]
    if not isinstance(steps, dict) or not steps:
        raise file.fail(
            ("steps",),
            "steps is a mapping from names to steps",
            "a line is `review:`, its rules below",
        )
    found = tuple(_read_step(file, name) for name in steps)
    if closed:
        _check_next(file, found)
    return RulesFile(found, language, aliases)


def _check_next(file: YamlFile, steps: Sequence[Step]) -> None:
    """Refuse a rule that leads to nothing: its run would stop there."""
    names = [step.name for step in steps]
    for step in steps:
        for number, rule in enumerate(step.rules):
            if rule.next is None or rule.next in (*names, *End):
                continue
            place = ("steps", step.name, "rules", str(number), "next")
            hint = f"there are {', '.join([*names, *End])}"
            raise file.fail(place, f"next: no step is called {rule.next!r}", hint)


def _read_step(file: YamlFile, name: object) -> Step:
    if not isinstance(name, str):
        raise file.fail_at_key(
            ("steps", str(name)), "the name of a step is a text", f'write "{name}":'
        )
    keys = ("steps", name)
    try:
        tag_name(name)
    except SymOpsError as error:
        raise file.fail_at_key(keys, str(error)) from None
    file.check_keys(keys, ("rules",), ("reports", "facts"))
    step = file.get(keys)
    reports = _texts(file, (*keys, "reports")) if "reports" in step else ()
    # `when` is checked against the facts, so they are read first.
    facts = _texts(file, (*keys, "facts")) if "facts" in step else ()
    rule_keys = (*keys, "rules")
    items = step["rules"]
    if not isinstance(items, list) or not items:
        raise file.fail(rule_keys, "at least one rule is needed", _EXAMPLE)
    rules = [_read_rule(file, (*rule_keys, str(number)), facts) for number in range(len(items))]
    _refuse_doubles(file, rule_keys, rules)
    return Step(name, tuple(rules), reports, facts)


def _read_rule(file: YamlFile, keys: Keys, facts: Sequence[str]) -> Rule:
    value = file.get(keys)
    if isinstance(value, str):
        value = {"condition": value}
    if not isinstance(value, dict) or not value:
        raise file.fail(keys, "a rule is a mapping, or a condition in words", _EXAMPLE)
    for key in value:
        file.check_name((*keys, str(key)), _RULE_KEYS, "key")
    fields: dict[str, Any] = {}
    for key in ("condition", "next", "ai", "when"):
        # `ai: true` makes a question of the condition.
        if key in value and not (key == "ai" and value[key] is True):
            fields[key] = _text(file, keys, key, value[key])
    if value.get("ai") is True and "condition" in fields:
        fields["ai"] = fields["condition"]
    for key in ("all", "any"):
        if key in value:
            fields[f"{key}_of"] = _texts(file, (*keys, key))
    is_interactive = value.get("interactive_only", False)
    if not isinstance(is_interactive, bool):
        raise file.fail((*keys, "interactive_only"), "interactive_only is true or false")
    if "condition" not in fields:
        fields["condition"] = _describe(value)
    # Keys of the file win over `ai("…")` in the condition.
    fields = {**read_call(fields["condition"]), **fields, "interactive_only": is_interactive}
    return _make_rule(file, keys, fields, facts)


def _describe(value: dict[str, Any]) -> str:
    """Return the condition of a rule that is decided in another way."""
    for key in _DECIDING:
        if value.get(key) not in (None, True):
            return str(value[key])
    return ""


def _make_rule(file: YamlFile, keys: Keys, fields: dict[str, Any], facts: Sequence[str]) -> Rule:
    when = fields.get("when")
    try:
        if when is not None:
            read_condition(when, (*facts, *RUN_FACTS))
        return Rule(**fields)
    except ConditionError as error:
        # `when(…)` may also be the text of the condition.
        key = "when" if "when" in file.get(keys) else "condition"
        diagnostic = error.diagnostic
        if diagnostic is None:
            raise file.fail((*keys, key), str(error)) from None
        hint = diagnostic.hint
        if diagnostic.code == "unknown-fact":
            hint = f"did you mean one of {', '.join(facts)}?" if facts else ""
            hint += " The step's `facts` are the names that `when` may have"
        span = diagnostic.span
        raise file.fail_inside(
            (*keys, key), str(when), span.start, span.end, diagnostic.message, hint.strip()
        ) from None
    except SymOpsError as error:
        raise file.fail(keys, str(error)) from None


def _refuse_doubles(file: YamlFile, keys: Keys, rules: Sequence[Rule]) -> None:
    """Refuse two rules that models could not distinguish."""
    first: dict[str, int] = {}
    for number, rule in enumerate(rules):
        text = " ".join((rule.ai or rule.condition).split()).casefold()
        if text in first and not rule.is_decided:
            hint = f"rule {first[text] + 1} says the same"
            place = (*keys, str(number), "condition")
            raise file.fail(place, "two rules have one condition", hint)
        first.setdefault(text, number)


def _text(file: YamlFile, keys: Keys, name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        hint = "ai is true, or a text" if name == "ai" else ""
        raise file.fail(
            (*keys, name),
            f"{name} is a text, with quotes around it where it looks like something else",
            hint,
        )
    return value.strip()


def _texts(file: YamlFile, keys: Keys) -> tuple[str, ...]:
    """Return a list of texts; a single text is a list of one."""
    value = file.get(keys)
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not items:
        raise file.fail(keys, f"{keys[-1]} is a list of texts")
    for number, text in enumerate(items):
        if not isinstance(text, str) or not text.strip():
            raise file.fail((*keys, str(number)), f"{keys[-1]} is a list of texts")
    return tuple(text.strip() for text in items)
