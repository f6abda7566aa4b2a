"""The events of a run, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.ground.numbers import counted
from .events import Event, Kind
from .testing import NOT_RUN

_MAX_LINES = 6  # of the output of tests


def tell_event(event: Event) -> Iterator[str]:
    """Yield an event as people read it; some events have nothing to say.

    Args:
        event: The event.
    """
    teller = _TELLERS.get(event.kind)
    if teller is not None:
        yield from teller(event.data)


def first_line(text: str) -> str:
    """Return the first line of a reason; with the next one where it only announces that.

    Args:
        text: The reason.
    """
    lines = text.splitlines() or [""]
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


Data = Mapping[str, Any]


def tell_changed_tests(facts: Data) -> str:
    """Return the warning about a reply that passed and changes tests.

    Args:
        facts: The facts about the reply.
    """
    return f"it changes {facts['changes_tests']}, which your tests use"


def _tell_frame(data: Data) -> Iterator[str]:
    line = f"frame: risk {data.get('risk_level', 'unknown')}"
    missing = data.get("missing_slots")
    if missing:
        line += f", missing: {', '.join(missing)}"
    yield line
    # The reason why slots are missing, where a model or a client gave wrong ones.
    if data.get("refused"):
        yield f"  refused: {first_line(str(data['refused']))}"


def _tell_explored(data: Data) -> Iterator[str]:
    # A file of which several parts were opened is named once.
    paths = dict.fromkeys(part["path"] for part in data.get("files", ()))
    calls = counted(data.get("calls", 0), "search", "searches")
    files = counted(len(paths), "file", zero="no")
    names = ", ".join(paths) or "nothing"
    yield f"explored: {files} after {calls}: {names}"


def _tell_understood(data: Data) -> Iterator[str]:
    yield f"understood: {data['phase']}"
    for gap in data["gaps"]:
        yield f"  question: {gap}"


def _tell_prompt(data: Data) -> Iterator[str]:
    size = counted(data["tokens"], "token")
    yield f"prompt: {size} ({data['counter']})"
    for note in data["cut"]:
        yield f"  cut: {note}"
    way = str(data["tests"])
    if way.startswith(NOT_RUN):
        reason = way.removeprefix(NOT_RUN)
        yield f"  tests decide no contest: {reason}"


def _tell_tries(data: Data) -> Iterator[str]:
    for tried in data.get("tries", ()):
        name = tried["model_id"]
        if tried["passed"]:
            line = f"  {name}: passed"
            if tried["facts"].get("changes_tests"):
                warning = tell_changed_tests(tried["facts"])
                line = f"{line}; {warning}"
            yield line
            continue
        reason = str(tried["why"])
        yield f"  {name}: failed: {first_line(reason)}"
        if tried["facts"].get("failed"):
            yield from _tell_end(reason)


def _tell_winner(data: Data) -> Iterator[str]:
    yield f"winner: {data['model_id']} ({data['why']})"
    yield from _tell_tries(data)


def _tell_plan(data: Data) -> Iterator[str]:
    changes = []
    for change in data["plan"]["changes"]:
        path = change["path"]
        changes.append(f"{change['operation']} {path}")
    names = ", ".join(changes) or "nothing"
    yield f"plan: {names}"
    for reason in data["refused"]:
        yield f"  refused: {reason}"


def _tell_asked(data: Data) -> Iterator[str]:
    # Most changes need no question.
    if data["asked"]:
        names = ", ".join(data["asked"])
        yield f"agreed to: {names}"


def _tell_applied(data: Data) -> Iterator[str]:
    line = f"written: {', '.join(data['files'])}"
    # After a kill only the files say that the process before wrote them.
    if data.get("recovered"):
        line += " (by the process before)"
    yield line


def _tell_tested(data: Data) -> Iterator[str]:
    if not data["total"]:
        return
    yield f"tests: {data['passed']} of {data['total']} passed"
    if data["failed"]:
        yield from _tell_end(data["report"])


def _tell_end(report: str) -> Iterator[str]:
    """Yield the end of a report of tests, which says what failed."""
    for line in report.splitlines()[-_MAX_LINES:]:
        yield f"  | {line}"


def _tell_judgment(data: Data) -> Iterator[str]:
    number = data["rule"] + 1
    rule = f"rule {number} of {data['step']}"
    yield f"judged: {data['condition']} → {data['next']} ({rule})"


_TELLERS = {
    Kind.FRAME: _tell_frame,
    Kind.EXPLORED: _tell_explored,
    Kind.UNDERSTOOD: _tell_understood,
    Kind.PROMPT: _tell_prompt,
    Kind.WINNER: _tell_winner,
    Kind.PLAN: _tell_plan,
    Kind.ASKED: _tell_asked,
    Kind.APPLIED: _tell_applied,
    Kind.TESTED: _tell_tested,
    Kind.JUDGMENT: _tell_judgment,
    Kind.END: _tell_tries,
}
