"""The strict parser: yes or no, and where. It tolerates nothing and repairs nothing.

Two things are done to a text before the grammar sees it: a byte order mark at its beginning is dropped, and a
newline is added at its end if there is none.
"""

from __future__ import annotations

from pathlib import Path

from ..document import Document, Section
from ..grammar.dialect import Dialect
from ..grammar.lalr import Unexpected, may_begin
from ..grammar.loading import load_dialect
from ..ground.collector import collector_paused
from ..text.diagnostics import ParseError
from ..text.source import BOM, PlaceCounter, Source, Span, place_later
from ..unfinished import read_marks
from .builder import Builder, brief_makers, build


def parse(text: str, format: str | Path | Dialect, *, name: str = "<reply>") -> Document:
    """Return the document of a text that is valid in one dialect.

    Raises `ParseError`, whose diagnostics say where, what was expected and which repair would help, and
    `GrammarError` if there is no such dialect. Source: grammars/README.md.
    """
    dialect = load_dialect(format)
    try:
        return _read(text, dialect)
    except _Invalid as invalid:
        source = Source(text, name)
        from .explain import explain_error

        raise ParseError([explain_error(invalid.error, source, invalid.shift, dialect)], source) from None


def parse_valid(text: str, dialect: Dialect) -> Document | None:
    """Return the document of a text that is valid in a dialect, else None: nobody is told why."""
    ended = text if text.endswith("\n") else text + "\n"
    if not text.startswith(BOM) and not may_begin(dialect.lalr, ended, "document"):
        return None
    try:
        return _read(text, dialect)
    except _Invalid:
        return None


class _Invalid(Exception):
    """A text is not valid: `error` is where it is read from the offset `shift`."""

    def __init__(self, error: Unexpected, shift: int) -> None:
        super().__init__("invalid text")
        self.error = error
        self.shift = shift


def read_beginning(text: str, shift: int, dialect: Dialect, places: PlaceCounter) -> tuple[list[Section], int]:
    """Return the sections at the beginning of a text, as far as patterns can tell, and where they end.

    `shift` is where it begins among the `places`; the dialect has no sections of its own.
    """
    builder = _make_builder(text, shift, dialect, places)
    return dialect.compiled.read_sections(text, builder.makers, brief_makers(builder))


def read_end(text: str, shift: int, dialect: Dialect, places: PlaceCounter) -> list[Section] | None:
    """Return the sections of a text up to its end; None if it is not valid."""
    try:
        return _read_sections(text, shift, dialect, places, "")
    except _Invalid:
        return None


def _read(text: str, dialect: Dialect) -> Document:
    shift = 1 if text.startswith(BOM) else 0
    sections = _read_sections(text[shift:], shift, dialect, PlaceCounter(text), text)
    return read_marks(Document(tuple(sections), dialect.name))


def _read_sections(body: str, shift: int, dialect: Dialect, places: PlaceCounter, text: str) -> list[Section]:
    if not body.endswith("\n"):
        body += "\n"
    with collector_paused(len(body)):
        patterns = dialect.compiled  # first: a grammar that does not compile is told with file and line
        builder = _make_builder(body, shift, dialect, places, text)
        sections, done = patterns.read_sections(body, builder.makers, brief_makers(builder))
        if done == len(body):
            return sections
        body, shift = body[done:], shift + done
        try:
            tree = dialect.lalr.parse(body, "document")
        except Unexpected as error:
            raise _Invalid(error, shift) from None
        builder = _make_builder(body, shift, dialect, places, text)
        return [*sections, *build(tree, builder.makers)]


def _make_builder(body: str, shift: int, dialect: Dialect, places: PlaceCounter, text: str = "") -> Builder:
    """Return what makes the nodes of a text that begins at an offset of the caller's."""

    def span(start: int, end: int) -> Span:
        # A node ends before the ending of its last line, which also hides the newline that we may have added.
        while end > start and body[end - 1] in "\r\n":
            end -= 1
        return place_later(start + shift, end + shift, places)

    def exact(start: int, end: int) -> Span:
        return place_later(start + shift, end + shift, places)

    return Builder(span, exact, dialect.marks, dialect.own, text)
