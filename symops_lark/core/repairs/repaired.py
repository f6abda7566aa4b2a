"""A repaired text: the repairs made, each at its place, and the way back to the caller's text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..document import Completeness, Document
from ..ground.frozen import make_quickly
from ..ground.json_objects import JsonObject
from ..text.diagnostics import Diagnostic, Severity, make_finding
from ..text.source import Source, Span
from .edits import PositionMap


@dataclass(frozen=True, slots=True)
class Repair(JsonObject):
    """One repair: the rule, its place before (in the caller's text) and after (in the repaired text), its cost."""

    rule: str
    summary: str
    before: Span
    after: Span
    cost: float
    text_before: str
    text_after: str

    WRITTEN = ("rule", "summary", "cost", "before", "after", "text_before", "text_after")

    def to_diagnostic(self) -> Diagnostic:
        """Return the repair as a note for the reader of the result."""
        return make_finding(self.rule, self.summary, self.before, Severity.NOTE)


make_repair: Callable[..., Repair] = make_quickly(Repair)


class Repaired(str):
    """A repaired text that knows the repairs made and the way back to the caller's text (`original`)."""

    __slots__ = ("completeness", "document", "lost", "maps", "original", "repairs")
    original: str
    repairs: tuple[Repair, ...]
    maps: tuple[PositionMap, ...]
    completeness: tuple[tuple[int, Completeness], ...]
    lost: tuple[int, ...]  # where, in the caller's text, something that was an action is dropped
    document: Document | None  # what the repaired text says, if it parses strictly

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
        self.original, self.repairs, self.maps = original, repairs, maps
        self.completeness, self.document, self.lost = completeness, document, lost
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        said = (self.repairs, self.maps, self.completeness, self.document, self.lost)
        return type(self), (str(self), self.original, *said)

    @property
    def text(self) -> str:
        """The text as a plain `str`."""
        return str(self)

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.repairs)

    def original_span(self, span: Span, source: Source) -> Span:
        """Carry a span of the repaired text back to the caller's text (`source`)."""
        start, end = span.start, span.end
        for position_map in reversed(self.maps):
            start, end = (
                position_map.to_old(start),
                position_map.to_old(end, end=True) if end > start else position_map.to_old(end),
            )
        return source.span(start, max(start, end))
