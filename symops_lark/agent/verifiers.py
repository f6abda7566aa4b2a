"""Judge a candidate by the effect of its reply: a chain of checks; the first no ends it.

    document   the reply is valid in the dialect, and has actions
    changes    planned on the files as they are, it changes one, without a conflict
    gate       it writes only what was looked at, and leaves no question open
    applies    it can be applied to a copy of the checkout
    tests      the caller's tests pass in that copy
    verifier   the caller's verifier says yes

A repeated reply of an earlier round plans to nothing, applies, and passes every test that passed
before: hence `changes`. Commands of the reply are never run.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event as Signal
from typing import Any

from ..acting.changes import Decision, Plan
from ..acting.commands.scratch import copy_checkout, link_needs
from ..acting.execution import apply
from ..acting.plan.planning import plan
from ..acting.trials import is_file_change
from ..code_intelligence import Session, gate_for
from ..code_intelligence.index.walking import Walker
from ..core.document import Document
from ..core.ground.errors import SymOpsError
from ..core.ground.json_objects import read_object
from ..core.known_processors import known_processor
from ..core.replies.messages import Reply
from ..core.text.diagnostics import Severity
from ..routing.contests.contest import Judging
from ..routing.verifiers import Verdict
from ..routing.verifiers.symops import read_reply
from .task import Task
from .telling import tell_changed_tests
from .testing import find_test_files, run_tests

MAX_FILES = 20_000  # of a checkout that is copied for each candidate: 0.4 s for 484 files
MAX_BYTES = 500_000_000


def read_document(task: Task, text: str) -> Document:
    """Return the document in a reply that was valid.

    Args:
        task: The task, with the dialect.
        text: The reply.

    Raises:
        ProtocolError: The reply has no document.
    """
    return known_processor(task.format, ()).process(text).document


def plan_reply(task: Task, document: Document, root: str) -> Plan:
    """Return what a document does to a folder, without a gate.

    A change of a file that the tests of the task use is never automatic: tests are the caller's.

    Args:
        task: The task, with the dialect and the policy.
        document: The document.
        root: The folder.
    """
    planned = plan(document, root, task.policy, None, task.format)
    names = find_changed_tests(task, planned)
    changes = []
    for change in planned.changes:
        if change.path in names and is_file_change(change):
            reasons = (*change.reasons, f"your tests use {change.path}")
            decision = change.decision
            if decision is Decision.AUTO:
                decision = Decision.ASK
            change = replace(change, decision=decision, reasons=reasons)
        changes.append(change)
    return replace(planned, changes=tuple(changes))


def find_changed_tests(task: Task, planned: Plan) -> list[str]:
    """Return the files of a plan that the tests of its task use, each once.

    Args:
        task: The task.
        planned: The plan.
    """
    paths = dict.fromkeys(change.path for change in files_only(planned).changes)
    return find_test_files(task.tests, paths, task.root)


def _ask_gate(
    session: Session, opened: Collection[str], document: Document, files: Plan
) -> Iterator[str]:
    for change in files.changes:
        # A search may have listed the file, and no candidate was shown its text.
        if change.before is not None and change.path not in opened:
            yield f"{change.path} was not looked at: no prompt has shown it"
    for diagnostic in gate_for(session)(document, files):
        if diagnostic.severity is Severity.ERROR:
            yield diagnostic.message


def find_obstacles(
    session: Session, opened: Collection[str], document: Document, planned: Plan
) -> tuple[str, list[str]]:
    """Return the check that a plan does not pass, "changes" or "gate", with the reasons.

    Args:
        session: The session.
        opened: The files that a prompt of the run has shown.
        document: The document.
        planned: The plan.
    """
    files = files_only(planned)
    refusals = [conflict.message for conflict in planned.conflicts]
    for change in files.changes:
        if change.decision is Decision.REFUSE:
            reason = ", ".join(change.reasons) or "refused by the policy"
            refusals.append(f"{change.path}: {reason}")
    if not refusals and not files.changes:
        refusals = ["it changes nothing"]
    if refusals:
        return "changes", refusals
    return "gate", list(_ask_gate(session, opened, document, files))


def files_only(planned: Plan) -> Plan:
    """Return a plan without its commands."""
    return Plan(tuple(filter(is_file_change, planned.changes)), planned.conflicts, planned.notes)


@dataclass(frozen=True)
class Chain:
    """The chain of checks of one contest.

    Attributes:
        task: The task.
        session: The session that has explored.
        opened: The files that a prompt of the run has shown.
        paths: The files of the checkout. None: it is too large to be copied.
        tests: Whether the tests are a criterion.
        sandbox: Whether they run in the sandbox.
        deadline: When they are ended, in seconds of the monotonic clock.
        cancel: Ends them early, when it is set. None: nothing does.
    """

    task: Task
    session: Session
    opened: Collection[str]
    paths: Sequence[str] | None
    tests: bool = False
    sandbox: bool = True
    deadline: float = math.inf
    cancel: Signal | None = None

    def judge(self, reply: Reply) -> Verdict:
        """Return the verdict about a reply, with all facts that were found.

        Args:
            reply: The reply.
        """
        # The facts that were found before a no are kept: they are what people read of a loser.
        state = _State()
        try:
            for check in (
                self._check_document,
                self._check_plan,
                self._check_copy,
                self._ask_caller,
            ):
                state.message = check(reply, state)
                if state.message:
                    break
        except (SymOpsError, OSError) as error:
            # The machine's fault, or a reply that no check expects: the others continue.
            state.message = f"it cannot be judged: {error}"
        passed = not state.message
        if passed and "changes_tests" in state.facts:
            # It could have passed by that: so it wins only where all that pass do it. The penalty
            # of a refusal is used here as a penalty in the ranking. A score of 0 is not enough: a
            # longer reply costs more, and could lose against it.
            state.score, state.refusal = 0.0, tell_changed_tests(state.facts)
        return Verdict(passed, state.score, state.refusal, state.facts, state.message)

    def _check_document(self, reply: Reply, state: _State) -> str:
        # A document that had to be guessed is not valid here, whatever its actions.
        findings = read_reply(self.task.format, reply)
        state.facts |= {
            name: findings.facts[name] for name in ("valid", "phase", "actions", "confidence")
        }
        if not reply.text.strip():
            state.refusal = "the reply is empty"
            return state.refusal
        if not findings.facts["valid"]:
            state.refusal = findings.message if findings.present is False else ""
            return f"document: {findings.message or 'the reply is not valid'}"
        if not findings.facts["actions"]:
            return "document: it has no actions"
        state.score = findings.q1
        return ""

    def _check_plan(self, reply: Reply, state: _State) -> str:
        document = read_document(self.task, reply.text)
        state.plan = plan_reply(self.task, document, self.task.root)
        state.facts["changes"] = sum(map(is_file_change, state.plan.changes))
        names = find_changed_tests(self.task, state.plan)
        if names:
            state.facts["changes_tests"] = ", ".join(names)
        check, refusals = find_obstacles(self.session, self.opened, document, state.plan)
        if check == "gate":
            state.facts["gate"] = not refusals
        return f"{check}: {'; '.join(refusals[:3])}" if refusals else ""

    def _check_copy(self, reply: Reply, state: _State) -> str:
        if self.paths is None:
            return ""
        before = [change.path for change in state.plan.changes if change.before is not None]
        with TemporaryDirectory(prefix="symops-contest-", ignore_cleanup_errors=True) as folder:
            # Files that Git ignores are in no walk, and a change may edit one.
            paths = dict.fromkeys((*self.paths, *before))
            copy_checkout(self.task.root, folder, paths=paths, most_files=MAX_FILES + len(before))
            planned = plan_reply(self.task, read_document(self.task, reply.text), folder)
            outcome = apply(files_only(planned), folder, confirm=is_file_change)
            state.facts["applies"] = outcome.done
            if not outcome.done:
                return "applies: a part of it cannot be applied"
            if not self.tests:
                return ""
            needed = link_needs(self.task.root, folder, self.task.needs)
            tested = run_tests(
                self.task.tests,
                folder,
                sandbox=self.sandbox,
                seconds=self.deadline - time.monotonic(),
                cancel=self.cancel,
                readable=needed,
            )
        state.facts |= tested.facts()
        state.score = (tested.total - tested.failed) / tested.total
        return (
            f"tests: {tested.failed} of {tested.total} failed\n{tested.report}"
            if tested.failed
            else ""
        )

    # Last: the caller's verifier may run for long.
    def _ask_caller(self, reply: Reply, state: _State) -> str:
        if self.task.verifier is None:
            return ""
        verdict = _read_verdict(self.task.verifier, reply)
        state.facts |= {f"verifier.{name}": value for name, value in verdict.facts.items()}
        if verdict.q1 is not None:
            state.score = verdict.q1
        state.refusal = state.refusal or verdict.refusal
        return "" if verdict.passed else f"verifier: {verdict.told or 'it says no'}"


def _read_verdict(verifier: Judging, reply: Reply) -> Verdict:
    """Return the verdict of a caller's verifier; any error of that program is about the reply."""
    try:
        answer = verifier.judge(reply)
        members = {part.name: getattr(answer, part.name) for part in fields(Verdict)}
        verdict = read_object(Verdict, members)
        json.dumps(dict(verdict.facts), allow_nan=False)  # as the log has them
        if verdict.q1 is not None and not 0 <= verdict.q1 <= 1:
            raise ValueError(f"q1 is a score from 0 to 1, not {verdict.q1}")
    except Exception as error:  # not only those of this package
        raise SymOpsError(f"verifier: {type(error).__name__}: {error}") from error
    return verdict


class AnswerCheck:
    """Judges the answer to a question: there must be one."""

    def judge(self, reply: Reply) -> Verdict:
        """Return the verdict about a reply.

        Args:
            reply: The reply.
        """
        is_there = bool(reply.text.strip()) and not reply.finish.declined
        message = "" if is_there else "the reply is empty, or declines"
        return Verdict(is_there, None, message, {"characters": len(reply.text)}, message)


@dataclass
class _State:
    """What the checks have found so far."""

    facts: dict[str, Any] = field(default_factory=dict)
    score: float | None = None
    refusal: str = ""
    message: str = ""
    plan: Plan = field(default_factory=lambda: Plan(()))


def list_checkout(root: str) -> list[str] | None:
    """Return the files of a checkout, without ignored ones; None if it is too large to copy."""
    files = Walker(str(Path(root).resolve())).walk().files
    size = sum(file.size for file in files)
    if len(files) > MAX_FILES or size > MAX_BYTES:
        return None
    return [file.path for file in files]
