"""The flow of a request: candidates, their replies, the verdicts, the winner; else the fallback, else UNSURE.

Laws: what is given out has passed a verifier, the fallback's as well; an answer says who served, by which way, and why;
every step yields its event, and every reply a row of the log.
"""

from __future__ import annotations

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
from ..events import Event, InferRequest, InferResult, ModelAddRequest, SelectTrainExample, hash_text, now
from ..manifests.manifest import UNSURE, Manifest
from ..metrics.metrics import METRIC_V1, Metric, MixedMetric
from ..metrics.selection import Selection, select_winner
from .contest import Contestant, Judge, Judging, Try, estimate_tokens, rescore, run_all

STATES = ("stable", "experimental")  # of the registry: who is in another one is no candidate
FALLBACK = "fallback"


class Missing(StrEnum):
    """What is done where some passing candidates have a q1 and others have none."""

    REFUSE = "refuse"  # they are not compared: nobody wins
    ZERO = "zero"  # who has none has 0
    IGNORE = "ignore"  # nobody's counts


class Way(StrEnum):
    """How an answer came about."""

    WINNER = "winner"
    FALLBACK = "fallback"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A model that was no candidate, or no fallback, and why."""

    model_id: str
    why: str


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
    that programs `needs`. `judge` returns who judges the replies of a model, in place of its manifest's verifier.
    `asked` is how often each model was asked before; each run counts on.
    """

    contestants: Sequence[Contestant]
    metric: Metric | MixedMetric = METRIC_V1
    top_k: int = 3
    seconds: float = 120.0
    missing: Missing = Missing.REFUSE
    run_code: bool = False
    watch: Callable[[Event], object] = lambda event: None
    log: Callable[[Sequence[Mapping[str, Any]]], object] = lambda rows: None
    judge: Callable[[Manifest], Judging] | None = None
    checkout: str = ""
    needs: tuple[str, ...] = ()
    asked: Counter[str] = field(default_factory=Counter, compare=False)

    def __post_init__(self) -> None:
        coerce_members(self)
        ids = [each.model_id for each in self.contestants]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise RoutingError(f"{', '.join(twice)}: given twice; one version of a model competes at a time")
        if self.top_k < 1 or not self.seconds > 0:
            raise RoutingError("top_k is 1 or more, and seconds are more than 0")

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

        A model fits by the share of the request's tags that it has, which is at least its recommended_min_confidence;
        between equals the stable one comes first, then the least asked, then the id. The last place is for the least
        asked of all that fit, so that each of them is asked at times.
        """
        fitting, skipped = [], []
        tokens = (counter.count if counter is not None else estimate_tokens)(_join(messages))
        for each in self.contestants:
            share = _share(each, tags)
            if why := _refuse(each, share, task, tokens):
                skipped.append(Skipped(each.model_id, why))
            else:
                asked = self.asked[each.model_id]
                fitting.append((-share, not each.stable, asked, each.model_id, each))
        ordered = [each for *_, each in sorted(fitting, key=lambda item: item[:4])]
        # The first one of the least asked: without counts, the order stays.
        least = min(ordered, key=lambda each: self.asked[each.model_id], default=None)
        if least is not None and least not in ordered[: self.top_k]:
            ordered.remove(least)
            ordered.insert(self.top_k - 1, least)
        skipped += [Skipped(each.model_id, f"only {self.top_k} are asked") for each in ordered[self.top_k :]]
        return ordered[: self.top_k], skipped


def _join(messages: Messages) -> str:
    """Return the text that stands for a conversation where it is counted or hashed."""
    if isinstance(messages, str):
        return messages
    return "\n\n".join(message.content for message in as_messages(messages))


def _share(contestant: Contestant, tags: Sequence[str]) -> float:
    has = set(contestant.manifest.routing.tags)
    return sum(tag in has for tag in tags) / len(tags) if tags else 1.0


def _refuse(contestant: Contestant, share: float, task: str | None, tokens: int) -> str:
    """Return why a model is no candidate for a request; empty if it is."""
    manifest = contestant.manifest
    least, most = manifest.routing.recommended_min_confidence, manifest.io_contract.input.max_tokens
    if contestant.state not in STATES:
        return f"its state is {contestant.state}"
    if task is not None and task in manifest.scope.non_scope:
        return f"the task {task} is what it is not for (non_scope)"
    if task is not None and task not in manifest.scope.tasks:
        return f"the task {task} is not in its scope"
    if share < least or share == 0:
        return f"it has {share:.0%} of the tags, and {max(least, 0.01):.0%} is the least"
    return f"the prompt has about {counted(tokens, 'token')}, and it takes {most}" if tokens > most else ""


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
        self.known = {each.model_id: each for each in flow.contestants}

    def answer(self) -> Answer:
        self._tell(InferRequest(self.prompt_hash, self.tags, self.task, run_id=self.run_id))
        asked, skipped = self.flow.find_candidates(self.prompt, self.tags, self.task, self.counter)
        self.flow.asked.update(each.model_id for each in asked)
        competing, mixed = self._settle_scores(self._ask(asked))
        self.training = self.training and not mixed  # where nothing was compared there is nothing to learn
        self.tries += competing
        selection = select_winner(each.candidate for each in ([] if mixed else competing))
        if selection.winner is not None:
            won = next(t for t in competing if t.contestant.model_id == selection.winner)
            self._tell(SelectTrainExample(self.prompt_hash, selection.winner, run_id=self.run_id))
            return self._close(Way.WINNER, _explain(selection, len(competing)), won, selection, skipped)
        why = mixed or ("no model is a candidate" if not asked else f"none of {len(competing)} passed")
        served = None if mixed else self._fall_back(competing, skipped)
        reason = "no-candidate" if not asked else "q1-mixed" if mixed else "none-passed"
        self._tell(ModelAddRequest(reason, self._snapshot(skipped), run_id=self.run_id))
        if served is None:
            said = why if mixed else f"{why}, and no fallback served"
            return self._close(Way.UNSURE, said, None, selection, skipped)
        return self._close(Way.FALLBACK, f"{why}; this is the fallback, which passed", served, selection, skipped)

    def _ask(self, contestants: Sequence[Contestant], role: str = "candidate") -> list[Try]:
        flow = self.flow
        judges = {each.model_id: self._judge(each.manifest) for each in contestants}
        tries = [
            replace(tried, role=role)
            for tried in run_all(contestants, self.prompt, judges, flow.metric, flow.seconds, self.counter)
        ]
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
        flow = self.flow
        if flow.judge is not None:
            return flow.judge(manifest)
        return Judge.of(manifest, flow.run_code, flow.checkout, flow.needs)

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
        rows = tuple(self._row(tried, way, served, selection) for tried in self.tries)
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

    def _row(self, tried: Try, way: Way, served: Try | None, selection: Selection) -> dict[str, Any]:
        """Return the row of a try: the fields of the protocol, then those that explain it."""
        metric, verdict, manifest = self.flow.metric, tried.verdict, tried.contestant.manifest
        row: dict[str, Any] = {
            **self.extras,
            "timestamp": now(),
            "prompt_hash": self.prompt_hash,
            "model_id": manifest.model_id,
            "metric_version": metric.name,
            "verifier_result": "PASS" if verdict.passed else "FAIL",
            "q0": verdict.q0,
            "q1": tried.q1,
            "cost": tried.cost,
            "refusal_penalty": verdict.refusal_penalty,
            "reward": tried.reward,
            "winner_model_id": selection.winner,
            "run_id": self.run_id,
            "candidates": len(self.tries),
            "role": tried.role,
            "model_version": manifest.version,
            "stable": tried.contestant.stable,
            "metric_params": metric.params,
            "time_ms": round(tried.seconds * 1000, 3),
            "tokens": tried.tokens,
            "tokens_estimated": tried.tokens_estimated,
            "output_hash": hash_text(tried.output),
            "way": str(way),
            "served_by": served.contestant.model_id if served is not None else None,
            "reason": tried.told[:500],
        }
        if isinstance(metric, MixedMetric):
            row["rewards"] = metric.parts(verdict.q0, tried.q1, tried.cost, verdict.refusal_penalty)
        if tried.q1 is None:
            del row["q1"]
        if not self.training:
            del row["winner_model_id"]
        return row


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
