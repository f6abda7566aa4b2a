"""Define plans: changes in running order, conflicts, and notes; as objects and as JSON.

A plan can be written with `to_dict`, reviewed, read again with `from_dict` and carried out later:
bytes are kept exactly, as a string where they are UTF-8 text and else in Base64.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, ClassVar

from ..core.document import Action, Document
from ..core.ground.json_objects import FieldError, JsonObject, read_object, write_object
from ..core.ground.members import coerce_members
from ..core.text.diagnostics import Diagnostic
from .messages import name_step, with_hint, write_refusal


class Operation(StrEnum):
    """What a change does."""

    CREATE = "create"
    REPLACE = "replace"
    DELETE = "delete"
    RUN = "run"  # a command, which may change any file


class Decision(StrEnum):
    """What the policy allows: AUTO needs no question, ASK needs a person's consent."""

    AUTO = "auto"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change to one file, or a command.

    Attributes:
        number: The number of the action in the document, from 1.
        action: The action.
        operation: What the change does.
        path: The file, relative to the root, POSIX, normalized; for RUN the command line.
        before: The bytes that the file must have. None: there must be no file.
        after: The bytes that it gets. None: no file afterwards.
        mode: The permission bits of the file; None: those of any new file.
        needs: The numbers of the changes that must have succeeded before.
        decision: Whether it is automatic, asked about or refused.
        reasons: Why it is not AUTO, the most important reason first.
        reading: How the content was read: "whole text", or the notation of an edit. Empty for
            deletions and commands.
        places: The lines of the file where an edit begins, from 1.
        together: The numbers of the other changes of the same patch. They are done with this one,
            or none of them is.
    """

    number: int
    action: Action
    operation: Operation
    path: str
    before: bytes | None = None
    after: bytes | None = None
    mode: int | None = None
    needs: tuple[int, ...] = ()
    decision: Decision = Decision.AUTO
    reasons: tuple[str, ...] = ()
    reading: str = ""
    places: tuple[int, ...] = ()
    together: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # Words from Python (`"create"`) become members: they are compared by identity.
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the change as a JSON object; bytes that are not UTF-8 text are in Base64."""
        fields = ("number", "operation", "path", "needs", "decision", "reasons", "mode")
        data = write_object(self, *fields, "reading", "places", "together")
        data["before"] = _to_json(self.before)
        data["after"] = _to_json(self.after)
        data["span"] = self.action.span.to_dict()
        # Only documents are written as JSON: the action is the one section of a document.
        data["action"] = Document((self.action,)).to_dict()["sections"][0]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Change:
        """Read a change that `to_dict` wrote; unknown keys are ignored.

        Args:
            data: The JSON object.

        Returns:
            The change.

        Raises:
            FieldError: A value is missing or wrong; the message begins with its keys.
        """
        readers = {"before": _from_json, "after": _from_json, "action": _read_action}
        if isinstance(data, Mapping):
            # In the order of the object, so that the first wrong value is reported.
            converted = dict(data)
            for name, value in data.items():
                if name in readers:
                    converted[name] = readers[name](value, name)
            data = converted
        return read_object(cls, data, exact=False)


@dataclass(frozen=True, slots=True)
class Plan(JsonObject):
    """The changes that a document makes, and what must be solved before they are carried out.

    Its JSON Schema is `symops_lark.schema("plan")`.

    Attributes:
        changes: The changes in running order.
        conflicts: Errors: none of the changes is carried out while there are any.
        notes: Warnings and notes.
    """

    # The keys of the JSON object, in this order; `possible` is written and not read.
    WRITTEN: ClassVar[tuple[str, ...]] = ("possible", "changes", "conflicts", "notes")

    changes: tuple[Change, ...]
    conflicts: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether the plan can be carried out: no conflict, and no refused change."""
        if self.conflicts:
            return False
        return all(change.decision is not Decision.REFUSE for change in self.changes)

    def digests(self) -> Mapping[str, tuple[str, str]]:
        """Return the state of each file before and after the plan, as SHA-256 digests.

        Returns:
            By path: the digest of the bytes before the first change of the file, and after the
            last one. An empty string means that there is no file.
        """
        states: dict[str, tuple[str, str]] = {}
        for change in self.changes:
            if change.operation is Operation.RUN:
                continue
            # A file may be changed several times: its first state counts, and its last.
            first, _ = states.get(change.path, (_digest(change.before), ""))
            states[change.path] = (first, _digest(change.after))
        return states

    def message(self) -> str:
        """Return the next message to the model about a plan that is not possible.

        Returns:
            The conflicts and refused changes, with hints; empty if the plan is possible.
        """
        rows = [with_hint(conflict.message, conflict.hint) for conflict in self.conflicts]
        # A refused change is no conflict, and stops the plan in the same way.
        for change in self.changes:
            if change.decision is Decision.REFUSE:
                name = name_step(change.operation, change.path, change.places)
                rows.append(with_hint(f"{name}: {'; '.join(change.reasons)}", ""))
        return write_refusal(rows)


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _to_json(data: bytes | None) -> str | dict[str, int | str] | None:
    # None and an empty file differ: null, and an empty string.
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # The size is for readers; only `base64` is read again.
        return {"bytes": len(data), "base64": b64encode(data).decode("ascii")}


def _from_json(value: Any, key: str) -> bytes | None:
    """Return the bytes of a file; raise `FieldError` for other values than `_to_json` returns."""
    if value is None:
        return None
    try:
        if isinstance(value, str):
            return value.encode("utf-8")
        return b64decode(value["base64"], validate=True)
    # Half of a surrogate pair, wrong Base64, another type, no such key.
    except (ValueError, TypeError, LookupError):
        expected = "a text, null, or an object with bytes in `base64` is expected"
        raise FieldError(f"{key}: {expected}") from None


def _read_action(value: Any, key: str) -> Action:
    """Return an action; raise `FieldError` with the key of the change, not of a document."""
    try:
        section = Document.from_dict({"sections": [value]}).sections[0]
    except FieldError as error:
        raise FieldError(str(error).replace("sections[0]", key, 1)) from None
    if not isinstance(section, Action):
        raise FieldError(f"{key}: a section whose `kind` is action is expected")
    return section


# Returns further diagnostics of a plan: errors are conflicts, all others are notes.
Gate = Callable[[Document, Plan], Iterable[Diagnostic]]
