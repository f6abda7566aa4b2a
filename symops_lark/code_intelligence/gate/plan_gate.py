"""Ask a session about each change of a plan: the gate that `symops plan --session` and others give to `plan`."""

from __future__ import annotations

from collections.abc import Iterator

from ...acting.changes import Change, Gate, Operation, Plan
from ...core.document import Document
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Span
from .session import Session
from .slot_steps import Answer

GATE_NOTE = "weak-gate"  # the code of what weakens a session
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
        reason = " ".join(document.thoughts)
        changed = {change.path for change in plan.changes}
        for change in plan.changes:
            for answer in _ask(session, change, reason, changed):
                yield from _report(answer, change)

    return find_conflicts


def _ask(session: Session, change: Change, reason: str, changed: set[str]) -> Iterator[Answer]:
    """Yield what the session answers to a change, and to each file that it depends on."""
    if change.operation is Operation.RUN:
        yield session.check_command(change.path)
        return
    yield session.check_write_target(change.path, reason)
    for name in change.action.dependencies:
        path = name.removeprefix("./")
        if path not in changed:
            yield session.check_dependency(path)


def _report(answer: Answer, change: Change) -> Iterator[Diagnostic]:
    if not answer["allowed"]:
        way = ", ".join(answer["recovery"]) or "none"
        hint = f"{answer['reason_code']}; the way on: {way}"
        yield Diagnostic(_REFUSED, answer["message"], change.action.span, hint=hint)
    elif answer.get("would_refuse"):
        yield Diagnostic(GATE_NOTE, answer["message"], change.action.span, Severity.WARNING)
