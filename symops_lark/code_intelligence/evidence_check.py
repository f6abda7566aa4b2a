"""Whether evidence is true: the call that it names is in the session's record, found something, and found that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .arguments import as_list
from .frame import Evidence
from .phases import SEARCHES, SEMANTIC_SEARCH
from .record import Call, State, last_part, names_in, tells_of


class Checked(NamedTuple):
    """The call that evidence names, or why it is refused."""

    call: Call | None
    reason_code: str = ""
    message: str = ""


def find_call(
    state: State, evidence: Evidence, *, semantic: bool = False, empty: bool = False, since: int = 0
) -> Checked:
    """Return the call that evidence names, the last one that fits, or the reason why there is none.

    `semantic` asks for semantic search instead of a search for facts; `empty` for a search that found nothing; `since`
    is the number of the call after which it must have been made.
    """
    tools = (SEMANTIC_SEARCH,) if semantic else SEARCHES
    if evidence.tool not in tools:
        what = "a hypothesis, and no fact" if evidence.tool == SEMANTIC_SEARCH else "no tool that evidence comes from"
        return Checked(None, "evidence_from_wrong_tool", f"{evidence.tool} gives {what}; there are {', '.join(tools)}")
    calls = [call for call in state.calls if call.tool == evidence.tool and call.ok and call.number > since]
    if not calls:
        later = " since the hypotheses were made" if since else ""
        return Checked(None, "evidence_not_recorded", f"this session made no call of {evidence.tool}{later}")
    if not evidence.params and not evidence.result_summary:
        return Checked(None, "evidence_incomplete", "evidence says with what the tool was called, or what it found")
    calls = [call for call in calls if _fits(evidence.params, call.params)]
    if not calls:
        said = ", ".join(f"{name}={value!r}" for name, value in evidence.params.items())
        return Checked(None, "evidence_not_recorded", f"this session made no call of {evidence.tool} with {said[:200]}")
    found = [call for call in calls if bool(call.shown) is not empty]
    if not found:
        what = "found something" if empty else "found nothing"
        return Checked(
            None, f"evidence_{'found_something' if empty else 'found_nothing'}", f"{calls[-1].summary} {what}"
        )
    if empty or not evidence.result_summary:
        return Checked(found[-1])
    told = [call for call in found if tells_of(evidence.result_summary, call)]
    if not told:
        message = (
            f"{found[-1].summary} did not find {evidence.result_summary[:200]!r}: name a file or symbol that it did"
        )
        return Checked(None, "evidence_summary_mismatch", message)
    return Checked(told[-1])


def supports_symbol(call: Call, name: str) -> bool:
    """Return whether a call found a symbol."""
    return last_part(name) in {last_part(each) for each in call.names} or last_part(name) in names_in(call.text)


def as_recorded(evidence: Evidence, call: Call) -> Evidence:
    """Return evidence as the record has it: what the call was given, and when."""
    said = evidence.result_summary or ", ".join(call.files[:3])
    return Evidence(call.tool, dict(call.params), said, call.at)


def _fits(given: Mapping[str, Any], recorded: Mapping[str, Any]) -> bool:
    """Return whether parameters are those of a call; by another name they count with their value."""
    values = list(recorded.values())
    return all(
        _same(value, recorded[name]) if name in recorded else any(_same(value, other) for other in values)
        for name, value in given.items()
    )


def _same(value: Any, other: Any) -> bool:
    if isinstance(other, list | tuple) and isinstance(value, str):
        value = as_list(value, "params")
        value = value[0] if len(value) == 1 else value
    if isinstance(other, list | tuple) and not isinstance(value, list | tuple):
        return value in other
    return (list(value) if isinstance(value, tuple) else value) == (list(other) if isinstance(other, tuple) else other)
