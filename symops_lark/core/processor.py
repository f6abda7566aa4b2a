"""A configured pipeline: which dialect, whose rules, which model; and the functions of the front door that read.

Names and paths become dialects here. A reply that no phase reads is asked for again, and its fenced code is extracted
on request.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .document import Document
from .grammar.dialect import Dialect
from .grammar.loading import load_dialect
from .ground.collector import collector_paused
from .ground.numbers import counted, grouped
from .recovery.detected import Detection
from .replies.conversation import Asked, Conversation, adrive, drive
from .replies.messages import Finish, Message, Messages, Reply
from .replies.sdk import Answer, read_answer
from .result import Phase, ProtocolError, Result, TraceStep
from .strict.parser import parse as parse_strictly

if TYPE_CHECKING:
    from .pipeline import Run
    from .rendering.converter import Converted
    from .rendering.writer import RenderOptions
    from .repairs.engine import RepairEngine
    from .repairs.repaired import Repaired


class Corrector(Protocol):
    """Who asks a model again (`SelfCorrector`): the core only leads the conversation."""

    @property
    def model(self) -> Asked:
        """The model that is asked."""

    def correct(
        self, first: Result, dialect: Dialect, prompt: Messages, finish: Finish, read: Callable[..., Result]
    ) -> Conversation:
        """Yield what the model is to be asked, take its replies, return the result."""


MAX_CHARACTERS = 20_000_000


class SymOpsProcessor:
    """A configured pipeline: dialect, the user's rules, corrector, limits. Safe to use for many replies.

    With `format="auto"` each reply is read in the dialect that fits it best, among the installed ones and `dialects`.
    `extract` allows the last strategy: fenced code as files with invented names. `recovery_engine` is "automaton" or
    "earley"; None takes the automaton where a recovery grammar allows it. Both give the same documents.
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
        if recovery_engine is not None:
            from .recovery.engines.choice import load_engine

            load_engine(load_dialect("v2" if format == "auto" else format), recovery_engine)
        self._engines: dict[str, RepairEngine] = {}
        if format != "auto":
            _ = self.engine(format) if rules else load_dialect(format).table("lalr")  # what is wrong is told now

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymOpsProcessor) and other._settings() == self._settings()

    def __hash__(self) -> int:
        return hash((str(self.format), self.rules))

    def _settings(self) -> tuple[object, ...]:
        limits = (self.extract, self.max_characters, self.recovery_engine)
        return (self.format, self.dialects, self.rules, self.corrector, *limits)

    def engine(self, format: str | Path | Dialect) -> RepairEngine:
        """Return the repair engine of a dialect, made once."""
        dialect = load_dialect(format)
        key = f"{dialect.file}:{dialect.fingerprint}"
        if key not in self._engines:
            from .repairs.engine import RepairEngine

            self._engines[key] = RepairEngine(dialect, folders=self.rules)
        return self._engines[key]

    def detect(self, text: str) -> Detection:
        """Return what is known of the dialect of a text among the installed ones and `dialects`."""
        return self._detect(text, nearest=False)

    def _detect(self, text: str, *, nearest: bool, known: Detection | None = None) -> Detection:
        from .recovery.detection import detect

        return detect(text, lambda dialect: self.engine(dialect).repairer, self.dialects, nearest=nearest, known=known)

    def confirms(self, text: str, known: Detection) -> bool:
        """Return whether a text of a dialect, which is valid and says this, is read in no other, and not too long."""
        if len(text) > self.max_characters:
            return False
        found = self._detect(text, nearest=True, known=known) if self.format == "auto" else known
        return found.dialect is known.dialect and not found.doubtful

    def process(self, raw_output: Answer, original_prompt: Messages = "", *, cut_off: bool | None = None) -> Result:
        """Turn a model's raw reply into a validated document.

        `raw_output` is its text, or the answer of a client: OpenAI's or Anthropic's, as a whole or its content, None
        where that is empty. `original_prompt`, a text or the messages of a conversation, is what a corrector reminds
        the model of. `cut_off` tells whether the reply is known to end too early; a whole answer tells it by its finish
        reason. Raises `ProtocolError`, with the best partial document, when no strategy makes sense of the reply.
        """
        dialogue = self._dialogue(raw_output, original_prompt, cut_off)
        return drive(dialogue, self.corrector.model if self.corrector else None)

    async def aprocess(
        self, raw_output: Answer, original_prompt: Messages = "", *, cut_off: bool | None = None
    ) -> Result:
        """Do what `process` does, and wait for the model without blocking other tasks."""
        dialogue = self._dialogue(raw_output, original_prompt, cut_off)
        return await adrive(dialogue, self.corrector.model if self.corrector else None)

    def _dialogue(
        self, raw_output: Answer, prompt: Messages, cut_off: bool | None
    ) -> Generator[tuple[Message, ...], Reply, Result]:
        """Run the strategies: yields what a model is to be asked, takes its replies, returns the result."""
        reply = read_answer(raw_output)
        text, finish = reply.text, reply.finish
        if cut_off is None and finish.cut_off:
            cut_off = True
        if cut_off and finish is Finish.UNKNOWN:
            finish = Finish.LENGTH
        result, dialect = self._read(text, cut_off)
        if self.corrector is not None:
            result = yield from self.corrector.correct(result, dialect, prompt, finish, self.read)
        steps = []
        if self.corrector is None and not result.valid:
            steps.append(TraceStep("corrected", "skipped: there is no model", text))
        from .validator import is_acceptable

        if is_acceptable(result.document):
            return replace(result, trace=(*result.trace, *steps)) if steps else result
        from .recovery.foreign.fenced_files import CONFIDENCE, extract_fences

        if self.extract and (document := extract_fences(result.text, dialect.name)).actions:
            steps.append(TraceStep("extracted", counted(len(document.actions), "fenced block"), result.text, True))
            return replace(
                result,
                phase=Phase.EXTRACTED,
                document=document,
                confidence=CONFIDENCE,
                diagnostics=document.diagnostics,
                repairs=(),
                trace=(*result.trace, *steps),
            )
        skipped = "there is no fenced block" if self.extract else "skipped: it was not asked for"
        steps.append(TraceStep("extracted", skipped, result.text))
        broken = self.corrector is None and result.phase is not Phase.STRICT
        from .recovery.recovery import recover as recover_with

        partial = recover_with(result.text, dialect, known_broken=broken, engine=self.recovery_engine)
        trace = (*result.trace, *steps)
        raise ProtocolError("no phase found a section in the reply", partial, result.diagnostics, trace)

    def repair(self, text: str, *, cut_off: bool | None = None) -> Repaired:
        """Repair a text by the rules; one that parses strictly comes back as it is.

        Behind an action that is not whole, an error section says so: what reads the text asks about it.
        """
        run = self._begin(text, cut_off)
        with collector_paused(len(text)):
            return run.repaired_text()

    def recover(self, text: str, *, cut_off: bool | None = None, engine: str | None = None) -> Document:
        """Read any text at the lowest price; what `process` doubts of its actions is doubted here, too.

        `engine` is the processor's if it is not given.
        """
        dialect = detect_dialect(text, self) if self.format == "auto" else load_dialect(self.format)
        repairer, engine = self.engine(dialect).repairer, engine or self.recovery_engine
        from .recovery.recovery import recover as recover_with

        document = recover_with(text, dialect, repairer=repairer, cut_off=cut_off, engine=engine)
        from .recovery.doubts.nested_actions import mark_doubts

        return mark_doubts(document, text, dialect)

    def read(self, text: str, cut_off: bool | None = None) -> Result:
        """Run the strategies that need no model, whatever comes of them."""
        return self._read(text, cut_off)[0]

    def steps(self, text: str, cut_off: bool | None = None) -> Iterator[tuple[Phase, Result | None]]:
        """Run the same strategies one at a time: each phase with its result, None where it gives none.

        The first result is the last step. A strategy runs when its step is asked for, so that its time can be taken.
        """
        steps = self._begin(text, cut_off).steps()
        while True:
            with collector_paused(len(text)):
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _read(self, text: str, cut_off: bool | None) -> tuple[Result, Dialect]:
        """Run the strategies that need no model; tell in which dialect."""
        run = self._begin(text, cut_off)
        with collector_paused(len(text)):
            return next(result for _, result in run.steps() if result is not None), run.dialect

    def _begin(self, text: str, cut_off: bool | None) -> Run:
        if len(text) > self.max_characters:
            message = f"the reply has {counted(len(text), 'character')}, the limit is {grouped(self.max_characters)}"
            raise ProtocolError(message, Document())
        with collector_paused(len(text)):
            detection = (
                self._detect(text, nearest=True) if self.format == "auto" else Detection(load_dialect(self.format))
            )
        from .pipeline import Run

        return Run(text, cut_off, detection, detection.dialect or load_dialect("v2"), self.engine, self.recovery_engine)


def process(
    raw_output: Answer,
    format: str | Path | Dialect = "auto",
    *,
    rules: Sequence[str | Path] = (),
    cut_off: bool | None = None,
) -> Result:
    """Turn a model's raw reply into a validated document: strict, else repaired, else recovered.

    `raw_output` is its text, or the answer of a client: OpenAI's or Anthropic's, as a whole or its content. `format` is
    a dialect's name, a path to a `.lark` file or "auto". Raises `ProtocolError` with the best partial document when
    there is nothing to be found in the reply.
    """
    return known_processor(format, tuple(str(r) for r in rules)).process(raw_output, cut_off=cut_off)


def parse(text: str, format: str | Path | Dialect = "auto", *, name: str = "<reply>") -> Document:
    """Parse a text by the grammar of a dialect, all or nothing; with "auto" in the dialect that fits it best.

    Behind an action an error section may say that it is not whole, which `completeness` then tells. Raises `ParseError`
    with what is wrong and where (`name` is what the text is called there), and `GrammarError` if there is no such
    dialect.
    """
    if format != "auto":
        return parse_strictly(text, format, name=name)
    found = known_processor("auto", ()).detect(text)
    if found.document is not None and found.dialect is not None:
        return found.document
    return parse_strictly(text, found.dialect or load_dialect("v2"), name=name)


def convert(
    text_or_document: str | Document,
    source: str | Path | Dialect = "auto",
    target: str | Path | Dialect = "v2",
    forms: RenderOptions | None = None,
) -> Converted:
    """Convert a text of the dialect `source`, or a document of any, to the dialect `target`.

    `forms` chooses among the forms that the target has. Numbers and attributes that it has not are left out.
    Raises `ParseError` if the text is not in its dialect, `RenderError` if the target cannot say the document, and
    `GrammarError` if there is no such dialect. `losses` lie in the given text.
    """
    document = text_or_document if isinstance(text_or_document, Document) else parse(text_or_document, source)
    from .rendering.converter import convert_document

    return convert_document(document, target, forms)


def repair(text: str, format: str | Path | Dialect = "auto", *, rules: Sequence[str | Path] = ()) -> Repaired:
    """Repair a text by the rules of a dialect; one that parses strictly comes back as it is.

    Behind an action that is not whole, an error section says so, and `parse` and `plan` read it.
    """
    return known_processor(format, tuple(str(r) for r in rules)).repair(text)


def recover(
    text: str,
    format: str | Path | Dialect = "auto",
    *,
    rules: Sequence[str | Path] = (),
    cut_off: bool | None = None,
    engine: str | None = None,
) -> Document:
    """Read any text at the lowest price; lines nearly right are recognised by the repair rules.

    What `process` doubts of its actions is suspect here, too; a valid text says what `parse` says of it, at price 0.
    `engine` is "automaton" or "earley"; None takes the automaton where the recovery grammar is left-linear. Raises
    `GrammarError` if there is no such dialect, or an engine that cannot run its recovery grammar.
    """
    return known_processor(format, tuple(str(r) for r in rules)).recover(text, cut_off=cut_off, engine=engine)


def detect_dialect(text: str, processor: SymOpsProcessor | None = None) -> Dialect:
    """Return the dialect with the cheapest reading of a text; v2 where it is in none."""
    return (processor or SymOpsProcessor()).detect(text).dialect or load_dialect("v2")


_PROCESSORS: dict[tuple[str, tuple[str, ...]], SymOpsProcessor] = {}


def known_processor(format: str | Path | Dialect, rules: tuple[str, ...]) -> SymOpsProcessor:
    """Return a processor that was used before; not for rules from folders, which may change."""
    key = (format.fingerprint if isinstance(format, Dialect) else str(format), rules)
    if rules or key not in _PROCESSORS:
        processor = SymOpsProcessor(format, rules=rules)
        if rules or str(format).endswith(".lark"):
            return processor
        _PROCESSORS[key] = processor
    return _PROCESSORS[key]
