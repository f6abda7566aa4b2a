"""Outlines: documents, errors and diagnostics as a person would note them, one line for each section."""

from __future__ import annotations

from collections.abc import Iterable

from corpus_reader import escape

from symops_lark import Action, Diagnostic, Document, ErrorNote, Plan, Question, Skipped, Thought, Vitals
from symops_lark.core.streaming import (
    ActionFinished,
    ActionStarted,
    ContentDelta,
    Event,
    Noticed,
    SectionContent,
    SectionFinished,
    SectionParsed,
    SectionStarted,
)


def outline(document: Document, *, graded: bool = False) -> str:
    """Give one line for each section, contents indented behind a bar; `graded` adds confidence and completeness."""
    return "".join(line + "\n" for section in document.sections for line in _lines(section, graded))


def outline_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    """Give `line:column code` for each finding."""
    return "".join(f"{d.span.line}:{d.span.column} {d.code}\n" for d in diagnostics)


def outline_errors(diagnostics: Iterable[Diagnostic]) -> str:
    """Give `line:column message [code]` for each finding of the strict parser."""
    return "".join(f"{d.span.line}:{d.span.column} {d.message} [{d.code}]\n" for d in diagnostics)


def outline_events(events: Iterable[Event]) -> str:
    """Give a line for each event of a stream; those of an action are indented below its start."""
    return "".join(line + "\n" for event in events for line in _event_lines(event))


def outline_plan(plan: Plan) -> str:
    """Give a line for each change, with the reasons why it is asked about; then conflicts and notes."""
    lines = []
    for change in plan.changes:
        text = f", after {', '.join(map(str, change.needs))}" if change.needs else ""
        lines.append(f"{change.number} {change.operation} {_shown(change.path)}: {change.decision}{text}")
        lines += [f"  because {_shown(reason)}" for reason in change.reasons]
        lines += _content(change.after.decode()) if change.after is not None else []
    lines += [
        f"{d.span.line}:{d.span.column} {d.severity}: {d.message} [{d.code}]" for d in (*plan.conflicts, *plan.notes)
    ]
    return "".join(line + "\n" for line in lines)


def _event_lines(event: Event) -> list[str]:
    match event:
        case SectionParsed(section):
            return _lines(section, False)
        case ActionStarted(_, action):
            return [_head(action, False)]
        case ContentDelta(_, text):
            return [("  + " + _shown(text)).rstrip(" ")]
        case ActionFinished(_, completeness, _, place):
            return [f"  {completeness}" + ("" if place else ", no block")]
        case SectionStarted(section):
            return [f"section {section.name}"]
        case SectionContent(text):
            return [("  + " + _shown(text)).rstrip(" ")]
        case SectionFinished(completeness):
            return [f"  {completeness}"]
        case Noticed(diagnostic):
            return [f"noticed {diagnostic.span.line}:{diagnostic.span.column} {diagnostic.code}"]


def _lines(section: object, graded: bool) -> list[str]:
    match section:
        case Thought():
            return [f"thought: {_shown(section.text)}"]
        case Vitals():
            return ["vitals: " + ", ".join(f"{name} {value:g}" for name, value in section.items())]
        case Action():
            return [_head(section, graded), *_content(section.content)]
        case Question():
            choices = [f"  {number}. {_shown(text)}" for number, text in enumerate(section.choices, 1)]
            return [f"question: {_shown(section.text)}", *(line.rstrip() for line in choices)]
        case ErrorNote():
            target = f" at {_shown(section.target)}" if section.target else ""
            message = f": {_shown(section.message)}" if section.message else ""
            return [f"error: {_shown(section.type)}{target}{message}"]
        case Skipped():
            return [f"skipped, {section.code}:", *_content(section.text)]
    raise TypeError(type(section))


def _head(action: Action, graded: bool) -> str:
    needs = " (needs " + ", ".join(map(_shown, action.dependencies)) + ")" if action.dependencies else ""
    grade = f" [{action.confidence:.2f} {action.completeness}]" if graded else ""
    number = "" if action.number is None else f"{action.number}. "
    attributes = "".join(f" {{{_shown(key)}: {_shown(value)}}}" for key, value in action.attributes)
    return f"{number}{action.type} {_shown(action.path)}{needs}{attributes}{grade}"


def _content(content: str | None) -> list[str]:
    if content is None:
        return []
    if not content:
        return ["  (empty)"]
    return [("  | " + _shown(line)).rstrip(" ") for line in content.split("\n")]


def _shown(text: str) -> str:
    return escape(text)
