"""One model that answers one request: what it is asked, its reply or failure, the verdict, cost and reward."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol, runtime_checkable

from ...answers.structured import prompt_suffix
from ...answers.structured.schema.budget import time_limit
from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import write_object
from ...core.replies.messages import Message, Messages, ModelError, Reply, as_messages
from ...models.prompts.tokens import TokenCounter
from ...models.protocol import Model
from ..errors import RoutingError
from ..files import read_json_below
from ..manifests.manifest import Manifest, load_verifier
from ..metrics.metrics import Metric, MixedMetric
from ..metrics.selection import Candidate
from ..timely import finish_in_time
from ..verifiers import Check, Surroundings, Verdict, make_check, verify
from ..verifiers.json_schema import JsonSchema

_BYTES = 4  # of a token, where a provider does not count
_MOST_TOKENS = 10**9


@dataclass(frozen=True)
class Contestant:
    """A model that may answer: its manifest, how it is asked, and what the registry says of it."""

    manifest: Manifest
    model: Model
    state: str = "experimental"

    @property
    def model_id(self) -> str:
        """The id in its manifest."""
        return self.manifest.model_id

    @property
    def stable(self) -> bool:
        """Whether the registry calls it stable."""
        return self.state == "stable"


@runtime_checkable
class Judging(Protocol):
    """Judges replies: by the verifier of a manifest (`Judge`), or in a caller's way (`Flow(judge=…)`)."""

    def judge(self, reply: Reply) -> Verdict:
        """Return the verdict about a reply; never raise for what a model says."""


@dataclass(frozen=True)
class Judge:
    """How replies are judged: by a check and a condition, with what it may use."""

    check: Check
    condition: str
    surroundings: Surroundings

    @classmethod
    def of(cls, manifest: Manifest, run_code: bool, checkout: str = "", needs: tuple[str, ...] = ()) -> Judge:
        """Return the judge that a manifest names; `checkout` and `needs` are those of `Surroundings`."""
        chosen, schema_ref = manifest.verifier, manifest.io_contract.output.schema_ref
        around = Surroundings(manifest.folder, schema_ref, run_code, checkout=checkout, needs=needs)
        return cls(make_check(chosen.type, chosen.config, "verifier.config"), chosen.pass_condition, around)

    @classmethod
    def load(cls, path: str, run_code: bool) -> Judge:
        """Return the judge that a caller's file names: the keys of `verifier` in a manifest.

        Raises:
            ManifestError: The file is wrong.
        """
        chosen = load_verifier(path)
        around = Surroundings(str(Path(path).parent), run_code=run_code)
        check = make_check(chosen.type, chosen.config, "config")
        return cls(check, chosen.pass_condition, around)

    @property
    def standard(self) -> tuple[Check, str] | None:
        """What is equal of two judges that judge every reply alike; None if every reply fails, without its schema."""
        check = self.check
        if isinstance(check, JsonSchema):
            try:
                check = replace(check, schema=check.find_schema(self.surroundings), schema_ref=None)
            except SymOpsError:
                return None
        return check, self.condition

    def judge(self, reply: Reply) -> Verdict:
        """Return what comes of a reply; a check that cannot be made, or not in time, is a failure that says so."""
        try:
            if self.check.runs_code:  # its programs end in time, and its own work is short
                return verify(self.check, self.condition, reply, self.surroundings)
            return finish_in_time(lambda: verify(self.check, self.condition, reply, self.surroundings))
        except RoutingError as error:
            return Verdict(False, told=str(error))


@dataclass(frozen=True)
class Overruling:
    """Judges in the caller's way, and keeps the verdict of the manifest's own verifier as the fact `own_passed`.

    A verifier that runs programs is not asked for a fact alone.
    """

    callers: Judging
    own: Judge

    def judge(self, reply: Reply) -> Verdict:
        """Return the caller's verdict."""
        verdict = self.callers.judge(reply)
        if self.own.check.runs_code:
            return verdict
        return replace(verdict, facts={**verdict.facts, "own_passed": self.own.judge(reply).passed})


@dataclass(frozen=True, slots=True)
class Try:
    """What came of asking one model; `reply` is None if none came, and `error` says why then."""

    contestant: Contestant
    verdict: Verdict
    reply: Reply | None = None
    error: str = ""
    seconds: float = 0.0
    tokens: int = 0
    tokens_estimated: bool = False
    cost: float = 0.0
    reward: float = 0.0
    q1: float | None = None
    role: str = "candidate"

    @property
    def output(self) -> str:
        """What the model said."""
        return self.reply.text if self.reply is not None else ""

    @property
    def told(self) -> str:
        """Why it failed, in a few words; empty for a pass."""
        return self.error or self.verdict.told

    @property
    def candidate(self) -> Candidate:
        """Its numbers, by which a winner is chosen."""
        each = self.contestant
        return Candidate(each.model_id, self.verdict.passed, self.reward, self.cost, each.stable)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object, without the output."""
        manifest = self.contestant.manifest
        head = {"model_id": manifest.model_id, "version": manifest.version, "state": self.contestant.state}
        names = ("role", "error", "seconds", "tokens", "tokens_estimated", "cost", "reward", "q1", "verdict")
        return {**head, **write_object(self, *names)}


def messages_for(manifest: Manifest, prompt: Messages, context: str = "") -> tuple[Message, ...]:
    """Return the messages to a model: the prompt in the format that its contract requires.

    "prompt+schema" adds the schema of the output, "prompt+symops" teaches the dialect that the verifier reads; any
    other word is the prompt alone. `context` comes before the prompt. A conversation is sent as it is.
    """
    if not isinstance(prompt, str):
        return as_messages(prompt)
    if context:
        prompt = f"{context}\n\n{prompt}"
    wanted = manifest.io_contract.input.required_format.split("+")
    if "symops" in wanted:
        from ...models.prompts import PromptBuilder

        dialect = str(manifest.verifier.config.get("format", "v2"))
        return tuple(PromptBuilder(dialect).messages(prompt))
    if "schema" in wanted:
        schema = manifest.verifier.config.get("schema") or read_json_below(
            manifest.folder, str(manifest.verifier.config.get("schema_ref") or manifest.io_contract.output.schema_ref)
        )
        prompt += prompt_suffix(schema)
    return (Message("user", prompt),)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has, where nobody counts: one for four bytes."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES)


def run_all(
    contestants: Sequence[Contestant],
    prompt: Messages,
    judges: Mapping[str, Judging],
    metric: Metric | MixedMetric,
    seconds: float,
    counter: TokenCounter | None = None,
) -> list[Try]:
    """Ask all contestants at once, and judge their replies one after another.

    Args:
        contestants: The models.
        prompt: The prompt, or a conversation that all of them are sent as it is.
        judges: Who judges the reply of each, by its id.
        metric: The metric of the rewards.
        seconds: The time limit of all replies, and then of all verdicts, each together.
        counter: Counts the tokens of a reply if its provider does not. None: one for four bytes.

    Returns:
        The tries, in the order of the contestants. A model that is not done in time has failed.
    """
    arrived: SimpleQueue[tuple[int, Reply | SymOpsError, float]] = SimpleQueue()
    begin = time.monotonic()
    for number, contestant in enumerate(contestants):
        Thread(target=_ask, args=(number, contestant, prompt, arrived), daemon=True).start()
    answers: dict[int, tuple[Reply | SymOpsError, float]] = {}
    while len(answers) < len(contestants):
        try:
            number, answer, took = arrived.get(timeout=max(0.0, begin + seconds - time.monotonic()))
        except Empty:
            break
        answers[number] = (answer, took)
    late = ModelError(f"it was not done after {seconds:g} s"), seconds
    count = counter.count if counter is not None else estimate_tokens
    with time_limit(seconds):
        return [
            score(_read(contestant, *answers.get(number, late), judges[contestant.model_id], count), metric)
            for number, contestant in enumerate(contestants)
        ]


def _ask(number: int, contestant: Contestant, prompt: Messages, arrived: SimpleQueue[Any]) -> None:
    begin = time.monotonic()
    answer: Reply | SymOpsError
    try:
        answer = contestant.model.generate(messages_for(contestant.manifest, prompt))
    except SymOpsError as error:
        answer = error
    except Exception as error:  # noqa: BLE001  (whatever a model of a program raises: the others go on)
        answer = ModelError(f"{type(error).__name__}: {error}")
    arrived.put((number, answer, time.monotonic() - begin))


def _read(
    contestant: Contestant, answer: Reply | SymOpsError, seconds: float, judge: Judging, count: Callable[[str], int]
) -> Try:
    if not isinstance(answer, Reply):
        partial = getattr(answer, "partial", None)
        tokens = count(partial.text) if partial is not None else 0
        return Try(contestant, Verdict(False), None, str(answer), seconds, tokens, bool(tokens))
    counted = answer.usage.output_tokens if answer.usage is not None else None
    believed = counted is not None and 0 < counted <= _MOST_TOKENS  # else nobody has counted
    tokens = counted if counted is not None and believed else count(answer.text)
    return Try(contestant, judge.judge(answer), answer, "", seconds, tokens, not believed)


def score(tried: Try, metric: Metric | MixedMetric) -> Try:
    """Return a try with its cost and reward by a metric."""
    cost = metric.cost(tried.seconds, tried.tokens)
    return rescore(replace(tried, cost=cost), tried.verdict.q1, metric)


def rescore(tried: Try, q1: float | None, metric: Metric | MixedMetric) -> Try:
    """Return a try with another q1, and the reward that follows."""
    verdict = tried.verdict
    return replace(tried, q1=q1, reward=metric.reward(verdict.q0, q1, tried.cost, verdict.refusal_penalty))
