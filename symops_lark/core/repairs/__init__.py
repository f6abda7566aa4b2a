"""Putting right what models get wrong: declarative rules, applied to markup, never to content by accident."""

from .engine import RepairEngine
from .loader import load_rules, rulesets
from .repaired import Repair, Repaired
from .rule import Rule

__all__ = ["Repair", "RepairEngine", "Repaired", "Rule", "load_rules", "rulesets"]
