"""Comparisons and decisions as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ....core.ground.numbers import counted
from ...measuring.statistics import Rate
from ..comparison import SURE, Comparison, Pairing
from ..decision import Decision
from .words import code, number, percent, table

_HOW_COMPARED = """\
Repetitions of a task are alike, so tasks are resampled for every interval and every p. Rates have \
their 95 % intervals; the difference is second less first, with the interval that decides: a \
difference is called one where it excludes 0, which is where the corrected p is below {level:g}. \
With {count:,} comparisons (Holm's correction) the surest is held against a higher level than \
95 %, as reported. Where each task was asked once, p is McNemar's exact one, and the intervals of \
rates are Clopper and Pearson's.
"""
_HOW_DECIDED = """\
Stable is the share of 2,000 samples of the tasks in which the rule decides the same; rates and \
ratios have 95 % intervals, with tasks resampled. The original notes mean compliance as written; \
other readings are beside it.
"""


def write_comparison(
    names: tuple[str, str],
    provenances: tuple[str, str],
    pairings: Mapping[str, Pairing],
    found: Mapping[str, Sequence[Comparison]],
) -> str:
    """Return a comparison of two as Markdown.

    Args:
        names: The names of the two: files, or formats of files.
        provenances: The origins of their replies.
        pairings: The pairs of each part of the comparison, by its title.
        found: The comparisons of each part, by its title.
    """
    origin = f"Both: {code(provenances[0])}."
    # The user named both, but may not know that they differ in more than the format.
    if provenances[0] != provenances[1]:
        origin = (
            "**Different provenances, compared because both were named:** "
            f"{' and '.join(map(code, provenances))}. What differs may be the replies, and not the "
            "formats or their readers."
        )
    lines = [f"# {code(names[0])} against {code(names[1])}", "", origin, ""]
    for title, comparisons in found.items():
        pairing = pairings[title]
        labels = _labels(names, pairing)
        lines += [f"## {code(title)}", "", _left_out(pairing), ""]
        lines += [f"- {_verdict(comparison, labels)}" for comparison in comparisons]
        heads = [
            "outcome",
            "pairs",
            # The rates of the two, under their names.
            *labels,
            "difference",
            *(f"only {label}" for label in labels),
            "p",
            "p corrected",
        ]
        lines += ["", *table(heads, map(_row, comparisons), 1), ""]
        # Without a pair of which an outcome is known, nothing can be detected.
        if comparisons:
            lines += [_power(comparisons), ""]
    count = sum(map(len, found.values()))
    lines.append(_HOW_COMPARED.format(level=SURE, count=count))
    return "\n".join(lines)


def _labels(names: tuple[str, str], pairing: Pairing) -> tuple[str, str]:
    """Return names that distinguish the two: their formats, their files, or their order."""
    formats = tuple(record.case.format for record in pairing.pairs[0])
    stems = tuple(Path(name).stem for name in names)
    for first, second in (formats, stems):
        if first != second:
            return code(first), code(second)
    return "first", "second"


def _left_out(pairing: Pairing) -> str:
    pairs = f"{counted(len(pairing.pairs), 'pair')} of the same task and repetition"
    if pairing.tasks < len(pairing.pairs):
        pairs += f" (of {counted(pairing.tasks, 'task')})"
    alone = f"{pairing.first_alone:,} of the first, {pairing.second_alone:,} of the second"
    return f"{pairs}; left out, because the other has no such case: {alone}."


def _verdict(comparison: Comparison, labels: tuple[str, str]) -> str:
    """Return the result, from the point of view of the one that did better."""
    outcome = comparison.outcome
    difference = comparison.difference
    is_second_better = (difference > 0) == comparison.good
    better = labels[is_second_better]
    points = f"{abs(100 * difference):.1f} points"
    interval = _interval(comparison, is_reversed=difference < 0)
    pairs = counted(comparison.n, "pair")
    certainty = f"corrected p = {_p(comparison.corrected)}, {pairs} of {_tasks(comparison)}"
    if comparison.better:
        return f"**{outcome}: {better} is better by {points}** ({interval}), {certainty}."
    # Pairs that do not differ leave nothing to test.
    if not comparison.first_only and not comparison.second_only:
        return f"**{outcome}: no difference shown**: the same in each of {pairs} ({interval})."
    observed = points
    if difference:
        observed = f"{better} did better by {points}"
    return (
        f"**{outcome}: no difference shown** ({observed}; {interval}), {certainty}. This "
        "does not show that there is none."
    )


def _tasks(comparison: Comparison) -> str:
    return counted(comparison.tasks, "task")


def _row(comparison: Comparison) -> list[str]:
    return [
        comparison.outcome,
        f"{comparison.n:,}",
        rated(comparison.first),
        rated(comparison.second),
        f"{100 * comparison.difference:+.1f} ({_interval(comparison)})",
        str(comparison.first_only),
        str(comparison.second_only),
        _p(comparison.p),
        _p(comparison.corrected),
    ]


def _interval(comparison: Comparison, is_reversed: bool = False) -> str:
    """Return the interval that decides in points, and its level; reversed, of first less second."""
    low, high = comparison.interval
    if is_reversed:
        low, high = -high, -low
    return f"{100 * low:+.1f} to {100 * high:+.1f} at {100 * comparison.level:.4g} %"


def _power(comparisons: Sequence[Comparison]) -> str:
    """Return the smallest differences that this number of tasks can show."""
    # An outcome that is known of fewer tasks can show less.
    largest = max(comparisons, key=lambda comparison: comparison.tasks)
    if largest.at_best is None:
        return (
            f"A run of {_tasks(largest)} is too small to show any difference reliably. It takes "
            "155 tasks or more to show 85 % against 90 %."
        )
    as_seen = [
        f"{comparison.outcome} {100 * comparison.as_seen:.1f}"
        for comparison in comparisons
        if comparison.as_seen is not None
    ]
    return (
        f"The smallest difference that {_tasks(largest)} show in 4 of 5 runs is about "
        f"{100 * largest.at_best:.1f} points if no pair shows the opposite (85 % against 90 % "
        "takes 155 tasks then). With opposite pairs as frequent as in this run, it is about: "
        f"{', '.join(as_seen)} points. These are approximations at a level of 5 %: the correction "
        "for several comparisons, and few tasks, make larger differences necessary."
    )


def write_decision(
    names: tuple[str, str], provenance: str, pairing: Pairing, found: Sequence[Decision]
) -> str:
    """Return the decisions of the rule on two formats as Markdown.

    Args:
        names: The formats, the terser one first.
        provenance: The origin of the replies.
        pairing: The pairs of replies.
        found: The decision for each meaning of compliance.
    """
    terse, plain = map(code, names)
    lines = [f"# {terse} or {plain}", "", f"{code(provenance)}. {_left_out(pairing)}", ""]
    if not found:
        lines += ["Nothing is known of any pair: there is nothing to decide by.", ""]
        return "\n".join(lines)
    # The threshold and the tokens are the same in every decision.
    first = found[0]
    lines += [
        f"The rule: adopt {terse} where its compliance is at least {percent(first.threshold)} of "
        f"that of {plain}, and it takes fewer tokens.",
        "",
    ]
    rows = []
    for decision in found:
        lines.append(f"- {_decide(decision, terse, plain)}")
        # The plainer format may never have succeeded.
        ratio = "none"
        if decision.ratio is not None:
            ratio = f"{decision.ratio:.3f}"
        if decision.ratio_interval:
            low, high = decision.ratio_interval
            ratio += f" ({low:.3f} to {high:.3f})"
        stable = "not known"
        if decision.stability is not None:
            stable = percent(decision.stability)
        rows.append(
            [
                decision.reading,
                rated(decision.terse, True),
                rated(decision.plain, True),
                ratio,
                _choice(decision, terse, plain),
                stable,
            ]
        )
    heads = ["compliance as", terse, plain, "ratio", "decision", "stable"]
    tokens = f"{terse} {number(first.terse_tokens)}, {plain} {number(first.plain_tokens)}"
    lines += [
        "",
        *table(heads, rows, 1),
        "",
        f"Tokens of a reply for each action ({first.tokenizer}): {tokens}.",
        "",
        _HOW_DECIDED,
    ]
    return "\n".join(lines)


def _decide(decision: Decision, terse: str, plain: str) -> str:
    """Return one decision in a sentence."""
    reading = decision.reading
    if decision.ratio is None:
        pairs = counted(decision.plain.n, "pair")
        return f"**{reading}: nothing to decide**: {plain} never succeeded in {pairs}."
    tokens = "fewer tokens" if decision.terser else "no fewer tokens"
    # There is an interval whenever there is a ratio.
    low, high = decision.ratio_interval or (0.0, 0.0)
    ratio = f"{decision.ratio:.3f} ({low:.3f} to {high:.3f})"
    reason = f"{terse} reaches {ratio} of the rate of {plain}, with {tokens}"
    if decision.stability is not None:
        reason += f"; the same in {percent(decision.stability)} of samples"
    # With other tasks the ratio may be on the other side of the threshold. Without fewer tokens, no
    # ratio changes the decision.
    doubt = ""
    if decision.terser and low < decision.threshold <= high:
        doubt = f": not settled by these tasks, as the interval holds {decision.threshold:g}"
    return f"**{reading}: {_choice(decision, terse, plain)}** ({reason}){doubt}."


def _choice(decision: Decision, terse: str, plain: str) -> str:
    if decision.adopt is None:
        return "none"
    return terse if decision.adopt else plain


def rated(rate: Rate, counted: bool = False) -> str:
    """Return a rate with its interval, and with its counts if `counted`."""
    if rate.interval is None:
        return "not measurable"
    # Both limits have the sign only once.
    low, high = map(percent, rate.interval)
    limits = f"{low[:-2]} to {high[:-2]}"
    if not rate.k:
        limits = f"at most {high}"
    text = f"{percent(rate.value or 0.0)} ({limits})"
    if counted:
        text += f", {rate.k:,} of {rate.n:,}"
    return text


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 0.001 else "<0.001"
