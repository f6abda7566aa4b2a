"""Use a format where the pipeline uses a dialect: process, parse, recover and convert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ..document import Action, Completeness, Document, Skipped
from ..grammar.codes import (
    BROKEN_SECTION,
    DRAFT_ACTION,
    EARLY_CLOSE,
    LOST_ACTION,
    LOST_TEXT,
    MISSING_ARGUMENT,
    NO_CLOSING_MARK,
    NO_FILE_NAMED,
    NOT_IN_FORMAT,
    PARTIAL_WRITE,
    UNKNOWN_TOOL,
)
from ..grammar.format_messages import MESSAGES
from ..grammar.loading import find_verbs
from ..ground.numbers import counted, rounded
from ..recovery.doubts.confidence import LOST, in_order
from ..rendering.converter import Converted
from ..result import Phase, ProtocolError, Result, TraceStep
from ..text.diagnostics import Diagnostic, ParseError, Severity
from ..text.source import Source
from ..validator import examine, find_signs
from .documents import BY_VERB, DOUBTED, NAMED_BY_CALLER, file_sections, read_files, read_format
from .loading import Format
from .sections import Section, has_opener
from .writer import write_format

# Patches alone, which a reply may only show.
_SHOWN = ("apply_patch", "unified_diff")
_LONGEST_OPENER = 2_000  # characters
# Findings about sections that are not actions.
_LEFT_OUT = (BROKEN_SECTION, MISSING_ARGUMENT, PARTIAL_WRITE, UNKNOWN_TOOL)
_IN_PART = (*_LEFT_OUT, NO_FILE_NAMED)


def read_named(text: str, format: Format) -> Result:
    """Read a reply in the format that the caller named.

    Args:
        text: The reply.
        format: The format.

    Raises:
        ProtocolError: There is no section of the format.
    """
    result = read_result(text, format)
    if result is None:
        message = f"no section of the format {format.name} was found in the reply"
        document = read_format(text, format)
        # Why there is none: a mark is broken, or a call changes only a part of a file.
        raise ProtocolError(message, document, document.diagnostics)
    return result


def read_result(text: str, format: Format | None, trace: Sequence[TraceStep] = ()) -> Result | None:
    """Read a reply in the formats of other agents into a result.

    Args:
        text: The reply.
        format: The format that the caller named; None: all installed formats.
        trace: The steps before.

    Returns:
        The result; None if there is no action. Its phase is `strict` if the caller named the format
        and the whole reply was read without a doubt, else `recovered`.
    """
    return make_result(read_format(text, format), text, trace)


def make_result(document: Document, text: str, trace: Sequence[TraceStep] = ()) -> Result | None:
    """Return the result of a reply in the formats of other agents; None if there is no action.

    Args:
        document: What was read.
        text: The reply.
        trace: The steps before.
    """
    if not document.actions:
        return None
    verbs = find_verbs(document.dialect)
    # The checks of contents and commands hold for all formats.
    document, checked = examine(document, verbs, find_signs(document, verbs))
    # The validator would guess why an action is suspect; the reader knows it.
    guesses = (DRAFT_ACTION, EARLY_CLOSE)
    reported = tuple(finding for finding in checked if finding.code not in guesses)
    diagnostics = in_order(document.diagnostics, reported)
    confidence = min(action.confidence for action in document.actions)
    lost_count = sum(finding.code == LOST_ACTION for finding in diagnostics)
    confidence = rounded(confidence * LOST**lost_count)
    # Only a format that the caller named is certain.
    is_strict = confidence == NAMED_BY_CALLER and not diagnostics
    phase = Phase.RECOVERED
    if is_strict:
        phase = Phase.STRICT
    count = len(document.actions)
    outcome = f"{counted(count, 'action')} in the format {document.dialect}"
    steps = (*trace, TraceStep(str(phase), outcome, text, True))
    document = replace(document, diagnostics=diagnostics)
    return Result(phase, document, confidence, diagnostics, (), steps, text)


def break_off(document: Document, text: str) -> Document:
    """Mark the last action of a truncated reply, unless a mark follows its last value.

    Args:
        document: What was read.
        text: The reply.

    Returns:
        The document. The action is `truncated`, and a finding says so.
    """
    if not document.actions:
        return document
    *sections, last = document.sections
    if not isinstance(last, Action) or last.completeness is Completeness.TRUNCATED:
        return document
    value = (last.path if last.content is None else last.content).rstrip()
    written = text[last.span.start : last.span.end]
    # An empty file was closed, or the reading has found that it breaks off. A text that is written
    # in another form, as in JSON, has a mark after it.
    if not value or not written.rstrip().endswith(value):
        return document
    cut = replace(
        last, completeness=Completeness.TRUNCATED, confidence=min(last.confidence, DOUBTED)
    )
    code = NO_CLOSING_MARK
    finding = Diagnostic(code, MESSAGES[code], last.span, Severity.WARNING)
    diagnostics = in_order(document.diagnostics, (finding,))
    return replace(document, sections=(*sections, cut), diagnostics=diagnostics)


def find_left_out(document: Document) -> list[Diagnostic]:
    """Return the findings about sections and calls that gave no action.

    Args:
        document: What was read.
    """
    return [finding for finding in document.diagnostics if finding.code in _LEFT_OUT]


def read_whole(text: str) -> Document | None:
    """Read a reply that is in the formats of other agents from its beginning to its end.

    One file under a name is not enough: it may be a sample.

    Args:
        text: The reply.

    Returns:
        The document; None if something is left over, or is understood only in part.
    """
    plain = text.lstrip().replace("\r\n", "\n")
    if not any(section.begins(plain) for section in file_sections()):
        return None
    document = read_format(text)
    if document.dialect in _SHOWN:
        return None
    if len(document.sections) > len(document.actions):
        return None
    if any(finding.code in _IN_PART for finding in document.diagnostics):
        return None
    is_sure = any(action.confidence >= BY_VERB for action in document.actions)
    return document if is_sure or len(document.actions) > 1 else None


def is_around(text: str, place: int, document: Document) -> bool:
    """Return whether a file, an edit or a call of another format is around a place.

    Args:
        text: The reply.
        place: An offset.
        document: Its document in a dialect. A file that is named after one of it does not count.
    """
    before = text[:place].replace("\r\n", "\n")
    # Most replies have no mark of a format there, and nothing more is done.
    if not has_opener(before, file_sections()):
        return False
    for action in read_files(text).actions:
        is_outer = action.span.start < place < action.span.end
        if is_outer and not _is_same_file(action, document):
            return True
    return False


def read_before(text: str, place: int) -> Document | None:
    """Read a reply in which a section that says its verb begins before a place.

    Args:
        text: The reply.
        place: The offset at which the first section of a dialect begins.

    Returns:
        The document; None if there is no such section.
    """
    before = text[:place].replace("\r\n", "\n")
    if not has_opener(before, verb_sections()):
        return None
    document = read_format(text)
    for action in document.actions:
        if action.span.start < place and says_verb(action, text):
            return document
    return None


def report_lost(owner: Document, ours: Document) -> Document:
    """Return the document of a reply with a warning for each action of ours that it leaves out.

    Args:
        owner: What was read in the formats of other agents.
        ours: What was read in a dialect.
    """
    findings = []
    for action in ours.actions:
        # What a content of theirs shows is not lost.
        if _is_inside(action, owner):
            continue
        message = f"the reply is in the format {owner.dialect}: this {action.type} is left out"
        finding = Diagnostic(LOST_ACTION, message, action.span, Severity.WARNING)
        findings.append(finding)
    return replace(owner, diagnostics=in_order(owner.diagnostics, tuple(findings)))


def _is_inside(action: Action, owner: Document) -> bool:
    place = action.span.start
    for outer in owner.actions:
        span = outer.span
        if span.start <= place < span.end:
            return True
    return False


def says_verb(action: Action, text: str) -> bool:
    """Return whether the section of an action is more than a file's name beside a text.

    Patches do not count, since a reply may only show them.

    Args:
        action: The action.
        text: The reply.
    """
    start = action.span.start
    end = start + _LONGEST_OPENER
    beginning = text[start:end].replace("\r\n", "\n")
    return any(section.begins(beginning) for section in verb_sections())


@cache
def verb_sections() -> tuple[Section, ...]:
    """Return the sections of the installed formats that say what is to be done."""
    return tuple(filter(_has_verb, file_sections()))


def _has_verb(section: Section) -> bool:
    # A file's name above a fence does not say what to do.
    if "FENCE" in section.patterns:
        return False
    return section.format_name not in _SHOWN


def _is_same_file(outer: Action, document: Document) -> bool:
    """Return whether an action in a fence is about the file that the fence is named after.

    Then the fence is around a reply in a dialect, not around a file that shows one.
    """
    span = outer.span
    for action in document.actions:
        is_inside = span.start < action.span.start < span.end
        if is_inside and action.path == outer.path:
            return True
    return False


def parse_format(text: str, format: Format, name: str) -> Document:
    """Parse a text in a format, all or nothing.

    Args:
        text: The text.
        format: The format.
        name: The name of the text in errors.

    Raises:
        ParseError: A part of the text is in no section, or a section is in doubt.
    """
    document = read_format(text, format)
    # The first place that is not certain.
    source = Source(text, name)
    span = source.span(0, len(text))
    is_certain = bool(document.sections)
    for section in document.sections:
        if not _is_certain(section):
            is_certain = False
            span = section.span
            break
    # A call of a section that is read may be left out.
    left_out = find_left_out(document)
    if is_certain and left_out:
        is_certain = False
        span = left_out[0].span
    if is_certain:
        return document
    message = f"this is not a section of the format {format.name}"
    hint = "process reads what is around it, and what is in doubt"
    error = Diagnostic(NOT_IN_FORMAT, message, span, Severity.ERROR, hint=hint)
    raise ParseError([error, *document.diagnostics], source)


def _is_certain(section: object) -> bool:
    return isinstance(section, Action) and section.completeness is Completeness.COMPLETE


def convert_to_format(document: Document, format: Format) -> Converted:
    """Convert a document to a format; what is not an action is lost.

    Args:
        document: The document.
        format: The format.

    Raises:
        RenderError: The format cannot express an action.
    """
    losses = []
    for section in document.sections:
        if isinstance(section, Action):
            continue
        kind = "a section"
        if isinstance(section, Skipped):
            kind = f"text ({section.code})"
        message = f"{kind} is left out: the format {format.name} has only actions"
        loss = Diagnostic(LOST_TEXT, message, section.span, Severity.WARNING)
        losses.append(loss)
    text = write_format(document, format)
    return Converted(text, read_format(text, format), tuple(losses))
