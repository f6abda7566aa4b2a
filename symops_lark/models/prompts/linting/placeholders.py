"""Find placeholders in examples, where a model should see values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....core.document import Action, Document
from ....core.text.diagnostics import Diagnostic, Severity
from ....core.text.source import Span

_PLACEHOLDER = re.compile(
    r"""
    \[[^\[\]\nA-Za-z]*[A-Za-z][^\[\]\n]*\]
    |<[A-Za-z][^<>\n]*>
    |\{+[A-Za-z][^{}\n]*\}+
    |YOUR_[A-Z_]+
    |\.\.\.
    |…
    """,
    re.VERBOSE,
)
# A part of a line of markup, such as a path or a range of numbers.
_BLANK = re.compile(r"\[[^\[\]\n]+\]|<[A-Za-z][^<>\n]*>|\{[A-Za-z][^{}\n]*\}")
# A line in place of code that was left out.
_ELISION = re.compile(
    r"""
    [ \t]*(?:\#|//|--|;|/\*|<!--)?      # the sign of a comment
    [ \t]*(?:\.\.\.|…)?
    [ \t]*(?:
        \(?(?:rest|remainder)[ ]of[ ](?:the[ ])?(?:file|code|content)\b.*
        |(?:existing|previous|other|your)[ ]code(?:[ ]here|[ ]goes[ ]here)?\b.*
        |\.\.\.
        |…
    )
    [ \t]*(?:\*/|-->)?[ \t]*
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_placeholder(text: str) -> bool:
    """Return whether a text is only a placeholder, such as `[path]` or `...`."""
    return _PLACEHOLDER.fullmatch(text.strip()) is not None


def fill_blanks(line: str) -> str:
    """Return a line with values of the same length in place of its placeholders."""
    return _BLANK.sub(_fill_blank, line)


def _fill_blank(match: re.Match[str]) -> str:
    size = len(match[0])
    letters = re.sub(r"[^a-z]", "", match[0].lower()) or "x"
    # A range such as `[0-1]` is a form of vitals.
    has_letters = re.search(r"[A-Za-z]", match[0]) is not None
    word = letters if has_letters else "0.5"
    return word[:size].ljust(size)


def find_placeholders(document: Document) -> Iterator[Diagnostic]:
    """Yield the placeholders of an example that also has values.

    Args:
        document: The example. If it has only placeholders, it is a form, which is correct.
    """
    values: list[str] = []
    for action in document.actions:
        values += filter(None, (action.path, action.content))
    if all(map(is_placeholder, values)):
        return
    for action in document.actions:
        if is_placeholder(action.path):
            yield _warn(f"{action.path} is a placeholder, but reads as a path", action.span)
        yield from _find_elisions(action)


def _find_elisions(action: Action) -> Iterator[Diagnostic]:
    content = action.content
    span = action.content_span
    if not content or span is None:
        return
    if is_placeholder(content):
        yield _warn(f"the content of {action.path} is only a placeholder", span)
        return
    for number, line in enumerate(content.split("\n"), 1):
        # Three dots alone are an empty body in Python.
        if _ELISION.fullmatch(line) and line.strip() != "...":
            place = f"line {number} of the content of {action.path}"
            yield _warn(f"{place} stands for text left out", span)


def _warn(message: str, span: Span) -> Diagnostic:
    hint = "write a real value: a model copies what it is shown"
    return Diagnostic("placeholder-in-example", message, span, Severity.WARNING, hint=hint)
