"""Doubt a reply in a dialect that has sections of other formats beside its own.

A model that was taught a dialect may fall back on the calls that it was trained on. A reply is read
in one notation, so the actions of the other one are lost. Worse, a file that a call writes may show
our notation, and its lines would be read as actions:

    line                     read as        doubt
    ::run @ls                run ls
    <file path="guide.md">   left out       lost-action, up to the end of this file
    ::delete @a.py           delete a.py    nested-section, suspect
    </file>                  left out

The beginning of such a section may be damaged, so that only its end is known. Then all actions of
ours before it may be in it, up to the mark before them (`_find_left_ends`).

A call in a wrapper, such as a block quote, is not read. But it may hold lines of ours all the same:
so the text is searched once more without the signs of wrappers (`_unwrap`).

Not here: replies that are in another format as a whole (`core.other_formats`).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ..document import Action, Completeness, Document
from ..grammar.codes import LOST_ACTION, NESTED_SECTION
from ..patterns.regexes import compile_pattern
from ..recovery.doubts.confidence import in_order, mark_suspect
from ..recovery.doubts.left_edits import find_left_edits
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Source
from ..validator.commands import HERE_DOCUMENT_OPENER
from .documents import BY_NAME, file_sections, read_format
from .results import says_verb
from .sections import End, has_opener
from .tools import fold, load_tools

# The signs before `<file>` in "> <file>", "  - <file>", "**<file>" and "2. <file>", and a fence.
_WRAPPING = compile_pattern(r"[ \t>]*(?:`{3}|~{3})[^\n`]*$|(?:[ \t>*`-]|[0-9]{1,6}[.)][ \t])*")
_TAG = compile_pattern(r"(?m)^<[A-Za-z|｜][^<>\n]*>")
_MAX_SHOWN = 80  # characters of a mark in a message
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
    sections = [outer for outer, _ in outers]
    ends = list(_find_left_ends(plain, sections))
    unwrapped = _unwrap(plain)
    wrapped: list[tuple[Action, bool]] = []
    if unwrapped != plain:
        wrapped = list(_find_outer(unwrapped))
    paths = {action.path for action in document.actions}
    edits = list(find_left_edits(outside, paths))
    if not outers and not ends and not wrapped and not edits:
        return document
    ours = _Places(plain, document.actions)
    findings: list[Diagnostic] = []
    for outer, says_what in outers:
        # A fence or a diff may only show a file that an action writes. Edits are no samples, even
        # if they are doubted.
        is_sample = outer.confidence < BY_NAME and outer.type != "edit"
        is_shown = outer.path in paths or is_sample
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
    for left_end in ends:
        findings += ours.find_before(source, left_end)
    for outer, says_what in wrapped:
        if says_what:
            findings += ours.find_held(unwrapped, outer)
    findings += _leave_out_read(edits, findings)
    if not findings:
        return document
    held: set[int] = set()
    for finding in findings:
        if finding.code == NESTED_SECTION:
            held.add(finding.span.start)
    diagnostics = in_order(document.diagnostics, findings)
    document = mark_suspect(document, held)
    return replace(document, diagnostics=diagnostics)


def _leave_out_read(
    edits: Sequence[Diagnostic], findings: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Return the findings about edits without those of which a format has read a part."""
    ends = [0]
    starts = [0]
    for finding in sorted(findings, key=_start):
        starts.append(finding.span.start)
        ends.append(max(ends[-1], finding.span.end))
    left: list[Diagnostic] = []
    for edit in edits:
        # The last one that begins before the end of the edit.
        index = bisect_left(starts, edit.span.end) - 1
        if ends[max(index, 0)] <= edit.span.start:
            left.append(edit)
    return left


def _start(finding: Diagnostic) -> int:
    return finding.span.start


def _find_outer(text: str) -> Iterator[tuple[Action, bool]]:
    """Yield the actions of other formats, each with whether its section says what to do."""
    # Most broken replies have no mark of a format, and nothing more is done.
    visible = text.replace("\0", "")
    if has_opener(visible, file_sections()):
        for action in read_format(text).actions:
            yield action, says_verb(action, text)


class _LeftEnd(NamedTuple):
    """The end of a section of another format whose beginning could not be read.

    Attributes:
        since: The offset at which the section begins at the earliest.
        start: The offset at which the end begins.
        end: The offset at which it ends.
    """

    since: int
    start: int
    end: int


def _find_left_ends(text: str, outers: Sequence[Action]) -> Iterator[_LeftEnd]:
    """Yield the ends of sections that none of the sections that were read has.

    Args:
        text: The text; its lines end with line feeds only.
        outers: The actions of the other formats.
    """
    ends: list[_LeftEnd] = []
    for end in _all_ends():
        # Most replies have none of these texts.
        if not any(needed in text for needed in end.needed_texts):
            continue
        pattern = compile_pattern(end.pattern)
        for match in pattern.finditer(text):
            left_end = _LeftEnd(0, match.start(), match.end())
            ends.append(left_end)
    if not ends:
        return
    tags = [tag for tag in _TAG.finditer(text) if _opens_value(tag[0])]
    openers = [0, *(tag.end() for tag in tags)]
    outer_starts = [0]
    outer_ends = [0]
    for outer in outers:
        outer_starts.append(outer.span.start)
        outer_ends.append(outer.span.end)
    done = 0
    for left_end in sorted(ends, key=_place):
        place = left_end.start
        # Two formats may have the same end.
        if place < done:
            continue
        index = bisect_right(outer_starts, place) - 1
        outer_end = outer_ends[index]
        if outer_end <= place:
            index = bisect_right(openers, place) - 1
            opener = openers[index]
            since = max(done, outer_end, opener)
            yield left_end._replace(since=since)
        done = left_end.end


def _place(end: _LeftEnd) -> int:
    return end.start


@cache
def _all_ends() -> tuple[End, ...]:
    """Return the ends of all sections, each once."""
    ends: dict[End, None] = {}
    for section in file_sections():
        ends.update(dict.fromkeys(section.ends))
    return tuple(ends)


def _opens_value(tag: str) -> bool:
    """Return whether a tag may be before a value of a call."""
    if fold(tag.strip("<>")) in load_tools().parameters:
        return True
    return any(tag.startswith(mark) for mark in _opening_marks())


@cache
def _opening_marks() -> tuple[str, ...]:
    """Return the marks of all formats that begin like a tag."""
    marks: dict[str, None] = {}
    for section in file_sections():
        for mark in section.mark_texts:
            if mark.startswith("<") and not mark.startswith("</"):
                marks[mark.strip()] = None
    return tuple(marks)


class _Places:
    """The lines on which our actions begin.

    Args:
        text: The reply; its lines end with line feeds only.
        actions: The actions, in order.
    """

    def __init__(self, text: str, actions: Sequence[Action]) -> None:
        source = Source(text)
        self.actions = actions
        self.starts = [action.span.start for action in actions]
        self.lines: list[int] = []
        for start in self.starts:
            place = source.span(start, start)
            self.lines.append(place.line)

    def find_before(self, source: Source, end: _LeftEnd) -> Iterator[Diagnostic]:
        """Yield a doubt about each action that may be in a section of which only the end is left.

        Args:
            source: The reply.
            end: The end.
        """
        first = bisect_left(self.starts, end.since)
        last = bisect_left(self.starts, end.start)
        if first == last:
            return
        word = source.text[end.start : end.end].strip()
        for action in self.actions[first:last]:
            # The here-document of a command of ours, which another finding is about.
            for opener in HERE_DOCUMENT_OPENER.finditer(action.path):
                if opener["word"].strip("'\"") == word:
                    return
        span = source.span(end.start, end.end)
        shown = min(end.end, end.start + _MAX_SHOWN)
        mark = source.text[end.start : shown].strip()
        message = f"this ends a section of another format that has no beginning: {mark}"
        yield Diagnostic(LOST_ACTION, message, span, Severity.WARNING)
        message = f"this may be part of the content that ends in line {span.line}"
        for action in self.actions[first:last]:
            yield Diagnostic(NESTED_SECTION, message, action.span, Severity.WARNING)

    def find_held(self, text: str, outer: Action) -> Iterator[Diagnostic]:
        """Yield a doubt about each action that begins inside of one of another format.

        Args:
            text: The text that the other action was read from; its lines are those of the reply.
            outer: The other action.
        """
        span = outer.span
        last_line = span.line + text.count("\n", span.start, span.end)
        first = bisect_right(self.lines, span.line)
        # Without an end, it may hold all that follows.
        is_open = outer.completeness is Completeness.TRUNCATED
        last = len(self.lines)
        if not is_open:
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
