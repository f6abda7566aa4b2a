"""`symops gate`: sessions that look before they write, by hand; the same as those of `symops serve`.

A function for each command.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from textwrap import shorten
from typing import Any

import click

from ....core.ground.numbers import counted
from ..colours import paint
from ..models.providers import model_options
from ..options import file_argument, json_option
from ..texts import InputError, echo, read_text, tell, write_json
from ..visibility import visible_line
from .sessions import (
    allow_option,
    find_session,
    level_option,
    open_workspace,
    root_option,
    session_options,
    show_notes,
    tell_answer,
)

_INTENTS = ("implement", "modify", "investigate", "question")
_SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
_METHODS = {
    "frame": "set_query_frame",
    "slot": "update_slot",
    "understanding": "submit_understanding",
    "semantic": "submit_semantic",
    "verification": "submit_verification",
    "revert": "revert_to_exploration",
}
_BY_PHASE = {"SEMANTIC": "semantic", "VERIFICATION": "verification"}
_WIDTH = 100  # characters of a message


@click.group(name="gate")
def gate_group() -> None:
    """Work on a request so that every write rests on code that was looked at.

    The sessions are those of `symops serve`, kept in the user's state folder. Exit code 0: it was done, or is allowed;
    1: it was refused, and the answer says why and how to go on; 2: bad arguments, or no such session.
    """


@gate_group.command(name="start", short_help="Begin to work on a request.")
@click.argument("query", metavar="REQUEST")
@click.option("--intent", type=click.Choice(_INTENTS), help="What is to be done; judged by the request if not given.")
@root_option
@level_option
@model_options(required=False)
@json_option
def start_command(query: str, intent: str | None, root: str, level: str, as_json: bool, **settings: Any) -> int:
    """Begin to work on a REQUEST, word for word, and print the session's id.

    With a model the request is decomposed by it; without one `symops gate submit --as frame` says what it means.
    """
    session = open_workspace(root, level, settings).start_session(query, intent)
    return tell_answer(session.get_session_status(), as_json)


@gate_group.command(name="look", short_help="Open files, so that they count as looked at.")
@session_options(click.argument("paths", nargs=-1, required=True, metavar="PATH..."), allow_option)
def look_command(session_id: str, paths: tuple[str, ...], allow: tuple[str, ...], root: str, as_json: bool) -> int:
    """Open files, so that they count as looked at; paths are relative to the folder that is worked on."""
    answer = find_session(root, session_id, allow).add_explored_files(list(paths))
    if not as_json:
        echo(f"looked at {visible_line(item['path'])}" for item in answer.get("items", ()))
    return tell_answer(answer, as_json)


@gate_group.command(name="submit", short_help="Submit what was understood.")
@session_options(
    file_argument,
    click.option("--as", "kind", type=click.Choice(list(_METHODS)), help="What it is; by the phase if not given."),
)
def submit_command(session_id: str, file: str, kind: str | None, root: str, as_json: bool) -> int:
    """Submit a JSON object of the arguments: what was understood, or in later phases supposed or verified.

    The arguments are those of the server's tools submit_understanding, submit_semantic, submit_verification,
    set_query_frame (frame), update_slot (slot) and revert_to_exploration (revert); the page on code intelligence shows
    them.
    """
    session = find_session(root, session_id)
    chosen = kind or _BY_PHASE.get(str(session.phase), "understanding")
    text = read_text(file)
    try:
        given = json.loads(text.text or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f"{text.name}: this is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise InputError(f"{text.name}: a JSON object of arguments is wanted")
    method: Callable[..., dict[str, Any]] = getattr(session, _METHODS[chosen])
    try:
        answer = method(**given)
    except TypeError as error:
        told = str(error).partition("()")[2].strip() or str(error)
        raise click.UsageError(f"--as {chosen}: {told}") from None
    return tell_answer(answer, as_json)


@gate_group.command(name="check-write", short_help="Say whether files may be written.")
@session_options(
    click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
    click.option("--reason", help="For a new file in a folder where nothing was looked at: why there."),
)
def check_write_command(session_id: str, paths: tuple[str, ...], reason: str | None, root: str, as_json: bool) -> int:
    """Say of each PATH whether the session may create, edit or delete it now, and if not, what to do.

    Exit code 0: all may be written; 1: some may not; 2: bad arguments, or no such session.
    """
    session = find_session(root, session_id)
    answers = [session.check_write_target(path, reason) for path in paths]
    if as_json:
        write_json(answers)
    else:
        for path, answer in zip(paths, answers, strict=True):
            said = paint("allowed", "green") if answer["allowed"] else paint("refused", "red", bold=True)
            echo([f"{said} {visible_line(path)} [{answer['reason_code']}] {visible_line(answer['message'])}"])
            if answer.get("recovery"):
                echo([f"  next: {', '.join(answer['recovery'])}"])
        echo(show_notes(answers[0]))
    return 0 if all(answer["allowed"] for answer in answers) else 1


@gate_group.command(name="status", short_help="Say where a session stands.")
@session_options()
def status_command(session_id: str, root: str, as_json: bool) -> int:
    """Say where a session stands: its phase, what is missing, what is next."""
    return tell_answer(find_session(root, session_id).get_session_status(), as_json)


@gate_group.command(name="outcome", short_help="Record how a session ended.")
@session_options(
    click.argument("outcome", type=click.Choice(["success", "failure", "partial"])),
    click.option("--slot", type=click.Choice(_SLOTS), help="The slot that was misread."),
    click.option("--note", help="What happened."),
)
def outcome_command(session_id: str, outcome: str, slot: str | None, note: str | None, root: str, as_json: bool) -> int:
    """Record how a session ended, when the change was tested; `symops gate why` reads it."""
    return tell_answer(find_session(root, session_id).record_outcome(outcome, slot, note), as_json)


@gate_group.command(name="why", short_help="Tell the way of a session, or how all ended.")
@click.argument("session_id", required=False, metavar="[SESSION]")
@root_option
@json_option
def why_command(session_id: str | None, root: str, as_json: bool) -> int:
    """Tell the way of a session: its calls, decisions and refusals, its evidence, and which tool led astray.

    Without a SESSION: how all sessions of the folder ended, by risk and by the tools whose evidence they were built on.
    """
    if session_id is None:
        from ....code_intelligence import Workspace
        from ....code_intelligence.gate.outcomes import count_outcomes

        answer, lines = count_outcomes(*Workspace(root).outcomes.read()), _sum_up
    else:
        answer, lines = find_session(root, session_id).why(), _tell
    tell(answer, map(visible_line, lines(answer)), as_json)
    return 0


def _tell(answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"{answer['query']} ({answer['intent']}, {answer['phase']})"
    yield from (f"note: {note}" for note in answer.get("notes", ()))
    if answer["truncated"]:
        counts = counted(answer["calls_total"], "call"), counted(answer["decisions_total"], "decision")
        yield f"  the last of {' and '.join(counts)}:"
    for call in answer["calls"]:
        yield f"  call {call['call']}: {call['what']}: {call['shown']} shown{'' if call['ok'] else ', failed'}"
    for each in answer["decisions"]:
        said = "" if each["ok"] else f": refused [{each['reason_code']}] {shorten(each['message'], _WIDTH)}"
        said = f": {shorten(each['message'], _WIDTH)}" if each.get("would_refuse") else said
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
    if answer["unread"]:
        yield f"note: {counted(answer['unread'], 'line')} of the outcomes cannot be read, and is not counted"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
