"""`symops bench run`: time a case, and what a second worker is worth (on two cores with nothing beside)."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from symops_lark.lab.benchmark.runner import Setup, run
from symops_lark.lab.benchmark.settings import RunSettings

from .clock import spent
from .table import Findings, Row

_FORMATS = ("v1", "v2", "v2_1", "plain")


def measure(quick: bool) -> Findings:
    """Return the processor time of a case with one worker, and how many times as fast two are by the clock."""
    settings = RunSettings(_FORMATS, options=(("profile", "spec72"),), repetitions=1 if quick else 30)
    findings = Findings()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(RunSettings(_FORMATS, ("pin-dependencies",)), folder / "first.jsonl")  # whatever is compiled on first use
        began = time.perf_counter()  # two workers first: they know what the process remembers that they are forked from
        here = spent(lambda: run(settings, folder / "two.jsonl", Setup(jobs=2)))
        both = time.perf_counter() - began
        began, worked = time.perf_counter(), time.process_time()
        cases = len(run(settings, folder / "one.jsonl"))
        alone, worked = time.perf_counter() - began, time.process_time() - worked
    findings.lines.append(
        f"{cases} cases: {alone:.1f} s by the clock with one worker, {both:.1f} s with two, of which the first process "
        f"computes {here:.1f} s"
    )
    findings.rows.append(Row("`symops bench run`, a case", (1000 * worked / cases,), (2.0,), "ms"))
    findings.rows.append(Row("`symops bench run`, two workers", (alone / both,), (1.7,), "× one", least=True))
    return findings
