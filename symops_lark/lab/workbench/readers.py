"""Grammars as readers of texts: dialects and other grammars in one form, for comparisons."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...core.document import Document
from ...core.grammar import codes
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import Source
from . import read_strictly
from .plain import PlainGrammar, find_start
from .sample import draw_plain, sample_texts


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The tree of a text of a grammar that is not a dialect, as Lark prints it."""

    tree: str


Reading = Document | ParsedText | Diagnostic


class Reader(Protocol):
    """A grammar that reads texts."""

    @property
    def marks(self) -> Sequence[str]:
        """Texts that have a meaning in the grammar."""

    def read(self, text: str) -> Reading:
        """Return the document or the tree of a text, or the first diagnostic of its refusal."""

    def sample(self, n: int, seed: int | str) -> list[str]:
        """Return valid texts."""

    def find_terminal(self, text: str, offset: int) -> str:
        """Return the terminal of a valid text that has the character at an offset."""

    def find_line_kind(self, line: str) -> str:
        """Return the kind of a line; empty if the grammar has no kinds of lines."""


def find_reader(dialect: WrittenDialect, start: str = "") -> Reader:
    """Return the reader of a grammar.

    Args:
        dialect: The grammar as it is written.
        start: The start rule of a grammar that is not a dialect; empty: the usual one.
    """
    start = find_start(dialect, start)
    if start:
        return PlainReader(PlainGrammar(dialect, start))
    return DialectReader(dialect)


class DialectReader:
    """A dialect: its strict parser."""

    def __init__(self, dialect: WrittenDialect) -> None:
        self.dialect = dialect

    @property
    def marks(self) -> Sequence[str]:
        """The marks of the dialect."""
        return list(self.dialect.marks.values())

    def read(self, text: str) -> Reading:
        """Return the document of a text, or the first diagnostic of its refusal."""
        return read_strictly(text, self.dialect)

    def sample(self, n: int, seed: int | str) -> list[str]:
        """Return valid replies."""
        return sample_texts(self.dialect, n, seed)

    def find_terminal(self, text: str, offset: int) -> str:
        """Return the terminal of a valid text that has the character at an offset."""
        # The strict parser adds a missing line end, too.
        body = text if text.endswith("\n") else text + "\n"
        tokens = self.dialect.parser.parse_interactive(body, start="document").iter_parse()
        return _find_terminal(tokens, offset)

    def find_line_kind(self, line: str) -> str:
        """Return the kind of a line."""
        match = self.dialect.line_pattern.fullmatch(line)
        return (match and match.lastgroup) or ""


class PlainReader:
    """A grammar with a start rule: Lark's parser."""

    def __init__(self, grammar: PlainGrammar) -> None:
        self.grammar = grammar

    @property
    def marks(self) -> Sequence[str]:
        """The strings of the grammar."""
        # A regular expression has no text that could be inserted.
        patterns = [terminal.pattern for terminal in self.grammar.parser.terminals]
        return [pattern.value for pattern in patterns if pattern.type == "str"]

    def read(self, text: str) -> Reading:
        """Return the tree of a text, or the reason why Lark refuses it."""
        from lark.exceptions import LarkError

        try:
            tree = self.grammar.parser.parse(text)
        # The last two are raised by Lark's `Indenter`.
        except (LarkError, AssertionError, IndexError) as error:
            return _explain_refusal(text, error)
        return ParsedText(tree.pretty() if hasattr(tree, "pretty") else str(tree))

    def sample(self, n: int, seed: int | str) -> list[str]:
        """Return texts that Lark parses."""
        return list(draw_plain(self.grammar, n, seed).texts)

    def find_terminal(self, text: str, offset: int) -> str:
        """Return the terminal of a valid text that has the character at an offset."""
        # Earley has no tokens before the end of the text.
        if self.grammar.parser.options.parser != "lalr":
            return ""
        return _find_terminal(self.grammar.parser.parse_interactive(text).iter_parse(), offset)

    def find_line_kind(self, line: str) -> str:
        """Return nothing: lines have no kinds."""
        return ""


def _find_terminal(tokens: Iterable[Any], offset: int) -> str:
    from lark.exceptions import LarkError

    name = ""
    # The lexer of a grammar may refuse a text that its patterns accept.
    with contextlib.suppress(LarkError):
        for token in tokens:
            if token.start_pos is None or token.start_pos > offset:
                break
            name = str(token.type)
    return name


def _explain_refusal(text: str, error: Exception) -> Diagnostic:
    place = getattr(error, "pos_in_stream", None)
    if not isinstance(place, int) or not 0 <= place <= len(text):
        place = len(text)
    excerpt = text[place : place + 20].split("\n", 1)[0]
    message = "the text ends too early, or its line does"
    if excerpt.strip():
        message = f"unexpected `{excerpt}`"
    return Diagnostic(codes.UNEXPECTED_TOKEN, message, Source(text).span(place, place))
