"""Which definition a use of a name belongs to, as far as the text of the files tells."""

from __future__ import annotations

from .judging import Owners, Verdict
from .meaning import Elsewhere
from .sources import Sources
from .trees import Sought

__all__ = ["Elsewhere", "Owners", "Sought", "Sources", "Verdict"]
