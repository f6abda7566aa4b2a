"""Decide which definition a use of a name belongs to, from the text of the files."""

from __future__ import annotations

from .judging import Owners, Verdict
from .meaning import Elsewhere
from .sources import Sources
from .trees import Sought

__all__ = ["Elsewhere", "Owners", "Sought", "Sources", "Verdict"]
