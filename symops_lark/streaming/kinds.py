"""What a line can be in a stream: the grammar's word for lines that are exact, the repairs' word for the others.

The tables say which line begins which section, and which may follow in it. What the lines mean, and whether they fit
together, only the strict parser says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..document import Section
from ..errors import ParseError
from ..grammar.dialect import Dialect
from ..recovery.engines import read_kinds
from ..recovery.kinds import SPLIT
from ..recovery.lexer import LineLexer
from ..recovery.outline import CLOSER_MISSING
from ..recovery.prose import looks_like_prose, merge_runs
from ..recovery.spelling import Candidate
from ..repairs import RepairEngine
from ..source import Span
from ..strict.builder import Builder
from ..strict.parser import parse

BLANKS = " \t\r\n"

# The section that a line of the grammar begins, and the lines that may go on with it.
BEGINS: Mapping[str, str] = {
    "thought": "thought",
    "_reason_line": "reasoning",
    "vitals": "vitals",
    "ask": "question",
    "error": "error",
    "head": "action",
    "verb_line": "action",
    "run_line": "action",
}
_FOLLOWS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("thought",),
    "vitals": ("vitals",),
    "question": ("choice",),
    "action": ("path_line", "command_line", "depends_line", "attribute"),
}
HEADS = frozenset(rule for rule, section in BEGINS.items() if section == "action")
PARTS = frozenset(_FOLLOWS["action"])

# The role for which a line that is nearly something is respelt, by its kind (see `lines`).
ROLES: Mapping[str, str] = {
    "NEAR_THOUGHT": "thought",
    "NEAR_VITALS": "vitals",
    "NEAR_ASK": "ask",
    "NEAR_ERROR": "error",
    "NEAR_CHOICE": "choice",
    "NEAR_ATTRIBUTE": "attribute",
    "NEAR_REASONING": "reason",
    "NEAR_ACTION": "head",
    "NEAR_COMMAND": "head",
    "ACTION_OPEN": "head",
    "CLOSE_ACTION": "head",
    "CLOSE_COMMAND": "head",
    "BARE_ACTION": "head",
    "BARE_COMMAND": "head",
    "NEAR_OPEN": "open",
    "TEXT_OPEN": "open",
    "NEAR_DELIM": "open",
    "TEXT_DELIM": "open",
}
_NEAR_HEADS = frozenset(("NEAR_ACTION", "ACTION_OPEN", "CLOSE_ACTION"))
_NEAR_CLOSERS = frozenset(("NEAR_CLOSE", "NEAR_DELIM", "TEXT_CLOSE", "CLOSE"))
_LONGEST = 2_000  # characters; a longer line is not respelt
_LONGEST_DELIMITER = 24
_MEMORY = 10_000  # short lines whose kinds are remembered


class LineClassifier:
    """Tells the kinds of single lines of one dialect, respells them, and reads sections of a few lines."""

    def __init__(self, dialect: Dialect, engine: RepairEngine) -> None:
        self.dialect = dialect
        self.engine = engine
        self.reader = LineLexer(dialect, engine.repairer)
        self._builder = Builder(Span, Span, dialect.marks)
        self._pattern = dialect.line_pattern
        self._thought = re.compile(dialect.line_patterns["thought"]) if "thought" in dialect.rules else None
        self._begins = frozenset(mark[0] for mark in dialect.marks.values())
        begins = re.escape("".join(sorted(self._begins)))
        self._words = re.compile(rf"[ \t]*[^\s\d{begins}]")
        self._joins: bool | None = None
        self._short: dict[str, str] = {}
        rules = dialect.rules - ({"thought"} if "lines" not in dialect.forms else set())
        self._follows = {section: frozenset(names) & rules for section, names in _FOLLOWS.items()}

    def tell(self, text: str, section: str = "") -> str:
        """Give the kind of a line (with its ending) that is exact: `blank`, `open`, `close`, the name of its rule.

        `section` is the one that is open above it. Gives "" for any other line.
        """
        bare = text.rstrip(BLANKS)
        if not bare:
            return "blank"
        if bare in self.dialect.fences:
            return "open"
        if bare in self.dialect.closers:
            return "close"
        if section == "reasoning" and self._thought is not None and self._thought.fullmatch(text):
            return "thought"
        first = bare.lstrip(" \t")[0]
        if first not in self._begins and not first.isdigit():
            return ""
        match = self._pattern.fullmatch(text)
        return str(match.lastgroup) if match else ""

    def follows(self, kind: str, section: str, text: str) -> bool:
        """Whether a line goes on with the section that is open above it."""
        if kind not in self._follows.get(section, ()):
            return False
        return kind != "vitals" or self._are_joined(text)

    def grows(self, section: str, text: str) -> bool:
        """Whether any line at all may go on with a section that begins with this one."""
        return bool(self._follows.get(section)) and (section != "vitals" or self._are_joined(text))

    def _are_joined(self, text: str) -> bool:
        """Whether two lines of vitals are one section: the grammar says it."""
        if self._joins is None:
            self._joins = self.dialect.compiled.read_line(text + text, "vitals", self._builder.makers) is not None
        return self._joins

    def read(self, text: str) -> list[Section]:
        """Give the sections that a few lines are, as the strict parser reads them; none if it refuses."""
        sections, done = self.dialect.compiled.read_sections(text, self._builder.makers)
        if done == len(text):
            return sections
        try:
            return list(parse(text, self.dialect).sections)
        except ParseError:
            return []

    def near(self, text: str) -> str:
        """Give the kind of a line that is not exact, by the repair rules (a kind of `lines`)."""
        return self.reader.kind(text.removesuffix("\n")) if len(text) <= _LONGEST else "TEXT"

    def is_head(self, text: str) -> bool:
        """Whether a line is an action's head, exactly or nearly."""
        return self.tell(text) in HEADS or self.near(text) in _NEAR_HEADS

    def may_be_markup(self, text: str) -> bool:
        """Whether a line is no content by its looks: nearly a section's, or a sentence."""
        return self.near(text) != "TEXT" or looks_like_prose(text)

    def closes_nearly(self, text: str) -> str:
        """Give the kind of a line that is nearly a closing delimiter, or one of another block, or the end of a fence;
        else "".
        """
        if len(text) > _LONGEST_DELIMITER:
            return ""
        kind = self._short.get(text)
        if kind is None:
            kind = self.near(text)
            if len(self._short) < _MEMORY:
                self._short[text] = kind
        return kind if kind in _NEAR_CLOSERS or kind == "FENCE" else ""

    def is_words(self, text: str) -> bool:
        """Whether a line is surely neither exact markup nor nearly a closing delimiter: told fast, for most lines."""
        return self._words.match(text) is not None and (len(text) > _LONGEST_DELIMITER or not self.closes_nearly(text))

    def closes_and_more(self, text: str) -> str:
        """Tell what stands behind a closing delimiter on its line: "glued": an action, "near": a remark; or ""."""
        kind = self.near(text).removeprefix(SPLIT)
        return "glued" if kind in ("CLOSE_ACTION", "CLOSE_COMMAND") else "near" if kind == "TEXT_CLOSE" else ""

    def leans(self, text: str) -> float:
        """Give what a line costs as an opening delimiter beyond what it costs as a closing one: below 0 it opens."""
        opening, closing = self.candidate(text, "open"), self.candidate(text, "close")
        return opening.cost - closing.cost if opening is not None and closing is not None else 0.0

    def ends_content(self, text: str) -> list[str]:
        """Give the content on a line that nearly ends with a closing delimiter, if it is such a line."""
        spelling = self.candidate(text, "close") if self.near(text) == "LAST_TEXT" else None
        return spelling.text.split("\n")[:-1] if spelling is not None else []

    def closed_by(self, text: str) -> str:
        """Give the closing delimiter that a line nearly is or holds, if its length is sure; else ""."""
        shown = text.rstrip("\r\n")
        return self.reader.delimiters(self.near(text), shown)[1] if "fences" in self.dialect.forms else ""

    def opened_by(self, text: str) -> str:
        """Give the opening delimiter that a line nearly is or holds, if its length is sure; else ""."""
        shown = text.rstrip("\r\n")
        return self.reader.delimiters(self.near(text), shown)[0] if "fences" in self.dialect.forms else ""

    def find_end(self, above: Sequence[str], text: str) -> int | None:
        """Give the offset in a text before which a block ends that nothing closes, as the whole text would be read.

        `above` are the kinds of the lines before: of the action, the opener, the content.
        """
        lines = merge_runs(text, self.reader.read(text))
        steps = read_kinds(self.dialect, [*above, *(line.kind for line in lines)])[0].steps
        behind = zip(lines, steps[len(above) :], strict=True)
        return next((line.start for line, step in behind if not CLOSER_MISSING.isdisjoint(step.before)), None)

    def candidate(self, text: str, role: str) -> Candidate | None:
        """Respell a line for a role."""
        return self.engine.repairer.candidate(text.removesuffix("\n").removesuffix("\r"), role)
