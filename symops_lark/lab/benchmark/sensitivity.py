"""How much the assumed rates of a profile matter: the same cases with all of them halved and doubled, or one alone.

The cases differ only where a rate decides otherwise, so a difference is one of the rates and not of chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..measuring.statistics import Rate
from .faults.profile import Profile
from .formats import Format
from .records import Case, Record
from .scoring import judge
from .sources.simulated import USUAL, Simulated
from .tasks import Task

FACTORS = (0.5, 1.0, 2.0)  # of all assumed rates
ALONE = (0.0, 2.0)  # of one of them
_RATES = ("valid", "right")
Run = Callable[[Profile], Sequence[Record]]


@dataclass(frozen=True, slots=True)
class Row:
    """What a profile gives in a format: replies that are valid as written, and documents that are right in the end.

    `kind` is the one whose rate has another `factor`; empty if all that are assumed have it.
    """

    kind: str
    factor: float
    format: str
    valid: Rate
    right: Rate


def scale_all(profile: Profile, run: Run) -> Iterator[Row]:
    """Return a row for each of `FACTORS` of all assumed rates and each format."""
    for factor in FACTORS:
        yield from _count("", factor, run(profile.scaled(factor)))


def scale_each(profile: Profile, run: Run) -> list[list[Row]]:
    """Return the rows of each assumed kind alone, those first that matter most; those without a rate are left out."""
    usual = {row.format: row for row in _count("", 1, run(profile))}

    def weigh(rows: list[Row]) -> float:
        pairs = [(getattr(row, name), getattr(usual[row.format], name)) for row in rows for name in _RATES]
        return max((abs((one.value or 0) - (other.value or 0)) for one, other in pairs), default=0.0)

    groups = [
        [row for factor in ALONE for row in _count(rate.kind, factor, run(profile.scaled(factor, rate.kind)))]
        for rate in profile.rates
        if rate.rests == "assumed" and rate.value
    ]
    return sorted(groups, key=weigh, reverse=True)


def _count(kind: str, factor: float, records: Sequence[Record]) -> Iterator[Row]:
    for name in dict.fromkeys(record.case.format for record in records):
        judged = [record for record in records if record.case.format == name and record.phases]
        valid = Rate.of((record.case.task, record.phases[0].accepted) for record in judged)
        right = Rate.of((record.case.task, record.phases[-1].state == "right") for record in judged)
        yield Row(kind, factor, name, valid, right)


class Memory:
    """Runs profiles one after the other, and judges a case again only where other mistakes are drawn for it.

    `watch` is called for each case. Nobody is asked again: what varies is how replies are, not what a corrector
    makes of them.
    """

    def __init__(
        self,
        formats: Sequence[Format],
        tasks: Sequence[Task],
        repetitions: int = 1,
        seed: int = 0,
        watch: Callable[[], object] = lambda: None,
    ) -> None:
        self.formats = {format.name: format for format in formats}
        self.tasks = {task.name: task for task in tasks}
        self.repetitions, self.source = repetitions, Simulated(USUAL, seed)
        self.watch = watch
        self._known: dict[tuple[Case, tuple[str, ...]], Record] = {}

    def run(self, profile: Profile) -> list[Record]:
        """Return the records of all cases, as a run with this profile has them."""
        source = self.source.with_profile(profile)
        cases = source.cases(tuple(self.formats.values()), tuple(self.tasks.values()), self.repetitions)
        return [replace(self._judge(source, case), provenance=source.provenance) for case in cases]

    def _judge(self, source: Simulated, case: Case) -> Record:
        self.watch()
        names = (case, source.draw(case))
        if names not in self._known:
            format, task = self.formats[case.format], self.tasks[case.task]
            blank = Record("", "", case, source.provenance, format.fingerprint, format.rules, source.seed)
            given = replace(source.give(case, format, task), model=None)
            self._known[names] = judge(format, given, blank, task.document)
        return self._known[names]
