"""Decide which actions of a text later text does not change, and what to announce of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...discourse.marks import find_tokens
from ...discourse.tables import OPEN
from ...discourse.turns import match_thinking
from ...document import Action, Completeness, Document
from ...grammar.codes import NEAR_MARK, SHELL_FENCE
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Span
from ..doubts import DOUBTS

LINES_AFTER = 2  # lines with text after a section: they show that no mark of it follows


def is_same_file(first: Action, second: Action) -> bool:
    """Return whether two actions write the same text to a file.

    Args:
        first: An action.
        second: Another one.
    """
    is_written = first.type == second.type == "create"
    return is_written and first.content == second.content


def find_doubts(action: Action, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the doubts about an action that its section raises.

    Those that the text around it raises are judged apart: it may be known no more here.

    Args:
        action: The action.
        diagnostics: The findings in its text.
    """
    doubts = []
    for finding in diagnostics:
        is_doubt = finding.severity is Severity.WARNING and finding.span == action.span
        if is_doubt and finding.code not in DOUBTS:
            doubts.append(finding)
    return doubts


def is_thinking(text: str) -> bool:
    """Return whether a section of thinking that begins in a text has not ended in it.

    Args:
        text: The text.
    """
    tokens = find_tokens(text, ())
    closed = match_thinking(tokens).closed
    return any(token.kind == OPEN and token.start not in closed for token in tokens)


def needs_whole(document: Document) -> bool:
    """Return whether actions depend on the whole reply.

    The fence of a shell counts only if it is the only fence. A corrected mark counts only if that
    gives more actions.

    Args:
        document: The actions, with the findings about them.
    """
    codes = {finding.code for finding in document.diagnostics}
    return not codes.isdisjoint((SHELL_FENCE, NEAR_MARK))


def is_settled(action: Action, document: Document, text: str) -> bool:
    """Return whether further text does not change an action.

    Args:
        action: The action.
        document: The document that it is in.
        text: The text of the document.
    """
    if action.completeness is Completeness.TRUNCATED:
        return False
    end = action.span.end
    if document.actions[-1].span.start >= end:
        return True
    following = text[end:]
    if text[end - 1] != "\n":
        # What follows in its last line is not a line after it.
        _, _, following = following.partition("\n")
    lines = filter(str.strip, following.split("\n"))
    return len(list(lines)) >= LINES_AFTER


def pieces_of(content: str, place: Span, text: str) -> Iterator[tuple[str, Span]]:
    """Yield the lines of a content with their places.

    Each begins with the ending of the line before it. Lines that are written in another way in the
    text, as in JSON, have the place of the whole content.

    Args:
        content: The content.
        place: Its place in the text.
        text: The text.
    """
    lines = content.split("\n")
    source_text = text[place.start : place.end]
    source_lines = source_text.split("\n")
    # The end of a source may be a mark.
    del source_lines[len(lines) :]
    is_literal = _without_returns(source_lines) == _without_returns(lines)
    begin = place
    offset = place.start
    ending = ""
    for index, line in enumerate(lines):
        piece = ending + line
        ending = "\n"
        if not is_literal:
            yield piece, place
            continue
        size = len(line)
        stop = offset + size
        yield piece, replace(begin, end=stop)
        # The next piece begins where this line ends.
        column = size + 1
        if index == 0:
            column += place.column - 1
        number = place.line + index
        begin = Span(stop, stop, number, column)
        source_line = source_lines[index]
        offset += len(source_line) + 1


def _without_returns(lines: Sequence[str]) -> list[str]:
    """Return lines without the carriage returns that belong to their endings."""
    return [line.removesuffix("\r") for line in lines]
