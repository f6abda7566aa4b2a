"""Edits in notations that nobody reads, and whole new texts of real files: what is written without a question."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(
    str(Path(__file__).resolve().parents[2] / "tests" / "support")
)  # benchmarks and tests share their tools
