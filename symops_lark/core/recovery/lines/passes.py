"""The passes over the lines of a broken text, in their order: which neighbours belong together, what is content.

Each pass takes the lines as the pass before it left them, and returns all of them. A pass runs where the dialect has
its form. The docstring of each shows by tables what it does to lines, and the tests run these tables. `trace_passes`
shows what the passes do to a text (`symops grammar trace --passes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...grammar.dialect import Dialect
from .fence_lines import flatten_drawings, pair_fences, pair_long_fences, protect_blocks
from .head_lines import gather_attributes, join_broken_heads, join_tagged_heads
from .kinds import Line
from .own_lines import join_own
from .spelling import LineReader
from .tagged_blocks import open_reasoning, pair_tags


class Pass(NamedTuple):
    """One pass: its name, the form that a dialect must have (with `!`: must not have), and what runs."""

    name: str
    form: str
    run: Callable[[str, list[Line], LineReader], list[Line]]


PASSES: tuple[Pass, ...] = (
    Pass("own-sections", "own-sections", join_own),
    Pass("open-reasoning", "lines", open_reasoning),
    Pass("tagged-heads", "lines", join_tagged_heads),
    Pass("broken-heads", "!lines", join_broken_heads),
    Pass("attribute-lines", "attributes", gather_attributes),
    Pass("tags", "", pair_tags),
    Pass("fences", "fences", pair_fences),
    Pass("whole-blocks", "", protect_blocks),
    Pass("drawings", "", flatten_drawings),
    Pass("long-fences", "", pair_long_fences),
)


def fits(form: str, dialect: Dialect) -> bool:
    """Return whether a pass that needs a form runs for a dialect."""
    if form == "own-sections":
        return bool(dialect.own_sections)
    if form.startswith("!"):
        return form[1:] not in dialect.forms
    return not form or form in dialect.forms


def run_passes(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines as all passes leave them."""
    for one in PASSES:
        if fits(one.form, lexer.dialect):
            lines = one.run(text, lines, lexer)
    return lines


def trace_passes(text: str, lines: list[Line], lexer: LineReader) -> Iterator[tuple[str, list[Line], list[Line]]]:
    """Yield each pass that changes something: its name, the lines before it and after it."""
    for one in PASSES:
        if fits(one.form, lexer.dialect):
            before, lines = list(lines), one.run(text, list(lines), lexer)
            if before != lines:
                yield one.name, before, lines
