"""Drawings as SVG: the pipeline, and what the same damage does to several formats; wide ones and narrow ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from .themes import Theme
from .words import Step, Words

RESULTS = Path(__file__).resolve().parents[1] / "results"
WIDE, NARROW = 820, 390
_FONT = (
    "-apple-system, 'Segoe UI', 'Noto Sans', 'Hiragino Sans', 'Yu Gothic UI', 'Noto Sans CJK JP', Helvetica, sans-serif"
)
_SHARE = re.compile(r"(?P<kind>\S+) +(?P<reader>.+?) +(?P<items>[0-9]+)(?P<shares>(?: +[0-9.]+){4})")


@dataclass(frozen=True, slots=True)
class Share:
    """What came of the files of one reader, in percent: right, wrong with alarm, wrong without alarm.

    `false_alarms` are in percent of what is right.
    """

    reader: str
    items: int
    shares: tuple[float, float, float]
    false_alarms: float


def newest_results() -> Path:
    """Return the newest file of results that has the same damage in several formats."""
    return max(RESULTS.glob("*/recovery.txt"))


def read_shares(path: Path) -> list[Share]:
    """Return the rows of all kinds of damage in a file of results; the reader with most right first."""
    results = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = _SHARE.fullmatch(line.rstrip())
        if row and row["kind"] == "all":
            right, alarmed, unalarmed, false_alarms = map(float, row["shares"].split())
            results.append(Share(row["reader"], int(row["items"]), (right, alarmed, unalarmed), false_alarms))
    return sorted(results, key=lambda share: -share.shares[0])


def draw_damage(shares: Iterable[Share], words: Words, theme: Theme, width: int) -> str:
    """Return a bar for each reader, divided by what came of its files."""
    shares = list(shares)
    narrow = width < WIDE
    left, row, top = (0, 52, 70) if narrow else (190, 36, 66)
    colours = (theme.green, theme.yellow, theme.red)
    parts = [_text(0, 18, words.damage, theme.text, bold=True, size=16)]
    x = 0.0
    for word, colour in zip(words.outcomes, colours, strict=True):
        parts += [_box(x, 34, 12, 12, colour, radius=2), _text(x + 18, 45, word, theme.text, size=13)]
        x += 18 + _width_of(word, 13) + 16
    for number, share in enumerate(shares):
        y = top + number * row
        label = words.readers[share.reader]
        parts.append(_text(0, y + (13 if narrow else 18), label, theme.text, bold="Sym-Ops" in label, size=14))
        x, bar = float(left), y + (19 if narrow else 2)
        for value, colour in zip(share.shares, colours, strict=True):
            length = (width - left) * value / 100
            if length > 0:
                parts.append(_box(x, bar, length, 24, colour))
            if length >= 34:
                parts.append(_text(x + length / 2, bar + 17, f"{value:.1f}", theme.on_colour, size=13, anchor="middle"))
            x += length
    items = f"{min(s.items for s in shares):,}–{max(s.items for s in shares):,}"
    how = [f"{words.items}, n = {items}", "python -m benchmarks.recovery --peers --n 10"]
    y = top + len(shares) * row + 16
    for line in how if narrow else [": ".join(how)]:
        parts.append(_text(0, y, line, theme.muted, size=12))
        y += 17
    height = y - 12
    text = "; ".join(
        f"{words.readers[s.reader]}: "
        + ", ".join(f"{word} {value:.1f} %" for word, value in zip(words.outcomes, s.shares, strict=True))
        for s in shares
    )
    return _svg(width, height, words.damage, text, parts)


def draw_pipeline(words: Words, theme: Theme, width: int) -> str:
    """Return the way of a reply through the phases, as boxes and arrows."""
    make = _pipeline_down if width < WIDE else _pipeline_across
    height, parts = make(words, theme, width)
    steps = " → ".join(step.title for step in (words.reply, *words.steps, words.result))
    text = "; ".join(f"{step.title}: {' '.join(step.lines)}" for step in (words.reply, *words.steps, words.result))
    return _svg(width, height, steps, text, parts)


def _pipeline_across(words: Words, theme: Theme, width: int) -> tuple[int, list[str]]:
    """Draw from left to right, and down to the result from whichever phase ends it."""
    gap, high = 50, 84
    boxes = (words.reply, *words.steps)
    wide = (width - 2 - gap * (len(boxes) - 1)) / len(boxes)
    lefts = [1 + number * (wide + gap) for number in range(len(boxes))]
    parts: list[str] = []
    for left, step in zip(lefts, boxes, strict=True):
        parts += _step(left, 1, wide, high, step, theme)
    for number, (left, right) in enumerate(pairwise(lefts)):
        parts += _arrow(left + wide, 1 + high / 2, right, 1 + high / 2, theme.muted)
        if number:
            parts.append(_text((left + wide + right) / 2 - 3, high / 2 - 6, words.fails, theme.muted, 12, "middle"))
    below = high + 50
    for left in lefts[1:]:
        parts += _arrow(left + wide / 2, 1 + high, left + wide / 2, below, theme.green)
        parts.append(_text(left + wide / 2 + 8, high + 28, words.valid, theme.green, 12))
    parts += _step(lefts[1], below, width - 1 - lefts[1], 96, words.result, theme, theme.green)
    return below + 98, parts


def _pipeline_down(words: Words, theme: Theme, width: int) -> tuple[int, list[str]]:
    """Draw from top to bottom, and down a line on the right to the result from whichever phase ends it."""
    gap, high, wide = 34, 84, width - 78
    boxes = (words.reply, *words.steps)
    tops = [1 + number * (high + gap) for number in range(len(boxes))]
    result = tops[-1] + high + gap
    line = wide + 60
    parts: list[str] = []
    for top, step in zip(tops, boxes, strict=True):
        parts += _step(1, top, wide, high, step, theme)
    for number, (top, below) in enumerate(pairwise(tops)):
        parts += _arrow(wide / 2, top + high, wide / 2, below, theme.muted)
        if number:
            parts.append(_text(wide / 2 + 10, top + high + 21, words.fails, theme.muted, 12))
    for top in tops[1:]:
        middle = top + high / 2
        parts.append(f'<path d="M{wide + 1} {middle:g}H{line}" stroke="{theme.green}" stroke-width="1.5" fill="none"/>')
        parts.append(_text(wide + 8, middle - 7, words.valid, theme.green, 12))
    parts += _arrow(line, tops[1] + high / 2, line, result, theme.green)
    parts += _step(1, result, width - 2, 96, words.result, theme, theme.green)
    return result + 98, parts


def _step(left: float, top: float, wide: float, high: float, step: Step, theme: Theme, line: str = "") -> Iterator[str]:
    yield _box(left, top, wide, high, theme.box, radius=6, line=line or theme.line)
    yield _text(left + 14, top + 28, step.title, theme.text, 16, bold=True)
    for number, text in enumerate(step.lines):
        yield _text(left + 14, top + 49 + 18 * number, text, theme.muted, 13)


def _arrow(x: float, y: float, to_x: float, to_y: float, colour: str) -> Iterator[str]:
    across = to_y == y
    tip = f"M{to_x:g} {to_y:g}l-7 -4v8z" if across else f"M{to_x:g} {to_y:g}l-4 -7h8z"
    end = f"H{to_x - 6:g}" if across else f"V{to_y - 6:g}"
    yield f'<path d="M{x:g} {y:g}{end}" stroke="{colour}" stroke-width="1.5" fill="none"/>'
    yield f'<path d="{tip}" fill="{colour}"/>'


def _box(x: float, y: float, wide: float, high: float, colour: str, radius: int = 0, line: str = "") -> str:
    round_ = f' rx="{radius}"' if radius else ""
    border = f' stroke="{line}"' if line else ""
    return f'<rect x="{x:.6g}" y="{y:g}" width="{wide:.6g}" height="{high:g}"{round_} fill="{colour}"{border}/>'


def _text(
    x: float, y: float, text: str, colour: str, size: int = 14, anchor: str = "start", *, bold: bool = False
) -> str:
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.6g}" y="{y:g}" font-size="{size}" fill="{colour}"{place}{weight}>{escape(text)}</text>'


def _width_of(text: str, size: int) -> float:
    """Return about how wide a text is: a sign of Chinese or Japanese is a square, another one about half of it."""
    return sum(size if ord(sign) > 0x2E80 else 0.55 * size for sign in text)


def _svg(width: int, height: float, title: str, told: str, parts: Iterable[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}"'
    )
    text = f"<title>{escape(title)}</title>\n<desc>{escape(told)}</desc>"
    return "\n".join([f'{head} role="img" font-family="{_FONT}">', text, *parts, "</svg>", ""])
