"""A request on its way from looking to writing: every step is recorded, and judged by the record alone.

Law: the state is what the log says; several processes may have one session open, and whoever is killed loses nothing
that was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Any

from ...core.ground.json_objects import FieldError
from ..requests.frame import SLOTS
from .arguments import as_count, as_list, as_object, as_ranges, as_text
from .decision_log import DecisionLog, LogBusy, now
from .events import Call, Found, Start, read_start
from .looking.exploring import Explorer
from .looking.opening import Opening
from .looking.searches import Searches
from .looking.seen import Seen, find_fresh, name_fresh
from .outcomes import count_outcomes, explain
from .phases import ALLOWED, FACTS_FIRST, SEMANTIC_SEARCH, Phase, allowed_tools, should_allow_devrag
from .record import State, read_result
from .sealed_lines import BadLogError, Event, WrongRootError
from .slot_steps import Answer, refuse
from .steps import Steps
from .surroundings import Surroundings
from .write_gate import check_command, check_target

_MOST_LOGGED = 2_000  # characters of arguments that are kept
_OFF = "gate is off: this session refuses unsafe paths alone"
_UNSEALED = "the log of this session has no seal, so whoever can write it can forge it: {}"
OUTCOMES = ("success", "failure", "partial")


class Session(Searches):
    """A request that is worked on. Every method returns a JSON object; a refusal says `reason_code`, `missing`, `next`.

    Made by `Workspace.start_session`, found again by `Workspace.session`.
    """

    def __init__(self, workspace: Surroundings, session_id: str, log: DecisionLog) -> None:
        self.workspace, self.id, self.log = workspace, session_id, log
        self._state: State | None = None
        self._lock = RLock()

    def __repr__(self) -> str:
        return f"<Session in {self.phase}>"

    @property
    def state(self) -> State:
        """What the record says now."""
        with self._turn() as (_, state):
            return state

    @property
    def phase(self) -> Phase:
        """Where the session stands."""
        return self.state.phase

    @property
    def notes(self) -> list[str]:
        """What weakens this session: its gate is off, or its log has no seal; empty for most."""
        return self._notes(self.state)

    # ---- looking

    def semantic_search(self, query: str, reason: str | None = None, **options: Any) -> Answer:
        """Return what may be meant: hypotheses. Only in SEMANTIC, and for a reason where facts did not do."""
        state = self.state
        asked = {"tools_used": state.used(), "reason": reason}
        allowance = should_allow_devrag(state.frame, asked)
        if state.phase is Phase.SEMANTIC and not allowance.allowed:
            refusal = refuse(
                "semantic_not_allowed", allowance.reason, {"tools": list(FACTS_FIRST)}, ["submit_semantic"]
            )
            return self._decide(SEMANTIC_SEARCH, asked, lambda state: (refusal, {}))
        return self.call(SEMANTIC_SEARCH, query=query, **options)

    def call(self, tool: str, **params: Any) -> Answer:
        """Return what a tool of the index finds, and record it with the files that it showed."""
        if blocked := self._blocked(tool):
            return blocked
        try:
            params = self.workspace.read_params(tool, params)
        except FieldError as error:
            refusal = refuse("bad_arguments", str(error), {}, [tool])
            return self._decide(tool, params, lambda state: (refusal, {}))
        result = name_fresh(self.workspace.run_tool(tool, params), self.workspace.root, self.state.begun)
        seen = Seen.read(result, self.workspace)
        with self._turn() as (added, state):
            call = read_result(len(state.calls) + 1, tool, params, result, phase=str(state.phase), at=now())
            added.append({"call": call.to_dict(), "explored": seen.hashes, "ranges": seen.ranges})
            state.take(added[-1])
        return {"ok": call.ok, "call": call.number, "phase": call.phase, **result}

    def add_explored_files(self, paths: list[str] | str) -> Answer:
        """Return the texts of files, which count as looked at from now on; they are opened here, not believed."""

        def act(state: State) -> tuple[Answer, Answer]:
            named = [as_text(path, "paths") for path in as_list(paths, "paths")]
            opening = Opening.read(named, self.workspace)
            fresh = find_fresh(self.workspace.root, opening.hashes, state.begun)
            opened = opening.names(self.workspace)
            call = Call(
                number=len(state.calls) + 1,
                tool="add_explored_files",
                params={"paths": list(opening.ranges)},
                phase=str(state.phase),
                at=now(),
                ok=True,
                shown=len(opening.items),
                files=tuple(opening.hashes),
                found={path: Found(names) for path, names in opened.items() if path not in fresh},
                fresh=tuple(fresh),
            )
            changes = {"explored": opening.hashes, "ranges": opening.ranges, "call": call.to_dict()}
            return opening.answer(), changes

        return self._decide("add_explored_files", {"paths": paths}, act)

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
            `nothing_found` where no file was found, `bad_arguments` for wrong numbers.
        """
        given = {"words": words, "tokens": tokens, "calls": calls}
        try:
            asked = " ".join(as_text(word, "words") for word in as_list(words, "words"))
            explorer = Explorer(self, asked, as_count(tokens, "tokens"), as_count(calls, "calls"))
        except FieldError as error:
            answer = refuse("bad_arguments", str(error), {}, ["explore"])
        else:
            answer = explorer.explore()
        return self._decide("explore", given, lambda state: (answer, {}))

    # ---- the request

    def set_query_frame(self, frame: Any = None, **slots: Any) -> Answer:
        """Return which slots were read from the request: `{slot: {"value": …, "quote": …}}`, also slot by slot."""
        given = {**as_object(frame, "frame"), **slots}
        return self._step("set_query_frame", {"frame": given}, lambda steps: steps.set_query_frame(given))

    def update_slot(self, slot: str, value: str, evidence: Any) -> Answer:
        """Return the slot with what the code shows of it; `evidence` names the call that does."""
        given = {"slot": slot, "value": value, "evidence": evidence}
        return self._step("update_slot", given, lambda steps: steps.update_slot(slot, value, evidence))

    def get_session_status(self) -> Answer:
        """Return where the session stands: phase, slots, risk, what is asked for, what was looked at, what is next."""
        state = self.state
        return {**Steps(state, self.workspace).status(), **_told(self._notes(state))}

    # ---- moving on

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
        """Return whether what was understood is enough, and the phase that follows; the record decides.

        `not_applicable` may say of a feature request that it has no observed issue: a `reason`, and the `evidence` of a
        search that found nothing. `semantic_reason` asks for semantic search.
        """
        given = {name: value for name, value in locals().items() if name != "self"}
        return self._step("submit_understanding", given, lambda steps: steps.submit_understanding(given))

    def submit_semantic(self, hypotheses: Any = None) -> Answer:
        """Return the phase after semantic search; each hypothesis has `slot` and `value`, or `symbol`, a `confidence`
        and as `evidence` the search."""
        return self._step(
            "submit_semantic", {"hypotheses": hypotheses}, lambda steps: steps.submit_semantic(hypotheses)
        )

    def submit_verification(self, verified: Any = None) -> Answer:
        """Return the phase after the check of all hypotheses; a slot's needs `evidence` that was found afterwards.

        Symbols are looked up here, whatever is said. Then all of the gate for READY is gone through again.
        """
        if blocked := self._blocked("submit_verification"):
            return blocked
        for name in [symbol.name for symbol in self.state.frame.mapped_symbols if symbol.source == "HYPOTHESIS"]:
            self.call("find_definitions", symbol=name)
        return self._step(
            "submit_verification", {"verified": verified}, lambda steps: steps.submit_verification(verified)
        )

    def revert_to_exploration(self, reason: str | None = None) -> Answer:
        """Return to looking; what was looked at is kept, what was understood is submitted again."""
        return self._step("revert_to_exploration", {"reason": reason}, lambda steps: steps.revert(str(reason or "")))

    # ---- writing

    def check_write_target(self, path: str, reason: str | None = None, lines: Any = None) -> Answer:
        """Return whether a file may be written now (`allowed`).

        Args:
            path: The file, relative to the root.
            reason: Why a new file is made in a folder where nothing was looked at.
            lines: The first and the last line of each place that changes, as pairs; of a file above
                20,000 characters they must have been shown. None: the whole file changes.
        """

        def act(state: State) -> tuple[Answer, Answer]:
            where, why = as_text(path, "path"), as_text(reason, "reason")
            ranges = None if lines is None else as_ranges(lines, "lines")
            return check_target(self.workspace.view, state, where, why, ranges), {}

        given = {"path": path, "reason": reason, "lines": lines}
        return {"allowed": False, **self._decide("check_write_target", given, act)}

    def check_plan(self, checks: Mapping[str, Callable[[State], Answer]]) -> Answer:
        """Return the answers to several questions about one plan, recorded as one decision.

        Args:
            checks: The questions of `write_gate`, by what they are about.

        Returns:
            `answers`, in their order; `allowed` if all are.
        """

        def act(state: State) -> tuple[Answer, Answer]:
            answers = [check(state) for check in checks.values()]
            refusals = [answer for answer in answers if not answer["allowed"]]
            # One that weakens the gate is told of a plan without refusals.
            doubts = [answer for answer in answers if answer["would_refuse"]]
            first = next(iter([*refusals, *doubts, *answers]), {})
            members = {name: first.get(name) for name in ("reason_code", "would_refuse", "message")}
            return {"ok": not refusals, "allowed": not refusals, **members, "answers": answers}, {}

        return {"allowed": False, "recovery": [], **self._decide("check_plan", {"of": list(checks)}, act)}

    def check_command(self, command: str) -> Answer:
        """Return whether a command may be run now (`allowed`): it can write anything, so only at the end."""

        def act(state: State) -> tuple[Answer, Answer]:
            return check_command(state, as_text(command, "command")), {}

        return {"allowed": False, "recovery": [], **self._decide("check_command", {"command": command}, act)}

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
            run_id: The run of models that the change came from, as the log of runs has it.
            model_id: The model that made the change.

        Returns:
            The outcome with the risk, the phase and the evidence; `bad_arguments` for others.
        """

        def act(state: State) -> tuple[Answer, Answer]:
            if outcome not in OUTCOMES or (slot and slot not in SLOTS):
                wanted = {"outcome": list(OUTCOMES), "slot": list(SLOTS)}
                return refuse("bad_arguments", "an outcome, and perhaps a slot, of those known", wanted), {}
            told = {"session": self.id, "outcome": outcome, "slot": slot, "note": str(note or "")[:_MOST_LOGGED]}
            told |= {"run_id": as_text(run_id, "run_id") or None, "model_id": as_text(model_id, "model_id") or None}
            told |= Steps(state, self.workspace).summary()
            self.workspace.outcomes.append(told)
            return {"ok": True, **told}, {}

        return self._decide("record_outcome", {"outcome": outcome, "slot": slot}, act)

    def get_outcome_stats(self) -> Answer:
        """Return how sessions in this folder ended: by outcome, by risk, and by the tools that gave evidence."""
        return count_outcomes(*self.workspace.outcomes.read())

    def why(self) -> Answer:
        """Return the way of the session: its decisions, refusals, evidence, outcome, and which tool led astray."""
        state, (outcomes, _) = self.state, self.workspace.outcomes.read()
        told = explain(state, list(self.log), [each for each in outcomes if each["session"] == self.id])
        return {**told, **_told(self._notes(state))}

    # ---- the record

    def _step(self, tool: str, given: Answer, act: Callable[[Steps], tuple[Answer, Answer]]) -> Answer:
        return self._decide(tool, given, lambda state: act(Steps(state, self.workspace)))

    def _decide(self, tool: str, given: Answer, act: Callable[[State], tuple[Answer, Answer]]) -> Answer:
        """Return what a decision answers; it is recorded with what it changes."""
        try:
            with self._turn() as (added, state):
                if blocked := _phase_blocks(state, tool):
                    answer, changes = blocked, dict[str, Any]()
                else:
                    try:
                        answer, changes = act(state)
                    except (FieldError, ValueError, TypeError, KeyError) as error:
                        answer, changes = refuse("bad_arguments", str(error)), {}
                event = {
                    "tool": tool,
                    "given": str({name: value for name, value in given.items() if value is not None})[:_MOST_LOGGED],
                    "ok": bool(answer.get("ok")),
                    "reason_code": answer.get("reason_code", ""),
                    "would_refuse": answer.get("would_refuse") or "",
                    "message": answer.get("message", ""),
                    **changes,
                }
                added.append(event)
                state.take(event)
                return {**answer, "phase": str(state.phase), "session_id": self.id, **_told(self._notes(state))}
        except LogBusy as error:
            return refuse("session_busy", str(error), {}, [tool])

    def _blocked(self, tool: str) -> Answer | None:
        """Return the refusal of a tool that the phase does not allow, recorded; None if it does."""
        if _phase_blocks(self.state, tool) is None:
            return None
        return self._decide(tool, {}, lambda state: (refuse("phase_blocked", "try again"), {}))

    @contextmanager
    def _turn(self) -> Iterator[tuple[list[Event], State]]:
        """Hold the log, with the state as all processes have left it; what fails half-way leaves no trace in memory."""
        with self._lock:
            try:
                with self.log.writing() as (news, added):
                    self._take(news)
                    assert self._state is not None  # a log without lines is refused
                    yield added, self._state
            except BaseException:  # what is in memory may be ahead of the file
                self._state, self.log = None, DecisionLog(self.log.path)
                raise

    def _take(self, news: list[Event]) -> None:
        """Take note of lines that were written since; raise `BadLogError` for what no session says."""
        for event in news:
            try:
                if self._state is None:
                    self._state = State.begin(self._check_start(read_start(event)))
                else:
                    self._state.take(event)
            except FieldError as error:
                raise BadLogError(f"{self.log.path}: {error}. Start a new session; this file can be removed") from None

    def _check_start(self, start: Start) -> Start:
        """Return the first line; raise `BadLogError` for the log of another session or another folder."""
        if start.root != self.workspace.root:
            raise WrongRootError(
                f"{self.log.path}: this session is about {start.root}, not about {self.workspace.root}: "
                "a log counts for the folder where it began. Start a new session here"
            )
        if start.id != self.id:
            raise BadLogError(f"{self.log.path}: this is a copy of the log of another session: name that session")
        return start

    def _notes(self, state: State) -> list[str]:
        """Return what weakens this session: the gate is off, its log has no seal."""
        notes = [_OFF] if state.level == "off" else []
        return notes + ([_UNSEALED.format(self.log.unsealed)] if self.log.unsealed else [])


def _told(notes: list[str]) -> Answer:
    return {"notes": notes} if notes else {}


def _phase_blocks(state: State, tool: str) -> Answer | None:
    allowed = ALLOWED.get(tool, ())
    if state.phase in allowed:
        return None
    possible = allowed_tools(state.phase)
    message = f"{tool} is for {', '.join(allowed)}; the session is in {state.phase}"
    return refuse("phase_blocked", message, {"phase": [str(phase) for phase in allowed]}, possible)
