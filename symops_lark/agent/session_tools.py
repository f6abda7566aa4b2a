"""Two steps of a run as tools of a session, for agents that look and write by themselves.

`plan_document` shows what a reply would do, and `ask_models` lets models compete for one. Neither
writes a file: an agent writes with its own tools, which ask its user.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..acting.plan.planning import plan
from ..acting.plan.policy import Policy
from ..code_intelligence import Session, gate_for
from ..code_intelligence.gate.phases import Phase
from ..core.ground.errors import SymOpsError
from ..core.ground.numbers import counted
from ..core.known_processors import known_processor
from ..models import Ledger
from ..models.prompts.tokens import load_counter
from .contexts import build_context
from .selecting import explain, make_flow
from .task import Limits, Task
from .verifiers import Chain, list_checkout
from .work import meter_contestant


def plan_document(session: Session, document: str, format: str = "auto") -> dict[str, Any]:
    """Return what a reply would do to the folder, and what the gate of the session says.

    Args:
        session: The session that has looked at the code.
        document: The reply.
        format: Its dialect.

    Returns:
        `changes`, each with its decision and the reasons, and `conflicts`; `possible` says whether
        there is something to do, no conflict, and no refused change.

    Raises:
        SymOpsError: The reply has no document.
    """
    result = known_processor(format, ()).process(document)
    gate = gate_for(session)
    planned = plan(result.document, session.workspace.root, Policy(), gate)
    changes = []
    for change in planned.changes:
        members = {"operation": str(change.operation), "path": change.path}
        reasons = ", ".join(change.reasons)
        changes.append({**members, "decision": str(change.decision), "reasons": reasons})
    conflicts = [conflict.message for conflict in planned.conflicts]
    parts = counted(len(changes), "change"), counted(len(conflicts), "conflict")
    is_possible = bool(changes) and planned.possible
    return {
        "ok": True,
        "message": ", ".join(parts),
        "possible": is_possible,
        "confidence": result.confidence,
        "changes": changes,
        "conflicts": conflicts,
    }


def ask_models(
    session: Session,
    contestants: Sequence[Any],
    request: str = "",
    *,
    tokens: int = 8_000,
    limits: Limits | None = None,
) -> dict[str, Any]:
    """Let models compete for a reply, and return the one that passes the checks of a run.

    Args:
        session: The session, which is READY: its opened files are what the models are shown.
        contestants: The models, as `run_task` takes them.
        request: What they are asked. Empty: the request of the session.
        tokens: The most tokens of the message that shows the code.
        limits: The most that it may cost. None: the limits of a run.

    Returns:
        `document`, the reply that won, with `model_id` and `why`; a refusal, with the reason of
        each model, where none passed.

    Raises:
        SymOpsError: No model competes, or the request alone is longer than the tokens.
    """
    if not contestants:
        raise SymOpsError("no model competes: name one or more")
    if session.phase is not Phase.READY:
        # What the gate refuses anyway is not worth the money.
        answer = session.get_session_status()
        reason = f"the session is in {session.phase}, and models are asked in {Phase.READY}"
        refusal = {"ok": False, "reason_code": "phase_blocked", "message": reason}
        return {**refusal, "next": answer["next"]}
    state = session.state
    limits = limits or Limits()
    counter = load_counter()
    root = session.workspace.root
    task = Task(request or state.frame.raw_query, root, context_tokens=tokens, limits=limits)
    parts: list[dict[str, Any]] = []
    for path in sorted(state.opened):
        part = {"path": path, "sha256": state.explored[path]}
        parts += [{**part, "lines": lines} for lines in state.ranges.get(path, ())]
    context = build_context(task, state.frame, {"files": parts}, "", counter)
    shown_paths = {part["path"] for part in context.facts["shown"]}
    ledger = Ledger(limits.calls, limits.tokens, counter.count)
    metered = [meter_contestant(contestant, ledger) for contestant in contestants]
    chain = Chain(task, session, shown_paths, list_checkout(root))
    contest = make_flow(metered, chain, limits.seconds).run(context.messages, counter=counter)
    if not contest.sure:
        return {"ok": False, "reason_code": "none_passed", "message": explain(contest)}
    members = {"model_id": contest.model_id, "why": contest.why, "document": contest.output}
    return {
        "ok": True,
        "message": f"{contest.model_id} won",
        **members,
        "cut": context.facts["cut"],
    }
