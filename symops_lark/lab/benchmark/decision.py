"""The rule of the original Sym-Ops notes for choosing between two formats.

The terser format is adopted if its compliance is at least `threshold` times that of the plainer
format, and if it takes fewer tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.ground.json_objects import write_object
from ...models.prompts.tokens import TokenCounter, load_counter
from ..measuring.intervals import cluster_interval
from ..measuring.statistics import Rate, Sums, resample
from .comparison import OUTCOMES, Outcome, Pairing, known_tries, rates_of
from .rooms import by_name

THRESHOLD = 0.95
# What compliance can mean. The first one is that of the notes.
READINGS = ("valid as written", "valid in the end", "right in the end")


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision for one meaning of compliance, with all numbers that it depends on.

    Attributes:
        reading: The meaning, one of `READINGS`.
        threshold: The smallest ratio that is accepted.
        terse: The rate of the terser format.
        plain: The rate of the plainer format.
        ratio: The first rate divided by the second; None if the second is 0.
        ratio_interval: Its 95 % interval.
        terse_tokens: Tokens of a reply for each action, in the terser format.
        plain_tokens: Tokens of a reply for each action, in the plainer format.
        tokenizer: The name of the tokenizer.
        adopt: The decision; None if there is no ratio.
        stability: The share of bootstrap samples of the tasks with the same decision.
    """

    reading: str
    threshold: float
    terse: Rate
    plain: Rate
    ratio: float | None
    ratio_interval: tuple[float, float] | None
    terse_tokens: float | None
    plain_tokens: float | None
    tokenizer: str
    adopt: bool | None
    stability: float | None

    @property
    def obeyed(self) -> bool:
        """Whether the first condition holds: the terser format is followed nearly as often."""
        return self.ratio is not None and self.ratio >= self.threshold

    @property
    def terser(self) -> bool:
        """Whether the second condition holds: it takes fewer tokens."""
        return self.terse_tokens is not None and (self.plain_tokens or 0.0) > self.terse_tokens

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        tokens = {
            "terse": self.terse_tokens,
            "plain": self.plain_tokens,
            "tokenizer": self.tokenizer,
        }
        return {
            **write_object(
                self, "reading", "threshold", "terse", "plain", "ratio", "ratio_interval"
            ),
            "tokens_per_action": tokens,
            **write_object(self, "obeyed", "terser", "adopt", "stability"),
        }


def decide(pairing: Pairing, threshold: float = THRESHOLD) -> list[Decision]:
    """Apply the rule to pairs of the terser and the plainer format.

    A meaning of compliance that is unknown in all pairs is left out.
    """
    outcomes = by_name(OUTCOMES)
    decisions = []
    for name in READINGS:
        tries = known_tries(outcomes[name], pairing)
        if tries:
            terse, plain = rates_of(tries)
            rows = _sum_tasks(outcomes[name], pairing, load_counter())
            decisions.append(_decide(name, threshold, terse, plain, rows))
    return decisions


def _decide(
    reading: str, threshold: float, terse: Rate, plain: Rate, rows: Sequence[Sequence[float]]
) -> Decision:
    total = list(map(sum, zip(*rows, strict=True)))
    terse_tokens = _divide(total[2], total[4])
    plain_tokens = _divide(total[3], total[5])
    ratio = _divide(total[0], total[1])
    # Without a ratio, the rule decides nothing.
    interval = stability = adopt = None
    if ratio is not None:
        interval = _ratio_interval(rows)
        adopt = ratio >= threshold and (terse_tokens or 0.0) < (plain_tokens or 0.0)
        # One task gives one sample only, which would always agree.
        if len(rows) > 1:
            same = resample(rows, lambda s: _adopts(s, threshold) == adopt, reading)
            stability = _divide(sum(same), len(same))
    return Decision(
        reading,
        threshold,
        terse,
        plain,
        ratio,
        interval,
        terse_tokens,
        plain_tokens,
        load_counter().name,
        adopt,
        stability,
    )


def _sum_tasks(outcome: Outcome, pairing: Pairing, counter: TokenCounter) -> list[list[float]]:
    """Return for each task six sums: successes, tokens and actions, each of terser and plainer."""
    sums: dict[str, list[float]] = {}
    for pair in pairing.pairs:
        holds = list(map(outcome.holds, pair))
        # As in `known_tries`: both sides must be known.
        if None in holds:
            continue
        # Of the text as a model writes it: line endings that were drawn cost nothing.
        tokens = [counter.count(record.model_text) for record in pair]
        # The intended actions, if these are known.
        actions = [
            record.actions if record.expected is None else record.expected for record in pair
        ]
        row = sums.setdefault(pair[0].case.task, [0.0] * 6)
        for place, value in enumerate((*holds, *tokens, *map(len, actions))):
            row[place] += value or 0
    # The bootstrap depends on the order of its rows.
    return list(dict(sorted(sums.items())).values())


def _divide(above: float, below: float) -> float | None:
    return above / below if below else None


def _ratio_interval(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the interval of the first column's sum divided by the second's, which is not 0.

    It is derived from the interval of the first sum's share in both together.
    """
    low, high = cluster_interval(Counter((row[0], row[0] + row[1]) for row in rows))
    return low / (1 - low), high / (1 - high)


def _adopts(sums: Sums, threshold: float) -> Sums:
    """Return for each bootstrap sample whether the rule adopts the terser format."""
    # The columns of `_sum_tasks`. A comparison with NaN, of a sample without successes, is false.
    fewer = sums[:, 2] / sums[:, 4] < sums[:, 3] / sums[:, 5]
    return (sums[:, 0] / sums[:, 1] >= threshold) & fewer
