"""Decide whether a caller means a dialect or the format of another agent, without loading it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..ground import resources
from .compiling.bounds import read_grammar

# By the rules that a format may have, the terminals of which it must have one whole row.
NEEDED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "write": (("PATH", "CONTENT"), ("PATH", "ADDED"), ("PATH", "INDENTED")),
    "edit": (("PATH", "SEARCH", "REPLACE"), ("PATH", "PATCH")),
    "delete": (("PATH",),),
    "command": (("COMMAND",),),
    "call": (("TOOL", "KEY", "VALUE"), ("JSON",)),
    "sample": (("CONTENT",),),
}
SEVERAL = "formats"  # the dialect of a document in several formats
_DOCUMENT = re.compile(r"(?m)^document[ \t]*:((?:[^\n]|\n[ \t]+)*)")
_RULE_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_COMMENT = re.compile(r"//[^\n]*")


@cache
def _installed() -> frozenset[str]:
    """Return the names of the installed formats."""
    folder = resources.find_folder("grammars") / "formats"
    return frozenset(path.stem for path in folder.glob("*.lark"))


def is_agent_format(format: object) -> bool:
    """Return whether a caller means the format of another agent.

    Args:
        format: What the caller gave: a name, a path, or a dialect.
    """
    if isinstance(format, str) and (format in _installed() or format == SEVERAL):
        return True
    if not isinstance(format, str | Path):
        return False
    path = Path(format)
    if path.suffix != ".lark":
        return False
    # The function that loads the file reports what is wrong with it.
    try:
        return is_format(read_grammar(path))
    except (OSError, UnicodeDecodeError, ValueError):
        return False


def is_format(text: str) -> bool:
    """Return whether a grammar is that of a format: its document has nothing but reserved rules.

    Args:
        text: The grammar.
    """
    match = _DOCUMENT.search(text)
    if match is None:
        return False
    # Words of a comment are not rules.
    rule = _COMMENT.sub("", match[1])
    names = _RULE_NAME.findall(rule)
    return bool(names) and all(name in NEEDED for name in names)
