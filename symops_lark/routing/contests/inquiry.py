"""Ask models for one request, and record each step: its event, and its tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.replies.messages import Messages, as_messages
from ...models.prompts.tokens import TokenCounter
from ..events import Event, InferResult, ModelAddRequest, hash_text
from ..logs.rows import FALLBACK
from ..manifests.manifest import UNSURE, Manifest
from ..metrics.metrics import Metric, MixedMetric
from .candidates import STATES, Skipped
from .contest import Contestant, Judging, Try, run_all


def join_messages(messages: Messages) -> str:
    """Return the text of a conversation whose tokens are counted, and which is hashed."""
    if isinstance(messages, str):
        return messages
    return "\n\n".join(message.content for message in as_messages(messages))


@dataclass
class Inquiry:
    """One request, and what was done for it so far.

    Attributes:
        contestants: All models, also those that are fallbacks only.
        metric: The metric of the rewards.
        seconds: The time limit of replies that are waited for together.
        choose_judge: Returns the judge of the replies of a manifest's model.
        watch: Called with each event.
        prompt: The request.
        tags: Its topics.
        task: The task that it is. None: it is not known.
        run_id: The id of the run.
        counter: Counts tokens. None: they are estimated.
        prompt_hash: The hash of the request.
        events: The events, in their order.
        tries: The replies and their verdicts, in the order in which the models were asked.
        skipped: The models that are not asked.
    """

    contestants: Sequence[Contestant]
    metric: Metric | MixedMetric
    seconds: float
    choose_judge: Callable[[Manifest], Judging]
    watch: Callable[[Event], object]
    prompt: Messages
    tags: tuple[str, ...]
    task: str | None
    run_id: str
    counter: TokenCounter | None
    prompt_hash: str = field(init=False)
    events: list[Event] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.prompt_hash = hash_text(join_messages(self.prompt))

    def record(self, kind: Callable[..., Event], *members: Any) -> None:
        """Record an event of this run."""
        event = kind(*members, run_id=self.run_id)
        self.events.append(event)
        self.watch(event)

    def request_model(self, reason: str) -> None:
        """Record that no model could serve the request."""
        results = {}
        for tried in self.tries:
            outcome = "passed" if tried.verdict.passed else "failed"
            results[tried.contestant.model_id] = tried.told or outcome
        snapshot = {
            "tags": list(self.tags),
            "task": self.task,
            "tried": results,
            "skipped": {skipped.model_id: skipped.why for skipped in self.skipped},
        }
        self.record(ModelAddRequest, reason, snapshot)

    def ask(self, contestants: Sequence[Contestant], role: str = "candidate") -> None:
        """Ask models at the same time, and add their tries.

        Args:
            contestants: The models.
            role: The role of their tries.
        """
        # One for each model, since verifiers of manifests read files of the manifest's folder.
        judges = {}
        for contestant in contestants:
            judges[contestant.model_id] = self.choose_judge(contestant.manifest)
        tries = run_all(contestants, self.prompt, judges, self.metric, self.seconds, self.counter)
        for tried in tries:
            self.tries.append(replace(tried, role=role))
            self.record(
                InferResult,
                tried.contestant.model_id,
                round(tried.seconds * 1000, 3),
                tried.tokens,
                hash_text(tried.output),
                tried.verdict.q0 * (1 + (tried.verdict.q1 or 0.0)),
            )

    def ask_fallbacks(self) -> Try | None:
        """Ask the fallbacks of all tries, those of the best first; return the first that passes."""
        failed = sorted(self.tries, key=lambda tried: (-tried.reward, tried.contestant.model_id))
        for tried in failed:
            for contestant in self._find_fallbacks(tried.contestant):
                self.ask([contestant], FALLBACK)
                served = self.tries[-1]
                if served.verdict.passed:
                    return served
        return None

    def _find_fallbacks(self, first: Contestant) -> Iterator[Contestant]:
        """Yield the fallback of a model, then its fallback, and so on, but no model twice."""
        contestants = {contestant.model_id: contestant for contestant in self.contestants}
        chain = [first.model_id]
        name = first.manifest.routing.fallback
        while name != UNSURE:
            if name in chain:
                circle = " → ".join([*chain, name])
                self.skipped.append(Skipped(name, f"fallbacks go in a circle: {circle}"))
                return
            chain.append(name)
            contestant = contestants.get(name)
            if contestant is None or contestant.state not in STATES:
                state = "is not registered" if contestant is None else f"is {contestant.state}"
                self.skipped.append(Skipped(name, f"the fallback of {chain[-2]} {state}"))
                return
            # Those that were asked already have failed, but their own fallbacks may pass.
            if all(tried.contestant.model_id != name for tried in self.tries):
                yield contestant
            name = contestant.manifest.routing.fallback
