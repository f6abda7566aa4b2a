"""Comparisons and decisions as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ....core.ground.numbers import counted
from ...measuring.statistics import Rate
from ..comparison import SURE, Comparison, Pairing
from ..decision import Decision
from .words import code, number, percent, table


def write_comparison(
    names: tuple[str, str],
    provenances: tuple[str, str],
    pairings: Mapping[str, Pairing],
    found: Mapping[str, Sequence[Comparison]],
) -> str:
    """Return as Markdown what a comparison of two, called `names`, found."""
    whence = f"Both: {code(provenances[0])}."
    if provenances[0] != provenances[1]:
        whence = (
            f"**Different provenances, compared because both were named:** {' and '.join(map(code, provenances))}. "
            "What differs may be the replies, and not the formats or their readers."
        )
    lines = [f"# {code(names[0])} against {code(names[1])}", "", whence, ""]
    every = sum(map(len, found.values()))
    for title, comparisons in found.items():
        pairing = pairings[title]
        lines += [f"## {code(title)}", "", _left_out(pairing), ""]
        labels = _label(names, pairing)
        lines += [f"- {_verdict(made, labels)}" for made in comparisons]
        heads = ["outcome", "pairs", *labels, "difference", *(f"only {label}" for label in labels), "p", "p corrected"]
        lines += ["", *table(heads, map(_row, comparisons), 1), ""]
        if comparisons:
            lines += [_power(comparisons), ""]
    lines += [
        "Repetitions of a task are alike, so whole tasks are drawn for every interval and every p. Rates stand with "
        "their 95 % intervals; the difference is second less first, with the interval that decides: a difference is "
        f"called one where it excludes 0, which is where the corrected p is below {SURE:g}. Of {every:,} comparisons "
        "(Holm's correction) the surest is held against a higher level than 95 %, as told. Where each task was asked "
        "once, p is McNemar's exact one, and the intervals of rates are Clopper and Pearson's."
    ]
    return "\n".join(lines) + "\n"


def _label(names: tuple[str, str], pairing: Pairing) -> tuple[str, str]:
    """Return how the two are told apart: by their formats, by the names of their files, or by their order."""
    one, other = pairing.pairs[0]
    for first, second in ((one.case.format, other.case.format), (Path(names[0]).stem, Path(names[1]).stem)):
        if first != second:
            return code(first), code(second)
    return "first", "second"


def _left_out(pairing: Pairing) -> str:
    many = f" (of {counted(pairing.tasks, 'task')})" if pairing.tasks < len(pairing.pairs) else ""
    told = f"{counted(len(pairing.pairs), 'pair')} of the same task and repetition{many}"
    alone = f"{pairing.first_alone:,} of the first, {pairing.second_alone:,} of the second"
    return f"{told}; left out, because the other has no such case: {alone}."


def _verdict(made: Comparison, labels: tuple[str, str]) -> str:
    """Return what is shown, with the interval that decides, told of the one that did better."""
    better = 2 if (made.difference > 0) == made.good else 1
    points, drawn = f"{abs(100 * made.difference):.1f} points", _interval(made, made.difference < 0)
    sure = f"corrected p = {_p(made.corrected)}, {counted(made.n, 'pair')} of {counted(made.tasks, 'task')}"
    if made.better:
        return f"**{made.outcome}: {labels[better - 1]} is better by {points}** ({drawn}), {sure}."
    if not made.first_only and not made.second_only:
        return f"**{made.outcome}: no difference shown**: the same in each of {counted(made.n, 'pair')} ({drawn})."
    seen = f"{labels[better - 1]} did better by {points}" if made.difference else "0.0 points"
    return f"**{made.outcome}: no difference shown** ({seen}; {drawn}), {sure}. That is not to say that there is none."


def _row(made: Comparison) -> list[str]:
    return [
        made.outcome,
        f"{made.n:,}",
        rated(made.first),
        rated(made.second),
        f"{100 * made.difference:+.1f} ({_interval(made)})",
        str(made.first_only),
        str(made.second_only),
        _p(made.p),
        _p(made.corrected),
    ]


def _interval(made: Comparison, turned: bool = False) -> str:
    """Return the interval that decides in points, and its level; `turned`, that of the first less the second."""
    low, high = made.interval if not turned else (-made.interval[1], -made.interval[0])
    return f"{100 * low:+.1f} to {100 * high:+.1f} at {100 * made.level:.4g} %"


def _power(comparisons: Sequence[Comparison]) -> str:
    tasks = max(made.tasks for made in comparisons)
    best = next(made.at_best for made in comparisons if made.tasks == tasks)
    least = f"{100 * best:.1f} points" if best is not None else "none at all"
    seen = [f"{made.outcome} {100 * made.as_seen:.1f}" for made in comparisons if made.as_seen is not None]
    return (
        f"The smallest difference to be seen in {counted(tasks, 'task')} in 4 of 5 tries: {least}, if the worse of the "
        f"two gets nothing right that the better one does not (85 % against 90 % takes 155 tasks then); as contrary as "
        f"they were seen: {', '.join(seen) or 'none at all'} points."
    )


def write_decision(names: tuple[str, str], provenance: str, pairing: Pairing, found: Sequence[Decision]) -> str:
    """Return as Markdown what the rule says of two formats, the terser one first."""
    terse, plain = map(code, names)
    lines = [f"# {terse} or {plain}", "", f"{code(provenance)}. {_left_out(pairing)}", ""]
    if not found:
        return "\n".join([*lines, "Nothing is known of any pair: there is nothing to decide by.", ""])
    rule = f"adopt {terse} where its compliance is at least {percent(found[0].threshold)} of that of {plain}"
    lines += [f"The rule: {rule}, and it takes fewer tokens.", ""]
    lines += [f"- {_decide(made, terse, plain)}" for made in found]
    heads = ["compliance as", terse, plain, "ratio", "decision", "stable"]
    rows = []
    for made in found:
        drawn = f" ({made.ratio_interval[0]:.3f} to {made.ratio_interval[1]:.3f})" if made.ratio_interval else ""
        ratio = f"{made.ratio:.3f}{drawn}" if made.ratio is not None else "none"
        stable = percent(made.stability) if made.stability is not None else "not known"
        rates = rated(made.terse, True), rated(made.plain, True)
        rows.append([made.reading, *rates, ratio, _choice(made, terse, plain), stable])
    lines += ["", *table(heads, rows, 1), ""]
    made = found[0]
    tokens = [f"{name} {number(value)}" for name, value in ((terse, made.terse_tokens), (plain, made.plain_tokens))]
    lines += [
        f"Tokens of a reply for each action ({made.tokenizer}): {', '.join(tokens)}.",
        "",
        "Stable is the share of 2,000 draws of the tasks in which the rule decides the same; rates and ratios have "
        "95 % intervals, whole tasks drawn. The original notes mean compliance as written; other readings stand beside "
        "it.",
    ]
    return "\n".join(lines) + "\n"


def _decide(made: Decision, terse: str, plain: str) -> str:
    if made.ratio is None:
        return f"**{made.reading}: nothing to decide**: {plain} never succeeded in {counted(made.plain.n, 'pair')}."
    tokens = "fewer tokens" if made.terser else "no fewer tokens"
    low, high = made.ratio_interval or (0.0, 0.0)
    why = f"{terse} reaches {made.ratio:.3f} ({low:.3f} to {high:.3f}) of the rate of {plain}, with {tokens}"
    sure = f"; the same in {percent(made.stability)} of draws" if made.stability is not None else ""
    open = (
        f": not settled by these tasks, as the interval holds {made.threshold:g}"
        if low < made.threshold <= high
        else ""
    )
    return f"**{made.reading}: {_choice(made, terse, plain)}** ({why}{sure}){open}."


def _choice(made: Decision, terse: str, plain: str) -> str:
    return "none" if made.adopt is None else terse if made.adopt else plain


def rated(rate: Rate, counted: bool = False) -> str:
    """Return a rate with its interval, and its counts."""
    if rate.interval is None:
        return "not measurable"
    low, high = rate.interval
    told = f"at most {percent(high)}" if not rate.k else f"{percent(low)[:-2]} to {percent(high)[:-2]}"
    return f"{percent(rate.value or 0.0)} ({told})" + (f", {rate.k:,} of {rate.n:,}" if counted else "")


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 0.001 else "<0.001"
