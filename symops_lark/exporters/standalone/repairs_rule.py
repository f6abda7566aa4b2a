"""In place of files of rules, and of what RE2 wants of templates: these engines take every character."""

from __future__ import annotations

from typing import Any

from ...grammar.dialect import Dialect
from ...repairs.rule import fill_text

_UNSAID: dict[str, Any] = {"phase": "", "path": None, "dialects": (), "touches": "markup", "why": ""}


def fill_template(text: str, dialect: Dialect) -> str:
    """Return a replacement with the dialect's marks in it."""
    return fill_text(text, dialect)
