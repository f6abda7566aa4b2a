"""Patterns of `re` that a text can keep busy: its engine tries every division of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from symops_lark.core.grammar.compiling import positions
from symops_lark.core.grammar.compiling.ambiguity import find_attack
from symops_lark.core.grammar.compiling.positions import Undecided

# Each refers back to its own beginning, all of whose signs it takes: it is read in one way.
EXPLAINED = {
    r"[ \t\r\n]*(```+|~~~+)(?!~)[^\n`]*\n(?:[^\n]*\n)+\1[`~]*[ \t\r\n]*",
    # Only lines are matched, and what follows the last ` b/` is any text of a line.
    r"diff --git a/[^\n]+ b/([^\n]+)",
}


def to_its_end(pattern: str) -> str:
    """Return a pattern that a character of no text follows; flags for all of it are still in front."""
    flags, bare = split_flags(pattern)
    return f"{flags}(?:{bare})\\x00"


def after_any_text(pattern: str) -> str:
    """Return a pattern as it is searched for: it may begin at each place of a text."""
    flags, bare = split_flags(pattern)
    return f"{flags}[^\\x00]*(?:{bare})"


def split_flags(pattern: str) -> tuple[str, str]:
    """Return the flags for all of a pattern, which must be in front, and the rest."""
    match = re.match(r"\(\?[a-z]+\)", pattern)
    flags = match[0] if match else ""
    return flags, pattern.removeprefix(flags)


def as_re(pattern: str) -> str:
    """Return a pattern as `re` reads it: RE2 has another spelling of a character's number."""
    return re.sub(r"\\x\{([0-9A-Fa-f]+)\}", lambda found: f"\\U{int(found[1], 16):08x}", pattern)


def find_traps(patterns: Iterable[str]) -> dict[str, str]:
    """Return the patterns on which a text multiplies the trials, or of which that cannot be told, and why."""
    fields = {}
    with pytest.MonkeyPatch.context() as patch:
        # Ours may be longer than those of somebody's own grammar.
        patch.setattr(positions, "MAX_POSITIONS", 20_000)
        patch.setattr(positions, "MAX_STEPS", 20_000_000)
        find_attack.cache_clear()
        for pattern in sorted(set(patterns) - EXPLAINED - {*map(to_its_end, EXPLAINED)}):
            try:
                attack = find_attack(as_re(pattern))
            except Undecided as error:
                fields[pattern] = str(error)
                continue
            if attack is not None:
                fields[pattern] = f"{attack.growth}: {attack}"
    find_attack.cache_clear()
    return fields
