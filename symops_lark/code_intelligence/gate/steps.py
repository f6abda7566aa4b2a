"""The steps of a session. They do not change the state: they return an answer and changes."""

from __future__ import annotations

from typing import Any

from ...core.ground.json_objects import write_object
from ...core.ground.numbers import counted
from ..requests.frame import FACT, HYPOTHESIS, SLOTS, Evidence, MappedSymbol
from ..requests.quotes import LONGEST, TOO_LONG
from ..requests.requirements import get_exploration_requirements
from ..requests.router import route
from .arguments import Values, as_list, as_object, as_text
from .evidence import as_recorded, find_call, supports_symbol
from .phases import MOST_ROUNDS, Phase, allowed_tools
from .readiness import ReadinessSteps
from .slot_steps import Answer, Changes, Step, read_evidence, refuse
from .understanding import Understanding

_MAX_HYPOTHESES = 50  # at a time
_MAX_FILES = 500  # that a status names
_MAX_CONFIDENCE = 0.99  # of a hypothesis
# The next tools, by phase. In EXPLORATION the request decides.
_NEXT = {
    Phase.SEMANTIC: ["semantic_search", "submit_semantic", "submit_understanding"],
    Phase.VERIFICATION: ["find_definitions", "search_text", "submit_verification"],
    Phase.READY: [
        "check_write_target",
        "add_explored_files",
        "revert_to_exploration",
        "record_outcome",
    ],
    Phase.NEEDS_USER: ["start_session"],
}


class Steps(ReadinessSteps):
    """One step of a session."""

    # ---- hypotheses

    def submit_semantic(self, hypotheses: Any) -> Step:
        """Return the phase after semantic search: VERIFICATION if there are hypotheses.

        Args:
            hypotheses: Each has a `slot` with a `value`, or a `symbol`.

        Raises:
            ValueError: There are too many, or one is not complete.
        """
        items = [as_object(item, "hypothesis") for item in as_list(hypotheses, "hypotheses")]
        count = sum(len(_symbols(item)) or 1 for item in items)
        if count > _MAX_HYPOTHESES:
            message = f"{count} are too many to verify, at most {_MAX_HYPOTHESES} are read"
            raise ValueError(f"hypotheses: {message}")
        for item in items:
            claim = read_evidence(item.get("evidence"))
            checked = find_call(self.state, claim, semantic=True)
            if checked.call is None:
                missing = {"evidence": [claim.tool]}
                refusal = refuse(checked.reason_code, checked.message, missing, ["semantic_search"])
                return refusal, {}
            self._suppose(item, as_recorded(claim, checked.call))
        # Without hypotheses, the exploration continues with facts.
        number = counted(len(items), "hypothesis", "hypotheses")
        following = ["find_definitions", "search_text", "submit_verification"]
        if not items:
            following = ["query", "submit_understanding"]
        changes = {
            "frame": self.frame.to_dict(),
            "phase": str(Phase.VERIFICATION if items else Phase.EXPLORATION),
            "hypothesis_from": len(self.state.calls),
        }
        answer = {
            "ok": True,
            "hypotheses": len(items),
            "message": f"{number} to verify",
            "next": following,
            **self._slots(),
        }
        return answer, {"set": changes}

    def _suppose(self, hypothesis: Values, evidence: Evidence) -> None:
        """Add a hypothesis to the frame. It never replaces a fact."""
        confidence = float(hypothesis.get("confidence", 0.5))
        # A hypothesis is never certain, whatever the model claims.
        confidence = min(max(confidence, 0.0), _MAX_CONFIDENCE)
        slot = hypothesis.get("slot")
        value = as_text(hypothesis.get("value"), "value")
        symbols = _symbols(hypothesis)
        if slot:
            if slot not in SLOTS or not value:
                slots = ", ".join(SLOTS)
                message = f"has a `value` for one of the slots {slots}, or a `symbol`"
                raise ValueError(f"a hypothesis {message}")
            if len(value) > LONGEST:
                raise ValueError(f"{slot}: {TOO_LONG}")
            if self.frame.slot_source.get(slot) != FACT:
                self.frame.fill(slot, value, HYPOTHESIS, evidence)
        elif not symbols:
            raise ValueError("a hypothesis has a `slot` with a `value`, or a `symbol`")
        for name in map(str, symbols):
            self._map_symbol(MappedSymbol(name, HYPOTHESIS, confidence, evidence))

    def submit_verification(self, verified: Any) -> Step:
        """Return the phase after all hypotheses were compared with facts that were found since.

        Args:
            verified: The evidence for each slot, or that it is rejected.
        """
        claims: dict[str, dict[str, Any]] = {}
        for item in as_list(verified, "verified"):
            claim = as_object(item, "verified")
            claims[str(claim.get("slot"))] = claim
        # Symbols first: their definitions may confirm the target.
        rejected = self._verify_symbols()
        for slot in self._supposed_slots():
            problem = self._verify_slot(slot, claims.get(slot, {}))
            if problem:
                # The quote of the request stays.
                rejected.append(f"{slot}: {problem}")
                self.frame.fill(slot, self.frame.slot_quotes.get(slot))
        changes: Changes = {"frame": self.frame.to_dict(), "phase": str(Phase.EXPLORATION)}
        understanding = Understanding.read(self.state.understanding or {})
        gaps = self._gaps(understanding)
        if gaps and self.state.rounds >= MOST_ROUNDS:
            changes["phase"] = str(Phase.NEEDS_USER)
        if gaps:
            answer, changes = self._stay(gaps, changes)
        else:
            answer, changes = self._become_ready(understanding, changes)
        return {**answer, "rejected": rejected}, changes

    def _supposed_slots(self) -> list[str]:
        sources = self.frame.slot_source
        return [slot for slot in sources if sources[slot] == HYPOTHESIS]

    def _verify_symbols(self) -> list[str]:
        """Make facts of supposed symbols that the code defines; drop the others with a message."""
        confirmed = []
        errors = []
        for symbol in self.frame.mapped_symbols:
            if symbol.source == FACT:
                confirmed.append(symbol)
                continue
            name = symbol.name
            # `Session.submit_verification` made this call just before.
            evidence = Evidence("find_definitions", {"symbol": name})
            call = find_call(self.state, evidence, since=self.state.hypothesis_from).call
            if call is not None and supports_symbol(call, name):
                confirmed.append(MappedSymbol(name, FACT, 1.0, as_recorded(evidence, call)))
            else:
                errors.append(f"Symbol '{name}' not found in codebase")
        self.frame.mapped_symbols = confirmed
        return errors

    def _verify_slot(self, slot: str, claim: Values) -> str:
        """Make a supposed slot a fact; return the reason if it is not."""
        status = str(claim.get("status", "confirmed")).lower()
        if not claim or status in ("rejected", "false"):
            return "rejected, or no evidence was given"
        evidence = read_evidence(claim.get("evidence"))
        checked = find_call(self.state, evidence, since=self.state.hypothesis_from)
        call = checked.call
        if call is None:
            return checked.message
        value = self.frame.get(slot) or ""
        judges = {"target_feature": self.judge.is_of_target, "observed_issue": self.judge.is_about}
        judge = judges.get(slot)
        if judge and not judge(value, call):
            return f"nothing that {call.summary} found is related to {value!r}"
        self.frame.fill(slot, value, FACT, as_recorded(evidence, call))
        return ""

    def revert(self, reason: str) -> Step:
        """Return to the exploration. Hypotheses are dropped, and facts stay."""
        frame = self.frame
        symbols = frame.mapped_symbols
        frame.mapped_symbols = [symbol for symbol in symbols if symbol.source == FACT]
        for slot in self._supposed_slots():
            frame.fill(slot, frame.slot_quotes.get(slot))
        frame.confirmed_symbols = None
        changes = {"frame": frame.to_dict(), "phase": str(Phase.EXPLORATION), "markup_only": False}
        answer = {
            "ok": True,
            "message": reason or "back to looking",
            "next": ["search_text", "find_definitions", "submit_understanding"],
        }
        return answer, {"set": changes}

    # ---- status

    def status(self) -> Answer:
        """Return the state of the session, its requirements, and the next tools."""
        state = self.state
        routing = route(self.frame, state.intent)
        return {
            "ok": True,
            "session_id": state.id,
            **write_object(state, "phase", "intent", "level", "rounds"),
            **self._slots(),
            "frame": self.frame.to_dict(),
            "routing": routing.to_dict(),
            "requirements": get_exploration_requirements(self.depth(), state.intent),
            "understanding": state.understanding,
            "tools_used": state.used(),
            "calls": len(state.calls),
            "explored_files": sorted(state.explored)[:_MAX_FILES],
            "explored_total": len(state.explored),
            "truncated": len(state.explored) > _MAX_FILES,
            "allowed_tools": allowed_tools(state.phase),
            "next": _NEXT.get(state.phase, routing.initial_tools),
        }

    def summary(self) -> Answer:
        """Return what an outcome records: risk, phase, intent, and the tools of the evidence."""
        evidence = self.frame.slot_evidence
        return {
            "risk_level": self.depth(),
            **write_object(self.state, "phase", "intent"),
            "evidence": {slot: call.tool for slot, call in evidence.items()},
        }


def _symbols(hypothesis: Values) -> list[Any]:
    symbols = as_list(hypothesis.get("symbols"), "symbols")
    return symbols + as_list(hypothesis.get("symbol"), "symbol")
