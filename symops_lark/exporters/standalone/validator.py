"""In place of the signs of what checks look for, which RE2 finds in Python: each check is asked about everything."""

from __future__ import annotations

from ...document import Document
from ...validator import CHECKS, VALUE_CHECKS
from ...validator.check import Signs, Verbs


def find_signs(document: Document, verbs: Verbs) -> Signs:
    """Return all checks, each with the whole document."""
    return dict.fromkeys((*CHECKS, *VALUE_CHECKS), document)
