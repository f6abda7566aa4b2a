"""What a plan is made of: changes in running order, what is in their way, and the tree they were planned for."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from ..diagnostics import Diagnostic
from ..document import Action
from ..json_objects import write_object


class Operation(StrEnum):
    """What a change does."""

    CREATE = "create"
    REPLACE = "replace"
    DELETE = "delete"
    RUN = "run"


class Decision(StrEnum):
    """What the policy says: go on by itself, ask a person first, or never."""

    AUTO = "auto"
    ASK = "ask"
    REFUSE = "refuse"


class Kind(StrEnum):
    """What stands at a path; links are not followed."""

    MISSING = "missing"
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands at a path: its kind, and for a file its bytes, its permission bits and the number of its names."""

    kind: Kind
    data: bytes | None = None
    mode: int | None = None
    links: int = field(default=1, compare=False)  # others may come and go, and the file is the same


class Tree(Protocol):
    """A view of the files below a root; it changes nothing."""

    def look(self, path: str) -> Entry:
        """Return what stands at a relative POSIX path; links on the way are not followed (then it is a LINK)."""

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder (`""` is the root); none if there is no such folder."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to do.

    `path` is relative to the root, POSIX, normalised; for RUN it is the command line. `before` and `after` are the
    file's bytes, None where there is no file. `needs` are the numbers of changes that must have succeeded before.
    """

    number: int  # of the action in the document, from 1
    action: Action
    operation: Operation
    path: str
    before: bytes | None = None
    after: bytes | None = None
    mode: int | None = None
    needs: tuple[int, ...] = ()
    decision: Decision = Decision.AUTO
    reasons: tuple[str, ...] = ()  # why it is not AUTO

    def to_dict(self) -> dict[str, Any]:
        """Return the change as a JSON object; bytes that are no UTF-8 text are told by their number."""
        said = write_object(self, "number", "operation", "path", "needs", "decision", "reasons", "mode")
        return said | {
            "before": _to_json(self.before),
            "after": _to_json(self.after),
            "span": self.action.span.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes in running order, and the conflicts that must be solved before any of them is carried out."""

    changes: tuple[Change, ...]
    conflicts: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether nothing is in the way."""
        return not self.conflicts and all(change.decision is not Decision.REFUSE for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a JSON object (schema: `symops_lark/plan.schema.json`)."""
        return write_object(self, "possible", "changes", "conflicts", "notes")


def _to_json(data: bytes | None) -> str | dict[str, int] | None:
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"bytes": len(data)}
