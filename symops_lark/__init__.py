"""Sym-Ops: a compact text protocol for the thoughts, the state and the actions of a coding agent.

    result = symops_lark.process(reply, format="v2")
    for action in result.document.actions: ...

Nothing is compiled and nothing heavy is imported before it is used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .acting.changes import Change, Decision, Plan
    from .acting.commands.commands import Runner
    from .acting.execution import Outcome, apply
    from .acting.journal.journal import undo
    from .acting.plan.planning import plan
    from .acting.plan.policy import Policy
    from .acting.plan.policy_file import load_policy
    from .core.document import (
        Action,
        Completeness,
        CustomSection,
        Document,
        ErrorNote,
        Part,
        Question,
        Replacement,
        Skipped,
        Thought,
        Vitals,
    )
    from .core.edits.editing import edit_text
    from .core.edits.hunks import Edited, Refusal
    from .core.formats.documents import read_format
    from .core.formats.loading import Format, formats
    from .core.formats.writer import write_format
    from .core.functions import convert, parse, process, recover, render, repair
    from .core.grammar.loading import derive, dialects
    from .core.ground.errors import (
        GrammarError,
        RenderError,
        RuleError,
        SymOpsError,
        UnsafeActionError,
        WorkspaceError,
    )
    from .core.ground.schemas import schema
    from .core.ground.version import __version__ as __version__
    from .core.processor import SymOpsProcessor
    from .core.rendering.writer import RenderOptions
    from .core.repairs.loader import rulesets
    from .core.replies.messages import ModelError
    from .core.result import Phase, ProtocolError, Result
    from .core.streaming import (
        NEED_TEXT,
        ActionFinished,
        ActionStarted,
        ContentDelta,
        Noticed,
        SectionContent,
        SectionFinished,
        SectionParsed,
        SectionStarted,
        StreamParser,
        StreamResult,
    )
    from .core.text.diagnostics import Diagnostic, ParseError, Severity
    from .core.text.source import Source, Span
    from .core.validator import is_acceptable, validate
    from .exports import ExportError, export
    from .exports.portable.tables import portable_tables
    from .models.correction import SelfCorrector
    from .models.prompts import (
        FEW_SHOT_EXAMPLES,
        SYMOPS_SYSTEM_PROMPT,
        SYMOPS_V2_SYSTEM_PROMPT,
        PromptBuilder,
        system_prompt,
    )

# The public names by their modules, which are imported when a name is used first.
_HOMES = {
    "models.correction": ("SelfCorrector",),
    "core.text.diagnostics": ("Diagnostic", "ParseError", "Severity"),
    "core.document": (
        "Action",
        "Completeness",
        "CustomSection",
        "Document",
        "ErrorNote",
        "Part",
        "Question",
        "Replacement",
        "Skipped",
        "Thought",
        "Vitals",
    ),
    "core.edits": ("Edited", "Refusal", "edit_text"),
    "core.ground.errors": (
        "GrammarError",
        "RenderError",
        "RuleError",
        "SymOpsError",
        "UnsafeActionError",
        "WorkspaceError",
    ),
    "exports": ("ExportError", "export"),
    "core.formats.documents": ("read_format",),
    "core.formats.loading": ("Format", "formats"),
    "core.formats.writer": ("write_format",),
    "exports.portable.tables": ("portable_tables",),
    "core.grammar.loading": ("derive", "dialects"),
    "core.replies.messages": ("ModelError",),
    "core.functions": ("convert", "parse", "process", "recover", "render", "repair"),
    "core.processor": ("SymOpsProcessor",),
    "models.prompts": (
        "FEW_SHOT_EXAMPLES",
        "PromptBuilder",
        "SYMOPS_SYSTEM_PROMPT",
        "SYMOPS_V2_SYSTEM_PROMPT",
        "system_prompt",
    ),
    "core.rendering.writer": ("RenderOptions",),
    "core.repairs": ("rulesets",),
    "core.result": ("Phase", "ProtocolError", "Result"),
    "core.ground.schemas": ("schema",),
    "core.text.source": ("Source", "Span"),
    # With all classes of events: programs match on them.
    "core.streaming": (
        "NEED_TEXT",
        "ActionFinished",
        "ActionStarted",
        "ContentDelta",
        "Noticed",
        "SectionContent",
        "SectionFinished",
        "SectionParsed",
        "SectionStarted",
        "StreamParser",
        "StreamResult",
    ),
    "core.validator": ("is_acceptable", "validate"),
    "core.ground.version": ("__version__",),
    "acting.changes": ("Change", "Decision", "Plan"),
    "acting.commands.commands": ("Runner",),
    "acting.execution": ("Outcome", "apply"),
    "acting.journal.journal": ("undo",),
    "acting.plan.planning": ("plan",),
    "acting.plan.policy": ("Policy",),
    "acting.plan.policy_file": ("load_policy",),
}
# Modules with functions for callers, by their public names: `symops_lark.edits.kind_of`.
_MODULES = {"edits": "core.edits"}
# By name, for `__getattr__`.
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
# Constants, then classes, then functions. A test compares them with the names above.
__all__ = [
    "FEW_SHOT_EXAMPLES",
    "NEED_TEXT",
    "SYMOPS_SYSTEM_PROMPT",
    "SYMOPS_V2_SYSTEM_PROMPT",
    "Action",
    "ActionFinished",
    "ActionStarted",
    "Change",
    "Completeness",
    "ContentDelta",
    "CustomSection",
    "Decision",
    "Diagnostic",
    "Document",
    "Edited",
    "ErrorNote",
    "ExportError",
    "Format",
    "GrammarError",
    "ModelError",
    "Noticed",
    "Outcome",
    "ParseError",
    "Part",
    "Phase",
    "Plan",
    "Policy",
    "PromptBuilder",
    "ProtocolError",
    "Question",
    "Refusal",
    "RenderError",
    "RenderOptions",
    "Replacement",
    "Result",
    "RuleError",
    "Runner",
    "SectionContent",
    "SectionFinished",
    "SectionParsed",
    "SectionStarted",
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
    "edit_text",
    "export",
    "formats",
    "is_acceptable",
    "load_policy",
    "parse",
    "plan",
    "portable_tables",
    "process",
    "read_format",
    "recover",
    "render",
    "repair",
    "rulesets",
    "schema",
    "system_prompt",
    "undo",
    "validate",
    "write_format",
]


def __getattr__(name: str) -> Any:
    # PEP 562: called for a name that is not defined yet.
    from importlib import import_module

    # Its former name is not kept in `globals()`, so that each use of it warns.
    if name == "Forms":
        from .core.former_names import warn_former

        name = "RenderOptions"
        warn_former(f"{__name__}.Forms", f"{__name__}.{name}")
    if name in _MODULES:
        return import_module(f".{_MODULES[name]}", __name__)
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value  # so that this function is not called again for it
    return value


# The default lists only the names that were used before.
def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _FormerNames:
    """Finds modules by their former names.

    Args:
        everywhere: Whether all former names are found, or only those below folders that are gone.
    """

    def __init__(self, everywhere: bool) -> None:
        self._everywhere = everywhere

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the specification of a module by its former name, or None."""
        package, _, inner = name.partition(".")
        if package != __name__ or not (self._everywhere or inner.partition(".")[0] not in _WINGS):
            return None
        from .core.former_names import find_former

        return find_former(name)


# The folders of this package. Former names below them are searched last.
_WINGS = {
    "__main__",
    "acting",
    "adapters",
    "answers",
    "code_intelligence",
    "core",
    "exports",
    "lab",
    "models",
    "routing",
}
# First for folders that are gone: a finder by paths would load a second copy of a module below
# them, and classes of one name would differ.
sys.meta_path.insert(0, _FormerNames(everywhere=False))
sys.meta_path.append(_FormerNames(everywhere=True))
