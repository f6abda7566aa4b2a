"""Figures of a run of judgments: of each reader, how often it is right, gives no answer, or gives a wrong one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...judgment.tags import ALIASES, tag_name
from ..figures import Figure, share
from .readers import OURS, installed_readers, read_number
from .running import STAGES, JudgmentRecord, JudgmentRun, judge_again
from .tasks import JudgmentTask

RIGHT, NONE, WRONG = "right", "no answer", "wrong without alarm"
OUTCOMES = (RIGHT, NONE, WRONG)
ALL = "all stages"
Figures = tuple[Figure, Figure, Figure]  # right, no answer, wrong without alarm


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
    """The counts of one reader: of `part`, all stages in turn, or one stage alone."""

    reader: str
    part: str
    figures: Figures
    calls: float


def judge_all(run: JudgmentRun) -> list[Outcome]:
    """Return what each reader makes of each record."""
    found = []
    for record in run.records:
        task = run.tasks[record.task]
        for reader, indices in _read(task, record):
            outcomes = tuple(_tell(index, task.answer) for index in indices)
            first = next((number for number, each in enumerate(outcomes) if each != NONE), len(STAGES) - 1)
            found.append(Outcome(reader, task.name, record.damage, outcomes, outcomes[first], first + 1))
    return found


def sum_up(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    """Yield the rows of a table: each reader with all stages in turn, then each with each stage alone."""
    names = list(dict.fromkeys(outcome.reader for outcome in outcomes))
    for place, part in enumerate((ALL, *(f"stage {stage}" for stage in STAGES))):
        for name in names:
            own = [outcome for outcome in outcomes if outcome.reader == name]
            results = [(outcome.task, outcome.stages[place - 1] if place else outcome.chain) for outcome in own]
            calls = sum(outcome.calls for outcome in own) / len(own) if not place else 1.0
            yield Row(name, part, _shares(name, results), calls)


def by_damage(outcomes: Sequence[Outcome]) -> Iterator[tuple[int, str, dict[str, Counter[str]]]]:
    """Yield for each stage and each kind of damage how often the readers make what of it."""
    for stage in STAGES:
        for kind in sorted({outcome.damage[stage - 1] for outcome in outcomes if outcome.damage}):
            rows: dict[str, Counter[str]] = defaultdict(Counter)
            for outcome in outcomes:
                if outcome.damage and outcome.damage[stage - 1] == kind:
                    rows[outcome.reader][outcome.stages[stage - 1]] += 1
            yield stage, kind, dict(rows)


def _read(task: JudgmentTask, record: JudgmentRecord) -> Iterator[tuple[str, list[int | None]]]:
    yield OURS, judge_again(task, record)
    names, count = (tag_name(task.step), *ALIASES), len(task.rules)
    for name, read in installed_readers().items():
        yield name, [read_number(read, stage, record.reply(stage), names, count) for stage in STAGES]


def _tell(index: int | None, answer: int) -> str:
    return NONE if index is None else RIGHT if index == answer else WRONG


def _shares(reader: str, results: Sequence[tuple[str, str]]) -> Figures:
    """Return the shares of the results, each with its task."""
    right, none, wrong = (share(reader, name, [(task, each == name) for task, each in results]) for name in OUTCOMES)
    return right, none, wrong
