"""Models of plans and outcomes."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field

from ...acting.changes import Decision, Operation, Plan
from ...acting.execution import Outcome, Status
from .reading import ActionModel, DiagnosticModel, Model, SpanModel

# Actions, lines and places are counted from 1.
_Number = Annotated[int, Field(ge=1)]


class BytesModel(Model):
    """The bytes of a file that is not UTF-8 text."""

    # The size is for readers; only `base64` is read again.
    bytes: int = Field(ge=1)
    base64: Annotated[str, Field(min_length=4, json_schema_extra={"contentEncoding": "base64"})]


class ChangeModel(Model):
    """A planned change to one file, or a command."""

    number: _Number
    operation: Operation
    path: str
    needs: tuple[_Number, ...] = ()
    decision: Decision = Decision.AUTO
    reasons: tuple[str, ...] = ()
    mode: int | None = Field(default=None, ge=0, le=0o7777)
    reading: str = ""
    places: tuple[_Number, ...] = ()
    together: tuple[_Number, ...] = ()
    # None is a file that does not exist, and an empty text one that is empty.
    before: str | BytesModel | None = None
    after: str | BytesModel | None = None
    span: SpanModel
    action: ActionModel


class PlanModel(Model):
    """The changes that a document makes, and what must be solved before they are carried out."""

    # Written for readers: a plan computes it from its conflicts and decisions.
    possible: bool
    changes: tuple[ChangeModel, ...]
    conflicts: tuple[DiagnosticModel, ...] = ()
    notes: tuple[DiagnosticModel, ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return the model of a plan."""
        return cls.model_validate(plan.to_dict())

    def to_plan(self) -> Plan:
        """Return the plan."""
        # By JSON, which the dataclasses check again: a model may have been made by hand.
        return Plan.from_dict(self.model_dump(mode="json"))


class CommandResultModel(Model):
    """The result of one command."""

    line: str
    arguments: tuple[str, ...]
    # Negative for the signal that ended it; None for a command that never ran.
    code: int | None
    output: str = ""
    omitted: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    timed_out: bool = False
    cancelled: bool = False
    error: str = ""
    withheld: tuple[str, ...] = ()
    made: tuple[str, ...] = ()


class DoneModel(Model):
    """The result of one change: a step of an outcome."""

    # These three are those of the change, so that a list of steps can be read alone.
    number: _Number
    operation: Operation
    path: str
    status: Status
    reason: str = ""
    command: CommandResultModel | None = None
    change: ChangeModel


class UndoneModel(Model):
    """The files and folders that were restored."""

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False


class OutcomeModel(Model):
    """The result of a plan."""

    # Written for readers: an outcome computes it from its steps.
    done: bool
    steps: tuple[DoneModel, ...]
    # Set if an earlier apply had been interrupted, and was taken back first.
    recovered: UndoneModel | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        """Return the model of an outcome."""
        return cls.model_validate(outcome.to_dict())

    def to_outcome(self) -> Outcome:
        """Return the outcome."""
        return Outcome.from_dict(self.model_dump(mode="json"))
