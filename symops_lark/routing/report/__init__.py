"""Report on a run log: passes and wins, rewards over time, cost against quality, promotions.

Every figure is one of `symops route log verify` or `stats`, whose JSON has it, or an event of the
registry.
"""

from __future__ import annotations

from .facts import RoutingReport
from .page import write_page
from .text import write_markdown

__all__ = ["RoutingReport", "write_markdown", "write_page"]
