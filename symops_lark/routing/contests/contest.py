"""Ask models for one request at the same time, and judge their replies.

Each model gives a `Try`: its reply or failure, the verdict, the cost and the reward.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import TIMEOUT_MAX, Thread
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

_TOKEN_BYTES = 4  # the mean length of a token, where a provider counts none
_MAX_TOKENS = 10**9  # of a reply: a greater count is a mistake of the provider


@dataclass(frozen=True)
class Contestant:
    """A model that may answer requests.

    Attributes:
        manifest: Its manifest.
        model: The model.
        state: Its state in the registry.
    """

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
    """A judge of replies: a `Judge`, or one of the caller (`Flow(judge=…)`)."""

    def judge(self, reply: Reply) -> Verdict:
        """Return the verdict about a reply; never raise because of the reply."""


@dataclass(frozen=True)
class Judge:
    """A verifier as the judge of replies.

    Attributes:
        check: The verifier with its settings.
        condition: The condition over its facts.
        surroundings: What the verifier may use besides the reply.
    """

    check: Check
    condition: str
    surroundings: Surroundings

    @classmethod
    def of(
        cls, manifest: Manifest, run_code: bool, checkout: str = "", needs: tuple[str, ...] = ()
    ) -> Judge:
        """Return the judge that a manifest names.

        Args:
            manifest: The manifest.
            run_code: Whether programs of replies may be run.
            checkout: A folder that verifiers may copy; empty: there is none.
            needs: The ignored folders in it that programs need.
        """
        verifier = manifest.verifier
        schema = manifest.io_contract.output.schema_ref
        around = Surroundings(manifest.folder, schema, run_code, checkout=checkout, needs=needs)
        check = make_check(verifier.type, verifier.config, "verifier.config")
        return cls(check, verifier.pass_condition, around)

    @classmethod
    def load(cls, path: str, run_code: bool) -> Judge:
        """Return the judge that a caller's file names: the keys of `verifier` in a manifest.

        Raises:
            ManifestError: The file is wrong.
        """
        verifier = load_verifier(path)
        # The paths in it are below its folder, as in a manifest.
        around = Surroundings(str(Path(path).parent), run_code=run_code)
        check = make_check(verifier.type, verifier.config, "config")
        return cls(check, verifier.pass_condition, around)

    @property
    def standard(self) -> tuple[Check, str] | None:
        """A value that is equal for judges with the same verdict about every reply.

        It is None if every reply fails, because the schema is missing.
        """
        check = self.check
        # Two files may have the same schema, so their contents are compared.
        if isinstance(check, JsonSchema):
            try:
                check = replace(check, schema=check.find_schema(self.surroundings), schema_ref=None)
            except SymOpsError:
                return None
        return check, self.condition

    def judge(self, reply: Reply) -> Verdict:
        """Return the verdict about a reply.

        It is a failure with the reason if the check is impossible, or does not end in time.
        """

        def work() -> Verdict:
            return verify(self.check, self.condition, reply, self.surroundings)

        try:
            # Programs have their own time limit, and could not be ended from here.
            return work() if self.check.runs_code else finish_in_time(work)
        except RoutingError as error:
            return Verdict(False, told=str(error))


def find_difference(judges: Mapping[str, Judge]) -> str:
    """Return why verdicts cannot be compared; empty if they can.

    Args:
        judges: The judges by the ids of their models.
    """
    standards = {name: judge.standard for name, judge in judges.items()}
    first = ""
    for name, standard in standards.items():
        # Every reply of such a model fails, so it cannot win by an easy verifier.
        if standard is None:
            continue
        first = first or name
        if standard != standards[first]:
            return (
                f"{first} and {name} have different verifiers, and no model was asked: judge all "
                "by one (--verifier), or let each have its own (--own-verifiers)"
            )
    return ""


@dataclass(frozen=True)
class Overruling:
    """The caller's judge, who overrules the verifier of a manifest.

    The verdict of the manifest's verifier is kept as the fact `own_passed`, unless this verifier
    runs programs.

    Attributes:
        callers: The caller's judge.
        own: The judge that the manifest names.
    """

    callers: Judging
    own: Judge

    def judge(self, reply: Reply) -> Verdict:
        """Return the caller's verdict."""
        verdict = self.callers.judge(reply)
        # Programs are not run for a fact alone.
        if self.own.check.runs_code:
            return verdict
        facts = {**verdict.facts, "own_passed": self.own.judge(reply).passed}
        return replace(verdict, facts=facts)


@dataclass(frozen=True, slots=True)
class Try:
    """The result of asking one model.

    Attributes:
        contestant: The model.
        verdict: The verdict about its reply; a failure without one.
        reply: The reply. None: there is none.
        error: Why there is no reply; empty if there is one.
        seconds: The time until the reply.
        tokens: The length of the reply.
        tokens_estimated: Whether the provider did not count the tokens.
        cost: The normalized cost.
        reward: The reward.
        q1: The score that the reward is made of. None: without one.
        role: "candidate" or "fallback".
    """

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
        """The text of the reply."""
        return self.reply.text if self.reply is not None else ""

    @property
    def told(self) -> str:
        """Why it failed, in a few words; empty for a pass."""
        return self.error or self.verdict.told

    @property
    def candidate(self) -> Candidate:
        """The numbers by which a winner is selected."""
        contestant = self.contestant
        passed = self.verdict.passed
        return Candidate(contestant.model_id, passed, self.reward, self.cost, contestant.stable)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object, without the output."""
        manifest = self.contestant.manifest
        # In the order of the JSON object.
        names = (
            *("role", "error", "seconds", "tokens", "tokens_estimated"),
            *("cost", "reward", "q1", "verdict"),
        )
        return {
            "model_id": manifest.model_id,
            "version": manifest.version,
            "state": self.contestant.state,
            **write_object(self, *names),
        }


def messages_for(manifest: Manifest, prompt: Messages) -> tuple[Message, ...]:
    """Return the messages to a model: the prompt in the format that its contract requires.

    "prompt+schema" adds the schema of the output, "prompt+symops" teaches the dialect that the
    verifier reads; any other word is the prompt alone. A conversation is sent as it is.
    """
    if not isinstance(prompt, str):
        return as_messages(prompt)
    formats = manifest.io_contract.input.required_format.split("+")
    config = manifest.verifier.config
    if "symops" in formats:
        # Imported here: loading a grammar takes time, and most contracts need none.
        from ...models.prompts import PromptBuilder

        dialect = str(config.get("format", "v2"))
        return tuple(PromptBuilder(dialect).messages(prompt))
    if "schema" in formats:
        schema = config.get("schema")
        if not schema:
            file = config.get("schema_ref") or manifest.io_contract.output.schema_ref
            schema = read_json_below(manifest.folder, str(file))
        prompt += prompt_suffix(schema)
    return (Message("user", prompt),)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has, where no provider counts: one for four bytes."""
    # The one of `models.prompts` is an upper limit: costs would be too high.
    return math.ceil(len(text.encode("utf-8", "replace")) / _TOKEN_BYTES)


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
        judges: The judge of each reply, by the id of its model.
        metric: The metric of the rewards.
        seconds: The time limit of all replies, and then of all verdicts, each together.
        counter: Counts the tokens of a reply if its provider does not. None: one for four bytes.

    Returns:
        The tries, in the order of the contestants. A model that is not done in time has failed.
    """
    # Waiting for more, such as infinity, is an error of the operating system.
    seconds = min(seconds, TIMEOUT_MAX)
    arrived: SimpleQueue[tuple[int, Reply | SymOpsError, float]] = SimpleQueue()
    start = time.monotonic()
    for number, contestant in enumerate(contestants):
        # A daemon: a model that hangs does not keep the process running.
        Thread(target=_ask, args=(number, contestant, prompt, arrived), daemon=True).start()
    late = ModelError(f"it was not done after {seconds:g} s")
    answers: dict[int, tuple[Reply | SymOpsError, float]] = dict.fromkeys(
        range(len(contestants)), (late, seconds)
    )
    for _ in contestants:
        try:
            remaining = max(0.0, start + seconds - time.monotonic())
            number, answer, duration = arrived.get(timeout=remaining)
        except Empty:
            break
        answers[number] = (answer, duration)
    count = counter.count if counter is not None else estimate_tokens
    tries = []
    with time_limit(seconds):
        for number, contestant in enumerate(contestants):
            answer, duration = answers[number]
            judge = judges[contestant.model_id]
            tries.append(score(_read(contestant, answer, duration, judge, count), metric))
    return tries


def _ask(number: int, contestant: Contestant, prompt: Messages, arrived: SimpleQueue[Any]) -> None:
    # Measured here, so that the time in the queue does not count.
    start = time.monotonic()
    answer: Reply | SymOpsError
    try:
        answer = contestant.model.generate(messages_for(contestant.manifest, prompt))
    except SymOpsError as error:
        answer = error
    except Exception as error:  # noqa: BLE001  (of a program's model: the others continue)
        answer = ModelError(f"{type(error).__name__}: {error}")
    arrived.put((number, answer, time.monotonic() - start))


def _read(
    contestant: Contestant,
    answer: Reply | SymOpsError,
    seconds: float,
    judge: Judging,
    count: Callable[[str], int],
) -> Try:
    """Return the try of a model, without its cost and reward."""
    if not isinstance(answer, Reply):
        # What came before a failure costs, too.
        partial = getattr(answer, "partial", None)
        tokens = count(partial.text) if partial is not None else 0
        return Try(contestant, Verdict(False), None, str(answer), seconds, tokens, bool(tokens))
    tokens = 0
    if answer.usage is not None:
        tokens = answer.usage.output_tokens or 0
    # Some servers send 0, or a number that cannot be true.
    is_estimated = not 0 < tokens <= _MAX_TOKENS
    if is_estimated:
        tokens = count(answer.text)
    return Try(contestant, judge.judge(answer), answer, "", seconds, tokens, is_estimated)


def score(tried: Try, metric: Metric | MixedMetric) -> Try:
    """Return a try with its cost and reward by a metric."""
    cost = metric.cost(tried.seconds, tried.tokens)
    return rescore(replace(tried, cost=cost), tried.verdict.q1, metric)


def rescore(tried: Try, q1: float | None, metric: Metric | MixedMetric) -> Try:
    """Return a try with another q1, and the reward that follows.

    Args:
        tried: The try.
        q1: The score. None: without one.
        metric: The metric of the reward.
    """
    # The cost and the penalty stay: they do not depend on the score.
    verdict = tried.verdict
    reward = metric.reward(verdict.q0, q1, tried.cost, verdict.refusal_penalty)
    return replace(tried, q1=q1, reward=reward)
