"""Where replies come from: made up by the fault model, recorded, or asked of a model. One file each.

A source is made anew in every worker from the settings of the run, so it holds nothing that one case leaves behind for
another. A module of this folder that has `SOURCES` (a mapping from names to functions that make a source of the
settings of a run) has some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from ....core.ground.errors import SymOpsError
from ....core.replies.messages import Message, Reply
from ....models.protocol import Model
from ....models.providers import PROVIDERS
from ..faults.mistakes import Expected
from ..formats import Format
from ..records import Case, Provenance
from ..rooms import find_named
from ..settings import RunSettings
from ..tasks import Task


@dataclass(frozen=True, slots=True)
class Given:
    """A reply, with what is known of it.

    `expected` is what must come out of it, None if nobody knows; `faults` the mistakes that were made on purpose, None
    if nobody knows. `touched` are the numbers (from 0) of the expected actions that a mistake was made in. `model` can
    be asked again. `writing` is how many seconds passed from the reply's first piece to its end, if it was waited for.
    """

    reply: Reply
    messages: tuple[Message, ...] = ()
    expected: tuple[Expected, ...] | None = None
    faults: tuple[str, ...] | None = None
    touched: frozenset[int] | None = None
    model: Model | None = None
    writing: float | None = None


class Source(Protocol):
    """Where replies come from."""

    @property
    def provenance(self) -> Provenance:
        """What is said beside every figure."""

    def cases(self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int) -> Iterator[Case]:
        """Return the cases that it has, in an order of its own that never changes."""

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Return the reply of a case; raises `ModelError` where there is none."""


@runtime_checkable
class Asking(Source, Protocol):
    """A source whose replies cost time and money, so that they are used again. Its cases wait for a network."""

    def replay(self, format: Format, task: Task | None, reply: Reply) -> Given:
        """Return a reply that this source gave before for the same request."""


@runtime_checkable
class Recorded(Source, Protocol):
    """A source whose replies are files of this machine; `formats` are the names of those that they are in.

    `remarks` are what was assumed of them, in sentences for people.
    """

    formats: tuple[str, ...]
    remarks: Sequence[str]


def meant(format: Format, task: Task | None) -> tuple[Expected, ...] | None:
    """Return what must come out of a reply to a task; None where nothing is dictated, or the format cannot say it."""
    if task is None or not task.dictated:
        return None
    try:
        return tuple(format.draft(task.document).expected)
    except SymOpsError:
        return None


def load_source(settings: RunSettings) -> Source:
    """Return the source of a run; raises `SymOpsError` if there is none of its name, or if it cannot be made."""
    known = known_sources()
    if settings.source not in known:
        raise SymOpsError(f"there is no source {settings.source!r}; there are {', '.join(known)}")
    return known[settings.source](settings)


def find_source(word: str) -> tuple[str, dict[str, str]]:
    """Return the source that a user means, with its options: a name, `PROVIDER:MODEL`, or a path of transcripts.

    Raises `SymOpsError` for anything else.
    """
    if word in known_sources():
        return word, {}
    if Path(word).exists():
        return "transcripts", {"path": word}
    provider, _, model = word.partition(":")
    if provider in PROVIDERS:
        return "live", {"provider": provider, **({"model": model} if model else {})}
    raise SymOpsError(
        f"there is no source {word!r}: it is one of {', '.join(known_sources())}, a model as "
        f"PROVIDER:MODEL (providers are {', '.join(PROVIDERS)}), or a path of transcripts"
    )


@cache
def known_sources() -> Mapping[str, Callable[[RunSettings], Source]]:
    """Return the functions that make sources, by name."""
    return find_named(__name__, __path__, "SOURCES")
