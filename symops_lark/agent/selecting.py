"""The steps from a request to a winner: frame, explore, understand, prompt, contest."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..code_intelligence.gate.phases import Phase
from ..code_intelligence.requests.frame import QueryFrame
from ..core.ground.errors import SymOpsError
from ..core.ground.json_objects import write_object
from ..routing import Answer, Contestant, Flow, Manifest, Metric, RunLog, explain_run
from ..routing.contests.contest import Judging, Try
from ..routing.events import Event as RoutingEvent
from .contexts import Context, build_context
from .events import Kind
from .exploring import explore
from .run_log import ROWS
from .runs import Status
from .telling import first_line, tell_changed_tests
from .testing import AGREED, NOT_RUN, SANDBOX, find_missing_sandbox
from .verifiers import AnswerCheck, Chain, list_checkout
from .work import Stop, Work

_LEVELS = ("risk_level", "required_level", "missing_slots")
_MAX_LOSER = 65_536  # characters of the reply of a model that lost: the log does not archive it
_MAX_TOLD = 2_000  # characters of the reason why one failed
# The cost of a reply is its tokens alone: seconds are another run's, and would let threads decide.
METRIC = Metric("metric_v2", w_t=0.0, w_o=1.0)


def start_frame(work: Work) -> None:
    """Begin a session, and fill the slots of the request.

    Args:
        work: The run.
    """
    if work.run.last(Kind.SESSION) is None:
        session = work.begin_session()
        work.note(Kind.SESSION, {"session_id": session.id, "intent": str(session.state.intent)})
    session = work.session
    refused = ""
    if work.task.frame is not None:
        answer = session.set_query_frame(dict(work.task.frame))
        refused = "" if answer["ok"] else str(answer["message"])
    # The status after the frame: a target lowers the risk, and with it what must be read.
    status = session.get_session_status()
    frame = session.state.frame
    facts = {name: status[name] for name in _LEVELS if name in status}
    facts["slots"] = {slot: frame.get(slot) for slot in frame.slot_quotes}
    # A frame that is refused leaves the raw request, with the strictest looks.
    if refused or frame.extraction_error:
        facts["refused"] = refused or frame.extraction_error
    work.note(Kind.FRAME, facts)


def explore_code(work: Work) -> None:
    """Open the files that the request is about.

    Args:
        work: The run.
    """
    if work.explorer is not None and work.task.explore == "model":
        work.expect_budget()
    explored = explore(work.task, work.session, work.explorer)
    # Files that a round before has changed are opened again: their hashes are old.
    work.note(Kind.EXPLORED, explored)


def submit_understanding(work: Work) -> None:
    """Ask the session whether what was found is enough; if not, the event has the questions.

    Args:
        work: The run.
    """
    explored = work.run.last(Kind.EXPLORED, work.round)
    assert explored is not None
    session = work.session
    if "question" in explored.data:
        work.note(
            Kind.UNDERSTOOD,
            {"ok": False, "phase": str(session.phase), "gaps": [explored.data["question"]]},
        )
        return
    if session.phase is Phase.READY or not work.task.writes:
        work.note(Kind.UNDERSTOOD, {"ok": True, "phase": str(session.phase), "gaps": []})
        return
    answer = session.submit_understanding(**explored.data["understanding"])
    way = str(explored.data["way"])
    gaps = [_ask_person(gap, session.state.frame, way) for gap in answer.get("gaps", ())]
    if not answer["ok"] and not gaps:
        gaps.append(str(answer["message"]))
    work.note(Kind.UNDERSTOOD, {"ok": answer["ok"], "phase": str(session.phase), "gaps": gaps})


def _ask_person(gap: Mapping[str, Any], frame: QueryFrame, way: str) -> str:
    """Return what a person can do about a gap, whose own words are for models that call tools."""
    issue = frame.observed_issue
    if not issue or gap["missing"] != {"slot_evidence": ["observed_issue"]}:
        return str(gap["message"])
    if way != "deterministic":
        # What a model has not searched for may be in the files that it has opened.
        return (
            f"observed_issue: no search of the model that explored is evidence of {issue!r}. "
            "Explore without a model, or quote what is in the code"
        )
    return (
        f"observed_issue: {issue!r} was searched for, and found in no file of the target. "
        "Quote what is in the code, such as a message; for an exception that Python raises "
        "itself, the line that raises it"
    )


def write_prompt(work: Work) -> None:
    """Write down what the candidates are shown, and whether tests decide between them.

    Args:
        work: The run.
    """
    context = _build(work)
    facts = {**context.facts, "tests": _choose_tests(work)}
    # Other people's code: whoever reads the log sees it only if the caller wants that.
    if work.task.keep_prompts:
        facts["messages"] = [message.to_dict() for message in context.messages]
    work.note(Kind.PROMPT, facts)


def _build(work: Work) -> Context:
    explored = work.run.last(Kind.EXPLORED, work.round)
    assert explored is not None
    # The round before, if there is one: what failed there is the reason for this round.
    before = work.run.last(Kind.TESTED, work.round - 1)
    failures = "" if before is None else str(before.data["report"])
    return build_context(work.task, work.session.state.frame, explored.data, failures, work.counter)


def _choose_tests(work: Work) -> str:
    """Return how tests decide the contest, or why they do not; empty: there are none."""
    if not work.task.tests or not work.task.writes:
        return ""
    missing = find_missing_sandbox(work.task.root)
    if not missing:
        return SANDBOX
    # What each model has written would run with all rights, before anybody has seen it.
    return AGREED if work.task.run_code else f"{NOT_RUN}{missing}"


def hold_contest(work: Work) -> None:
    """Let the models compete, each judged by the chain of checks.

    Args:
        work: The run.

    Raises:
        Stop: No model passes, or none was named; or an answer is the end.
    """
    context = _build(work)
    if not work.contestants:
        raise Stop(Status.FAILED, "a contest is still to be held: name the models again")
    if work.task.verifier is None and work.run.events[0].data.get("verified"):
        raise Stop(Status.FAILED, "a contest is still to be held: name the verifier again")
    work.expect_budget()
    # One judge for all: it compares replies by the same criteria.
    judge = _make_judge(work)
    extras = {"task_run": work.run.id, "session_id": work.run.session_id, "round": work.round}

    def watch(event: RoutingEvent) -> None:
        work.note(Kind.CONTEST, {"inner": event.to_dict()})

    flow = replace(make_flow(work.contestants, judge, work.seconds_left), watch=watch)
    # The rows of a round are a run of routing: one contest, one winner.
    name = f"{work.run.id}.{work.round}"
    answer = flow.run(context.messages, run_id=name, extras=extras, counter=work.counter)
    tries = []
    why = answer.why
    for tried in answer.tries:
        has_won = tried.contestant.model_id == answer.model_id
        if has_won and tried.verdict.facts.get("changes_tests"):
            warning = tell_changed_tests(tried.verdict.facts)
            why = f"{why}; {warning}"
        tries.append(_write_try(tried, has_won))
    rows = list(map(dict, answer.rows))
    if not answer.sure:
        _log_rows(work, rows)
        status, reasons = Status.UNSURE, [explain(answer)]
        try:
            # A model that was not asked, or whose tests were ended, has not failed by its reply.
            work.expect_time()
            work.expect_budget()
        except Stop as stop:
            status = stop.status
            reasons.insert(0, stop.reason)
        raise Stop(status, "; ".join(reasons), {"tries": tries, "rows": rows})
    winner = {
        "model_id": answer.model_id,
        "way": str(answer.way),
        "why": why,
        # Needed to resume: the plan is made of it again.
        "output": answer.output,
        "tries": tries,
        "rows": rows,
    }
    work.note(Kind.WINNER, winner)
    _log_rows(work, rows)


def make_flow(contestants: Sequence[Contestant], judge: Judging, seconds: float) -> Flow:
    """Return a contest that asks all models, and judges each reply in the same way.

    Args:
        contestants: The models.
        judge: Judges all replies.
        seconds: The time limit.
    """

    def choose_judge(manifest: Manifest) -> Judging:
        # No model grades itself: the verdict of its manifest's verifier is only a fact.
        return judge

    # All that were named are asked: whoever names five wants five replies.
    size = len(contestants)
    return Flow(contestants, METRIC, judge=choose_judge, top_k=size, seconds=max(1.0, seconds))


def _make_judge(work: Work) -> Judging:
    if not work.task.writes:
        return AnswerCheck()
    prompt = work.run.last(Kind.PROMPT, work.round)
    way = prompt.data["tests"] if prompt is not None else ""
    paths = list_checkout(work.task.root)
    is_criterion = paths is not None and way in (SANDBOX, AGREED)
    return Chain(
        work.task,
        work.session,
        work.opened,
        paths,
        tests=is_criterion,
        sandbox=way == SANDBOX,
        deadline=time.monotonic() + work.seconds_left,
        cancel=work.cancel,
    )


def log_missing_rows(work: Work) -> None:
    """Add the rows of contests that a killed process held and did not log.

    Args:
        work: The run.
    """
    for event in work.run.events:
        if event.data.get("rows"):
            _log_rows(work, event.data["rows"])


def _log_rows(work: Work, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add the rows of a contest to the log of routing, once."""
    log = RunLog(work.folder / ROWS)
    try:
        explain_run(log.path, str(rows[0]["run_id"]) if rows else "")
    except (SymOpsError, OSError):
        log.append_run(rows)


def _write_try(tried: Try, has_won: bool) -> dict[str, Any]:
    names = ("role", "error", "seconds", "tokens", "tokens_estimated", "reward", "q1")
    members = write_object(tried, *names)
    members["model_id"] = tried.contestant.model_id
    members["passed"] = tried.verdict.passed
    members["facts"] = dict(tried.verdict.facts)
    # Outputs of tests may be long; the log of a run is read as a whole.
    members["why"] = tried.told[:_MAX_TOLD]
    # The winner's reply is a member of its event.
    if not has_won:
        members["output"] = tried.output[:_MAX_LOSER]
    return members


def explain(answer: Answer) -> str:
    """Return why each model of a contest failed, or was not asked.

    Args:
        answer: The end of the contest.
    """
    reasons = [(each.contestant.model_id, first_line(each.told)) for each in answer.tries]
    reasons += [(skipped.model_id, f"not asked: {skipped.why}") for skipped in answer.skipped]
    lines = [f"{name}: {reason or 'failed'}" for name, reason in reasons]
    return "; ".join(lines) or answer.why
