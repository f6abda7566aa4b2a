"""In place of what tells plain lines fast."""

from __future__ import annotations

from typing import Any


def stays_plain(repairer: Any, line: str, hits: Any) -> bool:
    """Return False: the line is respelt, which tells the same."""
    return False
