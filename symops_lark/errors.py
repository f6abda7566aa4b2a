"""The family of errors. Everything this package raises on purpose is a `SymOpsError`.

SymOpsError
├── GrammarError        a grammar file is missing or wrong
├── ParseError          a text is not in the dialect (strict parsing)
├── RenderError         a dialect cannot say a document
├── RuleError           a repair rule or rule set is wrong
├── ProtocolError       no phase could read a reply; carries the best partial document
├── ModelError          a model cannot be asked, or its reply broke off; carries what had arrived
└── WorkspaceError      files cannot be changed, or commands not run, as it was planned
    └── UnsafeActionError   it would be dangerous: a link, a path outside, a refused action
"""

from __future__ import annotations

from collections.abc import Sequence


class SymOpsError(Exception):
    """The base of all errors of this package."""


class GrammarError(SymOpsError):
    """A grammar cannot be found, read or compiled; the message names file, line and column where known."""


class RuleError(SymOpsError):
    """A repair rule or rule set is wrong; the message begins with `file:line:column:`."""


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
