"""The near misses of a line: what recovery asks of the repairs, which know how models misspell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ...grammar.dialect import Dialect
from .kinds import Kind, Line


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line respelt for a role: `text` may have several lines; `rules` are the ids of the rules used."""

    text: str
    rules: tuple[str, ...]
    cost: float
    weak: bool = False  # a guess that needs the support of its neighbours
    carried: bool = False  # it was exact when it was written: what carried it here changed it


class LineRepairer(Protocol):
    """Something that respells lines; `usual` says that it knows no rules but the installed ones.

    `read` is what was read last with it: a text, its dialect and its outline.
    """

    usual: bool
    read: tuple[str, Any, Any]

    def prepare(self, text: str) -> str:
        """Return a text as it is before its lines are read: without what is wrapped around all of it."""

    def touches(self, line: str) -> bool:
        """Return quickly whether any rule could make markup of the line."""

    def candidate(self, line: str, role: str) -> Candidate | None:
        """Return a line respelt for a role (`head`, `open`, `close`, `vitals`, …), or None if nothing changes."""


class LineReader(Protocol):
    """What a pass asks about single lines (`lexer.LineLexer`)."""

    dialect: Dialect
    repairer: LineRepairer

    def kind_of(self, line: str) -> Kind:
        """Return the kind of a line by itself."""

    def kind_above_path(self, line: str) -> Kind | None:
        """Return the kind that a plain line has as the first line of an action; only a path below makes it one."""

    def gives_path(self, text: str, line: Line) -> bool:
        """Return whether an attribute line gives a path."""

    def is_reasoning(self, line: str) -> bool:
        """Return whether a line that opens a thinking section may be a tag over thoughts."""

    def opens_block(self, tag: str) -> bool:
        """Return whether a tag of another format can stand for an opening delimiter."""

    def delimiters_of(self, text: str, line: Line) -> tuple[str, str]:
        """Return the opening and the closing delimiter that a line is or holds."""


class NoRepairer:
    """The repairer that knows no misspelling."""

    usual = True

    def __init__(self) -> None:
        self.read: tuple[str, Any, Any] = "", None, None

    def prepare(self, text: str) -> str:
        """Return the text."""
        return text

    def touches(self, line: str) -> bool:
        """Return False."""
        return False

    def candidate(self, line: str, role: str) -> Candidate | None:
        """Return None."""
        return None
