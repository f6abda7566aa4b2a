"""What a measure found, in a sentence: a function of the measure's name, from its figures. Not every one has one.

A sentence says what was seen, never that a format is better: that is for `compare` to tell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..figures import Figure
from ..records import PHASES
from .words import code, listing, number, percent, rate

Figures = Sequence[Figure]


def last(figures: Figures, name: str) -> list[Figure]:
    """Give the figures of a name after the last phase of each format, those that could be measured."""
    final: dict[str, Figure] = {}
    for figure in figures:
        if figure.name == name and figure.value is not None:
            before = final.get(figure.format)
            if before is None or PHASES.index(figure.part) >= PHASES.index(before.part):
                final[figure.format] = figure
    return list(final.values())


def extremes(figures: Figures, what: str) -> str:
    """Say which formats have the highest and the lowest figure."""
    known = [figure for figure in figures if figure.value is not None]
    if not known:
        return ""
    values = {figure.value or 0.0 for figure in known}
    if len(known) == 1:
        return f"{code(known[0].format)}: {what} {rate(known[0])}."
    high, low = max(values), min(values)
    best, worst = ([figure for figure in known if figure.value == value] for value in (high, low))
    if high == low:
        return f"In all {len(known)} formats alike: {what} {percent(high)} (n {_range(known)})."
    return f"{_capital(what)} most often in {_named(best)}, least often in {_named(worst)}."


def compliance_by_phase(figures: Figures) -> str:
    """Say who obeys as written, and in the end."""
    first = [figure for figure in figures if figure.part == "generation"]
    end = [figure for figure in last(figures, "accepted") if figure.part != "generation"]
    told = [extremes(first, "valid as written"), extremes(end, "valid in the end")]
    return " ".join(filter(None, told))


def fidelity_by_phase(figures: Figures) -> str:
    """Say who comes out exactly, and where something wrong was accepted."""
    told = [extremes(last(figures, "exact"), "exactly as meant, in the end,")]
    wrong = last(figures, "wrong accepted")
    hit = [figure for figure in wrong if figure.k]
    if hit:
        told.append("Something wrong was accepted without a warning in " +
                    listing([f"{code(f.format)}, {rate(f)}" for f in hit]) + ".")  # fmt: skip
    elif wrong:
        least = min(wrong, key=lambda figure: figure.n)
        told.append(f"Nothing wrong was accepted without a warning: in each format {rate(least)}"
                    f"{' or less' if len(wrong) > 1 else ''}.")  # fmt: skip
    return " ".join(filter(None, told))


def exact_by_mistake(figures: Figures) -> str:
    """Say which mistakes are put right always, and which cost most."""
    known = [figure for figure in figures if figure.value is not None]
    if not known:
        return ""
    missed: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for figure in known:
        missed[figure.part][0] += figure.n - (figure.k or 0)
        missed[figure.part][1] += figure.n
    always = sum(not lost for lost, _ in missed.values())
    told = f"{always} of {len(missed)} kinds of mistake were put right every time, in every format."
    worst = sorted((part for part in missed if missed[part][0]), key=lambda part: (-missed[part][0], part))[:3]
    if worst:
        told += " Most often not: " + listing([f"{code(p)} ({missed[p][0]} of {missed[p][1]})" for p in worst]) + "."
    return told


def tokens_per_action(figures: Figures) -> str:
    """Say what the cheapest and the dearest format take."""
    for name in ("but contents", "in all"):
        known = [figure for figure in figures if figure.name == name and figure.value is not None]
        if known:
            known = [figure for figure in known if figure.part == known[0].part]
            few, many = (pick(known, key=lambda f: f.value or 0.0) for pick in (min, max))
            told = f"{code(few.format)} takes {number(few.value)} tokens for each action, contents aside"
            told = told if name == "but contents" else told.replace(", contents aside", "")
            more = f", {code(many.format)} {number(many.value)}" if many is not few else ""
            return f"{told}{more} ({few.part})."
    return ""


def calibration(figures: Figures) -> str:
    """Say how far confidence is from the truth, over all bins."""
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
    word = "too modest" if mean < true else "too sure"
    return (f"The mean confidence is farthest from the truth in {code(format)}: {percent(mean)} was said and "
            f"{percent(true)} of {right[format][1]:,} actions were right, so it is {word}.")  # fmt: skip


def collisions(figures: Figures) -> str:
    """Say in which formats contents collide."""
    return extremes([f for f in figures if f.part == "every" and f.name == "collide"], "a content collides")


def _named(figures: Figures) -> str:
    """Name the formats of one rate, few of them each with its own counts."""
    if len(figures) <= 2:
        return listing([f"{code(figure.format)}: {rate(figure)}" for figure in figures])
    return f"{listing([code(f.format) for f in figures])}: {percent(figures[0].value or 0.0)} (n {_range(figures)})"


def _range(figures: Figures) -> str:
    least, most = min(f.n for f in figures), max(f.n for f in figures)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
