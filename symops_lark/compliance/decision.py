"""The rule of the original Sym-Ops notes: the terser format, if it is obeyed nearly as often as the plainer one.

It is adopted where its compliance is at least `threshold` times that of the plainer format, and it takes fewer tokens.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from ..json_objects import write_object
from ..measuring.statistics import Rate, Sums, quantile, resample
from ..prompts.tokens import TokenCounter, load_counter
from .comparison import OUTCOMES, Outcome, Pairing

THRESHOLD = 0.95
READINGS = ("valid as written", "valid in the end", "exact in the end")  # what compliance can mean; their own first


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rule says for one meaning of compliance, and all that it rests on.

    `ratio` is the terser format's rate over the plainer one's, `tokens` of each are those of a reply for each action.
    `stability` is the share of draws of the tasks in which the decision is the same. `adopt` is None where the ratio
    does not exist, because the plainer format never succeeded.
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
    n = 0
    for terse, plain in pairing.pairs:
        first, second = outcome.holds(terse), outcome.holds(plain)
        if first is None or second is None:
            continue
        n += 1
        actions = [len(record.expected if record.expected is not None else record.actions) for record in (terse, plain)]
        for place, value in enumerate((first, second, *(count(r.model_text) for r in (terse, plain)), *actions)):
            sums[terse.case.task][place] += value
    if not n:
        return None
    rows = [sums[task] for task in sorted(sums)]
    total = [sum(row[place] for row in rows) for place in range(6)]
    ratio = total[0] / total[1] if total[1] else None
    used = [total[at] / total[at + 2] if total[at + 2] else None for at in (2, 3)]
    adopt = None if ratio is None else ratio >= threshold and (used[0] or 0.0) < (used[1] or 0.0)
    drawn = resample(rows, lambda s: s[:, 0] / s[:, 1], reading) if len(rows) > 1 else []
    kept = resample(rows, lambda s: _adopts(s, threshold) == adopt, reading) if len(rows) > 1 else []
    interval = (quantile(drawn, 0.025), quantile(drawn, 0.975)) if drawn else None
    stability = sum(kept) / len(kept) if kept and adopt is not None else None
    rates = Rate(int(total[0]), n), Rate(int(total[1]), n)
    return Decision(reading, threshold, *rates, ratio, interval, used[0], used[1], counter.name, adopt, stability)


def _adopts(sums: Sums, threshold: float) -> Sums:
    """Return for each draw whether the rule adopts the terser format."""
    fewer = sums[:, 2] / sums[:, 4] < sums[:, 3] / sums[:, 5]
    return (sums[:, 0] / sums[:, 1] >= threshold) & fewer
