"""A repaired text: the repairs with their spans, and the way back to the caller's text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..document import Completeness, Document
from ..grammar.codes import BYTE_LEVEL_TEXT
from ..ground.frozen import make_quickly
from ..ground.json_objects import JsonObject
from ..text.diagnostics import Diagnostic, Severity, make_finding
from ..text.source import Source, Span
from .edits import PositionMap


@dataclass(frozen=True, slots=True)
class Repair(JsonObject):
    """One change that a repair rule made.

    Attributes:
        rule: The id of the rule.
        summary: What the rule does, in one sentence.
        before: The changed stretch in the caller's text.
        after: The stretch of the repaired text that replaced it.
        cost: How much the repair lowers the confidence of its action; about 1 for one mistake.
        text_before: The text that was replaced, with line feeds as line endings.
        text_after: The new text, with line feeds as line endings.
    """

    rule: str
    summary: str
    before: Span
    after: Span
    cost: float
    text_before: str
    text_after: str

    # The order of the keys in JSON; the fields keep theirs, which callers may rely on.
    WRITTEN = ("rule", "summary", "cost", "before", "after", "text_before", "text_after")

    def to_diagnostic(self) -> Diagnostic:
        """Return the repair as a diagnostic at its place in the caller's text.

        It is a note, but a warning where all contents were decoded anew.
        """
        severity = Severity.WARNING if self.rule == BYTE_LEVEL_TEXT else Severity.NOTE
        return make_finding(self.rule, self.summary, self.before, severity)


make_repair: Callable[..., Repair] = make_quickly(Repair)


class Repaired(str):
    """A repaired text that knows its repairs and the way back to the caller's text.

    Of a block in a dialect without blocks, the delimiters are U+FFFF and `open` or `close`: no text
    of the dialect has them, so it is never valid.

    Attributes:
        original: The caller's text.
        repairs: The repairs, in the order of their places in the caller's text.
        maps: The position maps from the caller's text to this one, oldest first.
        completeness: Pairs (offset in the caller's text, completeness) of the actions that may be
            incomplete.
        document: The document of the repaired text; None if it does not parse strictly.
        lost: Offsets in the caller's text of actions that no section of the result holds.
    """

    __slots__ = ("completeness", "document", "lost", "maps", "original", "repairs")
    original: str
    repairs: tuple[Repair, ...]
    maps: tuple[PositionMap, ...]
    completeness: tuple[tuple[int, Completeness], ...]
    lost: tuple[int, ...]
    document: Document | None

    def __new__(
        cls,
        text: str,
        original: str,
        repairs: tuple[Repair, ...] = (),
        maps: tuple[PositionMap, ...] = (),
        completeness: tuple[tuple[int, Completeness], ...] = (),
        document: Document | None = None,
        lost: tuple[int, ...] = (),
    ) -> Repaired:
        self = super().__new__(cls, text)
        self.original = original
        self.repairs = repairs
        self.maps = maps
        self.completeness = completeness
        self.document = document
        self.lost = lost
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # A `str` would be pickled without the attributes of its subclass.
        arguments = (
            str(self),
            self.original,
            self.repairs,
            self.maps,
            self.completeness,
            self.document,
            self.lost,
        )
        return type(self), arguments

    @property
    def text(self) -> str:
        """The text as a plain `str`."""
        return str(self)

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.repairs)

    def original_span(self, span: Span, source: Source) -> Span:
        """Map a span of the repaired text to the caller's text.

        Args:
            span: A span of the repaired text.
            source: The caller's text (`original`), which gives line and column.
        """
        start = span.start
        end = span.end
        for position_map in reversed(self.maps):
            # An empty span has no last character that its end could belong to.
            is_filled = end > start
            start = position_map.to_old(start)
            end = position_map.to_old(end, end=is_filled)
        end = max(start, end)
        return source.span(start, end)
