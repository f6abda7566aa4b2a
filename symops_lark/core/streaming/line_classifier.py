"""What a line can be in a stream: the grammar's word for lines that are exact, the repairs' word for the others.

What the lines mean, and whether they fit together, only the strict parser says.
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
_LONGEST = 2_000  # characters; a longer line is not respelt
_LONGEST_DELIMITER = 24
_MEMORY = 10_000  # short lines whose kinds are remembered


class Token:
    """A line and what it can be. Its kinds are told when they are asked for: most lines need none."""

    __slots__ = ("_classifier", "bare", "line", "text")

    def __init__(self, line: PlacedLine, classifier: LineClassifier) -> None:
        self.line, self.text, self.bare = line, line.text, line.text.rstrip(_BLANKS)
        self._classifier = classifier

    def respelt(self, text: str) -> Token:
        """Return another text in the place of the line."""
        return Token(self.line._replace(text=text + "\n"), self._classifier)

    def candidate(self, role: str) -> Candidate | None:
        """Return the line respelt for a role, or None if it cannot be."""
        repairer = self._classifier.engine.repairer
        return repairer.candidate(self.text.removesuffix("\n"), role)

    @property
    def kind(self) -> str:
        """The kind of a line that is exact: `blank`, `open`, `close`, the name of its rule; else ""."""
        if not self.bare:
            return "blank"
        if self.bare in self._classifier.dialect.fences:
            return "open"
        if self.bare in self._classifier.dialect.closers:
            return "close"
        return self._classifier.exact_rule(self.text)

    def kind_in(self, section: str) -> str:
        """Return the kind of a line that is exact where a section is open above it; else ""."""
        if section == "reasoning" and self.kind not in ("blank", "open", "close"):
            return "thought" if self._classifier.is_thought(self.text) else self.kind
        return self.kind

    @property
    def near(self) -> Kind:
        """The kind of a line that is not exact, by the repair rules (a kind of `recovery`)."""
        return self._classifier.near_kind(self.text)

    @property
    def near_closer(self) -> str:
        """The kind of a line that is nearly a closing delimiter, or one of another block, or a fence's end; else ""."""
        return self._classifier.near_closer(self.text)

    @property
    def is_words(self) -> bool:
        """Whether a line is surely neither exact markup nor nearly a closing delimiter: told fast, for most lines."""
        return self._classifier.words.match(self.text) is not None and not self.near_closer

    @property
    def is_head(self) -> bool:
        """Whether a line is an action's head, exactly or nearly."""
        return self.kind in kinds.HEADS or self.near in kinds.NEAR_HEADS

    @property
    def is_prose(self) -> bool:
        """Whether a line is surely a sentence for people."""
        return looks_like_prose(self.text)

    @property
    def fence(self) -> Match | None:
        """The match of a Markdown fence: its characters, and what stands behind them."""
        return FENCE.fullmatch(self.text.rstrip("\n"))

    @property
    def behind_closer(self) -> str:
        """What stands behind a closing delimiter on its line: "glued": an action, "near": a remark; or ""."""
        kind = self.near.whole
        return "glued" if kind in kinds.GLUED else "near" if kind is Kind.TEXT_CLOSE else ""

    @property
    def content_before_closer(self) -> list[str]:
        """The content on a line that nearly ends with a closing delimiter, if it is such a line."""
        spelling = self.candidate("close") if self.near is Kind.LAST_TEXT else None
        return spelling.text.split("\n")[:-1] if spelling is not None else []

    @property
    def leaning(self) -> float:
        """What a line costs as an opening delimiter beyond what it costs as a closing one: below 0 it opens."""
        opening, closing = self.candidate("open"), self.candidate("close")
        return opening.cost - closing.cost if opening is not None and closing is not None else 0.0

    @property
    def delimiters(self) -> tuple[str, str]:
        """The opening and the closing delimiter that a line nearly is or holds, if their lengths are sure; else ""."""
        if "fences" not in self._classifier.dialect.forms:
            return "", ""
        return self._classifier.lexer.delimiters(self.near, self.text.removesuffix("\n"))


class LineClassifier:
    """Tells the kinds of single lines of one dialect, and reads sections of a few lines."""

    def __init__(self, dialect: Dialect, engine: RepairEngine) -> None:
        self.dialect = dialect
        self.engine = engine
        self.lexer = LineLexer(dialect, engine.repairer)
        self._builder = Builder(Span, Span, dialect.marks, dialect.own)  # and not its makers: a stream can be pickled
        self._thought = compile_pattern(dialect.line_patterns["thought"]) if "thought" in dialect.rules else None
        self._begins = frozenset(mark[0] for mark in dialect.marks.values())
        # Most lines begin as no mark does; of others, those are words that are neither markup nor begin as a delimiter.
        delimiters = "|".join(map(escape, sorted({*dialect.fences, *dialect.closers})))
        words = rf"[ \t]*[^\s\d`~{escape(''.join(sorted(self._begins)))}]"
        words = rf"(?:{words}|(?!{dialect.line_pattern.pattern}|[ \t]*(?:{delimiters}))[ \t]*[^\s`~])"
        self.words = compile_pattern(words)
        self.run_of_words = compile_pattern(rf"(?:(?:[ \t]*\r?\n)*{words}[^\n]*\n)+")
        self._joins: bool | None = None
        self._short: dict[str, Kind] = {}
        self._harmless: set[str] = set()  # short lines that are not nearly closers
        rules = dialect.rules - ({"thought"} if "lines" not in dialect.forms else set())
        self._follows = {section: frozenset(names) & rules for section, names in kinds.FOLLOWS.items()}

    # ---- single lines

    def exact_rule(self, text: str) -> str:
        """Return the name of the rule that a line is exactly; else ""."""
        first = text.lstrip(" \t")[0]
        known = first in self._begins or first.isdigit() or self.dialect.own_sections
        match = self.dialect.line_pattern.fullmatch(text) if known else None
        return str(match.lastgroup) if match else ""

    def is_thought(self, text: str) -> bool:
        """Return whether a line of reasoning is a thought."""
        return self._thought is not None and self._thought.fullmatch(text) is not None

    def near_kind(self, text: str) -> Kind:
        """Return the kind of a line that is not exact, by the repair rules; those of short lines are remembered."""
        kind = self._short.get(text)
        if kind is None:
            kind = self.lexer.kind_of(text.removesuffix("\n")) if size(text) <= _LONGEST else Kind.TEXT
            if len(text) <= _LONGEST_DELIMITER and len(self._short) < _MEMORY:
                self._short[text] = kind
        return kind

    def near_closer(self, text: str) -> str:
        """Return the kind of a line that is nearly a closing delimiter, or one of another block, or a fence's end."""
        bare = text.strip(_BLANKS)
        if size(text) > _LONGEST_DELIMITER or not self._may_close(bare, text.removesuffix("\n")):
            return ""
        kind = self.near_kind(text)
        return kind if kind in kinds.NEAR_CLOSERS else ""

    def _may_close(self, bare: str, line: str) -> bool:
        """Return whether a line is a fence or a delimiter, or the rules make one that closes of it: most lines fail."""
        if bare in self.dialect.closers or bare.startswith(("```", "~~~")):
            return True
        repairer = self.engine.repairer
        spelling = repairer.candidate(line, "close") if repairer.may_close(line) else None
        return spelling is not None and spelling.text.split("\n")[-1] in self.dialect.closers

    def count_harmless(self, lines: Sequence[str]) -> int:
        """Return how many lines stand before the first that is nearly a closer; they are without their line feeds."""
        known = self._harmless
        for place, line in enumerate(lines):
            if size(line) <= _LONGEST_DELIMITER and line not in known:
                if self.near_closer(line.removesuffix("\r") + "\n"):
                    return place
                if len(known) < _MEMORY:
                    known.add(line)
        return len(lines)

    # ---- lines together

    def follows(self, kind: str, section: str, text: str) -> bool:
        """Return whether a line goes on with the section that is open above it."""
        return kind in self._follows.get(section, ()) and (kind != "vitals" or self._joins_vitals(text))

    def grows(self, section: str, text: str) -> bool:
        """Return whether any line at all may go on with a section that begins with this one."""
        return bool(self._follows.get(section)) and (section != "vitals" or self._joins_vitals(text))

    def _joins_vitals(self, text: str) -> bool:
        """Return whether two lines of vitals are one section: the grammar says it."""
        if self._joins is None:
            self._joins = self.dialect.compiled.read_line(text + text, "vitals", self._builder.makers) is not None
        return self._joins

    def read(self, text: str) -> list[Section]:
        """Return the sections that a few lines are, as the strict parser reads them; none if it refuses."""
        builder = self._builder
        sections, done = self.dialect.compiled.read_sections(text, builder.makers, brief_makers(builder))
        if done == len(text):
            return sections
        try:
            return list(parse(text, self.dialect).sections)
        except ParseError:
            return []

    def find_end(self, above: Sequence[str], text: str) -> int | None:
        """Return the offset in a text before which a block ends that nothing closes, as the whole text would be read.

        `above` are the kinds of the lines before: of the action, the opener, the content.
        """
        lines = merge_runs(text, self.lexer.read(text))
        steps = read_kinds(self.dialect, [*above, *(line.kind for line in lines)])[0].steps
        no_closer = load_tagged(self.dialect)[NO_CLOSER]
        following = zip(lines, steps[len(above) :], strict=True)
        return next((line.start for line, step in following if not no_closer.isdisjoint(step.before)), None)
