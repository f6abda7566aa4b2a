"""A session: a request that is explored, understood, and then changed.

Every step is recorded, and judged by the record alone (`session_record`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...core.ground.json_objects import FieldError
from ..requests.frame import HYPOTHESIS, SLOTS
from .arguments import as_count, as_list, as_object, as_ranges, as_text
from .looking.exploring import Explorer
from .looking.searches import Searches
from .outcomes import count_outcomes, explain
from .record import State
from .session_record import MOST_LOGGED
from .slot_steps import Answer, Step, refuse
from .steps import Steps
from .write_gate import check_command, check_target

OUTCOMES = ("success", "failure", "partial")


class Session(Searches):
    """A request that is worked on.

    Every method returns a JSON object; a refusal has `reason_code`, `missing` and `next`.
    `Workspace.start_session` makes a session, `Workspace.session` finds it again.
    """

    # ---- the request

    def explore(self, words: Any = None, *, tokens: int = 8_000, calls: int = 40) -> Answer:
        """Return the files that the request is most likely about, opened, found by many searches.

        Args:
            words: Words to search for, a text or a list. None: those of the request.
            tokens: The most tokens of all texts in the answer; at most half of them for searches.
            calls: The most searches.

        Returns:
            `items`, the opened files or parts of them; `definitions`, `path:line` by name; `hits`,
            lines that the request quotes; `understanding`, arguments for `submit_understanding` as
            the record supports them; `calls` and `tokens` that were spent. The refusal
            `nothing_found` if no file was found, `bad_arguments` for wrong numbers.
        """
        arguments = {"words": words, "tokens": tokens, "calls": calls}
        try:
            text = " ".join(as_text(word, "words") for word in as_list(words, "words"))
            token_limit = as_count(tokens, "tokens")
            call_limit = as_count(calls, "calls")
        except FieldError as error:
            answer = refuse("bad_arguments", str(error), {}, ["explore"])
        else:
            answer = Explorer(self, text, token_limit, call_limit).explore()
        # The calls are recorded one by one; this records the exploration.
        return self._decide("explore", arguments, lambda state: (answer, {}))

    def set_query_frame(self, frame: Any = None, **slots: Any) -> Answer:
        """Return the slots that were read from the request.

        Args:
            frame: `{slot: {"value": …, "quote": …}}`.
            slots: The same, slot by slot.
        """
        # Programs pass slots by name, clients of MCP one object.
        values = {**as_object(frame, "frame"), **slots}
        arguments = {"frame": values}
        return self._step("set_query_frame", arguments, lambda step: step.set_query_frame(values))

    def update_slot(self, slot: str, value: str, evidence: Any) -> Answer:
        """Return the slots after one of them became a fact.

        Args:
            slot: The slot.
            value: Its value.
            evidence: The call that shows it.
        """
        arguments = {"slot": slot, "value": value, "evidence": evidence}
        return self._step("update_slot", arguments, lambda step: step.update_slot(**arguments))

    def get_session_status(self) -> Answer:
        """Return phase, slots, risk, requirements, what was looked at, and the next tools."""
        state = self.state
        return self._with_notes(Steps(state, self.workspace).status(), state)

    # ---- the way to READY

    def submit_understanding(
        self,
        symbols_identified: Any = None,
        entry_points: Any = None,
        existing_patterns: Any = None,
        files_analyzed: Any = None,
        resolved_frame: Any = None,
        slot_evidence: Any = None,
        not_applicable: Any = None,
        semantic_reason: str | None = None,
    ) -> Answer:
        """Return whether an understanding is sufficient, and the phase that follows.

        The record decides.

        Args:
            symbols_identified: Symbols that belong to the request.
            entry_points: Symbols or files through which they are reached.
            existing_patterns: How the code does such things, each with a symbol or file.
            files_analyzed: Files that were looked at.
            resolved_frame: Values of slots.
            slot_evidence: The call that shows a slot or symbol, by its name.
            not_applicable: That a feature request has no observed issue: a `reason`, and the
                `evidence` of a search that found nothing.
            semantic_reason: Asks for semantic search.
        """
        # First: no other local name exists yet.
        arguments = dict(locals())
        del arguments["self"]
        return self._step(
            "submit_understanding", arguments, lambda step: step.submit_understanding(arguments)
        )

    def submit_semantic(self, hypotheses: Any = None) -> Answer:
        """Return the phase after semantic search.

        Args:
            hypotheses: Each has `slot` and `value`, or `symbol`, a `confidence`, and as `evidence`
                the search.
        """
        arguments = {"hypotheses": hypotheses}
        return self._step(
            "submit_semantic", arguments, lambda step: step.submit_semantic(hypotheses)
        )

    def submit_verification(self, verified: Any = None) -> Answer:
        """Return the phase after the check of all hypotheses.

        All requirements of READY are then checked again.

        Args:
            verified: The `evidence` for each slot, found after the hypotheses. Symbols are looked
                up here.
        """
        blocked = self._blocked("submit_verification")
        if blocked:
            return blocked
        # The step reads the record: the calls must be there before it.
        for symbol in self.state.frame.mapped_symbols:
            if symbol.source == HYPOTHESIS:
                self.call("find_definitions", symbol=symbol.name)
        arguments = {"verified": verified}
        return self._step(
            "submit_verification", arguments, lambda step: step.submit_verification(verified)
        )

    def revert_to_exploration(self, reason: str | None = None) -> Answer:
        """Return to the exploration. Files stay explored; an understanding is submitted again."""
        arguments = {"reason": reason}
        return self._step(
            "revert_to_exploration", arguments, lambda step: step.revert(str(reason or ""))
        )

    # ---- writing

    def check_write_target(self, path: str, reason: str | None = None, lines: Any = None) -> Answer:
        """Return whether a file may be written now (`allowed`).

        Args:
            path: The file, relative to the root.
            reason: Why a new file is made in a folder where nothing was looked at.
            lines: The first and the last line of each place that changes, as pairs. They must have
                been shown if the file has more than 20,000 characters. None: all lines change.
        """

        def act(state: State) -> Step:
            answer = check_target(
                self.workspace.view,
                state,
                as_text(path, "path"),
                reason=as_text(reason, "reason"),
                lines=None if lines is None else as_ranges(lines, "lines"),
            )
            return answer, {}

        arguments = {"path": path, "reason": reason, "lines": lines}
        return {"allowed": False, **self._decide("check_write_target", arguments, act)}

    def check_plan(self, checks: Mapping[str, Callable[[State], Answer]]) -> Answer:
        """Return the answers to several questions about one plan, recorded as one decision.

        Args:
            checks: The questions of `write_gate`, by their names.

        Returns:
            `answers`, in their order; `allowed` if all are.
        """

        def act(state: State) -> Step:
            answers = [check(state) for check in checks.values()]
            refusals = [answer for answer in answers if not answer["allowed"]]
            # If nothing is refused, a refusal that the level suppressed is reported.
            doubts = [answer for answer in answers if answer["would_refuse"]]
            first = next(iter([*refusals, *doubts, *answers]), {})
            answer = {
                "ok": not refusals,
                "allowed": not refusals,
                # Of a plan without a change there is nothing to ask.
                "reason_code": first.get("reason_code", "allowed"),
                "would_refuse": first.get("would_refuse"),
                "message": first.get("message", ""),
                "answers": answers,
            }
            return answer, {}

        # A busy session has no answers: then these members are still there.
        answer = self._decide("check_plan", {"of": list(checks)}, act)
        return {"allowed": False, "recovery": [], **answer}

    def check_command(self, command: str) -> Answer:
        """Return whether a command may be run now (`allowed`): it can write any file."""

        def act(state: State) -> Step:
            return check_command(state, as_text(command, "command")), {}

        answer = self._decide("check_command", {"command": command}, act)
        return {"allowed": False, "recovery": [], **answer}

    # ---- afterwards

    def record_outcome(
        self,
        outcome: str,
        slot: str | None = None,
        note: str | None = None,
        run_id: str | None = None,
        model_id: str | None = None,
    ) -> Answer:
        """Return the outcome of the session as recorded.

        Args:
            outcome: "success", "failure" or "partial".
            slot: The slot that was misread.
            note: What happened.
            run_id: The run of models that made the change, as the log of runs has it.
            model_id: The model that made the change.

        Returns:
            The outcome with the risk, the phase and the evidence; `bad_arguments` for others.
        """

        def act(state: State) -> Step:
            if outcome not in OUTCOMES or (slot and slot not in SLOTS):
                accepted = {"outcome": list(OUTCOMES), "slot": list(SLOTS)}
                message = "an outcome, and perhaps a slot, of those known"
                return refuse("bad_arguments", message, accepted), {}
            report = {
                "session": self.id,
                "outcome": outcome,
                "slot": slot,
                "note": str(note or "")[:MOST_LOGGED],
                "run_id": as_text(run_id, "run_id") or None,
                "model_id": as_text(model_id, "model_id") or None,
                **Steps(state, self.workspace).summary(),
            }
            # Two files: the log of the session, and one that is counted for all sessions.
            self.workspace.outcomes.append(report)
            return {"ok": True, **report}, {}

        return self._decide("record_outcome", {"outcome": outcome, "slot": slot}, act)

    def get_outcome_stats(self) -> Answer:
        """Return how sessions in this folder ended: by outcome, risk, and tool of the evidence."""
        return count_outcomes(*self.workspace.outcomes.read())

    def why(self) -> Answer:
        """Return the decisions, refusals, evidence and outcomes, and which tool led astray."""
        state = self.state
        outcomes, _ = self.workspace.outcomes.read()
        own = [outcome for outcome in outcomes if outcome["session"] == self.id]
        return self._with_notes(explain(state, self.log, own), state)

    def _step(self, tool: str, arguments: Answer, act: Callable[[Steps], Step]) -> Answer:
        return self._decide(tool, arguments, lambda state: act(Steps(state, self.workspace)))
