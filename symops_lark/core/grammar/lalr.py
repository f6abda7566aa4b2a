"""A driver for the LALR tables of a dialect: a tree, or the place of the error and what could have stood there.

The tables are Lark's (`grammar/compiler` takes them from it), and so is the result: tests hold the two against each
other. What is here runs without Lark and knows nothing of documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..patterns.regexes import compile_pattern

END = "$END"
_NOTHING_EXPECTED = frozenset(("<END-OF-FILE>",))


class Token(NamedTuple):
    """A terminal that was read: its name, its text, and the offset at which it begins."""

    type: str
    value: str
    start: int

    @property
    def outer_start(self) -> int:
        """The same, as trees have it."""
        return self.start

    @property
    def outer_end(self) -> int:
        """The offset behind the text."""
        return self.start + len(self.value)


class Tree:
    """A rule that was read: its name, its children, and its place; `outer` is that of all that was inlined in it."""

    __slots__ = ("children", "end", "outer_end", "outer_start", "rule", "start")

    def __init__(self, rule: str, children: list[Any]) -> None:
        self.rule = rule
        self.children = children
        self.start = self.end = self.outer_start = self.outer_end = -1

    def tokens(self) -> list[Token]:
        """Return the terminals that were kept, in order."""
        kept: list[Token] = []
        for child in self.children:
            kept += child.tokens() if isinstance(child, Tree) else [child] if child is not None else []
        return kept

    @property
    def value(self) -> str:
        """The text of the terminals that were kept."""
        return "".join(token.value for token in self.tokens())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and (self.rule, self.children) == (other.rule, other.children)

    def __hash__(self) -> int:
        return hash(self.rule)


class Unexpected(Exception):
    """A text is not in the language: `offset` is where, `expected` names the terminals that could stand there."""

    def __init__(self, offset: int, expected: frozenset[str]) -> None:
        super().__init__(f"unexpected input at offset {offset}")
        self.offset = offset
        self.expected = expected


class _Lexer:
    """Reads one of several terminals; of those that match, the first in Lark's order."""

    def __init__(self, terminals: Sequence[Sequence[Any]]) -> None:
        words: dict[str, dict[str, str]] = {}
        embedded: set[str] = set()
        for name, pattern, is_word, _, priority in terminals:
            if is_word:
                continue
            compiled = compile_pattern(pattern)
            for word, _, other_is_word, text, other_priority in terminals:
                match = compiled.match(text) if other_is_word and priority == other_priority else None
                if match is not None and match[0] == text:
                    words.setdefault(name, {})[text] = word
                    embedded.add(word)
        used = [row for row in terminals if row[0] not in embedded]
        self.words = words  # a terminal that matches a fixed string of another is that other one
        self.expected = frozenset(row[0] for row in used) or _NOTHING_EXPECTED
        self.pattern = compile_pattern("|".join(f"(?P<{row[0]}>{row[1]})" for row in used)) if used else None

    def read(self, text: str, start: int) -> Token | None:
        """Return the terminal at an offset, or None."""
        match = self.pattern.match(text, start) if self.pattern is not None else None
        if match is None or match.lastgroup is None:
            return None
        name, value = match.lastgroup, match[0]
        return Token(self.words.get(name, {}).get(value, name), value, start)


def read_states(tables: Mapping[str, Any]) -> list[dict[str, tuple[bool, int]]]:
    """Return for each state, by symbol, whether it is shifted, and the state, or the rule that is reduced."""
    symbols, states = tables["symbols"], list[dict[str, tuple[bool, int]]]()
    for rows in tables["states"]:
        states.append({})
        for row in rows:
            action = (True, row[0]) if row[0] >= 0 else (False, -1 - row[0])
            for symbol in row[1:]:
                states[-1][symbols[symbol]] = action
    return states


class LalrParser:
    """Parses by frozen tables: `terminals`, `symbols`, `states`, `starts`, `ends`, `rules`, `ignored`.

    `grammar/compiler` says what they are.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self._terminals = tables["terminals"]
        self._states = read_states(tables)
        self._starts: dict[str, int] = tables["starts"]
        self._ends: dict[str, int] = tables["ends"]
        self._rules = tables["rules"]
        self._ignored = frozenset(tables["ignored"])
        self._lexers: dict[tuple[str, ...], _Lexer] = {}
        self._lexer_of: dict[int, _Lexer] = {}

    def parse(self, text: str, start: str) -> Tree:
        """Return the tree of a text; raise `Unexpected` where the language ends."""
        states, values = [self._starts[start]], list[Any]()
        end, place, last = self._ends[start], 0, 0
        while True:
            if place < len(text):
                lexer = self._lexer_of.get(states[-1]) or self._lexer(states[-1])
                token = lexer.read(text, place)
                if token is None:
                    raise Unexpected(place, lexer.expected - self._ignored)
                place += len(token.value)
                if token.type in self._ignored:
                    continue
                last = token.start
            else:
                token = Token(END, "", last)
            if self._advance(token, states, values, end):
                tree: Tree = values[-1]
                return tree

    def _lexer(self, state: int) -> _Lexer:
        """Return the lexer of what a state accepts, made where it is asked for first."""
        accepted = self._states[state]
        rows = [row for row in self._terminals if row[0] in accepted or row[0] in self._ignored]
        key = tuple(row[0] for row in rows)
        if key not in self._lexers:
            self._lexers[key] = _Lexer(rows)
        self._lexer_of[state] = self._lexers[key]
        return self._lexers[key]

    def _advance(self, token: Token, states: list[int], values: list[Any], end: int) -> bool:
        """Shift one terminal, after the reductions that it asks for; return whether the text is complete."""
        while True:
            accepted = self._states[states[-1]]
            action = accepted.get(token.type)
            if action is None:
                raise Unexpected(token.start, frozenset(name for name in accepted if name.isupper()))
            shifts, target = action
            if shifts:
                states.append(target)
                values.append(token)
                return False
            origin, _, symbols, _, _ = rule = self._rules[target]
            children = values[len(values) - len(symbols) :]
            for _ in symbols:
                values.pop()
                states.pop()
            values.append(_make(rule, children))
            states.append(self._states[states[-1]][origin][1])
            if token.type == END and states[-1] == end:
                return True


def may_begin(parser: LalrParser, text: str, start: str) -> bool:
    """Return whether a text begins with a terminal that any text begins with: told without reading it."""
    state = parser._starts[start]
    lexer = parser._lexer_of.get(state) or parser._lexer(state)
    return lexer.pattern is None or lexer.pattern.match(text) is not None


def _make(rule: Sequence[Any], children: list[Any]) -> Any:
    """Return the tree of a rule: children of inlined rules are its own, marks that are filtered out are not."""
    origin, alias, symbols, expands, placeholders = rule
    kept: list[Any] = []
    for (inline, filtered), child, empty in zip(symbols, children, placeholders, strict=False):
        if empty:
            kept += [None] * empty
        if inline and not kept:
            kept = child.children  # no other tree has this list: a long repetition is not copied again and again
        elif inline:
            kept += child.children
        elif not filtered:
            kept.append(child)
    kept += [None] * placeholders[-1]
    if expands and not alias and len(kept) == 1 and isinstance(kept[0], Tree):
        tree = kept[0]
    elif expands and not alias and len(kept) == 1:
        return kept[0]
    else:
        tree = Tree(alias or origin, kept)
    placed = [child for child in children if child is not None and child.start >= 0]
    if placed:
        tree.outer_start, tree.outer_end = placed[0].outer_start, placed[-1].outer_end
        if tree.start < 0:
            tree.start, tree.end = tree.outer_start, tree.outer_end
    return tree
