"""Repair valid text: take off a Markdown fence around a complete content.

A reply may be valid and still hold a Python file between the lines of a Markdown fence, because
models usually write code in fences. Only file types that never contain such fences are changed.
Only `process` makes this repair; `parse`, `repair` and `recover` leave valid text unchanged.
"""

from __future__ import annotations

from dataclasses import replace

from ..document import Action, Document
from ..grammar.codes import FENCED_CONTENT
from ..ground.file_types import WITH_FENCES, language_of
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Source
from .content import unwrap_fence
from .edits import Edit, apply_edits
from .engine import RepairEngine
from .repaired import Repair
from .rule import Rule


def is_unwrapped(action: Action) -> bool:
    """Return whether `unwrap_contents` takes the fence off an action's content.

    The complete content must be one fence, in a file type that has no such fences. A line inside
    that could end the fence leaves its end uncertain: then the fence stays.
    """
    content = (action.content or "").lstrip()
    if not content.startswith(("```", "~~~")):
        return False
    if language_of(action.path) in WITH_FENCES:
        return False
    inner = unwrap_fence(action.content or "", action.path)
    if inner is None:
        return False
    sign = content[0]
    after_mark = content.lstrip(sign)
    size = len(content) - len(after_mark)
    mark = sign * size
    lines = inner.split("\n")
    return not any(_ends(line.strip(), mark) for line in lines)


def unwrap_contents(
    document: Document, text: str, rule: Rule
) -> tuple[Document, str, tuple[Repair, ...]]:
    """Take the fences off all contents that are one fence.

    Args:
        document: The document of a valid text.
        text: That text.
        rule: The rule with the verb `unwrap_fence`, which gives summary and cost.

    Returns:
        The document with new contents and content spans (in `text`), the new text, and the
        repairs.
    """
    edits = []  # one for each section
    for section in document.sections:
        edit = None
        if isinstance(section, Action):
            edit = _unwrap(section, text, rule)
        edits.append(edit)
    actual = [edit for edit in edits if edit is not None]
    new_text, _ = apply_edits(text, actual)
    source = Source(text)
    result = Source(new_text)
    sections = list(document.sections)
    repairs = []
    shift = 0  # characters by which the new text is longer, so far
    for index, edit in enumerate(edits):
        section = sections[index]
        if edit is None or not isinstance(section, Action) or section.content_span is None:
            continue
        fenced = text[edit.start : edit.end]
        size = len(edit.text)
        start = edit.start + _after_first_line(fenced)
        span = source.span(start, start + size)
        sections[index] = replace(section, content=edit.text, content_span=span)
        new_start = edit.start + shift
        span_after = result.span(new_start, new_start + size)
        span_before = section.content_span
        repairs.append(
            Repair(rule.id, rule.summary, span_before, span_after, rule.cost, fenced, edit.text)
        )
        shift += size - len(fenced)
    unwrapped = replace(document, sections=tuple(sections))
    return unwrapped, new_text, tuple(repairs)


def report_unwrapped(action: Action) -> Diagnostic:
    """Return the diagnostic for an action whose content lost its fence."""
    return Diagnostic(
        FENCED_CONTENT,
        f"the whole content of {action.path} was a Markdown fence: its two lines were taken out",
        action.span,
        Severity.WARNING,
        hint="write the content alone between the delimiters",
    )


def _unwrap(action: Action, text: str, rule: Rule) -> Edit | None:
    """Return the edit that takes the fence off an action's content; None if it stays."""
    span = action.content_span
    if span is None:
        return None
    if not is_unwrapped(action):
        return None
    inner = unwrap_fence(action.content or "", action.path)
    if inner is None:
        return None
    # A content ends before the ending of its last line.
    inner = inner.removesuffix("\n").removesuffix("\r")
    # In a text with other line endings the content is not spelled as the text is.
    content = action.content or ""
    start = span.start + _after_first_line(content)
    if not text.startswith(inner, start):
        return None
    return Edit(span.start, span.end, inner, (rule.id,))


def _after_first_line(content: str) -> int:
    """Return the offset after the first line that is not blank."""
    bare = content.lstrip()
    filled = len(content) - len(bare)
    line_end = content.index("\n", filled)
    return line_end + 1


def _ends(line: str, mark: str) -> bool:
    """Return whether a line ends a fence that begins with a mark: that many signs, or more."""
    if not line.startswith(mark):
        return False
    other_characters = line.strip(mark[0])
    return not other_characters


def report_one_line(text: str, engine: RepairEngine) -> Diagnostic | None:
    """Return a warning if a rule makes several lines of a valid line; else None."""
    changes = engine.repairer.text_rules.apply(text)
    repair = next((repairs[0] for _, _, repairs in changes), None)
    rule = engine.rule(repair.rules[0]) if repair else None
    if rule is None:
        return None
    span = Source(text).span(0, len(text))
    return Diagnostic(rule.id, rule.summary, span, Severity.WARNING)
