"""Write cases that test a port of the strict parser, and runners in three languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.repairs.rule import Rule
from .headers import header
from .losses import require_language
from .portable.cases import write_cases
from .portable.tables import portable_tables

SUMMARY = "cases that prove a port of the strict parser, with runners"
KIND = "data"
ENGINE = "node"
TOLERANT = False
_FOLDER = Path(__file__).parent / "portable" / "runners"
_RUNNERS = {"run.mjs": "// ", "run.py": "# ", "run.rs": "// "}


def write(
    dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None
) -> dict[str, str]:
    """Return the cases and the runners, by their names.

    Args:
        dialect: The dialect.
        tolerant: Not used: there is no tolerant form.
        rules: Not used.
    """
    # The cases are texts that lead to each state of the language.
    language = require_language(dialect, "conformance")
    files = {"cases.jsonl": write_cases(dialect, portable_tables(dialect), language)}
    for name, comment in _RUNNERS.items():
        text = (_FOLDER / name).read_text(encoding="utf-8")
        files[name] = header(dialect, "conformance", comment) + text
    return files
