"""Error-recovering parsing: a document from any text, with every mistake it assumes, and a confidence.

Never raises on a `str`. A text that parses strictly gives the strict document, at price 0.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..document import Document, ErrorNote, Question, Section, Thought, Vitals
from ..grammar.codes import EARLEY_LIMIT, LOST_ACTION, UNCLOSED_BLOCK, UNREADABLE_SECTION
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..grammar.mistakes import MISTAKE, NO_CLOSER, load_mistakes, load_tagged
from ..strict.parser import parse_valid
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import LineEndings, Source, Span
from ..unfinished import read_marks
from .doubts.confidence import action_confidence, price_to_cost
from .doubts.lost_actions import find_lost
from .doubts.skipping import skip
from .foreign.layouts import read_layout
from .lines.kinds import OWN
from .lines.spelling import LineRepairer, NoRepairer
from .outline.heads import HeadReader
from .outline.outline import Group, Outline, Part
from .reading import read_outline


def recover(
    text: str,
    format: str | Path | Dialect,
    *,
    repairer: LineRepairer | None = None,
    cut_off: bool | None = None,
    known_broken: bool = False,
    engine: str | None = None,
) -> Document:
    """Read any text in one dialect at the lowest price; the document carries that price and the mistakes it stands for.

    `cut_off` says whether the reply is known to end too early (a model's finish reason "length"); None means: judge by
    whether the last line is finished. `known_broken` saves the strict parse of a text that is known to fail it.
    `engine` is "automaton" or "earley"; None takes the automaton where the recovery grammar is left-linear. Both give
    the same document; for texts too long for Earley see `recovery.engines`.
    Raises `GrammarError` if there is no such dialect or if its recovery grammar cannot read the text by this engine,
    `ValueError` if there is no such engine, and nothing else.
    """
    dialect = load_dialect(format)
    document = None if known_broken else parse_valid(text, dialect)
    if document is not None:
        return document
    repairer = repairer or NoRepairer()
    endings = LineEndings(text)
    if (foreign := read_layout(endings, dialect)) is not None:
        return foreign
    outline = read_outline(endings.plain, dialect, repairer, engine=engine)
    maker = _Maker(dialect, endings, repairer, outline.cut_off if cut_off is None else cut_off)
    groups, lost = outline.groups[::-1], find_lost(outline.groups, maker.heads)
    at_end = _at_end(outline)
    outline = replace(outline, parts=())  # each group is given up for its sections
    sections: list[Section] = []
    while groups:
        sections += maker.make(groups.pop())
    for code, start, stop in at_end:
        maker.diagnose(code, maker.span(start, stop))
    for start, stop in lost:
        maker.diagnose(LOST_ACTION, maker.span(start, stop))
    if outline.note:
        maker.diagnostics.append(Diagnostic(EARLEY_LIMIT, outline.note, maker.span(0, 0), Severity.WARNING))
    if "lines" in dialect.forms:
        sections = _join_vitals(sections, text)
    return read_marks(Document(tuple(sections), dialect.name, outline.price, tuple(maker.diagnostics)))


class _Maker:
    """Makes nodes of groups."""

    def __init__(self, dialect: Dialect, endings: LineEndings, repairer: LineRepairer, cut_off: bool) -> None:
        self.dialect = dialect
        self.endings, self.text = endings, endings.plain
        self.source = Source(endings.text)
        self.heads = HeadReader(dialect, repairer, endings.plain)
        self.cut_off = cut_off
        self.mistakes = load_mistakes(dialect)
        self.no_closer = load_tagged(dialect)[NO_CLOSER]
        self.written = len(endings.plain.rstrip())
        self.diagnostics: list[Diagnostic] = []

    def make(self, group: Group) -> list[Section]:
        """Make the nodes of one group, and note its mistakes."""
        span = self.span(group.first.line.start, group.end)
        noted = self._note(group, span)
        match group.role:
            case "head" | "section" if group.first.line.kind in OWN:
                return [self._own(group, span, self._content(group)[0] if group.opened else None)]
            case "head":
                return [self._action(group, span)]
            case "drop":
                last = group.more[-1] if group.more else group.first
                span = self.span(group.first.line.start, last.line.stop)
                known = next((finding for finding in noted if finding.code == group.code), None)
                finding = known or self.diagnose(group.code, self._span(group.first))
                return [skip(self.source, span, finding)]
            case "thought" | "reason":
                return self._thoughts(group)
            case role:
                return self._section(group, "question" if role == "ask" else role, span)

    def _thoughts(self, group: Group) -> list[Section]:
        wrapped: list[Section] = []
        for part in group.more:
            start = part.line.start
            for line in self.text[part.line.start : part.line.stop].split("\n"):
                if line.strip():
                    wrapped.append(Thought(line.strip(), self.span(start, start + len(line))))
                start += len(line) + 1
        place = self._span(group.first)
        if group.role == "thought":
            return self._section(group, "thought", place) + wrapped
        glued = self.heads.spelt(group.first, "reason").split("\n")[1:]
        first = [Thought(line.strip(), place) for line in glued if line.strip()]
        if first:
            return [*first, *wrapped]
        if not wrapped:
            return [self._unreadable(place)]
        # The line of the mark belongs to the first thought.
        return [replace(wrapped[0], span=replace(place, end=wrapped[0].span.end)), *wrapped[1:]]

    def _section(self, group: Group, start: str, span: Span) -> list[Section]:
        """Parse the (respelt) line of a section other than an action, with the choices of a question."""
        lines = [self.heads.spelt(group.first, group.role)]
        for part in group.more:
            choice = self._text(self._span(part))
            lines.append(choice if choice[:1] in (" ", "\t") else "  " + choice)
        if start != "question":
            lines = lines[:1]
        node = self.heads.parse("\n".join(lines), start)
        if isinstance(node, Thought | Vitals | Question | ErrorNote):
            return [replace(node, span=span)]
        return [self._unreadable(span)]

    def _action(self, group: Group, span: Span) -> Section:
        action = self.heads.action(group)
        if action is None:
            skipped = self._unreadable(span)
            if group.opened or group.end < self.written:  # else it is the text that breaks off
                self.diagnose(LOST_ACTION, self._span(group.first))
            return skipped
        content, place = self._content(group) if group.opened else (None, None)
        cost = price_to_cost(self._price(group))
        return replace(
            action,
            content=content,
            confidence=action_confidence(cost),
            span=span,
            content_span=place,
            completeness=group.judge_completeness(self.cut_off),
        )

    def _own(self, group: Group, span: Span, content: str | None = None) -> Section:
        """Make the node of a section that only this dialect has."""
        node = self.heads.own_section(group.first, content)
        if node is None:
            return self._unreadable(span)
        shown = self._text(span).rstrip("\r\n")
        sure = action_confidence(price_to_cost(self._price(group)))
        return replace(
            node, text=shown, confidence=sure, completeness=group.judge_completeness(self.cut_off), span=span
        )

    def _content(self, group: Group) -> tuple[str, Span]:
        body = group.content_parts()
        text = ""
        if group.opener is not None:
            ending = self.endings.ending(group.opener.line.stop)
            text = "".join(line + ending for line in self.heads.spelt(group.opener, "open").split("\n")[1:])
        if body:
            place = self.span(body[0].line.start, body[-1].line.stop)
            text += self.endings.cut(body[0].line.start, body[-1].line.end)
        else:
            at = (group.opener or group.first).line.end
            place = self.span(at, at)
        if group.closer is not None:
            text += "".join(line + "\n" for line in self.heads.spelt(group.closer, "close").split("\n")[:-1])
        return text.removesuffix("\n").rstrip("\r"), place

    def _price(self, group: Group) -> int:
        """Return the price of a section's own mistakes; the line after it has the price of a missing closer."""
        prices = [part.step.price for part in _parts(group)]
        before = group.first.step.before
        if self.no_closer.intersection(before):
            prices[0] -= sum(self.mistakes[code].price for code in before)
        if group.missing:
            prices.append(self.mistakes[UNCLOSED_BLOCK].price)
        if group.suspect:
            prices.append(self.mistakes[group.doubt].price)
        return sum(price for price in prices if price >= MISTAKE)

    def _note(self, group: Group, span: Span) -> list[Diagnostic]:
        """Note the mistakes that the reading assumes of a section, each at its place, and return these findings."""
        known = len(self.diagnostics)
        parts = [*_parts(group), *group.more, *group.gaps]
        wrong = [part for part in parts if part.step.mistakes or part.step.before]
        for part in sorted(wrong, key=lambda part: part.line.start):
            before = [code for code in part.step.before if code not in self.no_closer]
            for code in (*before, *part.step.mistakes):
                self.diagnose(code, self._span(part))
        if group.missing:
            self.diagnose(group.missing, self.source.span(span.end, span.end))
        if group.suspect:
            self.diagnose(group.doubt, span)
        return self.diagnostics[known:]

    def _unreadable(self, span: Span) -> Section:
        """Leave out what began as a section and makes none, and note that."""
        return skip(self.source, span, self.diagnose(UNREADABLE_SECTION, span))

    def diagnose(self, code: str, span: Span) -> Diagnostic:
        """Note one mistake at its place, and return the finding."""
        finding = self.mistakes[code].diagnose(span)
        self.diagnostics.append(finding)
        return finding

    def span(self, start: int, end: int) -> Span:
        """Return the span in the caller's text of two offsets of the text that was read."""
        return self.endings.span(self.source, start, end)

    def _span(self, part: Part) -> Span:
        return self.span(part.line.start, part.line.stop)

    def _text(self, span: Span) -> str:
        return self.source.text[span.start : span.end]


def _join_vitals(sections: list[Section], text: str) -> list[Section]:
    """Join vitals on neighbouring lines where each has a line of its own, as the strict parser does."""
    joined: list[Section] = []
    for section in sections:
        above = joined[-1] if joined else None
        near = above is not None and text.count("\n", above.span.end, section.span.start) == 1
        if isinstance(section, Vitals) and isinstance(above, Vitals) and near:
            values = {**above, **section}
            section = Vitals(tuple(values.items()), replace(above.span, end=section.span.end))
            joined.pop()
        joined.append(section)
    return joined


def _at_end(outline: Outline) -> list[tuple[str, int, int]]:
    """Return what is missing at the end of the text, but for a closer, which its group tells, and in which section."""
    closers = {group.missing for group in outline.groups if group.at_end}
    last = outline.groups[-1:]
    start, stop = (last[0].first.line.start, last[0].end) if last else (0, 0)
    return [(code, start, stop) for code in outline.at_end if code not in closers]


def _parts(group: Group) -> list[Part]:
    parts = (group.first, group.outer, group.opener, *group.body, group.closer)
    return [part for part in parts if part is not None]
