"""Railroad diagrams of all rules and terminals of a strict grammar, as one SVG or one HTML file.

The library railroad-diagrams draws them (the extra `symops-lark[workbench]`). Only boxes are drawn
here, because those of the library have one line, one width for all characters, and write the text
of a link twice.
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
from .diagram_pages import KEY, PAGE, PAGE_STYLE, STYLE, SVG
from .syntax import (
    Definition,
    InOrder,
    Literal,
    OneOf,
    Part,
    Pattern,
    Reference,
    Repeated,
    read_definitions,
)

_WIDEST = 880  # pixels; a longer sequence is continued below
_PATTERN_COLUMNS = 56  # characters of a pattern on one line
_LINE_HEIGHT = 16
_CHARACTER = 8.5  # pixels of a monospaced letter of 14 pixels
_GAP = 24


@dataclass(frozen=True, slots=True)
class Drawing:
    """A definition drawn: its SVG element and the size of it in pixels."""

    definition: Definition
    svg: str
    width: float
    height: float


def draw_definitions(dialect: WrittenDialect) -> list[Drawing]:
    """Draw every definition of a dialect.

    Raises `SymOpsError` if the library is missing or drawing takes too long.
    """
    with bounded_steps(dialect.path, steps_for(dialect.text), what="drawn"):
        definitions = read_definitions(dialect)
        artist = _Artist(definitions)
        return [artist.draw(definition) for definition in definitions.values()]


def write_html(dialect: WrittenDialect) -> str:
    """Return a page of well-formed XML: a table of contents, and a diagram for each definition."""
    title = escape(f"{dialect.name}: railroad diagrams")
    contents = []
    sections = []
    for chapter, drawings in _chapters(draw_definitions(dialect)):
        links = []
        figures = []
        for drawing in drawings:
            name = escape(drawing.definition.name)
            links.append(f'<a href="#def-{name}">{name}</a>')
            figures.append(
                f'<section id="def-{name}"><h3>{name}</h3>\n<div>{drawing.svg}</div></section>'
            )
        contents.append(f"<h2>{chapter}</h2>\n<p>{' '.join(links)}</p>")
        body = "\n".join(figures)
        sections.append(f'<h2>{chapter}</h2>\n<div class="chapter">\n{body}\n</div>')
    return PAGE.format(
        title=title,
        style=PAGE_STYLE + STYLE,
        key=KEY,
        contents="\n".join(contents),
        sections="\n".join(sections),
    )


def write_svg(dialect: WrittenDialect) -> str:
    """Return one SVG file with a diagram for each definition, chapter by chapter, in rows."""
    drawings = draw_definitions(dialect)
    widest = max([drawing.width for drawing in drawings], default=0.0)
    # Small diagrams are in rows, which need some width.
    widest = max(1000.0, widest)
    y = 70.0
    title = escape(dialect.name)
    pieces = [f'<text class="title" x="{_GAP}" y="36">{title}: railroad diagrams</text>']
    for chapter, members in _chapters(drawings):
        pieces.append(f'<text class="chapter" x="{_GAP}" y="{y:g}">{chapter}</text>')
        # The title of a chapter is above its first row.
        y += 12
        for row in _fill_rows(members, widest):
            x = float(_GAP)
            for drawing in row:
                name = escape(drawing.definition.name)
                # The name is above the diagram.
                inner = drawing.svg.replace("<svg ", '<svg x="0" y="16" ', 1)
                pieces.append(
                    f'<g id="def-{name}" transform="translate({x:g} {y:g})">'
                    f'<text class="name" y="16">{name}</text>{inner}</g>'
                )
                x += drawing.width + _GAP
            heights = [drawing.height for drawing in row]
            y += max(heights) + 30
        y += 36
    return SVG.format(
        width=f"{widest + 2 * _GAP:g}",
        height=f"{y:g}",
        title=title,
        style=STYLE,
        pieces="\n".join(pieces),
    )


def _fill_rows(drawings: Sequence[Drawing], widest: float) -> Iterator[list[Drawing]]:
    row: list[Drawing] = []
    used = 0.0
    for drawing in drawings:
        if row and used + drawing.width > widest:
            yield row
            row = []
            used = 0.0
        row.append(drawing)
        used += drawing.width + _GAP
    if row:
        yield row


def _chapters(drawings: Sequence[Drawing]) -> Iterator[tuple[str, list[Drawing]]]:
    chapters: dict[str, list[Drawing]] = {"Rules": [], "Terminals": [], "Marks and words": []}
    for drawing in drawings:
        title = "Terminals"
        if drawing.definition.is_rule:
            title = "Rules"
        elif drawing.definition.literal is not None:
            title = "Marks and words"
        chapters[title].append(drawing)
    for title, members in chapters.items():
        if members:
            yield title, members


# ---- drawing


class _Artist:
    """Converts parts to items of the library."""

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
        # A class of the library can be extended only after it is imported.
        methods = {"__init__": _init_box, "format": _format_box}
        self.box = type("Box", (railroad.DiagramItem,), methods)

    def draw(self, definition: Definition) -> Drawing:
        """Draw one definition."""
        diagram = self.library.Diagram(self._item(definition.part, _WIDEST))
        # A margin of ten pixels; the library has measured the items by then.
        diagram.format(10)
        pieces: list[str] = []
        diagram.writeSvg(pieces.append)
        width = float(diagram.attrs["width"])
        height = float(diagram.attrs["height"])
        return Drawing(definition, "".join(pieces), width, height)

    def _item(self, part: Part, widest: float) -> Any:
        library = self.library
        # Alternatives and repetitions need room for the lines around them.
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
        # A terminal that Lark defines itself has no diagram to link to.
        if definition is None:
            return self.box([name], "terminal", None)
        if definition.literal is not None:
            return self.box([show_literal(definition.literal)], "literal", name)
        kind = "rule" if definition.is_rule else "terminal"
        return self.box([name], kind, name)

    def _sequence(self, items: list[Any], widest: float) -> Any:
        """Put items in a line, or in several lines if one would be too long."""
        lines: list[list[Any]] = [[]]
        used = 0.0
        for item in items:
            if lines[-1] and used + item.width + 20 > widest:
                lines.append([])
                used = 0.0
            lines[-1].append(item)
            used += item.width + 20
        rows = [self.library.Sequence(*line) if len(line) > 1 else line[0] for line in lines]
        return rows[0] if len(rows) == 1 else self.library.Stack(*rows)

    def _choice(self, straight: int, items: list[Any]) -> Any:
        """Put items below each other, the one that is `straight` in the line."""
        choice = self.library.Choice(straight, *items)
        # The library assumes that the last item is one line high, which cuts off the bottom of the
        # drawing. So the height is measured again, in the way in which it places the items.
        radius = self.library.AR
        space = self.library.VS
        above, *below = items[straight:]
        least = 2 * radius
        place = 0
        reach = above.height + above.down
        for item in below:
            place += max(least, above.height + above.down + space + item.up)
            least = radius
            above = item
            reach = place + item.height + item.down
        choice.down = max(choice.down, reach - choice.height)
        return choice

    def _repetition(self, item: Any, least: int, most: int | None, between: Part | None) -> Any:
        library = self.library
        if (least, most) == (0, 1):
            return self._choice(1, [library.Skip(), item])
        # A loop has the number of repetitions that most grammars need; others are written below it.
        if most is None and least < 2:
            back = self._item(between, _WIDEST) if between else None
            looped = library.OneOrMore(item, back)
            return looped if least else self._choice(1, [library.Skip(), looped])
        note = f"{least} to {most} times"
        if most is None:
            note = f"{least} or more times"
        elif least == most:
            note = "once" if least == 1 else f"{least} times"
        return library.OneOrMore(item, self.box([note], "note"))


def _init_box(self: Any, lines: Sequence[str], kind: str, link: str | None = None) -> None:
    """Make a box with lines of text: `literal`, `rule`, `terminal`, `pattern` or `note`."""
    super(type(self), self).__init__("g", {"class": kind})
    self.lines = lines
    self.kind = kind
    self.link = link
    self.width = max(map(_columns, lines)) * _CHARACTER + 20
    self.up = self.down = (len(lines) * _LINE_HEIGHT + 8) / 2
    self.needsSpace = True


def _format_box(self: Any, x: float, y: float, width: float) -> Any:
    """Draw a box on the track that begins at (x, y) and ends at (x + width, y)."""
    import railroad

    left = (width - self.width) / 2
    railroad.Path(x, y).h(left).addTo(self)
    railroad.Path(x + left + self.width, y).h(width - left - self.width).addTo(self)
    x += left
    inside = railroad.DiagramItem("g")
    if self.link:
        inside = railroad.DiagramItem("a", {"href": f"#def-{self.link}"})
    # A literal is round, so that it can be distinguished without colors.
    round_corners = self.up if self.kind == "literal" else 3
    shape = {
        "x": x,
        "y": y - self.up,
        "width": self.width,
        "height": 2 * self.up,
        "rx": round_corners,
    }
    railroad.DiagramItem("rect", shape).addTo(inside)
    if self.link and self.kind == "literal":
        railroad.DiagramItem("title", {}, self.link).addTo(inside)
    for number, line in enumerate(self.lines):
        middle = y - self.up + 4 + _LINE_HEIGHT * (number + 0.5)
        # The baseline of letters is below their middle.
        place = {"x": x + self.width / 2, "y": middle + 4.5}
        railroad.DiagramItem("text", place, line).addTo(inside)
    inside.addTo(self)
    return self


def show_literal(text: str) -> str:
    """Return a text with visible characters: ␣ for blanks, escapes for invisible ones."""
    return "".join(map(_show_character, text))


def _show_character(character: str) -> str:
    if character in _VISIBLE:
        return _VISIBLE[character]
    return character if character.isprintable() else f"\\u{ord(character):04x}"


_VISIBLE = {
    " ": "␣",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\f": "\\f",
    "\v": "\\v",
    "\u00ad": "\\u00ad",
}


def _wrap(pattern: str) -> list[str]:
    """Break a pattern into lines of similar length, never in an escape or a range of escapes."""
    visible = ""
    for character in pattern:
        # A backslash of the pattern is not escaped again.
        is_clear = character.isprintable() and character != " "
        visible += character if is_clear else show_literal(character)
    pieces = _PIECES.findall(visible)
    rows = -(-_columns(visible) // _PATTERN_COLUMNS)
    longest = _columns(visible) / rows
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
