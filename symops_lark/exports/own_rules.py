"""Rules of users in an export: refused unless they are allowed, and what a text can do to their patterns.

Here patterns run in RE2, whose time grows with the text and no faster. In exported parsers they run in `re` and in
JavaScript's engine, which go back and try again. The installed rules are known to be free of traps; those of users not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..core.grammar.compiling.ambiguity import find_attack
from ..core.grammar.compiling.positions import Undecided, Unreadable
from ..core.grammar.dialect import Dialect
from ..core.ground.errors import ExportError
from ..core.patterns.pattern_syntax import parse, spell_as_re
from ..core.repairs.loader import load_rules
from ..core.repairs.rule import Rule, fill_pattern
from .bundle.patterns import PATTERNS, spell_out, spell_template


def require_rules(dialect: Dialect, folders: Sequence[str | Path], allow_re: bool) -> tuple[Rule, ...]:
    """Return the installed rules and those of folders; raise `ExportError` with the place of one that cannot be kept.

    Raises `RuleError` for what is no rule.
    """
    for rule in find_own_rules(dialect, folders):
        patterns = _patterns(rule, dialect)
        if patterns and not allow_re:
            raise ExportError(str(rule.error(_refusal(rule, patterns))))
    return load_rules(dialect, folders)


def find_own_rules(dialect: Dialect, folders: Sequence[str | Path]) -> list[Rule]:
    """Return the rules of folders that are meant for a dialect."""
    installed = load_rules(dialect)
    return [rule for rule in load_rules(dialect, folders) if rule not in installed]


def find_traps(dialect: Dialect, folders: Sequence[str | Path]) -> tuple[str, ...]:
    """Return what a text can do to the patterns of rules where they run in `re`, a sentence each, with its place."""
    return tuple(
        str(rule.error(f"in an export {trap}")).replace(": error: ", ": warning: ", 1)
        for rule in find_own_rules(dialect, folders)
        for pattern in _patterns(rule, dialect)
        for trap in _describe_trap(pattern)
    )


def _patterns(rule: Rule, dialect: Dialect) -> list[str]:
    """Return the patterns of a rule as `re` runs them; raise `ExportError` if it cannot."""
    named = rule.argument if isinstance(rule.argument, dict) else {}
    filled = [fill_pattern(str(named[key]), dialect) for key in PATTERNS if key in named]
    try:
        for pattern in filled:
            parse(pattern)
        spelt = [spell_out(spell_as_re(pattern)) for pattern in filled]
        if "with" in named:
            re.compile(spelt[0]).sub(spell_template(str(named["with"])), "")
    except (ValueError, re.error) as error:
        raise ExportError(str(rule.error(f"exported parsers cannot run this: {error}"))) from None
    return spelt


def _describe_trap(pattern: str) -> Iterator[str]:
    try:
        attack = find_attack(pattern)
    except Undecided as error:
        yield f"it cannot be told whether a text keeps this pattern busy: {error}"
    except Unreadable:
        return
    else:
        if attack is not None:
            yield f"a text keeps this pattern busy: on {attack}, {attack.growth}"


def _refusal(rule: Rule, patterns: list[str]) -> str:
    traps = [trap for pattern in patterns for trap in _describe_trap(pattern)]
    known = traps[0] if traps else "a text may keep it busy without an end, though none is known"
    return (
        f"in an export the pattern of {rule.id} runs in `re`, which goes back and tries again where RE2 does not, and "
        f"{known}. If you trust it all the same, allow it: --allow-re (allow_re=True)"
    )
