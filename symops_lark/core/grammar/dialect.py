"""A dialect as tables: its marks and verbs, the patterns of its lines and sections, its parser.

The grammar file is the only definition of a dialect's syntax; everything else asks a `Dialect` for
its marks (`dialect.marks["action"]` is `::` in v2). The tables come from a grammar file
(`compiling/compiler`) or from their plain form (`to_data`). This module must not know files, Lark
or documents: the exported parsers have no others.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..ground.numbers import quoted
from ..patterns.regexes import Pattern, compile_pattern, escape
from .lalr import LalrParser
from .section_patterns import SectionPatterns

# What `table` may be asked for. `compiling/dialect_tables` makes each from a grammar.
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
    "served",
)

# Begins the marks of sections that a dialect does not have. So code can look for any mark without
# asking first: U+FFFF is a noncharacter, which no real text contains.
UNSAID = "\uffff"


class Dialect:
    """One dialect.

    Args:
        tables: The tables by name: all of `TABLES`, and those that `frozen` returns.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self._tables = tables

    def table(self, name: str) -> Any:
        """Return one of `TABLES`, as JSON values."""
        return self._tables[name]

    def frozen(self, name: str) -> Any:
        """Return a table of a higher layer: `recovery`, `mistakes`, `repairs` or `transport`.

        Only a dialect that was loaded from frozen tables has them (`exports/tables`); else None.
        """
        return self._tables.get(name)

    def to_data(self) -> dict[str, Any]:
        """Return the dialect as a JSON object, which `from_data` reads without the grammar."""
        return {name: self.table(name) for name in TABLES}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Dialect:
        """Return the dialect that `to_data` wrote."""
        return Dialect(data)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Dialect):
            return False
        return other._tables == self._tables

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Dialect({quoted(self.name)})"

    @cached_property
    def name(self) -> str:
        """The name, which is the stem of the grammar file; documents and records keep it."""
        return str(self.table("name"))

    @cached_property
    def file(self) -> str:
        """The name of the grammar file."""
        return str(self.table("file"))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the grammar's text: the key of caches and records."""
        return str(self.table("fingerprint"))

    @cached_property
    def marks(self) -> dict[str, str]:
        """The marks by lower-case name without underscore: `thought`, `action`, `open`, …

        A mark is a terminal with a leading underscore that is defined as one string. Marks of
        sections that the dialect does not have begin with `UNSAID`.
        """
        return dict(self.table("marks"))

    @cached_property
    def said_marks(self) -> dict[str, str]:
        """The marks without those of sections that the dialect does not have."""
        names = [name for name, mark in self.marks.items() if not mark.startswith(UNSAID)]
        return {name: self.marks[name] for name in names}

    @cached_property
    def rules(self) -> frozenset[str]:
        """The names of all rules and terminals."""
        return frozenset(self.table("rules"))

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms that the dialect has beyond those that v1 and v2 share.

        `numbers` of actions, `attributes` of actions, `end_marks` that may close a block, `fences`
        of several lengths, and `lines` if every part of an action has a separate line.
        """
        return frozenset(self.table("forms"))

    @cached_property
    def own(self) -> dict[str, Any]:
        """The custom sections and arguments of the dialect (`compiling/own_sections`), or empty."""
        return dict(self.table("own"))

    @cached_property
    def own_sections(self) -> dict[str, list[Any]]:
        """The custom sections by name, each as a list.

        The list has the mark, whether a block ends the section (`needed`, `optional` or empty), the
        template that writes it, and its pattern if it has more than one line before the block.
        """
        sections = self.own.get("sections", {})
        return dict(sections)

    @cached_property
    def fences(self) -> dict[str, tuple[str, ...]]:
        """The closing delimiters of each opening delimiter, the usual one first."""
        fences = {}
        for opener, closers in self.table("fences").items():
            fences[opener] = tuple(closers)
        return fences

    @cached_property
    def closers(self) -> frozenset[str]:
        """All closing delimiters."""
        closers: set[str] = set()
        for marks in self.fences.values():
            closers.update(marks)
        return frozenset(closers)

    @cached_property
    def family(self) -> str:
        """The installed dialect whose recovery grammar and repair rules fit this one.

        `plain` if every part of an action has a separate line, `v1` if the opening and the closing
        delimiter are the same mark, else `v2`.
        """
        if "lines" in self.forms:
            return "plain"
        if self.marks["open"] == self.marks["close"]:
            return "v1"
        return "v2"

    @cached_property
    def verbs(self) -> dict[str, tuple[str, ...]]:
        """The verbs by group.

        Verbs of `running` take a command, those of `writing` need a content block, and those of
        `removing` neither. `further`, if present, has the verbs of a custom grammar.
        """
        groups = {}
        for group, verbs in self.table("verbs").items():
            groups[group] = tuple(verbs)
        return groups

    @cached_property
    def all_verbs(self) -> tuple[str, ...]:
        """The verbs of all groups."""
        verbs: list[str] = []
        for group in self.verbs.values():
            verbs += group
        return tuple(verbs)

    @cached_property
    def any_verb(self) -> str:
        """The alternatives of a pattern for any verb; a verb may have signs, as `+run` has."""
        return "|".join(map(escape, self.all_verbs))

    @cached_property
    def relatives(self) -> tuple[dict[str, str], ...]:
        """The marks of v1, of v2 and of this dialect: models mix these."""
        installed = self.table("relatives")
        return (*installed, self.marks)

    @cached_property
    def line_patterns(self) -> dict[str, str]:
        """The regular expression of each kind of line, with its line ending, by rule."""
        return dict(self.table("lines"))

    @cached_property
    def line_pattern(self) -> Pattern:
        """The patterns of all kinds of lines as one, a group for each rule."""
        groups = []
        for rule, pattern in self.line_patterns.items():
            # With separate lines for each part, a line of reasoning may be any text, so it would
            # match before the others.
            if rule == "thought" and "lines" in self.forms:
                continue
            groups.append(f"(?P<{rule}>{pattern})")
        return compile_pattern("|".join(groups))

    @cached_property
    def compiled(self) -> SectionPatterns:
        """The rules as patterns, which read valid text faster than the LALR parser does."""
        return SectionPatterns(self.table("sections"))

    @cached_property
    def lalr(self) -> LalrParser:
        """The LALR parser, which decides what is valid."""
        return LalrParser(self.table("lalr"))
