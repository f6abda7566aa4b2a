"""The flow of a request: candidates, their replies, the verdicts, and the winner.

If no candidate passes, the fallbacks are asked; if none of them passes, the answer is UNSURE.

Invariants, each with its test in tests/routing/test_flow.py:

1. An output that is returned has passed a verifier, also that of a fallback.
2. An answer has the model that served, the way, and the reason.
3. Each step has an event, and each reply a row of the log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import uuid4

from ...core.ground.json_objects import write_object
from ...core.ground.members import coerce_members
from ...core.ground.numbers import counted
from ...core.replies.messages import Messages
from ...models.prompts.tokens import TokenCounter
from ..errors import RoutingError
from ..events import Event, InferRequest, ModelAddRequest, SelectTrainExample, hash_text
from ..logs.rows import FALLBACK
from ..manifests.manifest import Manifest
from ..metrics.metrics import METRIC_V1, Metric, MixedMetric
from ..metrics.selection import Selection, explain_selection, select_winner
from .candidates import Skipped, choose_candidates, count_calls, order_by_cost
from .contest import (
    Contestant,
    Judge,
    Judging,
    Overruling,
    Try,
    estimate_tokens,
    find_difference,
    rescore,
)
from .inquiry import Inquiry, join_messages
from .rows import write_rows


class Missing(StrEnum):
    """The policy if some candidates that pass have a q1 and others have none."""

    REFUSE = "refuse"  # they are not compared: no model wins
    ZERO = "zero"  # a missing q1 is 0
    IGNORE = "ignore"  # no q1 counts


class Way(StrEnum):
    """The way in which an answer was found."""

    WINNER = "winner"
    CASCADE = "cascade"  # the cheapest model whose reply passed: replies were not compared
    FALLBACK = "fallback"
    UNSURE = "unsure"


# Of the rows of a cascade, by the role of the model.
_CASCADE_WAYS = {"candidate": str(Way.CASCADE), FALLBACK: str(Way.FALLBACK)}


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request.

    Attributes:
        run_id: The id of the run.
        way: The way in which the answer was found.
        why: The reason.
        model_id: The model that served. None for UNSURE.
        version: Its version. None for UNSURE.
        output: The text of its reply. None for UNSURE.
        selection: The winner among the candidates, if they were compared.
        tries: The replies and their verdicts.
        skipped: The models that were not asked.
        events: The events, in their order.
        rows: The rows of the run log.
    """

    run_id: str
    way: Way
    why: str
    model_id: str | None = None
    version: str | None = None
    output: str | None = None
    selection: Selection = field(default_factory=lambda: Selection(None))
    tries: tuple[Try, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    events: tuple[Event, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        coerce_members(self)

    @property
    def sure(self) -> bool:
        """Whether a model served whose output has passed."""
        return self.way is not Way.UNSURE

    @property
    def missing(self) -> tuple[ModelAddRequest, ...]:
        """The events that a model is missing."""
        return tuple(event for event in self.events if isinstance(event, ModelAddRequest))

    @property
    def status(self) -> str:
        """PASS or UNSURE."""
        return "PASS" if self.sure else "UNSURE"

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object, without the rows."""
        names = (
            *("run_id", "status", "way", "why", "model_id", "version", "output"),
            *("selection", "tries", "skipped", "events"),
        )
        return write_object(self, *names)


class _Outcome(NamedTuple):
    """What was decided about a request."""

    way: Way
    why: str
    served: Try | None = None
    selection: Selection = Selection(None)
    is_compared: bool = True


@dataclass(frozen=True)
class Flow:
    """A configured flow.

    Attributes:
        contestants: The models.
        metric: The metric of the rewards.
        top_k: The maximum number of models that are asked at the same time.
        seconds: The time limit of their replies.
        missing: The policy if only some candidates have a q1.
        run_code: Whether programs that models write are run.
        watch: Called with each event.
        log: Called with the rows of each run.
        judge: Judges replies in place of the verifiers of manifests; or returns the judge for a
            manifest.
        checkout: The folder that verifiers may copy; empty: there is none.
        needs: The ignored folders in it that programs need.
        asked: How often each model was asked before. Each run counts further.
        spent: The costs of these replies.
        own_verifiers: Whether replies are compared that different verifiers judge.
        cascade: Whether candidates are asked one after another, the cheapest first, until a reply
            passes.
        explore_share: The share of requests that are whole contests in spite of `cascade`, so that
            the other models are compared as well.
    """

    contestants: Sequence[Contestant]
    metric: Metric | MixedMetric = METRIC_V1
    top_k: int = 3
    seconds: float = 120.0
    missing: Missing = Missing.REFUSE
    run_code: bool = False
    watch: Callable[[Event], object] = lambda event: None
    log: Callable[[Sequence[Mapping[str, Any]]], object] = lambda rows: None
    judge: Judging | Callable[[Manifest], Judging] | None = None
    checkout: str = ""
    needs: tuple[str, ...] = ()
    asked: Counter[str] = field(default_factory=Counter, compare=False)
    spent: dict[str, float] = field(default_factory=dict, compare=False)
    own_verifiers: bool = False
    cascade: bool = False
    explore_share: float = 0.1

    def __post_init__(self) -> None:
        coerce_members(self)
        counts = Counter(contestant.model_id for contestant in self.contestants)
        twice = sorted(name for name, count in counts.items() if count > 1)
        if twice:
            raise RoutingError(
                f"{', '.join(twice)}: given twice; one version of a model competes at a time"
            )
        # Also for a NaN.
        if self.top_k < 1 or not self.seconds > 0:
            raise RoutingError("top_k is 1 or more, and seconds are more than 0")
        if not 0 <= self.explore_share <= 1:
            raise RoutingError("explore_share is from 0 to 1")

    def run(
        self,
        messages: Messages,
        tags: Sequence[str] = (),
        task: str | None = None,
        *,
        training: bool = True,
        run_id: str | None = None,
        extras: Mapping[str, Any] | None = None,
        counter: TokenCounter | None = None,
    ) -> Answer:
        """Ask the candidates, and return the answer of the winner.

        Args:
            messages: The request, which each candidate gets in the format of its contract; or a
                conversation, which all of them get as it is.
            tags: The topics of the request.
            task: The task that it is. None: it is not known.
            training: Whether the rows have the winner.
            run_id: The id of the run. None: a random one.
            extras: Further members of each row of the log, which are JSON.
            counter: Counts the tokens of the request, and of replies that no provider has counted.
                None: one for four bytes.

        Returns:
            The answer. A model that fails, or whose reply does, is not an error.

        Raises:
            Exception: What the caller's verifier raised. No row is written: the error says nothing
                about a model, and a selector would learn from it.
        """
        inquiry = Inquiry(
            self.contestants,
            self.metric,
            self.seconds,
            self._choose_judge,
            self.watch,
            messages,
            tuple(tags),
            task,
            run_id or uuid4().hex,
            counter,
        )
        # By the id, so that a batch that is resumed asks in the same way.
        place = int(hash_text(inquiry.run_id)[-8:], 16)
        is_cascade = self.cascade and place >= self.explore_share * 16**8
        outcome = self._decide(inquiry, is_cascade)
        # Nothing for UNSURE: only an output that has passed is returned.
        served: dict[str, Any] = {}
        if outcome.served is not None:
            manifest = outcome.served.contestant.manifest
            served["model_id"] = manifest.model_id
            served["version"] = manifest.version
            served["output"] = outcome.served.output
        run: dict[str, Any] = {
            "prompt_hash": inquiry.prompt_hash,
            "winner_model_id": outcome.selection.winner,
            "run_id": inquiry.run_id,
            "candidates": len(inquiry.tries),
            "way": str(outcome.way),
            "served_by": served.get("model_id"),
        }
        # A selector learns from winners, so rows without a comparison have none.
        if is_cascade or not training or not outcome.is_compared:
            del run["winner_model_id"]
        ways = _CASCADE_WAYS if is_cascade else {}
        # The members of the protocol come last: extras cannot hide them.
        further = extras or {}
        rows = tuple(
            {**further, **row} for row in write_rows(inquiry.tries, self.metric, run, ways)
        )
        # All rows of a run at once: a log notices if one is lost.
        if rows:
            self.log(rows)
        return Answer(
            inquiry.run_id,
            outcome.way,
            outcome.why,
            **served,
            selection=outcome.selection,
            tries=tuple(inquiry.tries),
            skipped=tuple(inquiry.skipped),
            events=tuple(inquiry.events),
            rows=rows,
        )

    def find_candidates(
        self,
        messages: Messages,
        tags: Sequence[str] = (),
        task: str | None = None,
        counter: TokenCounter | None = None,
    ) -> tuple[list[Contestant], list[Skipped]]:
        """Return the models to ask, in the order of `choose_candidates`, and the others.

        Args:
            messages: The request.
            tags: Its topics.
            task: The task that it is. None: it is not known.
            counter: Counts its tokens. None: one for four bytes.
        """
        count = counter.count if counter is not None else estimate_tokens
        tokens = count(join_messages(messages))
        return choose_candidates(self.contestants, tags, task, tokens, self.top_k, self.asked)

    def _decide(self, inquiry: Inquiry, is_cascade: bool) -> _Outcome:
        inquiry.record(InferRequest, inquiry.prompt_hash, inquiry.tags, inquiry.task)
        candidates, inquiry.skipped = self.find_candidates(
            inquiry.prompt, inquiry.tags, inquiry.task, inquiry.counter
        )
        difference = ""
        if self.judge is None and not self.own_verifiers:
            # Before any request: replies that cannot be compared are not worth their cost.
            judges = {model.model_id: self._own_judge(model.manifest) for model in candidates}
            difference = find_difference(judges)
        if difference:
            inquiry.request_model("verifiers-differ")
            return _Outcome(Way.UNSURE, difference, is_compared=False)
        if is_cascade:
            return self._descend(inquiry, candidates)
        inquiry.ask(candidates)
        count_calls(inquiry.tries, self.asked, self.spent)
        names = self._settle_scores(inquiry)
        if names:
            inquiry.request_model("q1-mixed")
            why = f"{names} passed without a q1 and others with one: name a policy (--missing-q1)"
            return _Outcome(Way.UNSURE, why, is_compared=False)
        selection = select_winner(tried.candidate for tried in inquiry.tries)
        for tried in inquiry.tries:
            if tried.contestant.model_id == selection.winner:
                inquiry.record(SelectTrainExample, inquiry.prompt_hash, selection.winner)
                why = explain_selection(selection, len(inquiry.tries))
                return _Outcome(Way.WINNER, why, tried, selection)
        return _fall_back(inquiry)

    def _descend(self, inquiry: Inquiry, candidates: Sequence[Contestant]) -> _Outcome:
        """Ask the candidates one after another, the cheapest first, until a reply passes."""
        for contestant in order_by_cost(candidates, self.asked, self.spent):
            inquiry.ask([contestant])
            tried = inquiry.tries[-1]
            count_calls([tried], self.asked, self.spent)
            if tried.verdict.passed:
                replies = counted(len(inquiry.tries), "reply", "replies")
                return _Outcome(Way.CASCADE, f"the first of {replies}, by cost, that passed", tried)
        return _fall_back(inquiry)

    def _choose_judge(self, manifest: Manifest) -> Judging:
        own = self._own_judge(manifest)
        callers = self.judge
        if callers is None:
            return own
        # A function that chooses a judge for each manifest.
        if not isinstance(callers, Judging):
            callers = callers(manifest)
        return Overruling(callers, own)

    def _own_judge(self, manifest: Manifest) -> Judge:
        return Judge.of(manifest, self.run_code, self.checkout, self.needs)

    def _settle_scores(self, inquiry: Inquiry) -> str:
        """Apply the policy about q1; return the models without one if it refuses to compare."""
        passed = [tried for tried in inquiry.tries if tried.verdict.passed]
        bare = [tried.contestant.model_id for tried in passed if tried.q1 is None]
        # All of them have a q1, or none has.
        if len(bare) in (0, len(passed)):
            return ""
        if self.missing is Missing.REFUSE:
            return ", ".join(bare)
        # ZERO changes nothing: a metric counts a missing q1 as 0.
        if self.missing is Missing.IGNORE:
            inquiry.tries = [rescore(tried, None, self.metric) for tried in inquiry.tries]
        return ""


def _fall_back(inquiry: Inquiry) -> _Outcome:
    """Ask the fallbacks of the candidates, which have all failed."""
    reason = "none-passed"
    why = f"none of {len(inquiry.tries)} passed"
    if not inquiry.tries:
        reason = "no-candidate"
        why = "no model is a candidate"
    served = inquiry.ask_fallbacks()
    inquiry.request_model(reason)
    if served is None:
        return _Outcome(Way.UNSURE, f"{why}, and no fallback served")
    return _Outcome(Way.FALLBACK, f"{why}; this is the fallback, which passed", served)
