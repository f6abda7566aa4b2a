"""Figures of a run of judgments: how often each reader is right, has no answer, or is wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....answers.judgment.tags import ALIASES, tag_name
from ..figures import NO_ANSWER, RIGHT, WRONG, Figure, divide
from .readers import OURS, installed_readers, read_number
from .running import STAGES, JudgmentRecord, JudgmentRun, judge_again
from .tasks import JudgmentTask

# A judgment has no alarms: it is one number.
OUTCOMES = (RIGHT, NO_ANSWER, WRONG)
ALL = "all stages"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a reader for the replies to one task.

    Attributes:
        reader: The name of the reader.
        task: The name of the task.
        damage: The kind of damage of each stage; empty if the replies were not simulated.
        stages: The outcome of each stage alone.
        chain: The outcome of the stages in turn, up to the first answer.
        calls: The number of stages that this took.
    """

    reader: str
    task: str
    damage: tuple[str, ...]
    stages: tuple[str, ...]
    chain: str
    calls: int


@dataclass(frozen=True, slots=True)
class Row:
    """The counts of one reader.

    Attributes:
        reader: The name of the reader.
        part: All stages in turn, or one stage alone.
        figures: A figure for each of `OUTCOMES`.
        calls: The mean number of calls.
    """

    reader: str
    part: str
    figures: tuple[Figure, ...]
    calls: float


def judge_all(run: JudgmentRun) -> list[Outcome]:
    """Return the outcome of each reader for each record."""
    outcomes = []
    for record in run.records:
        task = run.tasks[record.task]
        for reader, indices in _read(task, record):
            stages = tuple(_judge(index, task.answer) for index in indices)
            # Later stages are asked only while there is no answer.
            calls = 1
            while calls < len(STAGES) and stages[calls - 1] == NO_ANSWER:
                calls += 1
            chain = stages[calls - 1]
            outcomes.append(Outcome(reader, task.name, record.damage, stages, chain, calls))
    return outcomes


def sum_up(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    """Yield each reader with all stages in turn, then each reader with each stage alone."""
    by_reader = defaultdict(list)
    for outcome in outcomes:
        by_reader[outcome.reader].append(outcome)
    # A table begins with the result that a user gets.
    for name, group in by_reader.items():
        results = [(outcome.task, outcome.chain) for outcome in group]
        calls = sum(outcome.calls for outcome in group) / len(group)
        yield Row(name, ALL, _shares(name, results), calls)
    for index, stage in enumerate(STAGES):
        for name, group in by_reader.items():
            results = [(outcome.task, outcome.stages[index]) for outcome in group]
            yield Row(name, f"stage {stage}", _shares(name, results), 1.0)


def _shares(reader: str, results: Sequence[tuple[str, str]]) -> tuple[Figure, ...]:
    return tuple(divide(reader, OUTCOMES, results))


def by_damage(outcomes: Sequence[Outcome]) -> Iterator[tuple[int, str, dict[str, Counter[str]]]]:
    """Yield for each stage and each kind of damage the counts of the outcomes of each reader."""
    for index, stage in enumerate(STAGES):
        kinds: dict[str, dict[str, Counter[str]]] = {}
        for outcome in outcomes:
            # Replies of a model have no known damage.
            if outcome.damage:
                kind = outcome.damage[index]
                rows = kinds.setdefault(kind, {})
                counts = rows.setdefault(outcome.reader, Counter())
                counts[outcome.stages[index]] += 1
        for kind, rows in sorted(kinds.items()):
            yield stage, kind, rows


def _read(task: JudgmentTask, record: JudgmentRecord) -> Iterator[tuple[str, Iterable[int | None]]]:
    """Yield each reader, and the index that it finds in the reply of each stage."""
    yield OURS, judge_again(task, record)
    names = (tag_name(task.step), *ALIASES)
    rule_count = len(task.rules)
    for name, reader in installed_readers().items():
        indices = []
        for stage in STAGES:
            index = read_number(reader, stage, record.reply(stage), names, rule_count)
            indices.append(index)
        yield name, indices


def _judge(index: int | None, answer: int) -> str:
    if index is None:
        return NO_ANSWER
    return RIGHT if index == answer else WRONG
