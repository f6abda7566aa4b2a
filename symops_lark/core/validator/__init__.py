"""Validate a document beyond its syntax: one small function per check.

Purpose: a text can parse and still not be what the model intended. An action without a target, a
dependency circle or `&lt;` for `<` throughout a file are valid syntax. Checks report them as
diagnostics: an error makes the document invalid, a warning does not.

Invariants:

1. A check reports nothing about an action that lacks the check's sign (`signs`), so only the checks
   whose signs occur are run (`tests/core/validator/test_signs.py`).
2. A diagnostic of `VALUE_CHECKS` makes its action `suspect`, one of `CHECKS` does not
   (`tests/core/validator/test_values.py`).
3. Checks do not change contents, and they report nothing that is normal in the language of a file
   (`tests/core/validator/test_values.py` runs them over this repository).
4. The time is linear in the text (same file).

Worked example: `::create @a.py` with the content `x = 1\\ny = 2` on one line. `select_checks`
finds one sign, a content of one line, and returns `check_escapes` and `check_placeholders` with
this action. `check_placeholders` yields nothing; `check_escapes` yields a warning `escaped-lines`.
`examine` then marks the action as `suspect`.

To add a check, write a function in the module of its subject, name its sign (`@check(sign=…)`), and
add it to `CHECKS`, or to `VALUE_CHECKS` if its diagnostics mean that the action is almost certainly
not what the model intended. `docs/reference/findings.md` lists the codes.

Not here: syntax (`strict`), changes of a text (`repairs`), doubts about where a block ends
(`recovery.doubts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..document import Document, Skipped
from ..grammar.codes import LOST_ACTION
from ..grammar.dialect import Dialect
from ..grammar.loading import find_verbs
from ..recovery.doubts.confidence import mark_suspect
from ..text.diagnostics import Diagnostic, Severity
from . import commands, contents, layouts, leftovers, sections, targets
from .check import Check, Signs, Verbs
from .signs import select_checks

# Checks of values: what they report parses, but is almost certainly not what the model intended,
# so the action becomes suspect. Diagnostics are reported in the order of these tables.
VALUE_CHECKS: tuple[Check, ...] = (
    targets.check_paths,
    targets.check_templates,
    commands.check_commands,
    commands.check_heredocs,
    commands.check_calls,
    commands.check_entities,
    commands.check_second_actions,
    commands.check_comments,
    commands.check_blocks,
    leftovers.check_binaries,
    leftovers.check_edges,
    leftovers.check_objects,
    contents.check_fence,
    contents.check_left_out,
    contents.check_placeholders,
    contents.check_line_numbers,
    contents.check_html,
    contents.check_escapes,
    contents.check_diffs,
    leftovers.check_quotes,
    layouts.check_layout,
    layouts.check_versions,
    leftovers.check_language_lines,
    leftovers.check_escaped_quotes,
)
# Checks of sections, and of how they fit together.
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


def validate(
    document: Document, format: str | Path | Dialect | None = None
) -> tuple[Diagnostic, ...]:
    """Return all diagnostics of a document, in the order of the checks.

    Args:
        document: The document; it does not change.
        format: The dialect whose verbs are valid: its name, the path of its grammar, or a loaded
            dialect. None: the installed dialect that the document names, or v2.

    Returns:
        Errors and warnings; empty if there is nothing to report. Spans refer to the text that the
        document was read from.
    """
    verbs = find_verbs(document.dialect, format)
    signs = find_signs(document, verbs)
    return (*_run(CHECKS, signs, verbs), *_run(VALUE_CHECKS, signs, verbs))


# Exported parsers replace this function: they run all checks, so `signs` is not part of them.
def find_signs(document: Document, verbs: Verbs) -> Signs:
    """Return the checks that may report something, each with the part of the document to check.

    For most documents there are none.
    """
    return select_checks(document, verbs)


def examine(
    document: Document, verbs: Verbs, signs: Signs
) -> tuple[Document, tuple[Diagnostic, ...]]:
    """Run the selected checks, and mark the actions with doubtful values as suspect.

    Args:
        document: The document.
        verbs: The verbs of its dialect.
        signs: The result of `find_signs` for this document.

    Returns:
        The document with the marks, and the same diagnostics as `validate`.
    """
    diagnostics = _run(CHECKS, signs, verbs)
    doubts = _run(VALUE_CHECKS, signs, verbs)
    starts = {doubt.span.start for doubt in doubts}
    return mark_suspect(document, starts), (*diagnostics, *doubts)


def errors(
    document: Document, format: str | Path | Dialect | None = None
) -> tuple[Diagnostic, ...]:
    """Return only the diagnostics that make a document invalid.

    Args:
        document: The document.
        format: The dialect, as for `validate`.
    """
    diagnostics = validate(document, format)
    return tuple(item for item in diagnostics if item.severity is Severity.ERROR)


def is_acceptable(document: Document) -> bool:
    """Return whether a document has any section that could be read, so it is a useful result.

    Thoughts are none if what follows them was not read (`find_unread`).
    """
    # `map` is faster than a generator, and every document is asked.
    if {Skipped}.issuperset(map(type, document.sections)):
        return False
    return not any(map(_is_unread, document.diagnostics))


def explain_nothing(findings: Sequence[Diagnostic]) -> str:
    """Return in words why a document is not acceptable.

    Args:
        findings: Its diagnostics.
    """
    for finding in findings:
        if _is_unread(finding):
            return finding.message
    return "no phase found a section in the reply"


def _is_unread(finding: Diagnostic) -> bool:
    return finding.code == LOST_ACTION and finding.severity is Severity.ERROR


def _run(checks: tuple[Check, ...], signs: Signs, verbs: Verbs) -> tuple[Diagnostic, ...]:
    diagnostics: list[Diagnostic] = []
    for check in checks:
        if check in signs:
            diagnostics += check(signs[check], verbs)
    return tuple(diagnostics)
