"""What a phase has to say about a text, and how it is shown to a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..ground.errors import SymOpsError
from ..ground.frozen import make_quickly
from ..ground.json_objects import JsonObject
from ..ground.members import coerce_members
from .source import Source, Span


class Severity(StrEnum):
    """How bad it is: an error makes a document invalid, a warning does not, a note tells what was done."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic(JsonObject):
    """One finding: `code` is a kebab-case name of the mistake, `span` its place in the caller's text."""

    code: str
    message: str
    span: Span
    severity: Severity = Severity.ERROR
    expected: tuple[str, ...] = ()
    hint: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)

    WRITTEN = ("code", "severity", "message", "span", "expected", "hint")

    def draw(self, source: Source) -> str:
        """Draw the finding: `name:line:column: severity: message [code]`, the line, carets, the hint."""
        from .drawing import draw_finding

        said = f"{self.severity}: {self.message} [{self.code}]"
        return draw_finding(said, self.span, source, self.expected, self.hint)


make_finding: Callable[..., Diagnostic] = make_quickly(Diagnostic)


class ParseError(SymOpsError):
    """A text does not parse strictly; `diagnostics` say where and why, `source` is the text."""

    def __init__(self, diagnostics: Sequence[Diagnostic], source: Source) -> None:
        self.diagnostics = tuple(diagnostics)
        self.source = source
        super().__init__("\n".join(d.draw(source) for d in self.diagnostics))
