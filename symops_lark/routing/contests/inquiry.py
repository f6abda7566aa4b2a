"""Ask models for one request, and record each step: its event, its tries, and the counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...core.replies.messages import Messages, as_messages
from ...models.prompts.tokens import TokenCounter
from ..events import Event, InferResult, ModelAddRequest, hash_text
from ..logs.rows import FALLBACK
from ..manifests.manifest import UNSURE, Manifest
from .candidates import STATES, Skipped
from .contest import Contestant, Judge, Judging, Overruling, Try, run_all

if TYPE_CHECKING:
    from .flow import Flow

# Threads share the counts of a flow: a server answers each request in another thread. Not a member
# of the flow, which has copies with the same counts, and is sent to other processes.
_COUNTING = Lock()


def join_messages(messages: Messages) -> str:
    """Return the text of a conversation whose tokens are counted, and which is hashed."""
    if isinstance(messages, str):
        return messages
    return "\n\n".join(message.content for message in as_messages(messages))


class Inquiry:
    """One request, and what was done for it so far.

    Attributes:
        flow: The settings.
        prompt: The request.
        prompt_hash: Its hash.
        tags: Its topics.
        task: The task that it is. None: it is not known.
        run_id: The id of the run.
        counter: Counts tokens. None: they are estimated.
        events: The events, in their order.
        tries: The replies and their verdicts, in the order in which the models were asked.
        skipped: The models that are not asked.
    """

    def __init__(
        self,
        flow: Flow,
        prompt: Messages,
        tags: Sequence[str],
        task: str | None,
        run_id: str,
        counter: TokenCounter | None,
    ) -> None:
        self.flow = flow
        self.prompt = prompt
        self.prompt_hash = hash_text(join_messages(prompt))
        self.tags = tuple(tags)
        self.task = task
        self.run_id = run_id
        self.counter = counter
        self.events: list[Event] = []
        self.tries: list[Try] = []
        self.skipped: list[Skipped] = []

    def record(self, kind: Callable[..., Event], *members: Any) -> None:
        """Record an event of this run."""
        event = kind(*members, run_id=self.run_id)
        self.events.append(event)
        self.flow.watch(event)

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

    def find_difference(self, candidates: Sequence[Contestant]) -> str:
        """Return why the verdicts about candidates cannot be compared; empty if they can."""
        if self.flow.own_verifiers or self.flow.judge is not None:
            return ""
        first = ""
        first_standard = None
        for contestant in candidates:
            name = contestant.model_id
            standard = self._own_judge(contestant.manifest).standard
            # Every reply of such a model fails, so it cannot win by an easy verifier.
            if standard is None:
                continue
            if first_standard is None:
                first = name
                first_standard = standard
            elif standard != first_standard:
                return (
                    f"{first} and {name} have different verifiers, and no model was asked: judge "
                    "all by one (--verifier), or let each have its own (--own-verifiers)"
                )
        return ""

    def ask(self, contestants: Sequence[Contestant], role: str = "candidate") -> None:
        """Ask models at the same time, and add their tries.

        Args:
            contestants: The models.
            role: The role of their tries.
        """
        flow = self.flow
        # One for each model, since verifiers of manifests read files of the manifest's folder.
        judges = {}
        for contestant in contestants:
            judges[contestant.model_id] = self._choose_judge(contestant.manifest)
        tries = run_all(contestants, self.prompt, judges, flow.metric, flow.seconds, self.counter)
        # A fallback does not compete, so its place among the candidates does not change.
        if role != FALLBACK:
            _count(flow, tries)
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
        contestants = {contestant.model_id: contestant for contestant in self.flow.contestants}
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

    def _choose_judge(self, manifest: Manifest) -> Judging:
        own = self._own_judge(manifest)
        callers = self.flow.judge
        if callers is None:
            return own
        # A function that chooses a judge for each manifest.
        if not isinstance(callers, Judging):
            callers = callers(manifest)
        return Overruling(callers, own)

    def _own_judge(self, manifest: Manifest) -> Judge:
        flow = self.flow
        return Judge.of(manifest, flow.run_code, flow.checkout, flow.needs)


def mean_cost(flow: Flow, model_id: str) -> float:
    """Return the mean cost of a reply of a model; infinity if no cost is known."""
    with _COUNTING:
        count = flow.asked[model_id]
        # Such a model comes last in a cascade; whole contests make its cost known.
        if not count:
            return math.inf
        return flow.spent.get(model_id, 0.0) / count


def _count(flow: Flow, tries: Sequence[Try]) -> None:
    # Both numbers at once: a call without its cost would make a model look cheap.
    with _COUNTING:
        for tried in tries:
            name = tried.contestant.model_id
            flow.asked[name] += 1
            flow.spent[name] = flow.spent.get(name, 0.0) + tried.cost
