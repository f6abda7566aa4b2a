"""A live model, behind any provider."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import SymOpsError
from ...models.base import Reply
from ...models.protocol import Model
from ...models.providers import TIMEOUT, load_model
from ..formats import Format
from ..records import Case, Provenance
from ..settings import RunSettings
from ..tasks import Task
from . import Given, meant


class LiveSource:
    """Asks a model for every task in every format."""

    def __init__(self, model: Model, provider: str, name: str, date: str) -> None:
        self.model = model
        self.provenance = Provenance("live", (("provider", provider), ("model", name), ("date", date)))

    def cases(self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int) -> Iterator[Case]:
        """Return tasks by formats by repetitions, so that a run that is stopped early has a bit of everything.

        A task that a format cannot carry is no case of it.
        """
        able = [(task, format) for task in tasks for format in formats if not format.refuse(task.document)]
        for repetition in range(repetitions):
            for task, format in able:
                yield Case(format.name, task.name, repetition)

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Ask, as a stream: what is cut in the middle is not taken for a whole reply."""
        assert task is not None
        return self.replay(format, task, self.model.stream(format.teach(task.request)).read())

    def replay(self, format: Format, task: Task | None, reply: Reply) -> Given:
        """Return a reply that this model gave before."""
        assert task is not None
        return Given(reply, format.teach(task.request), meant(format, task), model=self.model)


OPTIONS = ("provider", "model", "base_url", "command", "key_variable", "timeout")


def _load(settings: RunSettings) -> LiveSource:
    settings.check_options(*OPTIONS)
    provider = settings.option("provider")
    if provider is None:
        raise SymOpsError("no provider is named: the source is PROVIDER:MODEL, such as ollama:qwen3")
    model = load_model(
        provider,
        settings.option("model"),
        base_url=settings.option("base_url"),
        command=settings.option("command"),
        key_variable=settings.option("key_variable"),
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        timeout=_seconds(settings.option("timeout")),
    )
    return LiveSource(model, provider, settings.option("model") or model.name.partition(":")[2], settings.date)


def _seconds(value: str | None) -> float:
    try:
        return float(value) if value is not None else TIMEOUT
    except ValueError:
        raise SymOpsError(f"the timeout is {value!r}; it is a number of seconds") from None


SOURCES = {"live": _load}
