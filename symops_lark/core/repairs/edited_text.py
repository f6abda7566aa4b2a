"""A text while it is repaired: the edits so far, the way back, and the endings of its lines.

The rules see line feeds only (`LineEndings`). So the first position map leads from the caller's
text to one with line feeds; each call of `apply` adds one map; and `restore_endings` adds a last
one, after which the text has the caller's line endings again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..document import Completeness, Document
from ..text.source import LineEndings, Source
from .edits import Edit, PositionMap, apply_edits, find_places
from .repaired import Repair, Repaired, make_repair
from .rule import Rule


class _Round(NamedTuple):
    """The repairs of one call of `apply`.

    Attributes:
        level: The number of maps before it.
        edits: The edits, last first, so that each can be given up when its repair is made.
        replaced: The text that each edit replaced, in order.
        places: The offset in the new text at which each begins, in order.
    """

    level: int
    edits: list[Edit]
    replaced: list[str]
    places: list[int]


class EditedText:
    """A text while it is repaired, with the way back to what it was.

    Attributes:
        original: The caller's text.
        text: The current text, with line feeds until `restore_endings` is called.
        written: The ending of lines that an edit writes.
        maps: One map for each change, oldest first.
        done: The repairs so far, one round for each call of `apply` that changed something.
        completeness: By offset in the caller's text, the completeness of actions.
        lost: Offsets in the caller's text of actions that no section holds.
    """

    def __init__(self, text: str, rules: dict[str, Rule]) -> None:
        """Begin with a text; `rules` are the rules by id that edits may name."""
        self.original = text
        self.endings = LineEndings(text)
        # The rules know only line feeds; the first map leads back to the other endings.
        self.text = self.endings.plain
        self.written = self.endings.usual
        self.rules = rules
        self.maps: list[PositionMap] = []
        if self.text != text:
            edits = [Edit(start, end, "\n") for start, end in self.endings.longer()]
            _, position_map = apply_edits(text, edits)
            self.maps.append(position_map)
        self.done: list[_Round] = []
        self.completeness: dict[int, Completeness] = {}
        self.lost: set[int] = set()

    def apply(self, edits: list[Edit], repairs: list[Edit] | None = None) -> bool:
        """Apply edits and record them as repairs.

        Args:
            edits: Edits that do not overlap; those that change nothing are left out.
            repairs: The repairs that the edits make together, with the text that each leaves. A
                wrapper that is taken off line by line is one repair. None or empty: each edit is
                a repair.

        Returns:
            Whether the text changed.
        """
        text = self.text
        edits = [edit for edit in edits if text[edit.start : edit.end] != edit.text]
        if not edits:
            return False
        recorded = edits
        places = find_places(edits)
        if repairs:
            recorded = repairs
            place_of = dict(zip(edits, places, strict=True))
            # A wrapper that is taken off has several edits: its repair begins where it began.
            places = [place_of.get(edit, edit.start) for edit in repairs]
            # The text was one line with `\n` spelled out: its lines now end as they were written.
            if any(edit.text == "\n" for edit in edits):
                self.written = "\n"
        replaced = _share_equal(text[edit.start : edit.end] for edit in recorded)
        level = len(self.maps)
        last_first = recorded[::-1]
        self.done.append(_Round(level, last_first, replaced, places))
        self.text, position_map = apply_edits(self.text, edits)
        self.maps.append(position_map)
        return True

    def restore_endings(self) -> bool:
        """Give each line its own ending, and written lines the usual one.

        Returns:
            Whether the caller's text has other line endings than line feeds.
        """
        if self.endings.plain == self.original:
            return False
        edits = []
        offset = self.text.find("\n")
        while offset >= 0:
            ending = self._ending(offset)
            if ending != "\n":
                edits.append(Edit(offset, offset + 1, ending))
            offset = self.text.find("\n", offset + 1)
        self.text, position_map = apply_edits(self.text, edits)
        self.maps.append(position_map)
        return True

    def _ending(self, offset: int) -> str:
        """Return the ending for the line feed at an offset of the current text."""
        # All maps but the first, which leads to the line feeds that `endings` knows.
        for position_map in reversed(self.maps[1:]):
            copied_from = position_map.to_copied(offset)
            if copied_from is None:
                return self.written
            offset = copied_from
        return self.endings.ending(offset)

    def note(self, completeness: dict[int, Completeness], lost: Sequence[int]) -> None:
        """Record what an outline of the current text says about actions, by their offsets in it.

        A later outline does not overrule an earlier one: the first saw the text before edits.
        """
        for offset, judgment in completeness.items():
            original = self._to_original(offset)
            # Not an assignment: the first judgment counts.
            self.completeness.setdefault(original, judgment)
        for offset in lost:
            original = self._to_original(offset)
            self.lost.add(original)

    def _to_original(self, offset: int) -> int:
        for position_map in reversed(self.maps):
            offset = position_map.to_old(offset)
        return offset

    def finish(self, document: Document | None) -> Repaired:
        """Return the repaired text.

        Call it once, at the end: it gives up the recorded edits to save memory.

        Args:
            document: The document of the current text; None if it does not parse strictly.
        """
        source = Source(self.original)
        result = Source(self.text)
        repairs = []
        for done in self.done:
            repairs += self._finish_round(done, source, result)
        # One number instead of a tuple as the key: texts have many repairs.
        size = len(self.original) + 1
        repairs.sort(key=lambda repair: repair.before.start * size + repair.before.end)
        completeness = sorted(self.completeness.items())
        lost = sorted(self.lost)
        return Repaired(
            self.text,
            self.original,
            tuple(repairs),
            tuple(self.maps),
            tuple(completeness),
            document,
            tuple(lost),
        )

    def _finish_round(self, done: _Round, source: Source, result: Source) -> list[Repair]:
        """Return the repairs of a round, each with its spans in the caller's and the final text."""
        # Back through the maps before the edits, and forward through those after them.
        earlier = self.maps[: done.level][::-1]
        later = self.maps[done.level + 1 :]
        repairs = []
        for before, place in zip(done.replaced, done.places, strict=True):
            edit = done.edits.pop()
            is_insertion = edit.end == edit.start
            old_start = edit.start
            old_end = edit.end
            for position_map in earlier:
                old_start = position_map.to_old(old_start)
                old_end = position_map.to_old(old_end, end=not is_insertion)
            new_start = place
            new_end = place + len(edit.text)
            for position_map in later:
                new_start = position_map.to_new(new_start)
                new_end = position_map.to_new(new_end)
            old_end = max(old_start, old_end)
            old_span = source.span(old_start, old_end)
            new_span = result.span(new_start, new_end)
            after = edit.text
            for name in edit.rules:
                rule = self.rules[name]
                summary = rule.summary
                repair = make_repair(name, summary, old_span, new_span, rule.cost, before, after)
                repairs.append(repair)
        return repairs


def _share_equal(texts: Iterable[str]) -> list[str]:
    """Return the texts; equal ones are one object, which saves memory."""
    shared: dict[str, str] = {}
    return [shared.setdefault(text, text) for text in texts]
