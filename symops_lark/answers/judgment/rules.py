"""Rules of a step: what each requires, how it is decided, and which rules are shown.

Invariants
    1. Indices count from 0 in the caller's list, also where some rules are not shown.
    2. Models and users see numbers from 1. Only `Shown` converts numbers to indices.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.ground.errors import SymOpsError
from ..conditions import read_condition
from .stages import Judgment, Method
from .tags import write_tag

# Matches `ai("is it done?")` and `when(errors > 0)`, not `call("x")`.
_CALL = re.compile(r"[ \t]*(ai|all|any|when)\((.*)\)[ \t]*", re.DOTALL)
_FIELDS = {"all": "all_of", "any": "any_of"}  # a file's key: the field of `Rule`
_QUOTED = r'[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,|\Z)'


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a step.

    A condition may also be written `ai("…")`, `all("…", …)`, `any("…", …)` or `when(…)`; see
    `as_rule`.

    Attributes:
        condition: When the rule holds, in words.
        next: The next step. None: not given.
        interactive_only: Whether the rule is hidden unless the run is interactive.
        ai: A question for a model alone. None: the condition is not one.
        when: A condition over facts, decided without a model (`answers.conditions`).
        all_of: Conditions that the parallel parts of the step must match, all of them.
        any_of: Conditions of which one part must match one.

    Raises:
        SymOpsError: A field is of another kind, the rule has no condition, or it is decided in more
            than one way.
        ConditionError: `when` is wrong.
    """

    condition: str
    next: str | None = None
    interactive_only: bool = False
    ai: str | None = None
    when: str | None = None
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_kinds(self)
        if not self.condition.strip():
            raise SymOpsError("a rule has no condition: say in words when it holds")
        if self.when is not None:
            read_condition(self.when)
        ways = (self.ai, self.when is not None, self.all_of, self.any_of)
        if sum(map(bool, ways)) > 1:
            raise SymOpsError(
                "a rule has more than one of ai, when, all and any: make several rules of it"
            )

    @property
    def is_decided(self) -> bool:
        """Whether facts or the parts of the step decide on the rule, and no model."""
        return self.when is not None or bool(self.all_of or self.any_of)

    def holds(self, facts: Mapping[str, Any] | None, parts: Sequence[str | None] = ()) -> bool:
        """Return whether the rule holds by facts or by the parallel parts of the step.

        Args:
            facts: The facts by name. None: there are none.
            parts: The condition that each part matched. None: it matched none.

        Returns:
            Whether the rule holds. Several conditions of `all_of` belong to the parts in their
            order, a single one to all parts. False for rules that a model decides.

        Raises:
            ConditionError: A fact is missing.
        """
        if self.when is not None:
            return read_condition(self.when).holds(facts or {})
        if self.all_of and parts:
            is_single = len(self.all_of) == 1
            expected = self.all_of * len(parts) if is_single else self.all_of
            return tuple(parts) == expected
        return any(part in self.any_of for part in parts)


def _check_kinds(rule: Rule) -> None:
    """Make tuples of the lists of a rule, and raise an error for a field of another kind."""
    for name in ("condition", "next", "ai", "when"):
        text = getattr(rule, name)
        if not isinstance(text, str) and (text is not None or name == "condition"):
            raise SymOpsError(f"{name} of a rule is a text, not {text!r}")
    flag = rule.interactive_only
    if not isinstance(flag, bool):
        raise SymOpsError(f"interactive_only of a rule is true or false, not {flag!r}")
    for key, name in _FIELDS.items():
        value = getattr(rule, name)
        # JSON has lists, which equal no tuple; and in a text, `in` finds each part of it.
        texts = (value,) if isinstance(value, str) else value
        is_list = isinstance(texts, list | tuple)
        if not is_list or not all(isinstance(text, str) and text.strip() for text in texts):
            raise SymOpsError(f"{key} of a rule is a list of conditions, not {value!r}")
        object.__setattr__(rule, name, tuple(texts))


def as_rule(given: Rule | Mapping[str, Any] | str) -> Rule:
    """Return a rule.

    Args:
        given: A condition, a mapping of the fields of a rule, or a rule.

    Returns:
        The rule.

    Raises:
        SymOpsError: The value is of another kind, or has an unknown field.
    """
    if isinstance(given, Rule):
        return given
    if not isinstance(given, str | Mapping):
        raise SymOpsError(
            f"a rule is a condition, or a mapping of its fields; this one is {given!r}"
        )
    if isinstance(given, str):
        return Rule(given, **read_call(given))
    field_names = Rule.__dataclass_fields__.keys()
    fields = {}
    for key, value in dict(given).items():
        fields[_FIELDS.get(str(key), key)] = value
    if "condition" not in fields:
        # A rule for a model or for facts alone describes itself.
        fields["condition"] = fields["when"] if "when" in fields else fields.get("ai")
    if not isinstance(fields["condition"], str) or not fields.keys() <= field_names:
        names = ", ".join(field_names)
        raise SymOpsError(f"a rule is a condition with {names}; this one is {given!r}")
    return Rule(**{**read_call(fields["condition"]), **fields})


def read_call(condition: str) -> dict[str, Any]:
    """Return the fields of `Rule` that a condition like `ai("…")` gives; {} for plain words."""
    match = _CALL.fullmatch(condition)
    if match is None:
        return {}
    name = match[1]
    # A condition over facts has quotes too, so its text is taken as it is.
    if name == "when":
        return {"when": match[2]}
    texts = []
    if re.fullmatch(f"(?:{_QUOTED})+", match[2]):
        texts += [re.sub(r"\\(.)", r"\1", text) for text in re.findall(_QUOTED, match[2])]
    if not texts or not all(text.strip() for text in texts):
        return {}
    if name == "ai":
        return {"ai": texts[0]} if len(texts) == 1 else {}
    return {f"{name}_of": tuple(texts)}


@dataclass(frozen=True, slots=True)
class Shown:
    """The rules that a model or user is shown.

    Attributes:
        texts: The text of each rule, in order.
        indices: Its index in the whole list, from 0.
    """

    texts: tuple[str, ...]
    indices: tuple[int, ...]

    def index(self, number: object) -> int | None:
        """Return the index of a rule in the whole list.

        Args:
            number: The number of the rule among those that are shown, from 1.

        Returns:
            The index. None: the value is not the number of a rule.
        """
        # In Python, True is an int.
        if not isinstance(number, int) or isinstance(number, bool):
            return None
        if not 1 <= number <= len(self.indices):
            return None
        return self.indices[number - 1]


def show_rules(rules: Sequence[Rule], interactive: bool = True, *, decided: bool = True) -> Shown:
    """Return the rules that are shown, in order.

    Args:
        rules: All rules.
        interactive: Whether the run is interactive. If not, `interactive_only` rules are hidden.
        decided: Whether to show the rules that facts or parts decide.

    Returns:
        The rules as they are numbered.
    """
    texts = []
    indices = []
    for index, rule in enumerate(rules):
        is_hidden = rule.interactive_only and not interactive
        if not is_hidden and (decided or not rule.is_decided):
            texts.append(rule.ai or rule.condition)
            indices.append(index)
    return Shown(tuple(texts), tuple(indices))


def decide(
    rules: Sequence[Rule],
    shown: Shown,
    step: str,
    facts: Mapping[str, Any] | None,
    parts: Sequence[str | None],
) -> Judgment | None:
    """Return the first rule that holds by the parts or, if none does, by the facts.

    Args:
        rules: All rules.
        shown: Those that count.
        step: The name of the step.
        facts: The facts by name.
        parts: The condition that each parallel part matched.
    """
    for method in (Method.AGGREGATE, Method.WHEN):
        for index in shown.indices:
            rule = rules[index]
            is_by_facts = rule.when is not None
            if is_by_facts is (method is Method.WHEN) and rule.holds(facts, parts):
                reason = f"{rule.when} holds" if is_by_facts else "by the parts"
                return Judgment(index, method, write_tag(step, index + 1), reason)
    return None
