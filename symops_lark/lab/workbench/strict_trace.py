"""The steps of the strict parser for a text: its tokens, and the tree or the place where it stops.

This module decides nothing: the tokens and the tree are those of the dialect's LALR parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.compiling.lark_insides import read_tokens
from ...core.ground.errors import GrammarError
from ...core.ground.json_objects import write_object
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import BOM, Source, Span
from . import read_strictly


@dataclass(frozen=True, slots=True)
class TracedToken:
    """One token: its terminal, its text and its place."""

    terminal: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class TracedNode:
    """One rule of the parse tree, with the rules and tokens below it.

    Rules and terminals whose names begin with `_` are left out.
    """

    rule: str
    children: tuple[TracedNode | TracedToken, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """The place where the strict parser stopped.

    Attributes:
        span: The place.
        found: The remaining text of the line.
        expected: The terminals that the parser would have accepted.
        diagnostic: The diagnostic of `parse` for the same text, which names marks.
    """

    span: Span
    found: str
    expected: tuple[str, ...]
    diagnostic: Diagnostic | None


@dataclass(frozen=True, slots=True)
class StrictTrace:
    """The tokens, and either the tree or the place where the parser stopped."""

    tokens: tuple[TracedToken, ...]
    tree: TracedNode | None
    stop: Stop | None

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as a JSON object."""
        return {"parsed": self.tree is not None, **write_object(self)}


def trace_strict(text: str, dialect: WrittenDialect) -> StrictTrace:
    """Read a text with the LALR parser, token by token.

    Raises:
        GrammarError: The grammar cannot be compiled, or has no rule `document`.
    """
    from lark import UnexpectedInput

    if "document" not in dialect.starts:
        raise GrammarError(
            f"{dialect.path}: no rule is called `document`: define what a text is read as"
        )
    source = Source(text)
    # As `parse` does: without the byte order mark, and with a line end after the last line.
    shift = int(text.startswith(BOM))
    body = text[shift:]
    if not text.endswith("\n"):
        body += "\n"
    parser = dialect.parser.parse_interactive(body, start="document")
    accepted: list[Any] = []
    tree = None
    stop = None
    try:
        for token in read_tokens(parser):
            parser.feed_token(token)
            accepted.append(token)
        tree = _node(parser.feed_eof(accepted[-1] if accepted else None), source, shift)
    except UnexpectedInput:
        start = accepted[-1].end_pos if accepted else 0
        remaining = body[start:].split("\n")[0]
        place = source.span(start + shift, start + shift + len(remaining))
        reading = read_strictly(text, dialect)
        diagnostic = reading if isinstance(reading, Diagnostic) else None
        stop = Stop(place, remaining, _expected(dialect, body, accepted), diagnostic)
    tokens = [_token(token, source, shift) for token in accepted]
    return StrictTrace(tuple(tokens), tree, stop)


def _expected(dialect: WrittenDialect, body: str, tokens: list[Any]) -> tuple[str, ...]:
    """Return the terminals that the parser accepts after some tokens."""
    # A new parser: the failed token has already reduced rules in the other one.
    parser = dialect.parser.parse_interactive(body, start="document")
    for token in tokens:
        parser.feed_token(token)
    # Lark's name of the end is not a terminal of the grammar.
    names = set(parser.accepts())
    if "$END" in names:
        names ^= {"$END", "the end"}
    return tuple(sorted(names))


def _token(token: Any, source: Source, shift: int) -> TracedToken:
    # Without the line end that may have been added.
    end = min(token.end_pos + shift, len(source.text))
    return TracedToken(token.type, str(token), source.span(token.start_pos + shift, end))


def _node(tree: Any, source: Source, shift: int) -> TracedNode:
    children = []
    for child in tree.children:
        convert = _node if hasattr(child, "data") else _token
        children.append(convert(child, source, shift))
    return TracedNode(str(tree.data), tuple(children))
