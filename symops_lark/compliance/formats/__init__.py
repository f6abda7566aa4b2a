"""Formats: how each is taught, how it is written, how a reply in it is read. One file each; to add one is to add one.

A module of this folder, or a file of `benchmarks/baselines/`, that has `FORMATS` (a mapping from names to functions
without arguments that make them) has some. Dialects are formats by their names, derived ones by the path of their file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ...diagnostics import Diagnostic
from ...document import Document
from ...models.base import Message, Model, Reply
from ..faults.mistakes import Draft


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one phase made of a reply: None where it rejects it. `seconds` is its own time."""

    phase: str
    document: Document | None
    valid: bool = False
    confidence: float | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """Whether a valid document came out."""
        return self.valid and self.document is not None


class Format(Protocol):
    """A format of replies with its reader. `fingerprint` changes with all that decides how it is taught or read."""

    @property
    def name(self) -> str:
        """The name by which a user asks for it."""

    @property
    def fingerprint(self) -> str:
        """What the records of a run are compared by."""

    @property
    def phases(self) -> tuple[str, ...]:
        """Those of `PHASES` that it has, in order."""

    def teach(self, request: str) -> tuple[Message, ...]:
        """Give the conversation that asks a model for a request in this format."""

    def refuse(self, document: Document) -> str:
        """Say why the format cannot carry a document; empty if it can."""

    def write(self, document: Document) -> str:
        """Give the text that a faultless model would write."""

    def draft(self, document: Document) -> Draft:
        """Give the same text as lines that can be damaged, with what is expected to come out."""

    def read(self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None) -> Iterator[Attempt]:
        """Read a reply phase by phase, up to the first that accepts it; never raises for any text.

        The last phase asks `model`, if there is one, again; `messages` are what it had been asked.
        """

    def harms(self, text: str) -> str:
        """Say which phase changes a faultless text or what it says; empty if none does."""

    def collides(self, content: str) -> bool:
        """Tell whether a content holds a line that the format reads as a delimiter."""
