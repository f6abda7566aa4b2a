"""Verify that a reply is a valid Sym-Ops document; the cost of repairs makes the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...core.grammar.loading import load_dialect
from ...core.ground.errors import GrammarError
from ...core.ground.json_objects import FieldError
from ...core.known_processors import known_processor
from ...core.replies.messages import Reply
from ...core.result import Phase, ProtocolError
from ...core.text.diagnostics import Severity
from . import Fact, Findings, Surroundings

# The facts about any reply, with values of their types.
_SAMPLE: Mapping[str, Fact] = {
    "valid": False,
    "phase": "none",
    "strict": False,
    "repaired": False,
    "recovered": False,
    "cut_off": False,
    "errors": 0,
    "warnings": 0,
    "actions": 0,
    "confidence": 0.0,
}


@dataclass(frozen=True, slots=True)
class SymOps:
    """A parse of the reply. q1 is the confidence of the document: 1 less the normalized cost.

    A reply that is known to be cut off is not valid, whatever a repair makes of it. A short reply
    can be valid, so a condition asks for the necessary parts (`valid == true and actions > 0`).

    Attributes:
        format: The name of the dialect.
    """

    condition: ClassVar[str] = "valid == true"
    runs_code: ClassVar[bool] = False

    format: str = "v2"

    def __post_init__(self) -> None:
        # A manifest must not make the program read a grammar of its folder.
        if "/" in self.format or "\\" in self.format or self.format.endswith(".lark"):
            raise FieldError(f"format: a dialect is named here, not a file ({self.format[:50]!r})")
        try:
            load_dialect(self.format)
        except GrammarError as error:
            raise FieldError(f"format: {error}") from None

    @property
    def sample(self) -> Mapping[str, Fact]:
        """The facts about any reply."""
        return _SAMPLE

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return the phase that could read the reply, the diagnostics, and the confidence."""
        return read_reply(self.format, reply)


def read_reply(format: str, reply: Reply) -> Findings:
    """Return the phase that could read a reply, the diagnostics, and the confidence.

    Args:
        format: The dialect. Only a caller's may be a file: manifests name theirs (`SymOps`).
        reply: The reply.
    """
    # Without custom repair rules, as for all models.
    try:
        result = known_processor(format, ()).process(reply)
    except ProtocolError as error:
        return Findings({**_SAMPLE, "errors": 1}, 0.0, False, str(error))
    phase = result.phase
    is_cut_off = reply.finish.cut_off
    # A recovered document was guessed in part.
    is_read = phase in (Phase.STRICT, Phase.REPAIRED)
    is_valid = result.valid and is_read and not is_cut_off
    errors = [item.message for item in result.diagnostics if item.severity is Severity.ERROR]
    warnings = [item for item in result.diagnostics if item.severity is Severity.WARNING]
    facts: dict[str, Fact] = {
        "valid": is_valid,
        "phase": str(phase),
        "strict": phase is Phase.STRICT,
        "repaired": phase is Phase.REPAIRED,
        "recovered": phase is Phase.RECOVERED,
        "cut_off": is_cut_off,
        "errors": len(errors),
        "warnings": len(warnings),
        "actions": len(result.document.actions),
        "confidence": result.confidence,
    }
    reasons = [*errors, "a document that had to be guessed"]
    reason = "the reply was cut off" if is_cut_off else reasons[0]
    message = "" if is_valid else f"{phase}: {reason}"
    return Findings(facts, result.confidence, True, message)


VERIFIERS = {"symops": SymOps}
