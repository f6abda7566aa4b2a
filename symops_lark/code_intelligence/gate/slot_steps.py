"""Steps that read slots: what the request says of them, what the code shows, and how risky that leaves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..requests.decomposer import read_slots
from ..requests.folding import fold_text
from ..requests.frame import FACT, SLOTS, Evidence, QueryFrame
from ..requests.hints import generate_investigation_guidance
from ..requests.quotes import LONGEST, TOO_LONG
from ..requests.relatedness import is_related
from ..requests.requirements import HIGH, RISKS
from ..requests.router import assess_risk
from .arguments import as_object, as_text, shorten
from .evidence import Judge
from .record import State, as_recorded, find_call
from .surroundings import Surroundings

Answer = dict[str, Any]
Changes = dict[str, Any]
_HOW_TO_SHOW = (
    "in a file of the target: search such a file, and quote a line of it in the value, such as 'login failed'"
)


def refuse(
    reason_code: str, message: str, missing: Mapping[str, Any] | None = None, following: Sequence[str] = ()
) -> Answer:
    """Return a refusal: why, what is missing, and the way on."""
    way = list(following) or ["get_session_status"]
    lacking = shorten(missing or {})
    return {"ok": False, "reason_code": reason_code, "message": message[:LONGEST], "missing": lacking, "next": way}


class SlotSteps:
    """Steps that read slots; the state is read, and changed only by what is returned and recorded."""

    def __init__(self, state: State, workspace: Surroundings) -> None:
        self.workspace = workspace
        self.frame = QueryFrame.from_dict(state.frame.to_dict())
        self.state = replace(state, frame=self.frame)
        self.judge = Judge(self.state, self.frame, workspace.synonyms)

    # ---- slots

    def set_query_frame(self, given: Mapping[str, Any]) -> tuple[Answer, Changes]:
        """Return which slots were read from the request, and why others were not."""
        if unknown := [slot for slot in given if slot not in SLOTS]:
            return refuse("unknown_slot", f"{unknown[0]!r} is no slot", {"slots": list(SLOTS)}, ["set_query_frame"]), {}
        slots = {slot: _quoted(value) for slot, value in given.items()}
        self.frame.slot_refusals.clear()
        read_slots(self.frame, slots, self.state.strict_seed, self.workspace.antonyms)
        stated = list(dict.fromkeys((*self.state.stated, *self.frame.slot_quotes)))
        self.state = replace(self.state, stated=stated)  # the answer is about what holds from now on
        changes = {"set": {"frame": self.frame.to_dict(), "stated": stated}}
        refused = self.frame.slot_refusals
        answer = {"ok": not refused, "refused": refused, **self._slots()}
        if refused:
            first = next(iter(refused.values()))
            answer |= refuse(first["reason_code"], first["message"], {"slots": list(refused)}, ["set_query_frame"])
        return answer, changes

    def update_slot(self, slot: str, value: Any, evidence: Any) -> tuple[Answer, Changes]:
        """Return the slot with what a call in the record shows of it."""
        refusal = self._confirm(as_text(slot, "slot"), as_text(value, "value"), evidence)
        if refusal:
            return refusal, {}
        return {"ok": True, **self._slots()}, {"set": {"frame": self.frame.to_dict()}}

    def _confirm(self, slot: str, value: str, evidence: Any) -> Answer | None:
        """Make a slot a fact; return the refusal if the evidence does not bear it."""
        if slot not in SLOTS:
            return refuse("unknown_slot", f"{slot!r} is no slot", {"slots": list(SLOTS)}, ["update_slot"])
        if sum(map(str.isalnum, fold_text(value))) < 2:
            return refuse("too_short", f"{slot}: {value!r} says nothing", {"slots": [slot]}, ["update_slot"])
        if len(value) > LONGEST:
            return refuse("too_long", f"{slot}: {TOO_LONG}", {"slots": [slot]}, ["update_slot"])
        if not as_object(evidence, "evidence"):
            message = f"{slot}: the call that shows it is missing"
            return refuse("evidence_missing", message, {"slot_evidence": [slot]}, ["search_text", "find_definitions"])
        read = read_evidence(evidence)
        checked = find_call(self.state, read)
        if checked.call is None:
            way = [read.tool, *(["start_session"] if checked.reason_code == "evidence_too_new" else [])]
            return refuse(checked.reason_code, f"{slot}: {checked.message}", {"slot_evidence": [slot]}, way)
        if slot == "target_feature" and not self.judge.is_of_target(value, checked.call):
            message = f"{slot}: nothing that {checked.call.summary} found is related to {value[:100]!r}"
            return refuse("evidence_unrelated", message, {"slot_evidence": [slot]}, ["find_definitions", "query"])
        if slot == "observed_issue" and not self.frame.target_feature:
            message = f"{slot}: it is shown in a file of the target, which is not known yet: name the target first"
            return refuse("slot_evidence_missing", message, {"slots": ["target_feature"]}, ["update_slot"])
        if slot == "observed_issue" and not self.judge.is_about(value, checked.call):
            message = f"{slot}: {checked.call.summary} does not show {value[:100]!r} {_HOW_TO_SHOW}"
            return refuse("evidence_unrelated", message, {"slot_evidence": [slot]}, ["search_text"])
        self.frame.fill(slot, value, FACT, as_recorded(read, checked.call))
        return None

    def _related(self, term: str, symbol: str) -> bool:
        return is_related(term, symbol, self.workspace.synonyms)

    # ---- telling

    def risk(self) -> str:
        """Return the risk as the slots are now; what is only assumed does not lower it."""
        return assess_risk(self.frame, self.state.intent)

    def depth(self) -> str:
        """Return the risk whose requirements hold: a request that says no problem stays as risky as it was asked.

        To ask for a change is to want an action, whether a slot was read for it or not.
        """
        vague = "observed_issue" not in self.state.stated
        asked = HIGH if (vague or self.state.level == "strict") and self.state.intent.writes else self.risk()
        return max(asked, self.risk(), key=RISKS.index)

    def _slots(self) -> Answer:
        missing = list(self.frame.missing_slots)
        return {
            "risk_level": self.risk(),
            "required_level": self.depth(),
            "missing_slots": missing,
            "slot_source": dict(self.frame.slot_source),
            "guidance": generate_investigation_guidance(missing, self.state.language),
        }


def _quoted(value: Any) -> Any:
    """Return what was said of a slot with its quote; a text alone is its own quote."""
    if value is None or value == "null":
        return None
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        return {"value": value, "quote": value}
    return as_object(value, "slot")


def read_evidence(value: Any) -> Evidence:
    """Return evidence that may have been sent as a string, or with its parameters as one."""
    given = as_object(value, "evidence")
    read = Evidence.read({**given, "params": as_object(given.get("params"), "params")})
    return replace(read, result_summary=read.result_summary[:LONGEST])
