"""Check custom repair rules before they are exported.

Patterns run in RE2 here, in time that is linear in the text. In exported parsers they run in `re`
and in JavaScript, which backtrack: a text can keep some patterns busy for a very long time. The
installed rules have no such patterns. Custom rules are refused unless the user allows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..core.grammar.compiling.ambiguity import find_attack
from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.grammar.compiling.positions import Undecided, Unreadable
from ..core.grammar.dialect import Dialect
from ..core.grammar.loading import load_grammar
from ..core.ground.errors import ExportError
from ..core.patterns.pattern_syntax import parse, spell_as_re
from ..core.repairs.loader import load_rules
from ..core.repairs.rule import Rule, fill_pattern
from .bundle.patterns import PATTERNS, spell_out


def require_rules(
    dialect: Dialect, folders: Sequence[str | Path], allow_re: bool
) -> tuple[Rule, ...]:
    """Return the installed rules and those of folders.

    Args:
        dialect: The dialect.
        folders: The folders.
        allow_re: Whether custom rules may have patterns.

    Raises:
        ExportError: A rule cannot be exported, or is not allowed. The message has its place.
        RuleError: A rule is invalid.
    """
    for rule in find_own_rules(dialect, folders):
        patterns = _patterns(rule, dialect)
        if patterns and not allow_re:
            raise ExportError(str(rule.error(_refusal(rule, patterns))))
    return load_rules(dialect, folders)


def find_own_rules(dialect: Dialect, folders: Sequence[str | Path]) -> list[Rule]:
    """Return the rules of folders that are for a dialect."""
    # The loader returns the installed rules too.
    installed = load_rules(dialect)
    return [rule for rule in load_rules(dialect, folders) if rule not in installed]


def find_traps(dialect: Dialect, folders: Sequence[str | Path]) -> tuple[str, ...]:
    """Return a warning for each pattern of custom rules that a text can keep busy in `re`."""
    warnings = []
    for rule in find_own_rules(dialect, folders):
        for trap in _describe_traps(_patterns(rule, dialect)):
            message = str(rule.error(f"in an export {trap}"))
            # The place is written by the error, but the rule works.
            warnings.append(message.replace(": error: ", ": warning: ", 1))
    return tuple(warnings)


def find_losses(
    name: str, format: str | Path | WrittenDialect = "v2", *, rules: Sequence[str | Path] = ()
) -> tuple[str, ...]:
    """Return what `find_traps` finds; the features of a dialect mean the same in each export.

    Args:
        name: The export, which does not count any more.
        format: The dialect: its name, the path of a .lark file, or a loaded grammar.
        rules: Folders with custom repair rules.
    """
    return find_traps(load_grammar(format), rules) if rules else ()


def _patterns(rule: Rule, dialect: Dialect) -> list[str]:
    """Return the patterns of a rule for `re`.

    Raises:
        ExportError: `re` cannot run a pattern.
    """
    argument = rule.argument if isinstance(rule.argument, dict) else {}
    patterns = []
    try:
        for key in PATTERNS:
            if key in argument:
                pattern = fill_pattern(str(argument[key]), dialect)
                parse(pattern)
                spelled = spell_out(spell_as_re(pattern))
                re.compile(spelled)
                patterns.append(spelled)
    except (ValueError, re.error) as error:
        raise ExportError(str(rule.error(f"exported parsers cannot run this: {error}"))) from None
    return patterns


def _describe_traps(patterns: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each pattern that a text can keep busy, or may."""
    for pattern in patterns:
        try:
            attack = find_attack(pattern)
        except Undecided as error:
            yield f"it is unknown whether a text keeps this pattern busy: {error}"
        # The pattern has something that the analysis does not know.
        except Unreadable:
            continue
        else:
            if attack is not None:
                yield f"a text keeps this pattern busy: on {attack}, {attack.growth}"


def _refusal(rule: Rule, patterns: Sequence[str]) -> str:
    unknown = "a text may keep it busy without an end, though none is known"
    trap = next(_describe_traps(patterns), unknown)
    return (
        f"in an export the pattern of {rule.id} runs in `re`, which backtracks where RE2 does not,"
        f" and {trap}. If you trust it anyway, allow it: --allow-re (allow_re=True)"
    )
