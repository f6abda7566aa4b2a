"""In place of the choice of a dialect for the checks: it is at hand."""

from __future__ import annotations

from ...diagnostics import Diagnostic
from ...document import Document
from ...grammar.dialect import Dialect
from ...validator.check import Check


def _run(checks: tuple[Check, ...], document: Document, format: Dialect) -> tuple[Diagnostic, ...]:
    return tuple([finding for check in checks for finding in check(document, format.verbs)])
