"""Declare what recovery needs from the repairs: the near misses of a line.

The repair rules know how models misspell a line. Recovery reads them only through the protocols of
this module, so that it can run without any rules (`NoRepairer`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ...grammar.dialect import Dialect
from .kinds import Kind, Line


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that the repair rules rewrote for a role.

    Attributes:
        text: The rewritten line, without its ending. It has several lines where the original holds
            several sections.
        rules: The ids of the rules that were applied, in order.
        cost: The sum of the costs of these rules.
        weak: Whether this is a guess that the neighbors of the line must support.
        carried: Whether the line was exact when it was written, and only transport changed it
            (`&lt;` for `<`).
    """

    text: str
    rules: tuple[str, ...]
    cost: float
    weak: bool = False
    carried: bool = False


class LineRepairer(Protocol):
    """Something that rewrites misspelled lines.

    Attributes:
        usual: Whether it has only the installed rules.
        last_read: The last text that was read with it, the dialect, and the outline. Detection and
            repair read the same text, and the second of them takes the outline from here.
    """

    usual: bool
    last_read: tuple[str, Any, Any]

    def prepare(self, text: str) -> str:
        """Return a text without what is wrapped around all of it, before its lines are read."""

    def touches(self, line: str) -> bool:
        """Return whether any rule could turn the line into markup; this is the quick test."""

    def candidate(self, line: str, role: str) -> Candidate | None:
        """Return a line rewritten for a role, or None if no rule changes it.

        Args:
            line: The line, without its ending.
            role: A role of `Kind.role`: `head`, `open`, `close`, `vitals`, …
        """


class LineReader(Protocol):
    """What a pass asks about single lines; `lexer.LineLexer` implements it."""

    dialect: Dialect
    repairer: LineRepairer

    def kind_of(self, line: str) -> Kind:
        """Return the kind that a line has without its neighbors."""

    def kind_above_path(self, line: str) -> Kind | None:
        """Return the kind of a plain line as the first line of an action whose path follows."""

    def gives_path(self, text: str, line: Line) -> bool:
        """Return whether an attribute line gives a path."""

    def is_reasoning(self, line: str) -> bool:
        """Return whether a line that opens a thinking section may be a heading over thoughts."""

    def opens_block(self, tag: str) -> bool:
        """Return whether a tag of another format can be read as an opening delimiter."""

    def delimiters_of(self, text: str, line: Line) -> tuple[str, str]:
        """Return the opening and the closing delimiter that a line is or holds."""


class NoRepairer:
    """A repairer without rules: every misspelled line stays plain text."""

    usual = True

    def __init__(self) -> None:
        self.last_read: tuple[str, Any, Any] = "", None, None

    def prepare(self, text: str) -> str:
        """Return the text."""
        return text

    def touches(self, line: str) -> bool:
        """Return False."""
        return False

    def candidate(self, line: str, role: str) -> Candidate | None:
        """Return None."""
        return None
