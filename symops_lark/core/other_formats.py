"""Replies in formats of other agents: by name, and where no section of a dialect is found.

`formats` reads them. This module decides when it is asked, and loads it only then. Where that finds
nothing, it explains why a reply has no section.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from .document import Document, Skipped
from .grammar.agent_formats import refuse_format
from .grammar.codes import LOST_ACTION
from .grammar.dialect import Dialect
from .grammar.loading import dialects
from .ground.errors import GrammarError
from .ground.numbers import counted, rounded
from .patterns.regexes import Match, compile_pattern
from .replies.messages import Call, Finish, Reply
from .result import Phase, Reason, Result, TraceStep

if TYPE_CHECKING:
    from .formats.loading import Format
    from .repairs.engine import RepairEngine
    from .repairs.line_repairer import RuleRepairer

_MAX_SHOWN = 200  # characters of a refusal in a message
_IN_LINE = compile_pattern(r"[^\r\n]+")
_NOTHING = "\0"  # a character that no mark has, and no name; blanks may be before a mark
_BLANK = _NOTHING + " \t\r\n"


def find_other(format: str | Path | Dialect, **settings: object) -> Format | None:
    """Return the format of another agent that a caller named; None for a dialect and "auto".

    Args:
        format: What the caller gave.
        **settings: Settings that only a dialect can have, by name.

    Raises:
        GrammarError: It is the file of a format, and wrong; or one of the settings is used.
    """
    # Names of dialects are the usual case, and must not load anything.
    if isinstance(format, Dialect) or format == "auto" or format in dialects():
        return None
    from .formats.loading import find_format

    agent_format = find_format(format)
    if agent_format is None:
        return None
    refuse_settings(agent_format, **settings)
    return agent_format


def refuse_settings(agent_format: Format, **settings: object) -> None:
    """Refuse settings that a format of another agent does not have.

    Args:
        agent_format: The format.
        **settings: Settings that only a dialect can have, by name.

    Raises:
        GrammarError: One of them is used.
    """
    for name, value in settings.items():
        # Without an effect, a setting would mislead.
        if value:
            message = f"{name}: only dialects have this setting, and {agent_format.name} is not one"
            raise GrammarError(f"{message}: leave it out")


def refuse_other(agent_format: Format | None) -> None:
    """Refuse a format of another agent where a dialect is needed.

    Args:
        agent_format: The format; None for a dialect.

    Raises:
        GrammarError: It is a format of another agent.
    """
    if agent_format is not None:
        raise refuse_format(agent_format.name)


def read_named(reply: Reply, agent_format: Format) -> Result:
    """Read a reply in the format that the caller named; one without a text as its tool calls.

    Args:
        reply: The reply.
        agent_format: The format.

    Raises:
        ProtocolError: There is no section of the format.
    """
    from .formats.results import read_named

    text = reply.text
    if reply.calls and not text.strip():
        from .replies.calls import write_calls

        text = write_calls(reply.calls)
    return read_named(text, agent_format)


# Asked before a dialect is detected, and again if none has a section.
@lru_cache(maxsize=1)
def read_sections(text: str) -> Document:
    """Read a reply in the installed formats.

    Args:
        text: The reply.
    """
    from .formats.documents import read_format

    return read_format(text)


def read_detected(document: Document, text: str) -> Result:
    """Return the result of a text that is in formats of other agents, and in no dialect.

    Args:
        document: What was read; it has actions.
        text: The text.
    """
    from .formats.results import make_result

    step = TraceStep("strict", "failed: no dialect has a section of this text", text)
    result = make_result(document, text, (step,))
    assert result is not None
    return result


def prefer_outer(result: Result) -> Result:
    """Prefer the format of another agent, if the reply is in it and not in a dialect.

    A file that a tool call writes may show our notation, as a page about it does. Only a text that
    is not valid in a dialect is read so. Text around the sections is for `read_any`.

    Args:
        result: The result of the phases before.
    """
    document = prefer_outer_document(result.text, result.document)
    if document is result.document:
        return result
    if document.dialect == result.document.dialect:
        return _lower(result, document)
    from .formats.results import make_result

    return make_result(document, result.text, result.trace) or result


def _lower(result: Result, document: Document) -> Result:
    """Return a result with a document that has more doubts than its own."""
    from .recovery.doubts.confidence import LOST

    known = set(result.diagnostics)
    lost_count = sum(row.code == LOST_ACTION and row not in known for row in document.diagnostics)
    lowest = min(action.confidence for action in document.actions)
    confidence = min(result.confidence, lowest) * LOST**lost_count
    return replace(
        result, document=document, confidence=rounded(confidence), diagnostics=document.diagnostics
    )


def prefer_outer_document(text: str, document: Document) -> Document:
    """Do the same as `prefer_outer` for a document.

    Args:
        text: The text.
        document: Its document in a dialect.

    Returns:
        The document in the other format; else the document, doubted where it mixes the two.
    """
    if _may_own(text, document):
        from .formats.results import read_whole

        # If our actions are in a content of theirs, text around it does not matter.
        from_agent = read_sections(text) if document.actions else read_whole(text)
        if from_agent is not None and from_agent.actions:
            return from_agent
    # A valid text has nothing that could be lost.
    if not document.actions or not document.diagnostics:
        return document
    outside = _without_actions(text, document)
    if not outside.strip(_BLANK):
        return document
    from .formats.mixed import doubt_mixed

    return doubt_mixed(outside, document)


def _without_actions(text: str, document: Document) -> str:
    """Return a text with null characters in the place of actions: offsets and lines stay."""
    pieces: list[str] = []
    done = 0
    for action in document.actions:
        span = action.span
        pieces.append(text[done : span.start])
        pieces.append(_IN_LINE.sub(_blank, text[max(done, span.start) : span.end]))
        done = max(done, span.end)
    pieces.append(text[done:])
    return "".join(pieces)


def _blank(match: Match) -> str:
    return _NOTHING * len(match[0])


def read_any(result: Result) -> Result:
    """Read the sections in the formats of other agents, whatever is around them, if ours has none.

    Where it has some, the reply is in the notation that begins first.

    Args:
        result: The result of the phases before.
    """
    text = result.text
    document = result.document
    if not (document.actions or document.questions or document.errors):
        return _read_sections(result)
    ours = [section for section in document.sections if not isinstance(section, Skipped)]
    place = min([section.span.start for section in ours])
    # Nothing begins before a section at the beginning, so the formats are not loaded.
    if document.dialect not in dialects() or not text[:place].strip():
        return result
    from .formats.results import make_result, read_before, report_lost

    owner = read_before(text, place)
    if owner is None:
        return result
    return make_result(report_lost(owner, document), text, result.trace) or result


def warn_of_left(result: Result, engine_of: Callable[[Dialect], RepairEngine]) -> Result:
    """Warn of the lines that a reply has in another notation than the one that it was read in.

    Args:
        result: The result of the phases before.
        engine_of: Returns the repair engine of a dialect.

    Returns:
        The result; its confidence is lower for each of these lines.
    """
    if not result.document.actions:
        return result
    from .recovery.detection import plain_dialects
    from .recovery.doubts.confidence import LOST, in_order
    from .recovery.left_heads import find_left_heads

    def find_repairer(dialect: Dialect) -> RuleRepairer:
        return engine_of(dialect).repairer

    document = replace(result.document, diagnostics=result.diagnostics)
    findings = find_left_heads(document, result.text, plain_dialects(), find_repairer)
    if not findings:
        return result
    diagnostics = in_order(result.diagnostics, findings)
    return replace(
        result,
        document=replace(document, diagnostics=diagnostics),
        confidence=rounded(result.confidence * LOST ** len(findings)),
        diagnostics=diagnostics,
    )


def _read_sections(result: Result) -> Result:
    """Read the formats of other agents in a reply without an action, a question or an error."""
    from .formats.results import find_left_out, make_result
    from .validator import is_acceptable

    document = read_sections(result.text)
    from_agent = make_result(document, result.text, result.trace)
    if from_agent is not None or is_acceptable(result.document):
        return from_agent or result
    # The caller, or the model that is asked again, learns why there is no action.
    reasons = find_left_out(document)
    return replace(result, diagnostics=(*result.diagnostics, *reasons))


def _may_own(text: str, document: Document) -> bool:
    """Return whether a reply may be in the formats of other agents: no action of ours is outside.

    Args:
        text: The reply.
        document: Its document in a dialect.
    """
    if not document.actions:
        # A question of ours, or an error, is why there is no action.
        return not (document.questions or document.errors)
    place = min(action.span.start for action in document.actions)
    # Nothing is around an action that begins the reply, so the formats are not loaded.
    if not text[:place].strip():
        return False
    from .formats.results import is_around

    return is_around(text, place, document)


def read_calls(calls: Sequence[Call], result: Result) -> Result:
    """Read the tool calls of a reply whose text has no section.

    Args:
        calls: The calls. Arguments that are cut off are not valid JSON, so they are in doubt.
        result: The result for the text.

    Returns:
        The actions that the calls mean. If there are none, the result before.
    """
    from .formats.loading import formats
    from .formats.results import read_result
    from .replies.calls import write_calls

    text = write_calls(calls)
    from_calls = read_result(text, formats()["hermes_json"], result.trace)
    if from_calls is not None:
        return from_calls
    step = TraceStep("tool calls", "none of them is a file or a command", text)
    return replace(result, trace=(*result.trace, step))


def read_fences(result: Result, *, extract: bool) -> Result:
    """Read the fenced code of a reply in which no section was found.

    Args:
        result: The result of the phases before.
        extract: Whether fenced code becomes files with invented names.

    Returns:
        The actions that were found. If there are none, the result before, with one step more.
    """
    if not extract:
        step = TraceStep("extracted", "skipped: it was not asked for", result.text)
        return replace(result, trace=(*result.trace, step))
    from .recovery.fenced_files import CONFIDENCE, extract_fences

    # The last resort: the names of these files are invented.
    document = extract_fences(result.text, result.document.dialect)
    if not document.actions:
        step = TraceStep("extracted", "there is no fenced block", result.text)
        return replace(result, trace=(*result.trace, step))
    outcome = counted(len(document.actions), "fenced block")
    step = TraceStep("extracted", outcome, result.text, True)
    return replace(
        result,
        phase=Phase.EXTRACTED,
        document=document,
        confidence=CONFIDENCE,
        diagnostics=document.diagnostics,
        repairs=(),
        trace=(*result.trace, step),
    )


def mark_cut_off(result: Result, dialect: Dialect | None) -> Result:
    """Mark the last action of a truncated reply that is in the format of another agent.

    Args:
        result: The result.
        dialect: The dialect that was considered; None if the caller named a format.
    """
    # The phases of a dialect have marked their own.
    if dialect is not None and result.document.dialect == dialect.name:
        return result
    from .formats.results import break_off

    document = replace(result.document, diagnostics=result.diagnostics)
    marked = break_off(document, result.text)
    if marked is document:
        return result
    return replace(_lower(result, marked), phase=Phase.RECOVERED)


def explain_absence(reply: Reply, result: Result) -> tuple[str, Reason]:
    """Return why a reply has no section, in words, and as a member of `Reason`.

    Args:
        reply: The reply, with its finish reason.
        result: What was read of its text.
    """
    from .validator import explain_nothing

    excerpt = ""
    if reply.text.strip():
        excerpt = f": {shorten(reply.text, _MAX_SHOWN, placeholder=' …')}"
    if reply.finish is Finish.FILTERED:
        return f"a content filter stopped the reply{excerpt}", Reason.FILTERED
    if reply.finish is Finish.REFUSED:
        return f"the model refused{excerpt}", Reason.REFUSED
    if reply.calls:
        names = {call.name or "a tool without a name" for call in reply.calls}
        called = ", ".join(sorted(names))
        message = f"the reply calls {called}: no file or command was found in its tool calls"
        return message, Reason.TOOL_CALLS
    return explain_nothing(result.diagnostics), Reason.NO_SECTION
