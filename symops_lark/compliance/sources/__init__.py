"""Where replies come from: made up by the fault model, recorded, or asked of a model. One file each.

A source is made anew in every worker from the settings of the run, so it holds nothing that one case leaves behind for
another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ...models.base import Message, Model, Reply
from ..faults.mistakes import Expected
from ..formats import Format
from ..records import Case, Provenance
from ..tasks import Task


@dataclass(frozen=True, slots=True)
class Given:
    """A reply, with what is known of it.

    `expected` is what must come out of it, None if nobody knows; `faults` the mistakes that were made on purpose, None
    if nobody knows. `touched` are the numbers (from 0) of the expected actions that a mistake was made in. `model` can
    be asked again.
    """

    reply: Reply
    messages: tuple[Message, ...] = ()
    expected: tuple[Expected, ...] | None = None
    faults: tuple[str, ...] | None = None
    touched: frozenset[int] | None = None
    model: Model | None = None


class Source(Protocol):
    """Where replies come from."""

    @property
    def provenance(self) -> Provenance:
        """What is said beside every figure."""

    def cases(self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int) -> Iterator[Case]:
        """Give the cases that it has, in an order of its own that never changes."""

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Give the reply of a case; raises `ModelError` where there is none."""
