"""Check: the dialect is used. Valid texts and damaged ones are sampled from the grammar, and every verb runs on them.

That a grammar compiles does not say that what it reads can be written again, told while it arrives, or put right. What
breaks is told with a shortest text that breaks it.
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

_SAMPLES, _DAMAGED, _CHUNK = 24, 24, 7
_SHOWN = 200
_Verb = Callable[["_Use", str], str]  # returns what is wrong with a text, nothing if all is well


def find_breakages(subject: Subject) -> Iterator[Finding]:
    """Yield what breaks when the public verbs run on texts of the dialect, valid ones and damaged ones."""
    dialect = subject.dialect
    try:
        texts = sample_texts(dialect, _SAMPLES, "use")
        why = "" if texts else "its parser refuses each text that was drawn"
    except (GrammarError, RecursionError) as error:
        texts, why = [], str(error)
    if not texts:
        yield subject.note("not-sampled", f"no texts can be sampled of it, so its use is not proven: {why}", "document")
        return
    use = _Use(dialect)
    yield from _find(subject, use, _WHOLE, [""])
    yield from _find(subject, use, _VALID, texts)
    chance = random.Random("use").random
    marks = list(dialect.said_marks.values())
    lines = [line for text in texts for line in lines_with_endings(text)] or [""]
    damaged = [
        damage_text(texts[i % len(texts)], lines, [*marks, " ", "x"], len(marks), chance) for i in range(_DAMAGED)
    ]
    yield from _find(subject, use, _BROKEN, damaged)


class _Use:
    """The verbs of one dialect, made once."""

    def __init__(self, dialect: WrittenDialect) -> None:
        self.dialect = dialect

    @cached_property
    def processor(self) -> SymOpsProcessor:
        """What repairs, recovers and processes."""
        return SymOpsProcessor(self.dialect)

    @cached_property
    def folder(self) -> FolderView:
        """A folder with nothing in it."""
        self._folder = TemporaryDirectory()
        return FolderView(self._folder.name)

    @cached_property
    def exported(self) -> Callable[[str], dict[str, Any]]:
        """The strict parser of the export to Python, which no dialect is refused."""
        code = next(iter(export("python", self.dialect).values()))
        names: dict[str, Any] = {"__name__": self.dialect.name}
        exec(compile(code, self.dialect.name, "exec"), names)
        return lambda text: dict(names["parse"](text).to_dict())


def _find(subject: Subject, use: _Use, verbs: Sequence[tuple[str, _Verb]], texts: Sequence[str]) -> Iterator[Finding]:
    for name, verb in verbs:
        broken = [text for text in sorted(texts, key=len) if _wrong(use, verb, text)]
        if not broken:
            continue
        text = _shorten(broken[0], partial(_still_wrong, use, verb, parse_valid(broken[0], use.dialect) is not None))
        yield subject.find(
            Severity.ERROR,
            f"breaks-{name}",
            f"{name} breaks: {_wrong(use, verb, text)}",
            _rule_of(use, text),
            example=text,
            hint=f"{len(broken)} of {counted(len(texts), 'text')} that were tried break it",
        )


def _wrong(use: _Use, verb: _Verb, text: str) -> str:
    try:
        found = verb(use, text)
    except RecursionError:
        found = "it goes deeper than Python allows"
    except Exception as error:  # noqa: BLE001
        # Whatever it is, no text of the dialect should come to it.
        found = f"{type(error).__name__}: {error}"
    found = " ".join(found.split())
    return found if len(found) <= _SHOWN else found[:_SHOWN] + "…"


def _still_wrong(use: _Use, verb: _Verb, valid: bool, text: str) -> bool:
    """Return whether a shorter text breaks, too: where that was valid, one that is."""
    return not (valid and parse_valid(text, use.dialect) is None) and _wrong(use, verb, text) != ""


def _shorten(text: str, breaks: Callable[[str], bool]) -> str:
    """Return a text without the lines that it breaks without."""
    lines = lines_with_endings(text)
    for at in range(len(lines) - 1, -1, -1):
        rest = lines[:at] + lines[at + 1 :]
        if rest and breaks("".join(rest)):
            lines = rest
    return "".join(lines)


def _rule_of(use: _Use, text: str) -> str:
    """Return the rule of the first section of a text that only this dialect has, else the whole document's."""
    try:
        sections = parse(text, use.dialect).custom
    except ParseError:
        sections = ()
    return sections[0].name if sections else "document"


# ---- what holds of the dialect as a whole


def _prompt(use: _Use, _: str) -> str:
    text = system_prompt(use.dialect)
    for name in use.dialect.own_sections:
        if f"`{name}`" not in text:
            return f"the prompt cannot show the section {name}"
    for message in PromptBuilder(use.dialect).messages("x"):
        if message["role"] == "assistant":
            parse(message["content"], use.dialect)
    return ""


# ---- what holds of valid texts


def _parse(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    if Document.from_dict(json.loads(json.dumps(document.to_dict()))) != document:
        return "the document is another one after a journey through JSON"
    body = text if text.endswith("\n") else text + "\n"
    makers = Builder(Span, Span, use.dialect.marks, use.dialect.own).makers
    slowly = Document(tuple(build(use.dialect.lalr.parse(body, "document"), makers)))
    return "" if slowly.sections == document.sections else "patterns and LALR tables read it differently"


def _render(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    try:
        written = render(document, use.dialect)
    except RenderError as error:
        return str(error)
    return (
        "" if render(parse(written, use.dialect), use.dialect) == written else "rendering it again gives another text"
    )


def _convert(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    with suppress(RenderError):
        if convert_document(document, use.dialect).document.sections != document.sections:
            return "converted into itself it says something else"
        convert_document(document, "v2_1")
    return ""


def _repair(use: _Use, text: str) -> str:
    return "a valid text is changed" if use.processor.repair(text).text != text else ""


def _recover(use: _Use, text: str) -> str:
    document = parse(text, use.dialect)
    found = recover(text, use.dialect, repairer=use.processor.engine(use.dialect).repairer, known_broken=True)
    said = [section for section in found.sections if not isinstance(section, Skipped)]
    lost = [section for section in document.custom if section not in said]
    return f"recovery does not find the section {lost[0].name} in a valid text" if lost else ""


def _stream(use: _Use, text: str) -> str:
    parser = StreamParser(use.processor)
    events = list(parser.events(text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK)))
    if assemble(events).sections == parse(text, use.dialect).sections:
        return ""
    differences = parser.close().differences
    return f"a stream announces it otherwise: {differences[0].message}" if differences else "a stream differs"


def _plan(use: _Use, text: str) -> str:
    plan(parse(text, use.dialect), use.folder, format=use.dialect)
    return ""


def _export(use: _Use, text: str) -> str:
    same = use.exported(text)["sections"] == parse(text, use.dialect).to_dict()["sections"]
    return "" if same else "the parser exported to Python reads it differently"


# ---- what holds of any text


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
    return "" if use.processor.repair(once).text == once else "what is repaired is repaired again"


def _write_recovered(use: _Use, text: str) -> str:
    with suppress(RenderError):
        render(use.processor.recover(text), use.dialect)
    return ""


def _stream_broken(use: _Use, text: str) -> str:
    parser = StreamParser(use.processor)
    list(parser.events(text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK)))
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
_BROKEN = (("process", _process), ("repair", _repair_twice), ("recover", _write_recovered), ("stream", _stream_broken))
