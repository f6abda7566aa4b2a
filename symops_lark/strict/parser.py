"""The strict parser: yes or no, and where. It tolerates nothing and repairs nothing.

Two things are done to a text before the grammar sees it: a byte order mark at its beginning is dropped, and a
newline is added at its end if there is none.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..document import Document
from ..errors import ParseError
from ..grammar.dialect import Dialect, load_dialect
from ..source import BOM, Source, Span

if TYPE_CHECKING:
    pass
from ..collector import collector_paused
from .explain import explain_error


def parse(text: str, format: str | Path | Dialect = "v2", *, name: str = "<reply>") -> Document:
    """Parse a text strictly in one dialect and give its document.

    Raises `ParseError`, whose diagnostics say where, what was expected and which repair would help, and
    `GrammarError` if there is no such dialect. Source: formats.md, "v1" and "v2".
    """
    from lark import UnexpectedInput

    from .builder import Builder, build

    dialect = load_dialect(format)
    source = Source(text, name)
    shift = 1 if text.startswith(BOM) else 0
    body = text[shift:]
    if not body.endswith("\n"):
        body += "\n"

    def span(start: int, end: int) -> Span:
        # A node ends before the ending of its last line, which also hides the newline that we may have added.
        while end > start and body[end - 1] in "\r\n":
            end -= 1
        return exact(start, end)

    def exact(start: int, end: int) -> Span:
        return source.span(start + shift, end + shift)

    with collector_paused(len(body)):
        sections, done = dialect.compiled.read_sections(body, Builder(span, exact, dialect.marks).makers)
        if done == len(body):
            return Document(tuple(sections), dialect.name)
        shift += done
        body = body[done:]
        try:
            tree = dialect.parser.parse(body, start="document")
        except UnexpectedInput as error:
            raise ParseError([explain_error(error, source, shift, dialect)], source) from None
        return Document((*sections, *build(tree, span, exact, dialect.marks)), dialect.name)
