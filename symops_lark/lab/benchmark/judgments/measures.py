"""Figures of a run of judgments: of each reader, how often it is right, gives no answer, or gives a wrong one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....answers.judgment.tags import ALIASES, tag_name
from ..figures import NO_ANSWER, RIGHT, WRONG, Figure, share
from .readers import OURS, installed_readers, read_number
from .running import STAGES, JudgmentRecord, JudgmentRun, judge_again
from .tasks import JudgmentTask

OUTCOMES = (RIGHT, NO_ANSWER, WRONG)
ALL = "all stages"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a reader made of the replies to one task: of each stage's alone, and of them in turn."""

    reader: str
    task: str
    damage: tuple[str, ...]
    stages: tuple[str, ...]
    chain: str
    calls: int  # that were needed in turn


@dataclass(frozen=True, slots=True)
class Row:
    """The counts of one reader: of `part`, all stages in turn, or one stage alone; a figure for each of `OUTCOMES`."""

    reader: str
    part: str
    figures: tuple[Figure, ...]
    calls: float


def judge_all(run: JudgmentRun) -> list[Outcome]:
    """Return what each reader makes of each record."""
    found = []
    for record in run.records:
        task = run.tasks[record.task]
        for reader, indices in _read(task, record):
            outcomes = tuple(_tell(index, task.answer) for index in indices)
            first = next((number for number, each in enumerate(outcomes) if each != NO_ANSWER), len(STAGES) - 1)
            found.append(Outcome(reader, task.name, record.damage, outcomes, outcomes[first], first + 1))
    return found


def sum_up(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    """Yield the rows of a table: each reader with all stages in turn, then each with each stage alone."""
    names = list(dict.fromkeys(outcome.reader for outcome in outcomes))
    for place, part in enumerate((ALL, *(f"stage {stage}" for stage in STAGES))):
        for name in names:
            own = [outcome for outcome in outcomes if outcome.reader == name]
            results = [(outcome.task, outcome.stages[place - 1] if place else outcome.chain) for outcome in own]
            figures = (share(name, kind, [(task, result == kind) for task, result in results]) for kind in OUTCOMES)
            calls = sum(outcome.calls for outcome in own) / len(own) if not place else 1.0
            yield Row(name, part, tuple(figures), calls)


def by_damage(outcomes: Sequence[Outcome]) -> Iterator[tuple[int, str, dict[str, Counter[str]]]]:
    """Yield for each stage and each kind of damage how often the readers make what of it."""
    for stage in STAGES:
        for kind in sorted({outcome.damage[stage - 1] for outcome in outcomes if outcome.damage}):
            rows: dict[str, Counter[str]] = defaultdict(Counter)
            for outcome in outcomes:
                if outcome.damage and outcome.damage[stage - 1] == kind:
                    rows[outcome.reader][outcome.stages[stage - 1]] += 1
            yield stage, kind, dict(rows)


def _read(task: JudgmentTask, record: JudgmentRecord) -> Iterator[tuple[str, Iterable[int | None]]]:
    yield OURS, judge_again(task, record)
    names, count = (tag_name(task.step), *ALIASES), len(task.rules)
    for name, read in installed_readers().items():
        yield name, [read_number(read, stage, record.reply(stage), names, count) for stage in STAGES]


def _tell(index: int | None, answer: int) -> str:
    return NO_ANSWER if index is None else RIGHT if index == answer else WRONG
