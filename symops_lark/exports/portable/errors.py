"""Freeze what a runtime needs to explain an error as `strict/explain` does."""

from __future__ import annotations

from collections.abc import Callable

from ...core.grammar.codes import STRAY_DELIMITER, STRAY_TEXT
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.lalr import read_states
from ...core.grammar.mistakes import Mistake, load_mistakes
from ...core.strict.explain import REPORTED_AS, line_checks
from ...core.text.source import Span
from .dfa import JsonTable, Rows, join_patterns, minimize, squeeze

ATTRIBUTE_LINES = "path_key"  # the mark of dialects that name a path in an attribute line
_SPAN = Span(0, 0, 1, 1)


def freeze_errors(
    dialect: WrittenDialect, frozen: JsonTable, pack: Callable[[Rows], list[str]]
) -> JsonTable:
    """Return the words of strict errors, and the lines that are nearly a section as an automaton.

    Args:
        dialect: The dialect.
        frozen: Its tables (`freeze_strict`).
        pack: Writes rows as texts.
    """
    mistakes = load_mistakes(dialect)
    patterns = []
    near = []
    for code, pattern in line_checks(dialect):
        # A possessive repetition takes no less here: what follows it takes the same characters.
        plain = pattern.replace("]++", "]+")
        patterns.append(f"(?:{plain})\n")
        reported = REPORTED_AS.get(code, code)
        near.append([reported, *_words(mistakes[code])])
    dfa, rows, match = join_patterns(patterns)
    rows, match, starts = minimize(rows, match, [0])
    rows, cuts = squeeze(rows, dfa.alphabet)
    words = {}
    for code in (STRAY_DELIMITER, STRAY_TEXT):
        words[code] = _words(mistakes[code])
    return {
        "classes": cuts,
        "rows": pack(rows),
        "match": match,
        "start": starts[0],
        "near": near,
        "mistakes": words,
        "path_key": dialect.marks.get(ATTRIBUTE_LINES),
        "target": dialect.marks.get("target", ""),
        "open": dialect.marks["open"],
        "close": dialect.marks["close"],
        "behind_block": _find_block_states(frozen["lalr"]),
    }


def _words(mistake: Mistake) -> list[str]:
    """Return the message and the hint of a mistake as its diagnostic has them."""
    diagnostic = mistake.diagnose(_SPAN)
    return [diagnostic.message, diagnostic.hint]


def _find_block_states(lalr: JsonTable) -> list[int]:
    """Return the states after a block that belongs to an action."""
    states = read_states(lalr)
    after_block = set()
    for accepted in states:
        is_shift, target = accepted.get("BLOCK", (False, 0))
        if is_shift:
            after_block.add(target)
    of_actions = set()
    for number in after_block:
        for is_shift, rule in states[number].values():
            # The block ends an action if the action is reduced right after it.
            if not is_shift and lalr["rules"][rule][0] == "action":
                of_actions.add(number)
    return sorted(of_actions)
