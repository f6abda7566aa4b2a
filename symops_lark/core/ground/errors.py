"""The family of errors. Everything this package raises on purpose is a `SymOpsError`.

SymOpsError
├── GrammarError        a grammar file is missing or wrong
├── ParseError          a text is not in the dialect (strict parsing)
├── RenderError         a dialect cannot say a document
├── ExportError         a dialect cannot be exported so
├── RuleError           a repair rule or rule set is wrong
├── ProtocolError       no phase could read a reply; carries the best partial document
├── ModelError          a model cannot be asked, or its reply broke off; carries what had arrived
└── WorkspaceError      files cannot be changed, or commands not run, as it was planned
    ├── UntrustedError      a journal may not be this user's; carries what it would do
    └── UnsafeActionError   it would be dangerous: a link, a path outside, a refused action
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class SymOpsError(Exception):
    """The base of all errors of this package. They travel between processes, and are equal if they say the same."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.args), self.__dict__

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.args == self.args and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), str(self)))


def _revive(kind: type[SymOpsError], args: tuple[Any, ...]) -> SymOpsError:
    """Return an error as it was: what it was made of is not at hand, what it knows follows."""
    error = kind.__new__(kind)
    error.args = args
    return error


class GrammarError(SymOpsError):
    """A grammar cannot be found, read or compiled; the message names file, line and column where known."""


class RuleError(SymOpsError):
    """A repair rule or rule set is wrong; the message begins with `file:line:column:`."""


class ExportError(SymOpsError):
    """A dialect cannot be exported so; the message says which of its features stands where, and why."""


class RenderError(SymOpsError):
    """A dialect cannot say a document: `line` (1-based) is the offending line of `content`, if one is."""

    def __init__(self, message: str, line: int | None = None, dialects: Sequence[str] = ()) -> None:
        self.line = line
        self.dialects = tuple(dialects)
        super().__init__(message)


class WorkspaceError(SymOpsError):
    """Files cannot be changed, or a command cannot be run, as it was planned; what is half done is told."""


class UnsafeActionError(WorkspaceError):
    """What is asked for would be dangerous: it follows a link, leaves the root, or is refused by the policy."""
