"""Whether a reply obeys Sym-Ops: a valid document, read strictly or after repairs; what they cost makes the score."""

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


@dataclass(frozen=True, slots=True)
class SymOps:
    """In a dialect, by its name. q1 is 1 less the normalised cost, which is the confidence of the document.

    A reply that is known to be cut off is no valid document, whatever could be made of it. One that says little can be:
    a condition asks for what must be there (`valid == true and actions > 0`).
    """

    condition: ClassVar[str] = "valid == true"
    runs_code: ClassVar[bool] = False

    format: str = "v2"

    def __post_init__(self) -> None:
        if "/" in self.format or "\\" in self.format or self.format.endswith(".lark"):
            raise FieldError(f"format: a dialect is named here, and no file ({self.format[:50]!r})")
        try:
            load_dialect(self.format)
        except GrammarError as error:
            raise FieldError(f"format: {error}") from None

    @property
    def sample(self) -> Mapping[str, Fact]:
        """What is found of any reply."""
        return {
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

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return which phase could read the reply, what was found, and how sure the document is."""
        try:
            result = known_processor(self.format, ()).process(reply)
        except ProtocolError as error:
            return Findings({**self.sample, "errors": 1}, 0.0, False, str(error))
        severities = [finding.severity for finding in result.diagnostics]
        cut_off = reply.finish.cut_off
        valid = result.valid and result.phase in (Phase.STRICT, Phase.REPAIRED) and not cut_off
        facts: dict[str, Fact] = {
            "valid": valid,
            "phase": str(result.phase),
            "strict": result.phase is Phase.STRICT,
            "repaired": result.phase is Phase.REPAIRED,
            "recovered": result.phase is Phase.RECOVERED,
            "cut_off": cut_off,
            "errors": severities.count(Severity.ERROR),
            "warnings": severities.count(Severity.WARNING),
            "actions": len(result.document.actions),
            "confidence": result.confidence,
        }
        first = next((f.message for f in result.diagnostics if f.severity is Severity.ERROR), "")
        why = "the reply was cut off" if cut_off else first or "a document that had to be guessed"
        return Findings(facts, result.confidence, True, "" if valid else f"{result.phase}: {why}")


VERIFIERS = {"symops": SymOps}
