"""Detect signs of the forms that only richer dialects have.

These forms are numbers of actions, attributes, longer delimiters, and closers with a word. The
signs are necessary, not sufficient. Invariant: a broken text without them costs no less in a
dialect with all of these forms than in one without any, so `detection` need not read it with the
richer dialect (`tests/core/recovery/test_further_forms.py`).
"""

from __future__ import annotations

from functools import lru_cache

from ...grammar.dialect import Dialect
from ...patterns.regexes import Sieve, escape

_FORMS = frozenset(("numbers", "attributes", "end_marks", "fences"))
_KEYS = "(?:path|deps|depends)"


def may_have_further_forms(text: str, dialect: Dialect) -> bool:
    """Return whether a text may have forms that the family of a dialect lacks.

    Args:
        text: A broken text; its lines end with line feeds only.
        dialect: The richer dialect.

    Returns:
        False only if one pass over the text shows that it has none of these forms. True for
        dialects with custom sections or other forms, for which no signs are known.
    """
    if dialect.own_sections or not dialect.forms <= _FORMS:
        return True
    return signs_of(dialect).may_occur(f"\n{text}\n")


def signs_of(dialect: Dialect) -> Sieve:
    """Return the signs of further forms; they expect a line feed before and after each line."""
    actions: set[str] = set()  # the characters that action marks of the family consist of
    for marks in dialect.relatives:
        actions.update(marks["action"])
    return _signs(
        dialect.marks["target"],
        "".join(sorted(actions)),
        dialect.marks["open"],
        dialect.marks["close"],
        dialect.any_verb,
    )


@lru_cache(maxsize=8)
def _signs(target: str, actions: str, opener: str, closer: str, any_verb: str) -> Sieve:
    """Return the pattern of all signs; each alternative below names lines that it matches."""
    verb = f"(?i:{any_verb})"
    action = f"[{escape(actions)}]"
    sign = r"[^0-9A-Za-z_\p{L}\n]"
    wide = r"[^\x00-\x7f\p{L}]"  # rules may read a wide character as the ASCII one: `＠` as `@`
    not_ascii = r"[^\x00-\x7f]"
    prefix = rf"\n(?:{sign}|[0-9]{{1,3}}[.)])*"
    # Attributes: "@path: a.py", "@ deps = b.py", "path: a.py"; not "see the path".
    any_key = rf"[0-9A-Za-z_-]*{sign}*(?:[:=]|{not_ascii})"
    marked_key = rf"{escape(target)}{sign}*(?:{any_key}|{_KEYS})"
    bare_key = rf"{_KEYS}{sign}*(?:[:]|{wide})"
    # Numbers of actions: "::1 create", "::2create"; not "::create".
    number = rf"{action}{sign}*[0-9]+(?:{sign}+[A-Za-z]|{verb})"
    # An action line without a path, which may be an attribute below it: "::create", "create".
    lone = rf"(?:{action}{sign}*[0-9A-Za-z_-]+|{verb}){sign}*\n"
    # Longer delimiters and closers with a word: "<<<<", "< < < <", ">>>end".
    longer_opener = _spread(opener) + escape(opener[-1])
    longer_closer = _spread(closer) + f"[A-Za-z{escape(closer[-1])}]"
    # Characters that transport escaped: "&lt;", "&#64;", "\@".
    marks = escape(target + actions + opener + closer)
    escaped = rf"&(?:[lg]t|#)|\\[{marks}]"
    # Closing tags: a content between tags may need a longer delimiter.
    tag = r"\n[ \t]*(?:</|\[/|\[[0-9A-Za-z_]*[_ ](?i:end)\])"
    alternatives = [
        rf"{prefix}(?:{marked_key}|{bare_key}|{number}|{lone})",
        rf"\n{sign}*{wide}",
        rf"{wide}[ ]*{wide}",
        longer_opener,
        longer_closer,
        escaped,
        tag,
    ]
    return Sieve("|".join(alternatives))


def _spread(mark: str) -> str:
    """Return the pattern of a mark with blanks between its characters and after them."""
    return "".join(f"{escape(character)}[ ]*" for character in mark)
