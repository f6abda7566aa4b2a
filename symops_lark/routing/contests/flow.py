"""The flow of a request: candidates, their replies, the verdicts, the winner; else the fallback, else UNSURE.

Laws: what is given out has passed a verifier, the fallback's as well; an answer says who served, by which way, and why;
every step yields its event, and every reply a row of the log.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any
from uuid import uuid4

from ...core.ground.json_objects import write_object
from ...core.ground.members import coerce_members
from ...core.ground.numbers import counted
from ...core.replies.messages import Messages, as_messages
from ...models.prompts.tokens import TokenCounter
from ..errors import RoutingError
from ..events import Event, InferRequest, InferResult, ModelAddRequest, SelectTrainExample, hash_text
from ..manifests.manifest import UNSURE, Manifest
from ..metrics.metrics import METRIC_V1, Metric, MixedMetric
from ..metrics.selection import Selection, select_winner
from .candidates import STATES, Skipped, choose_candidates
from .contest import Contestant, Judge, Judging, Overruling, Try, estimate_tokens, rescore, run_all
from .rows import separate_rows, write_row

FALLBACK = "fallback"


class Missing(StrEnum):
    """What is done where some passing candidates have a q1 and others have none."""

    REFUSE = "refuse"  # they are not compared: nobody wins
    ZERO = "zero"  # who has none has 0
    IGNORE = "ignore"  # nobody's counts


class Way(StrEnum):
    """How an answer came about."""

    WINNER = "winner"
    CASCADE = "cascade"  # the cheapest model whose reply passed: nobody was compared
    FALLBACK = "fallback"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request came to. `model_id`, `version` and `output` are None for UNSURE, when `why` says what was tried.

    `rows` are what a run log has of it, `events` what happened, in order.
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
        """Whether somebody served whose output has passed."""
        return self.way is not Way.UNSURE

    @property
    def status(self) -> str:
        """PASS or UNSURE."""
        return "PASS" if self.sure else "UNSURE"

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        names = ("run_id", "status", "way", "why", "model_id", "version", "output", "selection", "tries", "skipped")
        return write_object(self, *names, "events")


@dataclass(frozen=True)
class Flow:
    """A configured flow. `top_k` models are asked at once, for `seconds` at most; `missing` is the policy about q1.

    `watch` gets every event, `log` every row, as they come; rows of one run come together. Programs that models write
    are run only with `run_code`, and verifiers copy only the `checkout` that is given, with the ignored folders in it
    that programs `needs`. `judge`, or what it returns for a manifest, judges replies in place of manifests' verifiers.
    `asked` is how often each model was asked before, and `spent` what that has cost; each run counts on.

    Replies that are judged by different verifiers are not compared, unless each may have its own (`own_verifiers`).
    A `cascade` asks the candidates one after another, the cheapest first, until a reply passes; but of all requests a
    share of `explore_share` is a whole contest, so that the others are compared as well.
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
        ids = [each.model_id for each in self.contestants]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise RoutingError(f"{', '.join(twice)}: given twice; one version of a model competes at a time")
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
            messages: The request, which each candidate gets in the format of its contract; or a conversation, which
                all of them get as it is.
            tags: The topics of the request.
            task: The task that it is. None: it is not said.
            training: Whether the rows have the winner.
            run_id: The id of the run. None: one is drawn.
            extras: Further members of each row of the log, which are JSON.
            counter: Counts the tokens of the request, and of replies that no provider has counted. None: one for four
                bytes.

        Returns:
            The answer. A model that fails, or whose reply does, is no error.
        """
        found = _Run(self, messages, tuple(tags), task, training, run_id or uuid4().hex)
        found.extras, found.counter = dict(extras or {}), counter
        return found.answer()

    def find_candidates(
        self, messages: Messages, tags: Sequence[str] = (), task: str | None = None, counter: TokenCounter | None = None
    ) -> tuple[list[Contestant], list[Skipped]]:
        """Return who is asked, the best fitting first, and who is not, and why.

        `choose_candidates` has the order.
        """
        count = counter.count if counter is not None else estimate_tokens
        tokens = count(_join(messages))
        return choose_candidates(self.contestants, tags, task, tokens, self.top_k, self.asked)


def _join(messages: Messages) -> str:
    """Return the text that stands for a conversation where it is counted or hashed."""
    if isinstance(messages, str):
        return messages
    return "\n\n".join(message.content for message in as_messages(messages))


class _Run:
    def __init__(
        self, flow: Flow, prompt: Messages, tags: tuple[str, ...], task: str | None, training: bool, run_id: str
    ) -> None:
        self.flow, self.prompt, self.tags, self.task, self.training = flow, prompt, tags, task, training
        self.run_id, self.prompt_hash = run_id, hash_text(_join(prompt))
        self.extras: Mapping[str, Any] = {}
        self.counter: TokenCounter | None = None
        self.events: list[Event] = []
        self.tries: list[Try] = []
        # The same for the same run, so that a batch that goes on asks in the same way.
        is_whole = int(hash_text(self.run_id)[-8:], 16) < flow.explore_share * 16**8
        self.is_cascade = flow.cascade and not is_whole
        self.known = {each.model_id: each for each in flow.contestants}

    def answer(self) -> Answer:
        self._tell(InferRequest(self.prompt_hash, self.tags, self.task, run_id=self.run_id))
        asked, skipped = self.flow.find_candidates(self.prompt, self.tags, self.task, self.counter)
        differing = self._find_differing(asked)
        if differing:
            self._tell(ModelAddRequest("verifiers-differ", self._snapshot(skipped), run_id=self.run_id))
            return self._close(Way.UNSURE, differing, None, Selection(None), skipped)
        if self.is_cascade:
            return self._descend(asked, skipped)
        competing, mixed = self._settle_scores(self._ask(asked))
        self.training = self.training and not mixed  # where nothing was compared there is nothing to learn
        self.tries += competing
        selection = select_winner(each.candidate for each in ([] if mixed else competing))
        if selection.winner is not None:
            won = next(t for t in competing if t.contestant.model_id == selection.winner)
            self._tell(SelectTrainExample(self.prompt_hash, selection.winner, run_id=self.run_id))
            return self._close(Way.WINNER, _explain(selection, len(competing)), won, selection, skipped)
        why = mixed or ("no model is a candidate" if not asked else f"none of {len(competing)} passed")
        reason = "no-candidate" if not asked else "q1-mixed" if mixed else "none-passed"
        return self._close_without_winner(reason, why, [] if mixed else competing, selection, skipped)

    def _close_without_winner(
        self, reason: str, why: str, failed: Sequence[Try], selection: Selection, skipped: list[Skipped]
    ) -> Answer:
        """Ask the fallbacks of those that failed, and return what comes of it."""
        served = self._fall_back(failed, skipped)
        self._tell(ModelAddRequest(reason, self._snapshot(skipped), run_id=self.run_id))
        if served is None:
            said = why if reason == "q1-mixed" else f"{why}, and no fallback served"
            return self._close(Way.UNSURE, said, None, selection, skipped)
        return self._close(Way.FALLBACK, f"{why}; this is the fallback, which passed", served, selection, skipped)

    def _descend(self, candidates: Sequence[Contestant], skipped: list[Skipped]) -> Answer:
        """Ask the candidates one after another, the cheapest first, until a reply passes."""

        def order(contestant: Contestant) -> float:
            # A model of which no cost is known comes last; whole contests make its cost known.
            count = self.flow.asked[contestant.model_id]
            return self.flow.spent.get(contestant.model_id, 0.0) / count if count else math.inf

        for contestant in sorted(candidates, key=order):
            [tried] = self._ask([contestant])
            self.tries.append(tried)
            if tried.verdict.passed:
                why = f"the first of {counted(len(self.tries), 'reply', 'replies')}, by cost, that passed"
                return self._close(Way.CASCADE, why, tried, Selection(None), skipped)
        reason = "none-passed" if candidates else "no-candidate"
        why = f"none of {len(self.tries)} passed" if candidates else "no model is a candidate"
        return self._close_without_winner(reason, why, list(self.tries), Selection(None), skipped)

    def _find_differing(self, candidates: Sequence[Contestant]) -> str:
        """Return why the verdicts about some candidates cannot be compared; empty if they can."""
        if self.flow.own_verifiers or self.flow.judge is not None:
            return ""
        standards = {each.model_id: self._own_judge(each.manifest).standard for each in candidates}
        usable = {name: standard for name, standard in standards.items() if standard is not None}
        first = next(iter(usable), "")
        other = next((name for name, standard in usable.items() if standard != usable[first]), "")
        if not other:
            return ""
        return (
            f"{first} and {other} have different verifiers, and nobody was asked: judge all by one (--verifier), "
            "or let each have its own (--own-verifiers)"
        )

    def _ask(self, contestants: Sequence[Contestant], role: str = "candidate") -> list[Try]:
        flow = self.flow
        judges = {each.model_id: self._judge(each.manifest) for each in contestants}
        tries = [
            replace(tried, role=role)
            for tried in run_all(contestants, self.prompt, judges, flow.metric, flow.seconds, self.counter)
        ]
        if role != FALLBACK:
            flow.asked.update(each.model_id for each in contestants)
            for tried in tries:
                name = tried.contestant.model_id
                flow.spent[name] = flow.spent.get(name, 0.0) + tried.cost
        for tried in tries:
            self._tell(
                InferResult(
                    tried.contestant.model_id,
                    round(tried.seconds * 1000, 3),
                    tried.tokens,
                    hash_text(tried.output),
                    tried.verdict.q0 * (1 + (tried.verdict.q1 or 0.0)),
                    run_id=self.run_id,
                )
            )
        return tries

    def _judge(self, manifest: Manifest) -> Judging:
        own, callers = self._own_judge(manifest), self.flow.judge
        if callers is None:
            return own
        return Overruling(callers if isinstance(callers, Judging) else callers(manifest), own)

    def _own_judge(self, manifest: Manifest) -> Judge:
        return Judge.of(manifest, self.flow.run_code, self.flow.checkout, self.flow.needs)

    def _settle_scores(self, tries: list[Try]) -> tuple[list[Try], str]:
        """Apply the policy about q1; return the tries, and why they cannot be compared, if so."""
        have = {t.q1 is not None for t in tries if t.verdict.passed}
        if len(have) < 2:
            return tries, ""
        if self.flow.missing is Missing.REFUSE:
            names = [t.contestant.model_id for t in tries if t.verdict.passed and t.q1 is None]
            return tries, f"{', '.join(names)} passed without a q1 and others with one: name a policy (--missing-q1)"
        if self.flow.missing is Missing.IGNORE:
            return [rescore(t, None, self.flow.metric) for t in tries], ""
        return tries, ""

    def _fall_back(self, failed: Sequence[Try], skipped: list[Skipped]) -> Try | None:
        """Ask the fallbacks of those that failed, the best first, and theirs; return the first that passes."""
        done = {tried.contestant.model_id for tried in failed}
        for tried in sorted(failed, key=lambda t: (-t.reward, t.contestant.model_id)):
            for contestant in self._chain(tried.contestant, done, skipped):
                done.add(contestant.model_id)
                [served] = self._ask([contestant], FALLBACK)
                self.tries.append(served)
                if served.verdict.passed:
                    return served
        return None

    def _chain(self, first: Contestant, done: set[str], skipped: list[Skipped]) -> Iterator[Contestant]:
        """Yield the fallbacks of a model one after another; who was asked already is passed over."""
        way, name = [first.model_id], first.manifest.routing.fallback
        while name != UNSURE:
            if name in way:
                skipped.append(Skipped(name, f"fallbacks go in a circle: {' → '.join([*way, name])}"))
                return
            way.append(name)
            found = self.known.get(name)
            if found is None or found.state not in STATES:
                state = "is not registered" if found is None else f"is {found.state}"
                skipped.append(Skipped(name, f"the fallback of {way[-2]} {state}"))
                return
            if name not in done:
                yield found
            name = found.manifest.routing.fallback

    def _snapshot(self, skipped: Sequence[Skipped]) -> dict[str, Any]:
        told = {t.contestant.model_id: t.told or ("passed" if t.verdict.passed else "failed") for t in self.tries}
        return {
            "tags": list(self.tags),
            "task": self.task,
            "tried": told,
            "skipped": {s.model_id: s.why for s in skipped},
        }

    def _tell(self, event: Event) -> None:
        self.events.append(event)
        self.flow.watch(event)

    def _close(
        self, way: Way, why: str, served: Try | None, selection: Selection, skipped: Sequence[Skipped]
    ) -> Answer:
        run: dict[str, Any] = {
            "prompt_hash": self.prompt_hash,
            "winner_model_id": selection.winner,
            "run_id": self.run_id,
            "candidates": len(self.tries),
            "way": str(way),
            "served_by": served.contestant.model_id if served is not None else None,
        }
        if not self.training:
            del run["winner_model_id"]
        written = [{**self.extras, **write_row(tried, self.flow.metric, run)} for tried in self.tries]
        if self.is_cascade:
            written = separate_rows(written, {FALLBACK: str(Way.FALLBACK), "candidate": str(Way.CASCADE)})
        rows = tuple(written)
        if rows:
            self.flow.log(rows)
        manifest = served.contestant.manifest if served is not None else None
        return Answer(
            self.run_id,
            way,
            why,
            manifest.model_id if manifest else None,
            manifest.version if manifest else None,
            served.output if served is not None else None,
            selection,
            tuple(self.tries),
            tuple(skipped),
            tuple(self.events),
            rows,
        )


def _explain(selection: Selection, asked: int) -> str:
    best, count = selection.ranking[0], len(selection.ranking)
    said = f"{count} of {asked} passed"
    if count == 1:
        return f"{said}: the only one"
    second = selection.ranking[1]
    if selection.tie_break is None:
        return f"{said}; its reward {best.reward:.3f} is the highest, before {second.reward:.3f} of {second.model_id}"
    word = {"cost": "it costs less", "stable": "it is stable", "model_id": "its id is the first"}[selection.tie_break]
    return f"{said}; its reward {best.reward:.3f} is that of {second.model_id} as well, and {word}"
