"""Signs of what only the richer dialects say: numbers, attributes, longer delimiters and closers with a word.

Law: a broken text without these signs reads no cheaper in a dialect with all of these forms than in one without them.
"""

from __future__ import annotations

from functools import lru_cache

from ...grammar.dialect import Dialect
from ...patterns.regexes import Sieve, escape

_FORMS = frozenset(("numbers", "attributes", "end_marks", "fences"))


def may_have_further_forms(text: str, dialect: Dialect) -> bool:
    """Return whether a text may have what a dialect says beyond its family; it tells in one pass that it has not."""
    if dialect.own_sections or not dialect.forms <= _FORMS:
        return True
    return signs_of(dialect).may_occur(f"\n{text}\n")


def signs_of(dialect: Dialect) -> Sieve:
    """Return the signs of further forms, with the line endings around each line."""
    actions = {character for marks in dialect.relatives for character in marks["action"]}
    delimiters = (dialect.marks["open"], dialect.marks["close"])
    verbs = [verb for group in dialect.verbs.values() for verb in group]
    return _signs(dialect.marks["target"], "".join(sorted(actions)), delimiters, tuple(verbs))


@lru_cache(maxsize=8)
def _signs(target: str, actions: str, delimiters: tuple[str, str], verbs: tuple[str, ...]) -> Sieve:
    sign = r"[^0-9A-Za-z_\p{L}\n]"
    wide = r"[^\x00-\x7f\p{L}]"  # which rules may read as a sign of ASCII
    lead = rf"\n(?:{sign}|[0-9]{{1,3}}[.)])*"
    key = rf"{escape(target)}{sign}*(?:[0-9A-Za-z_-]*{sign}*(?:[:=]|[^\x00-\x7f])|{_KEYS})|{_KEYS}{sign}*(?:[:]|{wide})"
    number = rf"[{escape(actions)}]{sign}*[0-9]+(?:{sign}+[A-Za-z]|(?i:{'|'.join(verbs)}))"
    lone = rf"(?:[{escape(actions)}]{sign}*[0-9A-Za-z_-]+|(?i:{'|'.join(verbs)})){sign}*\n"  # its path may stand below
    opens, closes = (f"{'[ ]*'.join(map(escape, mark))}[ ]*" for mark in delimiters)
    longer = rf"{opens}{escape(delimiters[0][-1])}|{closes}[A-Za-z{escape(delimiters[1][-1])}]"
    escaped = rf"&(?:[lg]t|#)|\\[{escape(target + actions + ''.join(delimiters))}]"
    tag = r"\n[ \t]*(?:</|\[/|\[[0-9A-Za-z_]*[_ ](?i:end)\])"  # what a pair of them stands around may need a longer one
    return Sieve(rf"{lead}(?:{key}|{number}|{lone})|\n{sign}*{wide}|{wide}[ ]*{wide}|{longer}|{escaped}|{tag}")


_KEYS = "(?:path|deps|depends)"
