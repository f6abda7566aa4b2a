"""The sources of replies: the fault model, recordings, and models. One module each.

Every worker creates its source from the settings of the run, so a case must not leave anything in a
source that another case depends on. To add a source, add a module with `SOURCES`: a mapping from
names to functions that return the source for the settings of a run.
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
    """A reply, with the facts about it.

    Attributes:
        reply: The reply.
        messages: The request.
        expected: The actions that must come out of it; None if they are not known.
        faults: The mistakes that were made on purpose; None if they are not known.
        touched: The numbers (from 0) of the expected actions that a mistake was made in.
        model: The model that can be asked again.
        writing: The seconds from the first piece of the reply to its end, if it was streamed.
    """

    reply: Reply
    messages: tuple[Message, ...] = ()
    expected: tuple[Expected, ...] | None = None
    faults: tuple[str, ...] | None = None
    touched: frozenset[int] | None = None
    model: Model | None = None
    writing: float | None = None


class Source(Protocol):
    """A source of replies."""

    @property
    def provenance(self) -> Provenance:
        """The origin that is named beside every figure."""

    def cases(
        self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int
    ) -> Iterator[Case]:
        """Return the cases of the source, always in the same order.

        Args:
            formats: The formats.
            tasks: The tasks.
            repetitions: The number of replies to each task in each format.
        """

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Return the reply of a case; raises `ModelError` if there is none.

        Args:
            case: The case.
            format: The format of the case.
            task: The task of the case, if it is known.
        """


@runtime_checkable
class Asking(Source, Protocol):
    """A source whose replies cost time and money, so that they are used again.

    Its cases wait for a network.
    """

    def replay(self, format: Format, task: Task | None, reply: Reply) -> Given:
        """Return the facts about a reply that this source gave before to the same request.

        Args:
            format: The format of the request.
            task: The task of the request.
            reply: The reply of an earlier run.
        """


@runtime_checkable
class Recorded(Source, Protocol):
    """A source whose replies are files of this machine.

    Attributes:
        formats: The names of the formats of the replies.
        remarks: The assumptions about them, as sentences for the user.
    """

    formats: tuple[str, ...]
    remarks: Sequence[str]


def meant(format: Format, task: Task | None) -> tuple[Expected, ...] | None:
    """Return the actions that must come out of a reply to a task.

    None if the task does not dictate them, or if the format cannot write them.
    """
    if task is None or not task.dictated:
        return None
    # A refusal is not an error here: the case has no expectation.
    try:
        return tuple(format.draft(task.document).expected)
    except SymOpsError:
        return None


def load_source(settings: RunSettings) -> Source:
    """Return the source of a run.

    Raises:
        SymOpsError: There is no source of this name, or its options are wrong.
    """
    sources = known_sources()
    if settings.source not in sources:
        raise SymOpsError(f"there is no source {settings.source!r}; there are {', '.join(sources)}")
    return sources[settings.source](settings)


def find_source(word: str) -> tuple[str, dict[str, str]]:
    """Return the name of the source that a user means, with its options.

    Args:
        word: A name, `PROVIDER:MODEL`, or a path of transcripts.

    Raises:
        SymOpsError: It is something else.
    """
    if word in known_sources():
        return word, {}
    # A file may have the name of a provider and a colon: it exists, so it is meant.
    if Path(word).exists():
        return "transcripts", {"path": word}
    # The name of a model may have a colon, too, as in `ollama:qwen3:8b`.
    provider, _, model = word.partition(":")
    if provider in PROVIDERS:
        # Without a model, the provider's default is used.
        options = {"provider": provider, "model": model}
        return "live", {name: value for name, value in options.items() if value}
    raise SymOpsError(
        f"there is no source {word!r}: it is one of {', '.join(known_sources())}, a model as "
        f"PROVIDER:MODEL (providers are {', '.join(PROVIDERS)}), or a path of transcripts"
    )


# Cached: the modules of this folder do not change.
@cache
def known_sources() -> Mapping[str, Callable[[RunSettings], Source]]:
    """Return the functions that make sources, by name."""
    return find_named(__name__, __path__, "SOURCES")
