"""`--session`: what a document does must be allowed by a session that looked first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .sessions import find_session

if TYPE_CHECKING:
    from ..code_intelligence import Session
    from ..diagnostics import Diagnostic
    from ..document import Document
    from ..workspace.changes import Plan
    from ..workspace.planning import Gate


def make_gate(root: str, session_id: str | None) -> Gate | None:
    """Return what a session of a folder says of a plan; None without a session."""
    if session_id is None:
        return None
    session = find_session(root, session_id)
    return lambda document, plan: _find_conflicts(session, document, plan)


def _find_conflicts(session: Session, document: Document, plan: Plan) -> Iterator[Diagnostic]:
    """Yield what is in the way: open questions, files that may not be written, dependencies that nobody looked at."""
    from ..diagnostics import Diagnostic

    reason = " ".join(document.thoughts)
    for question in document.questions:
        hint = "ask the user, and send the document again without the question"
        yield Diagnostic("needs-user", f"a question is open: {question.text[:200]}", question.span, hint=hint)
    made = {change.path for change in plan.changes}
    for change in plan.changes:
        if change.operation == "run":
            answer = session.check_command(change.path)
        else:
            answer = session.check_write_target(change.path, reason)
        names = [] if change.operation == "run" else [name.removeprefix("./") for name in change.action.dependencies]
        asked = [answer, *(session.check_dependency(name) for name in names if name not in made)]
        for each in asked:
            if not each["allowed"]:
                hint = f"{each['reason_code']}; the way on: {', '.join(each['recovery']) or 'none'}"
                yield Diagnostic("session-refuses", each["message"], change.action.span, hint=hint)
