"""The rows of the table: what was measured, the figure, the goal, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One figure, of which there may be several parts in the same unit; `least` says that more is better."""

    what: str
    figures: tuple[float, ...]
    goals: tuple[float, ...]
    unit: str = ""
    least: bool = False

    @property
    def holds(self) -> bool:
        """Whether each part is as good as its goal."""
        pairs = zip(self.figures, self.goals, strict=True)
        return all(figure >= goal if self.least else figure <= goal for figure, goal in pairs)

    def line(self) -> str:
        """Return the row as a line of Markdown."""
        output, expected = (" / ".join(f"{value:.3g}" for value in values) for values in (self.figures, self.goals))
        sign, verdict = "≥" if self.least else "≤", "holds" if self.holds else "**does not hold**"
        return f"| {self.what} | {output} {self.unit} | {sign} {expected} {self.unit} | {verdict} |".replace("  ", " ")


@dataclass
class Findings:
    """What a part of the suite found: rows of the table, lines to read, and rates to draw."""

    rows: list[Row] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)  # of readers, × json.loads


def show(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the table as Markdown."""
    yield from ("| what | figure | goal | |", "|---|---|---|---|")
    for row in rows:
        yield row.line()
