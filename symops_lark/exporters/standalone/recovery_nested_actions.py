"""In place of what finds the contents that may hold an action by their lines: by their mark, of which more have one."""

from __future__ import annotations

from ...grammar.dialect import Dialect


def _has_head(content: str, mark: str, dialect: Dialect) -> bool:
    return mark in content
