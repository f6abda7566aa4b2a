"""Railroad diagrams of all rules and terminals of a strict grammar, as one SVG or one HTML file.

Drawn by the library railroad-diagrams (the extra `symops-lark[workbench]`); only boxes are drawn here, as those of the
library have one line, one width for all characters, and write the text of a link twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ...core.grammar.compiling.bounds import bounded_steps, steps_for
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.errors import SymOpsError
from ...core.text.drawing import column_width
from .syntax import Definition, InOrder, Literal, OneOf, Part, Pattern, Reference, Repeated, read_definitions

_WIDEST = 880  # pixels; a longer sequence goes on below
_PATTERN_COLUMNS = 56  # characters of a pattern on one line
_LINE_HEIGHT = 16
_CHARACTER = 8.5
_GAP = 24


@dataclass(frozen=True, slots=True)
class Drawing:
    """A definition drawn: its SVG element and the size of it in pixels."""

    definition: Definition
    svg: str
    width: float
    height: float


def draw_definitions(dialect: WrittenDialect) -> list[Drawing]:
    """Draw every definition of a dialect; raises `SymOpsError` where the library is missing or it takes too long."""
    with bounded_steps(dialect.path, steps_for(dialect.text), what="drawn"):
        definitions = read_definitions(dialect)
        artist = _Artist(definitions)
        return [artist.draw(definition) for definition in definitions.values()]


def write_html(dialect: WrittenDialect) -> str:
    """Return a page with a table of contents and a diagram for each definition; well-formed XML, too."""
    title = escape(f"{dialect.name}: railroad diagrams")
    contents, sections = [], []
    for chapter, drawings in _chapters(draw_definitions(dialect)):
        links = (f'<a href="#def-{d.definition.name}">{escape(d.definition.name)}</a>' for d in drawings)
        contents.append(f"<h2>{chapter}</h2>\n<p>{' '.join(links)}</p>")
        figures = "\n".join(
            f'<section id="def-{d.definition.name}"><h3>{escape(d.definition.name)}</h3>\n<div>{d.svg}</div></section>'
            for d in drawings
        )
        sections.append(f'<h2>{chapter}</h2>\n<div class="chapter">\n{figures}\n</div>')
    head = f'<meta charset="utf-8"/>\n<meta name="viewport" content="width=device-width"/>\n<title>{title}</title>'
    body = f"<h1>{title}</h1>\n{_KEY}\n<nav>\n" + "\n".join(contents) + "\n</nav>\n" + "\n".join(sections)
    style = f"<style>\n{_PAGE_STYLE}{_STYLE}</style>"
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n{style}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def write_svg(dialect: WrittenDialect) -> str:
    """Return one SVG file with a diagram for each definition, chapter by chapter, in rows."""
    drawings = draw_definitions(dialect)
    widest = max([1000.0, *(d.width for d in drawings)])
    y = 70.0
    pieces = [f'<text class="title" x="{_GAP}" y="36">{escape(dialect.name)}: railroad diagrams</text>']
    for chapter, members in _chapters(drawings):
        pieces.append(f'<text class="chapter" x="{_GAP}" y="{y:g}">{chapter}</text>')
        y += 12
        for row in _fill_rows(members, widest):
            x = float(_GAP)
            for drawing in row:
                name, inner = escape(drawing.definition.name), drawing.svg.replace("<svg ", '<svg x="0" y="16" ', 1)
                head = f'<g id="def-{name}" transform="translate({x:g} {y:g})"><text class="name" y="16">{name}</text>'
                pieces.append(f"{head}{inner}</g>")
                x += drawing.width + _GAP
            y += max(drawing.height for drawing in row) + 30
        y += 36
    width, height = f"{widest + 2 * _GAP:g}", f"{y:g}"
    style = f"<style>\nsvg {{ color-scheme: light dark; }}\n{_STYLE}</style>"
    page = '<rect class="page" width="100%" height="100%"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<title>{escape(dialect.name)}</title>\n{style}\n{page}\n" + "\n".join(pieces) + "\n</svg>\n"
    )


def _fill_rows(drawings: Sequence[Drawing], widest: float) -> Iterator[list[Drawing]]:
    row: list[Drawing] = []
    used = 0.0
    for drawing in drawings:
        if row and used + drawing.width > widest:
            yield row
            row, used = [], 0.0
        row.append(drawing)
        used += drawing.width + _GAP
    if row:
        yield row


def _chapters(drawings: Sequence[Drawing]) -> Iterator[tuple[str, list[Drawing]]]:
    rules = [d for d in drawings if d.definition.is_rule]
    fixed = [d for d in drawings if d.definition.literal is not None]
    others = [d for d in drawings if not d.definition.is_rule and d.definition.literal is None]
    for title, members in (("Rules", rules), ("Terminals", others), ("Marks and words", fixed)):
        if members:
            yield title, members


# ---- drawing


class _Artist:
    """Makes items of the library from parts."""

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        try:
            import railroad
        except ImportError:
            raise SymOpsError(
                "diagrams are drawn by the library railroad-diagrams, which is not installed: "
                "pip install 'symops-lark[workbench]'"
            ) from None
        self.library: Any = railroad
        self.definitions = definitions
        self.box = type("Box", (railroad.DiagramItem,), {"__init__": _init_box, "format": _format_box})

    def draw(self, definition: Definition) -> Drawing:
        """Draw one definition."""
        diagram = self.library.Diagram(self._item(definition.part, _WIDEST))
        diagram.format(10)
        pieces: list[str] = []
        diagram.writeSvg(pieces.append)
        return Drawing(definition, "".join(pieces), float(diagram.attrs["width"]), float(diagram.attrs["height"]))

    def _item(self, part: Part, widest: float) -> Any:
        library = self.library
        match part:
            case Literal(text):
                return self.box([show_literal(text)], "literal")
            case Pattern(text):
                return self.box(_wrap(text), "pattern")
            case Reference(name):
                return self._reference(name)
            case InOrder(()):
                return library.Skip()
            case InOrder(parts):
                return self._sequence([self._item(inner, widest) for inner in parts], widest)
            case OneOf(parts):
                return self._choice(0, [self._item(inner, widest - 60) for inner in parts])
            case Repeated(inner, least, most, between):
                return self._repetition(self._item(inner, widest - 60), least, most, between)

    def _reference(self, name: str) -> Any:
        definition = self.definitions.get(name)
        link = name if definition else None
        if definition is not None and definition.literal is not None:
            return self.box([show_literal(definition.literal)], "literal", link)
        return self.box([name], "rule" if definition is not None and definition.is_rule else "terminal", link)

    def _sequence(self, items: list[Any], widest: float) -> Any:
        """Put items in a line, or in several where one would be too long."""
        lines: list[list[Any]] = [[]]
        used = 0.0
        for item in items:
            if lines[-1] and used + item.width + 20 > widest:
                lines.append([])
                used = 0.0
            lines[-1].append(item)
            used += item.width + 20
        made = [self.library.Sequence(*line) if len(line) > 1 else line[0] for line in lines]
        return made[0] if len(made) == 1 else self.library.Stack(*made)

    def _choice(self, straight: int, items: list[Any]) -> Any:
        """Put items below each other, the one that is `straight` in the line."""
        choice = self.library.Choice(straight, *items)
        # The library takes the last item to be one line high, which cuts off the bottom of the drawing: measured anew,
        # in the way in which it places the items.
        radius, space = self.library.AR, self.library.VS
        above, *below = items[straight:]
        least, place, reach = 2 * radius, 0, above.height + above.down
        for item in below:
            place += max(least, above.height + above.down + space + item.up)
            least, above, reach = radius, item, place + item.height + item.down
        choice.down = max(choice.down, reach - choice.height)
        return choice

    def _repetition(self, item: Any, least: int, most: int | None, between: Part | None) -> Any:
        library = self.library
        if (least, most) == (0, 1):
            return self._choice(1, [library.Skip(), item])
        if most is None and least < 2:
            back = self._item(between, _WIDEST) if between else None
            looped = library.OneOrMore(item, back)
            return looped if least else self._choice(1, [library.Skip(), looped])
        times = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        return library.OneOrMore(item, self.box([f"{times} times" if times != "1" else "once"], "note"))


def _init_box(self: Any, lines: Sequence[str], kind: str, link: str | None = None) -> None:
    """Make a box with lines of text: `literal`, `rule`, `terminal`, `pattern` or `note`."""
    super(type(self), self).__init__("g", {"class": kind})
    self.lines, self.kind, self.link = lines, kind, link
    self.width = max(map(_columns, lines)) * _CHARACTER + 20
    self.up = self.down = (len(lines) * _LINE_HEIGHT + 8) / 2
    self.needsSpace = True


def _format_box(self: Any, x: float, y: float, width: float) -> Any:
    """Draw a box on the track that comes in at (x, y) and leaves at (x + width, y)."""
    import railroad

    left = (width - self.width) / 2
    railroad.Path(x, y).h(left).addTo(self)
    railroad.Path(x + left + self.width, y).h(width - left - self.width).addTo(self)
    x += left
    inside = railroad.DiagramItem("a", {"href": f"#def-{self.link}"}) if self.link else railroad.DiagramItem("g")
    round_corners = self.up if self.kind == "literal" else 3
    shape = {"x": x, "y": y - self.up, "width": self.width, "height": 2 * self.up, "rx": round_corners}
    railroad.DiagramItem("rect", shape).addTo(inside)
    if self.link and self.kind == "literal":
        railroad.DiagramItem("title", {}, self.link).addTo(inside)
    for number, line in enumerate(self.lines):
        middle = y - self.up + 4 + _LINE_HEIGHT * (number + 0.5)
        railroad.DiagramItem("text", {"x": x + self.width / 2, "y": middle + 4.5}, line).addTo(inside)
    inside.addTo(self)
    return self


def show_literal(text: str) -> str:
    """Draw a text so that each of its characters is seen: blanks as ␣, control and invisible characters escaped."""
    return "".join(_SHOWN.get(c) or (c if c.isprintable() else f"\\u{ord(c):04x}") for c in text)


_SHOWN = {" ": "␣", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\v": "\\v", "\u00ad": "\\u00ad"}


def _wrap(pattern: str) -> list[str]:
    """Break a pattern into lines of nearly one length, never within an escape or a range of escapes."""
    shown = "".join(c if c.isprintable() else show_literal(c) for c in pattern).replace(" ", _SHOWN[" "])
    pieces = _PIECES.findall(shown)
    rows = -(-_columns(shown) // _PATTERN_COLUMNS)
    longest = _columns(shown) / rows
    lines = [""]
    for piece in pieces:
        if _columns(lines[-1]) + _columns(piece) / 2 > longest and len(lines) < rows:
            lines.append("")
        lines[-1] += piece
    return lines


_CODE = r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)"
_PIECES = re.compile(rf"{_CODE}-{_CODE}|{_CODE}|.", re.DOTALL)


def _columns(text: str) -> int:
    return sum(map(column_width, text))


_STYLE = """\
svg.railroad-diagram path { stroke: #555; stroke-width: 2; fill: none; }
svg text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #111; text-anchor: middle; }
svg text.name, svg text.chapter, svg text.title { text-anchor: start; font-weight: bold; }
svg text.chapter { font-size: 20px; }
svg text.title { font-size: 24px; }
svg rect { stroke-width: 1.5; }
svg rect.page { fill: #fff; }
svg .literal rect { fill: #e3f3e3; stroke: #2e7d32; }
svg .rule rect { fill: #e4ecfb; stroke: #3555a5; }
svg .terminal rect { fill: #fff1cf; stroke: #8a6100; }
svg .pattern rect { fill: #f4f4f4; stroke: #777; stroke-dasharray: 4 3; }
svg .note rect { fill: none; stroke: none; }
@media (prefers-color-scheme: dark) {
  svg.railroad-diagram path { stroke: #aaa; }
  svg text { fill: #eee; }
  svg rect.page { fill: #16181c; }
  svg .literal rect { fill: #1d3a20; stroke: #7cc47f; }
  svg .rule rect { fill: #1f2b47; stroke: #8fabf0; }
  svg .terminal rect { fill: #40330f; stroke: #dcb150; }
  svg .pattern rect { fill: #26292e; stroke: #999; }
}
"""
_PAGE_STYLE = """\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
  color: #111; background: #fff; }
nav a { font-family: ui-monospace, monospace; margin-right: 0.7em; display: inline-block; }
nav h2 { font-size: 1rem; margin: 0.8rem 0 0; }
nav p { margin: 0; }
a { color: #1f4fb5; }
section div { overflow-x: auto; }
section:target h3 { background: #fff1a8; color: #111; }
h3 { font: bold 1rem ui-monospace, monospace; margin: 1.2rem 0 0; }
.chapter { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.chapter section { max-width: 100%; }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #16181c; }
  a { color: #8fb4ff; }
}
"""
_KEY = """\
<p>Read each diagram from left to right along the line. Round boxes are literal text (␣ is a blank), blue ones rules,
yellow ones terminals, dashed ones classes of characters or regular expressions.</p>"""
