"""Collect the kinds of values that a JSON Schema allows at one place, for its grammar.

A place has at most one kind of object and one kind of list. Its scalars become one regular
expression.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .scalars import spell_fixed, ways_to_write
from .schema.budget import Budget
from .schema.problems import same
from .schema.shapes import KINDS

_PAIRS_PER_STEP = 50  # pairs of fixed values that are compared


@dataclass(slots=True)
class Kinds:
    """The kinds of values at one place.

    Attributes:
        fixed: The fixed values.
        scalars: The patterns of the other scalars, by type.
        objects: The names of the rules of objects; a dict keeps their order.
        lists: The names of the rules of lists.
    """

    fixed: list[Any] = field(default_factory=list)
    scalars: dict[str, str] = field(default_factory=dict)
    objects: dict[str, None] = field(default_factory=dict)
    lists: dict[str, None] = field(default_factory=dict)

    def add(self, alternative: Kinds, budget: Budget) -> None:
        """Add the kinds of an alternative."""
        budget.look_at(alternative.fixed)
        self.fixed += alternative.fixed
        for kind, pattern in alternative.scalars.items():
            existing = self.scalars.setdefault(kind, pattern)
            if pattern != existing:
                self.scalars[kind] = f"{existing}|{pattern}"
                budget.read(self.scalars[kind])
        self.objects |= alternative.objects
        self.lists |= alternative.lists

    def overlaps(self, second: Kinds, budget: Budget) -> bool:
        """Return whether a value may be of both kinds."""
        budget.spend(1 + len(self.fixed) * len(second.fixed) // _PAIRS_PER_STEP)
        if (self.objects and second.objects) or (self.lists and second.lists):
            return True
        if self._covers(second) or second._covers(self):
            return True
        return any(same(mine, theirs) for mine in self.fixed for theirs in second.fixed)

    def _covers(self, second: Kinds) -> bool:
        """Return whether a scalar or fixed value of the second has a type of these scalars."""
        kinds = set(self.scalars)
        if any(KINDS[kind](value) for value in second.fixed for kind in kinds):
            return True
        # An integer is a number.
        if "number" in kinds:
            kinds.add("integer")
        return not kinds.isdisjoint(second.scalars)

    def spell_scalars(self, budget: Budget) -> str:
        """Return the scalars as one regular expression; empty without any.

        An engine may take the first alternative that matches. So floats come before integers, and
        fixed words after general patterns.
        """
        floats: list[Any] = []
        words: list[Any] = []
        for value in self.fixed:
            if self._is_written_by_scalars(value, budget):
                continue
            if isinstance(value, float):
                floats.append(value)
            else:
                words.append(value)
        # A number has an exponent or a point that an integer would leave over.
        general = [self.scalars.get(kind, "") for kind in ("string", "number", "integer")]
        parts = [spell_fixed(floats), *general, spell_fixed(words)]
        return "|".join(filter(None, parts))

    def _is_written_by_scalars(self, value: Any, budget: Budget) -> bool:
        for kind, pattern in self.scalars.items():
            if not KINDS[kind](value):
                continue
            anchored = rf"\A(?:{pattern})\z"
            if all(budget.matches(anchored, text) for text in ways_to_write(value)):
                return True
        return False
