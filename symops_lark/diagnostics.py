"""What a phase has to say about a text, and how it is shown to a person."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .source import Source, Span


class Severity(StrEnum):
    """How bad it is: an error makes a document invalid, a warning does not, a note tells what was done."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: `code` is a kebab-case name of the mistake, `span` its place in the caller's text."""

    code: str
    message: str
    span: Span
    severity: Severity = Severity.ERROR
    expected: tuple[str, ...] = ()
    hint: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give the finding as a JSON object."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "message": self.message,
            "span": self.span.to_dict(),
            "expected": list(self.expected),
            "hint": self.hint,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Diagnostic:
        """Read what `to_dict` wrote."""
        return cls(
            data["code"],
            data["message"],
            Span.from_dict(data["span"]),
            Severity(data["severity"]),
            tuple(data.get("expected", ())),
            data.get("hint", ""),
        )

    def draw(self, source: Source) -> str:
        """Draw the finding: `name:line:column: severity: message [code]`, the line, carets, the hint."""
        span = self.span
        lines = [f"{source.name}:{span.line}:{span.column}: {self.severity}: {self.message} [{self.code}]"]
        shown = source.line_text(span.line)
        begin, stop = span.column - 1, span.column - 1 + max(1, span.end - span.start)
        left = max(0, begin - 60)
        window = shown[left : left + 120]
        margin = f"{span.line:>5} | "
        if window.strip():
            lead = "".join("\t" if c == "\t" else " " * _width(c) for c in window[: begin - left])
            marked = window[begin - left : stop - left]
            lines.append(margin + ("…" if left else "") + window + ("…" if len(shown) > left + 120 else ""))
            carets = "^" * max(1, sum(map(_width, marked)))
            lines.append(" " * 6 + "| " + (" " if left else "") + lead + carets)
        if self.expected:
            lines.append("        expected: " + ", ".join(self.expected))
        if self.hint:
            lines.append("        hint: " + self.hint)
        return "\n".join(lines)


def _width(character: str) -> int:
    """Columns that a terminal gives a character: two for East Asian wide ones, none for marks that combine."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
