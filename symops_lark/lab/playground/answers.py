"""What the page may ask, and the answers: JSON objects in and out, free of HTTP.

Law: a question says all that its answer depends on, so questions of two pages do not touch each other. Only what was
compiled is kept, of the last few grammars.
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
from .samples import SAMPLES, SEED, draw_texts, list_examples, list_kinds, list_samples, name_drawn, write_damaged

MOST_GRAMMARS = 8  # that are kept compiled
_FOLDER = Path("<grammar>")  # of grammars that were edited in the page: there is no such folder
_MARK = re.compile(r"[^\x00-\x1f\x7f]{1,20}")


class QuestionError(SymOpsError):
    """The page, or whoever is in its place, asks what cannot be answered."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A dialect that is ready: its pipeline, and the module that reads it in JavaScript, with its name."""

    dialect: WrittenDialect
    processor: SymOpsProcessor
    name: str
    module: str
    drawn: tuple[str, ...]  # texts with custom sections


class Answers:
    """Answers questions, one after another; `chosen` is the dialect to begin with, a name or a file."""

    def __init__(self, chosen: str = "v2") -> None:
        load_grammar(chosen)  # what is wrong with it is said now
        self._names = (*([] if chosen in dialects() else [chosen]), *dialects())
        self._first = chosen
        self._opened: OrderedDict[tuple[str, str | None], Opened] = OrderedDict()
        self._working = Lock()
        self._asked: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "setup": self._setup,
            "open": self._tell,
            "read": self._read,
            "write": self._write,
            "derive": self._derive,
            "languages": _list_languages,
            "recover": _recover,
        }

    def answer(self, question: str, told: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer; raise `QuestionError` if there is no such question, or something is missing in it.

        What is wrong in a grammar is an answer: an `error` with its message, and line and column where they are known.
        """
        if question not in self._asked:
            raise QuestionError(f"there is no question {question!r}")
        with self._working:
            try:
                return self._asked[question](told)
            except (GrammarError, ExportError) as error:
                return {"error": _show_error(str(error))}

    def module(self, name: str) -> str | None:
        """Return the JavaScript of a parser that was opened lately."""
        return next((opened.module for opened in [*self._opened.values()] if opened.name == name), None)

    # ---- the questions

    def _setup(self, told: Mapping[str, Any]) -> dict[str, Any]:
        return {"version": __version__, "dialects": self._names, "chosen": self._first, "seed": SEED}

    def _tell(self, told: Mapping[str, Any]) -> dict[str, Any]:
        opened = self._open(told)
        dialect = opened.dialect
        return {
            "name": dialect.name,
            "grammar": dialect.files[0][1],
            "module": f"parsers/{opened.name}",
            "marks": {f"_{name.upper()}": mark for name, mark in dialect.marks.items() if UNSAID not in mark},
            "samples": list_samples(dialect, opened.drawn),
            "kinds": list_kinds(dialect),
            "examples": list_examples(dialect),
        }

    def _read(self, told: Mapping[str, Any]) -> dict[str, Any]:
        opened = self._open(told)
        return read(_text(told, "text"), opened.processor, opened.dialect, _number(told, "step", 1))

    def _write(self, told: Mapping[str, Any]) -> dict[str, Any]:
        opened = self._open(told)
        kinds, known = told.get("kinds"), load_kinds()
        if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
            raise QuestionError("kinds: a list of texts is expected")
        for number, text in enumerate(opened.drawn, 1):
            if told.get("sample") == name_drawn(number):
                return {"text": text, "made": {}}
        document = next((sample.document for sample in SAMPLES if sample.name == told.get("sample")), None)
        if document is None:
            try:
                read_document = opened.processor.process(_text(told, "text")).document
            except ProtocolError as error:
                return {"error": {"message": f"{error}: there is nothing to write"}}
            if read_document.custom:
                return {"error": {"message": "mistakes cannot be made in a text with custom sections"}}
            document = translate(read_document)
        chosen = dict.fromkeys(kind for kind in kinds if kind in known)
        return write_damaged(document, opened.dialect, tuple(chosen), _number(told, "seed", 0))

    def _derive(self, told: Mapping[str, Any]) -> dict[str, Any]:
        opened, marks = self._open(told), told.get("marks")
        if not isinstance(marks, dict) or not all(isinstance(mark, str) for mark in marks.values()):
            raise QuestionError("marks: texts by their names are expected")
        definitions = {}
        for name, mark in marks.items():
            if not _MARK.fullmatch(mark):
                return {"error": {"message": f"{name}: a mark is 1 to 20 characters that can be seen"}}
            definitions[name] = '"' + mark.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return {"grammar": derive(opened.dialect, definitions)}

    # ---- dialects

    def _open(self, told: Mapping[str, Any]) -> Opened:
        name, edited = _text(told, "dialect"), told.get("grammar")
        if name not in self._names:
            raise QuestionError(f"there is no dialect {name!r}")
        if not isinstance(edited, str | None):
            raise QuestionError("grammar: a text is expected, or null")
        opened = self._opened.get((name, edited)) or _compile(load_grammar(name), edited)
        self._opened[name, edited] = opened
        self._opened.move_to_end((name, edited))
        if len(self._opened) > MOST_GRAMMARS:
            self._opened.popitem(last=False)
        return opened


def _compile(dialect: WrittenDialect, edited: str | None) -> Opened:
    """Return a dialect ready to be read, with its grammar, or with another text in its place."""
    if edited is not None:
        if len(edited.encode("utf-8", "replace")) > MOST_BYTES:
            raise GrammarError(f"{_FOLDER / dialect.path.name}: the grammar is longer than {MOST_BYTES:,} bytes")
        installed = dialect.path.parent == resources.find_folder("grammars")
        dialect = WrittenDialect(_FOLDER / dialect.path.name if installed else dialect.path, edited, kept=False)
    try:
        processor = SymOpsProcessor(dialect)
        module = export("javascript", dialect, tolerant=True)["formats.js"]
    except (MemoryError, RecursionError) as error:
        raise GrammarError(f"{dialect.path}: the grammar is too large for this machine") from error
    name = hashlib.sha256(module.encode()).hexdigest()[:20]
    return Opened(dialect, processor, f"{name}.js", module, draw_texts(dialect))


def _list_languages(told: Mapping[str, Any]) -> dict[str, Any]:
    return {"languages": list_languages()}


def _recover(told: Mapping[str, Any]) -> dict[str, Any]:
    grammar = _text(told, "grammar")
    mistakes = _text(told, "mistakes")
    return recover_apart(grammar, mistakes, _text(told, "text"))


def _show_error(message: str) -> dict[str, Any]:
    """Return what is wrong in a grammar, and where: in the edited text, if its place there is known."""
    shown = message.replace(f"{_FOLDER}/", "")
    place = re.match(r"[^\n]*?\.lark:(\d+):(\d+): ", shown)
    found = {"line": int(place[1]), "column": int(place[2])} if place else {}
    return {"message": shown, **found}


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    if not isinstance(value, str):
        raise QuestionError(f"{name}: a text is expected")
    return value


def _number(told: Mapping[str, Any], name: str, least: int) -> int:
    value = told.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= 1_000_000:
        raise QuestionError(f"{name}: a whole number from {least} is expected")
    return value
