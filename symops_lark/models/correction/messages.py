"""What the model is told when it is asked again: each finding with its line, what was right, to change format only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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

_MOST = 12  # findings that are told: more of them hide what matters
_EXAMPLE = Document(
    (
        Thought("why you do it"),
        Action("create", "path/to/file", "the whole content of the file"),
        Action("run", "a command"),
    )
)


def ask_for_all(result: Result, dialect: Dialect, drift: Sequence[Diagnostic] = ()) -> str:
    """Return the request for the whole reply; `drift` is what the last answer changed that was right."""
    changed = ["Your last answer did not count:\n" + "\n".join(f"- {f.message}" for f in drift)] if drift else []
    parts = [
        *changed,
        "Your reply could not be read as it stands. The task and your solution are fine; only the format is not.",
        *(["What is wrong:\n" + "\n".join(told)] if (told := _draw(result.diagnostics, result.text)) else []),
        *_describe_sure(result, "their contents must come back unchanged"),
        "Write the whole reply again in this format. Change the format only, not what the files say:",
        *_show_format(dialect),
    ]
    return "\n\n".join(parts)


def ask_for_parts(result: Result, regions: Sequence[Region], dialect: Dialect) -> str:
    """Return the request for the broken sections only, in their order."""
    parts = [f"{count(len(regions), 'part').capitalize()} of your reply could not be read. Only the format is wrong."]
    for number, region in enumerate(regions, 1):
        said = "\n".join(_draw(region.findings, result.text)) or "- it is not complete"
        parts.append(f"Part {number}:\n{_show(region.text)}\nWhat is wrong with it:\n{said}")
    parts += _describe_sure(result, "they are kept and need not be repeated")
    parts += [
        f"Write {'this part' if len(regions) == 1 else 'these parts, in this order,'} again in this format, and "
        "nothing else. Change the format only, not what the files say:",
        *_show_format(dialect),
    ]
    return "\n\n".join(parts)


def ask_to_go_on(text: str) -> str:
    """Return the request to continue a reply that was cut off."""
    return "\n\n".join(
        (
            "Your reply was cut off. Everything up to there has arrived and is kept. It ends with:",
            _show(tail(text)),
            "Go on from there: repeat these last lines exactly as they are, then write what follows. Do not begin "
            "anew, do not say anything else, and put no Markdown fence around it.",
        )
    )


def ask_again(dialect: Dialect) -> str:
    """Return the request for a reply where there was none."""
    asked = "Your reply was empty. Please do the task; write the reply in this format:"
    return "\n\n".join((asked, *_show_format(dialect)))


def _show_format(dialect: Dialect) -> tuple[str, str]:
    # Of a dialect that says other things, the prompt has shown the sections.
    sayable = tuple(section for section in _EXAMPLE.sections if _can_say(section, dialect))
    example = _show(render(Document(sayable), dialect)) if sayable else "Use only the sections of the prompt."
    return example, "Write no Markdown fences and no sentences around it."


def _can_say(section: Section, dialect: Dialect) -> bool:
    try:
        render(Document((section,)), dialect)
    except RenderError:
        return False
    return True


def _draw(findings: Iterable[Diagnostic], text: str) -> list[str]:
    """Return the errors, or else the warnings, or else the repairs, each with the line that it is about."""
    source = Source(text)
    by_severity = {severity: [f for f in findings if f.severity is severity] for severity in Severity}
    told: dict[str, None] = {}
    for finding in next((found for found in by_severity.values() if found), []):
        line = source.line_text(finding.span.line)
        about = f"line {finding.span.line}, `{line[:120]}`: " if line.strip() else f"line {finding.span.line}: "
        hint = f" ({finding.hint})" if finding.hint else ""
        told.setdefault(f"- {about}{finding.message}{hint}")
    lines = list(told)
    return lines[:_MOST] + ([f"- and {len(lines) - _MOST} more of the kind"] if len(lines) > _MOST else [])


def _describe_sure(result: Result, what: str) -> list[str]:
    names = [f"{action.type} {action.path}" for action in sure_actions(result)]
    return [f"These were read without doubt; {what}: {'; '.join(names)}"] if names else []


def _show(text: str) -> str:
    """Return a text in a fence of tildes, more of them than it holds in a row."""
    fence = "~~~"
    while fence in text:
        fence += fence[0]
    return f"{fence}\n{text.removesuffix(chr(10))}\n{fence}"


def count(number: int, what: str) -> str:
    """Return how many there are of something, in words."""
    return f"one {what}" if number == 1 else counted(number, what)
