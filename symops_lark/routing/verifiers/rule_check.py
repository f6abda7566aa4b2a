"""Whether a reply keeps rules: what it must have, must not have, and how long it is."""

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
    """One rule: RE2 patterns that must or must not be found, or lengths in characters; `id` is its fact."""

    id: str
    must: str | None = None
    must_not: str | None = None
    at_least: int | None = None
    at_most: int | None = None

    def __post_init__(self) -> None:
        if not self.id.isidentifier() or not self.id.isascii():
            raise FieldError(f"rules: the id {self.id[:50]!r} is no name: letters, digits and _")
        if (self.must, self.must_not, self.at_least, self.at_most) == (None,) * 4:
            raise FieldError(f"rules: {self.id} says nothing: must, must_not, at_least or at_most")
        for pattern in filter(None, (self.must, self.must_not)):
            try:
                compile_linear(pattern)
            except PatternError as error:
                raise FieldError(f"rules: the pattern of {self.id} is none of RE2's: {error}") from None

    def holds(self, text: str) -> bool:
        """Return whether a reply keeps the rule."""
        found = (
            self.must is None or bool(compile_linear(self.must).search(text)),
            self.must_not is None or not compile_linear(self.must_not).search(text),
            self.at_least is None or len(text) >= self.at_least,
            self.at_most is None or len(text) <= self.at_most,
        )
        return all(found)


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """By rules. Each is a fact of its name (`rule.NAME`); q1 is the share of those that are kept."""

    condition: ClassVar[str] = "failed == 0"
    runs_code: ClassVar[bool] = False

    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        names = [rule.id for rule in self.rules]
        if not names or len(set(names)) < len(names):
            raise FieldError("rules: " + ("there are none" if not names else "two have the same id"))

    @property
    def sample(self) -> Mapping[str, Fact]:
        """The counts, and a fact for each rule."""
        return {"kept": 0, "failed": 0, "total": 0} | {f"rule.{rule.id}": True for rule in self.rules}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return which rules are kept."""
        text = reply.text if is_encodable(reply.text) else reply.text.encode("utf-8", "replace").decode()
        kept = {rule.id: rule.holds(text) for rule in self.rules}
        broken = [name for name, holds in kept.items() if not holds]
        facts: dict[str, Fact] = {"kept": len(kept) - len(broken), "failed": len(broken), "total": len(kept)}
        facts |= {f"rule.{name}": holds for name, holds in kept.items()}
        told = f"not kept: {', '.join(broken)}" if broken else ""
        return Findings(facts, (len(kept) - len(broken)) / len(kept), None, told)


VERIFIERS = {"rule_check": RuleCheck}
