"""The messages that ask a model again.

They list the errors with their lines, name the actions that must not change, and ask to change only
the format.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.document import Action, Document, Section, Thought
from ...core.grammar.dialect import Dialect
from ...core.ground.errors import RenderError
from ...core.ground.numbers import counted
from ...core.rendering.renderer import render
from ...core.result import Result
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Source
from .continuation import tail
from .guard import sure_actions
from .regions import Region

_MAX_FINDINGS = 12  # in one message: more of them hide the ones that matter
_MAX_LINE = 120  # characters of a quoted line
_EXAMPLE = Document(
    (
        Thought("why you do it"),
        Action("create", "path/to/file", "the whole content of the file"),
        Action("run", "a command"),
    )
)


def ask_for_all(result: Result, dialect: Dialect, drift: Sequence[Diagnostic] = ()) -> str:
    """Return the request for the whole reply.

    Args:
        result: The result of the reply that could not be read.
        dialect: The dialect of the reply.
        drift: The actions that the last answer changed although they were right.
    """
    changes = [f"- {finding.message}" for finding in drift]
    parts = _list("Your last answer did not count:", changes)
    parts.append(
        "Your reply could not be read as it is. The task and your solution are fine; only the "
        "format is not."
    )
    parts += _list("What is wrong:", _list_findings(result.diagnostics, Source(result.text)))
    parts += _list_sure(result, "their contents must stay unchanged")
    parts.append(
        "Write the whole reply again in this format. Change the format only, not what the files "
        "say:"
    )
    return "\n\n".join((*parts, *_show_format(dialect)))


def ask_for_parts(result: Result, regions: Sequence[Region], dialect: Dialect) -> str:
    """Return the request for the broken sections only, in their order.

    Args:
        result: The result of the reply.
        regions: The broken sections.
        dialect: The dialect of the reply.
    """
    source = Source(result.text)
    total = count(len(regions), "part").capitalize()
    parts = [f"{total} of your reply could not be read. Only the format is wrong."]
    for number, region in enumerate(regions, 1):
        # A section can be doubtful without a finding.
        errors = _list_findings(region.findings, source) or ["- it is not complete"]
        parts += _list(f"Part {number}:\n{_fence(region.text)}\nWhat is wrong with it:", errors)
    parts += _list_sure(result, "they are kept and need not be repeated")
    these = "this part" if len(regions) == 1 else "these parts, in this order,"
    parts.append(
        f"Write {these} again in this format, and nothing else. Change the format only, not what "
        "the files say:"
    )
    return "\n\n".join((*parts, *_show_format(dialect)))


def ask_to_go_on(text: str) -> str:
    """Return the request to continue a truncated reply."""
    parts = (
        "Your reply was cut off. Everything up to there has arrived and is kept. It ends with:",
        _fence(tail(text)),
        "Continue from there: repeat these last lines exactly as they are, then write what "
        "follows. Do not start again, do not say anything else, and put no Markdown fence around "
        "it.",
    )
    return "\n\n".join(parts)


def ask_again(dialect: Dialect) -> str:
    """Return the request after an empty reply."""
    request = "Your reply was empty. Please do the task; write the reply in this format:"
    return "\n\n".join((request, *_show_format(dialect)))


def _show_format(dialect: Dialect) -> tuple[str, str]:
    # The prompt has shown the sections of a dialect that lacks those of the example.
    example = "Use only the sections of the prompt."
    sections = tuple(section for section in _EXAMPLE.sections if _has_form(section, dialect))
    if sections:
        example = _fence(render(Document(sections), dialect))
    return example, "Write no Markdown fences and no sentences around it."


def _has_form(section: Section, dialect: Dialect) -> bool:
    """Return whether a dialect can express a section."""
    try:
        render(Document((section,)), dialect)
    except RenderError:
        return False
    return True


def _list(title: str, lines: Sequence[str]) -> list[str]:
    """Return a list below its title as one part; no part without lines."""
    return ["\n".join((title, *lines))] if lines else []


def _list_findings(findings: Sequence[Diagnostic], source: Source) -> list[str]:
    """Return the errors, or else the warnings, or else the repairs, each with its line."""
    for severity in Severity:
        worst = [finding for finding in findings if finding.severity is severity]
        if worst:
            break
    lines: dict[str, None] = {}  # as a set that keeps its order
    for finding in worst:
        number = finding.span.line
        line = source.line_text(number)
        place = f"line {number}, `{line[:_MAX_LINE]}`" if line.strip() else f"line {number}"
        hint = f" ({finding.hint})" if finding.hint else ""
        lines[f"- {place}: {finding.message}{hint}"] = None
    listed = list(lines)[:_MAX_FINDINGS]
    # The model can find these itself: they are like the ones above.
    hidden = len(lines) - len(listed)
    return [*listed, f"- and {hidden} more of the kind"] if hidden else listed


def _list_sure(result: Result, request: str) -> list[str]:
    actions = "; ".join(f"{action.type} {action.path}" for action in sure_actions(result))
    return [f"These were read without doubt; {request}: {actions}"] if actions else []


def _fence(text: str) -> str:
    """Return a text in a fence of tildes that is longer than any in the text."""
    fence = "~~~"
    while fence in text:
        fence += "~"
    content = text.removesuffix("\n")
    return f"{fence}\n{content}\n{fence}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun; "one" as a word."""
    return f"one {noun}" if number == 1 else counted(number, noun)
