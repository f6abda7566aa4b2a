"""The things that all steps of a run share: the log, the session, the models with their ledger."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event as Signal
from typing import Any

from ..acting.changes import Change
from ..code_intelligence import Session, Workspace
from ..core.ground.errors import SymOpsError
from ..models import Ledger, Meter, Model, Usage
from ..models.prompts.tokens import TokenCounter, load_counter
from ..routing import Contestant, Manifest
from ..routing.contests.contest import Judging
from ..routing.manifests.manifest import (
    UNSURE,
    Artifacts,
    BaseModel,
    InputContract,
    IoContract,
    OutputContract,
    Routing,
    Scope,
    VerifierChoice,
    Weights,
)
from .events import Event, Kind
from .run_log import RunLog
from .runs import Run, Status
from .task import Task

# The outcome of a session, by the end of its run; all others are "partial".
_OUTCOMES = {Status.COMPLETE: "success", Status.ABORT: "failure", Status.ROUNDS: "failure"}
_MAX_NOTE = 500  # characters of a reason that the session keeps


class Stop(Exception):
    """The run ends.

    Attributes:
        status: How.
        reason: Why.
        data: Further members of the event END.
    """

    def __init__(self, status: Status, reason: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.data = status, reason, dict(data or {})


class Work:
    """A run while a process works on it.

    Attributes:
        task: The task.
        round: The number of the current round.
        ledger: Counts the calls and tokens of all models of this process.
        counter: Counts the tokens of texts.
        contestants: The models that compete, metered.
        decomposer: Reads slots, or None.
        explorer: Explores, or None.
        judge: Decides between rules, or None.
        confirm: Asks a person, or None.
        cancel: Is set to end the run.
    """

    def __init__(
        self,
        log: RunLog,
        contestants: Sequence[Contestant | tuple[str, Model]],
        decomposer: Model | None,
        explorer: Model | None,
        judge: Model | None,
        confirm: Callable[[Change], bool] | None,
        cancel: Signal | None,
        verifier: Judging | None,
    ) -> None:
        self.counter: TokenCounter = load_counter()
        self.ledger = Ledger(count=self.counter.count)
        self.contestants = [meter_contestant(pair, self.ledger) for pair in contestants]
        self.decomposer, self.explorer, self.judge = map(self._meter, (decomposer, explorer, judge))
        self.confirm, self.cancel = confirm, cancel
        # 0 until the first round begins: the task and the session are of no round.
        self.round = 0
        self._log, self._verifier = log, verifier
        self._begin = time.monotonic()
        self._spent: tuple[int, Mapping[str, Usage]] = (0, {})
        self._session: Session | None = None

    @property
    def run(self) -> Run:
        """The run as its events say now."""
        return Run(self._log.events, self._verifier)

    @property
    def folder(self) -> Path:
        """The folder of runs."""
        return self._log.path.parent

    @property
    def opened(self) -> frozenset[str]:
        """The files that a prompt of this run has shown, and those that it has written itself."""
        paths: set[str] = set()
        for event in self.run.all(Kind.PROMPT):
            # Not those of EXPLORED: a small budget leaves some of them out.
            paths.update(part["path"] for part in event.data["shown"])
        for event in self.run.all(Kind.APPLIED):
            paths.update(event.data["files"])
        return frozenset(paths)

    @property
    def session(self) -> Session:
        """The session of code intelligence, which began in this process or in one before."""
        if self._session is None:
            self._session = self.workspace.session(self.run.session_id)
        return self._session

    def open(self, task: Task) -> None:
        """Take a task, which is right, and the folder that it names.

        Args:
            task: The task.

        Raises:
            SymOpsError: There is no such folder, or a package that a search needs is missing.
        """
        self.task = task
        self.ledger.calls, self.ledger.tokens = task.limits.calls, task.limits.tokens
        # Slots of a client count; a model is asked for them only where there are none.
        model = self.decomposer if task.frame is None else None
        self.workspace = Workspace(task.root, model, level=task.level)
        # Opened here: later, each search would fail, and the request would seem to name no file.
        _ = self.workspace.index

    def begin_session(self) -> Session:
        """Return a new session about the request."""
        session = self.workspace.start_session(self.task.request, self.task.intent)
        if not session.state.intent.writes and self.task.intent is None:
            # A request that sounds like a question: this run is for a change, so it means one.
            session = self.workspace.start_session(self.task.request, "MODIFY")
        self._session = session
        return session

    def note(self, kind: Kind, data: Mapping[str, Any]) -> Event:
        """Write an event, with what its step has cost.

        Args:
            kind: What happened.
            data: The members of the event.
        """
        seconds = round(self._log.lap(), 3)
        calls, usage = self.ledger.begun, self.ledger.read()
        calls_before, usage_before = self._spent
        by_model = {}
        for name, total in usage.items():
            before = usage_before.get(name, Usage(0, 0))
            tokens_in = (total.input_tokens or 0) - (before.input_tokens or 0)
            tokens_out = (total.output_tokens or 0) - (before.output_tokens or 0)
            if tokens_in or tokens_out:
                by_model[name] = Usage(tokens_in, tokens_out).to_dict()
        self._spent = (calls, usage)
        # Costs since the event before, so that their sum is that of the run, over all processes.
        cost: dict[str, Any] = {"seconds": seconds}
        if calls > calls_before or by_model:
            cost |= {
                "calls": calls - calls_before,
                "by_model": by_model,
                "estimated": self.ledger.estimated,
            }
        return self._log.append(kind, self.round, {**data, "cost": cost})

    def expect_time(self) -> None:
        """Check that the run may continue.

        Raises:
            Stop: It was cancelled, or its time is over.
        """
        if self.cancel is not None and self.cancel.is_set():
            raise Stop(Status.CANCELLED, "cancelled; what has its event is kept")
        if self.seconds_left <= 0:
            limit = self.task.limits.seconds
            noun = "second" if limit == 1 else "seconds"
            raise Stop(Status.BUDGET, f"the limit of {limit:,g} {noun} is reached")

    def expect_budget(self) -> None:
        """Check that a model may be asked; other steps cost no tokens, and need no budget.

        Raises:
            Stop: The limit of calls or of tokens is reached.
        """
        if self.ledger.excess:
            raise Stop(Status.BUDGET, self.ledger.excess)

    @property
    def seconds_left(self) -> float:
        """The seconds that this process may still use."""
        return self.task.limits.seconds - (time.monotonic() - self._begin)

    def end(self, status: Status, reason: str, data: Mapping[str, Any] | None = None) -> None:
        """Write the end of the run, and the outcome of its session.

        Args:
            status: How it ended.
            reason: Why.
            data: Further members of the event.
        """
        if self.run.session_id:
            note = f"{status}: {reason}"[:_MAX_NOTE]
            outcome = _OUTCOMES.get(status, "partial")
            ids = {"run_id": f"{self.run.id}.{self.round}", "model_id": self.run.winner}
            try:
                self.session.record_outcome(outcome, note=note, **ids)
            except (SymOpsError, OSError) as error:
                reason = f"{reason} (its session could not note that: {error})"
        self.note(Kind.END, {**(data or {}), "status": str(status), "why": reason})

    def _meter(self, model: Model | None) -> Model | None:
        return Meter(model, self.ledger) if model is not None else None


def meter_contestant(contestant: Contestant | tuple[str, Model], ledger: Ledger) -> Contestant:
    """Return a contestant whose calls and tokens are counted.

    Args:
        contestant: A contestant of routing, or a pair of a name and a model without a manifest.
        ledger: What counts them.
    """
    if isinstance(contestant, Contestant):
        return replace(contestant, model=Meter(contestant.model, ledger, contestant.model_id))
    name, model = contestant
    return Contestant(make_manifest(name), Meter(model, ledger, name))


def make_manifest(name: str) -> Manifest:
    """Return a manifest for a model that has none: it takes any request.

    Args:
        name: The name of the model.
    """
    nothing = Weights("", "")
    contract = IoContract(InputContract(10**9, "prompt"), OutputContract("symops", ""))
    return Manifest(
        name,
        "0",
        BaseModel(name, "0", ""),
        Artifacts(nothing),
        "",
        Scope((), ()),
        contract,
        VerifierChoice("symops", "valid == true and actions > 0"),
        Routing((), 0.0, UNSURE),
    )
