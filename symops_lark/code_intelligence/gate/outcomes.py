"""What outcomes say in sum, and of one session: which tool's interpretation led astray."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .arguments import shorten
from .record import State

_MOST = 500  # decisions that are told, and calls: the last ones

_Event = Mapping[str, Any]


def count_outcomes(outcomes: Iterable[_Event], unread: int = 0) -> dict[str, Any]:
    """Return how sessions ended, in sum, by risk, by the slot that was misread, and by the tools that gave evidence.

    A session counts once, with what was told of it last; `unread` is the number of lines that say nothing.
    """
    last = {str(each.get("session")): each for each in outcomes}
    ended: Counter[str] = Counter(str(each.get("outcome")) for each in last.values())
    by_risk: dict[str, Counter[str]] = {}
    by_tool: dict[str, Counter[str]] = {}
    misread: Counter[str] = Counter()
    for each in last.values():
        outcome = str(each.get("outcome"))
        by_risk.setdefault(str(each.get("risk_level")), Counter())[outcome] += 1
        if each.get("slot"):
            misread[str(each["slot"])] += 1
        for tool in _tools_of(each):
            by_tool.setdefault(tool, Counter())[outcome] += 1
    return {
        "ok": True,
        "total": len(last),
        "by_outcome": dict(ended),
        "by_risk": {risk: dict(counts) for risk, counts in by_risk.items()},
        "by_tool": {tool: dict(counts) for tool, counts in by_tool.items()},
        "misread_slots": dict(misread),
        "unread": unread,
    }


def explain(state: State, events: Iterable[_Event], outcomes: Iterable[_Event]) -> dict[str, Any]:
    """Return the way of a session, decision by decision; of a long one the end (`truncated`), with all counts."""
    told = list(outcomes)
    decisions = [
        {name: event.get(name) for name in ("at", "tool", "ok", "reason_code", "would_refuse", "message")}
        for event in events
        if "tool" in event and event["tool"] != "get_session_status"
    ]
    failed = [each for each in told if each.get("outcome") != "success"]
    return {
        "ok": True,
        "session_id": state.id,
        "query": state.frame.raw_query,
        "intent": str(state.intent),
        "phase": str(state.phase),
        "level": state.level,
        "decisions": decisions[-_MOST:],
        "decisions_total": len(decisions),
        "refusals": dict(Counter(str(each["reason_code"]) for each in decisions if each["ok"] is False)),
        "calls": [
            {"call": call.number, "what": shorten(call.summary), "shown": call.shown, "ok": call.ok}
            for call in state.calls[-_MOST:]
        ],
        "calls_total": len(state.calls),
        "truncated": max(len(decisions), len(state.calls)) > _MOST,
        "evidence": {slot: shorten(each.to_dict()) for slot, each in state.frame.slot_evidence.items()},
        "outcomes": told,
        "led_astray": sorted({tool for each in failed for tool in _tools_of(each)}),
    }


def _tools_of(outcome: _Event) -> list[str]:
    """Return the tools that a session's evidence comes from: that of the slot that was misread, if one is named."""
    evidence = outcome.get("evidence") or {}
    slot = outcome.get("slot")
    chosen = [evidence[slot]] if slot in evidence else list(evidence.values())
    return list(dict.fromkeys(map(str, chosen)))
