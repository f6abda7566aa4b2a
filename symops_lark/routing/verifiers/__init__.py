"""Verifiers: each finds facts about a reply; a condition over the facts says pass or fail. One file each.

A module of this folder that has `VERIFIERS` (a mapping from types to frozen dataclasses, whose fields are the settings)
has some; nothing else names it. Laws: a reply that is empty, refuses, or lacks what is asked for is a refusal; no reply
makes a verifier raise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar, Protocol

from ...answers.conditions import ConditionError, read_condition
from ...answers.structured import find_refusal
from ...core.ground.json_objects import FieldError, JsonObject, read_object
from ...core.replies.messages import Finish, Reply
from ..errors import RoutingError

Fact = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a verifier may use besides the reply: the folder of the manifest, the schema that the contract names.

    Programs are run only if `run_code` is set, each for `seconds` at most. `checkout` is a folder that the caller lets
    verifiers copy, with the ignored folders in it that programs `needs`; empty: there is none.
    """

    folder: str = ""
    schema_ref: str = ""
    run_code: bool = False
    seconds: float = 10.0
    checkout: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """What a verifier has found: facts, a score from 0 to 1 if it has one, what it says to a person.

    `present` tells whether the reply has the part that the verifier looks at; None if there is no such part.
    """

    facts: Mapping[str, Fact]
    q1: float | None = None
    present: bool | None = None
    told: str = ""


class Check(Protocol):
    """A verifier with its settings."""

    condition: ClassVar[str]  # where nobody gives another
    runs_code: ClassVar[bool]

    @property
    def sample(self) -> Mapping[str, Fact]:
        """Facts as they are found, each with a value of its kind: what a condition may name."""

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return what is found; raise `RoutingError` only where the check itself cannot be made."""


@dataclass(frozen=True, slots=True)
class Verdict(JsonObject):
    """What came of a reply: `q1` is a score from 0 to 1 or None, `refusal` says why it counts as one, if it does."""

    WRITTEN: ClassVar[tuple[str, ...]] = ("passed", "q0", "q1", "refusal", "refusal_penalty", "facts", "told")

    passed: bool
    q1: float | None = None
    refusal: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    told: str = ""

    @property
    def q0(self) -> int:
        """1 for a pass, 0 for a failure."""
        return int(self.passed)

    @property
    def refusal_penalty(self) -> float:
        """1 for a refusal, 0 for anything else."""
        return float(bool(self.refusal))


@cache
def known_verifiers() -> Mapping[str, type[Check]]:
    """Return the verifiers by type; the modules of this folder are imported when somebody looks."""
    rooms = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {name: kind for room in rooms for name, kind in getattr(room, "VERIFIERS", {}).items()}


def make_check(type: str, config: Mapping[str, Any], where: str = "verifier_config") -> Check:
    """Return a verifier with its settings; raise `FieldError` with the wrong key, or `RoutingError`."""
    known = known_verifiers()
    if type not in known:
        raise RoutingError(f"no verifier is called {type!r}; there are {', '.join(known)}")
    try:
        return read_object(known[type], config, where)
    except FieldError as error:
        message = str(error)
        raise FieldError(message if message.startswith(where) else f"{where}: {message}") from None


def check_condition(condition: str, check: Check) -> None:
    """Raise `ConditionError` for a condition that cannot be evaluated over what a verifier finds."""
    sample = {**_COMMON, **check.sample}
    read_condition(condition, sample).holds(sample)


_COMMON: Mapping[str, Fact] = {"empty": False, "refused": False, "characters": 0}


def verify(check: Check, condition: str, reply: Reply, surroundings: Surroundings) -> Verdict:
    """Return what comes of a reply. What is empty or refuses is a refusal, and never passes.

    Raises `RoutingError` where the check itself cannot be made: programs are not allowed, a schema is missing.
    """
    if check.runs_code and not surroundings.run_code:
        raise RoutingError("this verifier runs what a model has written: allow it (--run-code), in a sandbox")
    if not reply.text.strip():
        return Verdict(False, None, "the reply is empty", {**_COMMON, "empty": True}, "the reply is empty")
    found = check.look(reply, surroundings)
    refusal = _find_refusal(reply, found)
    facts = {**found.facts, "empty": False, "refused": bool(refusal), "characters": len(reply.text)}
    try:
        passed = read_condition(condition).holds(facts)
        told = "" if passed else found.told or f"the condition does not hold: {condition}"
    except ConditionError as error:
        passed, told = False, str(error)
    if refusal and passed:
        passed, told = False, f"it is a refusal: {refusal}"
    return Verdict(passed, found.q1, refusal, facts, told)


def _find_refusal(reply: Reply, found: Findings) -> str:
    """Return why a reply is a refusal: it lacks what is asked for, or says so where nothing else is in it."""
    if reply.finish.declined:
        filtered = reply.finish is Finish.FILTERED
        return "a content filter stopped the reply" if filtered else "the model would not answer"
    words = find_refusal(reply.text) if not found.present else None
    if words:
        return f"it says {words!r}"
    return "the part that is asked for is missing" if found.present is False else ""
