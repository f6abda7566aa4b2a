"""A dialect as plain tables: its marks, its verbs, the patterns of its lines and sections, its LALR tables.

The grammar is the only place that spells a language; everything else asks a `Dialect` for its marks
(`dialect.marks["action"]` is `::` in v2). Tables come from a grammar file (`grammar/compiler`) or from their plain form
(`to_data`). This module must know neither files nor Lark, nor documents.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..ground.numbers import quoted
from ..patterns.regexes import Pattern, compile_pattern
from .lalr import LalrParser
from .section_patterns import SectionPatterns

TABLES = (
    "name",
    "file",
    "fingerprint",
    "marks",
    "rules",
    "forms",
    "fences",
    "own",
    "verbs",
    "lines",
    "sections",
    "lalr",
    "relatives",
)


UNSAID = "\uffff"  # begins the marks of what a dialect cannot say: no text holds this noncharacter


class Dialect:
    """One language. `name` is the stem of its grammar file, `file` the file's name."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self._tables = tables

    def table(self, name: str) -> Any:
        """Return one of `TABLES`: JSON values."""
        return self._tables[name]

    def frozen(self, name: str) -> Any:
        """Return what higher rooms add to the plain form: `recovery`, `mistakes`, `repairs`; None if they did not."""
        return self._tables.get(name)

    def to_data(self) -> dict[str, Any]:
        """Return the dialect as a JSON object, of which `from_data` makes it again without its grammar."""
        return {name: self.table(name) for name in TABLES}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Dialect:
        """Return the dialect that `to_data` wrote."""
        return Dialect(data)

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, Dialect)
            and other._tables == self._tables
        )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Dialect({quoted(self.name)})"

    @cached_property
    def name(self) -> str:
        """The name: it is what users, documents and records call the dialect."""
        return str(self.table("name"))

    @cached_property
    def file(self) -> str:
        """The name of the grammar file."""
        return str(self.table("file"))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the grammar's text; caches and records are keyed by it."""
        return str(self.table("fingerprint"))

    @cached_property
    def marks(self) -> dict[str, str]:
        """The marks by lower-case name without underscore: `thought`, `action`, `open`, …

        A mark is a terminal with a leading underscore that is defined as one string.
        """
        return dict(self.table("marks"))

    @cached_property
    def said_marks(self) -> dict[str, str]:
        """The marks that its texts may hold: those of what it cannot say are not among them."""
        return {name: mark for name, mark in self.marks.items() if not mark.startswith(UNSAID)}

    @cached_property
    def rules(self) -> frozenset[str]:
        """The names of all rules and terminals."""
        return frozenset(self.table("rules"))

    @cached_property
    def forms(self) -> frozenset[str]:
        """What the dialect can say beyond v1 and v2: `numbers`, `attributes`, `end_marks`, `fences`.

        And `lines` if every part of an action has a line of its own.
        """
        return frozenset(self.table("forms"))

    @cached_property
    def own(self) -> dict[str, Any]:
        """What the dialect says beyond the sections that all know (`grammar/own_sections`); empty if nothing."""
        return dict(self.table("own"))

    @cached_property
    def own_sections(self) -> dict[str, list[Any]]:
        """Its own sections by name: their mark, whether a block ends them, how they are written."""
        return dict(self.own.get("sections", {}))

    @cached_property
    def fences(self) -> dict[str, tuple[str, ...]]:
        """The closing delimiters that each opening one may have, the usual one first."""
        return {opener: tuple(closers) for opener, closers in self.table("fences").items()}

    @cached_property
    def closers(self) -> frozenset[str]:
        """All closing delimiters."""
        return frozenset(mark for closers in self.fences.values() for mark in closers)

    @cached_property
    def family(self) -> str:
        """The dialect whose recovery grammar and rules serve this one: `v1` if opener and closer are the same mark."""
        if "lines" in self.forms:
            return "plain"
        return "v1" if self.marks["open"] == self.marks["close"] else "v2"

    @cached_property
    def verbs(self) -> dict[str, tuple[str, ...]]:
        """The known verbs by group: `running` take a command, `writing` want a content block, `removing` neither."""
        return {group: tuple(verbs) for group, verbs in self.table("verbs").items()}

    @cached_property
    def relatives(self) -> tuple[dict[str, str], ...]:
        """The marks of the dialects whose marks models mix with its own: of v1, of v2, and these."""
        return (*self.table("relatives"), self.marks)

    @cached_property
    def line_patterns(self) -> dict[str, str]:
        """The regular expression of each kind of line (with its ending), by the name of its rule."""
        return dict(self.table("lines"))

    @cached_property
    def line_pattern(self) -> Pattern:
        """A regular expression that tells a line (with its ending) by the name of the group that matched."""
        rules = [
            rule for rule in self.line_patterns if rule != "thought" or "lines" not in self.forms
        ]
        # A line of reasoning may be any line: where parts have lines of their own, no line tells it by itself.
        return compile_pattern(
            "|".join(f"(?P<{rule}>{self.line_patterns[rule]})" for rule in rules)
        )

    @cached_property
    def compiled(self) -> SectionPatterns:
        """The rules as patterns, which read a valid text faster than the LALR parser."""
        return SectionPatterns(self.table("sections"))

    @cached_property
    def lalr(self) -> LalrParser:
        """The LALR parser, which is the judge of what is valid."""
        return LalrParser(self.table("lalr"))
