"""Run the passes over the lines of a broken text, in their order.

A pass decides which neighbors belong together and which lines are content. Each takes the lines as
the pass before it left them and returns all of them; it may change the list in place. The header of
`lines` lists the passes and says why they have this order. The docstring of each pass shows by
tables what it does, and the tests run these tables. `trace_passes` shows what the passes do to a
text (`symops grammar trace --passes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...grammar.dialect import Dialect
from .block_lines import flatten_drawings, protect_blocks
from .fence_lines import pair_fences, pair_long_fences
from .head_lines import gather_attributes, join_broken_heads, join_tagged_heads
from .kinds import Line
from .own_lines import join_own
from .spelling import LineReader
from .tagged_blocks import open_reasoning, pair_tags


class Pass(NamedTuple):
    """One pass over lines.

    Attributes:
        name: The name that the trace prints.
        form: The form that a dialect must have (with `!`: must not have); empty: any dialect.
        run: Takes the text, its lines and their reader; returns the lines.
    """

    name: str
    form: str
    run: Callable[[str, list[Line], LineReader], list[Line]]


# In this order: passes that join lines come first, then those that look for delimiters after heads.
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
    """Return whether a pass runs for a dialect.

    Args:
        form: The form that the pass requires, as in `Pass.form`.
        dialect: The dialect of the text.
    """
    if form == "own-sections":
        return bool(dialect.own_sections)
    if form.startswith("!"):
        return form[1:] not in dialect.forms
    return not form or form in dialect.forms


def run_passes(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines after all passes.

    Args:
        text: The text that the offsets of the lines refer to.
        lines: Its lines, each with the kind that it has alone; may be changed in place.
        lexer: Answers what the passes ask about single lines.
    """
    for a_pass in PASSES:
        if fits(a_pass.form, lexer.dialect):
            lines = a_pass.run(text, lines, lexer)
    return lines


def trace_passes(
    text: str, lines: list[Line], lexer: LineReader
) -> Iterator[tuple[str, list[Line], list[Line]]]:
    """Run the passes and yield those that change something.

    Args:
        text: The text that the offsets of the lines refer to.
        lines: Its lines, each with the kind that it has alone; not changed.
        lexer: Answers what the passes ask about single lines.

    Yields:
        The name of the pass, the lines before it, and the lines after it.
    """
    for a_pass in PASSES:
        if not fits(a_pass.form, lexer.dialect):
            continue
        before = list(lines)
        lines = a_pass.run(text, list(lines), lexer)
        if before != lines:
            yield a_pass.name, before, lines
