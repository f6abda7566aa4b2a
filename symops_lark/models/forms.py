"""The form of a reply, a JSON object that fits a schema, and the ways to ask for it.

A way belongs to a configured model, not to a brand: an older version, a gateway, or a server with
the protocol of another one may support less, and this only shows when it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, Self

from ..core.replies.contents import ContentError
from ..core.replies.messages import Call, Finish, ModelError, Piece
from .protocol import Model

# The reasons of replies that were not cut off or declined.
DONE = (Finish.STOP, Finish.UNKNOWN)
# The names that all protocols accept.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Way(StrEnum):
    """How a model is asked for a JSON object."""

    TOOL = "native_tool"  # it must call a tool whose input has the schema
    SCHEMA = "native_schema"  # the schema constrains the decoding of its answer
    PROMPT = "prompt"  # the prompt asks for it, and the text is read


@dataclass(frozen=True, slots=True)
class Form:
    """A JSON object as a reply.

    Attributes:
        schema: The JSON Schema of the object.
        name: Its name for the model.
        description: Its description for the model.
        strict: Whether strict modes accept the schema: all properties are required, and no others
            are allowed.

    Raises:
        ModelError: A protocol would not accept the name.
    """

    schema: Mapping[str, Any]
    name: str = "answer"
    description: str = ""
    strict: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ModelError(
                f"a form is called {self.name!r}: 1 to 64 ASCII letters, digits, _ and - are names"
            )


class FormModel(Model, Protocol):
    """A model that supports forms. `getattr(model, "way", Way.PROMPT)` is the way of any model."""

    @property
    def way(self) -> Way:
        """How it is asked for a JSON object."""

    @property
    def wants_strict(self) -> bool:
        """Whether its way accepts only strict schemas."""

    def in_form(self, form: Form) -> Model:
        """Return the model, with a form for all of its replies."""


class Formable:
    """A model that can be copied with a form."""

    wants_strict = False
    _form: Form | None = None

    def in_form(self, form: Form) -> Self:
        """Return the model, with a form for all of its replies; it shares all else with this."""
        # Not `copy`: a model may have locks, which cannot be copied.
        formed = object.__new__(type(self))
        formed.__dict__ |= {**vars(self), "_form": form}
        return formed


class Calls:
    """Reads the calls of the one tool of a model. Its input is the reply.

    Text beside the call counts only if the tool is not called. No text is taken back, so it is kept
    until the end.
    """

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._place: int | None = None
        self._id = ""
        self._beside: list[str] = []  # texts beside the call
        self._is_over = False
        self._has_input = False

    def read(self, piece: Piece) -> Piece:
        """Return a piece with the text that counts; any other call raises `ContentError`."""
        text = ""
        for call in piece.calls:
            self._check(call)
            text += call.input
        self._has_input = self._has_input or bool(text)
        self._beside.append(piece.text)
        # Counts of tokens may follow the piece with the finish reason.
        self._is_over = self._is_over or piece.finish is not None
        if self._is_over:
            text += self._ending(piece.finish)
        return replace(piece, text=text, calls=())

    def give_up(self) -> str:
        """Return the texts that were kept, if the reply breaks off before a call."""
        text = "".join(self._beside)
        self._beside.clear()
        return text if self._place is None else ""

    def _ending(self, finish: Finish | None) -> str:
        """Return the text at the end: without a call, the texts that were kept."""
        text = self.give_up()
        # A call without an input has an empty object, unless its reply ended before the input.
        is_called = self._place is not None
        if is_called and not self._has_input and finish in DONE:
            text = "{}"
        self._has_input = True
        return text

    def _check(self, call: Call) -> None:
        if call.name and call.name != self._tool:
            # Cut: a broken server may send any name.
            raise ContentError(f"a call of a tool {call.name[:64]!r}, which it was not given")
        self._id = self._id or call.id
        if self._place not in (None, call.place) or (call.id and call.id != self._id):
            raise ContentError("two calls of the one tool")
        self._place = call.place
