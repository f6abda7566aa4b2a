"""What a plan is made of: changes in running order, what is in their way, and the tree they were planned for."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from ..core.document import Action, Document
from ..core.ground.json_objects import FieldError, JsonObject, read_object, write_object
from ..core.ground.members import coerce_members
from ..core.text.diagnostics import Diagnostic


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

    def __post_init__(self) -> None:
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the change as a JSON object; bytes that are no UTF-8 text are told in Base64."""
        said = write_object(self, "number", "operation", "path", "needs", "decision", "reasons", "mode")
        return said | {
            "before": _to_json(self.before),
            "after": _to_json(self.after),
            "span": self.action.span.to_dict(),
            "action": Document((self.action,)).to_dict()["sections"][0],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Change:
        """Read what `to_dict` wrote; raise `SymOpsError` with the keys that lead to what is wrong."""
        if isinstance(data, Mapping):
            own = {"before": _from_json, "after": _from_json, "action": _read_action}
            data = {name: own[name](value, name) if name in own else value for name, value in data.items()}
        return read_object(cls, data, exact=False)


@dataclass(frozen=True, slots=True)
class Plan(JsonObject):
    """Changes in running order, and the conflicts that must be solved before any of them is carried out.

    Its JSON Schema is `symops_lark.schema("plan")`.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("possible", "changes", "conflicts", "notes")

    changes: tuple[Change, ...]
    conflicts: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether nothing is in the way."""
        return not self.conflicts and all(change.decision is not Decision.REFUSE for change in self.changes)


def _to_json(data: bytes | None) -> str | dict[str, int | str] | None:
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"bytes": len(data), "base64": b64encode(data).decode("ascii")}


def _from_json(value: Any, where: str) -> bytes | None:
    """Return the bytes of a file; raise `FieldError` for what is neither a text nor bytes."""
    if value is None:
        return None
    try:
        return value.encode("utf-8") if isinstance(value, str) else b64decode(value["base64"], validate=True)
    except (ValueError, TypeError, LookupError):
        raise FieldError(f"{where}: a text, null, or an object with bytes in `base64` is expected") from None


def _read_action(value: Any, where: str) -> Action:
    try:
        section = Document.from_dict({"sections": [value]}).sections[0]
    except FieldError as error:
        raise FieldError(str(error).replace("sections[0]", where, 1)) from None
    if not isinstance(section, Action):
        raise FieldError(f"{where}: a section whose `kind` is action is expected")
    return section
