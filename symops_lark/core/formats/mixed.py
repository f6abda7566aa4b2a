"""Doubt a reply in a dialect that has sections of other formats beside its own.

A model that was taught a dialect may fall back on the calls that it was trained on. A reply is read
in one notation, so the actions of the other one are lost. Worse, a file that a call writes may show
our notation, and its lines would be read as actions:

    line                     read as        doubt
    ::run @ls                run ls
    <file path="guide.md">   left out       lost-action, up to the end of this file
    ::delete @a.py           delete a.py    nested-section, suspect
    </file>                  left out

A call in a wrapper, such as a block quote, is not read. But it may hold lines of ours all the same:
so the text is searched once more without the signs of wrappers (`_unwrap`).

Not here: replies that are in another format as a whole (`core.other_formats`).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..document import Action, Document
from ..grammar.codes import LOST_ACTION, NESTED_SECTION
from ..patterns.regexes import compile_pattern
from ..recovery.doubts.confidence import in_order, mark_suspect
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Source
from .documents import BY_NAME, file_sections, read_format
from .results import says_verb

# The signs before `<file>` in "> <file>", "  - <file>", "**<file>" and "2. <file>", and a fence.
_WRAPPING = compile_pattern(r"[ \t>]*(?:`{3}|~{3})[^\n`]*$|(?:[ \t>*`-]|[0-9]{1,6}[.)][ \t])*")
_EMPHASIS = "*` \t"  # the signs after it in "**<file>**"
_ESCAPED = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "\\_": "_", "\\*": "*"}


def doubt_mixed(outside: str, document: Document) -> Document:
    """Return a document of a dialect, with a doubt for each section of another format.

    Args:
        outside: The reply, with null characters in the place of its actions.
        document: Its document in a dialect.

    Returns:
        The document; actions that may be in a file of the other format are suspect.
    """
    source = Source(outside)
    # All lines end with line feeds, and offsets stay.
    plain = outside.replace("\r\n", " \n").replace("\r", "\n")
    outers = list(_find_outer(plain))
    unwrapped = _unwrap(plain)
    wrapped = list(_find_outer(unwrapped)) if unwrapped != plain else []
    if not outers and not wrapped:
        return document
    ours = _Places(plain, document.actions)
    paths = {action.path for action in document.actions}
    findings: list[Diagnostic] = []
    for outer, says_what in outers:
        # A fence or a diff may only show a file that an action writes.
        is_shown = outer.path in paths or outer.confidence < BY_NAME
        if is_shown and not says_what:
            continue
        end = outer.span.end
        section = plain[outer.span.start : end]
        # Blanks before JSON belong to its section.
        start = end - len(section.lstrip())
        span = source.span(start, end)
        message = f"the reply is in {document.dialect}, so this {outer.type} is left out"
        lost = Diagnostic(LOST_ACTION, message, span, Severity.WARNING)
        findings.append(lost)
        findings += ours.find_held(plain, outer)
    for outer, says_what in wrapped:
        if says_what:
            findings += ours.find_held(unwrapped, outer)
    if not findings:
        return document
    held: set[int] = set()
    for finding in findings:
        if finding.code == NESTED_SECTION:
            held.add(finding.span.start)
    diagnostics = in_order(document.diagnostics, findings)
    document = mark_suspect(document, held)
    return replace(document, diagnostics=diagnostics)


def _find_outer(text: str) -> Iterator[tuple[Action, bool]]:
    """Yield the actions of other formats, each with whether its section says what to do."""
    # Most broken replies have no mark of a format, and nothing more is done.
    visible = text.replace("\0", "")
    if any(section.may_begin_in(visible) for section in file_sections()):
        for action in read_format(text).actions:
            yield action, says_verb(action, text)


class _Places:
    """The lines on which our actions begin.

    Args:
        text: The reply; its lines end with line feeds only.
        actions: The actions, in order.
    """

    def __init__(self, text: str, actions: Sequence[Action]) -> None:
        source = Source(text)
        self.actions = actions
        self.lines: list[int] = []
        for action in actions:
            start = action.span.start
            place = source.span(start, start)
            self.lines.append(place.line)

    def find_held(self, text: str, outer: Action) -> Iterator[Diagnostic]:
        """Yield a doubt about each action that begins inside of one of another format.

        Args:
            text: The text that the other action was read from; its lines are those of the reply.
            outer: The other action.
        """
        span = outer.span
        last_line = span.line + text.count("\n", span.start, span.end)
        first = bisect_right(self.lines, span.line)
        last = bisect_left(self.lines, last_line)
        place = f"{outer.path} (line {span.line})"
        message = f"this may be part of the content of {place}"
        for action in self.actions[first:last]:
            yield Diagnostic(NESTED_SECTION, message, action.span, Severity.WARNING)


def _unwrap(text: str) -> str:
    """Return a text without the signs of quotations, lists, emphasis, fences and escapes."""
    text = unicodedata.normalize("NFKC", text)
    for escaped, sign in _ESCAPED.items():
        text = text.replace(escaped, sign)
    lines: list[str] = []
    for line in text.split("\n"):
        # Most lines are those of our actions.
        if line.startswith("\0"):
            lines.append(line)
            continue
        # The pattern matches at the beginning, if only nothing.
        bare = _WRAPPING.sub("", line, count=1)
        lines.append(bare.rstrip(_EMPHASIS))
    return "\n".join(lines)
