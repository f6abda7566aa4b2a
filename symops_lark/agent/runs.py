"""A run as its events say: the status, the plan, the outcome, the judgment, the cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from ..acting.changes import Plan
from ..acting.execution import Outcome
from ..answers.judgment import Judgment
from ..core.ground.json_objects import write_object
from ..core.ground.members import as_member
from ..core.ground.numbers import counted, grouped
from ..models import Usage
from ..routing.contests.contest import Judging
from .events import Event, Kind
from .task import Task
from .telling import tell_event


class Status(StrEnum):
    """How a run ended, or that it has not."""

    RUNNING = "RUNNING"
    PLANNED = "PLANNED"  # a dry run: nothing was written
    COMPLETE = "COMPLETE"  # a rule says so
    APPLIED = "APPLIED"  # written, and not tested
    ABORT = "ABORT"  # a rule says so
    NEEDS_USER = "NEEDS_USER"  # the request leaves questions
    UNSURE = "UNSURE"  # no candidate passed
    REFUSED = "REFUSED"  # the gate, the policy or the files refuse the plan
    DECLINED = "DECLINED"  # a person did not agree
    ROUNDS = "ROUNDS"  # all rounds are spent
    UNJUDGED = "UNJUDGED"  # no rule was found
    CONFLICT = "CONFLICT"  # files are neither as before nor as planned, or undone since
    BUDGET = "BUDGET"  # a limit was reached
    CANCELLED = "CANCELLED"
    FAILED = "FAILED"  # something of the machine: a full disk, a lock


GOOD = (Status.COMPLETE, Status.APPLIED, Status.PLANNED)
# What another process may continue from: the step that comes next has no event yet.
OPEN = (
    Status.DECLINED,
    Status.BUDGET,
    Status.CANCELLED,
    Status.UNJUDGED,
    Status.CONFLICT,
    Status.FAILED,
)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a run.

    Attributes:
        seconds: Seconds of work, of all processes.
        calls: Calls to models.
        input_tokens: Tokens that models read.
        output_tokens: Tokens that models wrote.
        estimated: Whether a part of them was counted here, not by the provider.
        by_model: The tokens by model.
    """

    seconds: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    by_model: Mapping[str, Usage] = field(default_factory=dict)

    def describe(self) -> str:
        """Return the cost in one line."""
        about = "about " if self.estimated else ""
        models = counted(len(self.by_model), "model")
        size = counted(self.input_tokens, "token")
        answered = grouped(self.output_tokens)
        return f"{models} asked, {about}{size} in, {answered} out, {self.seconds:.0f} s"

    def to_dict(self) -> dict[str, Any]:
        """Return the cost as a JSON object."""
        return write_object(self)


@dataclass(frozen=True)
class Run:
    """What a log says of a run.

    Attributes:
        events: The events, in order; all else follows from them.
        verifier: The verifier of the task, which is an object of the caller: no log has it.
    """

    events: tuple[Event, ...]
    verifier: Judging | None = None

    @property
    def id(self) -> str:
        """The id, 32 hexadecimal digits."""
        return self.events[0].run_id

    @property
    def request(self) -> str:
        """The request, which is there also where this version refuses the rest of the task."""
        return str(self.events[0].data["task"]["request"])

    @cached_property
    def task(self) -> Task:
        """The task, with what a resume has changed of it."""
        first = self.events[0].data
        # Not the root of the task as it was given: that may depend on the current folder.
        changes: dict[str, Any] = {"root": first["root"]}
        # What a resume changed: `write` for a dry run.
        for event in self.all(Kind.RESUMED):
            changes |= event.data.get("task", {})
        return Task.from_dict({**first["task"], **changes}, self.verifier)

    @property
    def status(self) -> Status:
        """How it ended; RUNNING if it has not, or is continued."""
        end = self._end()
        return Status(end.data["status"]) if end is not None else Status.RUNNING

    @property
    def why(self) -> str:
        """The reason of the end; empty while it runs."""
        end = self._end()
        return str(end.data["why"]) if end is not None else ""

    @property
    def ok(self) -> bool:
        """Whether the end is a good one: COMPLETE, APPLIED or PLANNED."""
        return self.status in GOOD

    @property
    def round(self) -> int:
        """The number of the last round; 0 before the first one."""
        return max((event.round for event in self.events), default=0)

    @property
    def session_id(self) -> str:
        """The session of code intelligence; empty before it began."""
        session = self.last(Kind.SESSION)
        return str(session.data["session_id"]) if session is not None else ""

    @property
    def winner(self) -> str | None:
        """The model that won the last contest. None: none did."""
        event = self.last(Kind.WINNER)
        return str(event.data["model_id"]) if event is not None else None

    @property
    def plan(self) -> Plan | None:
        """The last plan. None: there is none."""
        event = self.last(Kind.PLAN)
        return Plan.from_dict(event.data["plan"]) if event is not None else None

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the last apply. None: nothing was applied, or the apply was recovered."""
        event = self.last(Kind.APPLIED)
        members = event.data.get("outcome") if event is not None else None
        return Outcome.from_dict(members) if members else None

    @property
    def judgment(self) -> Judgment | None:
        """The last judgment. None: there is none."""
        event = self.last(Kind.JUDGMENT)
        members = event.data.get("judgment") if event is not None else None
        return Judgment.from_dict(members) if members else None

    @property
    def cost(self) -> Cost:
        """The sum of the costs of all steps."""
        by_model: dict[str, Usage] = {}
        seconds, calls, estimated = 0.0, 0, False
        for event in self.events:
            spent = event.data.get("cost", {})
            seconds += spent.get("seconds", 0.0)
            calls += spent.get("calls", 0)
            estimated = estimated or spent.get("estimated", False)
            for name, usage in spent.get("by_model", {}).items():
                by_model[name] = by_model.get(name, Usage(0, 0)) + Usage.from_dict(usage)
        input_tokens = sum(usage.input_tokens or 0 for usage in by_model.values())
        output_tokens = sum(usage.output_tokens or 0 for usage in by_model.values())
        return Cost(round(seconds, 3), calls, input_tokens, output_tokens, estimated, by_model)

    def all(self, kind: Kind, round: int | None = None) -> Iterator[Event]:
        """Yield the events of a kind, of one round or of all."""
        kind = as_member(Kind, kind, "kind")
        for event in self.events:
            if event.kind is kind and round in (None, event.round):
                yield event

    def last(self, kind: Kind, round: int | None = None) -> Event | None:
        """Return the last event of a kind, of one round or of all. None: there is none."""
        events = list(self.all(kind, round))
        return events[-1] if events else None

    def story(self) -> Iterator[str]:
        """Yield the story of the run, a line at a time; the first one has the reason of its end."""
        reason = self.why or "no reason is given"
        if self.status is Status.RUNNING:
            reason = f"its last event is {self.events[-1].kind}"
        yield f"{self.status}: {reason}"
        yield f"run {self.id}"
        yield f"request: {' '.join(self.request.split())}"
        for event in self.events:
            yield from tell_event(event)
        yield self.cost.describe()

    def to_dict(self) -> dict[str, Any]:
        """Return the run as a JSON object."""
        names = (
            "id",
            "status",
            "why",
            "round",
            "session_id",
            "winner",
            "plan",
            "outcome",
            "judgment",
            "cost",
        )
        members = write_object(self, *names)
        return members | {
            "task": self.task.to_dict(),
            "events": [event.to_dict() for event in self.events],
        }

    def _end(self) -> Event | None:
        # An END that is not last was followed by RESUMED.
        last = self.events[-1]
        return last if last.kind is Kind.END else None
