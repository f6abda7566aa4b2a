"""What a run writes down: one record for each case, from which every report is made.

A record tells what was asked, what came, and what each phase made of it: whoever doubts a figure finds the reply.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...core.document import Document
from ...core.ground.json_objects import JsonObject, read_object
from ...core.text.diagnostics import Diagnostic

PHASES = ("strict", "repaired", "recovered", "corrected")
ASKING = PHASES[-1]  # the phase that asks a model again
SIMULATED = "simulated"  # replies that are made up
RESTS = "rests on"  # of a simulated provenance: how many rates of its profile are assumed
# In older logs: phases, states of what came out, fields of what there is after a phase.
_FORMER = dict(zip(("generation", "repair", "recovery", "correction"), PHASES, strict=True))
_FORMER_STATES = {"exact": "right", "rejected": "no-answer", "wrong-accepted": "wrong-without-alarm"}
_FORMER_FIELDS = {"exact": "right", "missing": "lost"}


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one phase made of a reply: None where it rejects it. `seconds` is its own time."""

    phase: str
    document: Document | None
    valid: bool = False
    confidence: float | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """Whether a valid document came out."""
        return self.valid and self.document is not None


@dataclass(frozen=True, slots=True)
class Provenance(JsonObject):
    """Where replies come from: `kind` is simulated, replayed or live; tables never mix kinds, or two of one kind.

    `detail` says it in full: `profile`, `seed` and `hash` of the profile, and what its rates rest on; the `hash` of the
    data; `provider`, `model` and `date`.
    """

    kind: str
    detail: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(value for _, value in self.detail)})"


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to do: ask for a task in a format, for the n-th time. Cases are paired by task and repetition.

    `task` is the name of a task, or of a recorded reply. Recorded replies of each model are counted by themselves.
    """

    format: str
    task: str
    repetition: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """One action of the final document, for calibration: how sure we are of it, and whether it is right (if known)."""

    confidence: float
    flagged: bool  # a warning or an error lies on it
    right: bool | None
    complete: bool = True  # so it calls itself


@dataclass(frozen=True, slots=True)
class PhaseOutcome:
    """What there is if the pipeline ends after this phase.

    `accepted`: a valid document, of this phase or an earlier one. `state` and the numbers of actions, as in `Fidelity`,
    are None where nobody knows what was meant. `seconds` is the time of this phase alone, None if it had nothing to do.
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
    """One case, asked and judged; `error` says why there is no reply, and then there are no phases.

    Beside phases, `error` tells of a reader that crashed, which is a rejection by all of them.

    `key` identifies the case with everything that its result depends on, `request` that of its reply alone (so that
    new rules can judge old replies). `faults` are the mistakes that were made on purpose; None where nobody knows.
    `harmless` tells of a faultless reply whether every phase leaves it as it is; None for others.
    `versions` are those of the package, Python and the format's
    reader.
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
    usage: tuple[int | None, int | None] = (None, None)  # tokens in, out, as the provider counts them, all attempts
    model: str = ""
    writing: float | None = None  # seconds from the first piece of the first reply to its end, where it was asked for
    attempts: int = 1  # how often the model was asked
    faults: tuple[str, ...] | None = None
    expected: tuple[Mapping[str, Any], ...] | None = None
    phases: tuple[PhaseOutcome, ...] = ()
    actions: tuple[ActionOutcome, ...] = ()
    codes: tuple[str, ...] = ()  # of the diagnostics of the final document, sorted, each once
    cascade: bool | None = None  # with one mistake made: an action that it did not touch came out wrong or missing
    collision: bool | None = None  # the content of an action holds a line that the format reads as a delimiter
    harmless: bool | None = None
    versions: tuple[tuple[str, str], ...] = ()
    error: str = ""

    @property
    def model_text(self) -> str:
        """The reply as a model writes it: with line feeds, whatever line endings were drawn."""
        return plain(self.text)

    @property
    def measured(self) -> tuple[PhaseOutcome, ...]:
        """The phases that are measured: what a simulated writer says when it is asked again is assumed."""
        return tuple(row for row in self.phases if row.phase != ASKING or self.provenance.kind != SIMULATED)

    @property
    def final(self) -> PhaseOutcome | None:
        """What there is in the end, of what is measured."""
        return next(reversed(self.measured), None)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the record of what `to_dict` returned; raises `TypeError` or `ValueError` for others."""
        rows = data.get("phases") if isinstance(data, dict) else None
        if isinstance(rows, list | tuple):
            data = {**data, "phases": list(map(_as_now, rows))}
        record = read_object(cls, data)
        _check(record.phases, record.expected)
        return record


def _as_now(row: Any) -> Any:
    """Return what there is after a phase in the words of today."""
    if not isinstance(row, dict):
        return row
    row = {_FORMER_FIELDS.get(name, name): value for name, value in row.items()}
    for name, former in (("phase", _FORMER), ("state", _FORMER_STATES)):
        if isinstance(row.get(name), str):
            row[name] = former.get(row[name], row[name])
    return row


def _check(phases: Sequence[PhaseOutcome], expected: Sequence[Mapping[str, Any]] | None) -> None:
    """Raise `ValueError` for what measures could not read."""
    if unknown := [row.phase for row in phases if row.phase not in PHASES]:
        raise ValueError(f"phases: {unknown[0]!r} is none; there are {', '.join(PHASES)}")
    for item in expected or ():
        contents = item.get("contents")
        if not isinstance(item.get("path"), str):
            raise ValueError("expected: an action has a path")
        if contents is not None and not (
            isinstance(contents, list) and all(text is None or isinstance(text, str) for text in contents)
        ):
            raise ValueError("expected: the contents of an action are a list of texts")


def plain(text: str) -> str:
    """Return a text whose lines end with line feeds alone."""
    return text.replace("\r\n", "\n")


def identify(**facts: Any) -> str:
    """Return a short hash of some facts that JSON can say, the same on every machine."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
