"""Ask a session about each change of a plan: the gate of `symops plan --session`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import partial

from ...acting.changes import Change, Gate, Operation, Plan
from ...core.document import Document
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.slips import common_ends
from ...core.text.source import Span
from .record import State
from .session import Session
from .slot_steps import Answer
from .write_gate import check_command, check_dependency, check_target

Check = Callable[[State], Answer]
Range = tuple[int, int]  # the first and the last line

GATE_NOTE = "weak-gate"  # the code of a note on a session
_MOST_PAIRS = 1_000_000  # of lines that are compared: below a second
_REFUSED = "session-refuses"
_QUESTION = "needs-user"


def gate_for(session: Session) -> Gate:
    """Return the gate of a session, as `symops_lark.plan(…, gate=…)` takes it.

    Args:
        session: The session that the changes were explored in.

    Returns:
        A function of a document and its plan. It yields an error for each open question, for each
        file that the session may not write, and for each dependency that was not looked at. What
        weakens the session is a warning: a gate that is off, a log without a seal.
    """

    def find_conflicts(document: Document, plan: Plan) -> Iterator[Diagnostic]:
        for note in session.notes:
            yield Diagnostic(GATE_NOTE, note, Span(0, 0), Severity.WARNING)
        for question in document.questions:
            message = f"a question is open: {question.text[:200]}"
            hint = "ask the user, and send the document again without the question"
            yield Diagnostic(_QUESTION, message, question.span, hint=hint)
        checks = {}
        changes = []
        for name, change, check in _list_checks(session, document, plan):
            checks[name] = check
            changes.append(change)
        plan_answer = session.check_plan(checks)
        # A busy session answers for all of the plan.
        answers = plan_answer.get("answers", [plan_answer] * len(checks))
        for change, answer in zip(changes, answers, strict=True):
            yield from _report(answer, change)

    return find_conflicts


def _list_checks(
    session: Session, document: Document, plan: Plan
) -> Iterator[tuple[str, Change, Check]]:
    """Yield the questions about each change, and about each file that it depends on.

    Each has a name, which is recorded.
    """
    reason = " ".join(document.thoughts)
    target = partial(check_target, session.workspace.view, reason=reason)
    dependency = partial(check_dependency, session.workspace.view)
    changed = {change.path for change in plan.changes}
    for change in plan.changes:
        # By the number too: several changes may be about one path.
        name = f"{change.number} {change.path}"
        if change.operation is Operation.RUN:
            yield name, change, partial(check_command, command=change.path)
            continue
        lines = changed_lines(change.before, change.after)
        yield name, change, partial(target, path=change.path, lines=lines)
        for dependency_path in change.action.dependencies:
            path = dependency_path.removeprefix("./")
            # A file of the plan has its own question.
            if path not in changed:
                yield f"{name} > {path}", change, partial(dependency, path=path)


def changed_lines(before: bytes | None, after: bytes | None) -> list[Range] | None:
    """Return the lines of a content that an edit changes, counted from 1.

    Args:
        before: The content. None: there is no file.
        after: The content afterwards. None: the file is deleted.

    Returns:
        The first and the last line of each place, for an insertion the line before it. Of very
        different contents one place is all between the common beginning and the common end. None
        where a file is created or deleted.
    """
    if before is None or after is None:
        return None
    old = before.split(b"\n")
    new = after.split(b"\n")
    start, end = common_ends(old, new)
    old = old[start : len(old) - end]
    new = new[start : len(new) - end]
    places = [(0, len(old))]
    if len(old) * len(new) <= _MOST_PAIRS:
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        places = [code[1:3] for code in codes if code[0] != "equal"]
    ranges = []
    for first, last in places:
        # Half-open positions from 0 become lines from 1.
        last_line = max(start + last, 1)
        first_line = last_line if first == last else start + first + 1
        ranges.append((first_line, last_line))
    return ranges


def _report(answer: Answer, change: Change) -> Iterator[Diagnostic]:
    if not answer["allowed"]:
        tools = ", ".join(answer["recovery"]) or "none"
        hint = f"{answer['reason_code']}; the way on: {tools}"
        yield Diagnostic(_REFUSED, answer["message"], change.action.span, hint=hint)
    elif answer.get("would_refuse"):
        yield Diagnostic(GATE_NOTE, answer["message"], change.action.span, Severity.WARNING)
