"""Repair broken replies by declarative rules, which change markup, not contents by accident."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import RepairEngine
    from .loader import load_rules, rulesets
    from .repaired import Repair, Repaired
    from .rule import Rule

__all__ = ["Repair", "RepairEngine", "Repaired", "Rule", "load_rules", "rulesets"]
_HOMES = {
    "engine": ("RepairEngine",),
    "loader": ("load_rules", "rulesets"),
    "repaired": ("Repair", "Repaired"),
    "rule": ("Rule",),
}


def __getattr__(name: str) -> Any:
    """Return one of `__all__`; the modules of this room are loaded only then."""
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
