"""Count the outcomes of the edits, and compare the arms pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median

from ....core.ground.json_objects import JsonObject
from ...measuring.intervals import gather, p_of_no_difference
from ...measuring.statistics import Rate, holm
from .damage import DAMAGE
from .running import EXACT, Trial


@dataclass(frozen=True, slots=True)
class ArmFigures(JsonObject):
    """The figures of one arm.

    Attributes:
        arm: The way to edit.
        outcomes: The number of edits with each outcome.
        exact: The rate of exact edits. Its interval draws whole files.
        exact_unique: The same where the line occurs once in the file.
        exact_repeated: The same where it occurs several times.
        reply_tokens: The median of the tokens of the replies, by encoding.
        prompt_tokens: The median of the tokens of the prompts, by encoding.
    """

    arm: str
    outcomes: Mapping[str, int]
    exact: Rate
    exact_unique: Rate
    exact_repeated: Rate
    reply_tokens: Mapping[str, float]
    prompt_tokens: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Difference(JsonObject):
    """Two arms on the same tasks, or on the same tasks with the same mistakes.

    Attributes:
        first: The name of an arm.
        second: The name of another arm.
        outcome: The outcome that is counted.
        first_only: The number of pairs in which only the first arm has the outcome.
        second_only: The number of pairs in which only the second arm has it.
        pairs: The number of pairs.
        p: The p-value that there is no difference. Whole files are drawn; it is McNemar's exact
            p-value if each file has one pair.
        corrected: The same after Holm's correction for all pairs of arms.
    """

    first: str
    second: str
    outcome: str
    first_only: int
    second_only: int
    pairs: int
    p: float
    corrected: float


def sum_up(trials: Sequence[Trial], arms: Sequence[str]) -> list[ArmFigures]:
    """Return the figures of each arm, for edits without a mistake made on purpose.

    Args:
        trials: The outcomes of all edits.
        arms: The names of the arms, in their order.
    """
    # The mistakes have a table for themselves.
    undamaged = [trial for trial in trials if not trial.damage]
    rows = []
    for arm in arms:
        chosen = [trial for trial in undamaged if trial.arm == arm]
        # A line that occurs several times is harder to place.
        by_kind: dict[bool, list[Trial]] = {True: [], False: []}
        for trial in chosen:
            by_kind[trial.is_unique].append(trial)
        row = ArmFigures(
            arm,
            Counter(trial.outcome for trial in chosen),
            _rate_exact(chosen),
            _rate_exact(by_kind[True]),
            _rate_exact(by_kind[False]),
            _medians([trial.reply_tokens for trial in chosen]),
            _medians([trial.prompt_tokens for trial in chosen]),
        )
        rows.append(row)
    return rows


def count_damage(trials: Sequence[Trial]) -> dict[str, dict[str, Counter[str]]]:
    """Return the number of damaged edits with each outcome, by mistake and arm.

    Args:
        trials: The outcomes of all edits.
    """
    # All mistakes, so that the rows keep their order.
    table: dict[str, dict[str, Counter[str]]] = {name: {} for name in DAMAGE}
    for trial in trials:
        if trial.damage:
            row = table[trial.damage]
            counts = row.setdefault(trial.arm, Counter())
            counts[trial.outcome] += 1
    # A mistake that no edit of the tasks can have has no row.
    return {name: row for name, row in table.items() if row}


def compare_arms(
    trials: Sequence[Trial], arms: Sequence[str], outcome: str, *, damaged: bool
) -> list[Difference]:
    """Compare all arms with each other, in pairs of the same task and mistake.

    Args:
        trials: The outcomes of all edits.
        arms: The names of the arms.
        outcome: The outcome that is counted.
        damaged: Whether to compare edits with mistakes, or those without.
    """
    chosen = [trial for trial in trials if bool(trial.damage) is damaged]
    rows = []
    for first, second in combinations(arms, 2):
        first_cases = _by_case(chosen, first)
        second_cases = _by_case(chosen, second)
        rows.append(_compare(first_cases, second_cases, outcome))
    corrected = holm([row.p for row in rows])
    # Holm's method needs all p-values at once.
    return [replace(row, corrected=p) for row, p in zip(rows, corrected, strict=True)]


_Cases = Mapping[tuple[str, str], Trial]


def _by_case(trials: Sequence[Trial], arm: str) -> _Cases:
    """Return the trials of an arm by task and mistake."""
    return {(trial.task, trial.damage): trial for trial in trials if trial.arm == arm}


def _compare(first: _Cases, second: _Cases, outcome: str) -> Difference:
    """Return the difference of two arms, without Holm's correction."""
    first_only = 0
    second_only = 0
    differences = []
    # Each case of the first arm, with the same case of the second one.
    for case, trial in first.items():
        partner = second.get(case)
        # Some mistakes can be made in one notation alone.
        if partner is None:
            continue
        has_first = trial.outcome == outcome
        has_second = partner.outcome == outcome
        first_only += has_first and not has_second
        second_only += has_second and not has_first
        differences.append((trial.path, has_second - has_first))
    p = p_of_no_difference(gather(differences))
    return Difference(
        _arm_of(first), _arm_of(second), outcome, first_only, second_only, len(differences), p, p
    )


def _arm_of(cases: _Cases) -> str:
    """Return the arm of some trials; an empty string if there are none."""
    for trial in cases.values():
        return trial.arm
    return ""


def _rate_exact(trials: Sequence[Trial]) -> Rate:
    return Rate.of([(trial.path, trial.outcome == EXACT) for trial in trials])


def _medians(counts: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """Return the median of each encoding."""
    # A trial without a reply has no tokens.
    values: dict[str, list[int]] = {}
    for count in counts:
        for name, value in count.items():
            values.setdefault(name, []).append(value)
    medians = {}
    for name, numbers in values.items():
        medians[name] = median(numbers)
    return medians
