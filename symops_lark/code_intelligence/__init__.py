"""Look before you write: a request becomes slots, tools fill the holes, and the record decides what may be written.

    session = Workspace("project").start_session("ログイン機能直して", intent="MODIFY")
    session.search_text("login"); …; session.submit_understanding(…); session.check_write_target("auth/service.py")

Laws: nothing that a model says is believed unless a call in the session's own record shows it; every refusal says its
`reason_code`, what is missing and the way on.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .decomposer import Decomposer
    from .frame import Evidence, IntentType, MappedSymbol, QueryFrame
    from .hints import generate_investigation_guidance
    from .phases import should_allow_devrag, validate_for_ready
    from .quotes import validate_slot
    from .relatedness import is_related
    from .requirements import get_exploration_requirements
    from .router import RoutingDecision, route
    from .session import Session
    from .workspaces import Workspace

__all__ = [
    "Decomposer",
    "Evidence",
    "IntentType",
    "MappedSymbol",
    "QueryFrame",
    "RoutingDecision",
    "Session",
    "Workspace",
    "generate_investigation_guidance",
    "get_exploration_requirements",
    "is_related",
    "route",
    "should_allow_devrag",
    "validate_for_ready",
    "validate_slot",
]
_HOMES = {
    "decomposer": ("Decomposer",),
    "frame": ("Evidence", "IntentType", "MappedSymbol", "QueryFrame"),
    "hints": ("generate_investigation_guidance",),
    "phases": ("should_allow_devrag", "validate_for_ready"),
    "quotes": ("validate_slot",),
    "relatedness": ("is_related",),
    "requirements": ("get_exploration_requirements",),
    "router": ("RoutingDecision", "route"),
    "session": ("Session",),
    "workspaces": ("Workspace",),
}


def __getattr__(name: str) -> Any:
    """Return one of `__all__`, which is loaded only then: a look into the index needs none of them."""
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
