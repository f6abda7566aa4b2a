"""Sym-Ops: a compact text protocol in which a coding agent's model writes thoughts, state and actions.

    result = symops_lark.process(reply, format="v2")
    for action in result.document.actions: ...

Nothing is compiled and nothing heavy is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .correction import SelfCorrector
    from .diagnostics import Diagnostic, ParseError, Severity
    from .document import (
        Action,
        Completeness,
        CustomSection,
        Document,
        ErrorNote,
        Part,
        Question,
        Skipped,
        Thought,
        Vitals,
    )
    from .errors import GrammarError, RenderError, RuleError, SymOpsError, UnsafeActionError, WorkspaceError
    from .exporters import ExportError, export
    from .grammar.loading import derive, dialects
    from .models.base import ModelError
    from .processor import SymOpsProcessor, convert, parse, process, recover, repair
    from .prompts import FEW_SHOT_EXAMPLES, SYMOPS_SYSTEM_PROMPT, SYMOPS_V2_SYSTEM_PROMPT, PromptBuilder, system_prompt
    from .rendering.renderer import render
    from .rendering.writer import RenderOptions
    from .repairs import rulesets
    from .result import Phase, ProtocolError, Result
    from .schemas import schema
    from .source import Source, Span
    from .streaming import NEED_TEXT, StreamParser, StreamResult
    from .validator import is_acceptable, validate
    from .version import __version__ as __version__
    from .workspace.changes import Change, Decision, Plan
    from .workspace.commands import Runner
    from .workspace.execution import Outcome, apply
    from .workspace.journal import undo
    from .workspace.planning import plan
    from .workspace.policy import Policy
    from .workspace.policy_file import load_policy

_HOMES = {
    "correction": ("SelfCorrector",),
    "diagnostics": ("Diagnostic", "ParseError", "Severity"),
    "document": (
        "Action",
        "Completeness",
        "CustomSection",
        "Document",
        "ErrorNote",
        "Part",
        "Question",
        "Skipped",
        "Thought",
        "Vitals",
    ),
    "errors": ("GrammarError", "RenderError", "RuleError", "SymOpsError", "UnsafeActionError", "WorkspaceError"),
    "exporters": ("ExportError", "export"),
    "grammar.loading": ("derive", "dialects"),
    "models.base": ("ModelError",),
    "processor": ("SymOpsProcessor", "convert", "parse", "process", "recover", "repair"),
    "prompts": (
        "FEW_SHOT_EXAMPLES",
        "PromptBuilder",
        "SYMOPS_SYSTEM_PROMPT",
        "SYMOPS_V2_SYSTEM_PROMPT",
        "system_prompt",
    ),
    "rendering.renderer": ("render",),
    "rendering.writer": ("RenderOptions",),
    "repairs": ("rulesets",),
    "result": ("Phase", "ProtocolError", "Result"),
    "schemas": ("schema",),
    "source": ("Source", "Span"),
    "streaming": ("NEED_TEXT", "StreamParser", "StreamResult"),
    "validator": ("is_acceptable", "validate"),
    "version": ("__version__",),
    "workspace.changes": ("Change", "Decision", "Plan"),
    "workspace.commands": ("Runner",),
    "workspace.execution": ("Outcome", "apply"),
    "workspace.journal": ("undo",),
    "workspace.planning": ("plan",),
    "workspace.policy": ("Policy",),
    "workspace.policy_file": ("load_policy",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
__all__ = [
    "FEW_SHOT_EXAMPLES",
    "NEED_TEXT",
    "SYMOPS_SYSTEM_PROMPT",
    "SYMOPS_V2_SYSTEM_PROMPT",
    "Action",
    "Change",
    "Completeness",
    "CustomSection",
    "Decision",
    "Diagnostic",
    "Document",
    "ErrorNote",
    "ExportError",
    "GrammarError",
    "ModelError",
    "Outcome",
    "ParseError",
    "Part",
    "Phase",
    "Plan",
    "Policy",
    "PromptBuilder",
    "ProtocolError",
    "Question",
    "RenderError",
    "RenderOptions",
    "Result",
    "RuleError",
    "Runner",
    "SelfCorrector",
    "Severity",
    "Skipped",
    "Source",
    "Span",
    "StreamParser",
    "StreamResult",
    "SymOpsError",
    "SymOpsProcessor",
    "Thought",
    "UnsafeActionError",
    "Vitals",
    "WorkspaceError",
    "apply",
    "convert",
    "derive",
    "dialects",
    "export",
    "is_acceptable",
    "load_policy",
    "parse",
    "plan",
    "process",
    "recover",
    "render",
    "repair",
    "rulesets",
    "schema",
    "system_prompt",
    "undo",
    "validate",
]


def __getattr__(name: str) -> Any:
    name = {"Forms": "RenderOptions"}.get(name, name)  # its former name
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
