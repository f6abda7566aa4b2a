"""Ask a session about each change of a plan: the gate that `symops plan --session` and others give to `plan`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import partial

from ...acting.changes import Change, Gate, Operation, Plan
from ...core.document import Document
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Span
from .record import State
from .session import Session
from .slot_steps import Answer
from .write_gate import check_command, check_dependency, check_target

Check = Callable[[State], Answer]

GATE_NOTE = "weak-gate"  # the code of what weakens a session
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
        checks = dict(_list_checks(session, document, plan))
        answer = session.check_plan({name: check for name, (_, check) in checks.items()})
        # A busy session answers for the plan as a whole.
        answers = answer.get("answers", [answer] * len(checks))
        for (change, _), one in zip(checks.values(), answers, strict=True):
            yield from _report(one, change)

    return find_conflicts


def _list_checks(session: Session, document: Document, plan: Plan) -> Iterator[tuple[str, tuple[Change, Check]]]:
    """Yield the questions about each change, and about each file that it depends on, by what they are about."""
    view = session.workspace.view
    reason = " ".join(document.thoughts)
    changed = {change.path for change in plan.changes}
    for change in plan.changes:
        # By the number too: several changes may be about one path.
        name = f"{change.number} {change.path}"
        if change.operation is Operation.RUN:
            yield name, (change, partial(check_command, command=change.path))
            continue
        lines = changed_lines(change.before, change.after)
        yield name, (change, partial(check_target, view, path=change.path, reason=reason, lines=lines))
        for dependency in change.action.dependencies:
            path = dependency.removeprefix("./")
            if path not in changed:
                yield f"{name} > {path}", (change, partial(check_dependency, view, path=path))


def changed_lines(before: bytes | None, after: bytes | None) -> list[tuple[int, int]] | None:
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
    start = _count_equal(old, new)
    end = _count_equal(old[start:][::-1], new[start:][::-1])
    old = old[start : len(old) - end]
    new = new[start : len(new) - end]
    places = [(0, len(old))]
    if len(old) * len(new) <= _MOST_PAIRS:
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        places = [(first, last) for tag, first, last, *_ in codes if tag != "equal"]
    return [_number_lines(start + first, start + last) for first, last in places]


def _number_lines(first: int, last: int) -> tuple[int, int]:
    """Return half-open positions as the first and the last line, counted from 1."""
    if first == last:
        return max(first, 1), max(first, 1)
    return first + 1, last


def _count_equal(old: list[bytes], new: list[bytes]) -> int:
    """Return how many lines are equal at the beginning."""
    count = 0
    for line, other in zip(old, new, strict=False):
        if line != other:
            break
        count += 1
    return count


def _report(answer: Answer, change: Change) -> Iterator[Diagnostic]:
    if not answer["allowed"]:
        way = ", ".join(answer["recovery"]) or "none"
        hint = f"{answer['reason_code']}; the way on: {way}"
        yield Diagnostic(_REFUSED, answer["message"], change.action.span, hint=hint)
    elif answer.get("would_refuse"):
        yield Diagnostic(GATE_NOTE, answer["message"], change.action.span, Severity.WARNING)
