"""What makes a document right beyond its syntax: one small function per check.

An error makes a document invalid, a warning does not. To add a check, write a function into the module of its subject,
with its sign (`@check(sign=…)`), and put it into `CHECKS`, or into `VALUE_CHECKS` if what it finds is surely not what
was meant.
"""

from __future__ import annotations

from pathlib import Path

from ..document import Document, Skipped
from ..grammar.dialect import Dialect
from ..grammar.loading import find_verbs
from ..recovery.doubts.confidence import mark_suspect
from ..text.diagnostics import Diagnostic, Severity
from . import contents, layouts, leftovers, sections, targets
from .check import Check, Signs, Verbs
from .signs import select_checks

# What reads rightly and is wrong all the same: the action is suspect.
VALUE_CHECKS: tuple[Check, ...] = (
    targets.check_paths,
    targets.check_templates,
    targets.check_commands,
    targets.check_heredocs,
    contents.check_fence,
    contents.check_left_out,
    contents.check_placeholders,
    contents.check_line_numbers,
    contents.check_html,
    contents.check_escapes,
    contents.check_diffs,
    contents.check_quotes,
    layouts.check_layout,
    layouts.check_versions,
    leftovers.check_tokens,
    leftovers.check_language_lines,
    leftovers.check_sections,
    leftovers.check_escaped_quotes,
)
CHECKS: tuple[Check, ...] = (
    sections.check_emptiness,
    sections.check_vitals,
    sections.check_verbs,
    sections.check_content,
    sections.check_targets,
    sections.check_repetition,
    sections.check_attributes,
    sections.check_numbers,
    sections.check_dependencies,
    sections.check_early_close,
    sections.check_marks,
)


def validate(document: Document, format: str | Path | Dialect | None = None) -> tuple[Diagnostic, ...]:
    """Return everything that is wrong or doubtful about a document, in the order of the checks.

    Which verbs are known is the dialect's business: that of `format`, else the installed one that the document names,
    else v2.
    """
    verbs = find_verbs(document.dialect, format)
    signs = find_signs(document, verbs)
    return (*_run(CHECKS, signs, verbs), *_run(VALUE_CHECKS, signs, verbs))


def find_signs(document: Document, verbs: Verbs) -> Signs:
    """Return the checks that may find something, each with what it is to be asked about; for most documents none."""
    return select_checks(document, verbs)


def examine(document: Document, verbs: Verbs, signs: Signs) -> tuple[Document, tuple[Diagnostic, ...]]:
    """Return the document whose actions with wrong values are suspect, and what `validate` finds by its signs."""
    known, doubts = _run(CHECKS, signs, verbs), _run(VALUE_CHECKS, signs, verbs)
    return mark_suspect(document, {doubt.span.start for doubt in doubts}), (*known, *doubts)


def errors(document: Document, format: str | Path | Dialect | None = None) -> tuple[Diagnostic, ...]:
    """Return only the findings that make the document invalid."""
    return tuple(finding for finding in validate(document, format) if finding.severity is Severity.ERROR)


def is_acceptable(document: Document) -> bool:
    """Return whether the document says anything at all: a partial result worth handing on."""
    return any(not isinstance(section, Skipped) for section in document.sections)


def _run(checks: tuple[Check, ...], signs: Signs, verbs: Verbs) -> tuple[Diagnostic, ...]:
    return tuple([finding for check in checks if check in signs for finding in check(signs[check], verbs)])
