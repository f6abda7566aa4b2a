"""A live model, behind any provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter

from ....core.ground.errors import SymOpsError
from ....core.replies.messages import Reply
from ....exports.decoding import load_grammar_for
from ....models.protocol import Model
from ....models.providers import TIMEOUT, find_constraint, load_model
from ..formats import Format
from ..formats.sym_ops import SymOps
from ..records import Case, Provenance
from ..settings import RunSettings
from ..tasks import Task
from . import Given, meant

Load = Callable[[str | None], Model]


class LiveSource:
    """Asks a model for every task in every format: freely, or so that it can say nothing but the format.

    `load` gives the model, under a grammar if it gets one. What is asked again is asked freely: a reply under a grammar
    begins anew, so it could not go on with one that was cut off.
    """

    def __init__(self, load: Load, provider: str, name: str | None, date: str, *, constrained: bool = False) -> None:
        self.model = load(None)
        self._load, self._provider = load, provider
        self._constrained: dict[str, Model] | None = {} if constrained else None
        detail = [("provider", provider), ("model", name or self.model.name.partition(":")[2]), ("date", date)]
        if constrained:
            detail.append(("constrained", find_constraint(provider).notation))
        self.provenance = Provenance("live", tuple(detail))

    def cases(self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int) -> Iterator[Case]:
        """Return tasks by formats by repetitions, so that a run that is stopped early has a bit of everything.

        A task that a format cannot carry is no case of it.
        """
        for format in formats if self._constrained is not None else ():
            self._model_for(format)  # what cannot be is told before anything is asked
        able = [(task, format) for task in tasks for format in formats if not format.refuse(task.document)]
        for repetition in range(repetitions):
            for task, format in able:
                yield Case(format.name, task.name, repetition)

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Ask, as a stream: what is cut in the middle is not taken for a whole reply."""
        assert task is not None
        first = None
        with self._model_for(format).stream(format.teach(task.request)) as stream:
            for _ in stream:
                first = first or perf_counter()
        writing = perf_counter() - first if first is not None else None
        return replace(self.replay(format, task, stream.reply), writing=writing)

    def _model_for(self, format: Format) -> Model:
        if self._constrained is None:
            return self.model
        if format.name not in self._constrained:
            if not isinstance(format, SymOps):
                raise SymOpsError(f"the format {format.name!r} is no dialect, so there is no grammar to follow")
            self._constrained[format.name] = self._load(load_grammar_for(self._provider, format.dialect))
        return self._constrained[format.name]

    def replay(self, format: Format, task: Task | None, reply: Reply) -> Given:
        """Return a reply that this model gave before."""
        assert task is not None
        return Given(reply, format.teach(task.request), meant(format, task), model=self.model)


def _load(settings: RunSettings) -> LiveSource:
    settings.check_options("provider", "model", "base_url", "command", "key_variable", "timeout", "constrained")
    provider = settings.option("provider")
    if provider is None:
        raise SymOpsError("no provider is named: the source is PROVIDER:MODEL, such as ollama:qwen3")

    def load(grammar: str | None) -> Model:
        return load_model(
            provider,
            settings.option("model"),
            base_url=settings.option("base_url"),
            command=settings.option("command"),
            key_variable=settings.option("key_variable"),
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            timeout=_seconds(settings.option("timeout")),
            grammar=grammar,
        )

    return LiveSource(load, provider, settings.option("model"), settings.date, constrained=is_constrained(settings))


def is_constrained(settings: RunSettings) -> bool:
    """Return whether a run asks for replies that follow a grammar; raises `SymOpsError` for neither yes nor no."""
    word = settings.option("constrained") or "no"
    if word not in ("yes", "no"):
        raise SymOpsError(f"the option constrained is {word!r}; it is yes or no")
    return word == "yes"


def _seconds(value: str | None) -> float:
    try:
        return float(value) if value is not None else TIMEOUT
    except ValueError:
        raise SymOpsError(f"the timeout is {value!r}; it is a number of seconds") from None


SOURCES = {"live": _load}
