"""The report as one page without other files: the Markdown text, with the plots drawn into it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from ....core.ground.numbers import counted
from ...measuring.statistics import load_library
from .contents import find_anchor
from .drawing import styled
from .opening import draw_bar
from .plots import PLOTS
from .sections import Section
from .text import write_markdown

_MAX_ROWS = 14  # a table with more rows is folded at first

STYLE = """
:root { --ink: #1b1f24; --muted: #5c6670; --line: #dfe3e8; --paper: #fff; --wash: #f5f7f9;
  --mark: #0072b2;
  color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --muted: #a2abb5; --line: #363c44;
  --paper: #16191d;
  --wash: #1f242a; --mark: #6cc0f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 20px 16px 64px; max-width: 1060px; background: var(--paper);
  color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
    overflow-wrap: break-word; }
p, li { max-width: 828px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .4em 0; }
h2 { font-size: 1.25rem; margin: 2.2em 0 .6em; padding: .6em 0 0;
  border-top: 3px solid var(--ink); }
h3 { font-size: 1.1rem; margin: 2.4em 0 .4em; }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  background: var(--wash);
  padding: .05em .3em; border-radius: 3px; }
h2 code { background: none; padding: 0; }
p.note { color: var(--muted); font-size: .85rem; }
.plot { display: block; overflow-x: auto; }
svg { display: block; width: 100%; height: auto; margin: 4px 0 12px; }
svg * { font-variant-numeric: tabular-nums; }
.box { overflow-x: auto; margin: .6em 0; border-top: 1px solid var(--line);
  border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums;
  min-width: 100%; }
th, td { padding: .4em .7em; text-align: left; vertical-align: top; min-width: 4em; }
th, td[style], td code { white-space: nowrap; }
td:not([style]) { max-width: 24em; }
th { color: var(--muted); font-weight: 600; border-bottom: 1px solid var(--line); }
tbody tr:nth-child(even) { background: var(--wash); }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--paper); }
tbody tr:nth-child(even) td:first-child { background: var(--wash); }
a { color: var(--mark); }
.bar { display: flex; height: 1.5rem; min-width: 10rem; border-radius: 3px; overflow: hidden; }
.bar span { font-size: .8rem; line-height: 1.5rem; text-align: center; color: #101112; }
.bar .right { background: #56b4e9; } .bar .alarm { background: #e69f00; } .bar .none {
  background: #9a9a9b; }
.bar .wrong { background: #d55e00; }
td:has(.bar) { width: 40%; }
#contents + ul { font-size: .9rem; padding-left: 1.2em; }
#contents + ul ul { columns: 2; column-gap: 2em; padding-left: 1.2em; margin: 0; }
#contents + ul li > p { margin-top: 0; }
summary { cursor: pointer; color: var(--mark); font-size: .9rem; margin: .4em 0; }
@media (max-width: 640px) {  /* each row becomes a card: nothing is cut off,
  nothing is beyond the edge */
  .box { overflow: visible; border-bottom: 0; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tbody tr { border-bottom: 1px solid var(--line); padding: .4em 0; }
  tbody tr:nth-child(even) { background: none; }
  td, td:not([style]) { overflow: hidden; max-width: none; padding: .1em .2em;
    text-align: right !important;
    overflow-wrap: anywhere; }
  td[style], td code { white-space: normal; }
  td:before { content: attr(data-label); float: left; max-width: 50%; padding-right: 1em;
    color: var(--muted);
    text-align: left; }
  td:first-child { position: static; font-weight: 600; background: none !important;
    text-align: left !important; }
  td:first-child:before { content: none; }
  td:has(.bar) { width: auto; }
  td:has(.bar):before { content: none; }
  #contents + ul ul { columns: 1; }
}
@media print { details > * { display: block; } .box { overflow: visible; } }
"""


def write_page(sections: Sequence[Section]) -> str:
    """Return the report as a page without scripts and without network.

    The same records give the same bytes, except for latencies.
    """

    # The addresses are those of `write_markdown`.
    def draw(address: str, title: str) -> str | None:
        if address.startswith("bar/"):
            return draw_bar(sections, address.removeprefix("bar/"))
        match = re.fullmatch(r"(\d+)/(\w+)", address)
        if not match:
            return None
        place, name = match.groups()
        sheet = PLOTS[name](sections[int(place)].figures)
        return sheet.svg(f"plot{place}-{name}", title) if sheet else ""

    return lay_out(write_markdown(sections, plots=True), draw)


def lay_out(text: str, draw: Callable[[str, str], str | None]) -> str:
    """Return a Markdown text as a page.

    Args:
        text: The Markdown text. An image `plot:ADDRESS` marks the place of a drawing.
        draw: Called with the address and the title of an image. It returns an SVG element, an empty
            text if there is nothing to see, or None if the address is unknown.
    """
    markdown = load_library("markdown_it")
    parser: Any = markdown.MarkdownIt("commonmark", {"html": False}).enable("table")

    def write_image(tokens: Sequence[Any], at: int, *_: object) -> str:
        token = tokens[at]
        address = token.attrs["src"]
        drawing = None
        if address.startswith("plot:"):
            with styled():
                drawing = draw(address.removeprefix("plot:"), token.content)
        # Not one of our images: only its description is shown, so no page loads a file.
        if drawing is None:
            return escape(token.content)
        return f'<span class="plot">{drawing}</span>' if drawing else ""

    parser.renderer.rules |= {
        "image": write_image,
        "table_open": _open_table,
        "table_close": _close_table,
        "paragraph_open": _open_paragraph,
    }
    tokens = parser.parse(text)
    _link(tokens)
    _label(tokens)
    body = parser.renderer.render(tokens, parser.options, {})
    title = escape(text.partition("\n")[0].lstrip("# "))
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{STYLE}</style>
</head>
<body>
<main>
{body}</main>
</body>
</html>
"""


def _open_table(tokens: Sequence[Any], at: int, *_: object) -> str:
    rows = tokens[at].meta["rows"]
    fold = ""
    if rows > _MAX_ROWS:
        fold = f"<details><summary>all {counted(rows, 'row')}</summary>"
    return f'{fold}<div class="box" tabindex="0"><table>\n'


def _close_table(tokens: Sequence[Any], at: int, *_: object) -> str:
    fold = "</details>" if tokens[at].meta["rows"] > _MAX_ROWS else ""
    return f"</table></div>{fold}\n"


def _open_paragraph(tokens: Sequence[Any], at: int, *_: object) -> str:
    # A note is a paragraph below a table.
    is_note = at > 0 and tokens[at - 1].type == "table_close"
    return '<p class="note">' if is_note else "<p>"


def _link(tokens: Sequence[Any]) -> None:
    """Give headings the anchors that the table of contents leads to."""
    counts: Counter[str] = Counter()
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.tag in ("h2", "h3"):
            token.attrSet("id", find_anchor(content.content, counts))


def _label(tokens: Sequence[Any]) -> None:
    """Give the cells of tables the heads of their columns, for narrow pages.

    Both ends of a table get its number of rows.
    """
    heads: list[str] = []
    for token, content in pairwise(tokens):
        if token.type == "table_open":
            heads = []
            facts = {"rows": -1}  # the head does not count
            token.meta = facts
        elif token.type == "table_close":
            token.meta = facts
        elif token.type == "th_open":
            heads.append("".join(child.content for child in content.children))
        elif token.type == "tr_open":
            # Each row has a cell for each head, in their order.
            columns = iter(heads)
            facts["rows"] += 1
        elif token.type == "td_open":
            token.attrSet("data-label", next(columns, ""))
    # `pairwise` leaves out the last token.
    if tokens and tokens[-1].type == "table_close":
        tokens[-1].meta = facts
