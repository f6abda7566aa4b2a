"""The result of a measure in a sentence: a function of the measure's name, for some measures.

A sentence reports what was measured, never that a format is better: only `compare` decides that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any

from ....core.ground.numbers import counted
from ..figures import Figure
from ..records import PHASES
from .words import code, listing, number

Figures = Sequence[Figure]
# The figures of a measure by format, by part and by name.
Nested = dict[str, dict[str, dict[str, Figure]]]
FiguresByMeasure = Mapping[str, Figures]


def last(figures: Figures, name: str) -> dict[str, Figure]:
    """Return by format the figure of a name after its last phase, if it could be measured."""
    # A format that has not all phases has its last figure in an earlier one.
    final: dict[str, Figure] = {}
    for figure in measured(figures, name):
        before = final.get(figure.format)
        order = PHASES.index(figure.part)
        if before is None or order >= PHASES.index(before.part):
            final[figure.format] = figure
    return final


def measured(figures: Iterable[Figure], name: str = "") -> list[Figure]:
    """Return the figures that could be measured: those of a name, or all."""
    return [
        figure
        for figure in figures
        # Without a name, all names count.
        if figure.value is not None and name in ("", figure.name)
    ]


def distinct(figures: Iterable[Figure], field: str) -> list[Any]:
    """Return the values of a field of some figures, each once, in their order."""
    return list(dict.fromkeys(map(attrgetter(field), figures)))


def nest(figures: Figures) -> Nested:
    """Return figures by format, by part and by name, in their order."""
    nested: Nested = {}
    for figure in figures:
        parts = nested.setdefault(figure.format, {})
        names = parts.setdefault(figure.part, {})
        names[figure.name] = figure
    return nested


def right_by_mistake(figures: Figures) -> str:
    """Return how many mistakes are always repaired when they are alone, and which are rarely."""
    tries: Counter[str] = Counter()
    misses: Counter[str] = Counter()
    for figure in measured(figures, "alone"):
        tries[figure.part] += figure.n
        misses[figure.part] += figure.n - (figure.k or 0)
    if not tries:
        return ""
    # `+` removes the mistakes without a miss.
    frequent = sorted(+misses, key=lambda part: (-misses[part], part))
    always = len(tries) - len(frequent)
    kinds = counted(len(tries), "kind")
    text = f"Alone, {always} of {kinds} of mistake were repaired every time, in every format."
    if frequent:
        worst = [f"{code(part)} ({misses[part]} of {tries[part]})" for part in frequent[:3]]
        text += f" Most often not: {listing(worst)}."
    return text


def tokens_per_action(figures: Figures) -> str:
    """Return the tokens of the cheapest and of the most expensive format."""
    every = measured(figures, "in all")
    # Without the contents, if some reply is known to hold them.
    costs = measured(figures, "besides contents")
    title = "Tokens an action, contents aside"
    if not costs:
        costs = every
        title = "Tokens an action"
    if not costs:
        return ""
    # One tokenizer: counts of different ones are not comparable.
    tokenizer = costs[0].part
    costs = [figure for figure in costs if figure.part == tokenizer]
    every = [figure for figure in every if figure.part == tokenizer]
    least = min(costs, key=attrgetter("value"))
    most_expensive = max(costs, key=attrgetter("value"))
    text = f"{title}: {_cost(least)}"
    if most_expensive is not least:
        text += f", {_cost(most_expensive)}"
    text += f" ({tokenizer}"
    left_out = _tries(every) - _tries(costs)
    if left_out:
        text += f"; without {counted(left_out, 'reply', 'replies')} that did not come out right"
    return f"{text})."


def calibration(figures: Figures) -> str:
    """Return how far confidence is from the truth, over all bins."""
    sums: dict[str, float] = defaultdict(float)
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for figure in measured(figures):
        if figure.name == "said":
            sums[figure.format] += figure.amount * figure.n
        else:
            hits[figure.format] += figure.k or 0
            tries[figure.format] += figure.n
    rows = []
    for format, n in tries.items():
        mean = sums[format] / n
        distance = abs(mean - hits[format] / n)
        rows.append((distance, format, mean))
    if not rows:
        return ""
    # Of equal distances, the first format is named.
    distance, format, mean = max(rows, key=itemgetter(0))
    if distance < 0.0005:
        # Three digits do not show the difference.
        return (
            "Confidence is as often right as it says, in every format: farthest in "
            f"{code(format)}, {mean:.3f}."
        )
    judgment = "too sure"
    if mean * tries[format] < hits[format]:
        # More is right than was said.
        judgment = "too modest"
    return (
        f"Confidence is farthest from the truth in {code(format)}, where it is {judgment}, by "
        f"chance or not: a mean of {mean:.3f} was said, and of the actions {hits[format]:,} of "
        f"{tries[format]:,} were right."
    )


def _cost(figure: Figure) -> str:
    return f"{code(figure.format)} {number(figure.value)}"


def _tries(figures: Iterable[Figure]) -> int:
    return sum(figure.n for figure in figures)
