"""A live model of any provider."""

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
    """Asks a model for every task in every format, freely or constrained to the format's grammar.

    Further requests about a reply are not constrained: a reply under a grammar starts from the
    beginning, so it could not continue one that was cut off.
    """

    def __init__(
        self, load: Load, provider: str, name: str | None, date: str, *, constrained: bool = False
    ) -> None:
        # `load` returns the model, under a grammar if it is passed one.
        self.model = load(None)
        self._load = load
        self._provider = provider
        # The model of each format; None if replies are not constrained.
        self._constrained: dict[str, Model] | None = {} if constrained else None
        detail = [
            ("provider", provider),
            ("model", name or self.model.name.partition(":")[2]),
            ("date", date),
        ]
        if constrained:
            detail.append(("constrained", find_constraint(provider).notation))
        self.provenance = Provenance("live", tuple(detail))

    def cases(
        self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int
    ) -> Iterator[Case]:
        """Yield the cases, repetition by repetition: a run that stops early has all formats.

        A task that a format cannot write is left out.

        Args:
            formats: The formats.
            tasks: The tasks.
            repetitions: The number of replies to each task in each format.
        """
        if self._constrained is not None:
            for format in formats:
                # An error of the grammar is reported before any request costs money.
                self._model_for(format)
        able = [
            (task, format)
            for task in tasks
            for format in formats
            if not format.refuse(task.document)
        ]
        for repetition in range(repetitions):
            for task, format in able:
                yield Case(format.name, task.name, repetition)

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Ask the model, as a stream: a reply that breaks off is not taken for a complete one.

        Args:
            case: The case.
            format: The format of the case.
            task: The task of the case, if it is known.
        """
        assert task is not None
        # Time is counted from the first piece: the wait before it depends on the provider.
        first = None
        with self._model_for(format).stream(format.teach(task.request)) as stream:
            for _ in stream:
                first = first or perf_counter()
        writing = perf_counter() - first if first is not None else None
        reply = self.replay(format, task, stream.reply)
        return replace(reply, writing=writing)

    def _model_for(self, format: Format) -> Model:
        if self._constrained is None:
            return self.model
        if format.name not in self._constrained:
            if not isinstance(format, SymOps):
                raise SymOpsError(
                    f"the format {format.name!r} is not a dialect, so there is no grammar to follow"
                )
            # Cached: the model is asked for every task.
            self._constrained[format.name] = self._load(
                load_grammar_for(self._provider, format.dialect)
            )
        return self._constrained[format.name]

    def replay(self, format: Format, task: Task | None, reply: Reply) -> Given:
        """Return the facts about a reply that this model gave before.

        Args:
            format: The format of the request.
            task: The task of the request.
            reply: The reply of an earlier run.
        """
        assert task is not None
        return Given(reply, format.teach(task.request), meant(format, task), model=self.model)


def _load(settings: RunSettings) -> LiveSource:
    settings.check_options(
        "provider", "model", "base_url", "command", "key_variable", "timeout", "constrained"
    )
    provider = settings.option("provider")
    # The command line always names one; a program may not.
    if provider is None:
        raise SymOpsError(
            "no provider is named: the source is PROVIDER:MODEL, such as ollama:qwen3"
        )

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

    return LiveSource(
        load,
        provider,
        settings.option("model"),
        settings.date,
        constrained=is_constrained(settings),
    )


def is_constrained(settings: RunSettings) -> bool:
    """Return whether the replies of a run are constrained by a grammar.

    Raises:
        SymOpsError: The option is neither yes nor no.
    """
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
