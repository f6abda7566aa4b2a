"""A text as it is repaired: the edits made, the way back, and the endings of its lines."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Completeness, Document
from ..text.source import LineEndings, Source
from .edits import Edit, PositionMap, apply_edits, find_places
from .repaired import Repaired, make_repair
from .rule import Rule

# How many maps there were, the edits from the last to the first, what each replaced, and where its text begins.
_Done = tuple[int, list[Edit], list[str], list[int]]


class EditedText:
    """A text as it is repaired, with the way back to what it was."""

    def __init__(self, text: str, rules: dict[str, Rule]) -> None:
        self.original = text
        self.endings = LineEndings(text)
        self.text = self.endings.plain
        self.written = self.endings.usual  # how lines end that an edit writes
        self.rules = rules
        self.maps: list[PositionMap] = []
        if self.text != text:
            edits = [Edit(start, end, "\n") for start, end in self.endings.longer()]
            self.maps.append(apply_edits(text, edits)[1])
        self.done: list[_Done] = []
        self.completeness: dict[int, Completeness] = {}
        self.lost: set[int] = set()

    def apply(self, edits: list[Edit], repairs: list[Edit] | None = None) -> bool:
        """Make the edits and note the repairs that they are, each edit one if none are named; tell if there are any."""
        edits = [edit for edit in edits if self.text[edit.start : edit.end] != edit.text]
        if not edits:
            return False
        places = find_places(edits)
        if repairs:
            known = dict(zip(edits, places, strict=True))
            places = [known.get(edit, edit.start) for edit in repairs]  # a wrapper begins where it began
        named = repairs or edits
        replaced = [self.text[edit.start : edit.end] for edit in named]
        alike = dict(zip(replaced, replaced, strict=True))  # one text for all that are
        self.done.append((len(self.maps), named[::-1], [alike[text] for text in replaced], places))
        if repairs and any(edit.text == "\n" for edit in edits):
            self.written = "\n"  # a newline that was escaped is one
        self.text, position_map = apply_edits(self.text, edits)
        self.maps.append(position_map)
        return True

    def restore_endings(self) -> bool:
        """Give each line its own ending again, and written ones the usual one; tell whether there were others."""
        if self.endings.plain == self.original:
            return False
        edits = []
        at = self.text.find("\n")
        while at >= 0:
            if (ending := self._ending(at)) != "\n":
                edits.append(Edit(at, at + 1, ending))
            at = self.text.find("\n", at + 1)
        self.text, position_map = apply_edits(self.text, edits)
        self.maps.append(position_map)
        return True

    def _ending(self, offset: int) -> str:
        place: int | None = offset
        for position_map in reversed(self.maps[1:]):
            place = None if place is None else position_map.to_copied(place)
        return self.written if place is None else self.endings.ending(place)

    def note(self, completeness: dict[int, Completeness], lost: Sequence[int]) -> None:
        for offset, value in completeness.items():
            self.completeness.setdefault(self._to_original(offset), value)
        self.lost.update(map(self._to_original, lost))

    def _to_original(self, offset: int) -> int:
        for position_map in reversed(self.maps):
            offset = position_map.to_old(offset)
        return offset

    def finish(self, document: Document | None) -> Repaired:
        source, result = Source(self.original), Source(self.text)
        repairs = []
        for level, edits, replaced, places in self.done:
            back, forth = self.maps[:level][::-1], self.maps[level + 1 :]
            for before, start in zip(replaced, places, strict=True):
                edit = edits.pop()  # given up for its repairs
                old, old_end, end = edit.start, edit.end, start + len(edit.text)
                for position_map in back:
                    old, old_end = position_map.to_old(old), position_map.to_old(old_end, end=edit.end > edit.start)
                for position_map in forth:
                    start, end = position_map.to_new(start), position_map.to_new(end)
                spans = source.span(old, max(old, old_end)), result.span(start, end)
                for rule in edit.rules:
                    known = self.rules[rule]
                    repairs.append(make_repair(rule, known.summary, *spans, known.cost, before, edit.text))
        size = len(self.original) + 1
        repairs.sort(key=lambda repair: repair.before.start * size + repair.before.end)
        completeness = tuple(sorted(self.completeness.items()))
        return Repaired(
            self.text, self.original, tuple(repairs), tuple(self.maps), completeness, document, tuple(sorted(self.lost))
        )
