"""Conditions over facts, as rules and manifests have them: `errors < 3 and not (kind == "fix")`.

    evaluate_condition("errors < 3 and valid", {"errors": 0, "valid": True})    # True

Its grammar is `grammars/conditions/condition.lark`. Nothing of a condition is ever run as a program.
"""

from .language import Condition, ConditionError, evaluate_condition, read_condition

__all__ = ["Condition", "ConditionError", "evaluate_condition", "read_condition"]
