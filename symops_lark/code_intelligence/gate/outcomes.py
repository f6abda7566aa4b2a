"""The outcomes of the sessions of a folder: their log, their counts, and the path of one session.

The log has one JSON line for each report. Lines are not sealed: they are counted, and decide
nothing. `session` joins them with the logs of sessions.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.ground.json_lines import split_lines
from ...core.ground.json_objects import FieldError, read_object, write_object
from .arguments import Values, shorten
from .decision_log import append_all, now, open_plain, wait_for
from .record import Call, State
from .sealed_lines import Event

Table = dict[str, dict[str, int]]
_MAX_SHOWN = 500  # decisions and calls that are shown: the last ones
_DECISION = ("at", "tool", "ok", "reason_code", "would_refuse", "message")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a session ended.

    Attributes:
        session: The id of the session.
        at: The time.
        outcome: `success`, `failure` or `partial`.
        slot: The slot that was misread.
        note: What happened.
        risk_level: The risk of the request.
        phase: The phase of the session.
        intent: The intent of the request.
        evidence: The tool that each slot rests on.
        run_id: The run of models that made the change, as the log of runs has it.
        model_id: The model that made the change.
    """

    session: str
    at: str = ""
    outcome: str = ""
    slot: str | None = None
    note: str = ""
    risk_level: str = ""
    phase: str = ""
    intent: str = ""
    evidence: dict[str, str] = field(default_factory=dict)
    run_id: str | None = None
    model_id: str | None = None


class OutcomeLog:
    """The outcomes of the sessions of a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, outcome: Values) -> None:
        """Write an outcome as the last line."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        event = {"at": now(), **outcome}
        line = json.dumps(event, separators=(",", ":"), default=str) + "\n"
        with open_plain(self.path, os.O_CREAT | os.O_RDWR | os.O_APPEND) as file:
            wait_for(file.fileno(), self.path)
            _, incomplete = split_lines(file.read())
            # A writer was killed: its half line must not swallow this one.
            if incomplete:
                line = "\n" + line
            append_all(file, line.encode("ascii"))

    def read(self) -> tuple[list[Event], int]:
        """Return the outcomes, and the number of lines that cannot be read."""
        outcomes = []
        lines: list[bytes] = []
        with suppress(FileNotFoundError), open_plain(self.path, os.O_RDONLY) as file:
            lines, _ = split_lines(file.read())
        for line in lines:
            # Such a line is half written, or damaged.
            with suppress(ValueError, RecursionError, FieldError):
                outcome = read_object(Outcome, json.loads(line), exact=False)
                outcomes.append(write_object(outcome))
        return outcomes, len(lines) - len(outcomes)


def count_outcomes(outcomes: Iterable[Values], unread: int = 0) -> dict[str, Any]:
    """Return how sessions ended: in total, by risk, by misread slot, and by tool of the evidence.

    Args:
        outcomes: The outcomes. The last one of a session counts.
        unread: The number of lines that cannot be read.
    """
    # A user may correct an outcome: the last report counts.
    last = {str(outcome.get("session")): outcome for outcome in outcomes}
    by_outcome: Counter[str] = Counter()
    by_risk: Table = {}
    by_tool: Table = {}
    misread: Counter[str] = Counter()
    for outcome in last.values():
        name = str(outcome.get("outcome"))
        by_outcome[name] += 1
        _count(by_risk, str(outcome.get("risk_level")), name)
        for tool in _tools_of(outcome):
            _count(by_tool, tool, name)
        slot = outcome.get("slot")
        if slot:
            misread[str(slot)] += 1
    return {
        "ok": True,
        "total": len(last),
        "by_outcome": dict(by_outcome),
        "by_risk": by_risk,
        "by_tool": by_tool,
        "misread_slots": dict(misread),
        "unread": unread,
    }


def explain(state: State, events: Iterable[Values], outcomes: Iterable[Values]) -> dict[str, Any]:
    """Return the decisions, calls, evidence and outcomes of a session.

    Args:
        state: The session.
        events: The lines of its log.
        outcomes: Its outcomes.

    Returns:
        Of a long session the last decisions and calls (`truncated`), with all counts.
    """
    decisions: list[dict[str, Any]] = []
    refusals: Counter[str] = Counter()
    for event in events:
        # A status changes nothing.
        if event.get("tool", "get_session_status") == "get_session_status":
            continue
        decision = {name: event.get(name) for name in _DECISION}
        decisions.append(decision)
        if decision["ok"] is False:
            refusals[str(decision["reason_code"])] += 1
    reports = list(outcomes)
    tools = set()
    for outcome in reports:
        if outcome.get("outcome") != "success":
            tools.update(_tools_of(outcome))
    evidence = state.frame.slot_evidence
    return {
        "ok": True,
        "session_id": state.id,
        "query": state.frame.raw_query,
        "intent": str(state.intent),
        "phase": str(state.phase),
        "level": state.level,
        "decisions": decisions[-_MAX_SHOWN:],
        "decisions_total": len(decisions),
        "refusals": dict(refusals),
        "calls": list(map(_show_call, state.calls[-_MAX_SHOWN:])),
        "calls_total": len(state.calls),
        "truncated": max(len(decisions), len(state.calls)) > _MAX_SHOWN,
        "evidence": {slot: shorten(call.to_dict()) for slot, call in evidence.items()},
        "outcomes": reports,
        "led_astray": sorted(tools),
    }


def _show_call(call: Call) -> dict[str, Any]:
    summary = shorten(call.summary)
    return {"call": call.number, "what": summary, "shown": call.shown, "ok": call.ok}


def _count(table: Table, row: str, column: str) -> None:
    counts = table.setdefault(row, {})
    counts[column] = counts.get(column, 0) + 1


def _tools_of(outcome: Values) -> list[str]:
    """Return the tools of a session's evidence; only that of the misread slot, if one is named."""
    # The tool of the misread slot led astray, not those of the other slots.
    evidence = outcome.get("evidence") or {}
    slot = outcome.get("slot")
    tools = [evidence[slot]] if slot in evidence else evidence.values()
    return list(dict.fromkeys(map(str, tools)))
