"""Small definitions in place of those that read files, or that save time in Python alone; larger ones have modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from ...core.discourse.tables import Tables
from ...core.discourse.transport_table import TransportTable, make_table
from ...core.document import Document, ErrorNote
from ...core.formats import documents
from ...core.formats.loading import all_sections, load_format
from ...core.grammar import mistakes
from ...core.grammar.dialect import Dialect
from ...core.grammar.section_patterns import Briefs, SectionPatterns
from ...core.ground.json_objects import JsonObject
from ...core.patterns.regexes import compile_linear
from ...core.recovery.engines import choice as engines
from ...core.recovery.engines.automaton import Automaton
from ...core.recovery.engines.priced_rules import ViterbiPath
from ...core.rendering.writer import write_error
from ...core.repairs.rule import Rule, fill_pattern, fill_text
from ...core.result import Result
from ...core.strict.builder import Builder
from ...core.text.source import PlaceCounter, Source, Span
from ...core.validator import CHECKS, VALUE_CHECKS
from ...core.validator.check import Signs, Verbs
from .tables import read_data

T = TypeVar("T")


def in_place_of(module: str) -> Callable[[T], T]:
    """Mark what stands in an export in place of a module's definition of the same name."""
    return lambda definition: definition


@in_place_of("core.ground.collector")
class collector_paused:
    """Does nothing around a text of any length: the collector is left to the caller."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """End."""


@in_place_of("core.ground.frozen")
def make_quickly(kind: Any) -> Any:
    """Return the class: exported records are plain classes."""
    return kind


@in_place_of("core.text.source")
class Later(JsonObject):
    """What a span builds on: its line and column are counted at once."""

    __slots__ = ()


@in_place_of("core.text.source")
def place_later(start: int, end: int, places: Source | PlaceCounter) -> Span:
    """Return the span of two offsets, with its line and column."""
    return Span(start, end, *places.place(start))


@cache
@in_place_of("core.discourse.tables")
def our_tables() -> Tables:
    """Return the tables of this package: they are in the export."""
    return Tables(read_data("discourse"))


@cache
@in_place_of("core.discourse.transport_table")
def our_transport() -> TransportTable:
    """Return what belongs to the transport of contents: it is in the export."""
    return make_table(read_data("transport"))


@in_place_of("core.formats.documents")
def read_format(text: str, format: str | None = None) -> Document:
    """Return the document of a reply in the formats of other agents.

    Args:
        text: The reply.
        format: The name of a format. None: all formats are tried.

    Raises:
        ValueError: There is no such format.
    """
    if format is None:
        return documents._read_meant(text, list(all_sections()))
    chosen = load_format(format)
    return documents._read_meant(text, chosen.sections, chosen)


@in_place_of("core.grammar.loading")
def load_dialect(name: Dialect) -> Dialect:
    """Return the dialect: there is one, and it is at hand."""
    return name


@in_place_of("core.grammar.loading")
def find_verbs(name: str, format: Any = None) -> Verbs:
    """Return the verbs of documents in formats of other agents: no other document is asked for them."""
    verbs: dict[str, tuple[str, ...]] = {}
    for group, words in read_data("formats")["verbs"].items():
        verbs[group] = tuple(words)
    return verbs


@in_place_of("core.grammar.mistakes")
def _load(dialect: Dialect) -> mistakes._Table:
    """Return the mistakes by code and by tag: they are in the tables."""
    return mistakes._thaw(dialect)


@in_place_of("core.grammar.section_patterns")
def read_brief(
    patterns: SectionPatterns, slot: Any, briefs: Briefs, match: Any, last: tuple[int, int], text: str
) -> Any:
    """Return nothing: no section is brief."""
    return None


@in_place_of("core.strict.builder")
def brief_makers(builder: Builder) -> Briefs:
    """Return none: every section is read as any other."""
    return {}


@in_place_of("core.recovery.engines.choice")
def load_engine(dialect: Dialect, engine: str | None = None) -> Automaton:
    """Return the automaton, which reads everything."""
    return engines._thaw(dialect)


@in_place_of("core.recovery.engines.choice")
def read_kinds(dialect: Dialect, kinds: Sequence[str], engine: str | None = None) -> tuple[ViterbiPath, str]:
    """Return the cheapest reading of line kinds; nothing else had to read."""
    return engines._thaw(dialect).read(kinds), ""


@in_place_of("core.recovery.doubts.swallowed")
def _has_head(content: str, mark: str, dialect: Dialect) -> bool:
    """Return whether a content may hold an action: by its mark, which more have than have such a line."""
    return mark in content


@in_place_of("core.other_formats")
def prefer_outer(result: Result) -> Result:
    """Return the result: a module of its own reads the formats of other agents."""
    return result


@in_place_of("core.other_formats")
def prefer_outer_document(text: str, document: Document) -> Document:
    """Return the document: a module of its own reads the formats of other agents."""
    return document


@in_place_of("core.repairs.loader")
def load_rules(dialect: Dialect, folders: Sequence[str] = ()) -> tuple[Rule, ...]:
    """Return the rules in running order: they are in the tables."""
    return tuple(Rule.from_data(row) for row in dialect.frozen("repairs"))


@in_place_of("core.repairs.rule")
def fill_template(text: str, dialect: Dialect) -> str:
    """Return a replacement with the dialect's marks in it: these engines take every character."""
    return fill_text(text, dialect)


@in_place_of("core.repairs.line_patterns")
def compile_rule_pattern(pattern: str, dialect: Dialect, rule: Rule) -> Any:
    """Return a pattern of a rule with the dialect's marks in it: it was tried when the tables were made."""
    return compile_linear(fill_pattern(pattern, dialect))


@in_place_of("core.rendering.writer")
def write(section: ErrorNote, dialect: Dialect) -> str:
    """Write an error section: no other is written, and only where an action is not whole."""
    return write_error(section, dialect)


@in_place_of("core.validator")
def find_signs(document: Document, verbs: Verbs) -> Signs:
    """Return all checks, each with the whole document."""
    return dict.fromkeys((*CHECKS, *VALUE_CHECKS), document)
