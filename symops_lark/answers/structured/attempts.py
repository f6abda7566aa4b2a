"""Manage the attempts to get a JSON object from a model: natively if it can, else by words.

The callers in `asking` make the requests, at once or in a stream, with or without `async`.

Invariants, each with its tests in tests/answers/structured/test_asking.py:

1. An answer that was cut off does not count as a complete one.
2. A refusal is not searched for values.
3. After a cancellation no call begins.
4. Every call is recorded.

A native way that fails is tried once more without a format, in a fresh conversation. After a
refusal the model is asked again at most twice.
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
from .schema.problems import Schema, SchemaError, list_types
from .schema.projection import from_strict, strict_projection
from .schema.schemas import find_problems

_MAX_REFUSALS = 2  # after a third one the model is not asked again
# Status codes of HTTP. They do not depend on the form of the question.
_BUSY = (408, 425, 429, 502, 503, 504, 529)
_FORBIDDEN = (401, 402, 403)

_BACKTICKS = compile_pattern("`+")

Outcome = Reply | ModelError


class Asking:
    """One request for an object, with its attempts.

    A caller makes each of the `requests` while it is `watched`, and then sets its `outcome`.

    Attributes:
        schema: The schema of the object.
        way: How the model is asked now.
        outcome: The reply to the last request, or its error.
        answer: The result, after the last request.
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
        """The strict schema, if the model is held to one."""
        if self._form.strict and self.way is not Way.PROMPT:
            return self._form.schema
        return None

    def requests(self) -> Iterator[tuple[Model, tuple[Message, ...]]]:
        """Yield each model to ask with its messages; after the last, `answer` is set."""
        attempts = []
        refusals = 0
        while not (self._cancelled and self._cancelled()):
            target, self._instruction = self._prepare()
            yield target, self._instruction
            attempt, value = self._judge(self.outcome)
            attempts.append(attempt)
            self._report(attempt)
            refusals += attempt.status is Status.REFUSED
            if value is not None or not self.may_ask_again(attempt, self.outcome, refusals):
                self.answer = Answer(value, tuple(attempts))
                return
            self.way = Way.PROMPT
        self.answer = Answer(None, tuple(attempts), cancelled=True)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Record the error of a request: a `ModelError` is its outcome, others end the attempt."""
        try:
            yield
        except ModelError as error:
            self.outcome = error
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
            if isinstance(error, GeneratorExit):
                message = "closed by its reader"
            attempt = Attempt(self.way, self._instruction, "", Status.FAILED, error=message)
            self._report(attempt)
            raise

    def find(self, text: str) -> Extraction:
        """Return the object of a reply, carried back if the model is held to strict mode."""
        if self.strict is None:
            return extract_json(text, self.schema)
        # A strict answer has null for absent members, but the model may also use the schema itself.
        plain = Reading(text, self.schema)
        strict = Reading(text, self.strict)
        fallback = plain.extract()
        last = strict.extract()
        if strict.last <= plain.last:
            last = fallback
        if last.value is None:  # nothing is found, or the last object that fits is doubtful
            return last
        with suppress(TooComplexError):
            value = from_strict(last.value, self.schema)
            if not find_problems(value, self.schema):
                return replace(last, value=value)
        return fallback

    def may_ask_again(self, attempt: Attempt, outcome: Outcome, refusals: int) -> bool:
        """Return whether another attempt may help.

        Args:
            attempt: The last attempt.
            outcome: Its reply or error.
            refusals: The number of refusals so far.
        """
        if attempt.status is Status.REFUSED:
            return refusals <= _MAX_REFUSALS
        # The native way is tried first, so there is none after this.
        if attempt.way is Way.PROMPT:
            return False
        if not isinstance(outcome, ModelError):
            return True
        if outcome.status is None:
            return not outcome.retryable
        return outcome.status not in (*_BUSY, *_FORBIDDEN)

    def _prepare(self) -> tuple[Model, tuple[Message, ...]]:
        if self.way is Way.PROMPT:
            return self._model, _with_suffix(self._messages, prompt_suffix(self.schema))
        return cast(FormModel, self._model).in_form(self._form), self._messages

    def _report(self, attempt: Attempt) -> None:
        if self._on_attempt is not None:
            self._on_attempt(attempt)

    def _judge(self, outcome: Outcome) -> tuple[Attempt, dict[str, Any] | None]:
        """Return the attempt of an outcome, and its value; None without one."""
        extraction = Extraction(None)
        error = ""
        if isinstance(outcome, ModelError):
            reply = outcome.partial or Reply("")
            status = Status.FAILED
            error = str(outcome)
        else:
            reply = outcome
            status, extraction = self._read(reply)
        is_answered = status is Status.ANSWERED
        attempt = Attempt(
            self.way,
            self._instruction,
            reply.text,
            status,
            reply.finish,
            reply.usage,
            extraction.strategy if is_answered else None,
            extraction.repaired and is_answered,
            extraction.diagnostics,
            error,
        )
        return attempt, extraction.value if is_answered else None

    def _read(self, reply: Reply) -> tuple[Status, Extraction]:
        nothing = Extraction(None)
        is_cut_off = reply.finish.cut_off
        if reply.finish.declined:
            return Status.REFUSED, nothing
        if not reply.text.strip():
            return Status.CUT_OFF if is_cut_off else Status.EMPTY, nothing
        extraction = self.find(reply.text)
        status = Status.ANSWERED
        # Of several objects the last one might have been to come: only a direct one is complete.
        if is_cut_off:
            if extraction.strategy != "direct" or extraction.repaired:
                status = Status.CUT_OFF
        elif extraction.value is None:
            status = Status.REFUSED if extraction.refused else Status.INVALID
        elif extraction.repaired and self.way is not Way.PROMPT:
            status = Status.INVALID
        return status, extraction


def prompt_suffix(schema: Schema) -> str:
    """Return the end of a prompt: a rule in one sentence, and the schema in a fence."""
    text = json.dumps(schema, ensure_ascii=False, indent=2)
    # A fence is longer than any run of backticks in it.
    runs = [len(run) for run in _BACKTICKS.findall(text)]
    fence = "`" * max(3, 1 + max(runs, default=0))
    return (
        "\n\n---\n"
        "IMPORTANT: Answer with one JSON object that fits the schema below, and with nothing else: "
        "no fence, no comment, no other text before or after it.\n\n"
        f"{fence}json\n{text}\n{fence}\n"
    )


def _with_suffix(messages: tuple[Message, ...], suffix: str) -> tuple[Message, ...]:
    """Return a conversation that ends with the user's words and a suffix."""
    *before, last = messages
    if last.role == "user":
        return (*before, Message("user", last.content + suffix))
    return (*messages, Message("user", suffix.strip()))


def _check_schema(schema: Schema) -> Schema:
    find_problems({}, schema)
    kind = schema.get("type", "object")
    if "object" not in list_types(kind):
        raise SymOpsError(f"the schema describes no object but {kind!r}: answers are JSON objects")
    return schema


def _make_form(model: Model, way: Way, schema: Schema, name: str, description: str) -> Form:
    """Return the form of a native way: strict, if the model wants it and nothing would be lost."""
    if way is not Way.PROMPT and getattr(model, "wants_strict", False):
        with suppress(SchemaError):
            projected = strict_projection(schema)
            if not _has_open_members(schema):
                return Form(projected, name, description, strict=True)
    return Form(schema, name, description)


def _has_open_members(schema: Any) -> bool:
    """Return whether a schema describes members that it does not name."""
    if isinstance(schema, list):
        return any(map(_has_open_members, schema))
    if not isinstance(schema, Mapping):
        return False
    part = schema.get("additionalProperties")
    has_part = isinstance(part, Mapping) and bool(part)
    return has_part or any(map(_has_open_members, schema.values()))
