"""A section of a format at run time: which patterns lead out of each of its free texts.

The patterns are compiled on first use, since a reply needs those of few formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..patterns.regexes import Match, Pattern, compile_pattern, escape
from .automaton import FINAL, START, Automaton, Edge, FreeText
from .expressions import (
    CLOSE,
    NOTHING,
    PatternWriter,
    Term,
    Text,
    from_json,
    leaves,
    may_lack,
    required_texts,
)

# Tokens of chat templates begin with these; they may be anywhere in a line. All else begins a line.
_TOKENS = ("<|", "<｜")
# Before a mark at the beginning of a line: a token of a chat template, blanks as Markdown allows
# them, and characters that cannot be seen.
UNSEEN = "\u200b\u2060\ufeff"
_LEAD = rf"(?P<lead>(?:<\|[a-z_]{{1,30}}\|>(?:assistant)?)?[ {UNSEEN}]{{0,3}})"
_JSON_BEGINS = r"(?=[ \t\n]*[{\[])"
_SAME = re.compile("\0(\\w+)\0")
_SHORTEST_MARK = 4  # characters of a mark that is probably not a part of a content by chance


class Exits(NamedTuple):
    """The pattern of all edges out of a state.

    Attributes:
        pattern: An alternation; the group `e0` is the first edge, and so on.
        groups: By the name of a group, the terminal that it captures.
        targets: By the group of an edge, the state to which it leads.
    """

    pattern: str
    groups: dict[str, str]
    targets: dict[str, int]


@dataclass(eq=False)
class Section:
    """One rule of a format.

    Attributes:
        format: The name of the format.
        rule: The rule: `write`, `edit`, `delete`, `command`, `call` or `sample`.
        automaton: Its free texts and edges.
        shortest: By hidden terminal, the text that a writer writes.
    """

    format: str
    rule: str
    automaton: Automaton
    shortest: Mapping[str, str]

    @classmethod
    def from_data(cls, format: str, data: Any, shortest: Mapping[str, str]) -> Section:
        """Return the section of JSON values.

        Args:
            format: The name of its format.
            data: The values (`grammar.WrittenFormat.to_data`).
            shortest: By hidden terminal, the text that a writer writes.
        """
        free: dict[int, FreeText] = {}
        for state, row in data["free"].items():
            free[int(state)] = FreeText(*row)
        edges: dict[int, list[Edge]] = {}
        for state, rows in data["edges"].items():
            leaving = edges[int(state)] = []
            for tree, target in rows:
                leaving.append(Edge(from_json(tree), target))
        return cls(format, data["rule"], Automaton(free, edges), shortest)

    @cached_property
    def needed_text(self) -> str:
        """The longest text in every opener: a reply without it has no such section."""
        # A text counts only if all openers contain it.
        rows = [set(required_texts(edge.expression)) for edge in self.automaton.edges[START]]
        return max(set.intersection(*rows), key=len, default="")

    @cached_property
    def is_token(self) -> bool:
        """Whether it begins with a token of a chat template."""
        for edge in self.automaton.edges[START]:
            first = next(leaves(edge.expression), None)
            # An optional text at the beginning is a text of the format as well.
            if not isinstance(first, Text) or not first.value.startswith(_TOKENS):
                return False
        return True

    @cached_property
    def opener_texts(self) -> tuple[str, ...]:
        """The literal texts of its openers."""
        texts: dict[str, None] = {}
        for edge in self.automaton.edges[START]:
            for leaf in leaves(edge.expression):
                if isinstance(leaf, Text):
                    texts[leaf.value] = None
        return tuple(texts)

    @cached_property
    def is_bare_json(self) -> bool:
        """Whether no mark is needed before a JSON value that is a call."""
        return not self.needed_text and "JSON" in self.free_names

    @cached_property
    def opener(self) -> Exits:
        """The pattern that begins the section."""
        return self.exits(START, {})

    @cached_property
    def opener_pattern(self) -> Pattern:
        """The compiled pattern of `opener`."""
        return compile_pattern(self.opener.pattern)

    def start_of(self, opener: Match) -> int:
        """Return where a section begins: what may be before its first mark does not belong to it.

        Args:
            opener: A match of `opener_pattern`.
        """
        if self.is_token:
            return opener.start()
        return opener.end("lead")

    def may_begin_in(self, text: str) -> bool:
        """Return whether an opener is in a text.

        Args:
            text: The text; its lines end with line feeds only.
        """
        return self.needed_text in text and self.opener_pattern.search(text) is not None

    @cached_property
    def terminals(self) -> frozenset[str]:
        """The names of its terminals, free texts included."""
        return self.free_names.union(self.patterns)

    @cached_property
    def patterns(self) -> dict[str, str]:
        """The patterns of its terminals that are not free texts."""
        patterns: dict[str, str] = {}
        for edge in self._all_edges:
            for leaf in leaves(edge.expression):
                if isinstance(leaf, Term):
                    patterns[leaf.name] = leaf.pattern
        return patterns

    @cached_property
    def free_names(self) -> frozenset[str]:
        """The names of its free texts."""
        return frozenset(free.name for free in self.automaton.free.values())

    @cached_property
    def mark_texts(self) -> tuple[str, ...]:
        """The literal texts that are probably marks wherever they are."""
        texts: dict[str, None] = {}
        for edge in self._all_edges:
            texts.update(dict.fromkeys(_marks_of(edge)))
        return tuple(texts)

    @cached_property
    def inner_marks(self) -> tuple[str, ...]:
        """The marks that lead to a further part, not out of the section."""
        marks: dict[str, None] = {}
        for edge in self._all_edges:
            if edge.target == FINAL:
                continue
            for leaf in leaves(edge.expression):
                mark = self.shortest.get(leaf.name, "") if isinstance(leaf, Term) else leaf.value
                marks[mark.strip()] = None
        # Line feeds and blanks alone are not marks.
        marks.pop("", None)
        return tuple(marks)

    @cached_property
    def envelope(self) -> tuple[str, str]:
        """The first and the last mark around several sections; two empty texts if there are none.

        Both are optional in each section: `*** Begin Patch` is only before the first one.
        """
        for edge in self.automaton.edges[START]:
            marks = list(_marks_of(edge))
            # Between the two is the mark of the section itself.
            if edge.target == FINAL and len(marks) > 2:
                return marks[0], marks[-1]
        return "", ""

    @cached_property
    def may_lack_close(self) -> bool:
        """Whether its end may lack `_CLOSE`. Where that is missing, the text may be truncated."""
        for edge in self._all_edges:
            if edge.target == FINAL and may_lack(edge.expression, CLOSE):
                return True
        return False

    @cached_property
    def open_states(self) -> frozenset[int]:
        """The states after which nothing needs to follow."""
        states = set()
        for state, edges in self.automaton.edges.items():
            for edge in edges:
                # A state is open if one of its ends needs no text.
                pattern = PatternWriter().write(edge.expression)
                if edge.target == FINAL and re.fullmatch(pattern, ""):
                    states.add(state)
        return frozenset(states)

    @cached_property
    def _all_edges(self) -> list[Edge]:
        return [edge for edges in self.automaton.edges.values() for edge in edges]

    @cached_property
    def _alternations(self) -> dict[int, Exits]:
        return {state: self._alternate(state) for state in self.automaton.edges}

    def _alternate(self, state: int) -> Exits:
        """Return the alternation of the edges out of a state, those to further parts first."""
        writer = PatternWriter()
        rows: list[str] = []
        targets: dict[str, int] = {}
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
        return Exits("|".join(rows) or "(?!)", writer.groups, targets)

    def exits(self, state: int, same: Mapping[str, str]) -> Exits:
        """Return the pattern of all edges out of a state.

        Args:
            state: The state.
            same: By terminal, the text that SAME_X repeats.
        """
        exits = self._alternations[state]
        free = self.automaton.free

        def same_text(match: re.Match[str]) -> str:
            # A text that no reply has, where X was not read.
            return escape(same.get(match[1], "\1"))

        pattern = _SAME.sub(same_text, exits.pattern)
        # A free text of whole lines ends only at the beginning of a line.
        at_line = not self.is_token
        if state != START:
            at_line = free[state].is_lines
        lead = _LEAD if state == START else ""
        pattern = f"(?m)^{lead}(?:{pattern})" if at_line else f"(?:{pattern})"
        if state == START:
            names = {free[target].name for target in exits.targets.values() if target in free}
            if names == {"JSON"}:
                # Known of the terminal; the grammar does not show it.
                pattern += _JSON_BEGINS
        return exits._replace(pattern=pattern)


def _marks_of(edge: Edge) -> Iterator[str]:
    """Yield the literal texts of an edge that are probably marks."""
    for leaf in leaves(edge.expression):
        if not isinstance(leaf, Text):
            continue
        # A shorter text is often a part of a content.
        mark = leaf.value.strip()
        if len(mark) >= _SHORTEST_MARK:
            yield leaf.value
