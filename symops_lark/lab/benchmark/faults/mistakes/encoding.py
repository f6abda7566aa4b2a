"""Mistakes below the level of marks: invisible characters, line endings, look-alike signs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from random import Random

from ..documents import Head, Line
from ..marks import others
from .draft import Draft, Zone, zone_of
from .registry import LINES, in_reply, mistake

_TO_FULL_WIDTH = 0xFEE0  # from a sign of ASCII to its full-width form in Unicode
_FULL_WIDTH = {ord(sign): ord(sign) + _TO_FULL_WIDTH for sign in "$@:#<>~-?!"}
_LOOK_ALIKES = {
    "v1": [
        ("action", "﹩"),
        ("thought", "∼"),
        ("thought", "〜"),
        ("vital", "♯"),
        ("at", "﹫"),
        ("arrow", "›"),
    ],
    "v2": [
        ("action", "∷"),
        ("action", "︰︰"),
        ("action", "ːː"),
        ("thought", "»"),
        ("thought", "≫"),
        ("at", "﹫"),
        ("arrow", "›"),
    ],
}
_SMALL = str.maketrans("#&*+-<>=\\$%@;:?!", "﹟﹠﹡﹢﹣﹤﹥﹦﹨﹩﹪﹫﹔﹕﹖﹗")
_GAPS = ("after_mark", "before_at", "after_at", "before_arrow", "after_arrow")


def _full_width(draft: Draft) -> dict[int, int]:
    """Return the full-width forms of the signs of a dialect, and of usual signs."""
    table = dict(_FULL_WIDTH)
    for sign in draft.marks.signs:
        if "!" <= sign <= "~" and not sign.isalnum():
            table[ord(sign)] = ord(sign) + _TO_FULL_WIDTH
    return table


def _look_alike(draft: Draft, rng: Random) -> tuple[str, str]:
    """Return a mark and what only looks like it; the same if nothing does."""
    version = "v2" if draft.paired else "v1"
    name, alike = rng.choice(_LOOK_ALIKES[version])
    usual = getattr(others(others(draft.dialect)).marks, name)
    mark: str = getattr(draft.marks, name)
    # The table is about the marks of the versions; another dialect may have other ones.
    return mark, alike if mark == usual else mark.translate(_SMALL)


def _zones_of(line: Line) -> set[Zone]:
    """Return the zones that must be free if a line of markup changes; none for other lines."""
    if line.role in {"thought", "vitals"}:
        return {zone_of(line)}
    if line.action is None:
        return set()
    if line.role == "head":
        return {zone_of(line)}
    # A delimiter may be on one line with the content next to it.
    if line.role in {"open", "close"}:
        return {zone_of(line), (line.action, "body")}
    return set()


def _markup(draft: Draft, *roles: str) -> list[Line]:
    """Return the lines of markup that no mistake has touched; without roles, all of them."""
    lines: list[Line] = []
    for line in draft.lines:
        zones = _zones_of(line)
        if roles and line.role not in roles:
            continue
        if zones and draft.free(*zones):
            lines.append(line)
    return lines


def _take(draft: Draft, rng: Random, lines: list[Line]) -> list[Line]:
    """Return one, some or all of the lines, whose zones are claimed."""
    if not lines:
        return []
    share = rng.random()
    if share < 0.4:
        lines = rng.sample(lines, 1)
    elif share < 0.6:
        count = rng.randint(1, len(lines))
        lines = rng.sample(lines, count)
    draft.claims.update(map(zone_of, lines))
    return lines


def _respell(line: Line, text: str) -> None:
    # From now on a head is a text; its pieces would be written in its place.
    line.head, line.text = None, text


def _widen(head: Head, names: Iterable[str], table: dict[int, int]) -> None:
    for name in names:
        setattr(head, name, getattr(head, name).translate(table))


@mistake(stage=LINES, neutral=True)
def byte_order_mark_inside(draft: Draft, rng: Random) -> None:
    """There is a byte order mark at the start of a line of markup inside the reply."""
    # At the start of the reply, the mark would be no mistake.
    starts = {id(line) for above, line in pairwise(draft.lines) if above.end}
    lines = [line for line in _markup(draft) if id(line) in starts]
    for line in _take(draft, rng, lines):
        _respell(line, "\ufeff" + str(line))


@mistake(stage=LINES, neutral=True)
def zero_width_characters(draft: Draft, rng: Random) -> None:
    """There are zero-width characters in lines of markup."""
    chosen = _take(draft, rng, _markup(draft))
    sign = rng.choice("\u200b\u200c\u200d\u2060\u200e")
    for line in chosen:
        place = rng.choice(("start", "end", "inside"))
        if draft.foreign and not draft.foreign.bare:
            # The other side of a delimiter is a part of the content.
            place = {"open": "start", "close": "end"}.get(line.role, place)
        head = line.head
        text = str(line)
        if place == "end":
            text += sign
        elif place == "inside" and head and head.mark:
            gap = head.after_mark
            head.after_mark = rng.choice((sign + gap, gap + sign))
            text = str(line)
        else:
            text = sign + text
        _respell(line, text)


@mistake(stage=LINES, neutral=True, needs="marks")
def no_break_spaces(draft: Draft, rng: Random) -> None:
    """No-break or ideographic spaces replace the blanks of markup."""
    sign = rng.choice("\u00a0\u00a0\u3000\u2003\u202f")
    for line in _take(draft, rng, _markup(draft, "vitals", "head")):
        if line.head is None:
            _respell(line, str(line).replace(" ", sign))
            continue
        # Blanks of paths and commands stay: there, another sign would be another path.
        for name in _GAPS:
            gap = getattr(line.head, name)
            setattr(line.head, name, gap.replace(" ", sign))


@in_reply("newline", stage=LINES, neutral=True)
def carriage_returns_alone(draft: Draft, rng: Random) -> None:
    """Lines end with a lone carriage return."""
    draft.newline = "\r"


@mistake(stage=LINES, neutral=True, needs="marks")
def full_width_heads(draft: Draft, rng: Random) -> None:
    """Full-width signs replace the marks of heads."""
    heads = [line for line in _markup(draft) if line.head]
    lines = _take(draft, rng, heads)
    is_complete = rng.random() < 0.7
    table = _full_width(draft)
    for head in filter(None, (line.head for line in lines)):
        # Another mistake may have removed the mark.
        names = ["mark"]
        if is_complete or not head.mark:
            names += ["at", "arrow"]
        _widen(head, names, table)


@mistake(stage=LINES, neutral=True)
def full_width_delimiters(draft: Draft, rng: Random) -> None:
    """Full-width signs replace delimiters."""
    table = _full_width(draft)
    for line in _take(draft, rng, _markup(draft, "open", "close")):
        _respell(line, str(line).translate(table))


@mistake(stage=LINES)
def full_width_everywhere(draft: Draft, rng: Random) -> None:
    """Full-width signs replace all marks of the reply."""
    table = _full_width(draft)
    for line in _markup(draft):
        if line.head:
            _widen(line.head, ("mark", "at", "arrow"), table)
        elif line.role == "thought":
            # Signs in the text of a thought are not marks.
            mark = draft.marks.thought
            text = str(line).removeprefix(mark)
            _respell(line, mark.translate(table) + text)
        else:
            _respell(line, str(line).translate(table))
        draft.claims.add(zone_of(line))


@mistake(stage=LINES)
def look_alike_marks(draft: Draft, rng: Random) -> None:
    """A sign that only looks like a mark replaces it."""
    sign, alike = _look_alike(draft, rng)
    lines = [line for line in _markup(draft) if sign in str(line)]
    # In other lines, such as those of delimiters, it does not mark dependencies.
    if sign == draft.marks.arrow:
        lines = [line for line in lines if line.head]
    for line in _take(draft, rng, lines):
        head = line.head
        if head:
            names = ["mark", "at"]
            if head.dependencies:
                names.append("arrow")
            for name in names:
                if getattr(head, name) == sign:
                    setattr(head, name, alike)
                    break
        elif line.role in {"thought", "vitals"} and str(line).startswith(sign):
            # Each of the vitals has a mark; the text of a thought may hold its mark again.
            count = 1 if line.role == "thought" else -1
            _respell(line, str(line).replace(sign, alike, count))


@mistake(stage=LINES, neutral=True)
def blanks_behind_markup(draft: Draft, rng: Random) -> None:
    """There are blanks at the ends of lines of markup."""
    # If another part follows on the same line, the blanks would be inside.
    lines = [line for line in _markup(draft) if line.end]
    chosen = _take(draft, rng, lines)
    blanks = rng.choice((" ", "  ", "   ", "\t"))
    for line in chosen:
        _respell(line, str(line) + blanks)
