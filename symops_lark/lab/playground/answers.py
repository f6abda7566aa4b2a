"""The questions of the page and their answers: JSON objects in and out, without HTTP.

Invariant: a question has everything that its answer depends on, so two pages cannot change each
other's answers. They share the time: questions about dialects wait for each other, and so do those
about any grammar. Only the compiled dialects of the last few grammars are kept.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from ...core.grammar.compiling.bounds import MOST_BYTES
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.dialect import UNSAID
from ...core.grammar.loading import derive, dialects, load_grammar
from ...core.ground import resources
from ...core.ground.errors import GrammarError, SymOpsError
from ...core.ground.version import __version__
from ...core.processor import SymOpsProcessor
from ...core.result import ProtocolError
from ...exports import ExportError, export
from ..benchmark.faults.kinds import load_kinds
from ..benchmark.formats.drafts import translate
from .any_grammar import list_examples as list_languages
from .any_grammar import recover_apart
from .reading import read
from .samples import (
    SAMPLES,
    SEED,
    draw_texts,
    list_examples,
    list_kinds,
    list_samples,
    name_drawn,
    write_damaged,
)

MOST_GRAMMARS = 8  # that are kept compiled
# The folder of grammars that were edited in the page. It does not exist, so nothing is imported
# from it.
_FOLDER = Path("<grammar>")
# Visible characters, because a mark with a control character could not be typed again.
_MARK = re.compile(r"[^\x00-\x1f\x7f]{1,20}")


class QuestionError(SymOpsError):
    """A question that cannot be answered. It may come from any program, not only from the page."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A compiled dialect: its pipeline, and the module that reads it in JavaScript."""

    dialect: WrittenDialect
    processor: SymOpsProcessor
    name: str
    module: str
    drawn: tuple[str, ...]  # texts with custom sections


class Answers:
    """Answers questions: those about dialects, and those about any grammar, one after the other.

    Args:
        chosen: The dialect that the page begins with: a name or a file.
    """

    def __init__(self, chosen: str = "v2") -> None:
        # A wrong grammar is reported when the command starts, not in the page.
        load_grammar(chosen)
        self._names = dialects()
        if chosen not in self._names:
            self._names = (chosen, *self._names)
        self._first = chosen
        self._opened: OrderedDict[tuple[str, str | None], Opened] = OrderedDict()
        # Compiling is not safe for concurrent threads, and would only compete for the processor.
        self._working = Lock()
        # Another process answers these, and may take long; several would compete with each other.
        self._apart = Lock()
        self._questions: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "setup": self._setup,
            "open": self._describe,
            "read": self._read,
            "write": self._write,
            "derive": self._derive,
            "languages": _list_languages,
            "recover": _recover,
        }

    def answer(self, name: str, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a question.

        An error in a grammar is an answer, too: an `error` with its message, and with line and
        column if they are known.

        Args:
            name: The name of the question.
            question: Its values.

        Raises:
            QuestionError: There is no such question, or a value is missing or wrong.
        """
        if name not in self._questions:
            raise QuestionError(f"there is no question {name!r}")
        with self._apart if name == "recover" else self._working:
            try:
                return self._questions[name](question)
            except (GrammarError, ExportError) as error:
                return {"error": _show_error(str(error))}

    def module(self, name: str) -> str | None:
        """Return the JavaScript of a parser that was opened lately."""
        # A copy: another thread may open a dialect meanwhile.
        for opened in list(self._opened.values()):
            if opened.name == name:
                return opened.module
        return None

    # ---- the questions

    def _setup(self, question: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "version": __version__,
            "dialects": self._names,
            "chosen": self._first,
            "seed": SEED,
        }

    def _describe(self, question: Mapping[str, Any]) -> dict[str, Any]:
        opened = self._open(question)
        dialect = opened.dialect
        marks = {}
        for name, mark in dialect.marks.items():
            # A mark that the dialect does not write cannot be edited.
            if UNSAID not in mark:
                marks[f"_{name.upper()}"] = mark
        return {
            "name": dialect.name,
            "grammar": dialect.files[0][1],
            "module": f"parsers/{opened.name}",
            "marks": marks,
            "samples": list_samples(dialect, opened.drawn),
            "kinds": list_kinds(dialect),
            "examples": list_examples(dialect),
        }

    def _read(self, question: Mapping[str, Any]) -> dict[str, Any]:
        opened = self._open(question)
        text = _text(question, "text")
        step = _number(question, "step", 1)
        return read(text, opened.processor, opened.dialect, step)

    def _write(self, question: Mapping[str, Any]) -> dict[str, Any]:
        opened = self._open(question)
        kinds = question.get("kinds")
        if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
            raise QuestionError("kinds: a list of texts is expected")
        name = question.get("sample")
        # Texts with custom sections are shown without mistakes: the fault model cannot write them.
        for number, text in enumerate(opened.drawn, 1):
            if name == name_drawn(number):
                return {"text": text, "made": {}}
        documents = {sample.name: sample.document for sample in SAMPLES}
        document = documents.get(str(name))
        if document is None:
            try:
                read_document = opened.processor.process(_text(question, "text")).document
            except ProtocolError as error:
                return {"error": {"message": f"{error}: there is nothing to write"}}
            if read_document.custom:
                return {
                    "error": {"message": "mistakes cannot be made in a text with custom sections"}
                }
            document = translate(read_document)
        # Each kind once, in the order of the question; unknown ones may be of an older page.
        chosen = list(filter(load_kinds().__contains__, dict.fromkeys(kinds)))
        seed = _number(question, "seed", 0)
        return write_damaged(document, opened.dialect, chosen, seed)

    def _derive(self, question: Mapping[str, Any]) -> dict[str, Any]:
        opened = self._open(question)
        marks = question.get("marks")
        if not isinstance(marks, dict) or not all(isinstance(mark, str) for mark in marks.values()):
            raise QuestionError("marks: texts by their names are expected")
        definitions = {}
        for name, mark in marks.items():
            if not _MARK.fullmatch(mark):
                return {
                    "error": {"message": f"{name}: a mark is 1 to 20 characters that can be seen"}
                }
            # As a string of a grammar.
            escaped = mark.replace("\\", "\\\\").replace('"', '\\"')
            definitions[name] = f'"{escaped}"'
        return {"grammar": derive(opened.dialect, definitions)}

    # ---- dialects

    def _open(self, question: Mapping[str, Any]) -> Opened:
        name = _text(question, "dialect")
        edited = question.get("grammar")
        if name not in self._names:
            raise QuestionError(f"there is no dialect {name!r}")
        if not isinstance(edited, str | None):
            raise QuestionError("grammar: a text is expected, or null")
        opened = self._opened.get((name, edited)) or _compile(load_grammar(name), edited)
        self._opened[name, edited] = opened
        self._opened.move_to_end((name, edited))
        if len(self._opened) > MOST_GRAMMARS:
            # The one that was not used for the longest time.
            self._opened.popitem(last=False)
        return opened


def _compile(dialect: WrittenDialect, edited: str | None) -> Opened:
    """Return a dialect ready to be read, with its grammar, or with another text in its place."""
    if edited is not None:
        if len(edited.encode("utf-8", "replace")) > MOST_BYTES:
            raise GrammarError(
                f"{_FOLDER / dialect.path.name}: the grammar is longer than {MOST_BYTES:,} bytes"
            )
        path = dialect.path
        # A grammar of the user may import files beside it, an edited built-in one may not.
        if path.parent == resources.find_folder("grammars"):
            path = _FOLDER / path.name
        dialect = WrittenDialect(path, edited, kept=False)
    try:
        processor = SymOpsProcessor(dialect)
        module = export("javascript", dialect, tolerant=True)["formats.js"]
    except (MemoryError, RecursionError) as error:
        raise GrammarError(f"{dialect.path}: the grammar is too large for this machine") from error
    # The browser caches modules by their address, so an edited one needs a new name.
    name = hashlib.sha256(module.encode()).hexdigest()[:20]
    return Opened(dialect, processor, f"{name}.js", module, draw_texts(dialect))


def _list_languages(question: Mapping[str, Any]) -> dict[str, Any]:
    return {"languages": list_languages()}


def _recover(question: Mapping[str, Any]) -> dict[str, Any]:
    grammar = _text(question, "grammar")
    mistakes = _text(question, "mistakes")
    return recover_apart(grammar, mistakes, _text(question, "text"))


def _show_error(message: str) -> dict[str, Any]:
    """Return an error of a grammar, with its place in the edited text if that is known."""
    message = message.replace(f"{_FOLDER}/", "")
    error: dict[str, Any] = {"message": message}
    place = re.match(r"[^\n]*?\.lark:(\d+):(\d+): ", message)
    if place:
        error["line"] = int(place[1])
        error["column"] = int(place[2])
    return error


def _text(question: Mapping[str, Any], name: str) -> str:
    value = question.get(name)
    if not isinstance(value, str):
        raise QuestionError(f"{name}: a text is expected")
    return value


def _number(question: Mapping[str, Any], name: str, least: int) -> int:
    value = question.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= 1_000_000:
        raise QuestionError(f"{name}: a whole number from {least} is expected")
    return value
