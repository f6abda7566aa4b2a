"""Repair broken replies by declarative rules, which change markup, not contents by accident."""

from typing import TYPE_CHECKING

from ..ground import load_lazily

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
__getattr__ = load_lazily(__name__, _HOMES)
