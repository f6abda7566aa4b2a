"""The one repair of valid text: a content that is as a whole inside a Markdown fence, where no such fence can stand.

Only `process` makes it, never `parse`, `repair` or `recover`.
"""

from __future__ import annotations

from dataclasses import replace

from ..document import Action, Document
from ..grammar.codes import FENCED_CONTENT
from ..ground.file_types import WITH_FENCES, language_of
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Source, Span
from .content import unwrap_fence
from .edits import Edit, apply_edits
from .repaired import Repair
from .rule import Rule


def is_unwrapped(action: Action) -> bool:
    """Return whether an action's whole content is one fence, and the language of its path has no such fences.

    A line inside that would end the fence makes it doubtful where it ends: then it stays.
    """
    shown = (action.content or "").lstrip()
    if not shown.startswith(("```", "~~~")) or language_of(action.path) in WITH_FENCES:
        return False
    inner = unwrap_fence(action.content or "", action.path)
    mark = shown[0] * (len(shown) - len(shown.lstrip(shown[0])))
    return inner is not None and not any(_ends(line.strip(), mark) for line in inner.split("\n"))


def unwrap_contents(document: Document, text: str, rule: Rule) -> tuple[Document, str, tuple[Repair, ...]]:
    """Return a valid text and its document without the fences around whole contents, and what was taken off."""
    edits = [_unwrap(section, text, rule) if isinstance(section, Action) else None for section in document.sections]
    new_text, _ = apply_edits(text, [edit for edit in edits if edit is not None])
    source, result = Source(text), Source(new_text)
    sections, repairs, shift = list(document.sections), [], 0
    for index, edit in enumerate(edits):
        section = sections[index]
        if edit is None or not isinstance(section, Action) or section.content_span is None:
            continue
        before = text[edit.start : edit.end]
        start = edit.start + _first_line(before)
        span = source.span(start, start + len(edit.text))
        sections[index] = replace(section, content=edit.text, content_span=span)
        after = result.span(edit.start + shift, edit.start + shift + len(edit.text))
        repairs.append(Repair(rule.id, rule.summary, section.content_span, after, rule.cost, before, edit.text))
        shift += len(edit.text) - len(before)
    return replace(document, sections=tuple(sections)), new_text, tuple(repairs)


def report_unwrapped(action: Action) -> Diagnostic:
    """Return the finding that says what was done to an action's content."""
    return Diagnostic(
        FENCED_CONTENT,
        f"the whole content of {action.path} was a Markdown fence: its two lines were taken out",
        action.span,
        Severity.WARNING,
        hint="write the content alone between the delimiters",
    )


def _unwrap(action: Action, text: str, rule: Rule) -> Edit | None:
    span: Span | None = action.content_span
    inner = unwrap_fence(action.content or "", action.path) if span is not None and is_unwrapped(action) else None
    inner = inner and inner.removesuffix("\n").removesuffix("\r")  # as contents end: before the last line ending
    if span is None or inner is None or not text.startswith(inner, span.start + _first_line(action.content or "")):
        return None
    return Edit(span.start, span.end, inner, (rule.id,))


def _first_line(content: str) -> int:
    """Return where the content goes on behind its first line that is not blank."""
    return content.index("\n", len(content) - len(content.lstrip())) + 1


def _ends(shown: str, mark: str) -> bool:
    return shown.startswith(mark) and not shown.strip(mark[0])
