"""Parse a text by the LALR tables of a dialect: return its tree, or the place of the first error.

Purpose
    This parser decides what is valid. `section_patterns` reads most valid texts faster, but leaves
    every doubt to this module. Lark makes the tables when a grammar is compiled. The driver runs
    without Lark, so a warm start does not import it, and the exported parsers can translate it.

Theory of operation
    An LALR(1) parser is a stack of states and a table. For the current state and the next terminal
    the table holds one action:

        shift s     take the terminal and go to the state s
        reduce r    the top of the stack is the right side of the rule r: replace it by a tree

    The lexer is contextual: it tries only the terminals that the current state accepts. So `run` is
    a verb after an action mark, and plain text after a thought mark, without rules in the lexer. Of
    several terminals that match, the first in Lark's order is taken (`lark_insides.lexer_rank`). An
    error is reported with the terminals that the state accepts; `strict/explain` makes a message of
    them.

    The text `::run @ls` in v2, with the states of the installed grammar:

        next terminal    states before         actions
        _ACTION "::"     0                     shift
        RUN "run"        0 7                   reduce _mark, shift
        _SP " "          0 13 46               reduce _running, shift
        _TARGET "@"      0 13 54 69            shift
        COMMAND "ls"     0 13 54 69 81         shift
        _NL              0 13 54 69 81 92      shift
        $END             0 13 52 68            reduce head, action, document: the text is valid

    The tree that results is document(action(head(RUN, COMMAND))): children of a rule with a leading
    underscore become children of the rule above it, and marks are left out.

    The tables are JSON values (see `compiling/dialect_tables.freeze_parser`).

Invariants
    1. Trees, error offsets and expected terminals are those of Lark's own parser
       (`tests/core/grammar/test_lalr.py`, on texts on file and on random ones).
    2. Offsets are 0-based, count characters, and refer to the text that `parse` was given.
    3. The time is linear in the text (`tests/test_pathological.py`): the children of a repetition
       are handed on, not copied.

Not here
    Documents, messages and repairs. Conflicts between rules: Lark refuses them when it compiles.

References
    F. DeRemer and T. Pennello, Efficient computation of LALR(1) look-ahead sets, ACM Transactions
    on Programming Languages and Systems 4 (1982), https://doi.org/10.1145/69622.357187
    E. R. Van Wyk and A. C. Schwerdfeger, Context-aware scanning for parsing extensible languages,
    GPCE 2007, https://doi.org/10.1145/1289971.1289983
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..patterns.regexes import compile_pattern

END = "$END"  # Lark's name of the terminal after the last one
# Lark's name of the expectation where a state accepts only the end.
_NOTHING_EXPECTED = frozenset(("<END-OF-FILE>",))

# By symbol: whether the parser shifts, and the next state; else the rule that it reduces by.
Actions = dict[str, tuple[bool, int]]


class Token(NamedTuple):
    """A terminal of a text.

    Attributes:
        type: The name of the terminal.
        value: Its text.
        start: The offset at which it begins.
    """

    type: str
    value: str
    start: int

    # Tokens have the attributes of trees that `_make` needs of every child.
    @property
    def outer_start(self) -> int:
        """The offset at which it begins."""
        return self.start

    @property
    def outer_end(self) -> int:
        """The offset after its text."""
        return self.start + len(self.value)


class Tree:
    """A rule that was matched.

    Attributes:
        rule: The name of the rule, or of its alias.
        children: Trees, tokens, and None for each optional part in `[...]` that is missing.
        start: The offset at which it begins; -1 if it matches no text.
        end: The offset at which it ends; -1 if it matches no text.
        outer_start: `start` of the outermost rule that this tree took the place of.
        outer_end: `end` of the outermost rule that this tree took the place of.
    """

    __slots__ = ("children", "end", "outer_end", "outer_start", "rule", "start")

    def __init__(self, rule: str, children: list[Any]) -> None:
        self.rule = rule
        self.children = children
        self.start = self.end = self.outer_start = self.outer_end = -1

    def tokens(self) -> list[Token]:
        """Return all tokens in the tree, in order."""
        tokens = []
        for child in self.children:
            if isinstance(child, Tree):
                tokens += child.tokens()
            elif child is not None:
                tokens.append(child)
        return tokens

    @property
    def value(self) -> str:
        """The texts of all tokens in the tree, joined."""
        return "".join(token.value for token in self.tokens())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return False
        return self.rule == other.rule and self.children == other.children

    def __hash__(self) -> int:
        return hash(self.rule)


class Unexpected(Exception):
    """A text is not in the language.

    Attributes:
        offset: The offset of the first text that does not fit.
        expected: The names of the terminals that would fit there.
    """

    def __init__(self, offset: int, expected: frozenset[str]) -> None:
        super().__init__(f"unexpected input at offset {offset}")
        self.offset = offset
        self.expected = expected


class _Terminal(NamedTuple):
    """A terminal of the tables.

    Attributes:
        name: Its name.
        pattern: Its regular expression.
        is_fixed: Whether it is one fixed string.
        text: That string; for others, the source of the pattern.
        priority: Its priority in the grammar: of two that match, the higher one wins.
    """

    name: str
    pattern: str
    is_fixed: bool
    text: str
    priority: int


class _Lexer:
    """Reads one of several terminals; of those that match, the first in Lark's order.

    A fixed string that a pattern of the same priority also matches, such as a verb, is not tried
    itself: if the pattern matches exactly this string, the token gets the string's name.

    Attributes:
        words: By pattern terminal and text, the fixed terminal of this text.
        expected: The terminals that are tried, for errors.
        pattern: The alternatives of all terminals, a group each; None if there are no terminals.
    """

    def __init__(self, terminals: Sequence[_Terminal]) -> None:
        self.words: dict[str, dict[str, str]] = {}
        embedded: set[str] = set()
        fixed = [terminal for terminal in terminals if terminal.is_fixed]
        for terminal in terminals:
            if terminal.is_fixed:
                continue
            words = _find_embedded(terminal, fixed)
            if words:
                self.words[terminal.name] = words
                embedded.update(words.values())
        names = []
        groups = []
        for terminal in terminals:
            name = terminal.name
            if name in embedded:
                continue
            names.append(name)
            groups.append(f"(?P<{name}>{terminal.pattern})")
        self.expected = frozenset(names) or _NOTHING_EXPECTED
        self.pattern = None
        if groups:
            self.pattern = compile_pattern("|".join(groups))

    def read(self, text: str, start: int) -> Token | None:
        """Return the terminal at an offset; None if none matches."""
        if self.pattern is None:
            return None
        match = self.pattern.match(text, start)
        if match is None or match.lastgroup is None:
            return None
        name = match.lastgroup
        value = match[0]
        words = self.words.get(name)
        if words is not None:
            name = words.get(value, name)
        return Token(name, value, start)


def _find_embedded(terminal: _Terminal, fixed: Sequence[_Terminal]) -> dict[str, str]:
    """Return the fixed terminals that a pattern matches as a whole: their names by text."""
    words = {}
    pattern = compile_pattern(terminal.pattern)
    for word in fixed:
        if word.priority != terminal.priority:
            continue
        match = pattern.match(word.text)
        if match is not None and match[0] == word.text:
            words[word.text] = word.name
    return words


def read_states(tables: Mapping[str, Any]) -> list[Actions]:
    """Return the actions of each state from the tables of a dialect."""
    symbols = tables["symbols"]
    states = []
    for rows in tables["states"]:
        actions: Actions = {}
        for row in rows:
            number = row[0]
            # A state to go to is its number; a rule to reduce by is -1 minus its number.
            action = (True, number) if number >= 0 else (False, -1 - number)
            for symbol in row[1:]:
                actions[symbols[symbol]] = action
        states.append(actions)
    return states


class LalrParser:
    """An LALR parser that runs tables.

    Args:
        tables: `terminals`, `symbols`, `states`, `starts`, `ends`, `rules` and `ignored`, as
            `compiling/dialect_tables.freeze_parser` documents them.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self._terminals: list[_Terminal] = []
        for name, pattern, is_fixed, text, priority in tables["terminals"]:
            terminal = _Terminal(name, pattern, is_fixed, text, priority)
            self._terminals.append(terminal)
        self._states = read_states(tables)
        self._starts: dict[str, int] = tables["starts"]
        self._ends: dict[str, int] = tables["ends"]
        self._rules = tables["rules"]
        self._ignored = frozenset(tables["ignored"])
        # Many states accept the same terminals, so they share a lexer.
        self._lexers: dict[tuple[str, ...], _Lexer] = {}
        self._lexer_of: dict[int, _Lexer] = {}  # by state

    def parse(self, text: str, start: str) -> Tree:
        """Return the tree of a text.

        Args:
            text: The text; rules of lines need a line feed at its end.
            start: The rule that the text must match, one of those that the tables were made for.

        Raises:
            Unexpected: The text does not match the rule.
        """
        states = [self._starts[start]]
        values: list[Any] = []
        end = self._ends[start]
        place = 0
        last = 0  # where the last terminal begins: Lark places an early end there
        while True:
            if place < len(text):
                lexer = self._lexer_of.get(states[-1])
                if lexer is None:
                    lexer = self._lexer(states[-1])
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
        """Return the lexer of the terminals that a state accepts; it is built on first use."""
        names = {*self._states[state], *self._ignored}
        terminals = [terminal for terminal in self._terminals if terminal.name in names]
        key = tuple(terminal.name for terminal in terminals)
        lexer = self._lexers.get(key)
        if lexer is None:
            lexer = _Lexer(terminals)
            self._lexers[key] = lexer
        self._lexer_of[state] = lexer
        return lexer

    def _advance(self, token: Token, states: list[int], values: list[Any], end: int) -> bool:
        """Reduce as often as a terminal asks for, then shift it; return whether the text ends.

        `values` has the tree or token of each state but the first.
        """
        while True:
            accepted = self._states[states[-1]]
            action = accepted.get(token.type)
            if action is None:
                expected = frozenset(name for name in accepted if name.isupper())
                raise Unexpected(token.start, expected)
            is_shift, target = action
            if is_shift:
                states.append(target)
                values.append(token)
                return False
            rule = self._rules[target]
            origin = rule[0]
            symbols = rule[2]
            children = values[len(values) - len(symbols) :]
            for _ in symbols:
                values.pop()
                states.pop()
            values.append(_make(rule, children))
            states.append(self._states[states[-1]][origin][1])
            if token.type == END and states[-1] == end:
                return True


def may_begin(parser: LalrParser, text: str, start: str) -> bool:
    """Return whether the first terminal of a text fits, without parsing the text.

    Args:
        parser: The parser of a dialect.
        text: The text.
        start: The rule that the text should match.
    """
    state = parser._starts[start]
    lexer = parser._lexer_of.get(state)
    if lexer is None:
        lexer = parser._lexer(state)
    if lexer.pattern is None:
        return True
    return lexer.pattern.match(text) is not None


def _make(rule: Sequence[Any], children: list[Any]) -> Any:
    """Return the tree of a rule, or its only child where the rule asks for that."""
    # `placeholders` counts the missing optional parts before each symbol, and after the last.
    origin, alias, symbols, expands, placeholders = rule
    members: list[Any] = []
    for (is_inlined, is_left_out), child, empty in zip(
        symbols, children, placeholders, strict=False
    ):
        if empty:
            members += [None] * empty
        if is_inlined and not members:
            # Shared, not copied: no other tree has this list. A repetition of n sections is n
            # reductions, and to copy the list in each would take quadratic time.
            members = child.children
        elif is_inlined:
            members += child.children
        elif not is_left_out:
            members.append(child)
    members += [None] * placeholders[-1]
    if expands and not alias and len(members) == 1:
        if not isinstance(members[0], Tree):
            return members[0]
        tree = members[0]
    else:
        tree = Tree(alias or origin, members)
    placed = [child for child in children if child is not None and child.start >= 0]
    if placed:
        # Left-out marks count for the place of a tree. A tree that takes the place of its rule
        # keeps its own place and gets the rule's as the outer one.
        tree.outer_start = placed[0].outer_start
        tree.outer_end = placed[-1].outer_end
        if tree.start < 0:
            tree.start = tree.outer_start
            tree.end = tree.outer_end
    return tree
