"""The record of a session on disk: every decision is recorded, and judged by the record alone.

Invariant: the state follows from the log. Several processes may have one session open, and a
process that is killed loses nothing that was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

from ...core.ground.json_objects import FieldError
from .arguments import Values
from .decision_log import DecisionLog, LogBusy
from .phases import ALLOWED, Phase, allowed_tools
from .record import Start, State, read_start
from .sealed_lines import BadLogError, Event, WrongRootError
from .slot_steps import Answer, Step, refuse
from .surroundings import Surroundings

MOST_LOGGED = 2_000  # characters of arguments that are recorded
_OFF = "gate is off: this session refuses unsafe paths alone"
_UNSEALED = "the log of this session has no seal, so any program that can write it can forge it: {}"
_ADVICE = "Start a new session; this file can be removed"
Act = Callable[[State], Step]


class SessionRecord:
    """A session as its log has it.

    Args:
        workspace: The folder.
        session_id: The id.
        log: The log.
    """

    def __init__(self, workspace: Surroundings, session_id: str, log: DecisionLog) -> None:
        self.workspace = workspace
        self.id = session_id
        self.log = log
        self._state: State | None = None
        self._lock = RLock()

    def __repr__(self) -> str:
        return f"<Session in {self.phase}>"

    @property
    def state(self) -> State:
        """The state, with the lines that other processes have written until now."""
        with self._turn() as (_, state):
            return state

    @property
    def phase(self) -> Phase:
        """The phase."""
        return self.state.phase

    @property
    def notes(self) -> list[str]:
        """Notes on weaknesses: the gate is off, or the log has no seal."""
        return self._notes(self.state)

    def _decide(self, tool: str, arguments: Values, act: Act) -> Answer:
        """Return the answer of a decision, and record it with its changes."""
        try:
            with self._turn() as (added, state):
                answer = _check_phase(state, tool)
                changes: Answer = {}
                if answer is None:
                    try:
                        answer, changes = act(state)
                    except (FieldError, ValueError, TypeError, KeyError) as error:
                        answer = refuse("bad_arguments", str(error))
                values = {
                    name: arguments[name] for name in arguments if arguments[name] is not None
                }
                # Refusals are recorded, too: a person can see what was tried.
                event = {
                    "tool": tool,
                    "given": str(values)[:MOST_LOGGED],
                    "ok": bool(answer.get("ok")),
                    "reason_code": answer.get("reason_code", ""),
                    "would_refuse": answer.get("would_refuse") or "",
                    "message": answer.get("message", ""),
                    **changes,
                }
                added.append(event)
                state.take(event)
                answer = answer | {"phase": str(state.phase), "session_id": self.id}
                return self._with_notes(answer, state)
        # Nothing was decided, so nothing is recorded.
        except LogBusy as error:
            return refuse("session_busy", str(error), {}, [tool])

    def _refuse(self, tool: str, arguments: Values, refusal: Answer) -> Answer:
        """Return a refusal, and record it."""
        return self._decide(tool, arguments, lambda state: (refusal, {}))

    def _blocked(self, tool: str) -> Answer | None:
        """Return the refusal of a tool that the phase does not allow, recorded; None if it does."""
        if _check_phase(self.state, tool) is None:
            return None
        # The phase may have changed since.
        return self._refuse(tool, {}, refuse("phase_blocked", "try again"))

    @contextmanager
    def _turn(self) -> Iterator[tuple[list[Event], State]]:
        """Hold the log, and yield a list for new events, and the state with all older ones."""
        with self._lock:
            try:
                with self.log.writing() as (events, added):
                    self._take(events)
                    # A log without lines is refused.
                    assert self._state is not None
                    yield added, self._state
            except BaseException:
                # The state in memory may be ahead of the file: it is read again.
                self._state = None
                self.log = DecisionLog(self.log.path)
                raise

    def _take(self, events: list[Event]) -> None:
        """Change the state by lines of the log; `BadLogError` is raised if one is not an event."""
        for event in events:
            try:
                if self._state is None:
                    start = read_start(event)
                    self._check_start(start)
                    self._state = State.begin(start)
                else:
                    self._state.take(event)
            except FieldError as error:
                raise BadLogError(f"{self.log.path}: {error}. {_ADVICE}") from None

    def _check_start(self, start: Start) -> None:
        """Raise `BadLogError` for the log of another session or another folder."""
        root = self.workspace.root
        if start.root != root:
            raise WrongRootError(
                f"{self.log.path}: this session is about {start.root}, not about {root}: "
                "a log counts for the folder where it began. Start a new session here"
            )
        # A copy could be changed while the session continues.
        if start.id != self.id:
            message = "this is a copy of the log of another session: name that session"
            raise BadLogError(f"{self.log.path}: {message}")

    def _notes(self, state: State) -> list[str]:
        notes = [_OFF] if state.level == "off" else []
        if self.log.unsealed:
            notes.append(_UNSEALED.format(self.log.unsealed))
        return notes

    def _with_notes(self, answer: Answer, state: State) -> Answer:
        notes = self._notes(state)
        return {**answer, "notes": notes} if notes else answer


def _check_phase(state: State, tool: str) -> Answer | None:
    """Return the refusal of a tool that the phase does not allow."""
    phases = ALLOWED.get(tool, ())
    if state.phase in phases:
        return None
    names = list(map(str, phases))
    listed = ", ".join(names)
    message = f"{tool} is for {listed}; the session is in {state.phase}"
    return refuse("phase_blocked", message, {"phase": names}, allowed_tools(state.phase))
