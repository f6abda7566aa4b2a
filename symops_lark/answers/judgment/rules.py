"""Rules of a step: what each says must hold, who may be asked about it, and which are shown to whom.

Law: indices count from 0 in the list that the caller gave, also where some rules are not shown; models and people see
numbers from 1, and `Shown` alone converts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.ground.errors import SymOpsError
from ..conditions import read_condition

_CALL = re.compile(r"[ \t]*(ai|all|any|when)\((.*)\)[ \t]*", re.DOTALL)
_FIELDS = {"all": "all_of", "any": "any_of"}  # as files have them
_QUOTED = r'[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,|\Z)'


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its `condition` in words, and the step that is `next`.

    `when` is a condition over facts, which no model is asked about (`answers.conditions`); `ai` a question for a
    model alone; `all_of` and `any_of` are conditions that the parallel parts of a step matched. A condition may also
    be written `ai("…")`, `all("…", …)`, `any("…", …)` or `when(…)`; see `as_rule`. Raises `SymOpsError` for a rule
    without a condition, and `ConditionError` for a wrong `when`.
    """

    condition: str
    next: str | None = None
    interactive_only: bool = False
    ai: str | None = None
    when: str | None = None
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.condition.strip():
            raise SymOpsError("a rule has no condition: say in words when it holds")
        if self.when is not None:
            read_condition(self.when)
        if sum(map(bool, (self.ai, self.when is not None, self.all_of, self.any_of))) > 1:
            raise SymOpsError("a rule has more than one of ai, when, all and any: make several rules of it")

    @property
    def is_decided(self) -> bool:
        """Whether facts or the parts of the step decide on the rule, and no model."""
        return self.when is not None or bool(self.all_of or self.any_of)

    def holds(self, facts: Mapping[str, Any] | None, parts: Sequence[str | None] = ()) -> bool:
        """Return whether facts, or the conditions that the parallel parts matched, make the rule hold.

        Several conditions of `all` belong to the parts in their order; one belongs to all parts. Without parts, and for
        other rules, it does not hold. Raises `ConditionError` for a fact that is missing.
        """
        if self.when is not None:
            return read_condition(self.when).holds(facts or {})
        if self.all_of and parts:
            wanted = self.all_of * len(parts) if len(self.all_of) == 1 else self.all_of
            return tuple(parts) == wanted
        return any(part in self.any_of for part in parts)


def as_rule(given: Rule | Mapping[str, Any] | str) -> Rule:
    """Return a rule of a condition, a mapping of its fields, or a rule; raises `SymOpsError` for anything else."""
    if isinstance(given, Rule):
        return given
    if not isinstance(given, str | Mapping):
        raise SymOpsError(f"a rule is a condition, or a mapping of its fields; this one is {given!r}")
    if isinstance(given, str):
        return Rule(given, **read_call(given))
    known = Rule.__dataclass_fields__.keys()
    fields = {_FIELDS.get(str(key), key): value for key, value in dict(given).items()}
    fields.setdefault("condition", next((fields[key] for key in ("when", "ai") if key in fields), None))
    if not isinstance(fields["condition"], str) or not fields.keys() <= known:
        raise SymOpsError(f"a rule is a condition with {', '.join(known)}; this one is {given!r}")
    return Rule(**{**read_call(fields["condition"]), **fields})


def read_call(condition: str) -> dict[str, Any]:
    """Return the fields that a condition like `ai("…")` stands for; none where it is plain words."""
    match = _CALL.fullmatch(condition)
    if match is None:
        return {}
    if match[1] == "when":
        return {"when": match[2]}
    listed = re.fullmatch(f"(?:{_QUOTED})+", match[2])
    texts = [re.sub(r"\\(.)", r"\1", text) for text in re.findall(_QUOTED, match[2])] if listed else []
    if not texts or not all(text.strip() for text in texts) or (match[1] == "ai" and len(texts) > 1):
        return {}
    return {"ai": texts[0]} if match[1] == "ai" else {f"{match[1]}_of": tuple(texts)}


@dataclass(frozen=True, slots=True)
class Shown:
    """The rules that somebody is shown, by their texts, and their indices in the whole list."""

    texts: tuple[str, ...]
    indices: tuple[int, ...]

    def index(self, number: object) -> int | None:
        """Return the index of the rule with a number from 1, None where that is no number of a rule."""
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(self.indices):
            return None
        return self.indices[number - 1]


def show_rules(rules: Sequence[Rule], interactive: bool = True, *, decided: bool = True) -> Shown:
    """Return the rules as they are numbered: without those that are for interactive runs only, unless it is one.

    Without `decided`, those that no model is asked about are left out as well.
    """
    chosen = [
        (rule.ai or rule.condition, index)
        for index, rule in enumerate(rules)
        if (interactive or not rule.interactive_only) and (decided or not rule.is_decided)
    ]
    return Shown(tuple(text for text, _ in chosen), tuple(index for _, index in chosen))
