"""Describe the lines of a dialect for highlighters: patterns with labelled parts, and colors.

The patterns come from the rules of the grammar, so a highlighter accepts the same lines as the
strict parser.
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

# By label: the token of Pygments, and the scope of TextMate grammars, without the suffix `.symops`.
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
# Lines that belong to an action and follow the line of its path.
FURTHER_LINES = ("depends_line", "attribute")
# Lines that are valid only after another one, or after a line of the same kind.
_FOLLOWERS = {"ask": "choice", "_reason_line": "thought"}
_LEADING_MARKS = (
    "thought",
    "action",
    "vital",
    "question",
    "error",
    "confidence",
    "mood",
    "focus",
    "stamina",
)
# Dialects of the form `lines` write each part of an action on a separate line.
_MARKS_OF_LINES = ("target", "depends")
# The label of a terminal, whatever its rule.
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
# The label of the terminal TEXT, by its rule.
_LABELS_OF_TEXT = {"thought": "thought", "ask": "question", "choice": "choice"}
_MARKS_OF_KEYS = ("path_key", "depends_key")


@dataclass(frozen=True, slots=True)
class Part:
    """A group of a pattern.

    Attributes:
        group: The number of the group.
        label: Its key in `LABELS`; empty if `inner` has the labels.
        inner: A pattern that matches the text of the group piece by piece.
    """

    group: int
    label: str
    inner: Shape | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern of a complete line with its ending, or of a piece of a line.

    Attributes:
        pattern: The pattern.
        parts: Its labelled groups; the pattern can have other groups too.
    """

    pattern: str
    parts: tuple[Part, ...]


def leading_marks(dialect: WrittenDialect) -> list[str]:
    """Return the marks that begin a line, longer ones first."""
    names = _LEADING_MARKS + (_MARKS_OF_LINES if "lines" in dialect.forms else ())
    return _longest_first({dialect.marks[name] for name in names if name in dialect.marks})


def any_of(texts: Iterable[str]) -> str:
    """Return a pattern that matches any of some texts."""
    return f"(?:{'|'.join(map(escape, _longest_first(texts)))})"


def _longest_first(texts: Iterable[str]) -> list[str]:
    # An alternative must not hide a longer one that begins with it.
    return sorted(texts, key=lambda text: (-len(text), text))


def find_strays(dialect: WrittenDialect) -> str:
    """Return the pattern of marks and closers that begin a line outside of all sections."""
    marks = "|".join(map(escape, leading_marks(dialect)))
    return rf"{any_of(dialect.closers)}(?=[ \t\r]*\n)|{marks}"


def find_followers(dialect: WrittenDialect) -> dict[str, str]:
    """Return the kinds of lines that are valid only after a line of another kind, by that kind."""
    return {kind: after for kind, after in _FOLLOWERS.items() if kind in dialect.line_patterns}


def usual_lines(dialect: WrittenDialect) -> list[str]:
    """Return the kinds of lines that are valid anywhere."""
    followers = find_followers(dialect).values()
    return [rule for rule in dialect.line_patterns if rule not in followers]


def line_shapes(dialect: WrittenDialect) -> dict[str, Shape]:
    """Return the shape of each kind of line, by the name of its rule."""
    own = read_own(dialect)
    shapes = {}
    for rule in dialect.line_patterns:
        tree = None
        if rule in dialect.own_sections:
            # The block of a custom section is highlighted like that of an action, and its
            # further lines stay plain.
            tree = tree_of_first_line(own.rules, rule, own.terminals)
        pattern, slots = dialect.marked_sections.shape(rule, tree)
        shapes[rule] = _ShapeMaker(dialect, rule).make(pattern, slots)
    return shapes


class _ShapeMaker:
    """Makes the shape of one rule."""

    def __init__(self, dialect: WrittenDialect, rule: str) -> None:
        self._dialect = dialect
        self._rule = rule
        verbs = {verb for group in dialect.verbs.values() for verb in group}
        self._verbs = set()
        for name, _, is_fixed, value, _ in dialect.table("lalr")["terminals"]:
            if is_fixed and value in verbs and not name.startswith("_"):
                self._verbs.add(name)
        self._words = 0

    def make(self, pattern: str, slots: list[Any]) -> Shape:
        groups = compile_pattern(pattern).groupindex
        parts: list[Part] = []
        for slot in slots:
            parts += self._parts(slot, groups)
        # Oniguruma numbers plain groups only if no group has a name.
        return Shape(re.sub(r"\(\?P<\w+>", "(", pattern), tuple(parts))

    def _parts(self, slot: list[Any], groups: Any) -> Iterator[Part]:
        name, terminal, _rule, slots, repeated = slot
        if repeated is not None:
            yield Part(groups[name], "", self.make(*repeated))
        for inner in slots:
            yield from self._parts(inner, groups)
        if terminal in ("VITAL", "VITALS"):
            yield Part(groups[name], "", self._vital())
        elif terminal:
            label = self._label(terminal)
            if label:
                yield Part(groups[name], label)

    def _label(self, terminal: str) -> str:
        if terminal.startswith("_"):
            return self._label_of_mark(terminal[1:].lower())
        if terminal in self._verbs:
            return "verb"
        if terminal == "WORD" and self._rule == "error":
            # The first word is the type of the error, and the next one its target.
            self._words += 1
            return "error-type" if self._words == 1 else "error-target"
        if terminal == "TEXT":
            return _LABELS_OF_TEXT.get(self._rule, "value")
        return _BY_TERMINAL.get(terminal, "value")

    def _label_of_mark(self, name: str) -> str:
        """Return the label of a mark; empty for a terminal that is not a mark."""
        mark = self._dialect.marks.get(name)
        if mark is None:
            return ""
        if name in _MARKS_OF_KEYS:
            return "key"
        begins = [section[0] for section in self._dialect.own_sections.values()]
        return "mark" if mark in (*leading_marks(self._dialect), *begins) else "sign"

    def _vital(self) -> Shape:
        """Return the shape of one vital (mark, letter, number): their terminal has one or more."""
        marks = "|".join(map(escape, leading_marks(self._dialect)))
        pattern = rf"({marks})[ \t]*([A-Za-z]*)([0-9.]*)[ \t\r]*\n?"
        return Shape(pattern, (Part(1, "mark"), Part(2, "key"), Part(3, "number")))
