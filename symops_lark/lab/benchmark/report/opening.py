"""The first screen of a report: the verdict in at most three sentences, and one table across models and formats.

A sentence says that a format is better only where the comparison of pairs shows it, corrected for all that is compared.
Replies whose meaning is not known have no bar of outcomes: only whether they are valid is known of them.
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
_FEW = 3  # names in a sentence
_CLASSES = {RIGHT: "right", ALARM: "alarm", NO_ANSWER: "none", WRONG: "wrong"}
_WIDE = 0.08  # share of a bar from which on its number fits into it


@dataclass(frozen=True, slots=True)
class Row:
    """A format in a section: the shares of the four outcomes in the end, if they are known, and of valid replies."""

    section: Section
    place: int
    format: str
    outcomes: dict[str, Figure]
    first: Figure | None
    end: Figure | None

    @property
    def name(self) -> str:
        """The format, with its model where the section has one."""
        model = find_model(self.section)
        return f"{code(self.format)} of {code(model)}" if model else code(self.format)

    @property
    def right(self) -> float:
        """The share of right replies."""
        return self.outcomes[RIGHT].value or 0.0 if RIGHT in self.outcomes else 0.0


def find_model(section: Section) -> str:
    """Return the model that a section is of; empty if its replies are made up, or do not name one."""
    return section.model or dict(section.provenance.detail).get("model", "")


def write_opening(sections: Sequence[Section], plots: bool, beneath: Callable[[Section], str]) -> Iterator[str]:
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
        groups.setdefault((section.provenance.kind, *detail), []).extend(_rows(section, place))
    for rows in groups.values():
        if not rows:
            continue
        yield from (f"{sentence}\n" for sentence in _verdict(rows))
        yield from _tabulate(rows, plots)
        names = dict.fromkeys(beneath(row.section) for row in rows)
        bars = f" Bars, from the left: {', '.join(OUTCOMES)}." if plots else ""
        yield f"{' '.join(names)} After the last phase of each format; rates with 95 % intervals.{bars}\n"


def draw_bar(sections: Sequence[Section], address: str) -> str:
    """Return the bar of outcomes of a format as HTML.

    Args:
        sections: The sections of the report.
        address: The numbers of the section and of its format: `0/2`.
    """
    place, _, number = address.partition("/")
    section = sections[int(place)]
    row = next(row for row in _rows(section, int(place)) if row.format == section.formats[int(number)])
    spans, words = [], []
    for outcome, kind in _CLASSES.items():
        share = row.outcomes[outcome].value or 0.0
        words.append(f"{outcome} {percent(share)}")
        if share:
            label = f"{100 * share:.0f}" if share >= _WIDE else ""
            spans.append(f'<span class="{kind}" style="width:{100 * share:.2f}%" title="{words[-1]}">{label}</span>')
    title = escape(f"{row.format}: {', '.join(words)}")
    return f'<span class="bar" role="img" aria-label="{title}">{"".join(spans)}</span>'


def _rows(section: Section, place: int) -> list[Row]:
    """Return the rows of a section."""
    fidelity, compliance = section.figures["fidelity_by_phase"], section.figures["compliance_by_phase"]
    named = {outcome: last(fidelity, outcome) for outcome in OUTCOMES}
    first = {figure.format: figure for figure in compliance if figure.part == "strict"}
    end = last(compliance, "valid")
    rows = []
    for format in section.formats:
        known = {outcome: figures[format] for outcome, figures in named.items() if format in figures}
        if format in end:
            rows.append(Row(section, place, format, known, first.get(format), end[format]))
    return rows


def _verdict(rows: Sequence[Row]) -> Iterator[str]:
    """Yield at most three sentences: which is right more often, of which that is not shown, what to fear."""
    known = sorted((row for row in rows if row.outcomes), key=lambda row: -row.right)
    if not known:
        shares = [f"{row.name} {percent(row.end.value or 0.0)} of {row.end.n:,}" for row in rows if row.end]
        yield f"**What was meant is not known. Of the replies, valid in the end: {listing(_shorten(shares))}.**"
        return
    yield from _ranking(known)
    feared = [row for row in known if row.outcomes[WRONG].k]
    if feared:
        names = [f"{row.name} {percent(row.outcomes[WRONG].value or 0.0)}" for row in feared]
        rest = "." if len(feared) == len(known) else "; the others 0 %."
        yield f"**Wrong without alarm, which changes files unnoticed: {listing(_shorten(names))}**{rest}"
    else:
        most = max(row.outcomes[WRONG].high or 0.0 for row in known)
        yield f"No reply was wrong without alarm: at most {percent(most)} of each, with 95 % confidence."


def _ranking(known: Sequence[Row]) -> Iterator[str]:
    best, worst = known[0], known[-1]
    if len(known) == 1:
        yield f"**{_rate(best)} is right in the end.**"
    elif len({row.place for row in known}) > 1:
        yield f"**Right most often: {_rate(best)}; least often: {_rate(worst)}.**"
        yield "Models are not compared in pairs here: `symops bench compare` does that."
    else:
        differences = best.section.differences[1]
        worse = {
            shown.worse
            for shown in differences
            if shown.better == best.format and shown.comparison.outcome == "right in the end"
        }
        beaten = [_rate(row) for row in known if row.format in worse]
        alike = [_rate(row) for row in known[1:] if row.format not in worse]
        if beaten:
            yield f"**{_rate(best)} is right more often than {listing(_shorten(beaten))}.**"
        if alike:
            tasks = counted(best.section.tasks[best.format], "task")
            names = listing(_shorten([*([] if beaten else [_rate(best)]), *alike]))
            what = f"between it and {names}" if beaten else f"between {names}"
            yield f"No difference was found {what}: {tasks} are too few for a difference this small, if there is one."


def _tabulate(rows: Sequence[Row], plots: bool) -> Iterator[str]:
    ordered = sorted(rows, key=lambda row: (-row.right, -(row.end.value or 0.0) if row.end else 0.0))
    has_models = any(find_model(row.section) for row in rows)
    heads = ["format", *(["model"] if has_models else []), *(["outcomes, in percent"] if plots else [])]
    names = len(heads)
    heads += [RIGHT, WRONG, "valid as written", "valid in the end", "n"]
    lines = []
    for row in ordered:
        figures = [row.outcomes.get(RIGHT), row.outcomes.get(WRONG), row.first, row.end]
        cells = [cell(figure, with_n=False) if figure else "not known" for figure in figures]
        model = find_model(row.section)
        words = [code(row.format), *([code(model) if model else "not named"] if has_models else [])]
        if plots:
            address = f"plot:bar/{row.place}/{row.section.formats.index(row.format)}"
            words.append(f"![outcomes]({address})" if row.outcomes else "not known")
        lines.append([*words, *cells, _count(row)])
    yield from table(heads, lines, names)
    yield ""


def _count(row: Row) -> str:
    """Return the number of replies, and of how many of them it is known what was meant."""
    every = row.end.n if row.end else 0
    known = row.outcomes[RIGHT].n if RIGHT in row.outcomes else every
    return f"{every:,}" if known == every else f"{every:,}; meaning known of {known:,}"


def _rate(row: Row) -> str:
    return f"{row.name} ({percent(row.right)})"


def _shorten(names: Sequence[str]) -> list[str]:
    """Return the first names of a long list, and how many there are more."""
    if len(names) <= _FEW + 1:
        return list(names)
    return [*names[:_FEW], f"{len(names) - _FEW} others"]
