"""Files of rules, in YAML: the steps of a workflow, the reports that each writes, and the rules at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.text.yaml_file import Keys, YamlFile
from ..conditions import ConditionError, read_condition
from .instructions import LANGUAGES
from .rules import Rule, read_call
from .tags import ALIASES, tag_name

MAX_BYTES = 1_000_000
_DECIDING = ("ai", "when", "all", "any")
_RULE_KEYS = ("condition", "next", "interactive_only", *_DECIDING)


class RulesError(SymOpsError):
    """A file of rules is wrong; the message begins with `file:line:column:` where there is a place."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its rules, the names of the reports that it writes, and of the facts that `when` may use."""

    name: str
    rules: tuple[Rule, ...]
    reports: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The steps of a file; `language` is that of the instructions, `aliases` the further names of the tags."""

    steps: tuple[Step, ...]
    language: str = "en"
    aliases: tuple[str, ...] = ALIASES

    def find(self, name: str | None = None) -> Step:
        """Return a step by its name, or the only one; raise `RulesError` if there is none such."""
        if name is None and len(self.steps) == 1:
            return self.steps[0]
        found = [step for step in self.steps if step.name == name]
        if not found:
            said = "there are several steps: name one of them" if name is None else f"no step is called {name!r}"
            raise RulesError(f"{said}; there are {', '.join(step.name for step in self.steps)}")
        return found[0]


def load_rules(path: str | Path) -> RulesFile:
    """Read a file of rules; raise `RulesError` with file, line, column and the line for what is wrong."""
    file = YamlFile(path, "rules file", RulesError, MAX_BYTES, ("steps", "language", "aliases"))
    file.check_keys((), ("steps",), ("language", "aliases"))
    language = file.one_of(("language",), LANGUAGES) if "language" in file.data else "en"
    aliases = _texts(file, ("aliases",)) if "aliases" in file.data else ALIASES
    steps = file.data["steps"]
    if not isinstance(steps, dict) or not steps:
        raise file.fail(("steps",), "steps is a mapping from names to steps", "a line is `review:`, its rules below")
    return RulesFile(tuple(_read_step(file, name) for name in steps), language, aliases)


def _read_step(file: YamlFile, name: object) -> Step:
    if not isinstance(name, str):
        raise file.fail_at_key(("steps", str(name)), "the name of a step is a text", f'write "{name}":')
    keys = ("steps", name)
    try:
        tag_name(name)
    except SymOpsError as error:
        raise file.fail_at_key(keys, str(error)) from None
    file.check_keys(keys, ("rules",), ("reports", "facts"))
    given = file.get(keys)
    reports = _texts(file, (*keys, "reports")) if "reports" in given else ()
    facts = _texts(file, (*keys, "facts")) if "facts" in given else ()
    listed = given["rules"]
    if not isinstance(listed, list) or not listed:
        raise file.fail((*keys, "rules"), "at least one rule is needed", "a line is `- condition: approved`")
    rules = [_read_rule(file, (*keys, "rules", str(number)), facts) for number in range(len(listed))]
    _refuse_doubles(file, (*keys, "rules"), rules)
    return Step(name, tuple(rules), reports, facts)


def _read_rule(file: YamlFile, keys: Keys, facts: Sequence[str]) -> Rule:
    given = file.get(keys)
    if isinstance(given, str):
        given = {"condition": given}
    if not isinstance(given, dict) or not given:
        raise file.fail(keys, "a rule is a mapping, or a condition in words", "a line is `- condition: approved`")
    for key in given:
        file.check_name((*keys, str(key)), _RULE_KEYS, "key")
    fields: dict[str, Any] = {}
    for key in ("condition", "next", "ai", "when"):
        if key in given and not (key == "ai" and given[key] is True):
            fields[key] = _text(file, keys, key, given[key])
    if given.get("ai") is True and "condition" in fields:
        fields["ai"] = fields["condition"]
    for key in ("all", "any"):
        if key in given:
            fields[f"{key}_of"] = _texts(file, (*keys, key))
    interactive = given.get("interactive_only", False)
    if not isinstance(interactive, bool):
        raise file.fail((*keys, "interactive_only"), "interactive_only is true or false")
    if "condition" not in fields:
        fields["condition"] = next((str(given[key]) for key in _DECIDING if given.get(key) not in (None, True)), "")
    fields = {**read_call(fields["condition"]), **fields, "interactive_only": interactive}
    return _make_rule(file, keys, fields, facts)


def _make_rule(file: YamlFile, keys: Keys, fields: dict[str, Any], facts: Sequence[str]) -> Rule:
    when = fields.get("when")
    try:
        if when is not None:
            read_condition(when, facts)
        return Rule(**fields)
    except ConditionError as error:
        written = "when" if "when" in file.get(keys) else "condition"
        found = error.diagnostic
        if found is None:
            raise file.fail((*keys, written), str(error)) from None
        hint = found.hint
        if found.code == "unknown-fact":
            hint = f"did you mean one of {', '.join(facts)}?" if facts else ""
            hint += " The step's `facts` are the names that `when` may have"
        raise file.fail_inside(
            (*keys, written), str(when), found.span.start, found.span.end, found.message, hint.strip()
        ) from None
    except SymOpsError as error:
        raise file.fail(keys, str(error)) from None


def _refuse_doubles(file: YamlFile, keys: Keys, rules: Sequence[Rule]) -> None:
    """Refuse two rules that models could not tell apart."""
    first: dict[str, int] = {}
    for number, rule in enumerate(rules):
        said = " ".join((rule.ai or rule.condition).split()).casefold()
        if said in first and not rule.is_decided:
            hint = f"rule {first[said] + 1} says the same"
            raise file.fail((*keys, str(number), "condition"), "two rules have one condition", hint)
        first.setdefault(said, number)


def _text(file: YamlFile, keys: Keys, name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        hint = "ai is true, or a text" if name == "ai" else ""
        raise file.fail(
            (*keys, name), f"{name} is a text, with quotes around it where it looks like something else", hint
        )
    return value.strip()


def _texts(file: YamlFile, keys: Keys) -> tuple[str, ...]:
    """Return a list of texts; a single one is a list of one."""
    given = file.get(keys)
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list) or not listed:
        raise file.fail(keys, f"{keys[-1]} is a list of texts")
    for number, text in enumerate(listed):
        if not isinstance(text, str) or not text.strip():
            raise file.fail((*keys, str(number)), f"{keys[-1]} is a list of texts")
    return tuple(text.strip() for text in listed)
