"""Keep the processors with default settings: those of the public functions."""

from __future__ import annotations

from pathlib import Path

from .grammar.dialect import Dialect
from .processor import SymOpsProcessor

# The processors of the functions, by dialect and rules. Loading a dialect and its rules takes
# longer than most replies.
_PROCESSORS: dict[tuple[str | Dialect, tuple[str, ...]], SymOpsProcessor] = {}


def known_processor(format: str | Path | Dialect, rules: tuple[str, ...]) -> SymOpsProcessor:
    """Return a processor with default settings, which is kept for further calls.

    Args:
        format: A dialect, its name, a path to a `.lark` file, or "auto".
        rules: Folders and files of custom repair rules.
    """
    # Two dialects may have one name, and one grammar with two recovery grammars.
    name: str | Dialect = str(format)
    if isinstance(format, Dialect):
        name = format
    key = (name, rules)
    processor = _PROCESSORS.get(key)
    if processor is None or rules:
        processor = SymOpsProcessor(format, rules=rules)
        # Files may change between two calls: what is read from them is not kept.
        if not rules and not str(format).endswith(".lark"):
            _PROCESSORS[key] = processor
    return processor
