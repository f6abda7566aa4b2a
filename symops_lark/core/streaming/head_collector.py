"""The lines of an action whose path and attributes have lines of their own, some of them misspelt.

By itself such a line says little: `create` is an action's first line if a path stands below it. So lines that may be
parts of one action are held back, a bounded number of them, until one comes that is none; then they are told and
respelt together, by the passes that the whole text gets (`LineLexer.read`, `order_tagged`). Lines that are no action,
and those of an action that is exact, come back as they are.
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

_MOST_LINES, _MOST_CHARACTERS = 50, 5_000  # held back at most
Released = tuple[Token, Candidate | None]  # a line, and how it is respelt if it is


class HeadCollector:
    """Holds back the lines of one action."""

    def __init__(self, classifier: LineClassifier) -> None:
        self.classifier = classifier
        self._tagged = "lines" in classifier.dialect.forms
        self.serves = self._tagged or "attributes" in classifier.dialect.forms
        marks = classifier.dialect.marks
        self._lone = {marks[mark]: kind for mark, kind in kinds.LONE.items()}
        self._held: list[Token] = []
        self._kinds: list[Kind | None] = []  # None: the value of the tag above

    def __bool__(self) -> bool:
        """Return whether any line is held back."""
        return bool(self._held)

    # ---- lines

    def take(self, token: Token) -> bool:
        """Hold a line back if it may be a part of the action at hand, or begin one; return whether it is."""
        lexer, shown = self.classifier.lexer, token.text.removesuffix("\n")
        held = sum(size(each.text) for each in self._held)
        if len(self._held) >= _MOST_LINES or held + size(shown) > _MOST_CHARACTERS:
            return False
        below_tag = bool(self._held) and lexer.awaits_value(self._held[-1].text.removesuffix("\n"))
        if below_tag and self._kinds[-1] and lexer.is_value(shown):
            kind = None
        else:
            kind = self._lone[shown.strip()] if lexer.awaits_value(shown) else token.near
            if not (self._belongs(kind) if self._held else self._begins(kind, shown)):
                return False
        self._held.append(token)
        self._kinds.append(kind)
        return True

    def _begins(self, kind: Kind, shown: str) -> bool:
        if kind.is_split or kind in JOINED:
            return True
        if self._tagged:
            return kind in FIELDS
        return kind in PLAIN and bool(self.classifier.lexer.kind_above_path(shown))

    def _belongs(self, kind: Kind) -> bool:
        if not self._tagged:
            return kind in ATTRIBUTE_LIKE or (kind is Kind.BLANK and self._awaits_path())
        if kind is Kind.BLANK:
            return self._has_verb() and not self._has_path()
        if kind.is_split:
            return not self._has_verb()
        return kind in FIELDS and not (kind.base in PATHS and self._has_path())

    def _awaits_path(self) -> bool:
        first, *more = self._kinds
        return first is not None and first.is_split and all(kind is Kind.BLANK for kind in more)

    def _has_verb(self) -> bool:
        return any(kind.is_split or kind in JOINED for kind in self._kinds if kind)

    def _has_path(self) -> bool:
        known = [kind for kind in self._kinds if kind]
        return any(kind.base in PATHS for kind in known) or not any(kind.is_split or kind in FIELDS for kind in known)

    # ---- what they are

    def release(self, broken: bool, behind: str) -> list[Released]:
        """Return what the lines held back are.

        `broken` says whether the text is known not to be valid; `behind` is the kind of the line behind, if exact.
        """
        held, self._held, self._kinds = self._held, [], []
        text = "".join(token.text for token in held)
        valid = behind in kinds.BEGINS or behind in ("blank", "open")
        if (valid and not broken and self.classifier.read(text)) or not any(map(str.strip, text.split("\n"))):
            return [(token, None) for token in held]
        lines = [part for line in self.classifier.lexer.read(text) for part in line.inside or (line,)]
        if not any(line.kind in JOINED for line in lines):
            return [(token, None) for token in held]
        return list(self._put_in_order(text, held, lines) if self._tagged else self._respell(held, lines))

    def _respell(self, held: Sequence[Token], lines: Sequence[Line]) -> Iterator[Released]:
        for line, token in zip(lines, held, strict=True):
            role = "head" if line.kind in JOINED else "attribute" if line.kind in ATTRIBUTE_LIKE else ""
            bare = line.kind in kinds.BARE_HEADS and len(lines) == 1
            spelling = token.candidate(role) if role and line.kind.is_respelt else None
            if line.kind is not Kind.BLANK:
                yield token, None if bare else spelling

    def _put_in_order(self, text: str, held: Sequence[Token], lines: Sequence[Line]) -> Iterator[Released]:
        parts = [line for line in lines if line.kind in JOINED or line.kind in ATTRIBUTE_LIKE]
        rows = [(line.kind, text[line.start : line.stop]) for line in parts]
        stop = max(token.line.stop for token in held if token.text.strip())
        whole = Token(held[0].line._replace(stop=stop), self.classifier)
        for spelling in order_tagged(self.classifier.dialect, self.classifier.engine.repairer, rows):
            yield whole, replace(spelling, rules=tuple(dict.fromkeys(spelling.rules)))
        for line in lines:
            if line not in parts and line.kind is not Kind.BLANK:
                yield whole.respelt(text[line.start : line.stop]), None
