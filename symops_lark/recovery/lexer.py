"""What kind of line each line of a broken text is: exactly a section's, nearly one, or plain text.

Exact kinds come from the strict grammar. Near misses come from a `LineRepairer`, which knows how models misspell a line
and puts it right (`repairs/repairer.py` does it with the repair rules): a line is *nearly* an action if some spelling
makes it one. A line's kind says what it could be; what it is, only the reading of the whole text tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..grammar.dialect import Dialect
from ..source import BOM
from .fence_lines import flatten_drawings, pair_fences, pair_long_fences, protect_blocks
from .head_lines import gather_attributes, join_tagged_heads
from .kinds import ATTRIBUTES, FENCE, SPLIT, Line
from .spelling import LineRepairer


class LineLexer:
    """Tells the kinds of the lines of texts in one dialect."""

    def __init__(self, dialect: Dialect, repairer: LineRepairer) -> None:
        self.dialect = dialect
        self.repairer = repairer
        self._known: dict[str, str] = {}
        marks = dialect.marks
        self._open, self._close = marks["open"], marks["close"]
        self._openers, self._closers = dialect.fences.keys(), dialect.closers
        self._quick = {mark[0] for mark in marks.values()}
        wanted = {"reason": {"lines"}, "attribute": {"lines", "attributes"}, "path": {"lines"}}
        self._roles = tuple(row for row in _NEAR_ROLES if row[0] not in wanted or wanted[row[0]] & dialect.forms)
        delimiters = (self._open, self._close)  # where they begin like a question's or an error's mark, they go first
        self._shadowed = {
            role
            for role, mark in (("ask", "question"), ("error", "error"))
            if any(delimiter.startswith(marks.get(mark, "\n")) for delimiter in delimiters)
        }
        self._tagged = "lines" in dialect.forms
        self._writing = frozenset(dialect.verbs["writing"])
        self._others = frozenset(dialect.verbs["running"] + dialect.verbs["removing"])
        action, target = re.escape(marks["action"]), re.escape(marks["target"])
        self._stub = re.compile(rf"{action}[ \t]*[A-Za-z]*[ \t]*(?:{target}[ \t]*)?")  # an action line that breaks off
        parts = [marks[name] for name in ("action", "target", "depends")]
        ends = "|".join(re.escape(re.sub(r"(?<!\w)(?=\w)", "/", part, count=1)) for part in parts)
        # Exact, and yet a slip: a colon before the value, a closing tag behind it.
        self._doubtful = re.compile(rf"(?:{target}|{re.escape(marks['depends'])})[ \t]+(?:[:=：].*|.*(?:{ends}))")
        self._alone = re.compile(rf"(?:{'|'.join(map(re.escape, parts))})[ \t\r]*")
        self._verb = re.compile(r"[a-z][a-z0-9_-]*")

    def read(self, text: str) -> list[Line]:
        """Give all lines of a text with their kinds."""
        lines: list[Line] = []
        known = self._known
        start = 1 if text.startswith(BOM) else 0  # the parser drops it too: it is no mistake of the first line
        size = len(text)
        while start < size:
            stop = text.find("\n", start)
            stop, end = (size, size) if stop < 0 else (stop, stop + 1)
            line = text[start:stop]
            if self._tagged and line[:1] in self._quick:
                if self.awaits_value(line) and (value := self._value_below(text, end)):
                    stop, end = value
                    line = text[start:stop]
                opener = line.find(self._open, 1)
                if opener > 0 and not line[opener + len(self._open) :].strip():
                    above = self.kind(line[:opener])
                    if above.removeprefix("NEAR_") in ATTRIBUTES:
                        lines.append(Line(above, start, start + opener, start + opener))
                        lines.append(Line("NEAR_OPEN", start + opener, stop, end))
                        start = end
                        continue
            kind = known.get(line)
            if kind is None:
                kind = self.kind(line)
                if len(known) < 100_000 and len(line) < 500:
                    known[line] = kind
            lines.append(Line(kind, start, stop, end))
            start = end
        if self._tagged:
            lines = join_tagged_heads(self._tell_reasoning(text, lines))
        elif "attributes" in self.dialect.forms:
            lines = self._gather(text, lines)
        if "fences" in self.dialect.forms:
            lines = pair_fences(lines, lambda line: self._delimiters(text, line), self.dialect.fences)
        return pair_long_fences(text, flatten_drawings(protect_blocks(text, lines)))

    def _gather(self, text: str, lines: list[Line]) -> list[Line]:
        def gives_path(line: Line) -> bool:
            shown = text[line.start : line.stop].removesuffix("\r")
            spelling = None if line.kind == "ATTRIBUTE" else self.repairer.candidate(shown, "attribute")
            match = self.dialect.line_pattern.fullmatch((spelling.text if spelling else shown) + "\n")
            return match is not None and match.lastgroup == "path_line"

        return gather_attributes(lines, gives_path, lambda line: self.kind_above_path(text[line.start : line.stop]))

    def kind_above_path(self, line: str) -> str:
        """Give the kind that a plain line has as the first line of an action; only a path below makes it one."""
        spelling = self.repairer.candidate(line.removesuffix("\r"), "head")
        first, *rest = spelling.text.split("\n") if spelling else [""]
        kind = self._exact(rest[0] if rest else first)
        return kind.replace(SPLIT, SPLIT + ("CLOSE_" if rest else "NEAR_")) if kind in _SPLIT_HEADS else ""

    def _delimiters(self, text: str, line: Line) -> tuple[str, str]:
        first = line.inside[0] if line.inside else line
        return self.delimiters(line.kind, text[first.start : first.stop])

    def delimiters(self, kind: str, line: str) -> tuple[str, str]:
        """Give the opening and the closing delimiter that a line is or holds; of misspelt ones only sure lengths."""
        shown = line.rstrip(" \t\r")
        if kind == "OPEN":
            return shown, ""
        if kind == "CLOSE":
            return "", shown
        if kind == "ACTION_OPEN":
            return self._sure(shown, "head", -1), ""
        if kind in _GLUED:
            return "", self._sure(shown, "head", 0)
        if kind not in _NEAR_DELIMITERS:
            return "", ""
        return self._sure(shown, "open", 0), self._sure(shown, "close", -1)

    def _sure(self, shown: str, role: str, place: int) -> str:
        spelling = self.repairer.candidate(shown, role)
        mark = spelling.text.split("\n")[place] if spelling else ""
        known = mark in (self._closers if place == (0 if role == "head" else -1) else self._openers)
        return mark if known and (mark in shown or len(mark) > len(self._close)) else ""

    def _tell_reasoning(self, text: str, lines: list[Line]) -> list[Line]:
        """Take what opens a thinking section and is never closed for a tag over thoughts, if it may be one."""
        for index in range(len(lines) - 1, -1, -1):
            line = lines[index]
            if line.kind == "THINK_CLOSE":
                break
            if line.kind == "THINK_OPEN":
                spelling = self.repairer.candidate(text[line.start : line.stop].removesuffix("\r"), "reason")
                if spelling is not None and self._exact(spelling.text.split("\n")[0]) == "REASONING":
                    lines[index] = line._replace(kind="NEAR_REASONING")
        return lines

    def awaits_value(self, line: str) -> bool:
        """Whether a line is a tag whose value may stand below it."""
        return self._tagged and self._alone.fullmatch(line) is not None

    def _value_below(self, text: str, start: int) -> tuple[int, int] | None:
        """Give the end of the line below a lone tag, and of its ending, if it may be what the tag names."""
        stop = text.find("\n", start)
        stop, end = (len(text), len(text)) if stop < 0 else (stop, stop + 1)
        return (stop, end) if self.is_value(text[start:stop]) else None

    def is_value(self, line: str) -> bool:
        """Whether a line may be the value of the tag above it."""
        below = line.strip()
        return bool(below) and not below.startswith(tuple(self.dialect.marks[name] for name in _SECTIONS))

    def kind(self, line: str) -> str:
        """Give the kind of one line (without its ending)."""
        bare = line.rstrip(" \t\r")
        if not bare:
            return "BLANK"
        if bare in self._openers or bare in self._closers:
            return "DELIM" if self._open == self._close else "OPEN" if bare in self._openers else "CLOSE"
        if bare.lstrip(" \t")[:3] in ("```", "~~~"):
            fence = FENCE.fullmatch(line)
            if fence:
                return "FENCE_INFO" if fence[2] else "FENCE"
        first = bare.lstrip(" \t")[0]
        if first in self._quick or first.isdigit():
            exact = self._exact(line)
            if exact in ATTRIBUTES and self._doubtful.fullmatch(bare):
                near = self._near(line) if self.repairer.touches(line) else ""
                return near if near.removeprefix("NEAR_") in ATTRIBUTES else exact
            if exact:
                return exact
        kind = self._near(line) if self.repairer.touches(line) else "TEXT"
        return "STUB" if kind == "TEXT" and self._stub.fullmatch(line) else kind

    def _exact(self, line: str) -> str:
        match = self.dialect.line_pattern.fullmatch(line + "\n")
        if match is None:
            return ""
        rule = str(match.lastgroup)
        if rule not in ("head", "verb_line", "run_line"):
            return rule.upper() if self._tagged and rule in _PARTS else _KIND_OF.get(rule, rule.upper())
        verb = self._verb.search(line, len(self.dialect.marks["action"]))
        kind = self._action(verb[0] if verb else "")
        if self._tagged and rule == "verb_line" and kind == "COMMAND":
            return SPLIT + "REMOVAL"
        return kind if rule == "head" else SPLIT + kind

    def _action(self, verb: str) -> str:
        return "ACTION" if verb in self._writing else "COMMAND" if verb in self._others else "ODD_ACTION"

    def _has_target(self, line: str) -> bool:
        """Whether the line has a target mark of its own (where that has another line, an action mark).

        Without one an unknown word is no verb.
        """
        return self.dialect.marks["action" if self._tagged else "target"] in line

    def _near(self, line: str) -> str:
        if not self._tagged:
            return self._near_of(line, self._roles)
        kind = self._near_of(line, self._roles[1:])  # a tag of no meaning looks like a tag in other letters
        tag = kind in ("TEXT", "THINK_OPEN", "THINK_CLOSE") and self.repairer.candidate(line, "tag")
        return "TAG" if tag else kind

    def _near_of(self, line: str, roles: Sequence[tuple[str, str]]) -> str:
        candidate_for = self.repairer.candidate
        for role, kind in roles:
            spelling = candidate_for(line, role)
            if spelling is None:
                continue
            first, *rest = spelling.text.split("\n")
            if role == "head":
                behind = bool(rest) and first in self._closers
                exact = self._exact(rest[0] if behind else first)
                if exact in _SPLIT_HEADS and (behind or not rest) and "attributes" in self.dialect.forms:
                    return exact.replace(SPLIT, SPLIT + ("CLOSE_" if behind else "NEAR_"))
                exact = exact.removeprefix(SPLIT)
                # The path may still be missing: what stands below will tell.
                split = SPLIT if self._tagged and not any(self._exact(part) in ATTRIBUTES for part in rest) else ""
                named = "COMMAND" if exact in ("COMMAND", "REMOVAL") else "ACTION"
                if behind:
                    return split + "CLOSE_" + named if exact else "TEXT"
                if exact not in HEADS:
                    continue
                if rest and not (self._tagged and self._exact(rest[-1]) in ATTRIBUTES):
                    return "ACTION_OPEN"
                if exact == "ODD_ACTION" and (spelling.weak or not self._has_target(line)):
                    continue
                if spelling.weak and exact == "COMMAND" and len(spelling.rules) > 1:
                    continue
                weak = spelling.weak or (spelling.cost >= 5 and line[0] in " \t")
                named = exact if split and exact == "REMOVAL" else named
                return split + ("BARE_" if weak else "NEAR_") + named
            if role in ("think", "think-end", "tag"):
                return kind
            if role in self._shadowed and (delimiter := self._near_delimiter(line)) != "TEXT":
                return delimiter
            exact = self._exact(spelling.text.split("\n")[0])
            if role in ("attribute", "path") and exact in ATTRIBUTES:
                return "BARE_ATTRIBUTE" if spelling.weak and not self._tagged else "NEAR_" + exact
            if exact == KIND_OF_ROLE.get(role, role.upper()):
                return kind
        return self._near_delimiter(line)

    def _near_delimiter(self, line: str) -> str:
        opening, closing = self.repairer.candidate(line, "open"), self.repairer.candidate(line, "close")
        # 2: nothing but the delimiter; 1: with other text on the line, or a guess; 0: not at all
        opens = closes = 0
        if opening is not None and opening.text.split("\n")[0] in self._openers:
            opens = 1 if "\n" in opening.text or opening.weak else 2
        if closing is not None and closing.text.split("\n")[-1] in self._closers:
            closes = 1 if "\n" in closing.text or closing.weak else 2
        if self._tagged and opens == closes == 2 and opening and closing and opening.cost != closing.cost:
            return "NEAR_OPEN" if opening.cost < closing.cost else "NEAR_CLOSE"
        if closes == 1 and closing is not None and "\n" in closing.text and not opens:
            return "LAST_TEXT"
        return _DELIMITER_KINDS[opens, closes]


_DELIMITER_KINDS = {
    (0, 0): "TEXT",
    (0, 1): "TEXT_CLOSE",
    (0, 2): "NEAR_CLOSE",
    (1, 0): "TEXT_OPEN",
    (1, 1): "TEXT_DELIM",
    (1, 2): "NEAR_CLOSE",
    (2, 0): "NEAR_OPEN",
    (2, 1): "NEAR_OPEN",
    (2, 2): "NEAR_DELIM",
}


_NEAR_DELIMITERS = frozenset(_DELIMITER_KINDS.values()) - {"TEXT"} | {"LAST_TEXT", "NEAR_THOUGHT"}


_GLUED = frozenset(("CLOSE_ACTION", "CLOSE_COMMAND"))


HEADS = ("ACTION", "COMMAND", "ODD_ACTION", "REMOVAL")  # the last: a command that takes a path


_NEAR_ROLES = (
    ("tag", "TAG"),
    ("think", "THINK_OPEN"),
    ("think-end", "THINK_CLOSE"),
    ("head", ""),
    ("vitals", "NEAR_VITALS"),
    ("ask", "NEAR_ASK"),
    ("error", "NEAR_ERROR"),
    ("thought", "NEAR_THOUGHT"),
    ("choice", "NEAR_CHOICE"),
    ("attribute", "NEAR_ATTRIBUTE"),
    ("path", "NEAR_ATTRIBUTE"),
    ("reason", "NEAR_REASONING"),
)


_SPLIT_HEADS = frozenset((SPLIT + "ACTION", SPLIT + "COMMAND"))


KIND_OF_ROLE = {"reason": "REASONING"}  # where it is not the role in capitals


_SECTIONS = ("thought", "action", "target", "depends", "open", "close")


_PARTS = frozenset(("path_line", "command_line", "depends_line"))


_KIND_OF = dict.fromkeys(sorted(_PARTS), "ATTRIBUTE") | {"_reason_line": "REASONING"}
