"""Classify single lines of a stream, and read sections of a few lines.

A line that is exact gets the grammar's name for it; any other line gets the name that the repair
rules have for it (see `kinds`). The strict parser alone decides what the lines mean and whether
they fit together.

Cost: most lines of a text are content, so the first test of a line is one regular expression
(`LineClassifier.words`). Repair rules are tried only for lines that fail it, and the results for
short lines are remembered, because lines such as a lone brace come again and again.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Section
from ..grammar.dialect import Dialect
from ..grammar.mistakes import NO_CLOSER, load_tagged
from ..patterns.regexes import Match, compile_pattern, escape
from ..recovery.engines.choice import read_kinds
from ..recovery.lines.kinds import FENCE, Kind
from ..recovery.lines.lexer import LineLexer
from ..recovery.lines.prose import looks_like_prose, merge_runs
from ..recovery.lines.spelling import Candidate
from ..repairs.engine import RepairEngine
from ..strict.builder import Builder, brief_makers
from ..strict.parser import parse
from ..text.diagnostics import ParseError
from ..text.source import Span, size
from . import kinds
from .incoming import PlacedLine

_BLANKS = " \t\n"
# Characters of a line. A longer line is never repaired: it is content, such as minified code.
_MAX_LINE = 2_000
# Characters of a line. A longer line is never nearly a delimiter, whatever the rules make of it.
_MAX_DELIMITER = 24
# Short lines whose kinds are remembered. It bounds memory: at 24 characters, about 1.5 MB.
_MAX_REMEMBERED = 10_000


class Token:
    """A line and its kinds, which are computed when they are used: most lines need none.

    Args:
        line: The line with its position.
        classifier: Classifies it.

    Attributes:
        line: The line with its position.
        text: The text of the line, with a line feed.
        bare: The text without blanks at its end.
    """

    __slots__ = ("_classifier", "bare", "line", "text")

    def __init__(self, line: PlacedLine, classifier: LineClassifier) -> None:
        self.line = line
        self.text = line.text
        self.bare = line.text.rstrip(_BLANKS)
        self._classifier = classifier

    def with_text(self, text: str) -> Token:
        """Return a token for another text, without a line feed, at the position of this line."""
        return Token(self.line._replace(text=text + "\n"), self._classifier)

    def candidate(self, role: str) -> Candidate | None:
        """Return the line as the repair rules rewrite it.

        Args:
            role: The role of the line, such as "head" or "close".

        Returns:
            The repaired text, which may be several lines; None if no rule gives one.
        """
        repairer = self._classifier.engine.repairer
        return repairer.candidate(self.text.removesuffix("\n"), role)

    @property
    def kind(self) -> str:
        """The kind of an exact line: `blank`, `open`, `close` or the name of its rule; else ""."""
        if not self.bare:
            return "blank"
        if self.bare in self._classifier.dialect.fences:
            return "open"
        if self.bare in self._classifier.dialect.closers:
            return "close"
        return self._classifier.exact_rule(self.text)

    def kind_in(self, section: str) -> str:
        """Return the kind of an exact line below an open section; else "".

        Args:
            section: The name of the section; "" if none is open.
        """
        # Reasoning is free text: a line of it may look like the beginning of another section.
        if section == "reasoning" and self.kind not in ("blank", "open", "close"):
            return "thought" if self._classifier.is_thought(self.text) else self.kind
        return self.kind

    @property
    def near(self) -> Kind:
        """The kind of a line that is not exact, by the repair rules."""
        return self._classifier.near_kind(self.text)

    @property
    def near_closer(self) -> str:
        """The kind of a line that may close a block though it is not the closer; else "".

        Such lines are nearly a closing delimiter, or close another block, or end a Markdown fence.
        """
        return self._classifier.near_closer(self.text)

    @property
    def is_words(self) -> bool:
        """Whether a line is certainly neither exact markup nor nearly a closing delimiter.

        False does not mean that it is one of these. The test is fast and decides most lines.
        """
        return self._classifier.words.match(self.text) is not None and not self.near_closer

    @property
    def is_head(self) -> bool:
        """Whether a line is an action's head, exactly or nearly."""
        return self.kind in kinds.HEADS or self.near in kinds.NEAR_HEADS

    @property
    def is_prose(self) -> bool:
        """Whether a line is certainly a sentence for people."""
        return looks_like_prose(self.text)

    @property
    def fence(self) -> Match | None:
        """The match of a Markdown fence with the groups `run`, its characters, and `info`."""
        return FENCE.fullmatch(self.text.rstrip("\n"))

    @property
    def after_closer(self) -> str:
        """What follows a closing delimiter on its line.

        "glued": an action; "near": a remark; "": it is not such a line.
        """
        kind = self.near.whole
        if kind in kinds.GLUED:
            return "glued"
        return "near" if kind is Kind.TEXT_CLOSE else ""

    @property
    def content_before_closer(self) -> list[str]:
        """The lines of content on a line that nearly ends with a closing delimiter; else none."""
        spelling = self.candidate("close") if self.near is Kind.LAST_TEXT else None
        return spelling.text.split("\n")[:-1] if spelling is not None else []

    @property
    def leaning(self) -> float:
        """The cost of a line as an opening delimiter minus its cost as a closing one.

        Below 0 the line is more like an opener; 0 also if it can only be one of the two.
        """
        opening = self.candidate("open")
        closing = self.candidate("close")
        if opening is None or closing is None:
            return 0.0
        return opening.cost - closing.cost

    @property
    def delimiters(self) -> tuple[str, str]:
        """The opener and the closer that a line nearly is or contains.

        Each is "" where its length is not certain: in dialects with fences of several lengths, the
        closer must be as long as the opener.
        """
        if "fences" not in self._classifier.dialect.forms:
            return "", ""
        return self._classifier.lexer.delimiters(self.near, self.text.removesuffix("\n"))


class LineClassifier:
    """Classifies the lines of one dialect and reads sections of a few lines.

    Args:
        dialect: The dialect.
        engine: The repair engine of the dialect.

    Attributes:
        dialect: The dialect.
        engine: Its repair engine.
        lexer: Classifies lines by the repair rules.
        words: Matches the beginning of a line that is certainly neither exact markup nor begins
            with a delimiter.
        run_of_words: Matches such lines and blank ones before them, all that follow each other.
    """

    def __init__(self, dialect: Dialect, engine: RepairEngine) -> None:
        self.dialect = dialect
        self.engine = engine
        self.lexer = LineLexer(dialect, engine.repairer)
        # The builder and not its makers, which are closures: a stream can be pickled.
        self._builder = Builder(Span, Span, dialect.marks, dialect.own)
        self._thought = None
        if "thought" in dialect.rules:
            self._thought = compile_pattern(dialect.line_patterns["thought"])
        self._begins = frozenset(mark[0] for mark in dialect.marks.values())
        words = self._words_pattern()
        self.words = compile_pattern(words)
        self.run_of_words = compile_pattern(rf"(?:(?:[ \t]*\r?\n)*{words}[^\n]*\n)+")
        self._joins: bool | None = None  # None: not asked yet
        self._short: dict[str, Kind] = {}
        self._harmless: set[str] = set()  # short lines that are not nearly closers
        rules = dialect.rules - ({"thought"} if "lines" not in dialect.forms else set())
        self._follows: dict[str, frozenset[str]] = {}
        for section, names in kinds.FOLLOWS.items():
            self._follows[section] = frozenset(names) & rules

    def _words_pattern(self) -> str:
        """Return the regular expression for the beginning of a line of words.

        In v2 it matches "x = 1" by its first branch, and "> a" by its second. It does not match a
        thought, an opener, the choice "  1. a" or a Markdown fence.
        """
        dialect = self.dialect
        # Most lines begin with a character that begins no mark, no choice (a digit)
        # and no Markdown fence: the first branch decides them without looking further.
        signs = escape("".join(sorted(self._begins)))
        plain = rf"[ \t]*[^\s\d`~{signs}]"
        # Others are words if the grammar matches no line there, and they begin with no delimiter.
        delimiters = "|".join(map(escape, sorted({*dialect.fences, *dialect.closers})))
        markup = rf"{dialect.line_pattern.pattern}|[ \t]*(?:{delimiters})"
        return rf"(?:{plain}|(?!{markup})[ \t]*[^\s`~])"

    # ---- single lines

    def exact_rule(self, text: str) -> str:
        """Return the name of the rule that a line is exactly; else "".

        Args:
            text: The line with its line feed; not blank.
        """
        first = text.lstrip(" \t")[0]
        # The pattern of all lines is long: most lines are decided by their first character.
        may_match = first in self._begins or first.isdigit() or self.dialect.own_sections
        match = self.dialect.line_pattern.fullmatch(text) if may_match else None
        return str(match.lastgroup) if match else ""

    def is_thought(self, text: str) -> bool:
        """Return whether a line of reasoning is a thought."""
        return self._thought is not None and self._thought.fullmatch(text) is not None

    def near_kind(self, text: str) -> Kind:
        """Return the kind of a line that is not exact, by the repair rules.

        Args:
            text: The line with its line feed.
        """
        kind = self._short.get(text)
        if kind is None:
            kind = Kind.TEXT
            if size(text) <= _MAX_LINE:
                kind = self.lexer.kind_of(text.removesuffix("\n"))
            if len(text) <= _MAX_DELIMITER and len(self._short) < _MAX_REMEMBERED:
                self._short[text] = kind
        return kind

    def near_closer(self, text: str) -> str:
        """Return the kind of a line that may close a block though it is not the closer; else "".

        Args:
            text: The line with its line feed.
        """
        bare = text.strip(_BLANKS)
        if size(text) > _MAX_DELIMITER or not self._may_close(bare, text.removesuffix("\n")):
            return ""
        kind = self.near_kind(text)
        return kind if kind in kinds.NEAR_CLOSERS else ""

    def _may_close(self, bare: str, line: str) -> bool:
        """Return whether a line is a fence or a delimiter, or the rules make a closer of it."""
        if bare in self.dialect.closers or bare.startswith(("```", "~~~")):
            return True
        repairer = self.engine.repairer
        # Only the rules that close a block are asked, not those of all roles: most lines fail here.
        spelling = repairer.candidate(line, "close") if repairer.may_close(line) else None
        return spelling is not None and spelling.text.split("\n")[-1] in self.dialect.closers

    def count_harmless(self, lines: Sequence[str]) -> int:
        """Return the number of lines before the first that is nearly a closer.

        Args:
            lines: Lines without their line feeds.
        """
        harmless = self._harmless
        for place, line in enumerate(lines):
            # In JavaScript, `len` counts some characters twice. It is quicker than `size`.
            if len(line) > 2 * _MAX_DELIMITER or line in harmless:
                continue
            if size(line) <= _MAX_DELIMITER:
                if self.near_closer(line.removesuffix("\r") + "\n"):
                    return place
                if len(harmless) < _MAX_REMEMBERED:
                    harmless.add(line)
        return len(lines)

    # ---- lines together

    def follows(self, kind: str, section: str, text: str) -> bool:
        """Return whether a line continues the section that is open above it.

        Args:
            kind: The kind of the line, if it is exact.
            section: The name of the section.
            text: The line with its line feed.
        """
        if kind not in self._follows.get(section, ()):
            return False
        return kind != "vitals" or self._joins_vitals(text)

    def grows(self, section: str, text: str) -> bool:
        """Return whether any line at all may continue a section.

        Args:
            section: The name of the section.
            text: Its first line with the line feed.
        """
        if not self._follows.get(section):
            return False
        return section != "vitals" or self._joins_vitals(text)

    def _joins_vitals(self, text: str) -> bool:
        """Return whether two lines of vitals are one section: the grammar decides."""
        if self._joins is None:
            makers = self._builder.makers
            joined = self.dialect.compiled.read_line(text + text, "vitals", makers)
            self._joins = joined is not None
        return self._joins

    def read(self, text: str) -> list[Section]:
        """Return the sections of a few lines, as the strict parser reads them.

        Args:
            text: The lines.

        Returns:
            The sections; none if the strict parser refuses the text.
        """
        builder = self._builder
        # Compiled patterns read most sections. What they do not read is left to the parser.
        makers = builder.makers
        sections, done = self.dialect.compiled.read_sections(text, makers, brief_makers(builder))
        if done == len(text):
            return sections
        try:
            return list(parse(text, self.dialect).sections)
        except ParseError:
            return []

    def find_end(self, above: Sequence[str], text: str) -> int | None:
        """Find the end of a block whose closer is missing, as recovery would read the whole text.

        Args:
            above: The kinds of the lines before the text: of the action, the opener, the content.
            text: The lines that may be content, or come after the block.

        Returns:
            The offset in the text before which the block ends; None if all of it is content.
        """
        lines = merge_runs(text, self.lexer.read(text))
        steps = read_kinds(self.dialect, [*above, *(line.kind for line in lines)])[0].steps
        no_closer = load_tagged(self.dialect)[NO_CLOSER]
        following = zip(lines, steps[len(above) :], strict=True)
        for line, step in following:
            if not no_closer.isdisjoint(step.before):
                return line.start
        return None
