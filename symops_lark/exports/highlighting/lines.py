"""The lines of a dialect for highlighters: patterns whose groups are labelled parts, and the colours of the labels.

They come from the grammar's own rules, so that a highlighter takes exactly the lines that the strict parser takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.compiling.dialect_tables import read_own
from ...core.grammar.compiling.rule_trees import tree_of_first_line
from ...core.patterns.regexes import compile_pattern, escape

# By label: the token of Pygments, and the scope of TextMate grammars (behind it stands the dialect's).
LABELS = {
    "mark": ("Keyword.Declaration", "keyword.control.mark"),
    "verb": ("Name.Function", "entity.name.function.verb"),
    "unknown-verb": ("Name.Variable", "variable.other.verb"),
    "sign": ("Operator", "keyword.operator"),
    "path": ("Name.Class", "entity.name.type.path"),
    "dependency": ("Name.Class", "entity.name.type.dependency"),
    "command": ("Literal.String.Backtick", "meta.embedded.line.shell"),
    "number": ("Literal.Number", "constant.numeric"),
    "key": ("Name.Attribute", "entity.other.attribute-name"),
    "value": ("Literal.String", "string.unquoted.value"),
    "thought": ("Comment", "comment.line.thought"),
    "question": ("Literal.String", "string.unquoted.question"),
    "choice": ("Literal.String", "string.unquoted.choice"),
    "error-type": ("Name.Exception", "entity.name.type.error"),
    "error-target": ("Name.Class", "entity.name.type.path"),
    "message": ("Literal.String", "string.unquoted.message"),
    "delimiter": ("Keyword.Declaration", "keyword.control.delimiter"),
    "stray": ("Error", "invalid.illegal"),
}
FURTHER_LINES = ("depends_line", "attribute")  # of an action, behind its path
_FOLLOWS = {"ask": "choice", "_reason_line": "thought"}
_LEADING = ("thought", "action", "vital", "question", "error", "confidence", "mood", "focus", "stamina")
_LINES = ("target", "depends")  # where every part has a line of its own, these begin one as well
_BY_TERMINAL = {
    "VERB": "unknown-verb",
    "PATH": "path",
    "COMMAND": "command",
    "DEPENDENCY": "dependency",
    "NUMBER": "number",
    "KEY": "key",
    "MESSAGE": "message",
    "LINE": "thought",
}
_TEXTS = {"thought": "thought", "ask": "question", "choice": "choice"}
_KEYS = ("path_key", "depends_key")


@dataclass(frozen=True, slots=True)
class Part:
    """A group of a pattern: a labelled part of the line, or what `inner` matches again and again."""

    group: int
    label: str
    inner: Shape | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern of a line with its ending, or of a piece of one; the groups that are no parts mean nothing."""

    pattern: str
    parts: tuple[Part, ...]


def leading_marks(dialect: WrittenDialect) -> list[str]:
    """Return the marks that begin a line, longer ones first."""
    names = _LEADING + (_LINES if "lines" in dialect.forms else ())
    return _longest_first({dialect.marks[name] for name in names if name in dialect.marks})


def any_of(texts: Iterable[str]) -> str:
    """Return the pattern of any of some texts."""
    return f"(?:{'|'.join(map(escape, _longest_first(texts)))})"


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: (-len(text), text))


def find_strays(dialect: WrittenDialect) -> str:
    """Return the pattern of what begins a line like a section, or closes a block, where it is neither."""
    return rf"{any_of(dialect.closers)}(?=[ \t\r]*\n)|" + "|".join(map(escape, leading_marks(dialect)))


def follows(dialect: WrittenDialect) -> dict[str, str]:
    """Return the kinds of lines that are read as such only below another one, or one another, by that one's kind."""
    return {above: below for above, below in _FOLLOWS.items() if above in dialect.line_patterns}


def usual_lines(dialect: WrittenDialect) -> list[str]:
    """Return the kinds of lines that may stand anywhere."""
    return [rule for rule in dialect.line_patterns if rule not in follows(dialect).values()]


def line_shapes(dialect: WrittenDialect) -> dict[str, Shape]:
    """Return the shape of each kind of line, by the name of its rule."""
    own = read_own(dialect)
    shapes = {}
    for rule in dialect.line_patterns:
        tree = None
        if rule in dialect.own_sections:
            # Its block is read as a block of any action, and further lines stay plain.
            tree = tree_of_first_line(own.rules, rule, own.terminals)
        shapes[rule] = _LineMaker(dialect, rule).shape(*dialect.marked_sections.shape(rule, tree))
    return shapes


class _LineMaker:
    """Makes the shape of one rule."""

    def __init__(self, dialect: WrittenDialect, rule: str) -> None:
        self._dialect = dialect
        self._rule = rule
        verbs = {verb for group in dialect.verbs.values() for verb in group}
        fixed = {name: value for name, _, is_fixed, value, _ in dialect.table("lalr")["terminals"] if is_fixed}
        self._verbs = {name for name, value in fixed.items() if value in verbs and not name.startswith("_")}
        self._words = 0

    def shape(self, pattern: str, slots: list[Any]) -> Shape:
        numbers = compile_pattern(pattern).groupindex
        parts = tuple(part for slot in slots for part in self._parts(slot, numbers))
        return Shape(re.sub(r"\(\?P<\w+>", "(", pattern), parts)

    def _parts(self, slot: list[Any], numbers: Any) -> Iterator[Part]:
        group, terminal, _rule, slots, again = slot
        if again is not None:
            yield Part(numbers[group], "", self.shape(*again))
        for inner in slots:
            yield from self._parts(inner, numbers)
        if terminal in ("VITAL", "VITALS"):
            yield Part(numbers[group], "", self._vital())
        elif terminal:
            label = self._label(terminal)
            if label:
                yield Part(numbers[group], label)

    def _label(self, terminal: str) -> str:
        mark = terminal[1:].lower() if terminal.startswith("_") else ""
        if mark:
            return self._label_of_mark(mark) if mark in self._dialect.marks else ""
        if terminal in self._verbs:
            return "verb"
        if terminal == "WORD" and self._rule == "error":
            self._words += 1
            return "error-type" if self._words == 1 else "error-target"
        return _TEXTS.get(self._rule, "value") if terminal == "TEXT" else _BY_TERMINAL.get(terminal, "value")

    def _label_of_mark(self, mark: str) -> str:
        if mark in _KEYS:
            return "key"
        begins = [section[0] for section in self._dialect.own_sections.values()]
        is_leading = self._dialect.marks[mark] in (*leading_marks(self._dialect), *begins)
        return "mark" if is_leading else "sign"

    def _vital(self) -> Shape:
        """Return the shape of one vital in a terminal that holds one or more: mark, letter, number."""
        marks = "|".join(escape(mark) for mark in leading_marks(self._dialect))
        pattern = rf"({marks})[ \t]*([A-Za-z]*)([0-9.]*)[ \t\r]*\n?"
        return Shape(pattern, (Part(1, "mark"), Part(2, "key"), Part(3, "number")))
