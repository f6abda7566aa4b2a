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
from .hooks import doctor_command, hook_command
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
    """Run a session that requires reading code before writing.

    Every write must be based on code that was opened in the session. The sessions are those of
    `symops serve`, kept in the user's state folder.

    Exit code 0: the call succeeded, or the write is allowed; 1: it was refused (the answer has the
    reason and the next step); 2: bad arguments, or no such session.
    """


gate_group.add_command(hook_command)
gate_group.add_command(doctor_command)


@gate_group.command(name="start")
@click.argument("query", metavar="REQUEST")
@click.option(
    "--intent", type=click.Choice(_INTENTS), help="The intent of the request. Default: detect it from the request."
)
@root_option
@level_option
@model_options(required=False)
@json_option
def start_command(query: str, intent: str | None, root: str, level: str, as_json: bool, **settings: Any) -> int:
    """Start a session for a REQUEST and print its id.

    The REQUEST is the user's, word for word. With a model it is decomposed by the model; without
    one, by `symops gate submit --as frame`.
    """
    session = open_workspace(root, level, settings).start_session(query, intent)
    return tell_answer(session.get_session_status(), as_json)


@gate_group.command(name="look")
@session_options(click.argument("paths", nargs=-1, required=True, metavar="PATH..."), allow_option)
def look_command(session_id: str, paths: tuple[str, ...], allow: tuple[str, ...], root: str, as_json: bool) -> int:
    """Open files, so that they count as read.

    Paths are relative to the folder of the code.
    """
    answer = find_session(root, session_id, allow).add_explored_files(list(paths))
    if not as_json:
        echo(f"looked at {visible_line(item['path'])}" for item in answer.get("items", ()))
    return tell_answer(answer, as_json)


@gate_group.command(name="submit")
@session_options(
    file_argument,
    click.option(
        "--as",
        "kind",
        type=click.Choice(list(_METHODS)),
        help="The kind of submission. Default: the one of the current phase.",
    ),
)
def submit_command(session_id: str, file: str, kind: str | None, root: str, as_json: bool) -> int:
    """Submit the results of a phase as a JSON object.

    The object has the arguments of one of the server's tools: submit_understanding,
    submit_semantic, submit_verification, set_query_frame (frame), update_slot (slot) or
    revert_to_exploration (revert). The page on code intelligence shows them.
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


@gate_group.command(name="check-write")
@session_options(
    click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
    click.option("--reason", help="The reason for a new file in a folder that was not explored."),
)
def check_write_command(session_id: str, paths: tuple[str, ...], reason: str | None, root: str, as_json: bool) -> int:
    """Check whether a session may write files.

    For each PATH the answer states whether the session may create, edit or delete it now, and the
    next step if it may not.

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


@gate_group.command(name="status")
@session_options()
def status_command(session_id: str, root: str, as_json: bool) -> int:
    """Show the status of a session.

    The status has the phase, the missing evidence and the next step.
    """
    return tell_answer(find_session(root, session_id).get_session_status(), as_json)


@gate_group.command(name="outcome")
@session_options(
    click.argument("outcome", type=click.Choice(["success", "failure", "partial"])),
    click.option("--slot", type=click.Choice(_SLOTS), help="The slot that was misunderstood."),
    click.option("--note", help="A note about the outcome."),
)
def outcome_command(session_id: str, outcome: str, slot: str | None, note: str | None, root: str, as_json: bool) -> int:
    """Record the outcome of a session.

    Record it when the change was tested; `symops gate why` shows it.
    """
    return tell_answer(find_session(root, session_id).record_outcome(outcome, slot, note), as_json)


@gate_group.command(name="why")
@click.argument("session_id", required=False, metavar="[SESSION]")
@root_option
@json_option
def why_command(session_id: str | None, root: str, as_json: bool) -> int:
    """Explain a session, or the outcomes of all sessions.

    A session is shown with its calls, decisions, refusals and evidence, and the tool that misled
    it. Without a SESSION the outcomes of all sessions of the folder are counted, by risk and by the
    tools that gave the evidence.
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
