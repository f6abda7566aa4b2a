"""Steps towards readiness: compare an understanding with the record, and name the gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..requests.folding import content_words, fold_text
from ..requests.frame import FACT, SLOTS, Evidence, IntentType, MappedSymbol
from ..requests.words import speaks_of_markup, weak_words
from .arguments import Values, as_object, as_text, shorten
from .evidence import as_recorded, find_call, supports_symbol
from .phases import MOST_ROUNDS, Phase, should_allow_devrag
from .record import Call, paths_in
from .slot_steps import Answer, Changes, SlotSteps, Step, read_evidence, refuse
from .understanding import Examination, Gap, Understanding
from .write_gate import is_markup

_MAX_GAPS = 5  # in a message
_MAX_VALUE = 100  # characters of a value in a message
_MAX_REASON = 500  # characters
_LEAST_REASON = 8  # characters
_SEARCHED = ("patterns", "pattern", "symbol", "text")  # arguments that say what is searched for
_SLOT_GAPS = {"slot_missing", "target_unrelated", "slot_evidence_missing"}
_TRIED = "semantic search was tried often enough: ask the user, and start again with the answer"


class ReadinessSteps(SlotSteps):
    """Steps that end with READY, or with the gaps that are left."""

    def submit_understanding(self, arguments: Values) -> Step:
        """Return whether an understanding is sufficient, and the phase that follows."""
        understanding = Understanding.read(arguments)
        changes: Changes = {"understanding": understanding.to_dict()}
        resolved = as_object(arguments["resolved_frame"], "resolved_frame")
        evidence = as_object(arguments["slot_evidence"], "slot_evidence")
        exceptions = as_object(arguments["not_applicable"], "not_applicable")
        # Evidence first: a slot that becomes a fact here is not a gap any more.
        gaps = self._take_evidence(resolved, evidence)
        gaps += self._find_unproven(resolved, evidence)
        if exceptions:
            gaps += self._take_exceptions(exceptions)
            changes["not_applicable"] = dict(self.state.not_applicable)
        gaps += self._gaps(understanding)
        changes["frame"] = self.frame.to_dict()
        reason = as_text(arguments.get("semantic_reason"), "semantic_reason")
        if gaps:
            return self._stay(gaps, changes, reason or None)
        return self._become_ready(understanding, changes)

    def _take_evidence(self, resolved: Values, evidence: Values) -> list[Gap]:
        """Make facts of the slots and symbols that come with evidence."""
        gaps = []
        for name, claim in evidence.items():
            if name in SLOTS:
                value = resolved.get(name) or self.frame.get(name)
                refusal = self._confirm(name, as_text(value, name), claim)
            else:
                refusal = self._confirm_symbol(name, claim)
            if refusal:
                gaps.append(Gap.from_dict(refusal))
        return gaps

    def _find_unproven(self, resolved: Values, evidence: Values) -> list[Gap]:
        """Return a gap for each new value of a slot that comes without evidence."""
        gaps = []
        for slot in SLOTS:
            # The value of the frame may be repeated: it was checked before.
            value = str(resolved.get(slot) or "")
            old_value = self.frame.get(slot) or ""
            if not value or slot in evidence or fold_text(value) == fold_text(old_value):
                continue
            text = repr(value[:_MAX_VALUE])
            message = f"{slot}: {text} is neither what the request says nor shown by a call"
            missing = {"slot_evidence": [slot]}
            gaps.append(Gap("evidence_missing", message, missing, ("search_text",)))
        return gaps

    def _confirm_symbol(self, name: str, evidence: Any) -> Answer | None:
        """Make a symbol a fact; return the refusal if the evidence does not show it."""
        claim = read_evidence(evidence)
        code, message = "evidence_unrelated", ""
        checked = find_call(self.state, claim)
        if checked.call is None:
            code, message = checked.reason_code, checked.message
        elif not supports_symbol(checked.call, name):
            message = f"{checked.call.summary} did not find it"
        else:
            self._map_symbol(MappedSymbol(name, FACT, 1.0, as_recorded(claim, checked.call)))
            return None
        missing = {"slot_evidence": [name]}
        return refuse(code, f"{name}: {message}", missing, ["find_definitions"])

    def _map_symbol(self, symbol: MappedSymbol) -> None:
        """Add a symbol to the frame. An older one of the same name stays."""
        symbols = self.frame.mapped_symbols
        if all(older.name != symbol.name for older in symbols):
            symbols.append(symbol)

    def _take_exceptions(self, exceptions: Values) -> list[Gap]:
        """Record that a feature request has no observed issue; return the gap if it may not."""
        claim = as_object(exceptions.get("observed_issue"), "not_applicable.observed_issue")
        reason = str(claim.get("reason", ""))
        # Each rule has its message: a model repeats a refusal without a reason.
        is_strict = self.state.strict_seed or self.state.level == "strict"
        is_other = list(exceptions) != ["observed_issue"]
        code = "not_declarable"
        if is_other or self.state.intent is not IntentType.IMPLEMENT:
            message = "only a request to IMPLEMENT may say so, of observed_issue alone"
        elif is_strict:
            message = "under the strict rules there is always an observed issue"
        elif "observed_issue" in self.state.stated:
            message = "the request itself says an observed issue"
        elif len(reason.strip()) < _LEAST_REASON:
            code = "reason_missing"
            message = "observed_issue: say as `reason` why there is none"
        else:
            checked = find_call(self.state, read_evidence(claim.get("evidence")), empty=True)
            if checked.call is not None and self._asks_for(checked.call):
                self.state.not_applicable = {"observed_issue": reason[:_MAX_REASON]}
                return []
            code, message = checked.reason_code, checked.message
            if checked.call is not None:
                code = "evidence_unrelated"
                message = f"{checked.call.summary} looked for no word of the request"
        return [Gap(code, message, {"not_applicable": ["observed_issue"]}, ("search_text",))]

    def _asks_for(self, call: Call) -> bool:
        """Return whether a call searched for something that the request names."""
        request = self.frame.raw_query
        words = {*content_words(request), *self.workspace.synonyms.of(request)}
        words -= weak_words()[0]
        # Not the folder that was searched, which any search may name.
        searched = [call.params[name] for name in _SEARCHED if name in call.params]
        text = fold_text(str(searched))
        return any(word in text for word in words)

    def _gaps(self, understanding: Understanding) -> list[Gap]:
        examination = Examination(
            self.state,
            understanding,
            self.depth(),
            self.workspace.sizes(),
            self._related,
            markup=self._is_markup_enough(understanding),
        )
        return examination.find_gaps()

    def _is_markup_enough(self, understanding: Understanding) -> bool:
        """Return whether only markup was read, and the request is about it."""
        paths = understanding.files_analyzed
        if self.state.level == "strict" or not paths or not all(map(is_markup, paths)):
            return False
        request = self.frame.raw_query
        if speaks_of_markup(request) or any(map(is_markup, paths_in(request))):
            return True
        # A target that the session found does not count: it could be one that only a README has.
        target = self.frame.slot_quotes.get("target_feature") or request
        return self.workspace.is_only_markup(target)

    def _stay(self, gaps: list[Gap], changes: Changes, reason: str | None = None) -> Step:
        """Return the gaps. If facts were searched and do not suffice, semantic search follows."""
        missing: dict[str, Any] = {}
        following: dict[str, None] = {}
        for gap in gaps:
            following |= dict.fromkeys(gap.next)
            for name, value in gap.missing.items():
                older = missing.get(name)
                is_list = isinstance(older, list) and isinstance(value, list)
                missing[name] = older + value if is_list else value
        message = "; ".join(gap.message for gap in gaps[:_MAX_GAPS])
        answer = refuse(gaps[0].reason_code, message, missing, list(following))
        # The message has the first gaps, `gaps` all of them.
        answer["gaps"] = [shorten(gap.to_dict()) for gap in gaps]
        answer |= self._slots()
        # A round counts, whether its hypotheses turn out true or not.
        if self._wants_semantic(gaps, reason):
            rounds = self.state.rounds + 1
            changes["rounds"] = rounds
            changes["phase"] = str(Phase.SEMANTIC)
            answer["next"] = ["semantic_search", "submit_semantic"]
            if rounds > MOST_ROUNDS:
                changes["phase"] = str(Phase.NEEDS_USER)
                answer["next"] = ["start_session"]
                answer |= {"reason_code": "needs_user", "message": _TRIED}
        return answer, {"set": changes}

    def _wants_semantic(self, gaps: list[Gap], reason: str | None) -> bool:
        """Return whether only slots are missing that facts do not give."""
        if self.state.phase is not Phase.EXPLORATION or not self.state.intent.writes:
            return False
        results = {"tools_used": self.state.used(), "reason": reason}
        if not should_allow_devrag(self.frame, results).allowed:
            return False
        # A client that gives a valid reason wants it.
        if reason is not None:
            return True
        codes = {gap.reason_code for gap in gaps}
        # A slot without evidence is another thing: the evidence can be searched.
        is_missing = not self.frame.target_feature and "slot_missing" in codes
        return is_missing and codes <= _SLOT_GAPS

    def _become_ready(self, understanding: Understanding, changes: Changes) -> Step:
        """Return the end of the exploration: symbols are final, and their target is a fact."""
        symbols = understanding.symbols_identified
        self.frame.confirmed_symbols = list(symbols)
        if self.frame.target_feature and "target_feature" not in self.frame.slot_source:
            self._confirm_by_symbols(symbols)
        changes["frame"] = self.frame.to_dict()
        changes["phase"] = str(Phase.READY)
        changes["markup_only"] = not symbols and self._is_markup_enough(understanding)
        answer = {
            "ok": True,
            "reason_code": "ready",
            "message": "ready",
            "next": ["check_write_target" if self.state.intent.writes else "record_outcome"],
            **self._slots(),
        }
        return answer, {"set": changes}

    def _confirm_by_symbols(self, symbols: Sequence[str]) -> None:
        """Make the target a fact by the definition of a symbol that is related to it."""
        target = self.frame.target_feature or ""
        for name in symbols:
            for call in self.state.calls:
                is_definition = call.tool == "find_definitions" and call.shown
                if not is_definition or not supports_symbol(call, name):
                    continue
                if self._related(target, name):
                    evidence = as_recorded(Evidence(call.tool), call)
                    self.frame.fill("target_feature", target, FACT, evidence)
                    return
