"""How much the assumed rates of a profile matter: the same cases with other rates.

The cases differ only where a rate decides otherwise, so that no difference is due to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..measuring.statistics import Rate
from .faults.profile import Profile
from .formats import Format
from .records import Case, Record
from .rooms import by_name
from .scoring import judge
from .sources.simulated import USUAL, Simulated
from .tasks import Task

FACTORS = (0.5, 1.0, 2.0)  # of all assumed rates
ALONE = (0.0, 2.0)  # of one of them
Run = Callable[[Profile], Sequence[Record]]


@dataclass(frozen=True, slots=True)
class Row:
    """The results of a profile in a format.

    Attributes:
        kind: The kind of mistake whose rate has another factor. Empty: all that are assumed.
        factor: The factor.
        format: The format.
        valid: The replies that are valid as written.
        right: The documents that are right in the end.
    """

    kind: str
    factor: float
    format: str
    valid: Rate
    right: Rate


def scale_all(profile: Profile, run: Run) -> Iterator[Row]:
    """Yield a row for each of `FACTORS` of all assumed rates and each format."""
    return _scale(profile, run, FACTORS, "")


def scale_each(profile: Profile, run: Run) -> list[list[Row]]:
    """Return the rows of each assumed rate, the most important first; rates of 0 are left out."""
    usual = {row.format: row for row in _count("", 1, run(profile))}

    def weigh(rows: list[Row]) -> float:
        return max((_distance(row, usual[row.format]) for row in rows), default=0.0)

    groups = [
        list(_scale(profile, run, ALONE, rate.kind))
        for rate in profile.rates
        if rate.rests == "assumed" and rate.value
    ]
    return sorted(groups, key=weigh, reverse=True)


def _scale(profile: Profile, run: Run, factors: Sequence[float], kind: str) -> Iterator[Row]:
    for factor in factors:
        yield from _count(kind, factor, run(profile.scaled(factor, kind)))


def _distance(row: Row, usual: Row) -> float:
    valid = abs((row.valid.value or 0) - (usual.valid.value or 0))
    return max(valid, abs((row.right.value or 0) - (usual.right.value or 0)))


def _count(kind: str, factor: float, records: Sequence[Record]) -> Iterator[Row]:
    for name in dict.fromkeys(record.case.format for record in records):
        # A record without phases has no reply, or none that any reader could read.
        judged = [item for item in records if item.case.format == name and item.phases]
        valid = Rate.of((record.case.task, record.phases[0].accepted) for record in judged)
        right = Rate.of((record.case.task, record.phases[-1].state == "right") for record in judged)
        yield Row(kind, factor, name, valid, right)


class Memory:
    """Runs with several profiles, in which a case is judged again only if its mistakes differ.

    No model is asked again: the rates concern the replies, not their correction.
    """

    def __init__(
        self,
        formats: Sequence[Format],
        tasks: Sequence[Task],
        repetitions: int = 1,
        seed: int = 0,
        watch: Callable[[], object] = lambda: None,
    ) -> None:
        """Prepare the runs.

        Args:
            formats: The formats.
            tasks: The tasks.
            repetitions: How often each task is asked.
            seed: The seed.
            watch: Called for each case.
        """
        self.formats = by_name(formats)
        self.tasks = by_name(tasks)
        self.repetitions = repetitions
        self.source = Simulated(USUAL, seed)
        self.watch = watch
        # By the case and the kinds of mistake that are drawn for it.
        self._judged: dict[tuple[Case, tuple[str, ...]], Record] = {}

    def run(self, profile: Profile) -> list[Record]:
        """Return the records of all cases, as a run with this profile has them."""
        source = self.source.with_profile(profile)
        formats = tuple(self.formats.values())
        tasks = tuple(self.tasks.values())
        cases = source.cases(formats, tasks, self.repetitions)
        return [replace(self._judge(source, case), provenance=source.provenance) for case in cases]

    def _judge(self, source: Simulated, case: Case) -> Record:
        # Called for remembered cases, too: the progress counts all of them.
        self.watch()
        key = (case, source.draw(case))
        if key not in self._judged:
            format = self.formats[case.format]
            task = self.tasks[case.task]
            blank = Record(
                "", "", case, source.provenance, format.fingerprint, format.rules, source.seed
            )
            reply = replace(source.give(case, format, task), model=None)
            self._judged[key] = judge(format, reply, blank, task.document)
        return self._judged[key]
