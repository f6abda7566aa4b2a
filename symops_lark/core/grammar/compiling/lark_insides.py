"""The fence around Lark's insides: the only module that uses undocumented parts of Lark.

Lark documents how to parse with a grammar, not how to look into one. This package reads the trees
of a grammar's definitions, its compiled rules and its LALR tables. All other modules import only
documented names of Lark: the names in `lark.__all__`, `lark.exceptions`, and `lark.lexer.Lexer`,
which custom lexers build on. `tests/test_fences.py` holds that list, and
`tests/test_fenced_libraries.py` checks everything here against the installed Lark.

Values of the type `Any` are Lark's objects. These attributes of them are in use:

    rule        origin, expansion, alias, order, options
    symbol      name, is_term, filter_out
    terminal    name, pattern, priority
    tree        data, children
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .bounds import check_alternatives, check_closed, make_importer

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.lexer import TerminalDef as TerminalDef


class Definitions:
    """A grammar as Lark loads it, before it compiles it."""

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded

    @property
    def rules(self) -> dict[str, Any]:
        """The trees of the rules by name."""
        trees: dict[str, Any] = {}
        for name, _parameters, tree, _options in self._loaded.rule_defs:
            trees[str(name)] = tree
        return trees

    @property
    def terminals(self) -> dict[str, Any]:
        """The trees of the terminals by name."""
        trees: dict[str, Any] = {}
        for name, (tree, _priority) in self._loaded.term_defs:
            trees[str(name)] = tree
        return trees

    def compile(
        self, starts: Sequence[str], kept: Collection[str] | Literal["*"] = ()
    ) -> tuple[list[Any], list[Any], list[str]]:
        """Compile the definitions.

        Args:
            starts: The rules that a text may be.
            kept: Terminals to keep although no rule uses them; "*": keep all terminals and rules.

        Returns:
            The terminals, the rules without templates and repetitions, and the names of ignored
            terminals.
        """
        # A set, because Lark asks for each terminal whether it is in it.
        terminals_to_keep = kept if kept == "*" else set(kept)
        terminals, rules, ignored = self._loaded.compile(list(starts), terminals_to_keep)
        return list(terminals), list(rules), list(ignored)


def load_definitions(text: str, path: Path, beside: Path | None = None) -> Definitions:
    """Return the definitions of a grammar.

    Args:
        text: The grammar.
        path: Its file, for messages.
        beside: The folder for names in `%import` without a dot; None: they are not found.

    Raises:
        ValueError: Multiplied out, the rules are too many alternatives.
        UnclosedError: A string or a pattern has no end.
        lark.exceptions.LarkError: Lark cannot read the grammar.
    """
    from lark.load_grammar import load_grammar

    check_closed(text)
    importer = make_importer(beside)
    # False: tokens of texts in quotes are left out of trees, as in Lark's own default.
    grammar, _used_files = load_grammar(text, str(path), [importer], False)
    loaded: Any = grammar
    # Before Lark compiles them: that is where alternatives are multiplied out.
    check_alternatives(loaded.rule_defs)
    return Definitions(loaded)


def pattern_of_literal(literal: Any) -> Any:
    """Return the pattern that Lark makes of a string or a regular expression in a rule."""
    from lark.load_grammar import _literal_to_pattern

    return _literal_to_pattern(literal)


def left_out_terminal(name: str) -> Any:
    """Return the symbol of a terminal that Lark leaves out of its trees."""
    from lark.grammar import Terminal

    return Terminal(name, filter_out=True)


def lexer_rank(terminal: Any) -> tuple[int, int, int, str]:
    """Return the sort key of a terminal: Lark's lexer tries terminals in this order.

    Higher priority first, then the longest possible match, then the longest pattern.
    """
    pattern = terminal.pattern
    return -terminal.priority, -pattern.max_width, -len(pattern.value), terminal.name


def load_indenter() -> type[Any]:
    """Return Lark's class of postlexers for indented blocks."""
    from lark.indenter import Indenter

    return Indenter


# ---- LALR


class ParseTable(NamedTuple):
    """The table of Lark's LALR parser; the numbers of states differ between processes.

    Attributes:
        states: By state and symbol, whether the parser shifts, and the next state; else the rule by
            which it reduces.
        starts: By the rule that a text is, the first state.
        ends: By that rule, the state in which the text is accepted.
    """

    states: dict[Any, dict[str, tuple[bool, Any]]]
    starts: Mapping[str, Any]
    ends: Mapping[str, Any]


def read_parse_table(parser: Lark) -> ParseTable:
    """Return the table of an LALR parser."""
    from lark.parsers.lalr_analysis import Shift

    inner: Any = parser.parser
    table: Any = inner.parser._parse_table
    states: dict[Any, dict[str, tuple[bool, Any]]] = {}
    for state, actions in table.states.items():
        by_symbol: dict[str, tuple[bool, Any]] = {}
        for symbol, (kind, target) in actions.items():
            by_symbol[str(symbol)] = (kind is Shift, target)
        states[state] = by_symbol
    return ParseTable(states, table.start_states, table.end_states)


def analyze_conflicts(rules: Sequence[Any], starts: Sequence[str]) -> list[Any]:
    """Return the first set of LR(0) items of each start rule.

    Lark has not resolved or refused conflicts in them yet. A set has `transitions` (the set after
    each symbol) and `lookaheads` (the rules that may end before each symbol).

    Args:
        rules: The compiled rules.
        starts: The start rules.
    """
    from lark.common import ParserConf
    from lark.parsers.lalr_analysis import LALR_Analyzer

    analyzer: Any = LALR_Analyzer(ParserConf(list(rules), {}, list(starts)))
    # Lark's `compute_lalr` runs these steps and then raises an error for conflicts.
    analyzer.compute_lr0_states()
    analyzer.compute_reads_relations()
    analyzer.compute_includes_lookback()
    analyzer.compute_lookaheads()
    return [analyzer.lr0_start_states[start] for start in starts]


def read_tokens(parser: Any) -> Iterator[Token]:
    """Yield the tokens of an interactive parser's text.

    The caller must feed each token to the parser before the next one is read: the state of the
    parser decides which terminals the lexer tries.
    """
    yield from parser.lexer_thread.lex(parser.parser_state)


def read_tokens_from(parser: Lark, text: str, offset: int, position: Any) -> Iterator[Token]:
    """Yield the tokens of a text from an offset on.

    Args:
        parser: An LALR parser.
        text: The text.
        offset: The offset of the first token, or of ignored text before it.
        position: An object whose `position` is the state of the parser; the lexer reads it before
            each token.
    """
    thread: Any = parser.parse_interactive(text).lexer_thread
    thread.state.line_ctr.feed(text[:offset])
    yield from thread.lex(position)


def find_shift_conflicts(rules: Sequence[Any], starts: Sequence[str]) -> list[str]:
    """Return the terminals at which a rule may end or continue; Lark always continues it.

    Args:
        rules: The compiled rules.
        starts: The start rules.
    """
    pending = analyze_conflicts(rules, starts)
    visited = set(pending)
    conflicts = set()
    while pending:
        items = pending.pop()
        shared = items.transitions.keys() & items.lookaheads.keys()
        conflicts |= {str(symbol.name) for symbol in shared}
        following = set(items.transitions.values()) - visited
        visited |= following
        pending.extend(following)
    return sorted(conflicts)


def build_callbacks(parser: Lark, tree_class: type) -> Mapping[Any, Any]:
    """Return the functions by which Lark builds a tree, by rule.

    Args:
        parser: The parser; its options decide on placeholders, tokens and positions.
        tree_class: The class of the trees.
    """
    from lark.parse_tree_builder import ParseTreeBuilder

    options = parser.options
    builder: Any = ParseTreeBuilder(
        parser.rules, tree_class, options.propagate_positions, False, options.maybe_placeholders
    )
    callbacks: Mapping[Any, Any] = builder.create_callback()
    return callbacks
