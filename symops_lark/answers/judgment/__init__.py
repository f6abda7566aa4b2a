"""Find the rule of a list that holds at the end of a step.

The sources are facts, tags in replies, and questions to a model.

    judgment = judge_status(["approved", "needs a fix"], report, model, step="review")
    judgment.rule_index, judgment.method, judgment.reason
"""

from .detection import detect_matched_rule
from .instructions import build_comparison, build_instruction, write_table
from .judging import EVALUATION_SCHEMA, JUDGMENT_SCHEMA, judge_status
from .rules import Rule, Shown, as_rule, show_rules
from .rules_file import End, RulesError, RulesFile, Step, load_rules
from .sources import join_reports, read_source
from .stages import (
    Judgment,
    JudgmentCancelled,
    Method,
    Stage,
    StatusNotFound,
    to_judgment_match_method,
)
from .tags import ALIASES, find_tag, tag_name, write_tag

__all__ = [
    "ALIASES",
    "EVALUATION_SCHEMA",
    "JUDGMENT_SCHEMA",
    "End",
    "Judgment",
    "JudgmentCancelled",
    "Method",
    "Rule",
    "RulesError",
    "RulesFile",
    "Shown",
    "Stage",
    "StatusNotFound",
    "Step",
    "as_rule",
    "build_comparison",
    "build_instruction",
    "detect_matched_rule",
    "find_tag",
    "join_reports",
    "judge_status",
    "load_rules",
    "read_source",
    "show_rules",
    "tag_name",
    "to_judgment_match_method",
    "write_table",
    "write_tag",
]
