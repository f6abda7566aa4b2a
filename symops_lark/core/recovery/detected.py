"""What is known of the dialect of a text."""

from __future__ import annotations

from dataclasses import dataclass

from ..document import Document
from ..grammar.codes import DOUBTFUL_DIALECT
from ..grammar.dialect import Dialect
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Span

MARGIN = 2000  # a runner-up that costs no more than two plain slips beyond the winner leaves doubt


@dataclass(frozen=True, slots=True)
class Detection:
    """The dialect of a text, None if it is in none of those known; the strict document, if it is valid in it.

    `runner_up` is the next best dialect that reads the text otherwise, and `margin` what it costs more (prices of the
    recovery grammar); None if no other makes any sense of it.
    """

    dialect: Dialect | None
    document: Document | None = None
    runner_up: Dialect | None = None
    margin: int | None = None

    @property
    def doubtful(self) -> bool:
        """Whether another dialect reads the text nearly as cheaply."""
        return self.margin is not None and self.margin <= MARGIN

    def to_diagnostic(self) -> Diagnostic | None:
        """Return the doubt as a note for the reader of a result."""
        if not self.doubtful or self.dialect is None or self.runner_up is None:
            return None
        name, other = self.dialect.name, self.runner_up.name
        message = f"read as {name}; as {other} it would say something else at nearly the same price"
        return Diagnostic(DOUBTFUL_DIALECT, message, Span(0, 0), Severity.NOTE, hint="name the dialect by `--format`")
