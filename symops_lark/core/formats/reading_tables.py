"""Make the tables of a section: what a reader needs of its automaton, as JSON values.

The reader needs patterns, not expressions, so that the tables can be read in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..grammar.free_words import choose_end
from ..patterns.first_characters import find_first_characters
from ..patterns.needed_texts import find_needed_texts
from .automaton import Automaton, Edge
from .expressions import (
    NOTHING,
    Expression,
    PatternWriter,
    Sequence,
    Term,
    Text,
    leaves,
    required_texts,
    to_json,
)
from .sections import BLANKS, FINAL, START, UNSEEN, VALUES

# Tokens of chat templates begin with these; they may be anywhere in a line. All else begins a line.
_TOKENS = ("<|", "<｜", "[TOOL_CALLS]")
# Before a mark at the beginning of a line: a token of a chat template, blanks as Markdown allows
# them, and characters that cannot be seen.
_LEAD = rf"(?P<lead>(?:<\|[a-z_]{{1,30}}\|>(?:assistant)?)?[ {UNSEEN}]{{0,3}})"
_BEGINNINGS = {"JSON": r"(?=[ \t\n]*[{\[])", "PYTHON": r"(?=[ \t\n]*[A-Za-z_][A-Za-z0-9_.]*\()"}
# Ends of a string that begins on an earlier line, as a model writes a content without escapes.
_ENDS = {
    "JSON": r'(?m)^(?:[^"\\\n]|\\.)*"[ \t]*\}',
    "PYTHON": r'(?m)^(?:[^"\\\n]|\\.)*"[ \t]*\)[ \t\n]*\]',
}
_SAME = re.compile("\0(\\w+)\0")
_GROUP = re.compile(r"\(\?P<\w+>")
_SHORTEST_MARK = 4  # characters of a mark that is probably not a part of a content by chance


def section_data(rule: str, automaton: Automaton, shortest: Mapping[str, str]) -> dict[str, Any]:
    """Return the tables of a section.

    Args:
        rule: The name of its rule.
        automaton: Its automaton.
        shortest: By hidden terminal, the text that a writer writes.
    """
    tables = _SectionTables(automaton, shortest)
    free = [[state, *text] for state, text in automaton.free.items()]
    trees: dict[str, list[Any]] = {}
    for state, edges in automaton.edges.items():
        rows = []
        for edge in edges:
            tree = to_json(edge.expression)
            rows.append([tree, edge.target])
        # States are keys of JSON objects, which are strings.
        key = str(state)
        trees[key] = rows
    return {
        "rule": rule,
        "free": free,
        "exits": [tables.exits(state) for state in automaton.edges],
        "needed_text": tables.needed_text(),
        "needed_texts": tables.needed_texts(),
        "first_characters": tables.first_characters(),
        "is_token": tables.is_token,
        "is_bare_json": tables.is_bare_json(),
        "opener_texts": tables.opener_texts(),
        "mark_texts": tables.mark_texts(),
        "inner_marks": tables.inner_marks(),
        "envelope": tables.envelope(),
        "open_states": tables.open_states(),
        "ends": tables.ends(),
        "patterns": tables.patterns(),
        "trees": trees,
    }


class _SectionTables:
    """The tables of one section."""

    def __init__(self, automaton: Automaton, shortest: Mapping[str, str]) -> None:
        self.automaton = automaton
        self.shortest = shortest
        self.openers = automaton.edges[START]
        self.edges = [edge for edges in automaton.edges.values() for edge in edges]
        self.is_token = all(map(_begins_with_token, self.openers))

    def needed_text(self) -> str:
        # A text counts only if all openers contain it.
        rows = [set(required_texts(edge.expression)) for edge in self.openers]
        return max(sorted(set.intersection(*rows)), key=len, default="")

    def needed_texts(self) -> list[str]:
        _, pattern, *_ = self.exits(START)
        return list(find_needed_texts(_SAME.sub("(?:)", pattern)))

    def first_characters(self) -> str:
        _, pattern, *_ = self.exits(START)
        # A token may be anywhere in a line, so all places count.
        if self.is_token:
            return ""
        _, _, from_mark = pattern.partition(_LEAD)
        characters = find_first_characters(_SAME.sub("(?:)", from_mark))
        # Blanks do not count where lines are looked up, and what follows these may be anything.
        blanks = set(characters) & set(BLANKS)
        if blanks and not pattern.endswith(tuple(_BEGINNINGS.values())):
            return ""
        return characters

    def is_bare_json(self) -> bool:
        names = {text.name for text in self.automaton.free.values()}
        if names.isdisjoint(VALUES) or self.needed_text():
            return False
        # A mark has a name; a bracket alone is the beginning of the value.
        texts = self.needed_texts()
        if not texts:
            return True
        return not all(any(map(str.isalnum, text)) for text in texts)

    def opener_texts(self) -> list[str]:
        texts: dict[str, None] = {}
        for edge in self.openers:
            for leaf in leaves(edge.expression):
                if isinstance(leaf, Text):
                    texts[leaf.value] = None
        return list(texts)

    def patterns(self) -> dict[str, str]:
        patterns = {}
        for edge in self.edges:
            for leaf in leaves(edge.expression):
                if isinstance(leaf, Term):
                    patterns[leaf.name] = leaf.pattern
        return patterns

    def mark_texts(self) -> list[str]:
        texts = {}
        for edge in self.edges:
            texts.update(dict.fromkeys(_marks_of(edge)))
            texts.update(dict.fromkeys(self._joined_marks(edge)))
        return list(texts)

    def _joined_marks(self, edge: Edge) -> Iterator[str]:
        """Yield the marks of an edge with the `<` before them, if a hidden terminal is that.

        It may have a prefix, as `<` has.
        """
        before = ""
        for leaf in leaves(edge.expression):
            if isinstance(leaf, Text):
                mark = f"{before}{leaf.value}"
                if before and len(mark.strip()) >= _SHORTEST_MARK:
                    yield mark
                before = ""
            else:
                usual = self.shortest.get(leaf.name, "")
                before = usual if usual.startswith("<") else ""

    def inner_marks(self) -> list[str]:
        marks: dict[str, None] = {}
        for edge in self.edges:
            if edge.target == FINAL:
                continue
            for leaf in leaves(edge.expression):
                mark = self._text_of(leaf)
                marks[mark.strip()] = None
        # Line feeds and blanks alone are not marks.
        marks.pop("", None)
        return list(marks)

    def _text_of(self, leaf: Text | Term) -> str:
        """Return the text that a writer writes for a leaf."""
        if isinstance(leaf, Text):
            return leaf.value
        return self.shortest.get(leaf.name, "")

    def envelope(self) -> list[str]:
        for edge in self.openers:
            marks = list(_marks_of(edge))
            # Between the two is the mark of the section itself.
            if edge.target == FINAL and len(marks) > 2:
                first = marks[0]
                last = marks[-1]
                return [first, last]
        return ["", ""]

    def open_states(self) -> list[int]:
        states = []
        for state, edges in self.automaton.edges.items():
            if any(map(_is_optional_end, edges)):
                states.append(state)
        return states

    def ends(self) -> list[list[Any]]:
        patterns = self.patterns()
        # The end of a fence is that of a sample, too.
        if "FENCE" in patterns:
            return []

        def any_text(match: re.Match[str]) -> str:
            """Return the pattern of a terminal that is repeated."""
            name = match[1]
            pattern = patterns[name]
            # Any word on a line would be an end, so only the usual one is.
            word: str | None = ""
            if name == "END":
                word = choose_end("", pattern)
            return re.escape(word) if word else f"(?:{pattern})"

        rows: list[list[Any]] = []
        for state, free in self.automaton.free.items():
            if free.name in _ENDS:
                rows.append([_ENDS[free.name], ['"']])
                continue
            for edge in self.automaton.edges[state]:
                if edge.target != FINAL:
                    continue
                pattern = PatternWriter().write(_from_mark(edge.expression))
                pattern = _SAME.sub(any_text, _GROUP.sub("(?:", pattern))
                if free.is_lines:
                    pattern = f"(?m)^(?:{pattern})"
                needed = list(find_needed_texts(pattern))
                row = [pattern, needed]
                # Without a mark, any text would be an end.
                if needed and row not in rows:
                    rows.append(row)
        return rows

    def exits(self, state: int) -> list[Any]:
        """Return a state with the alternation of its edges, those to further parts first."""
        writer = PatternWriter()
        rows: list[str] = []
        targets = {}
        # An end is tried last: further parts belong to the section.
        edges = sorted(self.automaton.edges[state], key=lambda edge: edge.target == FINAL)
        for edge in edges:
            # It matches everywhere, so the reader treats it apart.
            if edge.expression == NOTHING:
                continue
            group = f"e{len(rows)}"
            targets[group] = edge.target
            pattern = writer.write(edge.expression)
            rows.append(f"(?P<{group}>{pattern})")
        pattern = self._place("|".join(rows) or "(?!)", state, targets)
        repeated = sorted(set(_SAME.findall(pattern)))
        return [state, pattern, writer.groups, targets, repeated]

    def _place(self, pattern: str, state: int, targets: Mapping[str, int]) -> str:
        """Return a pattern with the place where it may match."""
        free = self.automaton.free
        # A free text of whole lines ends only at the beginning of a line.
        at_line = not self.is_token
        if state != START:
            at_line = free[state].is_lines
        lead = _LEAD if state == START else ""
        pattern = f"(?m)^{lead}(?:{pattern})" if at_line else f"(?:{pattern})"
        texts = [free[target] for target in targets.values() if target in free]
        names = {text.name for text in texts}
        if state == START and len(names) == 1:
            # Known of the terminal; the grammar does not show it.
            pattern += _BEGINNINGS.get(names.pop(), "")
        return pattern


def _from_mark(expression: Expression) -> Expression:
    """Return an expression without what is before its first mark, such as optional blanks."""
    parts = expression.parts if isinstance(expression, Sequence) else (expression,)
    for index, part in enumerate(parts):
        for leaf in leaves(part):
            if isinstance(leaf, Text) or leaf.same_as:
                return Sequence(parts[index:])
    return NOTHING


def _begins_with_token(edge: Edge) -> bool:
    """Return whether an opener begins with a token of a chat template."""
    first = next(leaves(edge.expression), None)
    # An optional text at the beginning is a text of the format as well.
    return isinstance(first, Text) and first.value.startswith(_TOKENS)


def _is_optional_end(edge: Edge) -> bool:
    """Return whether an edge ends a section, and needs no text."""
    pattern = PatternWriter().write(edge.expression)
    return edge.target == FINAL and re.fullmatch(pattern, "") is not None


def _marks_of(edge: Edge) -> Iterator[str]:
    """Yield the literal texts of an edge that are probably marks."""
    for leaf in leaves(edge.expression):
        if not isinstance(leaf, Text):
            continue
        # A shorter text is often a part of a content.
        mark = leaf.value.strip()
        if len(mark) >= _SHORTEST_MARK:
            yield leaf.value
