"""Collect the lines of an action whose path and attributes are on separate lines.

Such a line alone is ambiguous: `create` is the first line of an action only if a path is below it.
So lines that may be parts of one action are held back, a bounded number of them, until a line comes
that is not a part. Then they are classified and repaired together, by the passes that the whole
text gets (`LineLexer.read`, `order_tagged`). Lines that are not an action, and the lines of an
action that is exact, are returned unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..recovery.lines.field_lines import order_tagged
from ..recovery.lines.kinds import ATTRIBUTE_LIKE, FIELDS, JOINED, PATHS, PLAIN, Kind, Line
from ..recovery.lines.spelling import Candidate
from ..text.source import size
from . import kinds
from .line_classifier import LineClassifier, Token

# Limits of the lines that are held back: memory is bounded, and events are not late by more.
_MAX_LINES = 50
_MAX_CHARACTERS = 5_000
Released = tuple[Token, Candidate | None]  # a line, and its repaired text if it is repaired


class HeadCollector:
    """Holds back the lines of one action.

    Args:
        classifier: Classifies the lines.

    Attributes:
        classifier: The same.
        serves: Whether the dialect has actions of several lines. If not, nothing is held back.
    """

    def __init__(self, classifier: LineClassifier) -> None:
        self.classifier = classifier
        self._tagged = "lines" in classifier.dialect.forms
        self.serves = self._tagged or "attributes" in classifier.dialect.forms
        marks = classifier.dialect.marks
        self._lone = {marks[mark]: kind for mark, kind in kinds.LONE.items()}
        self._held: list[Token] = []
        self._kinds: list[Kind | None] = []  # of these lines; None: the value of the tag above

    def __bool__(self) -> bool:
        """Return whether any line is held back."""
        return bool(self._held)

    # ---- lines

    def take(self, token: Token) -> bool:
        """Hold a line back if it may be a part of the current action, or begin one.

        Args:
            token: The line.

        Returns:
            Whether the line is held back.
        """
        lexer = self.classifier.lexer
        line = token.text.removesuffix("\n")
        held_size = sum(size(above.text) for above in self._held)
        if len(self._held) >= _MAX_LINES or held_size + size(line) > _MAX_CHARACTERS:
            return False
        # A tag without its value, such as "[PATH]", takes the next line as the value. It may look
        # like anything, so it has no kind, and takes no value itself.
        is_below_tag = False
        if self._held and self._kinds[-1]:
            is_below_tag = lexer.awaits_value(self._held[-1].text.removesuffix("\n"))
        kind: Kind | None = None
        is_value = is_below_tag and lexer.is_value(line)
        if not is_value and lexer.awaits_value(line):
            kind = self._lone[line.strip()]
        elif not is_value:
            kind = token.near
        if kind is not None:
            is_part = self._belongs(kind) if self._held else self._begins(kind, line)
            if not is_part:
                return False
        self._held.append(token)
        self._kinds.append(kind)
        return True

    def _begins(self, kind: Kind, line: str) -> bool:
        """Return whether a line may be the first of an action."""
        if kind.is_split or kind in JOINED:
            return True
        if self._tagged:
            return kind in FIELDS
        return kind in PLAIN and bool(self.classifier.lexer.kind_above_path(line))

    def _belongs(self, kind: Kind) -> bool:
        """Return whether a line may be a part of the action whose lines are held back."""
        if not self._tagged:
            return kind in ATTRIBUTE_LIKE or (kind is Kind.BLANK and self._awaits_path())
        if kind is Kind.BLANK:
            return self._has_verb() and not self._has_path()
        if kind.is_split:
            return not self._has_verb()
        return kind in FIELDS and not (kind.base in PATHS and self._has_path())

    def _awaits_path(self) -> bool:
        """Return whether the lines are a verb alone, and blank lines."""
        first, *following = self._kinds
        if first is None or not first.is_split:
            return False
        return all(kind is Kind.BLANK for kind in following)

    def _has_verb(self) -> bool:
        return any(kind.is_split or kind in JOINED for kind in self._kinds if kind)

    def _has_path(self) -> bool:
        """Return whether one of the lines is a path, or all of them may be anything."""
        known_kinds = [kind for kind in self._kinds if kind]
        if any(kind.base in PATHS for kind in known_kinds):
            return True
        return not any(kind.is_split or kind in FIELDS for kind in known_kinds)

    # ---- the lines together

    def release(self, broken: bool, following: str) -> list[Released]:
        """Return the lines that were held back, repaired where necessary.

        Args:
            broken: Whether the text is already known to be invalid.
            following: The kind of the line after them if it is exact, else "".

        Returns:
            The lines; there may be fewer or more of them if they are repaired.
        """
        tokens = self._held
        self._held = []
        self._kinds = []
        unchanged: list[Released] = [(token, None) for token in tokens]
        text = "".join(token.text for token in tokens)
        if not any(map(str.strip, text.split("\n"))):
            return unchanged
        # A valid action is not repaired, unless the text is broken, or an odd line comes next: then
        # the whole text would be repaired, too.
        is_followed_well = following in kinds.BEGINS or following in ("blank", "open")
        if is_followed_well and not broken and self.classifier.read(text):
            return unchanged
        lines = [
            part for line in self.classifier.lexer.read(text) for part in line.inside or (line,)
        ]
        if not any(line.kind in JOINED for line in lines):
            return unchanged
        if self._tagged:
            return list(self._put_in_order(text, tokens, lines))
        return list(self._repair(tokens, lines))

    def _repair(self, held: Sequence[Token], lines: Sequence[Line]) -> Iterator[Released]:
        """Yield the lines, each repaired where it is; blank ones are left out."""
        for line, token in zip(lines, held, strict=True):
            role = ""
            if line.kind in JOINED:
                role = "head"
            elif line.kind in ATTRIBUTE_LIKE:
                role = "attribute"
            # A bare head alone is decided by what follows it: see `SectionReader._bare`.
            is_bare = line.kind in kinds.BARE_HEADS and len(lines) == 1
            spelling = None
            if role and line.kind.is_respelt and not is_bare:
                spelling = token.candidate(role)
            if line.kind is not Kind.BLANK:
                yield token, spelling

    def _put_in_order(
        self, text: str, held: Sequence[Token], lines: Sequence[Line]
    ) -> Iterator[Released]:
        """Yield the parts of an action of tags in the order of the grammar, then other lines."""
        parts = []
        remaining = []
        for line in lines:
            if line.kind in JOINED or line.kind in ATTRIBUTE_LIKE:
                parts.append(line)
            elif line.kind is not Kind.BLANK:
                remaining.append(line)
        rows = [(line.kind, text[line.start : line.stop]) for line in parts]
        # The positions of the repaired parts are unknown: each gets the span of all lines.
        stop = max(token.line.stop for token in held if token.text.strip())
        everything = Token(held[0].line._replace(stop=stop), self.classifier)
        repairer = self.classifier.engine.repairer
        for spelling in order_tagged(self.classifier.dialect, repairer, rows):
            yield everything, replace(spelling, rules=tuple(dict.fromkeys(spelling.rules)))
        for line in remaining:
            yield everything.with_text(text[line.start : line.stop]), None
