r"""Patterns of rules as every runtime spells them: no classes that differ, no categories of Unicode.

`\w`, `\d`, `\s` and `\b` mean ASCII in RE2 and all of Unicode in `re`; a category depends on the version of Unicode.
Both are spelt out here. Placeholders such as `{action}` stay.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

PATTERNS = ("pattern", "unless")  # the keys under which rules have one
_WORD = "0-9A-Za-z_"
_CLASSES = {
    "w": _WORD,
    "d": "0-9",
    "s": r"\t\n\f\r ",
    "W": r"\x00-/:-@\[-\^`{-\U0010ffff",
    "D": r"\x00-/:-\U0010ffff",
    "S": r"\x00-\x08\x0b\x0e-\x1f!-\U0010ffff",
}
_PLACES = {
    "b": rf"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    "B": rf"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))",
}
_PIECES = re.compile(
    r"\\(?P<escaped>.)|(?P<open>\[\^?\]?)|(?P<close>\])|(?P<end>\$)"
    r"|\((?:\?(?P<on>[a-z]*)(?:-(?P<off>[a-z]+))?(?P<flags>[:)]))?|(?P<shut>\))|(?P<bar>\|)",
    re.DOTALL,
)
_BLANKS = re.compile(r"\[ \\t\][*+]")
_GROUP = re.compile(r"\\(?:([1-9][0-9]?)|g<(\w+)>)")
_REST = re.compile(r"(?:[^\\]|\\.|\\\Z)+?(?=\\[1-9]|\\g<|\Z)", re.DOTALL)


def spell_out(pattern: str) -> str:
    """Return a pattern of `re`'s syntax whose classes are spelt as RE2 means them; raise `ValueError` if it cannot be.

    `$` is the end of the text, unless the flag `m` is set where it stands.
    """
    inside = False
    scopes = [False]  # whether lines have ends of their own, in each group that is open

    def spell(found: re.Match[str]) -> str:
        nonlocal inside
        if found["escaped"]:
            return _spell_escape(found["escaped"], inside)
        if inside:
            inside = not found["close"]
        elif found["open"]:
            inside = True
        elif found["end"]:
            return found[0] if scopes[-1] else r"\Z"
        elif found["shut"]:
            scopes.pop()
        elif found[0].startswith("("):
            many = "m" in (found["on"] or "") or (scopes[-1] and "m" not in (found["off"] or ""))
            if found["flags"] == ")":
                scopes[-1] = many
            else:
                scopes.append(many)
        return found[0]

    return _PIECES.sub(spell, pattern)


def begin_with_runs(pattern: str) -> str:
    r"""Return a pattern that a search tries once in each run of blanks, and not at each blank of it.

    RE2 needs one pass for `[ \t]*,`, but engines that go back take quadratic time for a line of blanks. A match that
    begins within the run also begins at its first blank, where a search finds it before, so nothing else is found.

    Args:
        pattern: A pattern for searches in a line, in `re`'s syntax; blanks at its beginning are written `[ \t]`.

    Returns:
        The same pattern, with a look back before blanks at its beginning.
    """
    places: list[int] = []
    # Of each open group: whether it begins the pattern, and how many places there were before it.
    groups = [(True, 0)]
    lead = 0
    for piece in _marks_of_structure(pattern):
        if piece.start() == lead and _BLANKS.match(pattern, lead):
            places.append(lead)
        elif piece["bar"]:
            lead = piece.end() if groups[-1][0] else -1
        elif piece["shut"]:
            _, count = groups.pop()
            # The second turn of a repeated group may begin within a run.
            if pattern[piece.end() : piece.end() + 1] in ("*", "+", "{"):
                del places[count:]
        elif piece[0].startswith("("):
            is_first = piece.start() == lead
            if is_first:
                lead = piece.end()
            if piece["flags"] != ")":
                groups.append((is_first, len(places)))
    for place in reversed(places):
        pattern = f"{pattern[:place]}(?<![ \\t]){pattern[place:]}"
    return pattern


def _marks_of_structure(pattern: str) -> Iterator[re.Match[str]]:
    """Yield what opens classes and groups, divides and closes groups; nothing within a class."""
    inside = False
    for piece in _PIECES.finditer(pattern):
        if piece["escaped"]:
            continue
        if inside:
            inside = not piece["close"]
        else:
            inside = bool(piece["open"])
            yield piece


def _spell_escape(letter: str, inside: bool) -> str:
    if letter in _CLASSES:
        if inside:
            return _CLASSES[letter]
        return f"[{'^' if letter.isupper() else ''}{_CLASSES[letter.lower()]}]"
    if letter in "0123456789":
        raise ValueError(rf"\{letter} is a number in base eight or a backreference: write the character as \x{{…}}")
    return _PLACES[letter] if letter in _PLACES and not inside else f"\\{letter}"


def spell_template(template: str) -> str:
    r"""Return a replacement of RE2's syntax as every runtime reads it: characters as they are, and `\1` or `\g<name>`.

    Raises `ValueError` for an escape that is none.
    """
    made, at = "", 0
    while at < len(template):
        group = _GROUP.match(template, at)
        if group is not None:
            at = group.end()
            short = group[1] and template[at : at + 1] not in ("{", *"0123456789")
            made += f"\\{group[1]}" if short else rf"\g<{group[1] or group[2]}>"
        else:
            plain = _REST.match(template, at)
            assert plain is not None
            made += _decode(plain[0]).replace("\\", "\\\\")
            at = plain.end()
    return made


def _decode(text: str) -> str:
    """Return a text whose escapes are those of Python's texts, as RE2's own module reads them."""
    return codecs.unicode_escape_decode(text.encode("ascii", "backslashreplace"))[0]
