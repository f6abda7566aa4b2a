"""Sym-Ops as a format: any dialect, by its name or by the path of its grammar, read by the whole pipeline."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ....core.document import Document
from ....core.grammar.loading import load_dialect, recovery_text
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

_KEPT = 256  # readings, one of each task as a rule


class SymOps(Writer):
    """One dialect with its installed rules, and the user's own from the folders `rules`.

    `attempts` says how often a model is asked again about its format.
    """

    phases = PHASES

    def __init__(self, name: str, rules: Sequence[str | Path] = (), attempts: int = 2) -> None:
        self.name, self.attempts = name, attempts
        self.dialect = load_dialect(name)
        self._processor = known_processor(name, tuple(map(str, rules)))
        self._engine = self._processor.engine(self.dialect)
        self._readings: dict[str, tuple[str, Any, Any]] = {}  # of texts that were read, whatever ended their lines
        opener = self.dialect.marks["open"]
        self._delimiters = {opener, *self.dialect.fences[opener]}

    @cached_property
    def rules(self) -> str:
        """A hash of the repair rules, in their order."""
        return identify(rules=[rule.path.read_text(encoding="utf-8") for rule in self._engine.rules])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the grammars, the repair rules and the prompt."""
        prompt = [message.to_dict() for message in self.teach("")]
        return identify(
            grammar=self.dialect.fingerprint, recovery=recovery_text(self.dialect)[1], rules=self.rules, prompt=prompt
        )

    def teach(self, request: str) -> tuple[Message, ...]:
        """Return the system prompt of the dialect, its example turns and the request."""
        return (*self._lesson, Message("user", request))

    @cached_property
    def _lesson(self) -> tuple[Message, ...]:
        """What is said before any request: it is long to make, and the same for all of them."""
        return tuple(PromptBuilder(self.dialect).messages("")[:-1])

    def write(self, document: Document) -> str:
        """Return a document as the prompt teaches it; raises `RenderError` for what the dialect cannot say."""
        return render(document, self.dialect, forms_for(self.dialect))

    def draft(self, document: Document) -> Draft:
        """Lay a document out by the fault model's own writer; contents that collide are written all the same."""
        return Draft.of(leave_out_unsaid(translate(document), self.dialect), dialects.load(self.name))

    def read(self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None) -> Iterator[Attempt]:
        """Read a reply as the pipeline does, one strategy at a time; the corrector asks where it finds a failure."""
        result: Result | None = None
        try:
            steps = self._processor.steps(reply.text, reply.finish.cut_off or None)
            while result is None:
                started = time.perf_counter()
                phase, result = next(steps)
                yield _attempt(str(phase), result, started)
        except ProtocolError:  # longer than any reply
            yield Attempt("strict", None)
            return
        if model is None or find_failure(result, reply.finish) is None:
            return
        started = time.perf_counter()
        corrector = SelfCorrector(model, max_attempts=self.attempts)
        conversation = corrector.correct(result, self.dialect, messages, reply.finish, self._processor.read)
        yield _attempt("corrected", drive(conversation, model), started)

    def harms(self, text: str) -> str:
        """Return which phase changes a faultless text or what it says, though it is told that the text is broken."""
        try:
            document = parse(text, self.dialect)
        except ParseError:
            return "strict"
        repairer, plain = self._engine.repairer, LineEndings(text).plain
        repairer.last_read = self._readings.get(plain, repairer.last_read)
        repaired = self._engine.repair(text, known_broken=True).text
        if len(self._readings) >= _KEPT:
            self._readings.clear()
        self._readings[plain] = repairer.last_read
        if repaired != text:
            return "repaired"
        recovered = recover(text, self.dialect, repairer=repairer, known_broken=True)
        return "" if recovered == document else "recovered"

    def collides(self, content: str) -> bool:
        """Return whether a line of a content is one of the delimiters that usually stand around it."""
        return any(line.rstrip(" \t\r") in self._delimiters for line in content.split("\n"))


def _attempt(phase: str, result: Result | None, started: float) -> Attempt:
    seconds = time.perf_counter() - started
    if result is None:
        return Attempt(phase, None, seconds=seconds)
    return Attempt(phase, result.document, result.valid, result.confidence, result.diagnostics, seconds)
