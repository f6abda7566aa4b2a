"""What would act on a terminal, or could not be seen there, made visible: what a person reads is what is there.

Control characters become their pictures, other unseen ones their numbers. `guard` is the last gate before a stream:
past it no escape comes but our own colours, and those only to a terminal.
"""

from __future__ import annotations

import json
import re

from ...core.ground.numbers import counted
from ...core.text.drawing import column_width

# Categories Cc, Cf, Cs, Co, Zs, Zl, Zp but for newline, tab and blank; what has no ink or only changes its neighbours.
_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffc\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_BLANKS = re.compile("^ | $| {2,}")
_GAP = re.compile("[ \t]{8,}")
_FEW, _WIDE, _TAB = 4, 64, 8  # blanks that are drawn one by one; columns from which a gap is counted; columns of a tab
_COLOUR = "(?:[0134]|2[234]|3[1-79]|9[0-7])"  # none of them hides anything
_CONTROL = re.compile(f"(?P<colour>\x1b\\[(?:{_COLOUR}(?:;{_COLOUR})*)?m)|[\0-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str) -> str:
    """Replace what would act on a terminal, or could not be seen, by what can be seen."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(_name, text)


def visible_line(text: str) -> str:
    """Do so, and keep it on one line."""
    return visible(text.replace("\n", "\u240a").replace("\t", "\u2409"))


def visible_command(text: str) -> str:
    """Do so, and draw or count the blanks, so that nothing is pushed out of sight."""
    return _BLANKS.sub(_draw_blanks, visible_line(text))


def visible_code(text: str) -> str:
    """Make a line of a content visible; a gap so wide that what stands behind it may be overlooked is counted."""
    return _GAP.sub(_count_gap, visible(text)) if len(text) > _TAB else visible(text)


def visible_in_place(text: str) -> str:
    """Make a text visible without changing how many columns it takes, for what stands above carets."""
    return _UNSEEN.sub(_draw, text)


def escape_json(text: str) -> str:
    """Escape what cannot be seen in a JSON text; it says the same."""
    return _UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def guard(text: str, is_terminal: bool) -> str:
    """Replace control characters but newlines and tabs, whatever they came through; colours are for terminals."""
    return _CONTROL.sub(lambda found: (found[0] if is_terminal else "") if found["colour"] else _name(found), text)


def wrap(text: str, width: int) -> list[str]:
    """Cut a line into pieces that are at most so many columns wide: every character is in one of them."""
    pieces, columns = [""], 0
    for character in text:
        wide = column_width(character)
        if columns + wide > width and pieces[-1]:
            pieces.append("")
            columns = 0
        pieces[-1] += character
        columns += wide
    return pieces


def _name(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def _draw(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20 or code == 0x7F:
        return _name(found)
    return ("\u2423" if found[0].isspace() else "\ufffd") * column_width(found[0])


def _draw_blanks(found: re.Match[str]) -> str:
    count = len(found[0])
    return "\u2423" * count if count <= _FEW else f"<{counted(count, 'blank')}>"


def _count_gap(found: re.Match[str]) -> str:
    width = sum(_TAB if character == "\t" else 1 for character in found[0])
    return found[0] if width < _WIDE else f"<{counted(len(found[0]), 'blank')}>"
