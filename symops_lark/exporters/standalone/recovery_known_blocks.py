"""In place of what finds the blocks that are surely whole: all lines are read, which tells the same."""

from __future__ import annotations

from typing import Any


def find_known(text: str, lexer: Any) -> Any:
    """Return None."""
    return None
