"""Records for the tests of what is made of records: of real runs, and of none, with states as a test wants them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from symops_lark.lab.benchmark.records import PHASES, ActionOutcome, Case, PhaseOutcome, Provenance, Record, identify
from symops_lark.lab.benchmark.runlog import Header, open_log
from symops_lark.lab.benchmark.runner import run
from symops_lark.lab.benchmark.settings import RunSettings

SOME = ("c-ring-buffer", "poem-with-breaks", "sql-migration", "fences-in-fences")
MID = Provenance("simulated", (("profile", "mid"), ("seed", "1"), ("hash", "0badcafe")))
WEAK = Provenance("simulated", (("profile", "weak"), ("seed", "1"), ("hash", "0badcafe")))


@cache
def run_for_real(profile: str = "mid", formats: tuple[str, ...] = ("v2", "plain")) -> tuple[Record, ...]:
    """Give the records of a small run with the fault model."""
    settings = RunSettings(formats, SOME, "faults", (("profile", profile),), repetitions=2, seed=1, attempts=1)
    with tempfile.TemporaryDirectory() as folder:
        return tuple(run(settings, Path(folder) / "run.jsonl"))


def make_record(
    format: str = "v2",
    task: str = "task",
    states: Iterable[str | None] = ("right",),
    *,
    accepted: Iterable[bool] | None = None,
    repetition: int = 0,
    provenance: Provenance = MID,
    **more: object,
) -> Record:
    """Make a record with a state after each phase; accepted is what is not rejected, if it is not told."""
    states = tuple(states)
    items = tuple(accepted) if accepted is not None else tuple(state != "no-answer" for state in states)
    phases = tuple(
        PhaseOutcome(phase, yes, state, 1, 0, 0, 0, 0, seconds=0.001)
        for phase, state, yes in zip(PHASES, states, items, strict=False)
    )
    case = Case(format, task, repetition)
    key = identify(case=[format, task, repetition], provenance=str(provenance), more=sorted(map(str, more.items())))
    expected = ({"type": "create", "path": "a.py", "contents": ["x = 1"]},)
    record = Record(
        key,
        key,
        case,
        provenance,
        "f" * 16,
        "r" * 16,
        1,
        text="text of a reply",
        faults=(),
        phases=phases,
        expected=expected,
        actions=(ActionOutcome(0.9, False, True),),
    )
    return replace(record, **more)  # type: ignore[arg-type]


def write_log(path: Path, records: Iterable[Record]) -> Path:
    """Write a run log."""
    rows = list(records)
    header = Header(RunSettings(), rows[0].provenance, {}, {}, "0", len(rows))
    with open_log(path) as log:
        log.begin(header)
        for record in rows:
            assert log.add(record)
    return path
