"""The tables in the docstrings of passes: what each line was and becomes (`+`: joined to the one above)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from new_dialects import NEW

from symops_lark.core.grammar.loading import load_dialect, load_grammar
from symops_lark.core.recovery.lines.kinds import Kind, Line
from symops_lark.core.recovery.lines.lexer import LineLexer
from symops_lark.core.recovery.lines.passes import Pass, fits
from symops_lark.core.recovery.outline.group_passes import PASSES as GROUP_PASSES
from symops_lark.core.recovery.outline.group_passes import GroupPass
from symops_lark.core.recovery.outline.outline import gather_parts
from symops_lark.core.recovery.reading import PASSES as OUTLINE_PASSES
from symops_lark.core.recovery.reading import Context, OutlinePass, Reading, read_outline, read_passes
from symops_lark.core.repairs import RepairEngine


class Row(NamedTuple):
    """A row of a table."""

    was: str
    becomes: str
    line: str


def tables(documentation: str) -> list[list[Row]]:
    """Return the tables of a docstring; `(3 times)` behind a line repeats it."""
    result: list[list[Row]] = []
    inside = False
    for text in documentation.split("\n"):
        columns = text.split(maxsplit=2)
        if columns == ["was", "becomes", "line"]:
            result.append([])
            start, inside = text.index("line"), True
        elif not columns:
            inside = False
        elif inside:
            line, _, times = text[start:].partition("  (")
            result[-1] += [Row(columns[0], columns[1], line)] * int(times.split()[0] if times else 1)
    return result


def lexer(name: str) -> LineLexer:
    dialect = load_dialect(name)
    return LineLexer(dialect, RepairEngine(dialect).repairer)


def in_own_dialect(folder: Path) -> LineLexer:
    path = folder / "own.lark"
    path.write_text(NEW["blocks"].grammar, encoding="utf-8")
    dialect = load_grammar(path)
    return LineLexer(dialect, RepairEngine(dialect).repairer)


# A dialect for each form that a pass may want; the others run in each dialect.
IN = {"lines": "plain", "!lines": "v2", "attributes": "v2_1", "fences": "v2_long_fence", "": "v2"}


def told(lines: Iterable[Line], passed: Iterable[Line]) -> list[str]:
    """Return what each line became."""
    kinds = {line.start: line.kind for line in passed}
    return [str(kinds.get(line.start, "+")) for line in lines]


def prove_pass(a_pass: Pass, folder: Path) -> None:
    """Run the tables of a pass."""
    output = tables(a_pass.run.__doc__ or "")
    assert len(output) == 2
    assert any(row.was != row.becomes for row in output[0])
    reader = in_own_dialect(folder) if a_pass.form == "own-sections" else lexer(IN[a_pass.form])
    assert fits(a_pass.form, reader.dialect)
    for rows in output:
        text, lines = "", []
        for row in rows:
            lines.append(Line(Kind[row.was], len(text), len(text) + len(row.line), len(text) + len(row.line) + 1))
            text += row.line + "\n"
        assert told(list(lines), a_pass.run(text, list(lines), reader)) == [row.becomes for row in rows]


def context_of(name: str) -> Context:
    """Return what texts of an installed dialect are read with."""
    reader = lexer(name)
    return Context(reader.dialect, reader.repairer, None, reader)


def roles_and_price(text: str, passes: Sequence[OutlinePass]) -> list[str]:
    """Return the role of each line of a text, and the price of the reading."""
    outline = read_passes(Reading(text, []), context_of("v2"), passes).outline
    roles = ["-"] * text.count("\n")
    for part in outline.parts:
        first, last = (text.count("\n", 0, place) for place in (part.line.start, part.line.stop))
        roles[first : last + 1] = [part.step.role] * (last + 1 - first)
    return [*roles, str(outline.price)]


def kinds_of_lines(text: str, passes: Sequence[OutlinePass]) -> list[str]:
    """Return the kind of each line of a text, `+` where it belongs to the line above."""
    context = context_of("v2")
    lines = read_passes(Reading(text, []), context, passes).lines
    return told(context.lexer.read(text), lines)


def prove_reading(a_pass: OutlinePass) -> None:
    """Run the table of a pass over readings: what a line is read as without this pass, and with it.

    A table that ends in a price shows the roles of the lines, any other one their kinds.
    """
    [rows] = tables(a_pass.run.__doc__ or "")
    assert any(row.was != row.becomes for row in rows)
    has_price = rows[-1].line == "price"
    text = "".join(row.line + "\n" for row in rows[: -1 if has_price else None])
    loaded = roles_and_price if has_price else kinds_of_lines
    without = [outline_pass for outline_pass in OUTLINE_PASSES if outline_pass.name != a_pass.name]
    assert loaded(text, without) == [row.was for row in rows]
    with_it = [
        a_pass if single_outline_pass.name == a_pass.name else single_outline_pass
        for single_outline_pass in OUTLINE_PASSES
    ]
    assert loaded(text, with_it) == [row.becomes for row in rows]


def doubts_of_lines(text: str, passes: Iterable[GroupPass]) -> list[str]:
    """Return the code of the doubt about the action that each line of a text begins."""
    reader = lexer("v2")
    outline = read_outline(text, reader.dialect, reader.repairer)
    groups = gather_parts(outline)
    for single_pass in passes:
        single_pass.run(groups, outline)
    doubts = ["-"] * text.count("\n")
    for group in groups:
        if group.suspect:
            doubts[text.count("\n", 0, group.first.line.start)] = group.doubt
    return doubts


def prove_groups(a_pass: GroupPass) -> None:
    """Run the table of a pass over groups: which actions are doubtful without this pass, and with it."""
    [rows] = tables(a_pass.run.__doc__ or "")
    assert {row.becomes for row in rows if row.was != row.becomes} == {a_pass.code}
    text = "".join(row.line + "\n" for row in rows)
    without = [group_pass for group_pass in GROUP_PASSES if group_pass.name != a_pass.name]
    assert doubts_of_lines(text, without) == [row.was for row in rows]
    with_it = [
        a_pass if single_group_pass.name == a_pass.name else single_group_pass for single_group_pass in GROUP_PASSES
    ]
    assert doubts_of_lines(text, with_it) == [row.becomes for row in rows]
