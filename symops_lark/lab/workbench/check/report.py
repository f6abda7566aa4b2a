"""The findings of the checks of a grammar, and their form as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from ....core.ground.json_objects import JsonObject, write_object
from ....core.ground.members import coerce_members
from ....core.text.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Finding(JsonObject):
    """One finding about a grammar.

    Attributes:
        code: The code, such as `terminal-collision`.
        severity: The severity.
        message: The problem.
        path: The file.
        line: The line of the file, from 1.
        column: The column, from 1.
        example: A text of the dialect that shows the problem; empty if there is none.
        hint: The advice; empty if there is none.
        source: The line of the grammar.
    """

    code: str
    severity: Severity
    message: str
    path: Path = field(metadata={"json": "file"})
    line: int
    column: int
    example: str = ""
    hint: str = ""
    # Two findings at one place are equal, even if the line was edited.
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        place = {"file": str(self.path), **write_object(self, "line", "column", "example", "hint")}
        return write_object(self, "code", "severity", "message") | place


@dataclass(frozen=True, slots=True)
class Report(JsonObject):
    """All findings about one grammar.

    Attributes:
        name: The name of the grammar.
        findings: The findings, in the order of their places.
        compiles: Whether the library can use the grammar.
        bases: The grammars that it builds on.
        inherited: The number of findings of the bases alone, which are left out.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("name", "compiles", "findings", "bases", "inherited")

    name: str
    findings: tuple[Finding, ...]
    compiles: bool
    bases: tuple[str, ...] = ()
    inherited: int = 0

    @property
    def exit_code(self) -> int:
        """0: nothing or only notes; 1: warnings or errors; 2: the grammar cannot be compiled."""
        if not self.compiles:
            return 2
        return int(any(finding.severity is not Severity.NOTE for finding in self.findings))
