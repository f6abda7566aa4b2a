r"""Patterns of rules as every runtime spells them: no classes that differ, no categories of Unicode.

`\w`, `\d`, `\s` and `\b` mean ASCII in RE2 and all of Unicode in `re`; a category depends on the version of Unicode.
Both are spelt out here. Placeholders such as `{action}` stay.
"""

from __future__ import annotations

import re

_WORD = "0-9A-Za-z_"
_CLASSES = {"w": _WORD, "d": "0-9", "s": r"\t\n\f\r "}
_EDGE = rf"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_PIECES = re.compile(r"\\(?P<escaped>.)|(?P<open>\[\^?\]?)|(?P<close>\])|(?P<end>\$)", re.DOTALL)


def spell_out(pattern: str) -> str:
    """Return a pattern of `re`'s syntax whose classes are spelt as RE2 means them."""
    inside = False
    many_lines = "(?m" in pattern

    def spell(found: re.Match[str]) -> str:
        nonlocal inside
        letter = found["escaped"]
        if letter:
            if letter.lower() in _CLASSES:
                characters = _CLASSES[letter.lower()]
                if inside:
                    if letter.isupper():
                        raise ValueError(f"a negated class within a class: {pattern}")
                    return characters
                return f"[{'^' if letter.isupper() else ''}{characters}]"
            return _EDGE if letter == "b" and not inside else found[0]
        if found["open"] and not inside:
            inside = True
        elif found["close"]:
            inside = False
        elif found["end"] and not inside and not many_lines:
            return r"\Z"
        return found[0]

    return _PIECES.sub(spell, pattern)
