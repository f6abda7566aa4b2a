"""Diagnostics: what a phase reports about a text, and how it is printed."""

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
    """The severity of a diagnostic."""

    ERROR = "error"  # the document is invalid
    WARNING = "warning"  # the document is valid, but probably not what was meant
    NOTE = "note"  # what was done


@dataclass(frozen=True, slots=True)
class Diagnostic(JsonObject):
    """One diagnostic.

    Attributes:
        code: The name of the mistake in kebab case, such as `missing-target-mark`.
        message: What is wrong, in lower case and without a full stop.
        span: The place in the caller's text.
        severity: The severity.
        expected: What would be valid there, if that is known.
        hint: What to do; empty: there is no advice.
    """

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
        """Draw the diagnostic for people.

        Args:
            source: The text that the span refers to.

        Returns:
            Lines without a final newline: `name:line:column: severity: message [code]`, the line of
            the text, carets below the span, what was expected, and the hint.
        """
        # Imported here: few diagnostics are drawn, and the exported parsers replace this module.
        from .drawing import draw_finding

        headline = f"{self.severity}: {self.message} [{self.code}]"
        return draw_finding(headline, self.span, source, self.expected, self.hint)


# Diagnostics are created by the thousand, and a frozen dataclass sets each field by a slow call.
make_finding: Callable[..., Diagnostic] = make_quickly(Diagnostic)


class ParseError(SymOpsError):
    """A text does not parse strictly.

    Attributes:
        diagnostics: Where and why.
        source: The text.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], source: Source) -> None:
        self.diagnostics = tuple(diagnostics)
        self.source = source
        super().__init__("\n".join(d.draw(source) for d in self.diagnostics))
