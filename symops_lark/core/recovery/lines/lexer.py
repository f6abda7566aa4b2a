"""What kind of line each line of a broken text is: exactly a section's, nearly one, or plain text.

Exact kinds come from the strict grammar. Near misses come from a `LineRepairer`, which knows how models misspell a line
and puts it right (`repairs/line_repairer` does it with the repair rules): a line is *nearly* an action if some spelling
makes it one. A line's kind says what it could be; what it is, only the reading of the whole text tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...grammar.dialect import Dialect
from ...patterns.regexes import compile_pattern, escape
from ...text.source import BOM
from .kinds import (
    ATTRIBUTES,
    BLANK,
    BLOCKS,
    CLOSE,
    DELIM,
    FENCE,
    FIELDS,
    OPEN,
    RESPELT,
    TEXT,
    Kind,
    Line,
    Spelling,
    kinds_of,
)
from .passes import run_passes
from .spelling import Candidate, LineRepairer


class LineLexer:
    """Tells the kinds of the lines of texts in one dialect."""

    def __init__(self, dialect: Dialect, repairer: LineRepairer) -> None:
        self.dialect = dialect
        self.repairer = repairer
        self._known: dict[str, Kind] = {}
        marks = dialect.marks
        self._open, self._close = marks["open"], marks["close"]
        self._openers, self._closers = tuple(dialect.fences), dialect.closers
        self._quick = {mark[0] for mark in marks.values()}
        self._signs = self._quick | {mark[0] for mark in (*self._openers, *self._closers)}
        wanted = {"reason": {"lines"}, "attribute": {"lines", "attributes"}, "path": {"lines"}}
        self._roles = tuple(row for row in _NEAR_ROLES if row[0] not in wanted or wanted[row[0]] & dialect.forms)
        delimiters = (self._open, self._close)  # where they begin like a question's or an error's mark, they go first
        self._shadowed = {
            role
            for role, mark in (("ask", "question"), ("error", "error"))
            if any(delimiter.startswith(marks.get(mark, "\n")) for delimiter in delimiters)
        }
        self._tagged = "lines" in dialect.forms
        self._kind_of = _KIND_OF_RULE | (_KIND_OF_PART if self._tagged else {})
        self._own_sections = dialect.own_sections
        if self._own_sections:
            self._kind_of.update((name, _KIND_OF_OWN[row[1]]) for name, row in self._own_sections.items())
            self._roles = (*self._roles, *_OWN_ROLES)
        self._writing = frozenset(dialect.verbs["writing"])
        self._others = frozenset([verb for verbs in dialect.verbs.values() for verb in verbs]) - self._writing
        action, target = escape(marks["action"]), escape(marks["target"])
        self._stub = compile_pattern(
            rf"{action}[ \t]*[A-Za-z]*[ \t]*(?:{target}[ \t]*)?"
        )  # an action line that breaks off
        parts = [marks[name] for name in ("action", "target", "depends")]
        end_of = compile_pattern(r"(?<!\w)(?=\w)")
        ends = "|".join(escape(end_of.sub("/", part, count=1)) for part in parts)
        # Exact, and yet a slip: a colon before the value, a closing tag behind it.
        self._doubtful = compile_pattern(
            rf"(?:{target}|{escape(marks['depends'])})[ \t](?:[ \t]*[:=：].*|.*(?:{ends}))"
        )
        self._alone = compile_pattern(rf"(?:{'|'.join(map(escape, parts))})[ \t]*")
        self._verb = compile_pattern(r"[a-z][a-z0-9_-]*")

    def read(self, text: str, pass_over: Callable[[list[Line]], int] | None = None) -> list[Line]:
        """Return all lines of a text with their kinds, as the passes over them leave them.

        `pass_over` is asked at each opening delimiter, the last of the lines, where to read on.
        """
        return run_passes(text, self.read_each(text, pass_over), self)

    def read_each(self, text: str, pass_over: Callable[[list[Line]], int] | None = None) -> list[Line]:
        """Return all lines of a text, each with the kind that it has by itself."""
        lines: list[Line] = []
        known, tagged = self._known, self._tagged
        start = 1 if text.startswith(BOM) else 0  # the parser drops it too: it is no mistake of the first line
        size = len(text)
        while start < size:
            stop = text.find("\n", start)
            stop, end = (size, size) if stop < 0 else (stop, stop + 1)
            line = text[start:stop]
            if tagged and line[:1] in self._quick:
                if self.awaits_value(line):
                    stop, end = self._find_value(text, end) or (stop, end)
                    line = text[start:stop]
                above, opener = self._find_opener(line)
                if above is not None:
                    lines.append(Line(above, start, start + opener, start + opener))
                    lines.append(Line(Kind.NEAR_OPEN, start + opener, stop, end))
                    start = end
                    continue
            kind = known.get(line)
            if kind is None:
                kind = self.kind_of(line)
                if len(known) < 100_000 and len(line) < 500:
                    known[line] = kind
            lines.append(Line(kind, start, stop, end))
            start = end if pass_over is None or kind not in BLOCKS else pass_over(lines)
        return lines

    def _find_opener(self, line: str) -> tuple[Kind | None, int]:
        """Return the kind of what stands before an opening delimiter at the end of a line, and its place."""
        opener = line.find(self._open, 1)
        if opener < 0 or line[opener + len(self._open) :].strip():
            return None, opener
        above = self.kind_of(line[:opener])
        return (above if above in FIELDS else None), opener

    def opens_block(self, tag: str) -> bool:
        """Return whether a tag of another format can stand for an opening delimiter."""
        spelling = self.repairer.candidate(tag, "open")
        return spelling is not None and spelling.text == self._open

    def gives_path(self, text: str, line: Line) -> bool:
        """Return whether an attribute line gives a path."""
        shown = text[line.start : line.stop]
        spelling = None if line.kind is Kind.ATTRIBUTE else self.repairer.candidate(shown, "attribute")
        match = self.dialect.line_pattern.fullmatch((spelling.text if spelling else shown) + "\n")
        return match is not None and match.lastgroup == "path_line"

    def kind_above_path(self, line: str) -> Kind | None:
        """Return the kind that a plain line has as the first line of an action; only a path below makes it one."""
        spelling = self.repairer.candidate(line, "head")
        first, *rest = spelling.text.split("\n") if spelling else [""]
        kind = self._exact(rest[0] if rest else first)
        if kind not in _SPLIT_HEADS:
            return None
        return kind.spelt(Spelling.BEHIND if rest else Spelling.NEAR, split=True)

    def delimiters_of(self, text: str, line: Line) -> tuple[str, str]:
        """Return the opening and the closing delimiter that a line is or holds, as `delimiters` does."""
        first = line.inside[0] if line.inside else line
        return self.delimiters(line.kind, text[first.start : first.stop])

    def delimiters(self, kind: str, line: str) -> tuple[str, str]:
        """Return the opening and the closing delimiter that a line is or holds; of misspelt ones only sure lengths."""
        shown = line.rstrip(" \t")
        if kind == OPEN:
            return shown, ""
        if kind == CLOSE:
            return "", shown
        if kind == Kind.ACTION_OPEN:
            return self._sure(shown, "head", -1), ""
        if kind in _BEHIND:
            return "", self._sure(shown, "head", 0)
        if kind not in _NEAR_DELIMITERS:
            return "", ""
        return self._sure(shown, "open", 0), self._sure(shown, "close", -1)

    def _sure(self, shown: str, role: str, place: int) -> str:
        spelling = self.repairer.candidate(shown, role)
        mark = spelling.text.split("\n")[place] if spelling else ""
        known = mark in (self._closers if place == (0 if role == "head" else -1) else self._openers)
        return mark if known and (mark in shown or len(mark) > len(self._close)) else ""

    def is_reasoning(self, line: str) -> bool:
        """Return whether a line that opens a thinking section may be a tag over thoughts."""
        spelling = self.repairer.candidate(line, "reason")
        return spelling is not None and self._exact(spelling.text.split("\n")[0]) is Kind.REASONING

    def awaits_value(self, line: str) -> bool:
        """Return whether a line is a tag whose value may stand below it."""
        return self._tagged and self._alone.fullmatch(line) is not None

    def _find_value(self, text: str, start: int) -> tuple[int, int] | None:
        """Return where the line below a lone tag ends, and its ending, if it may be what the tag names."""
        stop = text.find("\n", start)
        stop, end = (len(text), len(text)) if stop < 0 else (stop, stop + 1)
        return (stop, end) if self.is_value(text[start:stop]) else None

    def is_value(self, line: str) -> bool:
        """Return whether a line may be the value of the tag above it."""
        below = line.strip()
        return bool(below) and not below.startswith(tuple(self.dialect.marks[name] for name in _SECTIONS))

    def kind_of(self, line: str) -> Kind:
        """Return the kind of one line (without its ending)."""
        bare = line.rstrip(" \t")
        if not bare:
            return BLANK
        shown = bare.lstrip(" \t")
        marked = shown[0] in self._signs
        if marked and (bare in self._openers or bare in self._closers):
            return DELIM if self._open == self._close else OPEN if bare in self._openers else CLOSE
        if shown[:3] in ("```", "~~~"):
            fence = FENCE.fullmatch(line)
            if fence:
                return Kind.FENCE if not fence["info"] or _CONTROL_TOKEN.fullmatch(fence["info"]) else Kind.FENCE_INFO
        if marked or shown[0].isdigit() or self._own_sections:
            exact = self._exact(line)
            if exact in ATTRIBUTES and self._doubtful.fullmatch(bare):
                near = self._near(line) if self.repairer.touches(line) else exact
                return near if near in FIELDS else exact
            if exact is not None:
                return Kind.LAST_TEXT if exact in _TALK and self._ends_block(bare) else exact
        kind = self._near(line) if self.repairer.touches(line) else TEXT
        return Kind.STUB if kind is TEXT and marked and self._stub.fullmatch(line) else kind

    def _ends_block(self, bare: str) -> bool:
        """Return whether a closing delimiter stands at the end of a line, apart if it is an opening one too."""
        return bare.endswith(self._close if self._open != self._close else " " + self._close)

    def _exact(self, line: str) -> Kind | None:
        """Return the kind of a line that is spelt as the grammar wants it."""
        match = self.dialect.line_pattern.fullmatch(line + "\n")
        if match is None:
            return None
        rule = str(match.lastgroup)
        if rule not in ("head", "verb_line", "run_line"):
            return self._kind_of[rule]
        found = self._verb.search(line, len(self.dialect.marks["action"]))
        verb = found[0] if found else ""
        removes = rule == "verb_line" and self._tagged
        if verb in self._writing:
            kind = Kind.ACTION
        elif verb in self._others:
            kind = Kind.SPLIT_REMOVAL if removes else Kind.COMMAND
        else:
            kind = Kind.ODD_ACTION
        return kind if rule == "head" else kind.spelt(Spelling.EXACT, split=True)

    def _has_target(self, line: str) -> bool:
        """Return whether the line has a target mark of its own (where that has another line, an action mark).

        Without one an unknown word is no verb.
        """
        return self.dialect.marks["action" if self._tagged else "target"] in line

    def _near(self, line: str) -> Kind:
        """Return the kind of a line that is misspelt, or plain text."""
        if not self._tagged:
            return self._near_of(line, self._roles)
        kind = self._near_of(line, self._roles[1:])  # a tag of no meaning looks like a tag in other letters
        tag = kind in _MAYBE_TAGS and self.repairer.candidate(line, "tag")
        return Kind.TAG if tag else kind

    def _near_of(self, line: str, roles: Sequence[tuple[str, Kind]]) -> Kind:
        """Return the kind of the first role for which the rules respell a line so that it is exact."""
        for role, kind in roles:
            spelling = self.repairer.candidate(line, role)
            found = spelling and self._near_role(line, role, kind, spelling)
            if found:
                return Kind.LAST_TEXT if found in _TALK and self._ends_block(line.rstrip(" \t")) else found
        return self._near_delimiter(line)

    def _near_role(self, line: str, role: str, kind: Kind, spelling: Candidate) -> Kind | None:
        """Return the kind of a line respelt for a role, or None if that does not make it exact."""
        if role == "head":
            return self._near_head(line, spelling)
        if role in SURE_ROLES:
            return kind
        if role in self._shadowed and (delimiter := self._near_delimiter(line)) is not TEXT:
            return delimiter
        exact = self._exact(spelling.text.split("\n")[0])
        if exact in ATTRIBUTES and kind is Kind.NEAR_ATTRIBUTE:
            return exact.spelt(Spelling.NEAR) if self._tagged or not spelling.weak else Kind.BARE_ATTRIBUTE
        return kind if exact is kind.base else None

    def _near_head(self, line: str, spelling: Candidate) -> Kind | None:
        """Return the kind of a line that is respelt as an action's first one, with what stands beside it."""
        first, *rest = spelling.text.split("\n")
        behind = bool(rest) and first in self._closers
        exact = self._exact(rest[0] if behind else first)
        if exact in _SPLIT_HEADS and (behind or not rest) and "attributes" in self.dialect.forms:
            return exact.spelt(Spelling.BEHIND if behind else Spelling.NEAR, split=True)
        # The path may still be missing: what stands below will tell.
        split = self._tagged and not any(self._exact(part) in ATTRIBUTES for part in rest)
        removes = exact is Kind.SPLIT_REMOVAL
        named = Kind.COMMAND if removes or exact in _COMMANDS else Kind.ACTION
        if behind:
            return named.spelt(Spelling.BEHIND, split=split) if exact else TEXT
        if exact not in HEADS:
            return None
        if rest and not (self._tagged and self._exact(rest[-1]) in ATTRIBUTES):
            return Kind.ACTION_OPEN
        if self._is_guess(line, spelling, exact):
            return None
        weak = spelling.weak or (spelling.cost >= 5 and line[0] in " \t")
        named = exact if split and removes else named
        return named.spelt(Spelling.BARE if weak else Spelling.NEAR, split=split)

    def _is_guess(self, line: str, spelling: Candidate, exact: Kind) -> bool:
        """Return whether too little tells that a line is an action's first one."""
        if exact in _ODD:
            return spelling.weak or not self._has_target(line)
        return spelling.weak and exact in _COMMANDS and len(spelling.rules) > 1

    def _near_delimiter(self, line: str) -> Kind:
        """Return the kind of a line that is nearly a delimiter or holds one, or plain text."""
        opening, closing = self.repairer.candidate(line, "open"), self.repairer.candidate(line, "close")
        # 2: nothing but the delimiter; 1: with other text on the line, or a guess; 0: not at all
        opens = closes = 0
        if opening is not None and opening.text.split("\n")[0] in self._openers:
            opens = 1 if "\n" in opening.text or opening.weak else 2
        if closing is not None and closing.text.split("\n")[-1] in self._closers:
            closes = 1 if "\n" in closing.text or closing.weak else 2
        if self._tagged and opens == closes == 2 and opening and closing and opening.cost != closing.cost:
            return Kind.NEAR_OPEN if opening.cost < closing.cost else Kind.NEAR_CLOSE
        if closes == 1 and closing is not None and "\n" in closing.text and not opens:
            return Kind.LAST_TEXT
        return _DELIMITER_KINDS[opens, closes]


_DELIMITER_KINDS = {
    (0, 0): TEXT,
    (0, 1): Kind.TEXT_CLOSE,
    (0, 2): Kind.NEAR_CLOSE,
    (1, 0): Kind.TEXT_OPEN,
    (1, 1): Kind.TEXT_DELIM,
    (1, 2): Kind.NEAR_CLOSE,
    (2, 0): Kind.NEAR_OPEN,
    (2, 1): Kind.NEAR_OPEN,
    (2, 2): Kind.NEAR_DELIM,
}
# What hardly ends with a closing delimiter, if it is not the last line of a content.
_TALK = kinds_of(Kind.THOUGHT, Kind.ASK, Kind.ERROR) | {
    Kind.COMMAND,
    Kind.NEAR_COMMAND,
    Kind.BARE_COMMAND,
    Kind.NEAR_VITALS,
}
_NEAR_DELIMITERS = kinds_of(OPEN, CLOSE, DELIM, spelling=RESPELT) | {Kind.NEAR_THOUGHT}
_BEHIND = kinds_of(spelling=(Spelling.BEHIND,))
_SPLIT_HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.EXACT,), split=True)
HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION, spelling=(Spelling.EXACT,)) | kinds_of(
    spelling=(Spelling.EXACT,), split=True
)
_COMMANDS = frozenset((Kind.COMMAND, Kind.SPLIT_COMMAND))
_ODD = frozenset((Kind.ODD_ACTION, Kind.SPLIT_ODD_ACTION))
_MAYBE_TAGS = frozenset((TEXT, Kind.THINK_OPEN, Kind.THINK_CLOSE))
SURE_ROLES = ("think", "think-end", "tag")  # no line of the grammar: that a rule takes it is enough
_KIND_OF_OWN = {"": Kind.SECTION, "needed": Kind.SECTION_HEAD, "optional": Kind.SECTION_LEAD}
_OWN_ROLES = tuple([("section", kind.spelt(Spelling.NEAR)) for kind in _KIND_OF_OWN.values()])
_NEAR_ROLES = (
    ("tag", Kind.TAG),
    ("think", Kind.THINK_OPEN),
    ("think-end", Kind.THINK_CLOSE),
    ("head", Kind.NEAR_ACTION),
    ("vitals", Kind.NEAR_VITALS),
    ("ask", Kind.NEAR_ASK),
    ("error", Kind.NEAR_ERROR),
    ("thought", Kind.NEAR_THOUGHT),
    ("choice", Kind.NEAR_CHOICE),
    ("attribute", Kind.NEAR_ATTRIBUTE),
    ("path", Kind.NEAR_ATTRIBUTE),
    ("reason", Kind.NEAR_REASONING),
)
_CONTROL_TOKEN = compile_pattern(r"<\|[0-9A-Za-z_]+\|>|</?s>|<(?:eos|bos|pad|unk|end_of_turn)>|\[/?INST\]")
_SECTIONS = ("thought", "action", "target", "depends", "open", "close")
_KIND_OF_PART = {"path_line": Kind.PATH_LINE, "command_line": Kind.COMMAND_LINE, "depends_line": Kind.DEPENDS_LINE}
_KIND_OF_RULE = {
    "thought": Kind.THOUGHT,
    "_reason_line": Kind.REASONING,
    "vitals": Kind.VITALS,
    "ask": Kind.ASK,
    "choice": Kind.CHOICE,
    "error": Kind.ERROR,
    "attribute": Kind.ATTRIBUTE,
    **dict.fromkeys(_KIND_OF_PART, Kind.ATTRIBUTE),
}
