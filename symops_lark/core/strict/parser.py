"""Parse text strictly: return its document, or report where and why it is not valid.

Purpose
    The strict parser tolerates nothing and repairs nothing. Two changes are made before the grammar
    sees a text: a byte order mark at the beginning is dropped, and a line feed is added at the end
    if there is none.

Theory of operation
    Two readers of the same grammar share the work. `dialect.compiled` matches one complete section
    after another by patterns, which is fast. Where no pattern matches, or another terminal might,
    the LALR parser (`dialect.lalr`) reads from that section to the end, and its answer is final:

        sections    1     2     3      4      5 (invalid)
        patterns    ok    ok    stop
        LALR                    ok     ok     Unexpected, with an offset from the start of 3

Invariants
    1. All offsets are in the caller's text: `shift` is added to those of a part of it.
    2. Spans end before the last line ending, so that the added line feed is in none of them.
    3. Both readers build nodes by the same functions (`builder`).

Not here
    Messages for people are in `explain`, which is imported only for an invalid text. What each form
    means is in grammars/README.md.
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
    """Parse a text that is valid in one dialect.

    Args:
        text: The text, with line endings of any kind.
        format: The name of a dialect, the path of its grammar, or the dialect.
        name: The name of the text in messages.

    Returns:
        The document; its spans refer to `text`.

    Raises:
        ParseError: The text is not valid. The diagnostics give the place, what was expected, and
            the repair that would help.
        GrammarError: There is no such dialect.
    """
    dialect = load_dialect(format)
    try:
        return _read(text, dialect)
    except _Invalid as invalid:
        source = Source(text, name)
        # Imported here because valid text, the usual case, needs no explanation.
        from .explain import explain_error

        raise ParseError(
            [explain_error(invalid.error, source, invalid.shift, dialect)], source
        ) from None


def parse_valid(text: str, dialect: Dialect) -> Document | None:
    """Parse a text without an explanation of errors, which makes invalid text cheap.

    Args:
        text: The text, with line endings of any kind.
        dialect: The dialect.

    Returns:
        The document; None if the text is not valid.
    """
    ended = text if text.endswith("\n") else text + "\n"
    # Most invalid texts begin with a line of prose: the first token is enough to reject them.
    if not text.startswith(BOM) and not may_begin(dialect.lalr, ended, "document"):
        return None
    try:
        return _read(text, dialect)
    except _Invalid:
        return None


class _Invalid(Exception):
    """A text is not valid.

    Attributes:
        error: The error, with an offset in the part of the text that was read last.
        shift: The offset of that part in the caller's text.
    """

    def __init__(self, error: Unexpected, shift: int) -> None:
        super().__init__("invalid text")
        self.error = error
        self.shift = shift


def read_beginning(
    text: str, shift: int, dialect: Dialect, places: PlaceCounter
) -> tuple[list[Section], int]:
    """Read the sections at the beginning of a text that is still growing, by patterns only.

    Args:
        text: The text so far, which begins at a section.
        shift: Its offset in the text that `places` counts.
        dialect: A dialect without custom sections.
        places: Counts lines and columns.

    Returns:
        The complete sections, and the offset in `text` at which they end.
    """
    builder = _make_builder(text, shift, dialect, places)
    return dialect.compiled.read_sections(text, builder.makers, brief_makers(builder))


def read_end(text: str, shift: int, dialect: Dialect, places: PlaceCounter) -> list[Section] | None:
    """Read the sections of the last part of a text.

    Args:
        text: The part, which begins at a section.
        shift: Its offset in the text that `places` counts.
        dialect: A dialect without custom sections.
        places: Counts lines and columns.

    Returns:
        The sections; None if the part is not valid.
    """
    try:
        return _read_sections(text, shift, dialect, places, "")
    except _Invalid:
        return None


def _read(text: str, dialect: Dialect) -> Document:
    shift = 1 if text.startswith(BOM) else 0
    sections = _read_sections(text[shift:], shift, dialect, PlaceCounter(text), text)
    return read_marks(Document(tuple(sections), dialect.name))


def _read_sections(
    body: str, shift: int, dialect: Dialect, places: PlaceCounter, text: str
) -> list[Section]:
    """Return the sections of a part of a text that begins at an offset of it.

    Raises:
        _Invalid: The part is not valid.
    """
    if not body.endswith("\n"):
        body += "\n"
    # A large text makes many nodes and no cycles: collections in between would find nothing.
    with collector_paused(len(body)):
        # First, because it reports a grammar that does not compile with file and line.
        patterns = dialect.compiled
        builder = _make_builder(body, shift, dialect, places, text)
        sections, done = patterns.read_sections(body, builder.makers, brief_makers(builder))
        # The LALR parser would accept the empty text that is left: not to ask it saves time.
        if done == len(body):
            return sections
        body = body[done:]
        shift += done
        try:
            tree = dialect.lalr.parse(body, "document")
        except Unexpected as error:
            raise _Invalid(error, shift) from None
        builder = _make_builder(body, shift, dialect, places, text)
        return [*sections, *build(tree, builder.makers)]


def _make_builder(
    body: str, shift: int, dialect: Dialect, places: PlaceCounter, text: str = ""
) -> Builder:
    """Return the builder of nodes for a part of a text that begins at an offset of it."""

    def span(start: int, end: int) -> Span:
        # A node ends before the ending of its last line. This hides the line feed that was added.
        while end > start and body[end - 1] in "\r\n":
            end -= 1
        return place_later(start + shift, end + shift, places)

    def exact(start: int, end: int) -> Span:
        return place_later(start + shift, end + shift, places)

    return Builder(span, exact, dialect.marks, dialect.own, text)
