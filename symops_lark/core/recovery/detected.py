"""Hold the result of dialect detection.

This is a module apart from `detection`, because a valid text in a named dialect needs the result
but none of the code that prices readings (`tests/test_walls.py` limits the
modules that load).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..document import Document
from ..grammar.codes import DOUBTFUL_DIALECT
from ..grammar.dialect import Dialect
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Span

# In prices of the recovery grammar, where near misses cost hundreds and mistakes thousands. Two
# cheap mistakes more are too little to exclude the runner-up.
MARGIN = 2000


@dataclass(frozen=True, slots=True)
class Detection:
    """The dialect that a text is probably written in.

    Attributes:
        dialect: The dialect; None if the text has a section in no dialect.
        document: The document of the strict parser; None if the text is not valid.
        runner_up: The next best dialect that reads the text differently; None if there is none.
        margin: How much more the reading costs in the runner-up, in prices of the recovery
            grammar; 0 if the text is valid in both. None if there is no runner-up.
        in_formats: The document in formats of other agents, if the text is in them and in no
            dialect.
    """

    dialect: Dialect | None
    document: Document | None = None
    runner_up: Dialect | None = None
    margin: int | None = None
    in_formats: Document | None = None

    @property
    def doubtful(self) -> bool:
        """Whether another dialect reads the text differently and costs at most `MARGIN` more."""
        return self.margin is not None and self.margin <= MARGIN

    def to_diagnostic(self) -> Diagnostic | None:
        """Return the doubt as a note for the result; None if there is no doubt."""
        if not self.doubtful or self.dialect is None or self.runner_up is None:
            return None
        best = self.dialect.name
        runner_up = self.runner_up.name
        message = f"read as {best}, but {runner_up} reads it differently at nearly the same price"
        hint = "name the dialect by `--format`"
        return Diagnostic(DOUBTFUL_DIALECT, message, Span(0, 0), Severity.NOTE, hint=hint)
