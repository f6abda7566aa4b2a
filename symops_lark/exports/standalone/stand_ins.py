"""Replace single definitions that read files or that save time only in Python.

Modules of this package replace complete modules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from ...core.discourse.tables import Tables
from ...core.discourse.transport_table import TransportTable, make_table
from ...core.document import Document, ErrorNote
from ...core.edits.left_out import find_left_out
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
    """Mark the replacement, in exports, of the definition of the same name in a module."""
    return lambda definition: definition


# These save time only in CPython.
@in_place_of("core.ground.collector")
class collector_paused:
    """A context that does nothing: callers of an export control the garbage collector."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """End."""


@in_place_of("core.ground.frozen")
def make_quickly(kind: Any) -> Any:
    """Return the class unchanged: exported records are plain classes."""
    return kind


@in_place_of("core.text.source")
class Later(JsonObject):
    """The base of a span. In exports, line and column are counted when the span is made."""

    __slots__ = ()


@in_place_of("core.text.source")
def place_later(start: int, end: int, places: Source | PlaceCounter) -> Span:
    """Return a span with its line and column.

    Args:
        start: The offset of its first character.
        end: The offset after its last character.
        places: Counts lines and columns.
    """
    return Span(start, end, *places.place(start))


@in_place_of("core.edits.left_out")
def leaves_out(content: str) -> bool:
    """Return whether a line of a content surely stands for left-out code; without RE2's pass.

    Args:
        content: The content of a file.
    """
    return any(find_left_out(content))


# These read files in the package. An export has the data of the files.
@cache
@in_place_of("core.discourse.tables")
def our_tables() -> Tables:
    """Return the tables of this package, which the export contains."""
    return Tables(read_data("discourse"))


@cache
@in_place_of("core.discourse.transport_table")
def our_transport() -> TransportTable:
    """Return the table of the transport of contents, which the export contains."""
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


# An export has one dialect, and the text of its grammar is not needed.
@in_place_of("core.grammar.loading")
def load_dialect(name: Dialect) -> Dialect:
    """Return the dialect, which is not a name in an export."""
    return name


@in_place_of("core.grammar.loading")
def find_verbs(name: str, format: Any = None) -> Verbs:
    """Return the verbs of the formats of other agents: only their documents need them here."""
    # JSON has lists in place of tuples.
    verbs: dict[str, tuple[str, ...]] = {}
    for group, words in read_data("formats")["verbs"].items():
        verbs[group] = tuple(words)
    return verbs


@in_place_of("core.grammar.mistakes")
def _load(dialect: Dialect) -> mistakes._Table:
    """Return the mistakes by code and by tag, which the tables contain."""
    return mistakes._thaw(dialect)


# Brief sections save time only in Python: they have no trees.
@in_place_of("core.grammar.section_patterns")
def read_brief(
    patterns: SectionPatterns,
    slot: Any,
    briefs: Briefs,
    match: Any,
    last: tuple[int, int],
    text: str,
) -> Any:
    """Return nothing: exports read each section in full.

    Args:
        patterns: The patterns of sections.
        slot: A slot of a pattern.
        briefs: Functions that make sections from few values, by name.
        match: The match of the pattern.
        last: The span of the last part.
        text: The text.
    """
    return None


@in_place_of("core.strict.builder")
def brief_makers(builder: Builder) -> Briefs:
    """Return no functions: exports read each section in full."""
    return {}


# The package has a second engine, for grammars that no automaton can run: those have no tolerant
# export.
@in_place_of("core.recovery.engines.choice")
def load_engine(dialect: Dialect, engine: str | None = None) -> Automaton:
    """Return the automaton, the only engine of exports."""
    return engines._thaw(dialect)


@in_place_of("core.recovery.engines.choice")
def read_kinds(
    dialect: Dialect, kinds: Sequence[str], engine: str | None = None
) -> tuple[ViterbiPath, str]:
    """Return the cheapest reading of kinds of lines, and no reason to use another engine.

    Args:
        dialect: The dialect.
        kinds: The kinds of the lines.
        engine: Not used, because there is one engine.
    """
    return engines._thaw(dialect).read(kinds), ""


# A true result costs only time: callers look for actions in the content.
@in_place_of("core.recovery.doubts.swallowed")
def _has_head(content: str, mark: str, dialect: Dialect) -> bool:
    """Return whether a content has the mark of an action, perhaps in the middle of a line."""
    return mark in content


# A bundle of the reader of formats includes the originals of these two.
@in_place_of("core.other_formats")
def prefer_outer(result: Result) -> Result:
    """Return the result: a separate module reads the formats of other agents."""
    return result


@in_place_of("core.other_formats")
def prefer_outer_document(text: str, document: Document) -> Document:
    """Return the document: a separate module reads the formats of other agents."""
    return document


# The loader of the package checks rules and places its messages. Rules in an export are valid.
@in_place_of("core.repairs.loader")
def load_rules(dialect: Dialect, folders: Sequence[str] = ()) -> tuple[Rule, ...]:
    """Return the rules in the order in which they run, from the tables."""
    return tuple(Rule.from_data(row) for row in dialect.frozen("repairs"))


@in_place_of("core.repairs.rule")
def fill_template(text: str, dialect: Dialect) -> str:
    """Return a replacement with the marks of the dialect. Only RE2 refuses some characters."""
    return fill_text(text, dialect)


@in_place_of("core.repairs.line_patterns")
def compile_rule_pattern(pattern: str, dialect: Dialect, rule: Rule) -> Any:
    """Return a pattern of a rule with the marks of the dialect.

    The export compiled it before, so it needs no checks and no message.

    Args:
        pattern: The pattern, with placeholders.
        dialect: The dialect.
        rule: The rule, which is not used.
    """
    return compile_linear(fill_pattern(pattern, dialect))


# The writer of all sections would bring its templates along.
@in_place_of("core.rendering.writer")
def write(section: ErrorNote, dialect: Dialect) -> str:
    """Write an error section for an incomplete action; exports write no other section."""
    return write_error(section, dialect)


# The package skips the checks whose signs a document lacks, which saves time only in Python.
@in_place_of("core.validator")
def find_signs(document: Document, verbs: Verbs) -> Signs:
    """Return all checks, each with the complete document."""
    return dict.fromkeys((*CHECKS, *VALUE_CHECKS), document)
