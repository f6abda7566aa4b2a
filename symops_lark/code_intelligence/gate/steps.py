"""The steps of a session: pure functions of its state, each with its answer and what it changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.ground.json_objects import write_object
from ...core.ground.numbers import counted
from ..requests.folding import content_words, fold_text
from ..requests.frame import FACT, HYPOTHESIS, SLOTS, Evidence, IntentType, MappedSymbol
from ..requests.quotes import LONGEST, TOO_LONG
from ..requests.requirements import get_exploration_requirements
from ..requests.router import route
from ..requests.words import speaks_of_markup, weak_words
from .arguments import as_list, as_object, as_text, shorten
from .events import Call
from .phases import MOST_ROUNDS, Phase, allowed_tools, should_allow_devrag
from .record import as_recorded, find_call, paths_in, supports_symbol
from .slot_steps import Answer, Changes, SlotSteps, read_evidence, refuse
from .understanding import Examination, Gap, Understanding
from .write_gate import is_markup

_MOST = 50  # hypotheses at a time
_MOST_FILES = 500  # that are named
_SURELY = 0.99  # the most that a hypothesis may be trusted
_SLOT_GAPS = {"slot_missing", "target_unrelated", "slot_evidence_missing"}


class Steps(SlotSteps):
    """One step of a session; the state is read, and changed only by what is returned and recorded."""

    # ---- understanding

    def submit_understanding(self, given: Mapping[str, Any]) -> tuple[Answer, Changes]:
        """Return whether what was understood is enough, and the phase that follows."""
        said = Understanding.read(given)
        changes: Changes = {"understanding": said.to_dict()}
        gaps = self._take_slots(as_object(given["resolved_frame"], "resolved_frame"), given["slot_evidence"])
        gaps += self._take_not_applicable(as_object(given["not_applicable"], "not_applicable"), changes)
        gaps += self._gaps(said)
        changes["frame"] = self.frame.to_dict()
        reason = as_text(given.get("semantic_reason"), "semantic_reason") or None
        return self._stay(gaps, changes, reason) if gaps else self._become_ready(said, changes)

    def _take_slots(self, resolved: Mapping[str, Any], evidence: Any) -> list[Gap]:
        """Make facts of the slots that come with evidence; evidence of symbols is compared too."""
        found: list[Gap] = []
        given = as_object(evidence, "slot_evidence")
        for name, each in given.items():
            if name in SLOTS:
                value = resolved.get(name) or self.frame.get(name)
                refusal = self._confirm(name, as_text(value, name), each)
            else:
                refusal = self._refuse_symbol(name, each)
            if refusal:
                found.append(Gap.from_dict(refusal))
        for slot in SLOTS:
            said = resolved.get(slot)
            if said and slot not in given and fold_text(str(said)) != fold_text(self.frame.get(slot) or ""):
                message = f"{slot}: {str(said)[:100]!r} is neither what the request says nor shown by a call"
                found.append(Gap("evidence_missing", message, {"slot_evidence": [slot]}, ("search_text",)))
        return found

    def _refuse_symbol(self, name: str, evidence: Any) -> Answer | None:
        read = read_evidence(evidence)
        checked = find_call(self.state, read)
        code, message = checked.reason_code, checked.message
        if checked.call is not None:
            if supports_symbol(checked.call, name):
                if all(symbol.name != name for symbol in self.frame.mapped_symbols):
                    self.frame.mapped_symbols.append(MappedSymbol(name, FACT, 1.0, as_recorded(read, checked.call)))
                return None
            code, message = "evidence_unrelated", f"{checked.call.summary} did not find it"
        return refuse(code, f"{name}: {message}", {"slot_evidence": [name]}, ["find_definitions"])

    def _take_not_applicable(self, given: Mapping[str, Any], changes: Changes) -> list[Gap]:
        """Take note that a feature request has no observed issue, if a search that found nothing says so."""
        if not given:
            return []
        code = message = ""
        said = as_object(given.get("observed_issue"), "not_applicable.observed_issue")
        if set(given) != {"observed_issue"} or self.state.intent is not IntentType.IMPLEMENT:
            code, message = "not_declarable", "only a request to IMPLEMENT may say so, of observed_issue alone"
        elif self.state.strict_seed or self.state.level == "strict":
            code, message = "not_declarable", "under the strict rules there is always an observed issue"
        elif "observed_issue" in self.state.stated:
            code, message = "not_declarable", "the request itself says an observed issue"
        elif len(str(said.get("reason", "")).strip()) < 8:
            code, message = "reason_missing", "observed_issue: say as `reason` why there is none"
        else:
            checked = find_call(self.state, read_evidence(said.get("evidence")), empty=True)
            code, message = checked.reason_code, checked.message
            if checked.call is not None and not self._asks_for(checked.call):
                code, message = "evidence_unrelated", f"{checked.call.summary} looked for no word of the request"
        if code:
            return [Gap(code, message, {"not_applicable": ["observed_issue"]}, ("search_text",))]
        self.state.not_applicable = {"observed_issue": str(said["reason"])[:500]}
        changes["not_applicable"] = dict(self.state.not_applicable)
        return []

    def _asks_for(self, call: Call) -> bool:
        """Return whether a call looked for something that the request names."""
        request = self.frame.raw_query
        words = {*content_words(request), *self.workspace.synonyms.of(request)} - weak_words()[0]
        asked = fold_text(str(dict(call.params)))
        return any(word in asked for word in words)

    def _gaps(self, said: Understanding) -> list[Gap]:
        is_markup_enough = self._is_markup_enough(said)
        sizes = self.workspace.sizes()
        return Examination(self.state, said, self.depth(), sizes, self._related, markup=is_markup_enough).gaps()

    def _is_markup_enough(self, said: Understanding) -> bool:
        """Return whether only markup was looked at, and the request is about it: by its words, files or target."""
        if self.state.level == "strict" or not said.files_analyzed or not all(map(is_markup, said.files_analyzed)):
            return False
        request = self.frame.raw_query
        if speaks_of_markup(request) or any(map(is_markup, paths_in(request))):
            return True
        # What the session found as a target does not count: it could choose one that only a README has.
        return self.workspace.is_only_markup(self.frame.slot_quotes.get("target_feature") or request)

    def _stay(self, gaps: list[Gap], changes: Changes, reason: str | None = None) -> tuple[Answer, Changes]:
        """Return what is missing; where facts were looked for and do not do, semantic search comes next."""
        missing: dict[str, Any] = {}
        for gap in gaps:
            for name, what in gap.missing.items():
                known = missing.get(name)
                missing[name] = [*known, *what] if isinstance(known, list) and isinstance(what, list) else what
        way = list(dict.fromkeys(tool for gap in gaps for tool in gap.next))
        answer = refuse(gaps[0].reason_code, "; ".join(gap.message for gap in gaps[:5]), missing, way)
        answer["gaps"] = [shorten(gap.to_dict()) for gap in gaps]
        answer |= self._slots()
        if self._wants_semantic(gaps, reason):
            rounds = self.state.rounds + 1
            phase = Phase.SEMANTIC if rounds <= MOST_ROUNDS else Phase.NEEDS_USER
            changes |= {"phase": str(phase), "rounds": rounds}
            answer["next"] = ["semantic_search", "submit_semantic"] if phase is Phase.SEMANTIC else ["start_session"]
            if phase is Phase.NEEDS_USER:
                told = "semantic search was tried often enough: ask the user, and start again with the answer"
                answer |= {"reason_code": "needs_user", "message": told}
        return answer, {"set": changes}

    def _wants_semantic(self, gaps: list[Gap], reason: str | None) -> bool:
        """Return whether only slots are missing, the facts do not give them, and that is no mere lack of evidence."""
        if self.state.phase is not Phase.EXPLORATION or not self.state.intent.writes:
            return False
        if not should_allow_devrag(self.frame, {"tools_used": self.state.used(), "reason": reason}).allowed:
            return False
        codes = {gap.reason_code for gap in gaps}
        return reason is not None or (not self.frame.target_feature and "slot_missing" in codes and codes <= _SLOT_GAPS)

    def _become_ready(self, said: Understanding, changes: Changes) -> tuple[Answer, Changes]:
        """Return the end of the exploration: symbols are frozen, and what relates to them is a fact."""
        self.frame.confirmed_symbols = list(said.symbols_identified)
        if self.frame.target_feature and "target_feature" not in self.frame.slot_source:
            self._confirm_by_symbols(said)
        only_markup = self._is_markup_enough(said) and not said.symbols_identified
        changes |= {"frame": self.frame.to_dict(), "phase": str(Phase.READY), "markup_only": only_markup}
        way = ["check_write_target"] if self.state.intent.writes else ["record_outcome"]
        return {"ok": True, "reason_code": "ready", "message": "ready", "next": way, **self._slots()}, {"set": changes}

    def _confirm_by_symbols(self, said: Understanding) -> None:
        """Make the target a fact by the definition of a symbol that is related to it."""
        for name in said.symbols_identified:
            for call in self.state.calls:
                defines = call.tool == "find_definitions" and call.shown and supports_symbol(call, name)
                if defines and self._related(self.frame.target_feature or "", name):
                    evidence = as_recorded(Evidence(call.tool), call)
                    self.frame.fill("target_feature", self.frame.target_feature, FACT, evidence)
                    return

    # ---- hypotheses

    def submit_semantic(self, hypotheses: Any) -> tuple[Answer, Changes]:
        """Return the phase after semantic search: VERIFICATION if it gave hypotheses, else EXPLORATION."""
        given_all = as_list(hypotheses, "hypotheses")
        count = sum(len(_symbols(each)) or 1 for each in given_all)
        if count > _MOST:
            raise ValueError(f"hypotheses: {count} are too many to verify, at most {_MOST} are read")
        for each in given_all:
            given = as_object(each, "hypothesis")
            read = read_evidence(given.get("evidence"))
            checked = find_call(self.state, read, semantic=True)
            if checked.call is None:
                return refuse(checked.reason_code, checked.message, {"evidence": [read.tool]}, ["semantic_search"]), {}
            self._suppose(given, as_recorded(read, checked.call))
        made = len(given_all)
        phase = Phase.VERIFICATION if made else Phase.EXPLORATION
        changes = {"frame": self.frame.to_dict(), "phase": str(phase), "hypothesis_from": len(self.state.calls)}
        way = ["find_definitions", "search_text", "submit_verification"] if made else ["query", "submit_understanding"]
        answer = {
            "ok": True,
            "hypotheses": made,
            "message": f"{counted(made, 'hypothesis', 'hypotheses')} to verify",
            "next": way,
            **self._slots(),
        }
        return answer, {"set": changes}

    def _suppose(self, given: Mapping[str, Any], evidence: Evidence) -> None:
        """Take a hypothesis into the frame; a fact is never replaced by one."""
        sure = min(max(float(given.get("confidence", 0.5)), 0.0), _SURELY)
        slot, value = given.get("slot"), as_text(given.get("value"), "value")
        if slot:
            if slot not in SLOTS or not value:
                raise ValueError(f"a hypothesis has a `value` for one of the slots {', '.join(SLOTS)}, or a `symbol`")
            if len(value) > LONGEST:
                raise ValueError(f"{slot}: {TOO_LONG}")
            if self.frame.slot_source.get(str(slot)) != FACT:
                self.frame.fill(str(slot), value, HYPOTHESIS, evidence)
        symbols = _symbols(given)
        if not symbols and not slot:
            raise ValueError("a hypothesis has a `slot` with a `value`, or a `symbol`")
        known = {symbol.name for symbol in self.frame.mapped_symbols}
        for name in map(str, symbols):
            if name not in known:
                self.frame.mapped_symbols.append(MappedSymbol(name, HYPOTHESIS, sure, evidence))

    def submit_verification(self, verified: Any) -> tuple[Answer, Changes]:
        """Return the phase after the check of all hypotheses, by facts found since; then the gate as before."""
        claimed = [as_object(each, "verified") for each in as_list(verified, "verified")]
        claims = {str(each.get("slot")): each for each in claimed}
        rejected = self._verify_symbols()
        for slot in [slot for slot, source in self.frame.slot_source.items() if source == HYPOTHESIS]:
            given = claims.get(slot, {})
            refusal = self._verify_slot(slot, given)
            if refusal:
                rejected.append(f"{slot}: {refusal}")
                stays = slot in self.frame.slot_quotes
                self.frame.fill(slot, self.frame.slot_quotes.get(slot) if stays else None)
        changes: Changes = {"frame": self.frame.to_dict(), "phase": str(Phase.EXPLORATION)}
        said = Understanding.read(self.state.understanding or {})
        if (gaps := self._gaps(said)) and self.state.rounds >= MOST_ROUNDS:
            changes["phase"] = str(Phase.NEEDS_USER)
        answer, changed = self._stay(gaps, changes) if gaps else self._become_ready(said, changes)
        return {**answer, "rejected": rejected}, changed

    def _verify_symbols(self) -> list[str]:
        """Make facts of the supposed symbols that the code defines, and drop the others with a message each."""
        kept, errors = [], []
        for symbol in self.frame.mapped_symbols:
            if symbol.source == FACT:
                kept.append(symbol)
                continue
            evidence = Evidence("find_definitions", {"symbol": symbol.name})
            checked = find_call(self.state, evidence, since=self.state.hypothesis_from)
            if checked.call is not None and supports_symbol(checked.call, symbol.name):
                kept.append(MappedSymbol(symbol.name, FACT, 1.0, as_recorded(evidence, checked.call)))
            else:
                errors.append(f"Symbol '{symbol.name}' not found in codebase")
        self.frame.mapped_symbols = kept
        return errors

    def _verify_slot(self, slot: str, given: Mapping[str, Any]) -> str:
        """Make a fact of a supposed slot; return why it is none."""
        if not given or str(given.get("status", "confirmed")).lower() in ("rejected", "false"):
            return "rejected, or no evidence was given"
        read = read_evidence(given.get("evidence"))
        checked = find_call(self.state, read, since=self.state.hypothesis_from)
        if checked.call is None:
            return checked.message
        value = self.frame.get(slot) or ""
        of_target = slot == "target_feature" and not self.judge.is_of_target(value, checked.call)
        if of_target or (slot == "observed_issue" and not self.judge.is_about(value, checked.call)):
            return f"nothing that {checked.call.summary} found is related to {value!r}"
        self.frame.fill(slot, value, FACT, as_recorded(read, checked.call))
        return ""

    def revert(self, reason: str) -> tuple[Answer, Changes]:
        """Return to looking: hypotheses are dropped, facts are kept."""
        self.frame.mapped_symbols = [symbol for symbol in self.frame.mapped_symbols if symbol.source == FACT]
        for slot in [slot for slot, source in self.frame.slot_source.items() if source == HYPOTHESIS]:
            self.frame.fill(slot, self.frame.slot_quotes.get(slot))
        self.frame.confirmed_symbols = None
        changes = {"frame": self.frame.to_dict(), "phase": str(Phase.EXPLORATION), "markup_only": False}
        way = ["search_text", "find_definitions", "submit_understanding"]
        return {"ok": True, "message": reason or "back to looking", "next": way}, {"set": changes}

    # ---- telling

    def status(self) -> Answer:
        """Return where the session stands."""
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
            "explored_files": sorted(state.explored)[:_MOST_FILES],
            "explored_total": len(state.explored),
            "truncated": len(state.explored) > _MOST_FILES,
            "allowed_tools": allowed_tools(state.phase),
            "next": routing.initial_tools if state.phase is Phase.EXPLORATION else _WAY[state.phase],
        }

    def summary(self) -> Answer:
        """Return what an outcome is joined with: the risk, the phase, and the tools that gave evidence."""
        return {
            "risk_level": self.depth(),
            **write_object(self.state, "phase", "intent"),
            "evidence": {slot: each.tool for slot, each in self.frame.slot_evidence.items()},
        }


_WAY = {
    Phase.SEMANTIC: ["semantic_search", "submit_semantic", "submit_understanding"],
    Phase.VERIFICATION: ["find_definitions", "search_text", "submit_verification"],
    Phase.READY: ["check_write_target", "add_explored_files", "revert_to_exploration", "record_outcome"],
    Phase.NEEDS_USER: ["start_session"],
}


def _symbols(hypothesis: Any) -> list[Any]:
    given = as_object(hypothesis, "hypothesis")
    return [*as_list(given.get("symbols"), "symbols"), *as_list(given.get("symbol"), "symbol")]
