"""Make the terminals of a grammar match in a pattern exactly where Lark's lexer would take them.

Lark's lexer looks at one terminal at a time. A pattern of a whole section backtracks and tries its
alternatives in their order, so three differences need a correction:

1. The lexer does not give characters back, so each terminal becomes an atomic group, `(?>…)`.
2. The lexer tries terminals by their rank (`lexer_rank`), whatever the order of the alternatives in
   a rule. So an alternative begins with a *guard*, `(?!…)`, for each terminal that begins another
   alternative and is tried before its own first terminal.
3. A *word* is a fixed string that another terminal, its *rival*, matches too: `RUN: "run"` and
   `VERB: /[a-z]+/`. Lark takes the longest match of the rival, and if its text is exactly the word,
   calls it the word. So `run` is RUN and `running` is VERB. The pattern of the rival rejects
   the words (`keeping`); where a word matches, `section_patterns` checks that no rival matches
   more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from .lark_insides import lexer_rank

if TYPE_CHECKING:
    from .lark_insides import TerminalDef

# Terminals, or texts of words, by the name of a terminal.
_NamesByName = dict[str, set[str]]
# An escape, a class, or the bracket of a capturing group: `\(` and `[(]` are not such brackets, and
# `(?:` does not match at all.
_BRACKET = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?!\?)", re.DOTALL)


class TerminalPatterns:
    """The patterns of the terminals of one grammar.

    Attributes:
        reserved: By terminal, the words that it must not match.
        rivals: By terminal that is a word, the terminals that may match more where it ends.

    Args:
        terminals: The terminals as Lark compiled them.
        states: For each state of the LALR parser the symbols that it accepts: only terminals of one
            state compete. None: all terminals compete.
    """

    def __init__(
        self, terminals: Collection[TerminalDef], states: Iterable[Collection[str]] | None
    ) -> None:
        self._patterns: dict[str, Any] = {}
        self._ranks: dict[str, int] = {}
        ordered = sorted(terminals, key=lexer_rank)
        for rank, terminal in enumerate(ordered):
            name = terminal.name
            self._patterns[name] = terminal.pattern
            self._ranks[name] = rank
        self.reserved: _NamesByName = {}
        self.rivals: _NamesByName = {}
        if states is None:
            states = [self._patterns]
        self._find_words(states)

    def __contains__(self, name: str) -> bool:
        return name in self._patterns

    def _find_words(self, states: Iterable[Collection[str]]) -> None:
        """Find the words, and their rivals in any state."""
        pairs: set[tuple[str, str]] = set()
        for state in states:
            fixed: list[str] = []
            expressions: list[str] = []
            for name in state:
                if name in self._patterns:
                    is_fixed = self.fixed_text(name) is not None
                    names = fixed if is_fixed else expressions
                    names.append(name)
            pairs.update(product(fixed, expressions))
        # Sorted, so that the tables are equal in each process: sets of names are not in order.
        for word, rival in sorted(pairs):
            text = self._patterns[word].value
            pattern = self.to_regexp(rival)
            # `match`, not `fullmatch`, as in Lark: the first match of the rival must be the word.
            match = re.match(pattern, text)
            if match is not None and match[0] == text:
                words = self.reserved.setdefault(rival, set())
                words.add(text)
                rivals = self.rivals.setdefault(word, set())
                rivals.add(rival)

    def competes(self, name: str) -> bool:
        """Return whether a terminal is a word, or the rival of one."""
        return name in self.reserved or name in self.rivals

    def fixed_text(self, name: str) -> str | None:
        """Return the text of a terminal that is a fixed string; None for a regular expression."""
        pattern = self._patterns[name]
        if pattern.type != "str":
            return None
        return str(pattern.value)

    def has_flags(self, name: str) -> bool:
        """Return whether a terminal has flags, such as `i`."""
        pattern = self._patterns[name]
        return bool(pattern.flags)

    def to_regexp(self, name: str) -> str:
        """Return the pattern of a terminal as it is written in the grammar."""
        pattern = self._patterns[name]
        return str(pattern.to_regexp())

    def plain(self, name: str) -> str:
        """Return the pattern of a terminal without capturing groups."""
        pattern = self.to_regexp(name)
        return without_captures(pattern)

    def keeping(self, name: str) -> str:
        """Return the pattern of a terminal that keeps its match, and rejects reserved words."""
        plain = self.plain(name)
        pattern = f"(?>{plain})"
        words = self.reserved.get(name)
        if not words:
            return pattern
        escaped = list(map(re.escape, sorted(words)))
        words_pattern = "|".join(escaped)
        # Lookbehind assertions have a fixed length, so each word needs one. A match that begins
        # with a word and ends with one (`runrun`) is rejected too: the LALR parser reads it.
        no_word_before = "".join([f"(?<!{word})" for word in escaped])
        # Most texts begin with no word, and then the assertions at the end cost nothing.
        # `usual` and `like_a_word` exclude each other, so their order does not matter.
        usual = f"(?!{words_pattern}){pattern}"
        like_a_word = f"(?={words_pattern}){pattern}" + no_word_before
        return f"(?>{usual}|{like_a_word})"

    def guard(self, own: set[str], competing: set[str]) -> str:
        """Return a lookahead assertion with which an alternative begins.

        Args:
            own: The terminals with which the alternative may begin.
            competing: The terminals with which any of the alternatives may begin.

        Returns:
            A pattern that fails where the lexer would take a terminal of another alternative.
        """
        preferred = set()
        for competitor in competing - own:
            for name in own:
                if self._is_preferred(competitor, name):
                    preferred.add(competitor)
        guard = ""
        for name in sorted(preferred):
            # A word of this alternative may be reserved: the competitor does not take its text.
            pattern = self.keeping(name) if name in self.reserved else self.plain(name)
            guard += f"(?!{pattern})"
        return guard

    def _is_preferred(self, name: str, to: str) -> bool:
        """Return whether the lexer tries a terminal before another one, and takes the first match.

        That is not so for a word and its rival: `keeping` decides between these.
        """
        if name in self.rivals.get(to, ()):
            return False
        if to in self.rivals.get(name, ()):
            return False
        return self._ranks[name] < self._ranks[to]

    def rename_word(self, name: str, new_name: str) -> None:
        """Give a word its rivals under another name as well."""
        rivals = self.rivals.get(name)
        if rivals:
            self.rivals[new_name] = rivals

    def to_data(self) -> dict[str, Any]:
        """Return the words and rivals as entries of the tables of `SectionPatterns`."""
        reserved = {}
        for name, words in sorted(self.reserved.items()):
            reserved[name] = sorted(words)
        rivals = {}
        patterns = {}
        for name, names in sorted(self.rivals.items()):
            rivals[name] = sorted(names)
            for rival in rivals[name]:
                patterns[rival] = self.to_regexp(rival)
        return {"reserved": reserved, "rivals": rivals, "patterns": patterns}


def without_captures(pattern: str) -> str:
    """Return a pattern whose groups do not capture: each capture costs time at each match."""
    return _BRACKET.sub(_open_group, pattern)


def _open_group(match: re.Match[str]) -> str:
    text = match[0]
    return "(?:" if text == "(" else text


def find_firsts(
    rules: Mapping[str, Any], node: Any, within: frozenset[str] = frozenset()
) -> tuple[set[str], bool]:
    """Find the terminals with which a part of a rule may begin (its FIRST set).

    Args:
        rules: The trees of the rules by name.
        node: The part.
        within: The rules that are being expanded: a rule that refers to itself adds nothing new.

    Returns:
        The names of the terminals, and whether the part may be empty.
    """
    if not hasattr(node, "data"):
        name = str(getattr(node, "name", ""))
        if name in within:
            # What it begins with is found where it was expanded first.
            return set(), False
        if name in rules:
            tree = rules[name]
            return find_firsts(rules, tree, within | {name})
        return {name}, False
    parts = node.children
    kind = node.data
    if kind in ("maybe", "expr"):
        part = parts[0]
        firsts, may_be_empty = find_firsts(rules, part, within)
        if kind == "maybe" or parts[1] in ("?", "*"):
            may_be_empty = True
        return firsts, may_be_empty
    if kind == "expansions":
        return _find_firsts_of_any(rules, parts, within)
    firsts = set()
    for part in parts:
        part_firsts, is_empty = find_firsts(rules, part, within)
        firsts |= part_firsts
        if not is_empty:
            return firsts, False
    return firsts, True


def _find_firsts_of_any(
    rules: Mapping[str, Any], branches: Any, within: frozenset[str]
) -> tuple[set[str], bool]:
    firsts = set()
    may_be_empty = False
    for branch in branches:
        branch_firsts, is_empty = find_firsts(rules, branch, within)
        firsts |= branch_firsts
        if is_empty:
            may_be_empty = True
    return firsts, may_be_empty
