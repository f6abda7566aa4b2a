"""The errors of this package. What it raises because of its input is a `SymOpsError`.

Wrong arguments of a call raise TypeError and ValueError. Other packages have more classes, such as
`routing.errors`. The main ones are:

SymOpsError
├── GrammarError        a grammar file is missing or wrong
├── ParseError          a text is not in the dialect (strict parsing)
├── RenderError         a dialect cannot express a document
├── ExportError         a dialect cannot be exported in this form
├── RuleError           a repair rule or rule set is wrong
├── ProtocolError       no phase found a section in a reply; has the best partial document
├── ModelError          a model cannot be asked, or its reply broke off; has the partial reply
└── WorkspaceError      files cannot be changed, or commands cannot be run, as planned
    ├── UntrustedError      a journal may not be this user's; has the changes it would make
    └── UnsafeActionError   an action is dangerous: a link, a path outside, a refused verb
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class SymOpsError(Exception):
    """The base class of all errors of this package.

    The errors can be pickled. Two of them are equal if class, arguments and attributes are.
    """

    # Exceptions are pickled as a call of their class with `args`. Most of these have other
    # parameters, so the call would fail in the process that receives them.
    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.args), self.__dict__

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and other.args == self.args
            and other.__dict__ == self.__dict__
        )

    def __hash__(self) -> int:
        return hash((type(self), str(self)))


def _revive(kind: type[SymOpsError], args: tuple[Any, ...]) -> SymOpsError:
    """Return an error without calling its class; its attributes are set after that."""
    error = kind.__new__(kind)
    error.args = args
    return error


class GrammarError(SymOpsError):
    """A grammar cannot be found, read or compiled.

    The message names the file, and the line and column if they are known.
    """


class RuleError(SymOpsError):
    """A repair rule or rule set is wrong; the message begins with `file:line:column:`."""


class ExportError(SymOpsError):
    """A dialect cannot be exported in this form.

    The message names the feature of the grammar that prevents it, its place, and the reason.
    """


class RenderError(SymOpsError):
    """A dialect cannot express a document.

    Args:
        message: What cannot be expressed.
        line: The line of a content that prevents it, from 1; None if it is not one line.
        dialects: The names of dialects that can express the document.
    """

    def __init__(self, message: str, line: int | None = None, dialects: Sequence[str] = ()) -> None:
        self.line = line
        self.dialects = tuple(dialects)
        super().__init__(message)


class WorkspaceError(SymOpsError):
    """Files cannot be changed, or a command cannot be run, as planned.

    The message names the changes that were already made.
    """


class UnsafeActionError(WorkspaceError):
    """An action is dangerous: it follows a link, leaves the root, or the policy refuses it."""
