"""Sym-Ops as a format: any dialect, by its name or the path of its grammar.

Replies are read by the whole pipeline, as a user of the package reads them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ....core.document import Document
from ....core.grammar.loading import load_dialect, recovery_text
from ....core.ground.errors import RenderError
from ....core.known_processors import known_processor
from ....core.recovery.recovery import recover
from ....core.rendering.renderer import render
from ....core.replies.messages import Message, Reply
from ....core.result import ProtocolError, Result
from ....core.strict.parser import parse
from ....core.text.diagnostics import ParseError
from ....core.text.source import LineEndings
from ....models.correction import SelfCorrector, drive, find_failure
from ....models.prompts import PromptBuilder
from ....models.prompts.examples import forms_for
from ....models.protocol import Model
from ..faults import dialects
from ..faults.mistakes import Draft
from ..records import PHASES, Attempt, identify
from .drafts import Writer, leave_out_unsaid, translate

_MAX_READINGS = 256  # usually one for each task


class SymOps(Writer):
    """One dialect.

    Attributes:
        name: The name of the dialect, or the path of its grammar.
        attempts: How often a model is asked again about its format.
        dialect: The dialect.
    """

    phases = PHASES

    def __init__(self, name: str, rules: Sequence[str | Path] = (), attempts: int = 2) -> None:
        self.name = name
        self.attempts = attempts
        self.dialect = load_dialect(name)
        self._processor = known_processor(name, tuple(map(str, rules)))
        self._engine = self._processor.engine(self.dialect)
        # The last readings of texts, by the text with LF at the end of each line.
        self._readings: dict[str, tuple[str, Any, Any]] = {}
        opener = self.dialect.marks["open"]
        self._delimiters = {opener, *self.dialect.fences[opener]}

    @cached_property
    def rules(self) -> str:
        """A hash of the repair rules, in their order."""
        texts = [rule.path.read_text(encoding="utf-8") for rule in self._engine.rules]
        return identify(rules=texts)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the grammars, the repair rules and the prompt."""
        prompt = [message.to_dict() for message in self.teach("")]
        return identify(
            grammar=self.dialect.fingerprint,
            recovery=recovery_text(self.dialect)[1],
            rules=self.rules,
            prompt=prompt,
        )

    def teach(self, request: str) -> tuple[Message, ...]:
        """Return the system prompt of the dialect, its example turns and the request."""
        return (*self._lesson, Message("user", request))

    @cached_property
    def _lesson(self) -> tuple[Message, ...]:
        """The messages before any request. They are slow to build, and equal for all requests."""
        # The last message is the request, which is empty here.
        return tuple(PromptBuilder(self.dialect).messages("")[:-1])

    def write(self, document: Document) -> str:
        """Return a document as the prompt teaches it; raises `RenderError` if it cannot."""
        return render(document, self.dialect, forms_for(self.dialect))

    def draft(self, document: Document) -> Draft:
        """Return a document as lines of the fault model; contents that collide are written too.

        Raises:
            RenderError: The dialect has no words for an action, or for any section.
        """
        sayable = leave_out_unsaid(translate(document), self.dialect)
        # A reply without an action that was meant would be wrong by no fault of its writer.
        if len(sayable.actions) < len(document.actions):
            raise RenderError("the dialect cannot say all of its actions")
        if not sayable.sections:
            raise RenderError("the dialect cannot say any of its sections")
        return Draft.of(sayable, dialects.load(self.name))

    def read(
        self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None
    ) -> Iterator[Attempt]:
        """Read a reply as the pipeline does, one phase at a time.

        Args:
            reply: The reply.
            messages: The request to the model.
            model: The model that the corrector asks again about a failure.
        """
        result: Result | None = None
        try:
            # A reply with another finish reason may be truncated, too: None detects it in the text.
            steps = self._processor.steps(reply.text, reply.finish.cut_off or None)
            while result is None:
                started = time.perf_counter()
                phase, result = next(steps)
                yield _attempt(str(phase), result, started)
        except ProtocolError:
            # The reply is longer than the pipeline accepts.
            yield Attempt("strict", None)
            return
        if model is None or find_failure(result, reply.finish) is None:
            return
        started = time.perf_counter()
        corrector = SelfCorrector(model, max_attempts=self.attempts)
        conversation = corrector.correct(
            result, self.dialect, messages, reply.finish, self._processor.read
        )
        yield _attempt("corrected", drive(conversation, model), started)

    def harms(self, text: str) -> str:
        """Return the phase that changes a faultless text or its meaning.

        The phases get the text as one that is known to be broken.
        """
        try:
            document = parse(text, self.dialect)
        except ParseError:
            return "strict"
        repairer = self._engine.repairer
        plain = LineEndings(text).plain
        # A text is often checked with several line endings, which are read in the same way.
        repairer.last_read = self._readings.get(plain, repairer.last_read)
        repaired = self._engine.repair(text, known_broken=True).text
        if len(self._readings) >= _MAX_READINGS:
            self._readings.clear()
        self._readings[plain] = repairer.last_read
        if repaired != text:
            return "repaired"
        recovered = recover(text, self.dialect, repairer=repairer, known_broken=True)
        return "" if recovered == document else "recovered"

    def collides(self, content: str) -> bool:
        """Return whether a line of a content is one of the usual delimiters."""
        return any(line.rstrip(" \t\r") in self._delimiters for line in content.split("\n"))


def _attempt(phase: str, result: Result | None, started: float) -> Attempt:
    seconds = time.perf_counter() - started
    if result is None:
        return Attempt(phase, None, seconds=seconds)
    return Attempt(
        phase, result.document, result.valid, result.confidence, result.diagnostics, seconds
    )
