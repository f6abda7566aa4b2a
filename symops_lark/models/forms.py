"""The form that a reply must have, a JSON object by a schema; the ways to ask for it; and what is said to a tool.

A way is what a configured model can, not what a brand is called: a server behind another one's protocol, an older
version or a gateway can less, which only shows when it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, Self

from ..core.replies.contents import ContentError
from ..core.replies.messages import Call, ModelError, Piece
from .protocol import Model

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what all protocols take


class Way(StrEnum):
    """How a model is made to answer with a JSON object."""

    TOOL = "native_tool"  # it must call a tool whose input has the schema
    SCHEMA = "native_schema"  # its answer is constrained by the schema where it is decoded
    PROMPT = "prompt"  # it is told, and the text is read


@dataclass(frozen=True, slots=True)
class Form:
    """A JSON object as a reply: its schema, with a name and a description for the model.

    `strict` says that the schema is one that strict modes take: all properties required, no others allowed.
    Raises `ModelError` for a name that a protocol would not take.
    """

    schema: Mapping[str, Any]
    name: str = "answer"
    description: str = ""
    strict: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ModelError(f"a form is called {self.name!r}: 1 to 64 ASCII letters, digits, _ and - are names")


class FormModel(Model, Protocol):
    """A model that can be held to a form natively; `getattr(model, "way", Way.PROMPT)` tells for any model."""

    @property
    def way(self) -> Way:
        """How it is asked for a JSON object."""

    @property
    def wants_strict(self) -> bool:
        """Whether its way takes strict schemas only."""

    def in_form(self, form: Form) -> Model:
        """Return the model, all of whose replies are asked for in a form, by its way."""


class Formable:
    """A model whose copies are asked in a form."""

    wants_strict = False
    _form: Form | None = None

    def in_form(self, form: Form) -> Self:
        """Return the model, all of whose replies are asked for in a form, by its way; it shares all else with it."""
        formed = object.__new__(type(self))
        formed.__dict__ |= {**vars(self), "_form": form}
        return formed


class Calls:
    """What is said to the one tool that there is. What is said beside it counts only where it is not called.

    Law: what was given is not taken back, so what is said beside is kept until the end.
    """

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._place: int | None = None
        self._id = ""
        self._said: list[str] = []
        self._over = self._heard = False

    def read(self, piece: Piece) -> Piece:
        """Return the piece with the text that counts; raise `ContentError` for another call than the one."""
        for call in piece.calls:
            self._check(call)
        text = "".join(call.input for call in piece.calls)
        self._heard = self._heard or bool(text)
        self._said.append(piece.text)
        self._over = self._over or piece.finish is not None
        return replace(piece, text=text + self._rest() if self._over else text, calls=())

    def give_up(self) -> str:
        """Return what was kept, where the reply breaks off before a call."""
        said = "".join(self._said)
        self._said.clear()
        return said if self._place is None else ""

    def _rest(self) -> str:
        """Return what is left to say at the end; a call without an input is one with an empty object."""
        rest = self.give_up() if self._place is None or self._heard else "{}"
        self._heard = True
        return rest

    def _check(self, call: Call) -> None:
        if call.name and call.name != self._tool:
            raise ContentError(f"a call of a tool {call.name[:64]!r}, which it was not given")
        self._id = self._id or call.id
        if self._place not in (None, call.place) or (call.id and call.id != self._id):
            raise ContentError("two calls of the one tool")
        self._place = call.place
