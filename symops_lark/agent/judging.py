"""The last steps of a round: the tests in the checkout, and the rule that holds after them."""

from __future__ import annotations

from ..answers.judgment import Method, StatusNotFound, Step, judge_status
from ..answers.judgment.rules_file import RulesFile
from ..core.ground.errors import SymOpsError
from .events import Kind
from .runs import Status
from .testing import AGREED, NOT_RUN, SANDBOX, Tested, run_tests
from .work import Stop, Work

_UNTESTED = "written, not tested"


def test_checkout(work: Work) -> None:
    """Run the tests of the task in its folder.

    Args:
        work: The run.

    Raises:
        Stop: The run was cancelled, or its time was over, while the tests ran.
    """
    consent = work.run.last(Kind.ASKED, work.round)
    way = str(consent.data["tests"]) if consent is not None else ""
    tested = Tested()
    if way in (SANDBOX, AGREED):
        seconds = max(1.0, work.seconds_left)
        lines, root = work.task.tests, work.task.root
        tested = run_tests(lines, root, sandbox=way == SANDBOX, seconds=seconds, cancel=work.cancel)
    if work.cancel is not None and work.cancel.is_set():
        # Tests that were killed have no result: they are run again by the next process.
        raise Stop(Status.CANCELLED, "cancelled while the tests ran; what has its event is kept")
    if tested.timed_out:
        work.expect_time()
    reason = way.removeprefix(NOT_RUN) if way.startswith(NOT_RUN) else ""
    work.note(Kind.TESTED, {**tested.facts(), "report": tested.report, "not_run": reason})


def judge_round(work: Work) -> None:
    """Find the rule that holds, and where it leads.

    Args:
        work: The run.

    Raises:
        Stop: Nothing was tested, no rule was found, or the judge may not be asked any more.
    """
    rules = work.task.rules_file
    step = _find_step(work, rules)
    tested, applied = (
        work.run.last(Kind.TESTED, work.round),
        work.run.last(Kind.APPLIED, work.round),
    )
    assert tested is not None and applied is not None
    names = ("failed", "passed", "total", "timed_out")
    facts = {name: tested.data[name] for name in names}
    facts |= {"changes": len(applied.data["files"]), "declined": 0, "round": work.round}
    if not facts["total"] and work.task.rules is None:
        raise Stop(Status.APPLIED, _explain_untested(str(tested.data["not_run"])))
    source = str(tested.data["report"]) or "There are no tests."
    try:
        judged = judge_status(
            step.rules,
            source,
            work.judge,
            step=step.name,
            interactive=work.confirm is not None,
            facts=facts,
            aliases=rules.aliases,
            language=rules.language,
        )
    except SymOpsError as error:
        status, reason = Status.UNJUDGED, str(error)
        # A judge that was not asked can be asked by the next process.
        if isinstance(error, StatusNotFound) and error.stages and work.ledger.excess:
            status, reason = Status.BUDGET, f"{work.ledger.excess}; {error}"
        raise Stop(status, reason) from None
    rule = step.rules[judged.rule_index]
    if not facts["total"] and judged.method in (Method.WHEN, Method.AUTO_SELECT):
        # No rule over facts proves anything where nothing was tested.
        raise Stop(Status.APPLIED, _explain_untested(str(tested.data["not_run"])))
    # A rule without `next` means the same step again.
    following = rules.follow(step.name, rule.next)
    goal = following.name if isinstance(following, Step) else str(following)
    members = {
        "step": step.name,
        "rule": judged.rule_index,
        "condition": rule.condition,
        "next": goal,
    }
    work.note(Kind.JUDGMENT, {**members, "facts": facts, "judgment": judged.to_dict()})


def _find_step(work: Work, rules: RulesFile) -> Step:
    """Return the step of this round: where the judgment of the round before led."""
    before = work.run.last(Kind.JUDGMENT, work.round - 1)
    name = str(before.data["next"]) if before is not None else work.task.step
    return rules.find(name)


def _explain_untested(reason: str) -> str:
    return f"{_UNTESTED}: {reason}" if reason else _UNTESTED
