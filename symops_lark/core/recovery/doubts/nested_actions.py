"""Mark actions that may be inside the content of another action, and contents that end too early.

A content that holds complete actions ends, for every reader, at the first of their closing
delimiters. It shows in the lines around the closers:

    find_nested       sections of which the closer of an outer content is left over
    find_text_behind  a line after a closer that looks like another closer

`find_doubts` finds these, text right below commands (`below_commands`), and all other doubts about
the actions of a text that does not parse.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...discourse.nesting import find_nests, line_start
from ...document import Action, Completeness, CustomSection, Document
from ...grammar.codes import NESTED_SECTION, TEXT_BEHIND_CLOSER
from ...grammar.dialect import Dialect
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Span
from .below_commands import find_text_below
from .confidence import mark_suspect
from .left_edits import find_unread
from .swallowed import has_head_after_closer, mark_doubtful
from .unasked import find_unasked

_LONGER_FENCES = (
    "write a content with such lines between longer delimiters, in a dialect that has them (v2_1)"
)


def find_doubts(
    document: Document, text: str, dialect: Dialect
) -> tuple[Document, tuple[Diagnostic, ...]]:
    """Mark the doubtful actions of a document, and report those that no check of it reports.

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.

    Returns:
        The document with these actions suspect, and the diagnostics.
    """
    document = mark_doubtful(document, dialect)
    nested, outer = find_nested(document, text, dialect)
    behind_closers = find_text_behind(document, text, dialect)
    below = find_text_below(document, text, dialect)
    findings = (*nested, *behind_closers, *below, *find_unasked(document, text))
    unread = find_unread(document, text)
    starts = outer | {finding.span.start for finding in findings}
    return mark_suspect(document, starts), (*findings, *unread)


def find_nested(
    document: Document, text: str, dialect: Dialect
) -> tuple[list[Diagnostic], set[int]]:
    """Return the sections that may be part of the content of another section.

    was           becomes       line
    unterminated  unterminated  ::create @guide.md
    -             -             <<<
    complete      suspect       ::create @a.py
    -             -             <<<
    -             -             1
    -             -             >>>
    -             -             >>>

    was           becomes       line
    unterminated  unterminated  ::create @guide.md
    -             -             <<<
    -             -             1
    complete      complete      ::create @a.py
    -             -             <<<
    -             -             1
    -             -             >>>

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.

    Returns:
        A diagnostic for each such section, and the offsets at which the outer sections begin.
    """
    by_line = {}
    for section in document.sections:
        if isinstance(section, Action | CustomSection):
            start = line_start(text, section.span.start)
            by_line[start] = section
    findings = []
    outer_starts = set()
    for nest in find_nests(document, text, dialect):
        outer = by_line[nest.outer]
        outer_starts.add(outer.span.start)
        name = outer.path if isinstance(outer, Action) else outer.name
        place = f"{name} (line {outer.span.line})"
        message = f"this may be part of the content of {place}, which shows sections"
        for start in nest.inner:
            span = by_line[start].span
            findings.append(_warn(NESTED_SECTION, message, span))
    return findings, outer_starts


def find_text_behind(document: Document, text: str, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each action whose closer may be a line of its content.

    The line after such a closer looks like a line of the content, too.

    was       becomes   line
    complete  suspect   ::create @session.txt
    -         -         <<<
    -         -         >>> f(1)
    -         -         >>>
    -         -         >>>

    was       becomes   line
    complete  complete  ::create @session.txt
    -         -         <<<
    -         -         f(1)
    -         -         >>>
    -         -         >>>

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.
    """
    mark = dialect.marks["close"]
    # Of a mark of one character, such as `>>>`, two are a mark of contents, such as `>> f(1)`.
    sign = mark[:2] if len(set(mark)) == 1 else mark
    for action in document.actions:
        if action.content is None or action.completeness is not Completeness.COMPLETE:
            continue
        following = _line_after(text, action.span.end)
        if not following.startswith(mark):
            continue
        if following in dialect.closers:
            # A closer that is written twice is harmless, unless contents have such lines.
            is_doubtful = _has_line_like_closer(action.content, sign, dialect)
        elif has_head_after_closer(following, dialect):
            is_doubtful = False
        else:
            # Further signs are a misspelled closer, words are content.
            is_doubtful = any(map(str.isalnum, following[len(mark) :]))
        if is_doubtful:
            place = f"the closing delimiter of {action.path}"
            message = f"lines right after {place} may be part of its content"
            yield _warn(TEXT_BEHIND_CLOSER, message, action.span)


def _warn(code: str, message: str, span: Span) -> Diagnostic:
    return Diagnostic(code, message, span, Severity.WARNING, hint=_LONGER_FENCES)


def _line_after(text: str, at: int) -> str:
    """Return the line after an offset, without blanks around it.

    It is empty if there is no such line, or if text follows on the line of the offset.
    """
    start = text.find("\n", at) + 1
    is_last = start == 0
    if is_last or text[at:start].strip():
        return ""
    end = text.find("\n", start)
    if end < 0:
        end = len(text)
    return text[start:end].strip()


def _has_line_like_closer(content: str, sign: str, dialect: Dialect) -> bool:
    """Return whether a line of a content begins like a closer, and is not one."""
    if sign not in content:
        return False
    for line in content.split("\n"):
        bare = line.strip()
        if bare.startswith(sign) and bare not in dialect.closers:
            return True
    return False
