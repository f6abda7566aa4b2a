"""Collect the conflicts and notes of a plan while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...core.document import Action
from ...core.text.diagnostics import Diagnostic, Severity


@dataclass
class Report:
    """The diagnostics of a plan.

    Attributes:
        conflicts: What must be solved before any change is made.
        notes: What a person should know.
    """

    conflicts: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)

    def add_conflict(self, code: str, action: Action, message: str, hint: str) -> None:
        """Add a conflict.

        Args:
            code: The code of the diagnostic.
            action: The action that it is about.
            message: What is wrong.
            hint: What to do.
        """
        self.conflicts.append(Diagnostic(code, message, action.span, hint=hint))

    def add_note(
        self, code: str, action: Action, message: str, severity: Severity = Severity.NOTE
    ) -> None:
        """Add a note or a warning.

        Args:
            code: The code of the diagnostic.
            action: The action that it is about.
            message: What is to be known.
            severity: NOTE or WARNING.
        """
        self.notes.append(Diagnostic(code, message, action.span, severity))
