"""Steps that fill slots: from the request, or from the code; and the risk that remains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..requests.decomposer import read_slots
from ..requests.folding import fold_text
from ..requests.frame import FACT, SLOTS, Evidence, QueryFrame
from ..requests.hints import generate_investigation_guidance
from ..requests.quotes import LONGEST, TOO_LONG
from ..requests.relatedness import is_related
from ..requests.requirements import HIGH
from ..requests.router import assess_risk
from .arguments import Values, as_object, as_text, shorten
from .evidence import Judge, as_recorded, find_call
from .record import State
from .surroundings import Surroundings

Answer = dict[str, Any]
Changes = dict[str, Any]
Step = tuple[Answer, Changes]  # an answer, and the changes to record
_MAX_VALUE = 100  # characters of a value in a message
_HOW_TO_SHOW = (
    "in a file of the target: search such a file, and quote a line of it in the value, such as"
    " 'login failed'"
)
_NO_TARGET = "it is shown in a file of the target, which is not known yet: name the target first"


def refuse(
    reason_code: str, message: str, missing: Values | None = None, following: Sequence[str] = ()
) -> Answer:
    """Return a refusal.

    Args:
        reason_code: The reason, for programs.
        message: The reason in words.
        missing: What is missing.
        following: The next tools. None: `get_session_status`.
    """
    return {
        "ok": False,
        "reason_code": reason_code,
        "message": message[:LONGEST],
        "missing": shorten(missing or {}),
        "next": list(following) or ["get_session_status"],
    }


class SlotSteps:
    """Steps that fill slots. They do not change the state: they return changes to record.

    Args:
        state: The session.
        workspace: The folder.

    Attributes:
        workspace: The folder.
        frame: A copy of the request, which the step changes.
        state: The session, with this copy.
        judge: Compares calls with slots.
    """

    def __init__(self, state: State, workspace: Surroundings) -> None:
        self.workspace = workspace
        self.frame = QueryFrame.from_dict(state.frame.to_dict())
        # A step that fails must not leave a half-changed state.
        self.state = replace(state, frame=self.frame)
        self.judge = Judge(self.state, self.frame, workspace.synonyms)

    # ---- slots

    def set_query_frame(self, slots: Values) -> Step:
        """Return the slots that were read from the request, and the reasons for the others.

        Args:
            slots: The value and the quote of each slot.
        """
        for slot in slots:
            if slot not in SLOTS:
                return _refuse_slot(slot, "set_query_frame"), {}
        quoted = {slot: _read_quoted(value) for slot, value in slots.items()}
        refusals = self.frame.slot_refusals
        # Only the last attempt is of interest.
        refusals.clear()
        read_slots(self.frame, quoted, self.state.strict_seed, self.workspace.antonyms)
        unique = dict.fromkeys((*self.state.stated, *self.frame.slot_quotes))
        stated = list(unique)
        # The answer is about the state after this step.
        self.state = replace(self.state, stated=stated)
        answer = {"ok": not refusals, "refused": refusals, **self._slots()}
        if refusals:
            first = next(iter(refusals.values()))
            answer |= refuse(
                first["reason_code"],
                first["message"],
                missing={"slots": list(refusals)},
                following=["set_query_frame"],
            )
        return answer, {"set": {"frame": self.frame.to_dict(), "stated": stated}}

    def update_slot(self, slot: str, value: Any, evidence: Any) -> Step:
        """Return the slots after one of them became a fact.

        Args:
            slot: The slot.
            value: Its value.
            evidence: The call in the record that shows it.
        """
        refusal = self._confirm(as_text(slot, "slot"), as_text(value, "value"), evidence)
        if refusal:
            return refusal, {}
        changes = {"frame": self.frame.to_dict()}
        return {"ok": True, **self._slots()}, {"set": changes}

    def _confirm(self, slot: str, value: str, evidence: Any) -> Answer | None:
        """Make a slot a fact; return the refusal if the evidence does not show it."""
        if slot not in SLOTS:
            return _refuse_slot(slot, "update_slot")
        slots = {"slots": [slot]}
        # Folded first: one letter may be several in its compatible form.
        if sum(map(str.isalnum, fold_text(value))) < 2:
            return refuse("too_short", f"{slot}: {value!r} says nothing", slots, ["update_slot"])
        if len(value) > LONGEST:
            return refuse("too_long", f"{slot}: {TOO_LONG}", slots, ["update_slot"])
        missing = {"slot_evidence": [slot]}
        if not as_object(evidence, "evidence"):
            message = f"{slot}: the call that shows it is missing"
            return refuse("evidence_missing", message, missing, ["search_text", "find_definitions"])
        claim = read_evidence(evidence)
        checked = find_call(self.state, claim)
        call = checked.call
        if call is None:
            following = [claim.tool]
            # In a new session the file is older.
            if checked.reason_code == "evidence_too_new":
                following.append("start_session")
            return refuse(checked.reason_code, f"{slot}: {checked.message}", missing, following)
        text = repr(value[:_MAX_VALUE])
        if slot == "target_feature" and not self.judge.is_of_target(value, call):
            message = f"{slot}: nothing that {call.summary} found is related to {text}"
            return refuse("evidence_unrelated", message, missing, ["find_definitions", "query"])
        if slot == "observed_issue" and not self.frame.target_feature:
            target = {"slots": ["target_feature"]}
            message = f"{slot}: {_NO_TARGET}"
            return refuse("slot_evidence_missing", message, target, ["update_slot"])
        if slot == "observed_issue" and not self.judge.is_about(value, call):
            message = f"{slot}: {call.summary} does not show {text} {_HOW_TO_SHOW}"
            return refuse("evidence_unrelated", message, missing, ["search_text"])
        self.frame.fill(slot, value, FACT, as_recorded(claim, call))
        return None

    def _related(self, term: str, symbol: str) -> bool:
        return is_related(term, symbol, self.workspace.synonyms)

    # ---- risk

    def risk(self) -> str:
        """Return the risk as the slots are now. A slot that is only assumed does not lower it."""
        return assess_risk(self.frame, self.state.intent)

    def depth(self) -> str:
        """Return the risk whose requirements hold.

        A request for a change that states no problem is as risky as one without a slot for it: to
        ask for a change is to want an action.
        """
        is_vague = "observed_issue" not in self.state.stated
        needs_most = is_vague or self.state.level == "strict"
        if needs_most and self.state.intent.writes:
            return HIGH
        return self.risk()

    def _slots(self) -> Answer:
        missing = list(self.frame.missing_slots)
        return {
            "risk_level": self.risk(),
            "required_level": self.depth(),
            "missing_slots": missing,
            "slot_source": dict(self.frame.slot_source),
            "guidance": generate_investigation_guidance(missing, self.state.language),
        }


def _refuse_slot(slot: str, tool: str) -> Answer:
    message = f"{slot!r} is not a slot"
    return refuse("unknown_slot", message, {"slots": list(SLOTS)}, [tool])


def _read_quoted(value: Any) -> Any:
    """Return the value of a slot with its quote; a text is its own quote."""
    if value is None or value == "null":
        return None
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        return {"value": value, "quote": value}
    return as_object(value, "slot")


def read_evidence(value: Any) -> Evidence:
    """Return evidence that may be JSON in a string, as may its parameters."""
    members = as_object(value, "evidence")
    members["params"] = as_object(members.get("params"), "params")
    evidence = Evidence.read(members)
    return replace(evidence, result_summary=evidence.result_summary[:LONGEST])
