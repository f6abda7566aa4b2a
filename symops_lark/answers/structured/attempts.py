"""The attempts to get a JSON object from a model, whoever asks it: natively if it can, else by words.

Laws: an answer that was cut off is not taken for a whole one; what a model refuses is not read for values; whoever is
cancelled starts no further call; every call is recorded. A native way that fails is tried once more without a format,
in a fresh conversation; a refusal is asked again at most twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, cast

from ...core.ground.errors import SymOpsError
from ...core.patterns.regexes import compile_pattern
from ...core.replies.messages import ModelError
from ...models import Form, FormModel, Message, Messages, Model, Reply, Way, as_messages
from .answers import Answer, Attempt, Status
from .extraction import Extraction, Reading, extract_json
from .schema.budget import TooComplexError
from .schema.problems import Schema, SchemaError
from .schema.projection import from_strict, strict_projection
from .schema.schemas import find_problems

_ASKED_AGAIN = 2  # times at most, after refusals
_PASSING = (408, 425, 429, 502, 503, 504, 529)
_NOT_THE_FORM = (401, 402, 403, *_PASSING)  # status codes that another question would meet as well

_BACKTICKS = compile_pattern("`+")

Outcome = Reply | ModelError


class Asking:
    """One object that is asked for: each of the `requests` is made while it is `watched`, and then has an `outcome`.

    Raises `SymOpsError` before anything is asked if the schema is wrong, or describes no object.
    """

    outcome: Outcome
    answer: Answer

    def __init__(
        self,
        model: Model,
        messages: Messages,
        schema: Schema,
        name: str,
        description: str,
        cancelled: Callable[[], bool] | None,
        on_attempt: Callable[[Attempt], object] | None,
    ) -> None:
        self.schema = _check_schema(schema)
        self._model = model
        self._messages = as_messages(messages)
        self._cancelled = cancelled
        self._on_attempt = on_attempt
        self.way: Way = getattr(model, "way", Way.PROMPT)
        self._form = _make_form(model, self.way, schema, name, description)

    @property
    def strict(self) -> Schema | None:
        """The strict schema that the model is held to, if it is."""
        return self._form.schema if self._form.strict and self.way is not Way.PROMPT else None

    def requests(self) -> Iterator[tuple[Model, tuple[Message, ...]]]:
        """Yield whom to ask what, one after the other; in the end there is the `answer`."""
        attempts: list[Attempt] = []
        refusals = 0
        while not (self._cancelled and self._cancelled()):
            asked, self._instruction = self._prepare()
            yield asked, self._instruction
            attempt, value = self._judge(self.outcome)
            attempts.append(attempt)
            self._tell(attempt)
            refusals += attempt.status is Status.REFUSED
            if value is not None or not self.may_ask_again(attempt, self.outcome, refusals):
                self.answer = Answer(value, tuple(attempts))
                return
            self.way = Way.PROMPT
        self.answer = Answer(None, tuple(attempts), cancelled=True)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Take note of how a request ends: a `ModelError` is its outcome, whatever else is raised ends the attempt."""
        try:
            yield
        except ModelError as error:
            self.outcome = error
        except BaseException as error:
            said = "closed by its reader" if isinstance(error, GeneratorExit) else f"{type(error).__name__}: {error}"
            self._tell(Attempt(self.way, self._instruction, "", Status.FAILED, error=said))
            raise

    def find(self, text: str) -> Extraction:
        """Return the object of a reply; to a strict schema, a model may have said null for what is absent."""
        if self.strict is None:
            return extract_json(text, self.schema)
        readings = [Reading(text, schema) for schema in (self.schema, self.strict)]
        found, other = [reading.extract() for reading in readings]
        later = other if readings[1].last > readings[0].last else found
        if later.value is None:  # nothing is found, or the last object that fits is doubtful
            return later
        value = None
        with suppress(TooComplexError):
            value = from_strict(later.value, self.schema)
        return found if value is None or find_problems(value, self.schema) else replace(later, value=value)

    def may_ask_again(self, attempt: Attempt, outcome: Outcome, refusals: int) -> bool:
        """Return whether another attempt may give what this one did not."""
        if attempt.status is Status.REFUSED:
            return refusals <= _ASKED_AGAIN
        if isinstance(outcome, ModelError):
            passing = outcome.retryable if outcome.status is None else outcome.status in _NOT_THE_FORM
            return attempt.way is not Way.PROMPT and not passing
        return attempt.way is not Way.PROMPT

    def _prepare(self) -> tuple[Model, tuple[Message, ...]]:
        if self.way is Way.PROMPT:
            return self._model, _with_suffix(self._messages, prompt_suffix(self.schema))
        return cast(FormModel, self._model).in_form(self._form), self._messages

    def _tell(self, attempt: Attempt) -> None:
        if self._on_attempt is not None:
            self._on_attempt(attempt)

    def _judge(self, outcome: Outcome) -> tuple[Attempt, dict[str, Any] | None]:
        """Return what came of an attempt, and the value where it gave one."""
        failed = isinstance(outcome, ModelError)
        reply = outcome.partial or Reply("") if isinstance(outcome, ModelError) else outcome
        found = Extraction(None)
        if failed:
            status = Status.FAILED
        elif reply.finish.declined:
            status = Status.REFUSED
        elif not reply.text.strip():
            status = Status.CUT_OFF if reply.finish.cut_off else Status.EMPTY
        else:
            found = self.find(reply.text)
            status = _read_status(self.way, reply, found)
        value = found.value if status is Status.ANSWERED else None
        how = (found.strategy, found.repaired) if value is not None else (None, False)
        facts = (reply.text, status, reply.finish, reply.usage)
        error = str(outcome) if failed else ""
        return Attempt(self.way, self._instruction, *facts, *how, found.diagnostics, error), value


def _read_status(way: Way, reply: Reply, found: Extraction) -> Status:
    """Return what a reply with a text is.

    Of one that was cut off only an object counts that is all of it: the last of several may have been to come.
    """
    if reply.finish.cut_off:
        return Status.ANSWERED if found.strategy == "direct" and not found.repaired else Status.CUT_OFF
    if found.value is None:
        return Status.REFUSED if found.refused else Status.INVALID
    return Status.INVALID if found.repaired and way is not Way.PROMPT else Status.ANSWERED


def prompt_suffix(schema: Schema) -> str:
    """Return what is put behind a prompt: a rule, one sentence, and the schema in a fence, indented by two."""
    shown = json.dumps(schema, ensure_ascii=False, indent=2)
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(shown)), default=0))
    return (
        "\n\n---\n"
        "IMPORTANT: Answer with one JSON object that fits the schema below, and with nothing else: no fence, no "
        "comment, no other text before or after it.\n\n"
        f"{fence}json\n{shown}\n{fence}\n"
    )


def _with_suffix(messages: tuple[Message, ...], suffix: str) -> tuple[Message, ...]:
    """Return a conversation whose last words, which are the user's, end with a suffix."""
    *before, last = messages
    if last.role == "user":
        return (*before, Message("user", last.content + suffix))
    return (*messages, Message("user", suffix.strip()))


def _check_schema(schema: Schema) -> Schema:
    find_problems({}, schema)
    kind = schema.get("type", "object")
    if "object" not in ([kind] if isinstance(kind, str) else kind):
        raise SymOpsError(f"the schema describes no object but {kind!r}: answers are JSON objects")
    return schema


def _make_form(model: Model, way: Way, schema: Schema, name: str, description: str) -> Form:
    """Return what a native way asks for; strictly, where that is wanted and leaves out nothing that was asked for."""
    if way is not Way.PROMPT and getattr(model, "wants_strict", False):
        with suppress(SchemaError):
            projected = strict_projection(schema)
            if not _describes_others(schema):
                return Form(projected, name, description, strict=True)
    return Form(schema, name, description)


def _describes_others(schema: Any) -> bool:
    """Return whether a schema describes members that it does not name."""
    if isinstance(schema, list):
        return any(map(_describes_others, schema))
    if not isinstance(schema, Mapping):
        return False
    others = schema.get("additionalProperties")
    return (isinstance(others, Mapping) and bool(others)) or any(map(_describes_others, schema.values()))
