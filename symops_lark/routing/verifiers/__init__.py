"""Verifiers: each finds facts about a reply, and a condition over the facts decides.

A module of this folder with `VERIFIERS` (a mapping from types to frozen dataclasses, whose fields
are the settings) is found automatically.

Invariants, each with its test in tests/routing/test_verifiers.py:

1. A reply that is empty, refuses, or lacks the part that is asked for counts as a refusal.
2. No reply makes a verifier raise an error.
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
    """What a verifier may use besides the reply.

    Attributes:
        folder: The folder of the manifest.
        schema_ref: The file of the schema in the contract.
        run_code: Whether programs may be run.
        seconds: The time for each program.
        checkout: A folder that verifiers may copy; empty: there is none.
        needs: The ignored folders in it that programs need.
    """

    folder: str = ""
    schema_ref: str = ""
    run_code: bool = False
    seconds: float = 10.0
    checkout: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of a verifier.

    Attributes:
        facts: The facts.
        q1: A score from 0 to 1; None without one.
        present: Whether the reply has the part that the verifier reads; None: it reads all of it.
        message: The reason for people; empty without one.
    """

    facts: Mapping[str, Fact]
    q1: float | None = None
    present: bool | None = None
    message: str = ""


class Check(Protocol):
    """A verifier with its settings."""

    condition: ClassVar[str]  # the default
    runs_code: ClassVar[bool]

    @property
    def sample(self) -> Mapping[str, Fact]:
        """Facts as the verifier finds them, with values of their types: the names of conditions."""

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return the findings; raise `RoutingError` only if the check itself is impossible."""


@dataclass(frozen=True, slots=True)
class Verdict(JsonObject):
    """The verdict about a reply.

    Attributes:
        passed: Whether the condition holds.
        q1: A score from 0 to 1; None without one.
        refusal: Why the reply counts as a refusal; empty if it does not.
        facts: The facts.
        told: The reason for people, empty for a pass.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = (
        "passed",
        "q0",
        "q1",
        "refusal",
        "refusal_penalty",
        "facts",
        "told",
    )

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
    """Return the verifiers by type; the modules of this folder are imported only now."""
    # Each imports its libraries, and most programs use one of them.
    verifiers: dict[str, type[Check]] = {}
    for module in iter_modules(__path__):
        verifiers |= getattr(import_module(f"{__name__}.{module.name}"), "VERIFIERS", {})
    return verifiers


def make_check(type: str, config: Mapping[str, Any], where: str = "verifier_config") -> Check:
    """Return a verifier with its settings.

    Args:
        type: The name of the verifier.
        config: The settings.
        where: The key of the settings, for messages.

    Raises:
        FieldError: A setting is wrong; the message begins with its key.
        RoutingError: There is no such verifier.
    """
    verifiers = known_verifiers()
    if type not in verifiers:
        raise RoutingError(f"no verifier is called {type!r}; there are {', '.join(verifiers)}")
    try:
        return read_object(verifiers[type], config, where)
    except FieldError as error:
        # A missing setting is reported without the key of all settings.
        message = str(error)
        if not message.startswith(where):
            message = f"{where}: {message}"
        raise FieldError(message) from None


def check_condition(condition: str, check: Check) -> None:
    """Raise `ConditionError` for a condition that cannot be evaluated over a verifier's facts."""
    # Its values have the right types, so that comparisons are checked as well as names.
    sample = {**_COMMON, **check.sample}
    read_condition(condition, sample).holds(sample)


# Facts about any reply.
_COMMON: Mapping[str, Fact] = {"empty": False, "refused": False, "characters": 0}


def verify(check: Check, condition: str, reply: Reply, surroundings: Surroundings) -> Verdict:
    """Return the verdict about a reply. A reply that is empty or refuses never passes.

    Args:
        check: The verifier.
        condition: The condition over its facts.
        reply: The reply.
        surroundings: What the verifier may use.

    Raises:
        RoutingError: The check itself is impossible: programs are not allowed, or a schema is
            missing.
    """
    # This is not a fault of the reply, so it must not count as a failure of the model.
    if check.runs_code and not surroundings.run_code:
        raise RoutingError(
            "this verifier runs what a model has written: allow it (--run-code), in a sandbox"
        )
    if not reply.text.strip():
        message = "the reply is empty"
        return Verdict(False, None, message, {**_COMMON, "empty": True}, message)
    findings = check.look(reply, surroundings)
    refusal = _find_refusal(reply, findings)
    facts = {
        **findings.facts,
        "empty": False,
        "refused": bool(refusal),
        "characters": len(reply.text),
    }
    passed = False
    try:
        passed = read_condition(condition).holds(facts)
        message = findings.message or f"the condition does not hold: {condition}"
    except ConditionError as error:
        message = str(error)
    # A condition may hold of a refusal by chance, such as one about its length.
    if refusal and passed:
        passed = False
        message = f"it is a refusal: {refusal}"
    return Verdict(passed, findings.q1, refusal, facts, "" if passed else message)


def _find_refusal(reply: Reply, findings: Findings) -> str:
    """Return why a reply counts as a refusal; empty if it does not."""
    if reply.finish is Finish.FILTERED:
        return "a content filter stopped the reply"
    if reply.finish.declined:
        return "the model would not answer"
    # Beside the part that is asked for, the reply may refuse something else.
    words = None if findings.present else find_refusal(reply.text)
    # The words are those of the model, so they are quoted.
    if words:
        return f"it says {words!r}"
    if findings.present is False:
        return "the part that is asked for is missing"
    return ""
