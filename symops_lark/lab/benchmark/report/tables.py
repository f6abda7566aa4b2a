"""The figures of one measure as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..figures import EVERY, Figure
from .findings import distinct, measured
from .words import cell, code, plain, table

_MAX_COLUMNS = 6  # parts that fit beside one another
_MAX_PARTS = 8  # with more parts, figures of several names get a table for each name


def tabulate(figures: Sequence[Figure]) -> list[tuple[str, list[str]]]:
    """Return the tables of a measure.

    Figures that cannot be measured are in none of them: they are listed elsewhere.

    Args:
        figures: The figures of one measure.

    Returns:
        For each table its title, empty if the columns show it, and its lines.
    """
    values = measured(figures)
    if not values:
        return []
    names = distinct(values, "name")
    is_long = len(distinct(values, "part")) > _MAX_PARTS
    # A name is in a title or in the head of a column, unless the measure has only one.
    has_names = len(distinct(figures, "name")) > 1
    if not has_names or (len(names) > 1 and not is_long):
        return [("", _tabulate(values))]
    tables = []
    for name in names:
        title = f"{name[:1].upper()}{name[1:]}:"
        rows = measured(figures, name)
        tables.append((title, _tabulate(rows)))
    return tables


def _tabulate(figures: Sequence[Figure]) -> list[str]:
    """Return one table: parts across, formats across, or names across."""
    axis = figures[0].axis
    columns = distinct(figures, "name")
    titles = columns
    labels = ["format"]
    row_fields = ["format"]
    column_field = "name"
    if axis and len(columns) == 1:
        columns = distinct(figures, "part")
        titles = list(map(plain, columns))
        column_field = "part"
        # A phase needs a word before it: figures are of its end.
        if axis == "after":
            titles = [f"after {title}" for title in titles]
        # There may be many languages or mistakes: then formats are across, which are fewer.
        if len(columns) > _MAX_COLUMNS:
            figures = sorted(figures, key=_order_of_part)
            columns = distinct(figures, "format")
            titles = list(map(code, columns))
            labels = [axis]
            row_fields = ["part"]
            column_field = "format"
    elif axis:
        labels.append(axis)
        row_fields.append("part")
    rows: dict[tuple[str, ...], dict[str, Figure]] = {}
    for figure in figures:
        names = tuple(_LABELS[field](getattr(figure, field)) for field in row_fields)
        column = getattr(figure, column_field)
        rows.setdefault(names, {})[column] = figure
    return _layout(labels, rows, columns, titles)


_LABELS = {
    "format": code,
    "part": plain,  # a language or a mistake, not the name of something in a program
}


def _order_of_part(figure: Figure) -> tuple[bool, str]:
    return figure.part != EVERY, figure.part


def _layout(
    labels: Sequence[str],
    rows: Mapping[tuple[str, ...], Mapping[str, Figure]],
    columns: Sequence[str],
    titles: Sequence[str],
) -> list[str]:
    """Return a table; if all figures of each row have the same n, that is a column."""
    has_column = all(len(distinct(row.values(), "n")) == 1 for row in rows.values())
    lines = []
    for names, row in rows.items():
        line = list(names)
        if has_column:
            figure = next(iter(row.values()))
            line.append(f"{figure.n:,}")
        # Cells of a row without a figure are empty.
        line += [cell(row.get(name), with_n=not has_column) for name in columns]
        lines.append(line)
    return table([*labels, *["n"] * has_column, *titles], lines, len(labels))
