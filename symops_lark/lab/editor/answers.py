"""Write answers in the words of the Language Server Protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from lsprotocol import types
from pygls import uris

from ...core.text.diagnostics import Severity
from .completion import Proposal
from .definitions import Target
from .diagnostics import Problem
from .edited_file import EditedFile
from .hover import Hover
from .names import read_text
from .positions import Positions
from .vocabulary import BLANKS

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_BLANK = re.compile(rf"\b(?:{'|'.join(BLANKS)})\b")
_SIGNS = re.compile(r"[\\$}]")  # have a meaning in a snippet


class Place(NamedTuple):
    """A place in a file.

    Attributes:
        file: The file.
        positions: The lines of the file.
        offset: The offset of the place.
    """

    file: EditedFile
    positions: Positions
    offset: int


def to_range(positions: Positions, start: int, end: int) -> types.Range:
    """Return the range between two offsets.

    Args:
        positions: The lines of the text.
        start: The first offset.
        end: The second offset.
    """
    first = types.Position(*positions.to_position(start))
    return types.Range(first, types.Position(*positions.to_position(end)))


def write_diagnostics(
    file: EditedFile, problems: Iterable[Problem], encoding: str
) -> list[types.Diagnostic]:
    """Return problems of a file as diagnostics.

    Args:
        file: The file.
        problems: The problems.
        encoding: The encoding whose code units positions count.
    """
    positions = Positions(file.text, encoding)
    diagnostics = []
    for problem in problems:
        diagnostic = types.Diagnostic(
            to_range(positions, problem.start, problem.end),
            problem.message,
            severity=_SEVERITIES[problem.severity],
            code=problem.code or None,
            source="symops",
        )
        # Editors show the place in the other file as a link below the message.
        if problem.elsewhere is not None:
            path, line, column = problem.elsewhere
            there = Positions(read_text(path), encoding)
            start = there.find_offset(line, column)
            place = types.Location(from_path(str(path)), to_range(there, start, start))
            link = types.DiagnosticRelatedInformation(place, problem.message)
            diagnostic.related_information = [link]
        diagnostics.append(diagnostic)
    return diagnostics


def write_hover(place: Place, hover: Hover) -> types.Hover:
    """Return a description of what is at a place."""
    content = types.MarkupContent(types.MarkupKind.Markdown, hover.markdown)
    return types.Hover(content, to_range(place.positions, hover.start, hover.end))


def write_proposal(place: Place, proposal: Proposal, has_snippets: bool) -> types.CompletionItem:
    """Return a proposal.

    Args:
        place: The place of the cursor.
        proposal: The proposal.
        has_snippets: Whether the editor lets the user fill in the words of a form.
    """
    # Without snippets the words stay in the text, and the user replaces them by hand.
    is_snippet = proposal.is_form and has_snippets
    text = write_snippet(proposal.text) if is_snippet else proposal.text
    kind = types.CompletionItemKind.Snippet if is_snippet else types.CompletionItemKind.Text
    format = types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText
    return types.CompletionItem(
        proposal.label,
        kind=kind,
        documentation=proposal.description or None,
        # Editors compare this with the text that is replaced, which begins with the marks.
        filter_text=proposal.text.partition("\n")[0],
        insert_text_format=format,
        text_edit=types.TextEdit(to_range(place.positions, proposal.start, place.offset), text),
    )


def write_snippet(text: str) -> str:
    """Return a form as a snippet: the words to fill in are its stops, in their order."""
    # Marks of dialects may have a meaning in snippets: the action mark of v1 is a dollar sign.
    parts = []
    before = 0
    for number, match in enumerate(_BLANK.finditer(text), 1):
        parts.append(_SIGNS.sub(r"\\\g<0>", text[before : match.start()]))
        parts.append(f"${{{number}:{match[0]}}}")
        before = match.end()
    parts.append(_SIGNS.sub(r"\\\g<0>", text[before:]))
    return "".join(parts)


def write_location(target: Target, encoding: str) -> types.Location:
    """Return a part of a file as a place to go to.

    Args:
        target: The part.
        encoding: The encoding whose code units positions count.
    """
    place = to_range(Positions(target.text, encoding), target.start, target.end)
    return types.Location(from_path(str(target.path)), place)


def from_path(path: str) -> str:
    """Return the address of a file; of a text without a file, its name."""
    # The name of such a text is its address, such as `untitled:1`.
    if re.match(r"[a-z][a-z0-9+.-]+:", path):
        return path
    return uris.from_fs_path(path) or path
