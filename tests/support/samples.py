"""Texts in their dialects, and what the package makes of them: each answer is worked out once, for all who ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import symops_lark
from symops_lark import Diagnostic, Document, ParseError, ProtocolError, Result, Span, SymOpsProcessor
from symops_lark.core.recovery.outline.outline import group_parts
from symops_lark.core.recovery.reading import read_outline
from symops_lark.core.repairs import Repaired, RepairEngine
from symops_lark.core.text.source import LineEndings


@cache
def engine(dialect: str) -> RepairEngine:
    """Return the engine with all rules of a dialect."""
    return SymOpsProcessor(dialect).engine(dialect)


@cache
def alone(dialect: str, rule: str) -> RepairEngine:
    """Return an engine with one rule."""
    return RepairEngine(dialect, [single_rule for single_rule in engine(dialect).rules if single_rule.id == rule])


def blocks(text: str, dialect: str) -> list[Span]:
    """Return the spans of the contents of the blocks that have a head, an opener and a closer."""
    endings = LineEndings(text)
    outline = read_outline(endings.plain, engine(dialect).dialect, engine(dialect).repairer)
    groups = [group for group in group_parts(outline) if group.role == "head" and group.opener and group.closer]
    bodies = [(group.body[0].line.start, group.body[-1].line.end) for group in groups if group.body]
    return [Span(endings.to_text(start), endings.to_text(end)) for start, end in bodies]


@dataclass(frozen=True)
class Sample:
    """A text in a dialect, and what comes of it."""

    text: str
    dialect: str

    @cached_property
    def parsed(self) -> Document | None:
        """The strict document, or None."""
        try:
            return symops_lark.parse(self.text, self.dialect)
        except ParseError:
            return None

    @cached_property
    def valid(self) -> Document:
        """The strict document of a valid text."""
        assert self.parsed is not None
        return self.parsed

    @cached_property
    def blocks(self) -> list[Span]:
        """The spans of the contents of its blocks."""
        return blocks(self.text, self.dialect)

    @cached_property
    def repaired(self) -> Repaired:
        return symops_lark.repair(self.text, self.dialect)

    @cached_property
    def recovered(self) -> Document:
        return symops_lark.recover(self.text, self.dialect)

    @cached_property
    def processed(self) -> Result | ProtocolError:
        """The result, or the refusal: both have a document and diagnostics."""
        try:
            return symops_lark.process(self.text, self.dialect)
        except ProtocolError as error:
            return error

    @property
    def result(self) -> Result:
        """The result of a text that is not refused."""
        assert isinstance(self.processed, Result)
        return self.processed

    @property
    def document(self) -> Document:
        """The document of the result or of the refusal."""
        return self.processed.document

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the result or of the refusal."""
        return self.processed.diagnostics
