"""Broken replies of about 200 lines, none of which has a file of another; and long texts with one defect."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import symops_lark
from benchmarks.baselines.naive import V2, read_lines
from symops_lark import ProtocolError
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground.numbers import counted

from . import real_files
from .clock import milliseconds, quantile, spent, take_turns
from .table import Findings, Row

_DIALECT = "v2"
_GOALS = {"named": (4.0, 8.0, 20.0), "auto": (8.0, 16.0, 40.0)}


def _read(text: str, format: str) -> None:
    with contextlib.suppress(ProtocolError):
        symops_lark.process(text, format=format)


def measure(quick: bool) -> Findings:
    """Return the times of broken replies, each read once, and of two megabytes with one defect."""
    findings = Findings()
    count = 20 if quick else 100
    replies = list(real_files.damaged(_DIALECT, 2 * count + 5))
    for text in replies[-5:]:  # whatever is compiled on first use
        for format in (_DIALECT, "auto"):
            _read(text, format)
    findings.lines.append(f"{count} broken replies of {real_files.LINES} lines each, p50 / p95 / p99 in ms:")

    def each(first: int, read: Callable[[str], Any]) -> Callable[[int], Callable[[], Any]]:
        return lambda number: lambda: read(replies[first + number])

    works = {
        "named": each(0, lambda text: _read(text, _DIALECT)),
        "auto": each(count, lambda text: _read(text, "auto")),  # others: what was read already is remembered
        "naive loop": each(0, lambda text: read_lines(text, V2)),
    }
    times = take_turns(works, count)
    for name, some in times.items():
        findings.lines.append(f"  {name:22}{milliseconds(some)}")
    for name, goals in _GOALS.items():
        figures = tuple(1000 * quantile(times[name], share) for share in (0.5, 0.95, 0.99))
        findings.rows.append(Row(f"broken reply of 200 lines, {name}: p50 / p95 / p99", figures, goals, "ms"))
    size = 40 if quick else 400
    lines = real_files.write(real_files.take(0, size), _DIALECT).split("\n")
    marks = load_dialect(_DIALECT).marks
    closers = [number for number, line in enumerate(lines) if line == marks["close"]]
    damaged = ["\n".join(lines[:place] + lines[place + 1 :]) for place in (closers[0], closers[len(closers) // 2])]
    title = f"{counted(len(lines), 'line')}, {sum(map(len, lines)) / 1e6:.1f} MB, a closer missing"
    goal = 0.6 * size / 400
    for name, format in (("named", _DIALECT), ("auto", "auto")):
        spent_on = tuple(spent(lambda text=text, format=format: _read(text, format)) for text in damaged)  # type: ignore[misc]
        findings.rows.append(Row(f"{title} in front / in the middle, {name}", spent_on, (goal, goal), "s"))
    return findings
