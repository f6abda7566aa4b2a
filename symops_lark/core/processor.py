"""Configure the pipeline: dialect, repair rules, corrector and limits.

The pipeline runs the phases that need no model. This module adds what is around them: names and
paths become dialects, a corrector asks the model again, and fenced code is extracted on request.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import other_formats
from .document import Document
from .grammar.dialect import Dialect
from .grammar.loading import load_dialect
from .ground.collector import collector_paused
from .ground.logs import log_phases
from .other_formats import read_sections
from .recovery.detected import Detection
from .replies.conversation import Corrector, adrive, drive
from .replies.messages import Finish, Message, Messages, Reply
from .replies.sdk import Answer, read_answer
from .result import Phase, ProtocolError, Result, TraceStep, check_length, check_readings

if TYPE_CHECKING:
    from .pipeline import Run
    from .repairs.engine import RepairEngine
    from .repairs.line_repairer import RuleRepairer
    from .repairs.repaired import Repaired

# Characters of a reply: far above the longest reply of any model. The result of a broken reply can
# take a hundred times the memory of its text.
MAX_CHARACTERS = 20_000_000


class SymOpsProcessor:
    """A configured pipeline. It may be used for many replies, and by several threads.

    Args:
        format: A dialect, its name, or a path to a `.lark` file. With "auto" each reply is read in
            the dialect that fits it best, among the installed ones and `dialects`; a reply without
            a section of a dialect is read in the formats of other agents. With a dialect, so is a
            reply that is wholly in one of these. A name or the path of such a format: replies are
            read in it alone, and only `max_characters` can be set.
        rules: Folders and files of custom repair rules, beside those of the dialect.
        dialects: Further dialects for "auto".
        corrector: Asks the model again if a result has errors. None: never.
        extract: Whether fenced code becomes files with invented names, if a reply has no section.
        max_characters: The longest reply that is read, in characters.
        recovery_engine: "automaton" or "earley"; both give the same documents. None: the automaton
            where the recovery grammar allows it.

    Raises:
        GrammarError: There is no such dialect, its grammar is wrong, or the engine cannot run its
            recovery grammar; or a setting is given that a format of another agent does not have.
        RuleError: A repair rule is wrong.
    """

    def __init__(
        self,
        format: str | Path | Dialect = "auto",
        *,
        rules: Sequence[str | Path] = (),
        dialects: Sequence[str | Path | Dialect] = (),
        corrector: Corrector | None = None,
        extract: bool = False,
        max_characters: int = MAX_CHARACTERS,
        recovery_engine: str | None = None,
    ) -> None:
        self.format = format
        self.dialects = tuple(load_dialect(dialect) for dialect in dialects)
        self.rules = tuple(rules)
        self.corrector = corrector
        self.extract = extract
        self.max_characters = max_characters
        self.recovery_engine = recovery_engine
        self._engines: dict[Dialect, RepairEngine] = {}
        # Refused, and not ignored: no dialect is read then.
        settings: dict[str, object] = {"rules": rules, "dialects": dialects, "corrector": corrector}
        settings |= {"extract": extract, "recovery_engine": recovery_engine}
        self.agent_format = other_formats.find_other(format, **settings)
        if self.agent_format is not None:
            return
        # Raise the errors of engines, grammars and rules now, not at the first reply.
        if recovery_engine is not None:
            from .recovery.engines.choice import load_engine

            load_engine(load_dialect("v2" if format == "auto" else format), recovery_engine)
        if format != "auto" and rules:
            self.engine(format)
        elif format != "auto":
            load_dialect(format).table("lalr")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymOpsProcessor) and other._settings() == self._settings()

    def __hash__(self) -> int:
        # Of the settings only those that are always hashable: a corrector may not be.
        return hash((str(self.format), self.rules))

    def _settings(self) -> tuple[object, ...]:
        limits = (self.extract, self.max_characters, self.recovery_engine)
        return (self.format, self.dialects, self.rules, self.corrector, *limits)

    def engine(self, format: str | Path | Dialect) -> RepairEngine:
        """Return the repair engine of a dialect. It is created once and kept.

        Args:
            format: The dialect, its name, or a path to a `.lark` file.

        Raises:
            GrammarError: There is no such dialect, or its grammar is wrong.
            RuleError: A repair rule is wrong.
        """
        dialect = load_dialect(format)
        # Not by the fingerprint: two dialects may have one grammar and two recovery grammars.
        if dialect not in self._engines:
            from .repairs.engine import load_repairs

            self._engines[dialect] = load_repairs(dialect, self.rules)
        return self._engines[dialect]

    def detect(self, text: str) -> Detection:
        """Detect the dialect of a text among the installed ones and `dialects`."""
        return self._detect(text, nearest=False)

    def _detect(self, text: str, **settings: Any) -> Detection:
        from .recovery.detection import detect

        def find_repairer(dialect: Dialect) -> RuleRepairer:
            return self.engine(dialect).repairer

        return detect(text, find_repairer, self.dialects, **settings)

    def confirms(self, text: str, known: Detection) -> bool:
        """Return whether `process` would read a valid text in a certain dialect, without doubts.

        Args:
            text: The text.
            known: Its dialect and document.
        """
        if len(text) > self.max_characters:
            return False
        detection = known
        if self.format == "auto":
            detection = self._detect(text, nearest=True, known=known)
        return detection.dialect is known.dialect and not detection.doubtful

    def process(
        self,
        raw_output: Answer,
        original_prompt: Messages = "",
        *,
        cut_off: bool | None = None,
        readings: int = 1,
    ) -> Result:
        """Turn a model's reply into a validated document.

        Runs strict parsing, repair and recovery in this order and stops at the first phase that
        gives a valid document. If a corrector is configured and the result still has errors, the
        model is asked again. If that model fails, the failure is a step of the trace.

        Args:
            raw_output: The reply: a string, or a response object of OpenAI, Anthropic or LangChain.
                None counts as empty.
            original_prompt: The request that was sent, as a string or messages. Only a corrector
                uses it.
            cut_off: Whether the reply was truncated. None: use the finish reason of a response
                object, else detect it from the last line.
            readings: The number of readings in `Result.readings`, 1 to 20. 1: none is searched for.

        Returns:
            The document with its phase, confidence (0 to 1), repairs and diagnostics. Spans
            refer to `Result.text`.

        Raises:
            ProtocolError: No section was found, or the reply is too long. `error.document` holds
                the best partial document.
            ModelError: The response has no text.
            TypeError: The value is not a response of a known client.
            ValueError: The number of readings is out of range.
        """
        dialogue = self._dialogue(raw_output, original_prompt, cut_off, readings)
        return drive(dialogue, self.corrector.model if self.corrector else None)

    async def aprocess(
        self,
        raw_output: Answer,
        original_prompt: Messages = "",
        *,
        cut_off: bool | None = None,
        readings: int = 1,
    ) -> Result:
        """Do the same as `process`, and wait for the model without blocking other tasks.

        Args:
            raw_output: The reply.
            original_prompt: The request that was sent. Only a corrector uses it.
            cut_off: Whether the reply was truncated; None to detect it.
            readings: The number of readings.

        Returns:
            The same as `process`, which raises the same errors, too.
        """
        dialogue = self._dialogue(raw_output, original_prompt, cut_off, readings)
        return await adrive(dialogue, self.corrector.model if self.corrector else None)

    def _dialogue(
        self, raw_output: Answer, prompt: Messages, cut_off: bool | None, readings: int
    ) -> Generator[tuple[Message, ...], Reply, Result]:
        """Run all phases: yield messages to a model, receive its replies, return the result."""
        check_readings(readings)
        reply = read_answer(raw_output)
        # Each of the two is derived from the other where only one is known.
        if cut_off is None and reply.finish.cut_off:
            cut_off = True
        if cut_off and reply.finish is Finish.UNKNOWN:
            reply = replace(reply, finish=Finish.LENGTH)
        dialect: Dialect | None = None
        if self.agent_format is not None:
            check_length(reply.text, self.max_characters)
            result = other_formats.read_named(reply, self.agent_format)
        else:
            result, dialect = yield from self._run_phases(reply, prompt, cut_off)
        if cut_off:
            result = other_formats.mark_cut_off(result, dialect)
        if readings == 1:
            return result
        from .readings import add_readings

        repairer = self.engine(dialect).repairer if dialect else None
        return add_readings(result, dialect, repairer, cut_off, readings)

    def _run_phases(
        self, reply: Reply, prompt: Messages, cut_off: bool | None
    ) -> Generator[tuple[Message, ...], Reply, tuple[Result, Dialect]]:
        """Run all phases for a reply in a dialect; return the result and the dialect."""
        from .validator import is_acceptable

        result, dialect = self._read(reply.text, cut_off)
        if result.phase is not Phase.STRICT and self.format == "auto":
            result = other_formats.warn_of_left(other_formats.read_any(result), self.engine)
        if reply.calls and not is_acceptable(result.document):
            result = other_formats.read_calls(reply.calls, result)
        if self.corrector is not None:
            result = yield from self.corrector.correct(
                result, dialect, prompt, reply.finish, self.read
            )
        # A corrector writes its own steps.
        if self.corrector is None and not result.valid:
            step = TraceStep("corrected", "skipped: there is no model", reply.text)
            result = replace(result, trace=(*result.trace, step))
        if not is_acceptable(result.document):
            result = self._extract(result, dialect, reply)
        return result, dialect

    def _extract(self, result: Result, dialect: Dialect, reply: Reply) -> Result:
        """Return the actions of a reply that has no section of a dialect."""
        found = other_formats.read_fences(result, extract=self.extract)
        if found.document.actions:
            return found
        # A strict result may have no section, too. A corrector's last reply was not read here.
        is_broken = self.corrector is None and result.phase is not Phase.STRICT
        from .recovery.recovery import recover as recover_with

        partial = recover_with(
            result.text, dialect, known_broken=is_broken, engine=self.recovery_engine
        )
        message, reason = other_formats.explain_absence(reply, result)
        raise ProtocolError(message, partial, result.diagnostics, found.trace, reason)

    def repair(self, text: str, *, cut_off: bool | None = None) -> Repaired:
        """Repair a text by the rules; a valid text is returned unchanged.

        After an incomplete action, an error section records its state, so that `parse` and `plan`
        know it.

        Args:
            text: The text.
            cut_off: Whether it was truncated; None to detect it from the last line.

        Raises:
            ProtocolError: The text is too long.
        """
        run = self._begin(text, cut_off)
        with collector_paused(len(text)):
            return run.repaired_text()

    def recover(
        self, text: str, *, cut_off: bool | None = None, engine: str | None = None
    ) -> Document:
        """Return the minimum-cost parse of any text.

        Actions that `process` doubts are suspect here, too.

        Args:
            text: The text.
            cut_off: Whether it was truncated; None to detect it from the last line.
            engine: "automaton" or "earley"; None for the processor's.

        Raises:
            GrammarError: The engine cannot run the recovery grammar of the dialect.
        """
        if self.agent_format is not None:
            from .formats.documents import read_format

            other_formats.refuse_settings(self.agent_format, engine=engine)
            return read_format(text, self.agent_format)
        if self.format == "auto":
            dialect = self.detect(text).dialect or load_dialect("v2")
        else:  # only a name or a path must be loaded
            dialect = load_dialect(self.format)
        repairer = self.engine(dialect).repairer
        engine = engine or self.recovery_engine
        from .recovery.recovery import recover as recover_with

        def read(text: str) -> Document:
            return recover_with(
                text, dialect, repairer=repairer, cut_off=cut_off, known_broken=True, engine=engine
            )

        from .recovery.doubts.thinking import read_doubted

        document = read_doubted(text, dialect, read)
        return other_formats.prefer_outer_document(text, document)

    def read(self, text: str, cut_off: bool | None = None) -> Result:
        """Run the phases that need no model.

        Args:
            text: The text.
            cut_off: Whether it was truncated; None to detect it from the last line.

        Returns:
            The result. Its document may be without sections.

        Raises:
            ProtocolError: The text is too long.
        """
        return self._read(text, cut_off)[0]

    def steps(
        self, text: str, cut_off: bool | None = None
    ) -> Iterator[tuple[Phase, Result | None]]:
        """Run the same phases one at a time, such as to measure their times.

        Args:
            text: The text.
            cut_off: Whether it was truncated; None to detect it from the last line.

        Yields:
            Each phase with its result; None if it gives none. The first result is the last step. A
            phase runs when its step is requested.

        Raises:
            ProtocolError: The text is too long.
        """
        steps = self._begin(text, cut_off, read_other=read_sections).steps()
        while True:
            # Paused only while a phase runs, not while the caller does something between two.
            with collector_paused(len(text)):
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _read(self, text: str, cut_off: bool | None) -> tuple[Result, Dialect]:
        """Run the phases that need no model; return the dialect, too."""
        run = self._begin(text, cut_off, read_other=read_sections)
        with collector_paused(len(text)):
            steps = log_phases(run.steps(), len(text))
            result = next(result for _, result in steps if result is not None)
        return result, run.dialect

    def _begin(self, text: str, cut_off: bool | None, **settings: Any) -> Run:
        check_length(text, self.max_characters)
        other_formats.refuse_other(self.agent_format)
        if self.format == "auto":
            with collector_paused(len(text)):
                detection = self._detect(text, nearest=True, **settings)
        else:  # nothing is detected: the strict phase reads the text
            detection = Detection(load_dialect(self.format))
        from .pipeline import Run

        dialect = detection.dialect or load_dialect("v2")
        return Run(text, cut_off, detection, dialect, self.engine, self.recovery_engine)


_MOVED = frozenset(("convert", "detect_dialect", "parse", "process", "recover", "repair"))


def __getattr__(name: str) -> Any:
    """Return a function that was in this module before, and warn."""
    if name not in _MOVED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .former_names import give_former

    return give_former(f"{__package__}.functions", name, former=__name__)
