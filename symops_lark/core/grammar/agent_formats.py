"""Decide whether a caller means a dialect or the format of another agent, without loading it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..ground import resources
from ..ground.errors import GrammarError
from .compiling.bounds import read_grammar

# By the rules that a format may have, the terminals of which it must have one whole row.
NEEDED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "write": (("PATH", "CONTENT"), ("PATH", "ADDED"), ("PATH", "INDENTED")),
    "edit": (("PATH", "SEARCH", "REPLACE"), ("PATH", "PATCH")),
    "delete": (("PATH",),),
    "command": (("COMMAND",),),
    "call": (("TOOL", "KEY", "VALUE"), ("JSON",), ("PYTHON",)),
    "sample": (("CONTENT",),),
}
SEVERAL = "formats"  # the dialect of a document in several formats
_DOCUMENT = re.compile(r"(?m)^document[ \t]*:((?:[^\n]|\n[ \t]+)*)")
_RULE_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_COMMENT = re.compile(r"//[^\n]*")
# Lark itself refuses a terminal that may be empty, so only formats have these.
_FREE_TEXTS = ("/(.|\\n)*/", "/([^\\n]*\\n)*/")
# What a dialect, a recovery grammar or a grammar of Lark has, and no format.
_NO_FORMAT = re.compile(r"(?m)^(?:%|_[A-Z]+:[ \t]*\"|[?!]*(?:start|action|body)\b)")


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
    """Return whether a grammar is meant as that of a format.

    The document of a format has nothing but reserved rules. If one is misnamed, the other rules
    and the free texts say what the file is, so that the loader of formats names the mistake.

    Args:
        text: The grammar.
    """
    match = _DOCUMENT.search(text)
    if match is None:
        return False
    # Words of a comment are not rules.
    rule = _COMMENT.sub("", match[1])
    names = _RULE_NAME.findall(rule)
    if not names:
        return False
    if all(name in NEEDED for name in names):
        return True
    if _NO_FORMAT.search(text):
        return False
    return any(name in NEEDED for name in names) or any(free in text for free in _FREE_TEXTS)


def refuse_candidate(file: str) -> GrammarError:
    """Return the error for the file of a format among those that `auto` considers.

    Args:
        file: The file.
    """
    return GrammarError(
        f"{file} is a format of another agent: `auto` considers files of dialects only, besides "
        f"the installed formats; name it: --format {file}"
    )


def refuse_format(name: str) -> GrammarError:
    """Return the error for a format of another agent where a dialect is needed.

    Args:
        name: The name of the format.
    """
    message = f"{name} is a format of another agent, not a dialect"
    doors = "process, parse, recover, convert and StreamParser take it"
    return GrammarError(f"{message}: {doors}")
