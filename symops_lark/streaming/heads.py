"""The lines of an action whose path and attributes have lines of their own, some of them misspelt.

By itself such a line says little: `create` is an action's first line if a path stands below it. So lines that may be
parts of one action are held back, a bounded number of them, until one comes that is none; then they are told and
respelt together, by the passes that the whole text gets (`LineLexer.read`, `order_tagged`). Lines that are no action,
and those of an action that is exact, come back as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..recovery.field_lines import order_tagged
from ..recovery.kinds import ATTRIBUTES, JOINED, PATHS, PLAIN, SPLIT, Line
from ..recovery.spelling import RESPELT, Candidate
from .incoming import PlacedLine
from .kinds import BEGINS, LineClassifier

_MOST_LINES, _MOST_CHARACTERS = 50, 5_000  # held back at most
Told = tuple[PlacedLine, Candidate | None]  # a line, and how it is respelt if it is


class HeadCollector:
    """Holds back the lines of one action."""

    def __init__(self, classifier: LineClassifier) -> None:
        self.classifier = classifier
        self._tagged = "lines" in classifier.dialect.forms
        self.serves = self._tagged or "attributes" in classifier.dialect.forms
        marks = classifier.dialect.marks
        self._lone = {marks["action"]: SPLIT + "ACTION", marks["target"]: "PATH_LINE", marks["depends"]: "DEPENDS_LINE"}
        self._held: list[PlacedLine] = []
        self._kinds: list[str] = []
        self._size = 0

    def __bool__(self) -> bool:
        """Whether any line is held back."""
        return bool(self._held)

    # ---- lines

    def take(self, line: PlacedLine, kind: str) -> bool:
        """Hold a line of a kind (of `lines`) back if it may be a part of the action at hand, or begin one."""
        reader, shown = self.classifier.reader, line.text.rstrip("\r\n")
        if len(self._held) >= _MOST_LINES or self._size + len(shown) > _MOST_CHARACTERS:
            return False
        below_tag = bool(self._held) and reader.awaits_value(self._held[-1].text.rstrip("\r\n"))
        if below_tag and self._kinds[-1] and reader.is_value(shown):
            kind = ""
        else:
            if reader.awaits_value(shown):
                kind = self._lone[shown.strip()]
            if not (self._belongs(kind) if self._held else self._begins(kind, shown)):
                return False
        self._held.append(line)
        self._kinds.append(kind.removeprefix("NEAR_"))
        self._size += len(line.text)
        return True

    def _begins(self, kind: str, shown: str) -> bool:
        if kind.startswith(SPLIT) or kind in JOINED:
            return True
        if self._tagged:
            return kind.removeprefix("NEAR_") in ATTRIBUTES
        return kind in PLAIN and bool(self.classifier.reader.kind_above_path(shown))

    def _belongs(self, kind: str) -> bool:
        bare = kind.removeprefix("NEAR_")
        if not self._tagged:
            return bare in ("ATTRIBUTE", "BARE_ATTRIBUTE") or (kind == "BLANK" and self._awaits_path())
        if kind == "BLANK":
            return self._has_verb() and not self._has_path()
        if kind.startswith(SPLIT):
            return not self._has_verb()
        return bare in ATTRIBUTES and not (bare in PATHS and self._has_path())

    def _awaits_path(self) -> bool:
        return self._kinds[0].startswith(SPLIT) and all(kind == "BLANK" for kind in self._kinds[1:])

    def _has_verb(self) -> bool:
        return any(kind.startswith(SPLIT) or kind in JOINED for kind in self._kinds)

    def _has_path(self) -> bool:
        return any(kind in PATHS for kind in self._kinds) or not any(
            kind.startswith(SPLIT) or kind in ATTRIBUTES for kind in self._kinds
        )

    # ---- what they are

    def release(self, broken: bool, behind: str) -> list[Told]:
        """Give what the lines held back are.

        `broken` tells whether the text is known not to be valid; `behind` is the kind of the line behind, if exact.
        """
        held, self._held, self._kinds, self._size = self._held, [], [], 0
        text = "".join(line.text for line in held)
        valid = behind in BEGINS or behind in ("blank", "open")
        if (valid and not broken and self.classifier.read(text)) or not any(map(str.strip, text.split("\n"))):
            return [(line, None) for line in held]
        lines = [part for line in self.classifier.reader.read(text) for part in line.inside or (line,)]
        if not any(line.kind in JOINED for line in lines):
            return [(line, None) for line in held]
        return list(self._put_in_order(text, held, lines) if self._tagged else self._respell(text, held, lines))

    def _respell(self, text: str, held: Sequence[PlacedLine], lines: Sequence[Line]) -> Iterator[Told]:
        for line, placed in zip(lines, held, strict=True):
            role = "head" if line.kind in JOINED else "attribute" if line.kind.endswith("ATTRIBUTE") else ""
            bare = line.kind.startswith("BARE_") and line is lines[0] and len(lines) == 1
            spelling = self.classifier.candidate(placed.text, role) if role and line.kind.startswith(RESPELT) else None
            if line.kind != "BLANK":
                yield placed, None if bare else spelling

    def _put_in_order(self, text: str, held: Sequence[PlacedLine], lines: Sequence[Line]) -> Iterator[Told]:
        parts = [line for line in lines if line.kind in JOINED or line.kind.removeprefix("NEAR_") == "ATTRIBUTE"]
        rows = [(line.kind, text[line.start : line.stop].removesuffix("\r")) for line in parts]
        whole = held[0]._replace(stop=max(line.stop for line in held if line.text.strip()))
        for spelling in order_tagged(self.classifier.dialect, self.classifier.engine.repairer, rows):
            yield whole, replace(spelling, rules=tuple(dict.fromkeys(spelling.rules)))
        for line in lines:
            if line not in parts and line.kind != "BLANK":
                yield whole._replace(text=text[line.start : line.stop] + "\n"), None
