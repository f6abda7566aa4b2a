"""Verify that a reply follows rules: its content, forbidden content, and its length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...core.ground.json_objects import FieldError
from ...core.patterns.regexes import PatternError, compile_linear, is_encodable
from ...core.replies.messages import Reply
from . import Fact, Findings, Surroundings


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Its name, which is also the name of its fact.
        must: A pattern (RE2) that the reply must have.
        must_not: A pattern that it must not have.
        at_least: The minimum length in characters.
        at_most: The maximum length.
    """

    id: str
    must: str | None = None
    must_not: str | None = None
    at_least: int | None = None
    at_most: int | None = None

    def __post_init__(self) -> None:
        # The id is a name in conditions.
        if not self.id.isidentifier() or not self.id.isascii():
            raise FieldError(f"rules: the id {self.id[:50]!r} is not a name: letters, digits and _")
        # Such a rule would always hold.
        if (self.must, self.must_not, self.at_least, self.at_most) == (None,) * 4:
            raise FieldError(f"rules: {self.id} says nothing: must, must_not, at_least or at_most")
        for pattern in filter(None, (self.must, self.must_not)):
            try:
                compile_linear(pattern)
            except PatternError as error:
                raise FieldError(
                    f"rules: the pattern of {self.id} is not one of RE2: {error}"
                ) from None

    def holds(self, text: str) -> bool:
        """Return whether a reply follows the rule."""
        if self.must is not None and not compile_linear(self.must).search(text):
            return False
        if self.must_not is not None and compile_linear(self.must_not).search(text):
            return False
        if self.at_least is not None and len(text) < self.at_least:
            return False
        return self.at_most is None or len(text) <= self.at_most


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """A check of rules. Each is a fact (`rule.NAME`); q1 is the share of rules that hold.

    Attributes:
        rules: The rules.
    """

    condition: ClassVar[str] = "failed == 0"
    runs_code: ClassVar[bool] = False

    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        # Without rules every reply would pass.
        if not self.rules:
            raise FieldError("rules: there are none")
        if len({rule.id for rule in self.rules}) < len(self.rules):
            raise FieldError("rules: two have the same id")

    @property
    def sample(self) -> Mapping[str, Fact]:
        """The counts, and a fact for each rule."""
        return self._facts([])

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return which rules hold."""
        text = reply.text
        # RE2 does not read half surrogates.
        if not is_encodable(text):
            text = text.encode("utf-8", "replace").decode()
        broken = [rule.id for rule in self.rules if not rule.holds(text)]
        message = f"not kept: {', '.join(broken)}" if broken else ""
        score = 1 - len(broken) / len(self.rules)
        return Findings(self._facts(broken), score, None, message)

    def _facts(self, broken: list[str]) -> dict[str, Fact]:
        total = len(self.rules)
        facts: dict[str, Fact] = {
            "kept": total - len(broken),
            "failed": len(broken),
            "total": total,
        }
        for rule in self.rules:
            facts[f"rule.{rule.id}"] = rule.id not in broken
        return facts


VERIFIERS = {"rule_check": RuleCheck}
