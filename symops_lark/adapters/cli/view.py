"""What people see: documents, repairs and findings as lines of text, coloured only on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...core.document import Action, Completeness, CustomSection, Document, Part, Skipped
from ...core.ground.numbers import counted
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.unfinished import find_unfinished
from .colours import paint
from .texts import complain
from .visibility import visible, visible_command, visible_in_place, visible_line

if TYPE_CHECKING:
    from ...core.repairs.repaired import Repair
    from ...core.result import TraceStep
    from ...core.text.source import Source

_SURENESS = ((0.9, "sure", "green"), (0.7, "fairly sure", "yellow"), (0.5, "unsure", "yellow"), (0.0, "a guess", "red"))
COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_LONG = 100


def show_sureness(confidence: float) -> str:
    """Return a confidence as a number and in words."""
    _, words, colour = next(row for row in _SURENESS if confidence >= row[0] or row[0] == 0.0)
    return paint(f"confidence {confidence:.2f} ({words})", colour)


def show_title(name: str, facts: Sequence[str]) -> str:
    """Return the line above a view."""
    return paint(visible(name), bold=True) + ": " + ", ".join(facts)


def show_document(document: Document) -> Iterator[str]:
    """Yield the lines of a document: actions first, then what the writer thought, felt, asked and reported."""
    actions = document.actions
    if actions or not document.custom:
        yield from _block("actions", _show_actions(actions) if actions else ["none"])
    yield from _block("thoughts", (_cut(text) for text in document.thoughts))
    yield from _block("vitals", (f"{visible_line(name)} {value:g}" for name, value in document.vitals.items()))
    for question in document.questions:
        choices = (f"  {number}. {_cut(choice)}" for number, choice in enumerate(question.choices, 1))
        yield from _block("question", [_cut(question.text), *choices])
    for error in document.errors:
        parts = (error.type, error.target and f"at {error.target}", error.message)
        yield from _block("error reported", [_cut(", ".join(part for part in parts if part))])
    for section in document.custom:
        yield paint(section.name, bold=True) + "  " + _show_certainty(section)
        yield from (f"  {line}" for line in _show_parts(section.parts))
    yield from _block("left out", (_show_skipped(skipped) for skipped in document.skipped))


def _show_actions(actions: Sequence[Action]) -> Iterator[str]:
    verbs = max(len(action.type) for action in actions)
    paths = min(40, max(len(action.path) for action in actions))
    sizes = max(len(_size(action)) for action in actions)
    for number, action in enumerate(actions, 1):
        sure = _show_certainty(action)
        path = paint(f"{visible_command(action.path):<{paths}}", bold=True)
        yield f"{number}. {visible_line(action.type):<{verbs}}  {path}  {_size(action):<{sizes}}  {sure}"
        for name, value in action.attributes:
            yield f"   {visible_line(name)}: {_cut(value)}"
        if action.dependencies:
            yield "   depends on " + ", ".join(map(visible_line, action.dependencies))


def _show_certainty(section: Action | CustomSection) -> str:
    whole = str(section.completeness)
    if section.completeness is not Completeness.COMPLETE:
        whole = paint(whole.upper(), "red", bold=True)
    return f"{show_sureness(section.confidence)}, {whole}"


def _show_parts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        yield f"{part.name}: {_cut(part.text)}" if not part.parts else f"{part.name}:"
        yield from (f"  {line}" for line in _show_parts(part.parts))


def _size(action: Action) -> str:
    if action.content is None:
        return "no content"
    return counted(action.content.count("\n") + 1, "line") if action.content else "empty"


def _show_skipped(skipped: Skipped) -> str:
    return f"line {skipped.span.line}: {_cut(' '.join(skipped.text.split()))} [{skipped.code}]"


def show_repairs(repairs: Sequence[Repair]) -> Iterator[str]:
    """Yield a line for each repair: where, by which rule, what was wrong, at what cost."""
    lines = (f"line {r.before.line}: {paint(r.rule, 'cyan')}: {r.summary} (cost {r.cost:g})" for r in repairs)
    yield from _block(f"repairs ({len(repairs)})", lines)


def show_findings(findings: Iterable[Diagnostic], source: Source) -> Iterator[str]:
    """Draw findings, each with its line and carets."""
    for finding in findings:
        first, *rest = finding.draw(source).split("\n")
        painted = f": {paint(str(finding.severity), COLOURS[finding.severity], bold=True)}: "
        yield visible(first).replace(f": {finding.severity}: ", painted, 1)
        yield from map(visible_in_place, rest)


def show_trace(trace: Sequence[TraceStep]) -> Iterator[str]:
    """Yield what each phase did, and the text after it where it changed the text."""
    before = None
    for step in trace:
        yield paint(f"phase {step.phase}", bold=True) + f": {visible(step.outcome)}"
        if step.text != before and not step.outcome.startswith("skipped"):
            yield from ("  | " + visible(line) for line in step.text.removesuffix("\n").split("\n"))
            before = step.text


def warn_unfinished(name: str, document: Document) -> bool:
    """Say on standard error which actions of a written text are not whole; return whether there are any."""
    unfinished = find_unfinished(document)
    for action in unfinished:
        target = f"{action.type} {visible_line(action.path)}"
        complain(f"{name}: warning: {target} is {action.completeness}; an error section in the text says so")
    return bool(unfinished)


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    first = True
    for line in lines:
        if first:
            yield paint(title, bold=True)
            first = False
        yield "  " + line


def _cut(text: str) -> str:
    rest = len(text) - _LONG
    return visible_line(text) if rest <= 0 else f"{visible_line(text[:_LONG])}… ({counted(rest, 'more character')})"
