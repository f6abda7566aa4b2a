"""Mistakes below the level of marks: invisible characters, line endings, look-alike signs."""

from __future__ import annotations

import random

from ..documents import Line
from ..marks import others
from .draft import Draft, zone_of
from .registry import LINES, in_reply, mistake

FULL_WIDTH = {ord(sign): chr(ord(sign) + 0xFEE0) for sign in "$@:#<>~-?!"}
_BOTH = [("at", "﹫"), ("arrow", "›")]
LOOK_ALIKES = {
    "v1": [("action", "﹩"), ("thought", "∼"), ("thought", "〜"), ("vital", "♯"), *_BOTH],
    "v2": [*(("action", sign) for sign in ("∷", "︰︰", "ːː")), ("thought", "»"), ("thought", "≫"), *_BOTH],
}
SMALL = dict(zip("#&*+-<>=\\$%@;:?!", "﹟﹠﹡﹢﹣﹤﹥﹦﹨﹩﹪﹫﹔﹕﹖﹗", strict=True))


def _full_width(draft: Draft) -> dict[int, str]:
    """Return the full-width forms of the signs of a dialect, and of usual signs."""
    signs = {sign for sign in draft.marks.signs if "!" <= sign <= "~" and not sign.isalnum()}
    return FULL_WIDTH | {ord(sign): chr(ord(sign) + 0xFEE0) for sign in signs}


def _look_alike(draft: Draft, rng: random.Random) -> tuple[str, str]:
    """Return a mark and what only looks like it; the same if nothing does."""
    name, alike = rng.choice(LOOK_ALIKES["v1" if not draft.paired else "v2"])
    usual, sign = others(others(draft.dialect)).marks, getattr(draft.marks, name)
    if sign != getattr(usual, name):
        alike = "".join(SMALL.get(character, character) for character in sign)
    return sign, alike


def _markup(draft: Draft) -> list[Line]:
    """Lines of markup that no mistake has touched."""
    lines = []
    for line in draft.lines:
        zones = {zone_of(line)} if line.role in {"thought", "vitals"} else set()
        if line.action is not None and line.role in {"head", "open", "close"}:
            zones = {(line.action, line.role), (line.action, "head" if line.role == "head" else "body")}
        if zones and draft.free(*zones):
            lines.append(line)
    return lines


def _take(draft: Draft, rng: random.Random, lines: list[Line]) -> list[Line]:
    """Return one, some or all of the lines, whose zones are claimed."""
    if lines and (kind := rng.random()) < 0.6:
        lines = rng.sample(lines, 1 if kind < 0.4 else rng.randint(1, len(lines)))
    draft.claims.update(map(zone_of, lines))
    return lines


def _respell(line: Line, text: str) -> None:
    line.head, line.text = None, text


@mistake(stage=LINES, neutral=True)
def byte_order_mark_inside(draft: Draft, rng: random.Random) -> None:
    """There is a byte order mark at the start of a line of markup inside the reply."""
    lines = [line for line in _markup(draft) if (place := draft.place(line)) and draft.lines[place - 1].end]
    for line in _take(draft, rng, lines):
        _respell(line, "\ufeff" + str(line))


@mistake(stage=LINES, neutral=True)
def zero_width_characters(draft: Draft, rng: random.Random) -> None:
    """There are zero-width characters in lines of markup."""
    chosen = _take(draft, rng, _markup(draft))
    sign = rng.choice("\u200b\u200c\u200d\u2060\u200e")
    for line in chosen:
        text = str(line)
        where = rng.choice(("start", "end", "inside"))
        if draft.foreign and not draft.foreign.bare:
            where = {"open": "start", "close": "end"}.get(line.role, where)  # the other side is the content's
        if where == "inside" and (head := line.head) and head.mark:
            head.after_mark = rng.choice((sign + head.after_mark, head.after_mark + sign))
            text = str(line)
        else:
            text = text + sign if where == "end" else sign + text
        _respell(line, text)


@mistake(stage=LINES, neutral=True, needs="marks")
def no_break_spaces(draft: Draft, rng: random.Random) -> None:
    """No-break or ideographic spaces replace the blanks of markup."""
    sign = rng.choice("\u00a0\u00a0\u3000\u2003\u202f")
    lines = [line for line in _markup(draft) if line.role in {"vitals", "head"}]
    for line in [line for line in _take(draft, rng, lines) if " " in str(line)]:
        if head := line.head:
            for name in ("after_mark", "before_at", "after_at", "before_arrow", "after_arrow"):
                setattr(head, name, getattr(head, name).replace(" ", sign))
        else:
            _respell(line, str(line).replace(" ", sign))


@in_reply("newline", stage=LINES, neutral=True)
def carriage_returns_alone(draft: Draft, rng: random.Random) -> None:
    """Lines end with a lone carriage return."""
    draft.newline = "\r"


@mistake(stage=LINES, neutral=True, needs="marks")
def full_width_heads(draft: Draft, rng: random.Random) -> None:
    """Full-width signs replace the marks of heads."""
    heads = [line.head for line in _take(draft, rng, [line for line in _markup(draft) if line.head]) if line.head]
    both = rng.random() < 0.7
    table = _full_width(draft)
    for head in heads:
        head.mark = head.mark.translate(table)
        if both or not head.mark:
            head.at, head.arrow = head.at.translate(table), head.arrow.translate(table)


@mistake(stage=LINES, neutral=True)
def full_width_delimiters(draft: Draft, rng: random.Random) -> None:
    """Full-width signs replace delimiters."""
    table = _full_width(draft)
    for line in _take(draft, rng, [line for line in _markup(draft) if line.role in {"open", "close"}]):
        _respell(line, str(line).translate(table))


@mistake(stage=LINES)
def full_width_everywhere(draft: Draft, rng: random.Random) -> None:
    """Full-width signs replace all marks of the reply."""
    table = _full_width(draft)
    for line in _markup(draft):
        if head := line.head:
            head.mark, head.at = head.mark.translate(table), head.at.translate(table)
            head.arrow = head.arrow.translate(table)
        elif line.role == "thought":
            mark = draft.marks.thought
            _respell(line, mark.translate(table) + str(line).removeprefix(mark))
        else:
            _respell(line, str(line).translate(table))
        draft.claims.add(zone_of(line))


@mistake(stage=LINES)
def look_alike_marks(draft: Draft, rng: random.Random) -> None:
    """A sign that only looks like a mark replaces it."""
    sign, alike = _look_alike(draft, rng)
    lines = [line for line in _markup(draft) if sign in str(line) and (line.head or sign != draft.marks.arrow)]
    for line in _take(draft, rng, lines):
        if head := line.head:
            names = ("mark", "at", "arrow") if head.dependencies else ("mark", "at")
            name = next((name for name in names if getattr(head, name) == sign), None)
            if name is not None:
                setattr(head, name, alike)
        elif line.role in {"thought", "vitals"} and str(line).startswith(sign):
            _respell(line, str(line).replace(sign, alike, 1 if line.role == "thought" else -1))


@mistake(stage=LINES, neutral=True)
def blanks_behind_markup(draft: Draft, rng: random.Random) -> None:
    """There are blanks at the ends of lines of markup."""
    chosen = _take(draft, rng, [line for line in _markup(draft) if line.end])
    blanks = rng.choice((" ", "  ", "   ", "\t"))
    for line in chosen:
        _respell(line, str(line) + blanks)
