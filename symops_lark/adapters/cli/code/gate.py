"""`symops gate`: run a session that reads before it writes, as `symops serve` does for agents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from inspect import signature
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
    print_answer,
    root_option,
    session_options,
    show_notes,
)

_INTENTS = ("implement", "modify", "investigate", "question")
_SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
# The method of a session for each `--as`.
_METHODS = {
    "frame": "set_query_frame",
    "slot": "update_slot",
    "understanding": "submit_understanding",
    "semantic": "submit_semantic",
    "verification": "submit_verification",
    "revert": "revert_to_exploration",
}
# The kind of submission that a phase waits for; the others wait for an understanding.
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
    "--intent",
    type=click.Choice(_INTENTS),
    help="The intent of the request. Default: detect it from the request.",
)
@root_option
@level_option
@model_options(required=False)
@json_option
def start_command(
    query: str, intent: str | None, root: str, level: str, as_json: bool, **settings: Any
) -> int:
    """Start a session for a REQUEST and print its id.

    The REQUEST is the user's, word for word. With a model it is decomposed by the model; without
    one, by `symops gate submit --as frame`.
    \f

    Args:
        query: The request.
        intent: Its intent; None: detect it.
        root: The folder of the code.
        level: The evidence that is required.
        as_json: Whether the status is printed as JSON.
        settings: The options of the model.
    """
    session = open_workspace(root, level, settings).start_session(query, intent)
    return print_answer(session.get_session_status(), as_json)


@gate_group.command(name="look")
@session_options(click.argument("paths", nargs=-1, required=True, metavar="PATH..."), allow_option)
def look_command(
    session_id: str, paths: tuple[str, ...], allow: tuple[str, ...], root: str, as_json: bool
) -> int:
    """Open files, so that they count as read.

    Paths are relative to the folder of the code.
    \f

    Args:
        session_id: The session.
        paths: The files.
        allow: The protected files whose text is shown.
        root: The folder of the code.
        as_json: Whether the answer is printed as JSON.
    """
    # The session returns the files that it opened; refusals are in the answer.
    answer = find_session(root, session_id, allow).add_explored_files(list(paths))
    if not as_json:
        echo(f"looked at {visible_line(item['path'])}" for item in answer.get("items", ()))
    return print_answer(answer, as_json)


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
    \f

    Args:
        session_id: The session.
        file: The file of the object, or `-`.
        kind: The kind of submission; None: the one of the phase.
        root: The folder of the code.
        as_json: Whether the answer is printed as JSON.

    Raises:
        InputError: The file is not a JSON object.
        UsageError: The object lacks an argument, or has an unknown one.
    """
    session = find_session(root, session_id)
    kind = kind or _BY_PHASE.get(str(session.phase), "understanding")
    text = read_text(file)
    try:
        arguments = json.loads(text.text or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f"{text.name}: this is not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise InputError(f"{text.name}: expected a JSON object of arguments")
    method = getattr(session, _METHODS[kind])
    try:
        # Only the names: errors in the method itself must not look like errors of the user.
        signature(method).bind(**arguments)
    except TypeError as error:
        raise click.UsageError(f"--as {kind}: {error}") from None
    return print_answer(method(**arguments), as_json)


@gate_group.command(name="check-write")
@session_options(
    click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
    click.option("--reason", help="The reason for a new file in a folder that was not explored."),
)
def check_write_command(
    session_id: str, paths: tuple[str, ...], reason: str | None, root: str, as_json: bool
) -> int:
    """Check whether a session may write files.

    For each PATH the answer states whether the session may create, edit or delete it now, and the
    next step if it may not.

    Exit code 0: all may be written; 1: some may not; 2: bad arguments, or no such session.
    \f

    Args:
        session_id: The session.
        paths: The files.
        reason: The reason for a new file.
        root: The folder of the code.
        as_json: Whether the answers are printed as JSON.
    """
    session = find_session(root, session_id)
    answers = [session.check_write_target(path, reason) for path in paths]
    if as_json:
        write_json(answers)
    else:
        for path, answer in zip(paths, answers, strict=True):
            verdict = paint("refused", "red", bold=True)
            if answer["allowed"]:
                verdict = paint("allowed", "green")
            reason = f"[{answer['reason_code']}] {visible_line(answer['message'])}"
            echo([f"{verdict} {visible_line(path)} {reason}"])
            if answer.get("recovery"):
                echo([f"  next: {', '.join(answer['recovery'])}"])
        # The notes are of the session, and the same in all answers.
        echo(show_notes(answers[0]))
    return 0 if all(answer["allowed"] for answer in answers) else 1


@gate_group.command(name="status")
@session_options()
def status_command(session_id: str, root: str, as_json: bool) -> int:
    """Show the status of a session.

    The status has the phase, the missing evidence and the next step.
    \f

    Args:
        session_id: The session.
        root: The folder of the code.
        as_json: Whether the status is printed as JSON.
    """
    return print_answer(find_session(root, session_id).get_session_status(), as_json)


@gate_group.command(name="outcome")
@session_options(
    click.argument("outcome", type=click.Choice(["success", "failure", "partial"])),
    click.option("--slot", type=click.Choice(_SLOTS), help="The slot that was misunderstood."),
    click.option("--note", help="A note about the outcome."),
)
def outcome_command(
    session_id: str, outcome: str, slot: str | None, note: str | None, root: str, as_json: bool
) -> int:
    """Record the outcome of a session.

    Record it when the change was tested; `symops gate why` shows it.
    \f

    Args:
        session_id: The session.
        outcome: The outcome.
        slot: The slot that was misunderstood.
        note: A note.
        root: The folder of the code.
        as_json: Whether the answer is printed as JSON.
    """
    session = find_session(root, session_id)
    return print_answer(session.record_outcome(outcome, slot, note), as_json)


@gate_group.command(name="why")
@click.argument("session_id", required=False, metavar="[SESSION]")
@root_option
@json_option
def why_command(session_id: str | None, root: str, as_json: bool) -> int:
    """Explain a session, or the outcomes of all sessions.

    A session is shown with its calls, decisions, refusals and evidence, and the tool that misled
    it. Without a SESSION the outcomes of all sessions of the folder are counted, by risk and by the
    tools that gave the evidence.
    \f

    Args:
        session_id: The session; None: all of them.
        root: The folder of the code.
        as_json: Whether the answer is printed as JSON.
    """
    if session_id is None:
        # Outcomes are counted over all sessions of the folder.
        from ....code_intelligence import Workspace
        from ....code_intelligence.gate.outcomes import count_outcomes

        answer = count_outcomes(*Workspace(root).outcomes.read())
        lines = _sum_up(answer)
    else:
        answer = find_session(root, session_id).why()
        lines = _explain(answer)
    # Messages quote files and calls of agents.
    tell(answer, map(visible_line, lines), as_json)
    return 0


def _explain(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the history of a session: its calls, its decisions, its evidence and its outcomes."""
    yield f"{answer['query']} ({answer['intent']}, {answer['phase']})"
    for note in answer.get("notes", ()):
        yield f"note: {note}"
    # Long sessions: the last calls and decisions matter most.
    if answer["truncated"]:
        calls = counted(answer["calls_total"], "call")
        decisions = counted(answer["decisions_total"], "decision")
        yield f"  the last of {calls} and {decisions}:"
    for call in answer["calls"]:
        failure = "" if call["ok"] else ", failed"
        yield f"  call {call['call']}: {call['what']}: {call['shown']} shown{failure}"
    for decision in answer["decisions"]:
        reason = ""
        # A gate that is off reports the refusal that it would give.
        if decision.get("would_refuse"):
            reason = f": {shorten(decision['message'], _WIDTH)}"
        elif not decision["ok"]:
            message = shorten(decision["message"], _WIDTH)
            reason = f": refused [{decision['reason_code']}] {message}"
        yield f"  {decision['tool']}{reason}"
    for slot, evidence in answer["evidence"].items():
        yield f"  {slot} rests on {evidence['tool']}: {evidence['result_summary']}"
    for outcome in answer["outcomes"]:
        note = f": {outcome['note']}" if outcome.get("note") else ""
        yield f"  outcome: {outcome['outcome']}{note}"
    if answer["led_astray"]:
        yield f"led astray by {', '.join(answer['led_astray'])}"


def _sum_up(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the counts of the outcomes of all sessions."""
    yield f"{counted(answer['total'], 'session')} with an outcome: {_counts(answer['by_outcome'])}"
    for kind in ("by_risk", "by_tool"):
        for name, counts in answer[kind].items():
            yield f"  {name}: {_counts(counts)}"
    if answer["misread_slots"]:
        yield f"  misread: {_counts(answer['misread_slots'])}"
    # A process that was killed can leave half a line.
    if answer["unread"]:
        lines = counted(answer["unread"], "line")
        yield f"note: {lines} of the outcomes cannot be read, and is not counted"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
