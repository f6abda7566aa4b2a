"""A compiled grammar as tables: dotted rules, FIRST sets, cheapest insertions, terminals.

The states of the chart are dotted rules, numbered through: `symbols[state]` follows the dot, and
the state after it is `state + 1`. Only documented attributes of `Lark` are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..core.ground.errors import GrammarError
from .edits import END, INDENTATION, INSERT, INVENTED, Edit, Leaf, Node
from .samples import find_choices, find_quotes, find_sample


class Symbol(NamedTuple):
    """A symbol of a rule."""

    is_terminal: bool
    name: str


class Production(NamedTuple):
    """A rule; `rule` is Lark's object, None for the rule above the start rule."""

    name: str
    symbols: tuple[Symbol, ...]
    rule: Any
    price: int


TOP = "$top"
Least = Mapping[str, tuple[int, int]]


class Tables:
    """A grammar as the chart and the scanner need it.

    Attributes:
        productions: The rules; the first one is the start rule and the end of the text.
        by_name: The numbers of the productions of a nonterminal.
        symbols: By state, the symbol after the dot; None at the end of a rule.
        owner: By state, the number of its production.
        begin: By production, its first state.
        first: By state, the terminals that can follow; None where the remainder may be empty.
        least: By nonterminal, the cheapest price to insert all of it, and the production.
        regexes: The pattern of each terminal.
        samples: A short text of each terminal; terminals without one cannot be inserted.
        choices: By terminal, all its texts, where these are few.
        quotes: By terminal, the delimiters that its texts can have.
        keywords: By terminal, the texts that Lark's lexer reads as another terminal.
        marks: The terminals that signs stand for, because a postlexer makes their tokens.
    """

    def __init__(
        self,
        lark: Any,
        start: str,
        values: Mapping[str, str],
        is_mistake: frozenset[str],
        order: Sequence[Any],
        marks: frozenset[str] = frozenset(),
    ) -> None:
        """Build the tables.

        Args:
            lark: The compiled grammar.
            start: The start rule.
            values: Texts to insert, by terminal.
            is_mistake: The rules that are mistakes; their price is the negative priority.
            order: The terminals in the order of Lark's lexer.
            marks: The terminals of a postlexer, for which the text has signs.
        """
        # The end of the text is a terminal, so it can be an expected token.
        ends = (Symbol(False, start), Symbol(True, END))
        top = Production(TOP, ends, None, 0)
        self.productions = [top]
        self.marks = marks
        for rule in lark.rules:
            name = str(rule.origin.name)
            symbols = tuple(Symbol(part.is_term, str(part.name)) for part in rule.expansion)
            price = 0
            if name in is_mistake:
                priority = rule.options.priority or 0
                price = max(0, -priority)
            production = Production(name, symbols, rule, price)
            self.productions.append(production)
        self._number_states()
        self._read_terminals(lark, values, order)
        self.least = self.find_least()
        self.nullable = {name for name, (price, _) in self.least.items() if price == 0}
        self._find_first()

    def _number_states(self) -> None:
        self.by_name: dict[str, list[int]] = {}
        self.symbols: list[Symbol | None] = []
        self.owner: list[int] = []
        self.begin: list[int] = []
        for number, production in enumerate(self.productions):
            numbers = self.by_name.setdefault(production.name, [])
            numbers.append(number)
            self.begin.append(len(self.symbols))
            for symbol in (*production.symbols, None):
                self.symbols.append(symbol)
                self.owner.append(number)

    def _read_terminals(self, lark: Any, values: Mapping[str, str], order: Sequence[Any]) -> None:
        # Flags of the whole grammar are not in the patterns.
        flags = lark.options.g_regex_flags
        self.patterns = {terminal.name: terminal.pattern for terminal in lark.terminals}
        self.ignored = frozenset(lark.ignore_tokens)
        self.order = [terminal.name for terminal in order]
        self.regexes: dict[str, re.Pattern[str]] = {}
        for name, pattern in self.patterns.items():
            # Lark's lexer runs the same pattern in `re`: only so do both find the same tokens.
            self.regexes[name] = re.compile(pattern.to_regexp(), flags)
        symbols = chain.from_iterable(rule.symbols for rule in self.productions)
        used = dict.fromkeys(symbol.name for symbol in symbols if symbol.is_terminal)
        del used[END]
        # `%declare` names terminals whose tokens a postlexer makes.
        unknown = [name for name in used if name not in self.patterns]
        if unknown:
            raise GrammarError(
                f"the terminal {unknown[0]} is declared without a pattern, so the grammar needs a "
                "postlexer"
            )
        self.used = list(used)
        self.literals: dict[str, str] = {}
        for name, pattern in self.patterns.items():
            if pattern.type == "str":
                self.literals[name] = pattern.value
        self.reserved = frozenset(self.literals.values())
        self._find_keywords(lark.terminals)
        self.samples = {END: ""}
        self.choices: dict[str, frozenset[str]] = {}
        self.quotes: dict[str, str] = {}
        for name, pattern in self.patterns.items():
            self._read_terminal(name, pattern, values.get(name))
        for name, value in values.items():
            if name not in self.regexes:
                raise GrammarError(f"a value is given for {name}, which is not a terminal")
            if not self.regexes[name].fullmatch(value):
                raise GrammarError(f"the value {value!r} is not a {name}")

    def _read_terminal(self, name: str, pattern: Any, value: str | None) -> None:
        if name in self.literals:
            self.samples[name] = value or pattern.value
            return
        regex = self.regexes[name]
        self.choices[name] = find_choices(pattern.to_regexp())
        self.quotes[name] = find_quotes(regex)
        sample = value or find_sample(pattern.to_regexp(), regex, self.choices[name])
        if sample is not None:
            self.samples[name] = sample

    def _find_keywords(self, terminals: Sequence[Any]) -> None:
        """Find the literals that Lark's lexers prefer to a pattern that matches the same text."""
        self.keywords: dict[str, dict[str, str]] = {}
        literals = [terminal for terminal in terminals if terminal.name in self.literals]
        for terminal in terminals:
            if terminal.name in self.literals:
                continue
            regex = self.regexes[terminal.name]
            preferred = {}
            for literal in literals:
                text = literal.pattern.value
                if literal.priority >= terminal.priority and regex.fullmatch(text):
                    preferred[text] = literal.name
            self.keywords[terminal.name] = preferred

    def match(self, name: str, text: str, offset: int) -> re.Match[str] | None:
        """Return the match of a terminal; only marks match their signs.

        Args:
            name: The terminal.
            text: The text.
            offset: Where the match begins.
        """
        match = self.regexes[name].match(text, offset)
        if match and self.marks and name not in self.marks:
            # A pattern such as `/.+/` has no sign, because it has no text for Lark.
            for mark in self.marks:
                if self.literals[mark] in match[0]:
                    return None
        return match

    def find_longest(self, text: str, offset: int) -> tuple[str, int] | None:
        """Return the terminal that Lark's basic lexer finds, and its end; None if there is none.

        Args:
            text: The text.
            offset: Where the terminal begins.
        """
        # The first terminal in Lark's order wins.
        for name in self.order:
            match = self.match(name, text, offset)
            if match and match.end() > offset:
                keywords = self.keywords.get(name, {})
                return keywords.get(match[0], name), match.end()
        return None

    def insert_price(self, name: str) -> int | None:
        """Return the price to insert a terminal; None if there is no text for it."""
        if name not in self.samples:
            return None
        if name == END:
            return None
        if name in self.marks:
            return INDENTATION
        if name in self.literals:
            return INSERT
        return INSERT + INVENTED

    def insert_all(self, name: str, place: int, least: Least) -> tuple[Node, tuple[Edit, ...]]:
        """Return the cheapest derivation of a nonterminal of which nothing is in the text.

        Args:
            name: The nonterminal.
            place: Where it is missing.
            least: The cheapest productions.

        Returns:
            The derivation and its edits.
        """
        # Children first: their nodes are on the stack of values.
        edits: list[Edit] = []
        values: list[Any] = []
        # A text is a nonterminal. A number is a production with its children on that stack.
        pending: list[str | int | Symbol] = [name]
        while pending:
            task = pending.pop()
            if isinstance(task, int):
                production = self.productions[task]
                first = len(values) - len(production.symbols)
                values[first:] = [Node(production.rule, tuple(values[first:]))]
            elif isinstance(task, str):
                number = least[task][1]
                pending.append(number)
                symbols = reversed(self.productions[number].symbols)
                pending.extend(symbol if symbol.is_terminal else symbol.name for symbol in symbols)
            else:
                value = self.samples[task.name]
                price = self.insert_price(task.name) or 0
                edit = Edit("insert", place, place, task.name, value, price)
                edits.append(edit)
                values.append(Leaf(task.name, place, place, value, (edit,)))
        return values[0], tuple(edits)

    def _price_of(self, number: int, least: Least, without: frozenset[str]) -> int | None:
        """Return the price to insert all of a production, as far as it is known."""
        production = self.productions[number]
        # A mistake has its own price.
        total = production.price
        for symbol in production.symbols:
            price: int | None = None
            if not symbol.is_terminal:
                price, _ = least.get(symbol.name, (None, 0))
            elif symbol.name not in without:
                price = self.insert_price(symbol.name)
            if price is None:
                return None
            total += price
        return total

    def find_least(self, without: frozenset[str] = frozenset()) -> Least:
        """Return the cheapest price to insert all of a nonterminal, and the production, by name.

        Args:
            without: Terminals that may not be inserted.
        """
        # The least fixed point: each round knows derivations that are one level deeper.
        least: dict[str, tuple[int, int]] = {}
        changed = True
        while changed:
            changed = False
            for number in range(1, len(self.productions)):
                name = self.productions[number].name
                price = self._price_of(number, least, without)
                if price is None:
                    continue
                if name in least and price >= least[name][0]:
                    continue
                least[name] = price, number
                changed = True
        return least

    def _firsts_of(self, symbols: Sequence[Symbol]) -> tuple[set[str], bool]:
        """Return the terminals that symbols can begin with, and whether they may be empty."""
        firsts = set()
        for symbol in symbols:
            if symbol.is_terminal:
                firsts.add(symbol.name)
                return firsts, False
            firsts |= self._by_nonterminal[symbol.name]
            if symbol.name not in self.nullable:
                return firsts, False
        return firsts, True

    def _find_first(self) -> None:
        self._by_nonterminal: dict[str, set[str]] = {}
        for name in self.by_name:
            # The name itself: an LALR stack gives nonterminals as if they were tokens.
            self._by_nonterminal[name] = {name}
        changed = True
        while changed:
            changed = False
            for production in self.productions:
                firsts = self._by_nonterminal[production.name]
                count = len(firsts)
                firsts |= self._firsts_of(production.symbols)[0]
                changed = changed or len(firsts) != count
        self.first: list[frozenset[str] | None] = []
        for production in self.productions:
            for dot in range(len(production.symbols) + 1):
                firsts, may_be_empty = self._firsts_of(production.symbols[dot:])
                if may_be_empty:
                    self.first.append(None)
                else:
                    self.first.append(frozenset(firsts))
