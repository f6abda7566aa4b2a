"""Replies in the formats of other agents: a sentence and the call that writes one file, each time another file."""

from __future__ import annotations

from collections.abc import Callable

from symops_lark import Action, Document, formats, process, write_format
from symops_lark.core.formats.loading import load_format
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.numbers import counted

from . import real_files
from .clock import milliseconds, quantile, take_turns
from .table import Findings, Row

_GOAL = 1.0  # ms, of the median of all formats
_WARM = 3  # replies of each format that compile its patterns before


def measure(quick: bool) -> Findings:
    """Return the times of replies in each format that can write a file: with the format named, and detected."""
    rounds = 5 if quick else 30
    findings = Findings()
    findings.lines.append(
        f"{counted(rounds, 'reply', 'replies')} of each format, one file each; p50 / p95 / p99 in ms: named; auto"
    )
    together: dict[str, list[float]] = {"named": [], "auto": []}
    place = 0
    for name in formats():
        if "create" not in load_format(name).can:
            continue
        texts: list[str] = []
        while len(texts) < 2 * rounds + _WARM:
            [file] = real_files.take(place, 1)
            place += 1
            try:
                call = write_format(Document((Action("create", file.path, file.text),)), name)
            except SymOpsError:
                continue  # the format cannot say this file
            texts.append(f"I have written the file.\n\n{call}")
        for text in texts[2 * rounds :]:
            process(text, name)
            process(text)

        def read(first: int, format: str, texts: list[str] = texts) -> Callable[[int], Callable[[], object]]:
            return lambda number: lambda: process(texts[first + number], format)

        times = take_turns({"named": read(0, name), "auto": read(rounds, "auto")}, rounds)
        findings.lines.append(f"  {name:18}{milliseconds(times['named']):24}{milliseconds(times['auto'])}")
        for way, seconds in times.items():
            together[way] += seconds
    for way, seconds in together.items():
        title = f"a reply in the format of another agent, {way}: p50"
        findings.rows.append(Row(title, (1000 * quantile(seconds, 0.5),), (_GOAL,), "ms"))
    return findings
