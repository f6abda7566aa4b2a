"""Make characters visible that would act on a terminal, or that could not be seen there.

Control characters become their pictures, other invisible ones their numbers. `guard` is the last
function before a stream: it removes all escapes but our colours, and those too without a terminal.
"""

from __future__ import annotations

import json
import re
import shlex

from ...core.ground.numbers import counted
from ...core.text.drawing import column_width

# The categories Cc, Cf, Cs, Co, Zs, Zl and Zp, without newline, tab and blank; and characters that
# have no ink or only change their neighbours.
_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800"
    "\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_BLANKS = re.compile("^ | $| {2,}")
_MAX_DRAWN = 4  # blanks that are drawn one by one
_GAP = re.compile("[ \t]{8,}")
_WIDE = 64  # columns from which a gap is counted: what follows may be out of sight
_TAB = 8  # columns
_COLOUR = "(?:[0134]|2[234]|3[1-79]|9[0-7])"  # codes that hide nothing
_CONTROL = re.compile(
    f"(?P<colour>\x1b\\[(?:{_COLOUR}(?:;{_COLOUR})*)?m)|[\0-\x08\x0b-\x1f\x7f-\x9f]"
)
_OPEN_BOX = "\u2423"  # the sign for a blank


def visible(text: str) -> str:
    """Replace characters that would act on a terminal, or could not be seen."""
    # Most texts are plain.
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(_name, text)


def visible_line(text: str) -> str:
    """Replace such characters, and newlines and tabs, so that the text is one line."""
    return visible(text.replace("\n", "\u240a").replace("\t", "\u2409"))


def shell_word(text: str) -> str:
    """Return a word of a command line that people copy, on one line."""
    return visible_line(shlex.quote(text))


def visible_command(text: str) -> str:
    """Make a command visible on one line; its blanks are drawn or counted."""
    return _BLANKS.sub(_draw_blanks, visible_line(text))


def visible_code(text: str) -> str:
    """Make a line of a content visible; a very wide gap is counted."""
    return _GAP.sub(_count_gap, visible(text))


def visible_in_place(text: str) -> str:
    """Make a text visible without changing its width, so that carets below it fit."""
    return _UNSEEN.sub(_draw, text)


def escape_json(text: str) -> str:
    """Escape invisible characters of a JSON text; its value stays the same."""
    return _UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def guard(text: str, is_terminal: bool) -> str:
    """Replace all control characters but newlines and tabs; keep colours on a terminal."""

    def replace(match: re.Match[str]) -> str:
        if not match["colour"]:
            return _name(match)
        return match[0] if is_terminal else ""

    return _CONTROL.sub(replace, text)


def wrap(text: str, width: int) -> list[str]:
    """Cut a text into pieces of at most `width` columns; no character is lost."""
    pieces = [""]
    columns = 0
    for character in text:
        character_width = column_width(character)
        # A character that is wider than a piece has one for itself.
        if columns + character_width > width and pieces[-1]:
            pieces.append("")
            columns = 0
        pieces[-1] += character
        columns += character_width
    return pieces


def _name(match: re.Match[str]) -> str:
    """Return the picture of a control character, or the number of another one."""
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def _draw(match: re.Match[str]) -> str:
    """Return a sign of the same width."""
    character = match[0]
    # The pictures of control characters are one column wide, as carets count them.
    if character < " " or character == "\x7f":
        return _name(match)
    sign = _OPEN_BOX if character.isspace() else "\ufffd"
    return sign * column_width(character)


def _draw_blanks(match: re.Match[str]) -> str:
    count = len(match[0])
    return _OPEN_BOX * count if count <= _MAX_DRAWN else f"<{counted(count, 'blank')}>"


def _count_gap(match: re.Match[str]) -> str:
    gap = match[0]
    width = len(gap) + gap.count("\t") * (_TAB - 1)
    return gap if width < _WIDE else f"<{counted(len(gap), 'blank')}>"
