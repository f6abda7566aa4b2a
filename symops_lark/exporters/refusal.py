"""The error of all exports."""

from __future__ import annotations

from ..errors import SymOpsError


class ExportError(SymOpsError):
    """A dialect cannot be exported so; the message says which of its features stands where, and why."""
