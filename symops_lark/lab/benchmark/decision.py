"""The rule of the original Sym-Ops notes: the terser format, if it is obeyed nearly as often as the plainer one.

It is adopted where its compliance is at least `threshold` times that of the plainer format, and it takes fewer tokens.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.ground.json_objects import write_object
from ...models.prompts.tokens import TokenCounter, load_counter
from ..measuring.intervals import cluster_interval
from ..measuring.statistics import Rate, Sums, resample
from .comparison import OUTCOMES, Outcome, Pairing, known_pairs

THRESHOLD = 0.95
READINGS = ("valid as written", "valid in the end", "right in the end")  # what compliance can mean; their own first


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rule says for one meaning of compliance, and all that it rests on.

    `ratio` is the terser format's rate over the plainer one's, with its 95 % interval; `tokens` of each are those of a
    reply for each action. `stability` is the share of draws of the tasks in which the decision is the same. `adopt` is
    None where the ratio does not exist, because the plainer format never succeeded.
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
        """Whether the first half of the rule holds: it is obeyed nearly as often."""
        return self.ratio is not None and self.ratio >= self.threshold

    @property
    def terser(self) -> bool:
        """Whether the second half holds: it takes fewer tokens."""
        return self.terse_tokens is not None and (self.plain_tokens or 0.0) > self.terse_tokens

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        tokens = {"terse": self.terse_tokens, "plain": self.plain_tokens, "tokenizer": self.tokenizer}
        return {
            **write_object(self, "reading", "threshold", "terse", "plain", "ratio", "ratio_interval"),
            "tokens_per_action": tokens,
            **write_object(self, "obeyed", "terser", "adopt", "stability"),
        }


def decide(pairing: Pairing, threshold: float = THRESHOLD) -> list[Decision]:
    """Apply the rule to pairs of the terser and the plainer format, for each reading of compliance that is known."""
    outcomes = {outcome.name: outcome for outcome in OUTCOMES}
    made = [_decide(outcomes[name], pairing, threshold, load_counter()) for name in READINGS]
    return [decision for decision in made if decision is not None]


def _decide(outcome: Outcome, pairing: Pairing, threshold: float, counter: TokenCounter) -> Decision | None:
    reading, count = outcome.name, counter.count
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * 6)
    known = known_pairs(outcome, pairing)
    for terse, plain in known:
        holds = bool(outcome.holds(terse)), bool(outcome.holds(plain))
        actions = [len(record.expected if record.expected is not None else record.actions) for record in (terse, plain)]
        for place, value in enumerate((*holds, *(count(r.model_text) for r in (terse, plain)), *actions)):
            sums[terse.case.task][place] += value
    if not known:
        return None
    rows = [sums[task] for task in sorted(sums)]
    total = [sum(row[place] for row in rows) for place in range(6)]
    ratio = total[0] / total[1] if total[1] else None
    used = [total[at] / total[at + 2] if total[at + 2] else None for at in (2, 3)]
    adopt = None if ratio is None else ratio >= threshold and (used[0] or 0.0) < (used[1] or 0.0)
    kept = resample(rows, lambda s: _adopts(s, threshold) == adopt, reading) if len(rows) > 1 else []
    interval = _ratio_interval(rows) if ratio is not None else None
    stability = sum(kept) / len(kept) if kept and adopt is not None else None
    first, second = (Rate.of((pair[0].case.task, bool(outcome.holds(pair[at]))) for pair in known) for at in (0, 1))
    return Decision(
        reading, threshold, first, second, ratio, interval, used[0], used[1], counter.name, adopt, stability
    )


def _ratio_interval(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the interval of the sum of the first column over that of the second, whole tasks drawn.

    It is that of the first sum's share in both, of which the ratio is told; the second sum is none of 0.
    """
    low, high = cluster_interval(Counter((row[0], row[0] + row[1]) for row in rows))
    return low / (1 - low), high / (1 - high)


def _adopts(sums: Sums, threshold: float) -> Sums:
    """Return for each draw whether the rule adopts the terser format."""
    fewer = sums[:, 2] / sums[:, 4] < sums[:, 3] / sums[:, 5]
    return (sums[:, 0] / sums[:, 1] >= threshold) & fewer
