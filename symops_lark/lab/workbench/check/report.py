"""What the checks of a grammar find, and how it is told to programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from ....core.ground.json_objects import JsonObject, write_object
from ....core.ground.members import coerce_members
from ....core.text.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Finding(JsonObject):
    """One finding about a grammar: `code` is kebab-case, line and column (1-based) are those of `path`.

    `example` is a text in the dialect that shows it, or empty; `shown` is the line of the grammar.
    """

    code: str
    severity: Severity
    message: str
    path: Path = field(metadata={"json": "file"})
    line: int
    column: int
    example: str = ""
    hint: str = ""
    shown: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        place = {"file": str(self.path), **write_object(self, "line", "column", "example", "hint")}
        return write_object(self, "code", "severity", "message") | place


@dataclass(frozen=True, slots=True)
class Report(JsonObject):
    """All findings about one grammar in the order of their places; `compiles` tells whether the library can use it.

    `bases` are the grammars that it builds on; as many findings as `inherited` says are theirs alone, and not told.
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
