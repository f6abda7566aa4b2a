"""Make a document of any text: the minimum-cost parse, with every mistake that it assumes.

The steps are: the strict parser, whose document is returned unchanged at price 0; and the outline
(`reading`), whose groups become sections here.

Invariants
    1. No `str` makes `recover` raise (`tests/test_laws.py`).
    2. Nothing is left out without a diagnostic: `skip` makes all skipped sections, and it requires
       the diagnostic that reports them.
    3. Each mistake of the outline becomes one diagnostic at its line; the codes, prices and
       sentences come from the recovery grammar.
    4. The confidence of an action depends only on its own mistakes.
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
from .lines.kinds import OWN, text_of
from .lines.spelling import LineRepairer, NoRepairer
from .outline.groups import Group, Part
from .outline.heads import HeadReader
from .outline.outline import Outline
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
    """Read any text in one dialect, with the fewest and cheapest mistakes.

    Args:
        text: The text, with any line endings.
        format: The name of a dialect, the path of its grammar, or the dialect.
        repairer: Rewrites misspelled lines; None: they are plain text.
        cut_off: Whether the reply was truncated (a finish reason of "length"). None: it was if its
            last line is not finished.
        known_broken: Whether the strict parser is known to refuse the text; it is then not run.
        engine: "automaton" or "earley"; None takes the automaton if the recovery grammar is
            left-linear. Both give the same document. `recovery.engines` says what happens if a text
            is too long for Earley.

    Returns:
        The document. It carries the price of the reading (0 if the text is valid), and a diagnostic
        for each mistake. Spans refer to the text.

    Raises:
        GrammarError: There is no such dialect, or this engine cannot run its recovery grammar.
        ValueError: There is no such engine.
    """
    dialect = load_dialect(format)
    if not known_broken:
        document = parse_valid(text, dialect)
        if document is not None:
            return document
    repairer = repairer or NoRepairer()
    endings = LineEndings(text)
    outline = read_outline(endings.plain, dialect, repairer, engine=engine)
    return build_document(outline, endings, dialect, repairer, cut_off)


def build_document(
    outline: Outline,
    endings: LineEndings,
    dialect: Dialect,
    repairer: LineRepairer,
    cut_off: bool | None = None,
) -> Document:
    """Return the document of an outline.

    Args:
        outline: The outline of the plain text.
        endings: The text, with its line endings.
        dialect: The dialect.
        repairer: Rewrites misspelled lines.
        cut_off: Whether the reply was truncated; None to judge by the last line.
    """
    if cut_off is None:
        cut_off = outline.cut_off
    builder = _SectionBuilder(dialect, endings, repairer, cut_off)
    lost = find_lost(outline.groups, builder.heads)
    at_end = _missing_at_end(outline)
    # A long text has many groups: each is released after its sections are made. The last group is
    # popped first, so the list is reversed.
    groups = outline.groups[::-1]
    outline = replace(outline, parts=())
    sections = []
    while groups:
        sections += builder.build(groups.pop())
    for code, start, end in at_end:
        builder.diagnose(code, builder.span(start, end))
    for start, end in lost:
        builder.diagnose(LOST_ACTION, builder.span(start, end))
    if outline.note:
        # The text was too long for the named engine, which concerns no line of it.
        note = Diagnostic(EARLEY_LIMIT, outline.note, builder.span(0, 0), Severity.WARNING)
        builder.diagnostics.append(note)
    if "lines" in dialect.forms:  # vitals have one line for each value there
        sections = _join_vitals(sections, endings.text)
    diagnostics = tuple(builder.diagnostics)
    return read_marks(Document(tuple(sections), dialect.name, outline.price, diagnostics))


class _SectionBuilder:
    """Builds the sections of groups, and collects their diagnostics."""

    def __init__(
        self, dialect: Dialect, endings: LineEndings, repairer: LineRepairer, cut_off: bool
    ) -> None:
        self.dialect = dialect
        self.endings = endings
        self.text = endings.plain
        self.source = Source(endings.text)
        self.heads = HeadReader(dialect, repairer, self.text)
        self.cut_off = cut_off
        self.mistakes = load_mistakes(dialect)
        self.no_closer = load_tagged(dialect)[NO_CLOSER]
        self.end_of_text = len(self.text.rstrip())  # where the text may be truncated
        self.diagnostics: list[Diagnostic] = []

    def build(self, group: Group) -> list[Section]:
        """Build the sections of one group, and report its mistakes."""
        span = self.span(group.first.line.start, group.end)
        diagnostics = self._report(group, span)
        match group.role:
            case "head" | "section" if group.first.line.kind in OWN:
                return [self._custom(group, span)]
            case "head":
                return [self._action(group, span)]
            case "drop":
                return [self._skipped(group, diagnostics)]
            case "thought" | "reason":
                return self._thoughts(group)
            case "ask":
                return self._one_line(group, "question", span)
            case role:
                return self._one_line(group, role, span)

    def _skipped(self, group: Group, diagnostics: list[Diagnostic]) -> Section:
        """Build the section of skipped text, with the diagnostic that reports it."""
        first = group.first.line
        last = group.following[-1].line if group.following else first
        span = self.span(first.start, last.stop)
        for diagnostic in diagnostics:
            if diagnostic.code == group.code:
                return skip(self.source, span, diagnostic)
        # A custom recovery grammar may skip text without a mistake: it is reported anyway.
        diagnostic = self.diagnose(group.code, self._span(group.first))
        return skip(self.source, span, diagnostic)

    def _thoughts(self, group: Group) -> list[Section]:
        """Build one thought for each line of a group."""
        wrapped: list[Section] = []
        for part in group.following:
            start = part.line.start
            lines = text_of(part.line, self.text).split("\n")
            for line in lines:
                end = start + len(line)
                thought = line.strip()
                if thought:
                    wrapped.append(Thought(thought, self.span(start, end)))
                start = end + 1
        span = self._span(group.first)
        if group.role == "thought":
            first = self._one_line(group, "thought", span)
            return first + wrapped
        # A heading over thoughts. The rules may move text on its line to lines below it:
        # `<think>so` becomes `<think>`, `so`.
        lines = self.heads.spelt(group.first, "reason").split("\n")
        moved: list[Section] = []
        for line in lines[1:]:
            thought = line.strip()
            if thought:
                moved.append(Thought(thought, span))
        if moved:
            return moved + wrapped
        if not wrapped:
            return [self._unreadable(span)]
        # The heading has no text, so its line belongs to the first thought: no text is left over.
        end = wrapped[0].span.end
        wrapped[0] = replace(wrapped[0], span=replace(span, end=end))
        return wrapped

    def _one_line(self, group: Group, rule: str, span: Span) -> list[Section]:
        """Build a section of one line, or a question with its choices.

        Args:
            group: The group.
            rule: The rule of the strict grammar that the rewritten line must match.
            span: The span of the section.
        """
        text = self.heads.spelt(group.first, group.role)
        if rule == "question":
            for part in group.following:
                choice = self._text(self._span(part))
                # The strict grammar reads only indented lines as choices.
                if choice[:1] not in (" ", "\t"):
                    choice = "  " + choice
                text += "\n" + choice
        node = self.heads.parse(text, rule)
        if isinstance(node, Thought | Vitals | Question | ErrorNote):
            return [replace(node, span=span)]
        return [self._unreadable(span)]

    def _action(self, group: Group, span: Span) -> Section:
        """Build an action; skipped text if the strict grammar refuses its rewritten head."""
        # `HeadReader` parses by the strict grammar, so recovery never accepts what it refuses.
        action = self.heads.action(group)
        if action is None:
            skipped = self._unreadable(span)
            # A head at the end of the text is truncated, which is reported there.
            if group.opened or group.end < self.end_of_text:
                self.diagnose(LOST_ACTION, self._span(group.first))
            return skipped
        content: str | None = None
        content_span: Span | None = None
        if group.opened:
            content, content_span = self._content(group)
        return replace(
            action,
            content=content,
            confidence=self._confidence(group),
            span=span,
            content_span=content_span,
            completeness=group.judge_completeness(self.cut_off),
        )

    def _custom(self, group: Group, span: Span) -> Section:
        """Build a custom section; skipped text if the strict grammar refuses it."""
        content: str | None = None
        if group.opened:
            content, _ = self._content(group)
        node = self.heads.own_section(group.first, content)
        if node is None:
            return self._unreadable(span)
        return replace(
            node,
            text=self._text(span).rstrip("\r\n"),
            confidence=self._confidence(group),
            completeness=group.judge_completeness(self.cut_off),
            span=span,
        )

    def _content(self, group: Group) -> tuple[str, Span]:
        """Return the content of a block, with the caller's line endings, and its span.

        A line of the content that shares its line with a delimiter belongs to the content, but not
        to the span: in `<<< x = 1` the rules split the delimiter from `x = 1`.
        """
        body = group.content_parts()
        text = ""
        if group.opener is not None:
            ending = self.endings.ending(group.opener.line.stop)
            lines = self.heads.spelt(group.opener, "open").split("\n")
            for line in lines[1:]:
                text += line + ending
        if body:
            first = body[0].line
            last = body[-1].line
            span = self.span(first.start, last.stop)
            text += self.endings.cut(first.start, last.end)
        else:
            # An empty content has an empty span, where its first line would be.
            above = group.opener or group.first
            end = above.line.end
            span = self.span(end, end)
        if group.closer is not None:
            lines = self.heads.spelt(group.closer, "close").split("\n")
            for line in lines[:-1]:
                text += line + "\n"
        text = text.removesuffix("\n")
        return text.rstrip("\r"), span

    def _confidence(self, group: Group) -> float:
        """Return the confidence of an action or a custom section."""
        cost = price_to_cost(self._price(group))
        return action_confidence(cost)

    def _price(self, group: Group) -> int:
        """Return the price of a section's own mistakes.

        The recovery grammar charges a missing closer to the line after the block, where it notices
        that. Here it counts for the section that lacks the closer.
        """
        prices = [part.step.price for part in _parts(group)]
        before = group.first.step.before
        if self.no_closer.intersection(before):
            for code in before:
                prices[0] -= self.mistakes[code].price
        if group.missing:
            prices.append(self.mistakes[UNCLOSED_BLOCK].price)
        if group.suspect:
            prices.append(self.mistakes[group.doubt].price)
        # Smaller prices are preferences between equal readings, not mistakes.
        mistakes = [price for price in prices if price >= MISTAKE]
        return sum(mistakes)

    def _report(self, group: Group, span: Span) -> list[Diagnostic]:
        """Report the mistakes of a section, in the order of the text, and return them."""
        start = len(self.diagnostics)
        parts = [*_parts(group), *group.following, *group.gaps]
        # Most lines have no mistake: they are left out before sorting.
        parts = [part for part in parts if part.step.mistakes or part.step.before]
        for part in sorted(parts, key=lambda part: part.line.start):
            for code in part.step.before:
                # A missing closer is reported at the end of its block, below.
                if code not in self.no_closer:
                    self.diagnose(code, self._span(part))
            for code in part.step.mistakes:
                self.diagnose(code, self._span(part))
        if group.missing:
            end = self.source.span(span.end, span.end)
            self.diagnose(group.missing, end)
        if group.suspect:
            self.diagnose(group.doubt, span)
        return self.diagnostics[start:]

    def _unreadable(self, span: Span) -> Section:
        """Skip text that began as a section but is not one, and report that."""
        diagnostic = self.diagnose(UNREADABLE_SECTION, span)
        return skip(self.source, span, diagnostic)

    def diagnose(self, code: str, span: Span) -> Diagnostic:
        """Report one mistake at its span, and return the diagnostic."""
        diagnostic = self.mistakes[code].diagnose(span)
        self.diagnostics.append(diagnostic)
        return diagnostic

    def span(self, start: int, end: int) -> Span:
        """Return the span in the caller's text of two offsets of the plain text."""
        return self.endings.span(self.source, start, end)

    def _span(self, part: Part) -> Span:
        """Return the span of a line."""
        return self.span(part.line.start, part.line.stop)

    def _text(self, span: Span) -> str:
        """Return the caller's text of a span."""
        return self.source.text[span.start : span.end]


def _join_vitals(sections: list[Section], text: str) -> list[Section]:
    """Join vitals on neighboring lines, as the strict parser does in dialects with tagged lines."""
    joined: list[Section] = []
    for section in sections:
        above = joined[-1] if joined else None
        if isinstance(section, Vitals) and isinstance(above, Vitals):
            line_count = text.count("\n", above.span.end, section.span.start)
            if line_count == 1:
                values = {**above, **section}
                span = replace(above.span, end=section.span.end)
                section = Vitals(tuple(values.items()), span)
                joined.pop()
        joined.append(section)
    return joined


def _missing_at_end(outline: Outline) -> list[tuple[str, int, int]]:
    """Return the codes of what is missing at the end of the text, and the offsets of its section.

    A missing closer is not among them: its group reports it.
    """
    if not outline.groups:
        return [(code, 0, 0) for code in outline.at_end]
    closers = {group.missing for group in outline.groups if group.at_end}
    last = outline.groups[-1]
    start = last.first.line.start
    return [(code, start, last.end) for code in outline.at_end if code not in closers]


def _parts(group: Group) -> list[Part]:
    """Return the lines of a section whose prices are its own."""
    # In the order of the text; the first price is that of the head, see `_price`.
    parts = (group.first, group.outer, group.opener, *group.body, group.closer)
    return [part for part in parts if part is not None]
