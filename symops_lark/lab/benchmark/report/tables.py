"""The figures of one measure as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..figures import EVERY, Figure
from .words import cell, code, plain, table

_FEW = 6  # parts that still fit beside one another
_MANY = 8  # parts of which figures of several names get a table for each name


def tabulate(figures: Sequence[Figure]) -> list[tuple[str, list[str]]]:
    """Return the tables, each with a title (empty where its columns say it) and its lines.

    What cannot be measured is in none of them: it has a list of its own.
    """
    known = [figure for figure in figures if figure.value is not None]
    if not known:
        return []
    parts, names = _unique(figure.part for figure in known), _unique(figure.name for figure in known)
    if len(_unique(figure.name for figure in figures)) > 1 and (len(names) == 1 or len(parts) > _MANY):
        each = ((name, [figure for figure in known if figure.name == name]) for name in names)
        return [(f"{name[:1].upper()}{name[1:]}:", _tabulate(found)) for name, found in each]
    return [("", _tabulate(known))]


def _tabulate(figures: Sequence[Figure]) -> list[str]:
    parts, names = _unique(f.part for f in figures), _unique(f.name for f in figures)
    axis = figures[0].axis
    if len(names) == 1 and axis and len(parts) > _FEW:
        parts.sort(key=lambda part: (part != EVERY, part))
        found = {(f.part, f.format): f for f in figures}
        formats = _unique(f.format for f in figures)
        rows = [((plain(part),), [found.get((part, name)) for name in formats]) for part in parts]
        return _layout([axis], rows, list(map(code, formats)))
    across = parts if len(names) == 1 and axis else names
    cells: dict[tuple[str, ...], dict[str, Figure]] = {}
    for figure in figures:
        key = (code(figure.format),) if across is parts or not axis else (code(figure.format), plain(figure.part))
        cells.setdefault(key, {})[figure.part if across is parts else figure.name] = figure
    labels = ["format"] if across is parts or not axis else ["format", axis]
    before = "after " if axis == "after" else ""
    heads = [before + plain(part) for part in parts] if across is parts else names
    return _layout(labels, [(key, [row.get(name) for name in across]) for key, row in cells.items()], heads)


def _layout(
    labels: Sequence[str], rows: Sequence[tuple[tuple[str, ...], Sequence[Figure | None]]], heads: Sequence[str]
) -> list[str]:
    same = all(len({figure.n for figure in row if figure}) == 1 for _, row in rows)
    lines = []
    for key, row in rows:
        n = [f"{next(figure.n for figure in row if figure):,}"] if same else []
        lines.append((*key, *n, *(cell(figure, with_n=not same) for figure in row)))
    return table([*labels, *["n"] * same, *heads], lines, len(labels))


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
