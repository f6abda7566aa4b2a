"""The table of a run, the figures as JSON, and one failure drawn in full."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from symops_lark.adapters.cli.tables import draw_table
from symops_lark.core.document import Action
from symops_lark.core.replies.messages import Reply
from symops_lark.lab.benchmark.faults.endings import NAMES
from symops_lark.lab.benchmark.faults.mistakes import Expected
from symops_lark.lab.benchmark.report.verdicts import rated
from symops_lark.lab.measuring.statistics import Rate

from . import reliability
from .cases import Verdict, reading
from .same_damage import DAMAGES, Tally

_COLUMNS = (
    *("n", "right", "rate", "sure actions", "right of these", "wrong without alarm", "lost", "lost without alarm"),
    *("invented", "crashes", "strict"),
)
_TIMES = ("ms", "slowest")
NOTES = """\
(n and right are of replies, all else is of actions. Sure: those that call themselves complete at a confidence of 0.9 or
more, and how many of them are right; wrong without alarm: wrong and invented ones among them without a warning. Lost
without alarm: lost actions where nothing says so. Strict: texts that are still strictly valid, as meant + otherwise;
they are in no rate. The goal: one mistake at least 99 % right, two to four 97 %, 99.9 % of the sure right, at most
0.1 % invented actions, nothing wrong or lost without alarm.)"""


def rate(k: int, n: int) -> str:
    """Return a rate with its interval and its counts."""
    return rated(Rate(k, n), counted=True)


def summary(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Return the counts of a set of verdicts."""
    verdicts = list(verdicts)
    matching_verdicts = [item for item in verdicts if item.counted]
    strict = [item for item in verdicts if not item.counted]
    times = [item.milliseconds for item in matching_verdicts if item.milliseconds]
    return {
        "n": len(matching_verdicts),
        "exact": sum(item.exact for item in matching_verdicts),
        "crashes": sum(bool(item.record.error) for item in verdicts),
        "invented": sum(item.invented for item in matching_verdicts),
        "actions": sum(len(item.case.expected) for item in matching_verdicts),
        **reliability.summary(verdicts),
        "still_strict": sum(item.exact for item in strict),
        "median_ms": round(median(times), 1) if times else None,
        "slowest_ms": round(max(times), 1) if times else None,
    }


def valid_summary(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Return how many valid documents there are, and how many are read strictly, exactly, and changed by no phase."""
    strict, exact = sum(not item.counted for item in verdicts), sum(item.exact for item in verdicts)
    unchanged = sum(item.record.harmless is True for item in verdicts)
    return {"n": len(verdicts), "strict": strict, "exact": exact, "unchanged": unchanged}


def by_mistake(verdicts: Iterable[Verdict]) -> dict[str, dict[str, Any]]:
    """Return the counts of each mistake, by name."""
    groups: dict[str, list[Verdict]] = {}
    for item in verdicts:
        groups.setdefault(item.case.mistakes[0], []).append(item)
    return {name: summary(groups[name]) for name in sorted(groups)}


def valid_lines(count: dict[str, int]) -> Iterator[str]:
    """Yield a line for each thing that is asked of valid documents."""
    yield "Valid documents whose contents are full of markup (must be 100 %)"
    yield from (f"  {name:10}{rate(k, count['n'])}" for name, k in count.items() if name != "n")


def by_endings(verdicts: Sequence[Verdict]) -> Iterator[tuple[str, list[Verdict]]]:
    """Yield the verdicts of each kind of line endings, with its name."""
    for name in NAMES:
        if some := [item for item in verdicts if item.case.endings == name]:
            yield name, some


def mistake_lines(single: Sequence[Verdict], mixed: Sequence[Verdict]) -> Iterator[str]:
    """Yield the lines of a table: the sums over all kinds of mistake, then each alone, the worst first."""
    items = sorted(by_mistake(single).items(), key=lambda row: row[1]["exact"] / row[1]["n"] if row[1]["n"] else 2)
    sums = []
    for title, verdicts in (("one mistake", single), ("two to four mistakes", mixed)):
        parts = [(title, verdicts), *((f"  {name}", some) for name, some in by_endings(verdicts))]
        sums += [(name, summary(some)) for name, some in parts if some]
    rows = [[name, *_cells(count)] for name, count in (*sums, *items)]
    yield from draw_table(["damaged", *_COLUMNS, *_TIMES], rows)
    yield NOTES


def _cells(count: dict[str, Any]) -> list[str]:
    return [
        str(count["n"]),
        str(count["exact"]),
        rated(Rate(count["exact"], count["n"])),
        *(str(count[name]) for name in ("sure", "sure_right", "wrong_without_alarm", "lost", "lost_unsaid")),
        f"{count['invented']} of {count['actions']}",
        str(count["crashes"]),
        f"{count['still_strict']}+{count['still_strict_but_different']}",
        str(count["median_ms"] or "-"),
        str(count["slowest_ms"] or "-"),
    ]


def damage_lines(table: dict[str, dict[str, Tally]], missing: list[str]) -> Iterator[str]:
    """Yield the table of the same damage, in percent of the items: over all of it, by damage, by line endings."""
    yield "The same damage, in % of items: right byte for byte, wrong or lost with alarm, wrong or lost without alarm"
    rows = [
        [kind, name, str(tally.items), *(f"{100 * count / max(1, tally.items):.1f}" for count in _counts(tally))]
        for kind in ("all", *DAMAGES, *NAMES)
        for name, tallies in table.items()
        if (tally := tallies.get(kind))
    ]
    heads = ["damage", "format", "items", "right", "wrong with alarm", "wrong without alarm", "false alarms"]
    yield from draw_table(heads, rows, texts=(0, 1))
    yield "(False alarms: items that are right, and about which an alarm was raised.)"
    if missing:
        yield f"(not installed, left out: {', '.join(missing)}; see benchmarks/README.md)"


def _counts(tally: Tally) -> tuple[int, ...]:
    return tally.right, tally.with_alarm, tally.without, tally.false_alarms


def worst(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return what is not as it should be: what is wrong without an alarm first, then crashes."""
    bad = [item for item in verdicts if not item.exact and (item.case.expected or item.invented)]
    return sorted(bad, key=lambda item: (not item.counted, not item.silent + item.unsaid, not item.record.error))


def shown(verdict: Verdict) -> Iterator[str]:
    """Yield the lines of one failure: what was meant and got, the diagnostics, the damage, the text."""
    case, record = verdict.case, verdict.record
    yield "=" * 100
    yield f"{case.dialect}  {' + '.join(case.mistakes) or 'valid'}  ->  {record.final and record.final.state}"
    yield from filter(None, (record.error, *(f"NO ALARM {item}" for item in verdict.silent + verdict.unsaid)))
    if not record.error:
        attempt = list(reading(case.dialect.format).read(Reply(case.text)))[-1]
        items = (f"{item.code}@{item.span.start}-{item.span.end}" for item in attempt.diagnostics[:30])
        yield f"phase {attempt.phase}; {', '.join(items) or 'no diagnostics'}"
        got = (_outline(action, action.content) for action in (attempt.document.actions if attempt.document else ()))
        outlines = (_outline(action, action.contents[0]) for action in case.expected)
        yield from _difference("- meant, + got", "\n".join(outlines), "\n".join(got))
    yield from _difference("- canonical, + damaged", case.original, case.text)
    yield from ("the text", *(f"{number:4} {line!r}" for number, line in enumerate(case.text.split("\n"), 1)))


def _outline(action: Expected | Action, content: str | None) -> str:
    head = " ".join([action.type, action.path, *(f">{path}" for path in action.dependencies)])
    return head if content is None else "\n  | ".join([head, *content.split("\n")])


def _difference(title: str, before: str, after: str) -> Iterator[str]:
    lines = list(difflib.unified_diff(before.split("\n"), after.split("\n"), n=1, lineterm=""))[2:]
    yield title
    yield from (f"  {line[0]}{line[1:]!r:.150}" for line in lines[:40])
    if len(lines) > 40:
        yield f"  … {len(lines) - 40} more"
