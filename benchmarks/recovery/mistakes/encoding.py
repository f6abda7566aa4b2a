"""Mistakes below the level of marks: invisible characters, line endings, look-alike signs."""

from __future__ import annotations

import random

from ..documents import Line
from .draft import LINES, Draft, mistake, zone_of

FULL_WIDTH = str.maketrans("$@:#<>~-?!", "＄＠：＃＜＞～－？！")
LOOK_ALIKES = {
    "v1": [("$", "﹩"), ("~", "∼"), ("~", "〜"), ("#", "♯"), ("@", "﹫"), (">", "›")],
    "v2": [("::", "∷"), ("::", "︰︰"), ("::", "ːː"), (">>", "»"), (">>", "≫"), ("@", "﹫"), (">", "›")],
}


def _markup(draft: Draft) -> list[Line]:
    """Lines of markup that no mistake has touched."""
    found = []
    for line in draft.lines:
        if line.role in {"thought", "vitals"} and draft.free(zone_of(line)):
            found.append(line)
        elif line.action is not None and line.role in {"head", "open", "close"}:
            neighbour = "head" if line.role == "head" else "body"
            if draft.free((line.action, line.role), (line.action, neighbour)):
                found.append(line)
    return found


def _take(draft: Draft, rng: random.Random, lines: list[Line]) -> list[Line]:
    """Pick one, some or all of the lines and claim their zones."""
    if not lines:
        return []
    kind = rng.random()
    if kind < 0.6:
        lines = rng.sample(lines, 1 if kind < 0.4 else rng.randint(1, len(lines)))
    for line in lines:
        draft.claims.add(zone_of(line))
    return lines


def _respell(line: Line, text: str) -> None:
    line.head, line.text = None, text


@mistake(LINES)
def byte_order_mark_inside(draft: Draft, rng: random.Random) -> bool:
    """A byte order mark stands at the start of a line of markup inside the reply."""
    lines = [line for line in _markup(draft) if line is not draft.lines[0]]
    chosen = _take(draft, rng, lines)
    for line in chosen:
        _respell(line, "\ufeff" + str(line))
    return bool(chosen)


@mistake(LINES)
def zero_width_characters(draft: Draft, rng: random.Random) -> bool:
    """Zero-width characters stand in lines of markup."""
    chosen = _take(draft, rng, _markup(draft))
    sign = rng.choice("\u200b\u200c\u200d\u2060\u200e")
    for line in chosen:
        text = str(line)
        where = rng.choice(("start", "end", "inside"))
        if where == "inside" and line.head and line.head.mark:
            head = line.head
            head.after_mark = rng.choice((sign + head.after_mark, head.after_mark + sign))
            text = str(line)
        else:
            text = text + sign if where == "end" else sign + text
        _respell(line, text)
    return bool(chosen)


@mistake(LINES)
def no_break_spaces(draft: Draft, rng: random.Random) -> bool:
    """No-break or ideographic spaces stand for the blanks of markup."""
    sign = rng.choice("\u00a0\u00a0\u3000\u2003\u202f")
    lines = [line for line in _markup(draft) if line.role in {"vitals", "head"}]
    chosen = [line for line in _take(draft, rng, lines) if " " in str(line)]
    for line in chosen:
        if line.head:
            head = line.head
            for name in ("after_mark", "before_at", "after_at", "before_arrow", "after_arrow"):
                setattr(head, name, getattr(head, name).replace(" ", sign))
        else:
            _respell(line, str(line).replace(" ", sign))
    return bool(chosen)


@mistake(LINES)
def carriage_returns_alone(draft: Draft, rng: random.Random) -> bool:
    """Lines end with a lone carriage return."""
    if not draft.claim("newline"):
        return False
    draft.newline = "\r"
    return True


@mistake(LINES)
def full_width_heads(draft: Draft, rng: random.Random) -> bool:
    """Full-width signs stand for the marks of heads."""
    chosen = _take(draft, rng, [line for line in _markup(draft) if line.head])
    both = rng.random() < 0.7
    for line in chosen:
        head = line.head
        assert head is not None
        head.mark = head.mark.translate(FULL_WIDTH)
        if both or not head.mark:
            head.at, head.arrow = head.at.translate(FULL_WIDTH), head.arrow.translate(FULL_WIDTH)
    return bool(chosen)


@mistake(LINES)
def full_width_delimiters(draft: Draft, rng: random.Random) -> bool:
    """Full-width signs stand for delimiters."""
    chosen = _take(draft, rng, [line for line in _markup(draft) if line.role in {"open", "close"}])
    for line in chosen:
        _respell(line, str(line).translate(FULL_WIDTH))
    return bool(chosen)


@mistake(LINES)
def full_width_everywhere(draft: Draft, rng: random.Random) -> bool:
    """Full-width signs stand for all marks of the reply."""
    lines = _markup(draft)
    for line in lines:
        if line.head:
            head = line.head
            head.mark, head.at = head.mark.translate(FULL_WIDTH), head.at.translate(FULL_WIDTH)
            head.arrow = head.arrow.translate(FULL_WIDTH)
        elif line.role == "thought":
            mark = draft.marks.thought
            _respell(line, mark.translate(FULL_WIDTH) + str(line).removeprefix(mark))
        else:
            _respell(line, str(line).translate(FULL_WIDTH))
        draft.claims.add(zone_of(line))
    return bool(lines)


@mistake(LINES)
def look_alike_marks(draft: Draft, rng: random.Random) -> bool:
    """A sign that only looks like a mark stands for it."""
    sign, alike = rng.choice(LOOK_ALIKES[draft.dialect])
    lines = [line for line in _markup(draft) if sign in str(line) and (line.head or sign != ">")]
    chosen = _take(draft, rng, lines)
    found = False
    for line in chosen:
        if line.head:
            head = line.head
            before = str(line)
            if head.mark == sign:
                head.mark = alike
            elif head.at == sign:
                head.at = alike
            elif head.arrow == sign and head.dependencies:
                head.arrow = alike
            found |= str(line) != before
        elif line.role in {"thought", "vitals"} and str(line).startswith(sign):
            _respell(line, str(line).replace(sign, alike, 1 if line.role == "thought" else -1))
            found = True
    return found
