"""Check: the public functions are run on texts of the dialect, valid and damaged.

A grammar that compiles may still read texts that cannot be written again, streamed or repaired. A
failure is reported with a shortest text that shows it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from tempfile import TemporaryDirectory
from typing import Any

from ....acting.files.view import FolderView
from ....acting.plan.planning import plan
from ....core.document import Document, Skipped
from ....core.grammar.compiling.compiler import WrittenDialect
from ....core.ground.errors import GrammarError, RenderError
from ....core.ground.numbers import counted
from ....core.processor import SymOpsProcessor
from ....core.recovery.recovery import recover
from ....core.rendering.converter import convert_document
from ....core.rendering.renderer import render
from ....core.result import ProtocolError
from ....core.streaming import StreamParser, assemble
from ....core.streaming.events import Event
from ....core.strict.builder import Builder, build
from ....core.strict.parser import parse, parse_valid
from ....core.text.diagnostics import ParseError, Severity
from ....core.text.source import Span, lines_with_endings
from ....exports import export
from ....models.prompts import system_prompt
from ....models.prompts.builder import PromptBuilder
from ..difference import damage_text
from ..sample import sample_texts
from .report import Finding
from .subject import Subject

_SAMPLES = 24
_DAMAGED = 24
_CHUNK = 7  # characters of a piece of a stream: marks are divided between pieces
_SHOWN = 200  # characters of a message
# Returns the failure of one function for a text; empty if there is none.
_Verb = Callable[["_Use", str], str]


def find_breakages(subject: Subject) -> Iterator[Finding]:
    """Yield the failures of the public functions for texts of the dialect, valid and damaged."""
    dialect = subject.dialect
    texts = []
    reason = "its parser refuses each text that was drawn"
    try:
        texts = sample_texts(dialect, _SAMPLES, "use")
    except (GrammarError, RecursionError) as error:
        reason = str(error)
    if not texts:
        yield subject.note(
            "not-sampled",
            f"no texts can be sampled of it, so its use is not proven: {reason}",
            "document",
        )
        return
    # Valid texts come first: a failure for one of them is more serious.
    use = _Use(dialect)
    yield from _find(subject, use, _WHOLE, [""])
    yield from _find(subject, use, _VALID, texts)
    chance = random.Random("use").random
    marks = list(dialect.said_marks.values())
    lines = [line for text in texts for line in lines_with_endings(text)] or [""]
    insets = [*marks, " ", "x"]
    damaged = []
    for number in range(_DAMAGED):
        text = texts[number % len(texts)]
        damaged.append(damage_text(text, lines, insets, len(marks), chance))
    yield from _find(subject, use, _BROKEN, damaged)


class _Use:
    """The functions of one dialect; what they need is created once."""

    def __init__(self, dialect: WrittenDialect) -> None:
        self.dialect = dialect

    @cached_property
    def processor(self) -> SymOpsProcessor:
        """The pipeline."""
        return SymOpsProcessor(self.dialect)

    @cached_property
    def folder(self) -> FolderView:
        """An empty folder."""
        self._folder = TemporaryDirectory()
        return FolderView(self._folder.name)

    @cached_property
    def exported(self) -> Callable[[str], dict[str, Any]]:
        """The strict parser of the export to Python, which exists for every dialect."""
        code = next(iter(export("python", self.dialect).values()))
        names: dict[str, Any] = {"__name__": self.dialect.name}
        exec(compile(code, self.dialect.name, "exec"), names)
        return lambda text: dict(names["parse"](text).to_dict())


def _find(
    subject: Subject, use: _Use, verbs: Sequence[tuple[str, _Verb]], texts: Sequence[str]
) -> Iterator[Finding]:
    for name, verb in verbs:
        failing = [text for text in sorted(texts, key=len) if _failure(use, verb, text)]
        if not failing:
            continue
        # A shorter text of a valid one must be valid, too: otherwise it would show another failure.
        valid = parse_valid(failing[0], use.dialect) is not None
        text = _shorten(failing[0], partial(_still_fails, use, verb, valid))
        yield subject.find(
            Severity.ERROR,
            f"breaks-{name}",
            f"{name} breaks: {_failure(use, verb, text)}",
            _rule_of(use, text),
            example=text,
            hint=f"{len(failing)} of {counted(len(texts), 'text')} that were tried break it",
        )


def _failure(use: _Use, verb: _Verb, text: str) -> str:
    """Return the failure of a function for a text, on one line; empty if there is none."""
    try:
        failure = verb(use, text)
    except RecursionError:
        failure = "it goes deeper than Python allows"
    except Exception as error:  # noqa: BLE001
        # No text of the dialect may cause an exception, of any class.
        failure = f"{type(error).__name__}: {error}"
    failure = " ".join(failure.split())
    return failure if len(failure) <= _SHOWN else failure[:_SHOWN] + "…"


def _still_fails(use: _Use, verb: _Verb, valid: bool, text: str) -> bool:
    """Return whether a shorter text fails as well; `valid`: and is valid."""
    if valid and parse_valid(text, use.dialect) is None:
        return False
    return _failure(use, verb, text) != ""


def _shorten(text: str, fails: Callable[[str], bool]) -> str:
    """Return a text without the lines that are not needed for its failure."""
    lines = lines_with_endings(text)
    for index in reversed(range(len(lines))):
        remaining = lines[:index] + lines[index + 1 :]
        if remaining and fails("".join(remaining)):
            lines = remaining
    return "".join(lines)


def _rule_of(use: _Use, text: str) -> str:
    """Return the rule of the first custom section of a text, or `document`."""
    try:
        sections = parse(text, use.dialect).custom
    except ParseError:
        sections = ()
    return sections[0].name if sections else "document"


# ---- the dialect, without a text


def _prompt(use: _Use, _: str) -> str:
    text = system_prompt(use.dialect)
    # A model must see every section that it may write.
    for name in use.dialect.own_sections:
        if f"`{name}`" not in text:
            return f"the prompt cannot show the section {name}"
    for message in PromptBuilder(use.dialect).messages("x"):
        if message["role"] == "assistant":
            parse(message["content"], use.dialect)
    return ""


# ---- valid texts


def _parse(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    if Document.from_dict(json.loads(json.dumps(document.to_dict()))) != document:
        return "the document is another one after writing and reading it as JSON"
    body = text if text.endswith("\n") else text + "\n"
    # Most texts are read by patterns; the LALR tables must agree with them.
    makers = Builder(Span, Span, use.dialect.marks, use.dialect.own).makers
    tree = use.dialect.lalr.parse(body, "document")
    if tuple(build(tree, makers)) != document.sections:
        return "patterns and LALR tables read it differently"
    return ""


def _render(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    try:
        rendered = render(document, use.dialect)
    except RenderError as error:
        return str(error)
    if render(parse(rendered, use.dialect), use.dialect) != rendered:
        return "rendering it again gives another text"
    return ""


def _convert(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    # Another dialect may not be able to write the document.
    with suppress(RenderError):
        if convert_document(document, use.dialect).document.sections != document.sections:
            return "converted into itself it is another document"
        convert_document(document, "v2_1")
    return ""


def _repair(use: _Use, text: str) -> str:
    repaired = use.processor.repair(text).text
    return "a valid text is changed" if repaired != text else ""


def _recover(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    repairer = use.processor.engine(use.dialect).repairer
    recovered = recover(text, use.dialect, repairer=repairer, known_broken=True)
    sections = [section for section in recovered.sections if not isinstance(section, Skipped)]
    lost = [section for section in document.custom if section not in sections]
    return f"recovery does not find the section {lost[0].name} in a valid text" if lost else ""


def _stream(use: _Use, text: str) -> str:
    parser, events = _run_stream(use, text)
    if assemble(events).sections == parse(text, use.dialect).sections:
        return ""
    differences = parser.close().differences
    if not differences:
        return "a stream differs"
    return f"a stream announces it differently: {differences[0].message}"


def _run_stream(use: _Use, text: str) -> tuple[StreamParser, list[Event]]:
    parser = StreamParser(use.processor)
    starts = range(0, len(text), _CHUNK)
    return parser, list(parser.events(text[start : start + _CHUNK] for start in starts))


def _plan(use: _Use, text: str) -> str:
    plan(parse(text, use.dialect), use.folder, format=use.dialect)
    return ""


def _export(use: _Use, text: str) -> str:
    sections = use.exported(text)["sections"]
    if sections != parse(text, use.dialect).to_dict()["sections"]:
        return "the parser exported to Python reads it differently"
    return ""


# ---- any texts


def _process(use: _Use, text: str) -> str:
    try:
        document = use.processor.process(text).document
    except ProtocolError as error:
        document = error.document or Document()
    Document.from_dict(document.to_dict())
    plan(document, use.folder, format=use.dialect)
    return ""


def _repair_twice(use: _Use, text: str) -> str:
    once = use.processor.repair(text).text
    twice = use.processor.repair(once).text
    return "a repaired text is repaired again" if twice != once else ""


def _write_recovered(use: _Use, text: str) -> str:
    with suppress(RenderError):
        render(use.processor.recover(text), use.dialect)
    return ""


def _stream_broken(use: _Use, text: str) -> str:
    _run_stream(use, text)
    return ""


_WHOLE = (("prompt", _prompt),)
_VALID = (
    ("parse", _parse),
    ("render", _render),
    ("convert", _convert),
    ("repair", _repair),
    ("recover", _recover),
    ("stream", _stream),
    ("plan", _plan),
    ("export", _export),
)
_BROKEN = (
    ("process", _process),
    ("repair", _repair_twice),
    ("recover", _write_recovered),
    ("stream", _stream_broken),
)
