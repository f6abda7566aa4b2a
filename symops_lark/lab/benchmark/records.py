"""The records of a run, one for each case. All reports are computed from them.

A record contains the reply itself, so that every figure can be checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...core.document import Document
from ...core.ground.json_objects import JsonObject, read_object
from ...core.ground.numbers import grouped
from ...core.text.diagnostics import Diagnostic
from .fidelity import State

# In the order in which they run.
PHASES = ("strict", "repaired", "recovered", "corrected")
ASKING = PHASES[-1]  # the phase that asks a model again
SIMULATED = "simulated"  # the kind of replies that no model wrote
RESTS = "rests on"  # detail of a simulated provenance: how many rates of its profile are assumed
# Names of phases, states and fields in older logs, with the present names.
_FORMER_PHASES = dict(zip(("generation", "repair", "recovery", "correction"), PHASES, strict=True))
_FORMER_STATES = {
    "exact": "right",
    "rejected": "no-answer",
    "wrong-accepted": "wrong-without-alarm",
}
_MAX_NUMBER = 10**12  # of anything: greater numbers are mistakes, and their squares overflow
_STATES = frozenset(State)
_FORMER_FIELDS = {"exact": "right", "missing": "lost"}


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one phase for a reply; `seconds` is the time of this phase only."""

    phase: str
    document: Document | None
    valid: bool = False
    confidence: float | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """Whether there is a valid document."""
        return self.valid and self.document is not None


@dataclass(frozen=True, slots=True)
class Provenance(JsonObject):
    """Where replies come from. No table mixes two provenances.

    Attributes:
        kind: simulated, replayed or live.
        detail: The details, such as the profile with its hash and the seed, the hash of recorded
            data, or the provider, the model and the date.
    """

    kind: str
    detail: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(value for _, value in self.detail)})"


@dataclass(frozen=True, slots=True)
class Case:
    """One request: a task in a format, for the n-th time. Cases are paired by task and repetition.

    Attributes:
        format: The name of the format.
        task: The name of a task, or of a recorded reply.
        repetition: The number of the repetition, from 0.
        model: The model of a recorded reply; replies of each model are counted separately.
    """

    format: str
    task: str
    repetition: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """One action of the final document, for calibration.

    Attributes:
        confidence: Its confidence, from 0 to 1.
        flagged: Whether a warning or an error is about it.
        right: Whether it is as intended; None if that is unknown.
        complete: Whether it is marked as complete.
    """

    confidence: float
    flagged: bool
    right: bool | None
    complete: bool = True


@dataclass(frozen=True, slots=True)
class PhaseOutcome:
    """The result if the pipeline ended after this phase.

    The fields from `state` to `unsaid` are those of `Fidelity`. They are None if the intended
    actions are unknown.

    Attributes:
        phase: The name of the phase.
        accepted: Whether this phase or an earlier one gave a valid document.
        confidence: The confidence of the document.
        seconds: The time of this phase only; None if it had nothing to do.
    """

    phase: str
    accepted: bool
    state: str | None = None
    right: int | None = None
    changed: int | None = None
    contents: int | None = None
    lost: int | None = None
    invented: int | None = None
    silent: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    confidence: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Record(JsonObject):
    """One case with its reply and its results.

    Attributes:
        key: A hash of everything that the result depends on.
        request: A hash of everything that the reply depends on. New rules can judge old replies.
        case: The case.
        provenance: Where the reply comes from.
        fingerprint: The hash of the format.
        rules: The hash of the repair rules.
        seed: The seed.
        text: The reply.
        finish: The reason why it ended.
        usage: Tokens of the requests and of the replies, as the provider counts them.
        model: The model.
        writing: Seconds from the first piece of the first reply to its end, if it was measured.
        attempts: How often the model was asked.
        faults: The mistakes that were made on purpose; None if they are unknown.
        expected: The intended actions; None if they are unknown.
        phases: The result after each phase.
        actions: The actions of the final document.
        codes: The codes of its findings, sorted, each once.
        cascade: Whether an action is wrong that the only mistake did not touch.
        collision: Whether a content has a line that the format reads as a delimiter.
        harmless: Whether each phase leaves a faultless reply unchanged; None for other replies.
        versions: The versions of the package, of Python and of the libraries of the format.
        error: Why there is no reply; then there are no phases. With phases, it is the crash of a
            reader, which counts as a rejection by all of them.
    """

    key: str
    request: str
    case: Case
    provenance: Provenance
    fingerprint: str
    rules: str
    seed: int
    text: str = ""
    finish: str = "unknown"
    usage: tuple[int | None, int | None] = (None, None)
    model: str = ""
    writing: float | None = None
    attempts: int = 1
    faults: tuple[str, ...] | None = None
    expected: tuple[Mapping[str, Any], ...] | None = None
    phases: tuple[PhaseOutcome, ...] = ()
    actions: tuple[ActionOutcome, ...] = ()
    codes: tuple[str, ...] = ()
    cascade: bool | None = None
    collision: bool | None = None
    harmless: bool | None = None
    versions: tuple[tuple[str, str], ...] = ()
    error: str = ""

    @property
    def model_text(self) -> str:
        """The reply as a model writes it, with line feeds only."""
        return plain(self.text)

    @property
    def measured(self) -> tuple[PhaseOutcome, ...]:
        """The phases that are measured."""
        # What a simulated writer replies when it is asked again is an assumption.
        if self.provenance.kind != SIMULATED:
            return self.phases
        return tuple(row for row in self.phases if row.phase != ASKING)

    @property
    def final(self) -> PhaseOutcome | None:
        """The result of the last phase that is measured."""
        return next(reversed(self.measured), None)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the record of a JSON object; raises `TypeError` or `ValueError` if it is wrong."""
        rows = data.get("phases") if isinstance(data, dict) else None
        # Wrong types are reported by `read_object`, with their place.
        if isinstance(rows, list | tuple):
            data = {**data, "phases": list(map(_update_names, rows))}
        record = read_object(cls, data)
        _check(record.phases, record.expected)
        _check_numbers(record)
        return record


def _update_names(row: Any) -> Any:
    """Return the result of a phase with the present names."""
    # Not an object: `read_object` reports it.
    if not isinstance(row, dict):
        return row
    row = {_FORMER_FIELDS.get(name, name): value for name, value in row.items()}
    for name, former in (("phase", _FORMER_PHASES), ("state", _FORMER_STATES)):
        if isinstance(row.get(name), str):
            row[name] = former.get(row[name], row[name])
    return row


def _check(phases: Sequence[PhaseOutcome], expected: Sequence[Mapping[str, Any]] | None) -> None:
    """Raise `ValueError` for values that measures cannot read."""
    for row in phases:
        if row.phase not in PHASES:
            raise ValueError(f"phases: unknown phase {row.phase!r}; there are {', '.join(PHASES)}")
        if row.state is not None and row.state not in _STATES:
            raise ValueError(f"phases: unknown state {row.state!r}; there are {', '.join(State)}")
    for item in expected or ():
        # Measures find the language of an action by its path.
        if not isinstance(item.get("path"), str):
            raise ValueError("expected: an action has a path")
        contents = item.get("contents")
        if contents is None:
            continue
        # None is the content of an action without a block.
        if not isinstance(contents, list) or not all(isinstance(x, str | None) for x in contents):
            raise ValueError("expected: the contents of an action are a list of texts")


def _check_numbers(record: Record) -> None:
    """Raise `ValueError` for numbers that measures cannot calculate with."""
    confidences = [row.confidence for row in record.phases]
    confidences += [row.confidence for row in record.actions]
    for confidence in confidences:
        if confidence is not None and not 0 <= confidence <= 1:
            raise ValueError("a confidence is a number from 0 to 1")
    counts = [record.attempts, *record.usage]
    durations = [record.writing]
    for phase in record.phases:
        counts += [phase.right, phase.changed, phase.contents, phase.lost, phase.invented]
        durations.append(phase.seconds)
    for count in counts:
        if count is not None and not 0 <= count <= _MAX_NUMBER:
            raise ValueError(f"a number of things is from 0 to {grouped(_MAX_NUMBER)}")
    for duration in durations:
        if duration is not None and not 0 <= duration <= _MAX_NUMBER:
            raise ValueError(f"a time is from 0 to {grouped(_MAX_NUMBER)} seconds")


def plain(text: str) -> str:
    """Return a text with line feeds instead of CRLF."""
    return text.replace("\r\n", "\n")


def identify(**facts: Any) -> str:
    """Return a short hash of some JSON values, the same on every machine."""
    # Sorted and compact, so that the hash depends on the values only.
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
