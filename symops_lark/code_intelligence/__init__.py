"""Explore code before it is changed: a session records each call, and a gate checks the record.

    session = Workspace("project").start_session("ログイン機能直して", intent="MODIFY")
    session.search_text("login")
    session.submit_understanding(...)
    session.check_write_target("auth/service.py")

Invariants: a statement of a model counts only if a call in the record of the session shows it.
Each refusal has its `reason_code`, what is missing, and the next step.
"""

from typing import TYPE_CHECKING

from ..core.ground import load_lazily

if TYPE_CHECKING:
    from .gate.phases import should_allow_devrag, validate_for_ready
    from .gate.plan_gate import gate_for
    from .gate.session import Session
    from .gate.workspaces import Workspace
    from .requests.decomposer import Decomposer
    from .requests.frame import Evidence, IntentType, MappedSymbol, QueryFrame
    from .requests.hints import generate_investigation_guidance
    from .requests.quotes import validate_slot
    from .requests.relatedness import is_related
    from .requests.requirements import get_exploration_requirements
    from .requests.router import RoutingDecision, route

__all__ = [
    "Decomposer",
    "Evidence",
    "IntentType",
    "MappedSymbol",
    "QueryFrame",
    "RoutingDecision",
    "Session",
    "Workspace",
    "gate_for",
    "generate_investigation_guidance",
    "get_exploration_requirements",
    "is_related",
    "route",
    "should_allow_devrag",
    "validate_for_ready",
    "validate_slot",
]
_HOMES = {
    "requests.decomposer": ("Decomposer",),
    "requests.frame": ("Evidence", "IntentType", "MappedSymbol", "QueryFrame"),
    "requests.hints": ("generate_investigation_guidance",),
    "gate.phases": ("should_allow_devrag", "validate_for_ready"),
    "requests.quotes": ("validate_slot",),
    "requests.relatedness": ("is_related",),
    "requests.requirements": ("get_exploration_requirements",),
    "requests.router": ("RoutingDecision", "route"),
    "gate.plan_gate": ("gate_for",),
    "gate.session": ("Session",),
    "gate.workspaces": ("Workspace",),
}
__getattr__ = load_lazily(__name__, _HOMES)
