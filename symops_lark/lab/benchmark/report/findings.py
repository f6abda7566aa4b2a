"""What a measure found, in a sentence: a function of the measure's name, from its figures. Not every one has one.

A sentence says what was seen, never that a format is better: that is for `compare` to tell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ....core.ground.numbers import counted
from ..figures import EVERY, OUTCOMES, RIGHT, WRONG, Figure
from ..records import PHASES
from .words import code, listing, number, percent, rate

Figures = Sequence[Figure]
FiguresByMeasure = Mapping[str, Figures]


def last(figures: Figures, name: str) -> dict[str, Figure]:
    """Return by format the figure of a name after its last phase, of those that could be measured."""
    final: dict[str, Figure] = {}
    for figure in figures:
        if figure.name == name and figure.value is not None:
            before = final.get(figure.format)
            if before is None or PHASES.index(figure.part) >= PHASES.index(before.part):
                final[figure.format] = figure
    return final


def measured(figures: Figures, name: str = "") -> list[Figure]:
    """Return the figures that could be measured: those of a name, or all."""
    known = [figure for figure in figures if figure.value is not None]
    return [figure for figure in known if figure.name == name] if name else known


def formats_of(figures: Figures) -> list[str]:
    """Return the formats of some figures, each once, in their order."""
    return list(dict.fromkeys(figure.format for figure in figures))


def nest(figures: Figures) -> dict[str, dict[str, dict[str, Figure]]]:
    """Return figures by format, by part and by name, in their order."""
    nested: dict[str, dict[str, dict[str, Figure]]] = {}
    for figure in figures:
        nested.setdefault(figure.format, {}).setdefault(figure.part, {})[figure.name] = figure
    return nested


def extremes(figures: Figures, what: str) -> str:
    """Return which formats have the highest and the lowest figure."""
    known = [figure for figure in figures if figure.value is not None]
    what = what[:1].upper() + what[1:]
    if len(known) < 2:
        return f"{what}: {rate(known[0])}." if known else ""
    values = [figure.value or 0.0 for figure in known]
    best, worst = ([figure for figure in known if figure.value == pick(values)] for pick in (max, min))
    if best == worst:
        return f"{what}, in all {len(known)} formats alike: {_alike(known)}."
    return f"{what}: most often in {_named(best)}; least often in {_named(worst)}."


def headlines(fidelity: Figures, compliance: Figures) -> list[str]:
    """Return the figures that matter, in words: what came out right, what is to be feared, who obeyed."""
    wrong = list(last(fidelity, WRONG).values())
    feared = extremes(wrong, WRONG)
    if wrong and not any(figure.k for figure in wrong):
        least = min(wrong, key=lambda figure: figure.tasks)
        feared = f"Nothing was wrong without alarm: in each format {rate(least)}."
    first = [figure for figure in compliance if figure.part == "strict"]
    end = [figure for figure in last(compliance, "valid").values() if figure.part != "strict"]
    told = [
        extremes(list(last(fidelity, RIGHT).values()), "right in the end"),
        feared,
        extremes(first, "valid as written"),
        extremes(end, "valid in the end"),
    ]
    return [line for line in told if line]


def fidelity_by_phase(figures: Figures) -> str:
    """Return what became of all that did not come out right."""
    counts = {name: sum(figure.k or 0 for figure in last(figures, name).values()) for name in OUTCOMES}
    n = sum(figure.n for figure in last(figures, RIGHT).values())
    if not n:
        return ""
    if not (lost := n - counts[RIGHT]):
        return f"All {counted(n, 'reply', 'replies')} came out right."
    parts = [f"{counts[name]:,} {name}" for name in OUTCOMES if name != RIGHT and counts[name]]
    read, other = counted(n, "reply", "replies"), "; ".join(parts)
    return f"Of {read} in all formats {counts[RIGHT]:,} came out right; of the other {lost:,}: {other}."


def right_by_mistake(figures: Figures) -> str:
    """Return which mistakes are put right always when they are alone, and which cost most."""
    known = [figure for figure in figures if figure.value is not None and figure.name == "alone"]
    if not known:
        return ""
    missed: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for figure in known:
        missed[figure.part][0] += figure.n - (figure.k or 0)
        missed[figure.part][1] += figure.n
    always = sum(not lost for lost, _ in missed.values())
    told = f"Alone, {always} of {counted(len(missed), 'kind')} of mistake were put right every time, in every format."
    worst = sorted((part for part in missed if missed[part][0]), key=lambda part: (-missed[part][0], part))[:3]
    if worst:
        told += " Most often not: " + listing([f"{code(p)} ({missed[p][0]} of {missed[p][1]})" for p in worst]) + "."
    return told


def tokens_per_action(figures: Figures) -> str:
    """Return what the cheapest and the dearest format take."""
    for name in ("besides contents", "in all"):
        known = [figure for figure in figures if figure.name == name and figure.value is not None]
        if known:
            known = [figure for figure in known if figure.part == known[0].part]
            few, many = (pick(known, key=lambda f: f.value or 0.0) for pick in (min, max))
            told = "Tokens an action, contents aside" if name == "besides contents" else "Tokens an action"
            told += f": {code(few.format)} {number(few.value)}"
            more = f", {code(many.format)} {number(many.value)}" if many is not few else ""
            every = [f for f in figures if f.name == "in all" and f.part == few.part]
            left = sum(figure.n for figure in every) - sum(figure.n for figure in known)
            without = f"; without {counted(left, 'reply', 'replies')} that did not come out right" if left else ""
            return f"{told}{more} ({few.part}{without})."
    return ""


def calibration(figures: Figures) -> str:
    """Return how far confidence is from the truth, over all bins."""
    said: dict[str, float] = defaultdict(float)
    right: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for figure in figures:
        if figure.value is not None and figure.name == "said":
            said[figure.format] += figure.value * figure.n
        elif figure.k is not None:
            right[figure.format][0] += figure.k
            right[figure.format][1] += figure.n
    rows = [(format, said[format] / n, k / n) for format, (k, n) in right.items() if n]
    if not rows:
        return ""
    format, mean, true = max(rows, key=lambda row: abs(row[1] - row[2]))
    k, n = right[format]
    if abs(mean - true) < 0.0005:  # what three digits do not show
        return f"Confidence is as often right as it says, in every format: farthest in {code(format)}, {mean:.3f}."
    word = "too modest" if mean < true else "too sure"
    return (
        f"Confidence is farthest from the truth in {code(format)}, where it is {word}, by chance or not: a mean of "
        f"{mean:.3f} was said, and of the actions {k:,} of {n:,} were right."
    )


def collisions(figures: Figures) -> str:
    """Return in which formats contents collide."""
    return extremes([f for f in figures if f.part == EVERY and f.name == "collide"], "a content collides")


def _named(figures: Figures) -> str:
    """Name the formats of one rate, few of them each with its own counts."""
    if len(figures) <= 2:
        return listing([f"{code(figure.format)}, {rate(figure)}" for figure in figures])
    return f"{listing([code(f.format) for f in figures])}, {_alike(figures)}"


def _alike(figures: Figures) -> str:
    """Return the rate that several formats have, with the widest of their intervals."""
    least = min(figures, key=lambda figure: figure.n)
    same = all(figure.n == least.n for figure in figures)
    return f"each {rate(least)}" if same else f"each {percent(least.value or 0.0)}, in {least.format} {rate(least)}"
