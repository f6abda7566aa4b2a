"""The first screen of a report: the verdict in three sentences at most, and one table.

A sentence claims that a format is better only if the comparison of pairs shows it, corrected for
all comparisons. Replies whose meaning is not known have no bar of outcomes: only their validity is
known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ....core.ground.numbers import counted
from ..figures import ALARM, NO_ANSWER, OUTCOMES, RIGHT, WRONG, Figure
from .findings import last
from .sections import Section
from .words import cell, code, listing, percent, table

_MODEL = ("provider", "model")  # in the detail of a provenance
_MAX_NAMES = 3  # in a sentence
_CLASSES = {RIGHT: "right", ALARM: "alarm", NO_ANSWER: "none", WRONG: "wrong"}
_MIN_SHARE = 0.08  # of a bar: its number fits into it


@dataclass(frozen=True, slots=True)
class Row:
    """A format in a section.

    Attributes:
        section: The section.
        place: The number of the section in the report.
        format: The format.
        outcomes: The shares of the four outcomes in the end; empty if they are not known.
        first: The share of replies that are valid as written.
        end: The share of replies that are valid in the end.
    """

    section: Section
    place: int
    format: str
    outcomes: dict[str, Figure]
    first: Figure | None
    end: Figure

    @property
    def name(self) -> str:
        """The format, with its model if the section has one."""
        model = find_model(self.section)
        if not model:
            return code(self.format)
        return f"{code(self.format)} of {code(model)}"

    @property
    def right(self) -> float:
        """The share of right replies."""
        if not self.outcomes:
            return 0.0
        return self.outcomes[RIGHT].amount

    @property
    def figures(self) -> tuple[Figure | None, ...]:
        """The columns of tables: right, wrong without alarm, valid as written and in the end."""
        return (
            self.outcomes.get(RIGHT),
            self.outcomes.get(WRONG),
            # Reports compare these two to show what repairs add.
            self.first,
            self.end,
        )


def find_model(section: Section) -> str:
    """Return the model of a section; empty if its replies are simulated, or name none."""
    return section.model or dict(section.provenance.detail).get("model", "")


def write_opening(
    sections: Sequence[Section], plots: bool, beneath: Callable[[Section], str]
) -> Iterator[str]:
    """Yield the lines of the first screen.

    Args:
        sections: The sections of the report.
        plots: Whether images mark the places of the bars.
        beneath: Returns what must be below every table of a section.
    """
    groups: dict[tuple[object, ...], list[Row]] = {}
    for place, section in enumerate(sections):
        # Models may share a table, but not replies of different kinds, profiles or days.
        detail = [pair for pair in section.provenance.detail if pair[0] not in _MODEL]
        rows = groups.setdefault((section.provenance.kind, *detail), [])
        rows += rows_of(section, place)
    for rows in filter(None, groups.values()):
        for sentence in _verdict(rows):
            yield f"{sentence}\n"
        yield from _tabulate(rows, plots)
        notes = " ".join(dict.fromkeys(beneath(row.section) for row in rows))
        bars = ""
        if plots:
            bars = f" Bars, from the left: {', '.join(OUTCOMES)}."
        yield f"{notes} After the last phase of each format; rates with 95 % intervals.{bars}\n"


def draw_bar(sections: Sequence[Section], address: str) -> str:
    """Return the bar of outcomes of a format as HTML.

    Args:
        sections: The sections of the report.
        address: The numbers of the section and of its format: `0/2`.
    """
    place, _, number = address.partition("/")
    section = sections[int(place)]
    format = section.formats[int(number)]
    row = next(row for row in rows_of(section) if row.format == format)
    spans = ""
    words = []
    for outcome, kind in _CLASSES.items():
        share = row.outcomes[outcome].amount
        title = f"{outcome} {percent(share)}"
        words.append(title)
        # A span without width would still have its border.
        if share:
            width = f"width:{100 * share:.2f}%"
            label = ""
            if share >= _MIN_SHARE:
                label = f"{100 * share:.0f}"
            spans += f'<span class="{kind}" style="{width}" title="{title}">{label}</span>'
    title = escape(f"{row.format}: {', '.join(words)}")
    return f'<span class="bar" role="img" aria-label="{title}">{spans}</span>'


def rows_of(section: Section, place: int = 0) -> list[Row]:
    """Return the formats of a section that have a figure of validity."""
    fidelity = section.figures["fidelity_by_phase"]
    compliance = section.figures["compliance_by_phase"]
    by_outcome = {outcome: last(fidelity, outcome) for outcome in OUTCOMES}
    first = {figure.format: figure for figure in compliance if figure.part == "strict"}
    end = last(compliance, "valid")
    rows = []
    for format in filter(end.get, section.formats):
        outcomes = {}
        for outcome in OUTCOMES:
            figure = by_outcome[outcome].get(format)
            # The four outcomes are known together, or none of them is.
            if figure:
                outcomes[outcome] = figure
        row = Row(
            section,
            place,
            format,
            outcomes,
            # A run with a model that was asked again has no strict phase of the last reply.
            first.get(format),
            end[format],
        )
        rows.append(row)
    return rows


def _verdict(rows: Sequence[Row]) -> Iterator[str]:
    """Yield three sentences at most: what is right more often, and how often nothing warned."""
    judged = [row for row in rows if row.outcomes]
    judged.sort(key=lambda row: -row.right)
    if not judged:
        # Without a meaning there is only the form to report.
        shares = []
        for row in rows:
            share = percent(row.end.amount)
            shares.append(f"{row.name} {share} of {row.end.n:,}")
        yield (
            "**What was meant is not known. Of the replies, valid in the end: "
            f"{_list_some(shares)}.**"
        )
        return
    yield from _ranking(judged)
    silent = []
    for row in judged:
        figure = row.outcomes[WRONG]
        if figure.k:
            silent.append(f"{row.name} {percent(figure.amount)}")
    if silent:
        end = "." if len(silent) == len(judged) else "; the others 0 %."
        names = _list_some(silent)
        yield f"**Wrong without alarm, which changes files unnoticed: {names}**{end}"
    else:
        # None was seen, so the widest interval limits the rate of each format.
        limits = [row.outcomes[WRONG].high or 0.0 for row in judged]
        high = percent(max(limits))
        yield f"No reply was wrong without alarm: at most {high} of each, with 95 % confidence."


def _ranking(judged: Sequence[Row]) -> Iterator[str]:
    best = judged[0]
    if len(judged) == 1:
        yield f"**{_rate(best)} is right in the end.**"
        return
    if len({row.place for row in judged}) > 1:
        yield _name_extremes(judged)
        yield "Models are not compared in pairs here: `symops bench compare` does that."
        return
    worse = set()
    _, differences = best.section.differences
    for difference in differences:
        outcome = difference.comparison.outcome
        if outcome == "right in the end" and difference.better == best.format:
            worse.add(difference.worse)
    beaten: list[str] = []
    alike: list[str] = []
    for row in judged[1:]:
        group = beaten if row.format in worse else alike
        group.append(_rate(row))
    if beaten:
        yield f"**{_rate(best)} is right more often than {_list_some(beaten)}.**"
    if alike:
        tasks = counted(best.section.tasks[best.format], "task is", "tasks are")
        # The sentence before names the best format, if there is one.
        pairs = _list_some([_rate(best), *alike])
        if beaten:
            pairs = f"it and {_list_some(alike)}"
        yield (
            f"No difference was found between {pairs}: {tasks} too few for a difference this "
            "small, if there is one."
        )


def _name_extremes(judged: Sequence[Row]) -> str:
    """Return who is right most and least often; of equals all are named, or none."""
    high = judged[0].right
    low = judged[-1].right
    if high == low:
        return f"**All are right equally often ({percent(high)}).**"
    best = _list_some([_rate(row) for row in judged if row.right == high])
    worst = _list_some([_rate(row) for row in judged if row.right == low])
    return f"**Right most often: {best}; least often: {worst}.**"


def _tabulate(rows: Sequence[Row], plots: bool) -> Iterator[str]:
    # One model is named in the line below the table.
    has_models = any(find_model(row.section) for row in rows)
    heads = ["format", "model"] if has_models else ["format"]
    if plots:
        heads.append("outcomes, in percent")
    numbers = len(heads)
    heads += [RIGHT, WRONG, "valid as written", "valid in the end", "n"]
    lines = []
    # The best comes first; of equals, or where nothing else is known, the most obedient.
    for row in sorted(rows, key=lambda row: (-row.right, -row.end.amount)):
        line = [code(row.format)]
        if has_models:
            model = find_model(row.section)
            line.append(code(model) if model else "not named")
        if plots and row.outcomes:
            number = row.section.formats.index(row.format)
            # `draw_bar` gets this address when the page is laid out.
            line.append(f"![outcomes](plot:bar/{row.place}/{number})")
        elif plots:
            line.append("not known")
        for figure in row.figures:
            text = "not known"
            if figure:
                text = cell(figure, with_n=False)
            line.append(text)
        line.append(_count(row))
        lines.append(line)
    yield from (*table(heads, lines, numbers), "")


def _count(row: Row) -> str:
    """Return the number of replies, and of how many of them the meaning is known."""
    every = row.end.n
    judged = row.outcomes[RIGHT].n if row.outcomes else every
    text = f"{every:,}"
    if judged != every:
        text += f"; meaning known of {judged:,}"
    return text


def _rate(row: Row) -> str:
    return f"{row.name} ({percent(row.right)})"


def _list_some(names: Sequence[str]) -> str:
    """Return names as a list in a sentence; of a long list the first ones, and a number."""
    if len(names) > _MAX_NAMES + 1:
        names = [*names[:_MAX_NAMES], f"{len(names) - _MAX_NAMES} others"]
    return listing(names)
