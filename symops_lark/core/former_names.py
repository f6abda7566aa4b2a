"""Find modules and names by their former names, until the version that removes them.

`import symops_lark.structured` still works, warns, and gives the module that has another name now.
The package looks here after everything else; for folders that are gone, before everything else.
All deprecation warnings of the package come from here (tests/test_releases.py).
"""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any
from warnings import warn

_PACKAGE = __name__.partition(".")[0]

# Two minor versions after the one that renamed them, 0.9: see RELEASING.md. The version that has
# this number must have none of these names, so a test fails until they are removed.
REMOVED_IN = "0.11"

# The former name of a module or a folder, and its name now, both within the package. A folder's row
# is for all modules below it; of several rows that fit, the longest counts.
FORMER = {
    "baselines": "lab.baselines",
    "bounded_log": "core.ground.bounded_log",
    "cli": "adapters.cli",
    "cli.apply": "adapters.cli.acting.apply",
    "cli.ask": "adapters.cli.models.ask",
    "cli.asking": "adapters.cli.acting.asking",
    "cli.check": "adapters.cli.acting.check",
    "cli.convert": "adapters.cli.reading.convert",
    "cli.export": "adapters.cli.dialects.export",
    "cli.extract": "adapters.cli.models.extract",
    "cli.fixing": "adapters.cli.acting.fixing",
    "cli.gate": "adapters.cli.code.gate",
    "cli.judge": "adapters.cli.models.judge",
    "cli.objects": "adapters.cli.models.objects",
    "cli.parse": "adapters.cli.reading.parse",
    "cli.plan": "adapters.cli.acting.plan",
    "cli.plan_view": "adapters.cli.acting.plan_view",
    "cli.playground": "adapters.cli.dialects.playground",
    "cli.process": "adapters.cli.reading.process",
    "cli.prompt": "adapters.cli.models.prompt",
    "cli.providers": "adapters.cli.models.providers",
    "cli.recover": "adapters.cli.reading.recover",
    "cli.render": "adapters.cli.reading.render",
    "cli.repair": "adapters.cli.reading.repair",
    "cli.rules": "adapters.cli.reading.rules",
    "cli.schema": "adapters.cli.reading.schema",
    "cli.serve": "adapters.cli.code.serve",
    "cli.sessions": "adapters.cli.code.sessions",
    "cli.stream": "adapters.cli.reading.stream",
    "code_intelligence.arguments": "code_intelligence.gate.arguments",
    "code_intelligence.decision_log": "code_intelligence.gate.decision_log",
    "code_intelligence.decomposer": "code_intelligence.requests.decomposer",
    "code_intelligence.events": "code_intelligence.gate.record",
    "code_intelligence.folding": "code_intelligence.requests.folding",
    "code_intelligence.frame": "code_intelligence.requests.frame",
    "code_intelligence.hints": "code_intelligence.requests.hints",
    "code_intelligence.outcome_log": "code_intelligence.gate.outcomes",
    "code_intelligence.outcomes": "code_intelligence.gate.outcomes",
    "code_intelligence.phases": "code_intelligence.gate.phases",
    "code_intelligence.quotes": "code_intelligence.requests.quotes",
    "code_intelligence.record": "code_intelligence.gate.record",
    "code_intelligence.relatedness": "code_intelligence.requests.relatedness",
    "code_intelligence.requirements": "code_intelligence.requests.requirements",
    "code_intelligence.router": "code_intelligence.requests.router",
    "code_intelligence.sealed_lines": "code_intelligence.gate.sealed_lines",
    "code_intelligence.semantic": "code_intelligence.tools.semantic",
    "code_intelligence.session": "code_intelligence.gate.session",
    "code_intelligence.slot_steps": "code_intelligence.gate.slot_steps",
    "code_intelligence.steps": "code_intelligence.gate.steps",
    "code_intelligence.surroundings": "code_intelligence.gate.surroundings",
    "code_intelligence.understanding": "code_intelligence.gate.understanding",
    "code_intelligence.vectors": "code_intelligence.tools.vectors",
    "code_intelligence.words": "code_intelligence.requests.words",
    "code_intelligence.workspaces": "code_intelligence.gate.workspaces",
    "code_intelligence.write_gate": "code_intelligence.gate.write_gate",
    "collector": "core.ground.collector",
    "compliance": "lab.benchmark",
    "conditions": "answers.conditions",
    "correction": "models.correction",
    "correction.conversation": "core.replies.conversation",
    "diagnostics": "core.text.diagnostics",
    "discourse": "core.discourse",
    "document": "core.document",
    "drawing": "core.text.drawing",
    "edits": "core.edits",
    "errors": "core.ground.errors",
    "exporters": "exports",
    "file_locks": "core.ground.file_locks",
    "file_types": "core.ground.file_types",
    "frozen": "core.ground.frozen",
    "grammar": "core.grammar",
    "grammar.ambiguity": "core.grammar.compiling.ambiguity",
    "grammar.blocks": "core.grammar.compiling.blocks",
    "grammar.bounds": "core.grammar.compiling.bounds",
    "grammar.compiler": "core.grammar.compiling.compiler",
    "grammar.gathering": "core.grammar.compiling.gathering",
    "grammar.kept_parts": "core.grammar.compiling.kept_parts",
    "grammar.lark_errors": "core.grammar.compiling.lark_errors",
    "grammar.letters": "core.grammar.compiling.character_sets",
    "grammar.own_sections": "core.grammar.compiling.own_sections",
    "grammar.positions": "core.grammar.compiling.positions",
    "grammar.regular": "core.grammar.compiling.regular",
    "grammar.section_compiler": "core.grammar.compiling.section_compiler",
    "grammar.statements": "core.grammar.compiling.statements",
    "json_objects": "core.ground.json_objects",
    "json_text": "core.ground.json_text",
    "judgment": "answers.judgment",
    "kept_tables": "core.ground.kept_tables",
    "measuring": "lab.measuring",
    "measuring.json_lines": "core.ground.json_lines",
    "members": "core.ground.members",
    "models.base": "core.replies.messages",
    "models.contents": "core.replies.contents",
    "models.sdk": "core.replies.sdk",
    "numbers": "core.ground.numbers",
    "pattern_machine": "core.patterns.pattern_machine",
    "pattern_syntax": "core.patterns.pattern_syntax",
    "pipeline": "core.pipeline",
    "playground": "lab.playground",
    "process_groups": "core.ground.process_groups",
    "processor": "core.processor",
    "program_search": "core.ground.program_search",
    "prompts": "models.prompts",
    "python_processes": "core.ground.python_processes",
    "recovery": "core.recovery",
    "recovery.automaton": "core.recovery.engines.automaton",
    "recovery.automaton_compiler": "core.recovery.engines.automaton_compiler",
    "recovery.confidence": "core.recovery.doubts.confidence",
    "recovery.drafts": "core.recovery.doubts.drafts",
    "recovery.earley": "core.recovery.engines.earley",
    "recovery.fence_lines": "core.recovery.lines.fence_lines",
    "recovery.fenced_files": "core.recovery.fenced_files",
    "recovery.field_lines": "core.recovery.lines.field_lines",
    "recovery.further_forms": "core.recovery.lines.further_forms",
    "recovery.head_lines": "core.recovery.lines.head_lines",
    "recovery.heads": "core.recovery.outline.heads",
    "recovery.held_sections": "core.recovery.outline.held_sections",
    "recovery.kinds": "core.recovery.lines.kinds",
    "recovery.known_blocks": "core.recovery.outline.known_blocks",
    "recovery.lexer": "core.recovery.lines.lexer",
    "recovery.lost_actions": "core.recovery.doubts.lost_actions",
    "recovery.nested_actions": "core.recovery.doubts.nested_actions",
    "recovery.nesting": "core.recovery.engines.nesting",
    "recovery.nests": "core.discourse.nesting",
    "recovery.own_lines": "core.recovery.lines.own_lines",
    "recovery.priced_rules": "core.recovery.engines.priced_rules",
    "recovery.prose": "core.recovery.lines.prose",
    "recovery.skipping": "core.recovery.doubts.skipping",
    "recovery.spelling": "core.recovery.lines.spelling",
    "recovery.tagged_blocks": "core.recovery.lines.tagged_blocks",
    "regexes": "core.patterns.regexes",
    "rendering": "core.rendering",
    "repairs": "core.repairs",
    "resources": "core.ground.resources",
    "result": "core.result",
    "routing.batch": "routing.contests.batch",
    "routing.card": "routing.manifests.card",
    "routing.contest": "routing.contests.contest",
    "routing.flow": "routing.contests.flow",
    "routing.folding": "routing.logs.folding",
    "routing.manifest": "routing.manifests.manifest",
    "routing.manifest_values": "routing.manifests.manifest_values",
    "routing.metric_registry": "routing.metrics.metric_registry",
    "routing.promotion": "routing.registry.promotion",
    "routing.providers": "routing.contests.providers",
    "routing.registry_events": "routing.registry.registry_events",
    "routing.rows": "routing.logs.rows",
    "routing.run_log": "routing.logs.run_log",
    "routing.runs": "routing.logs.runs",
    "routing.selection": "routing.metrics.selection",
    "routing.supply_chain": "routing.manifests.supply_chain",
    "routing.tallies": "routing.logs.tallies",
    "routing.verification": "routing.logs.verification",
    "schemas": "core.ground.schemas",
    "source": "core.text.source",
    "streaming": "core.streaming",
    "strict": "core.strict",
    "structured": "answers.structured",
    "structured.budget": "answers.structured.schema.budget",
    "structured.keywords": "answers.structured.schema.keywords",
    "structured.problems": "answers.structured.schema.problems",
    "structured.projection": "answers.structured.schema.projection",
    "structured.schemas": "answers.structured.schema.schemas",
    "structured.shapes": "answers.structured.schema.shapes",
    "structured.validators": "answers.structured.schema.validators",
    "tables": "exports.tables",
    "unfinished": "core.unfinished",
    "validator": "core.validator",
    "workbench": "lab.workbench",
    "workspace": "acting",
    "workspace.attributes": "acting.files.attributes",
    "workspace.diffs": "core.edits",
    "workspace.edits": "acting.files.texts",
    "workspace.emptied": "acting.journal.emptied",
    "workspace.endings": "acting.files.texts",
    "workspace.entries": "acting.files.entries",
    "workspace.environment": "acting.commands.environment",
    "workspace.filesystem": "acting.files.filesystem",
    "workspace.guarded": "acting.commands.guarded",
    "workspace.order": "acting.plan.order",
    "workspace.paths": "acting.files.paths",
    "workspace.places": "acting.plan.places",
    "workspace.planning": "acting.plan.planning",
    "workspace.policy": "acting.plan.policy",
    "workspace.policy_file": "acting.plan.policy_file",
    "workspace.policy_values": "acting.plan.policy_values",
    "workspace.protected": "acting.files.protected",
    "workspace.records": "acting.journal.records",
    "workspace.renames": "acting.files.renames",
    "workspace.room": "acting.journal.room",
    "workspace.sandbox": "acting.commands.sandbox",
    "workspace.scratch": "acting.commands.scratch",
    "workspace.seal": "acting.journal.seal",
    "workspace.steps": "acting.journal.steps",
    "workspace.system_calls": "acting.commands.system_calls",
    "workspace.trust": "acting.journal.trust",
    "workspace.view": "acting.files.view",
    "workspace.warnings": "acting.plan.warnings",
    "yaml_file": "core.text.yaml_file",
}


def find_former(name: str) -> ModuleSpec | None:
    """Return the specification of a module by its former name.

    Args:
        name: The full name, such as `symops_lark.structured`.

    Returns:
        The specification, whose loader warns and gives the module under its name now. None if no
        module had this name.
    """
    inner = name.removeprefix(f"{_PACKAGE}.")
    # The longest first: "cli.apply" has a row beside that of "cli".
    matches = [head for head in _heads(inner) if head in FORMER]
    if not matches:
        return None
    former = matches[0]
    now = f"{_PACKAGE}.{FORMER[former]}{inner.removeprefix(former)}"
    real = find_spec(now)
    if real is None:
        return None
    # Typed as Any: the protocol of loaders is a class, and this one has only its two methods.
    loader: Any = _FormerLoader(now)
    return ModuleSpec(name, loader, is_package=real.submodule_search_locations is not None)


def give_former(module: str, name: str, former: str = "") -> Any:
    """Return a member of a module whose former name is a folder now, and warn.

    Args:
        module: The full name of the module now, such as `symops_lark.acting.journal.journal`.
        name: The name of the member.
        former: The full name of its former module; empty for the folder of `module`.
    """
    former = former or module.rpartition(".")[0]
    # One frame more: a folder's `__getattr__` calls this.
    warn_former(f"{former}.{name}", f"{module}.{name}", level=4)
    return getattr(import_module(module), name)


def warn_former(former: str, now: str, level: int = 3) -> None:
    """Warn of a former name.

    Args:
        former: The full name that is used.
        now: The full name that replaces it.
        level: The number of frames from this function to the user's line.
    """
    message = f"{former} is now {now}; version {REMOVED_IN} removes the former name"
    warn(message, DeprecationWarning, stacklevel=level)


class _FormerLoader:
    """Gives the existing module, not a second copy of it: its classes must be the same."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> Any:
        """Return the module under its name now, loaded."""
        warn_former(spec.name, self.name)
        module = import_module(self.name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: Any) -> None:
        """Restore the specification of the module."""
        # The import system has replaced it by that of the former name.
        module.__spec__ = self._spec


def _heads(name: str) -> list[str]:
    """Return a dotted name and all names that it begins with, the longest first."""
    parts = name.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]
