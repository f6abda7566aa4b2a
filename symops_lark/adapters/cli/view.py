"""Show documents, repairs and diagnostics as lines of text, with colours on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING

from ...core.document import Action, Completeness, CustomSection, Document, Part, Skipped
from ...core.ground.numbers import counted
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.slips import common_ends
from ...core.unfinished import find_unfinished
from .colours import paint
from .texts import complain
from .visibility import visible, visible_command, visible_in_place, visible_line

if TYPE_CHECKING:
    from ...core.repairs.repaired import Repair
    from ...core.result import TraceStep
    from ...core.text.source import Source

# Lines of both sides that are compared: difflib takes quadratic time in the worst case.
_MOST_COMPARED = 20_000
_CONTEXT = 3  # equal lines around a difference, as in other unified diffs
# The least confidence of each row; the words are those of the reference.
_CONFIDENCES = (
    (0.9, "sure", "green"),
    (0.7, "fairly sure", "yellow"),
    (0.5, "unsure", "yellow"),
    (0.0, "a guess", "red"),
)
COLOURS = {  # of diagnostics, also in other views
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "cyan",
}
_MAX_TEXT = 100  # characters of a text on one line
_MAX_PATH = 40  # columns for paths: longer ones move their row


def show_sureness(confidence: float) -> str:
    """Return a confidence as a number and in words."""
    rows = (row for row in _CONFIDENCES if confidence >= row[0])
    _, words, colour = next(rows, _CONFIDENCES[-1])
    return paint(f"confidence {confidence:.2f} ({words})", colour)


def show_title(name: str, facts: Sequence[str]) -> str:
    """Return the line above a view."""
    return f"{paint(visible(name), bold=True)}: {', '.join(facts)}"


def show_document(document: Document) -> Iterator[str]:
    """Yield the lines of a document: actions first, then the other sections."""
    actions = document.actions
    # Dialects without actions have only custom sections.
    if actions:
        yield from _block("actions", _show_actions(actions))
    elif not document.custom:
        yield from _block("actions", ["none"])
    yield from _block("thoughts", map(_cut, document.thoughts))
    vitals = [f"{visible_line(name)} {value:g}" for name, value in document.vitals.items()]
    yield from _block("vitals", vitals)
    for question in document.questions:
        yield from _block("question", [_cut(question.text)])
        for number, choice in enumerate(question.choices, 1):
            yield f"    {number}. {_cut(choice)}"
    for error in document.errors:
        target = ""
        if error.target:
            target = f"at {error.target}"
        parts = filter(None, (error.type, target, error.message))
        text = ", ".join(parts)
        yield from _block("error reported", [_cut(text)])
    for section in document.custom:
        name = paint(section.name, bold=True)
        yield f"{name}  {_show_certainty(section)}"
        yield from _indent(_show_parts(section.parts))
    yield from _block("left out", map(_show_skipped, document.skipped))


def _show_actions(actions: Sequence[Action]) -> Iterator[str]:
    """Yield a row for each action, in columns, with its attributes below it."""
    verbs = max(len(action.type) for action in actions)
    paths = min(_MAX_PATH, max(len(action.path) for action in actions))
    sizes = max(len(_size(action)) for action in actions)
    for number, action in enumerate(actions, 1):
        verb = visible_line(action.type)
        path = paint(f"{visible_command(action.path):<{paths}}", bold=True)
        yield (
            f"{number}. {verb:<{verbs}}  {path}  {_size(action):<{sizes}}  "
            f"{_show_certainty(action)}"
        )
        for name, value in action.attributes:
            yield f"   {visible_line(name)}: {_cut(value)}"
        if action.dependencies:
            yield f"   depends on {', '.join(map(visible_line, action.dependencies))}"


def _show_certainty(section: Action | CustomSection) -> str:
    completeness = str(section.completeness)
    # An incomplete action must not be overlooked.
    if section.completeness is not Completeness.COMPLETE:
        completeness = paint(completeness.upper(), "red", bold=True)
    return f"{show_sureness(section.confidence)}, {completeness}"


def _show_parts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if not part.parts:
            yield f"{part.name}: {_cut(part.text)}"
            continue
        yield f"{part.name}:"
        yield from _indent(_show_parts(part.parts))


def _size(action: Action) -> str:
    # An empty file and no file are different things.
    if action.content is None:
        return "no content"
    if not action.content:
        return "empty"
    return counted(action.content.count("\n") + 1, "line")


def _show_skipped(skipped: Skipped) -> str:
    words = " ".join(skipped.text.split())
    return f"line {skipped.span.line}: {_cut(words)} [{skipped.code}]"


def show_repairs(repairs: Sequence[Repair]) -> Iterator[str]:
    """Yield a line for each repair: its place, its rule, its reason and its cost."""
    if repairs:
        yield paint(f"repairs ({len(repairs)})", bold=True)
    for repair in repairs:
        yield (
            f"  line {repair.before.line}: {paint(repair.rule, 'cyan')}: "
            f"{repair.summary} (cost {repair.cost:g})"
        )


def show_findings(findings: Iterable[Diagnostic], source: Source) -> Iterator[str]:
    """Draw diagnostics, each with its line and carets."""
    for finding in findings:
        first, *following = finding.draw(source).split("\n")
        severity = paint(finding.severity, COLOURS[finding.severity], bold=True)
        # Only the first occurrence: the message may quote the same words.
        yield visible(first).replace(f": {finding.severity}: ", f": {severity}: ", 1)
        yield from map(visible_in_place, following)


def show_trace(trace: Sequence[TraceStep]) -> Iterator[str]:
    """Yield the outcome of each phase, and its text where it changed the text."""
    before = None
    for step in trace:
        phase = paint(f"phase {step.phase}", bold=True)
        yield f"{phase}: {visible(step.outcome)}"
        if step.text != before and not step.outcome.startswith("skipped"):
            before = step.text
            for line in step.text.removesuffix("\n").split("\n"):
                yield f"  | {visible(line)}"


def warn_unfinished(name: str, document: Document) -> bool:
    """Report the incomplete actions of a written text; return whether there are any."""
    unfinished = find_unfinished(document)
    for action in unfinished:
        target = f"{action.type} {visible_line(action.path)}"
        complain(
            f"{name}: warning: {target} is {action.completeness}; "
            "an error section in the text says so"
        )
    return bool(unfinished)


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield a title and indented lines; nothing if there are no lines."""
    content = list(lines)
    if content:
        yield paint(title, bold=True)
        yield from _indent(content)


def _indent(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"


def _cut(text: str) -> str:
    """Return the beginning of a text on one line, with the number of characters left out."""
    if len(text) <= _MAX_TEXT:
        return visible_line(text)
    beginning = visible_line(text[:_MAX_TEXT])
    remaining = counted(len(text) - _MAX_TEXT, "more character")
    return f"{beginning}… ({remaining})"


def compare_lines(
    before: Sequence[str], after: Sequence[str], old: str, new: str, end: str = ""
) -> Iterator[str]:
    """Yield the lines of a unified diff, in a time that is linear for very long texts.

    Those have one difference, from the first line that differs to the last one.

    Args:
        before: The lines of the old text, with their endings.
        after: The lines of the new text.
        old: The name of the old text.
        new: The name of the new text.
        end: The ending of the lines that are added: the names and the places.
    """
    if len(before) + len(after) <= _MOST_COMPARED:
        yield from unified_diff(before, after, old, new, lineterm=end)
        return
    if before == after:
        return
    head, tail = common_ends(before, after)
    start = max(head - _CONTEXT, 0)
    stop = max(tail - _CONTEXT, 0)
    places = [_show_range(start, len(lines) - stop) for lines in (before, after)]
    yield f"--- {old}{end}"
    yield f"+++ {new}{end}"
    yield f"@@ -{places[0]} +{places[1]} @@{end}"
    last = len(before) - tail
    for line in before[start:head]:
        yield " " + line
    for line in before[head:last]:
        yield "-" + line
    for line in after[head : len(after) - tail]:
        yield "+" + line
    for line in before[last : len(before) - stop]:
        yield " " + line


def _show_range(start: int, stop: int) -> str:
    """Return a range of lines as a unified diff writes it: no lines follow line `start`."""
    size = stop - start
    return f"{start + 1 if size else start},{size}"
