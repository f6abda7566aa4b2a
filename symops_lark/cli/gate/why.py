"""`symops gate why`: the way of a session, and which tool led astray."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import shorten
from typing import Any

import click

from ...numbers import counted
from ..options import json_option
from ..sessions import find_session, root_option
from ..texts import tell
from ..visibility import visible_line

_WIDTH = 100  # characters of a message


@click.command(name="why", short_help="Tell the way of a session, or how all ended.")
@click.argument("session_id", required=False, metavar="[SESSION]")
@root_option
@json_option
def command(session_id: str | None, root: str, as_json: bool) -> int:
    """Tell the way of a session: its calls, decisions and refusals, its evidence, and which tool led astray.

    Without a SESSION: how all sessions of the folder ended, by risk and by the tools whose evidence they were built on.
    """
    if session_id is None:
        from ...code_intelligence import Workspace
        from ...code_intelligence.outcomes import count_outcomes

        answer, lines = count_outcomes(Workspace(root).outcomes), _sum_up
    else:
        answer, lines = find_session(root, session_id).why(), _tell
    tell(answer, map(visible_line, lines(answer)), as_json)
    return 0


def _tell(answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"{answer['query']} ({answer['intent']}, {answer['phase']})"
    if answer["truncated"]:
        counts = counted(answer["calls_total"], "call"), counted(answer["decisions_total"], "decision")
        yield f"  the last of {' and '.join(counts)}:"
    for call in answer["calls"]:
        yield f"  call {call['call']}: {call['what']}: {call['shown']} shown{'' if call['ok'] else ', failed'}"
    for each in answer["decisions"]:
        said = "" if each["ok"] else f": refused [{each['reason_code']}] {shorten(each['message'], _WIDTH)}"
        yield f"  {each['tool']}{said}"
    for slot, evidence in answer["evidence"].items():
        yield f"  {slot} rests on {evidence['tool']}: {evidence['result_summary']}"
    for outcome in answer["outcomes"]:
        yield f"  outcome: {outcome['outcome']}{': ' + outcome['note'] if outcome.get('note') else ''}"
    if answer["led_astray"]:
        yield f"led astray by {', '.join(answer['led_astray'])}"


def _sum_up(answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"{counted(answer['total'], 'session')} with an outcome: {_counts(answer['by_outcome'])}"
    for kind in ("by_risk", "by_tool"):
        for name, counts in answer[kind].items():
            yield f"  {name}: {_counts(counts)}"
    if answer["misread_slots"]:
        yield f"  misread: {_counts(answer['misread_slots'])}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
