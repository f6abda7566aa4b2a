r"""Write the patterns of rules so that all runtimes read them in the same way.

In RE2, `\w`, `\d`, `\s` and `\b` are about ASCII; in `re`, they are about all of Unicode. What a
category such as `\p{L}` contains depends on the version of Unicode. So all of these are written as
classes of characters. Placeholders such as `{action}` are not changed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

PATTERNS = ("pattern", "unless")  # the keys of a rule whose values are patterns
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
# The pieces of a pattern that matter here: escapes, the ends of classes and groups, `$`, `|`.
_PIECE = re.compile(
    r"\\(?P<escaped>.)|(?P<open>\[\^?\]?)|(?P<close>\])|(?P<end>\$)"
    r"|\((?:\?(?P<on>[a-z]*)(?:-(?P<off>[a-z]+))?(?P<flags>[:)]))?|(?P<shut>\))|(?P<bar>\|)",
    re.DOTALL,
)
_BLANKS = re.compile(r"\[ \\t\][*+]")
_REFERENCE = re.compile(r"\\(?:([1-9][0-9]?)|g<(\w+)>)")
# The text up to the next reference to a group.
_PLAIN = re.compile(r"(?:[^\\]|\\.|\\\Z)+?(?=\\[1-9]|\\g<|\Z)", re.DOTALL)


def spell_out(pattern: str) -> str:
    """Return a pattern of `re` whose classes are written as in RE2.

    `$` becomes the end of the text, except where the flag `m` is set.

    Raises:
        ValueError: The pattern has an octal number or a backreference.
    """
    is_in_class = False
    # Whether the flag `m` is set, for each open group.
    flags = [False]

    def spell(match: re.Match[str]) -> str:
        nonlocal is_in_class
        if match["escaped"]:
            return _spell_escape(match["escaped"], is_in_class)
        if is_in_class:
            is_in_class = not match["close"]
        elif match["open"]:
            is_in_class = True
        elif match["end"]:
            return match[0] if flags[-1] else r"\Z"
        elif match["shut"]:
            flags.pop()
        elif match[0].startswith("("):
            is_kept = flags[-1] and "m" not in (match["off"] or "")
            is_multiline = is_kept or "m" in (match["on"] or "")
            if match["flags"] == ")":
                # `(?m)` sets the flag of the group around it.
                flags[-1] = is_multiline
            else:
                flags.append(is_multiline)
        return match[0]

    return _PIECE.sub(spell, pattern)


def begin_with_runs(pattern: str) -> str:
    r"""Return a pattern that a search tries once in each run of blanks, not at each blank.

    RE2 needs one pass for `[ \t]*,`, but engines that backtrack take quadratic time for a line of
    blanks. A match that begins within the run also begins at its first blank, where a search finds
    it before, so nothing else is found.

    Args:
        pattern: A pattern for searches in a line, in `re`'s syntax; blanks at its beginning are
            written `[ \t]`.

    Returns:
        The same pattern, with a lookbehind before blanks at its beginning.
    """
    places = []
    # Of each open group: whether it begins the pattern, and how many places there were before it.
    groups = [(True, 0)]
    start = 0
    for piece in _marks_of_structure(pattern):
        if piece.start() == start and _BLANKS.match(pattern, start):
            places.append(start)
        elif piece["bar"]:
            is_first, _ = groups[-1]
            start = piece.end() if is_first else -1
        elif piece["shut"]:
            _, count = groups.pop()
            # The second turn of a repeated group may begin within a run.
            if pattern[piece.end() : piece.end() + 1] in ("*", "+", "{"):
                del places[count:]
        elif piece[0].startswith("("):
            is_first = piece.start() == start
            if is_first:
                start = piece.end()
            if piece["flags"] != ")":
                groups.append((is_first, len(places)))
    for place in reversed(places):
        pattern = f"{pattern[:place]}(?<![ \\t]){pattern[place:]}"
    return pattern


def _marks_of_structure(pattern: str) -> Iterator[re.Match[str]]:
    """Yield the signs that open classes and groups, or divide and close groups."""
    is_in_class = False
    for piece in _PIECE.finditer(pattern):
        if piece["escaped"]:
            continue
        if is_in_class:
            is_in_class = not piece["close"]
        else:
            is_in_class = bool(piece["open"])
            yield piece


def _spell_escape(letter: str, is_in_class: bool) -> str:
    if letter in _CLASSES:
        if is_in_class:
            return _CLASSES[letter]
        sign = "^" if letter.isupper() else ""
        return f"[{sign}{_CLASSES[letter.lower()]}]"
    if letter in "0123456789":
        raise ValueError(
            rf"\{letter} is a number in base eight or a backreference:"
            r" write the character as \x{…}"
        )
    # In a class, `\b` is a backspace.
    if letter in _PLACES and not is_in_class:
        return _PLACES[letter]
    return f"\\{letter}"


def spell_template(template: str) -> str:
    r"""Return a replacement of RE2 in the form that every runtime reads.

    Characters are not escaped, and a group is `\1` or `\g<name>`.

    Raises:
        ValueError: An escape is invalid.
    """
    result = ""
    at = 0
    while at < len(template):
        group = _REFERENCE.match(template, at)
        if group is None:
            plain = _PLAIN.match(template, at)
            assert plain is not None
            at = plain.end()
            result += _decode(plain[0]).replace("\\", "\\\\")
            continue
        at = group.end()
        number, name = group.groups()
        # A digit or a brace after the number would become a part of it in some runtimes.
        is_short = number and template[at : at + 1] not in ("{", *"0123456789")
        result += f"\\{number}" if is_short else rf"\g<{number or name}>"
    return result


def _decode(text: str) -> str:
    """Return a text with the escapes of Python decoded, as the Python module of RE2 does it."""
    return codecs.unicode_escape_decode(text.encode("ascii", "backslashreplace"))[0]
