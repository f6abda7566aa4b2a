"""The fence around Lark's insides: the only module that uses what Lark does not document.

Lark documents how to parse with a grammar, not how to look into one. This package reads the trees of a grammar's
definitions, its compiled rules and its LALR tables. The rest of it imports only documented names of Lark: the names in
`lark.__all__`, `lark.exceptions`, and `lark.lexer.Lexer`, which custom lexers build on. `tests/test_fences.py` holds
that list; `tests/test_fenced_libraries.py` checks everything here against the installed Lark.

Values that are typed `Any` are Lark's own objects. Their attributes in use: of a rule `origin`, `expansion`, `alias`,
`order` and `options`; of a symbol `name`, `is_term` and `filter_out`; of a terminal `name`, `pattern` and `priority`;
of a tree `data` and `children`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .bounds import check_alternatives, make_importer

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.lexer import TerminalDef as TerminalDef


class Definitions:
    """A grammar as Lark loads it, before it is compiled."""

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded

    @property
    def rules(self) -> dict[str, Any]:
        """The trees of the rules by name."""
        return {str(name): tree for name, _parameters, tree, _options in self._loaded.rule_defs}

    @property
    def terminals(self) -> dict[str, Any]:
        """The trees of the terminals by name."""
        return {str(name): tree for name, (tree, _priority) in self._loaded.term_defs}

    def compile(
        self, starts: Sequence[str], kept: Collection[str] | Literal["*"] = ()
    ) -> tuple[list[Any], list[Any], list[str]]:
        """Return the terminals, the rules without templates and repetitions, and the names of ignored terminals.

        Args:
            starts: The rules that a text may be.
            kept: Terminals that stay although no rule uses them; "*" keeps all, and all rules as well.
        """
        terminals, rules, ignored = self._loaded.compile(list(starts), kept if kept == "*" else set(kept))
        return list(terminals), list(rules), list(ignored)


def load_definitions(text: str, path: Path, beside: Path | None = None) -> Definitions:
    """Return the definitions of a grammar.

    Args:
        text: The grammar.
        path: Its file, for messages.
        beside: The folder in which names of `%import` without a dot are found; None: they are not found.

    Raises:
        ValueError: The rules are too many alternatives once they are multiplied out.
        lark.exceptions.LarkError: Lark cannot read the grammar.
    """
    from lark.load_grammar import load_grammar

    loaded: Any = load_grammar(text, str(path), [make_importer(beside)], False)[0]
    check_alternatives(loaded.rule_defs)
    return Definitions(loaded)


def pattern_of_literal(literal: Any) -> Any:
    """Return the pattern of a terminal that a text in quotes, or a regular expression, stands for in a rule."""
    from lark.load_grammar import _literal_to_pattern

    return _literal_to_pattern(literal)


def left_out_terminal(name: str) -> Any:
    """Return the symbol of a terminal that Lark leaves out of its trees."""
    from lark.grammar import Terminal

    return Terminal(name, filter_out=True)


def lexer_rank(terminal: Any) -> tuple[int, int, int, str]:
    """Return the sort key of a terminal: Lark's lexer tries terminals in this order."""
    pattern = terminal.pattern
    return -terminal.priority, -pattern.max_width, -len(pattern.value), terminal.name


# ---- LALR


class ParseTable(NamedTuple):
    """The table of Lark's LALR parser; Lark numbers its states anew in each process.

    Attributes:
        states: For each state and symbol whether the parser shifts, and to which state, or by which rule it reduces.
        starts: The first state by the rule that a text is.
        ends: The state of an accepted text by that rule.
    """

    states: dict[Any, dict[str, tuple[bool, Any]]]
    starts: Mapping[str, Any]
    ends: Mapping[str, Any]


def read_parse_table(parser: Lark) -> ParseTable:
    """Return the table of an LALR parser."""
    from lark.parsers.lalr_analysis import Shift

    inner: Any = parser.parser
    table: Any = inner.parser._parse_table
    states = {
        state: {str(symbol): (kind is Shift, target) for symbol, (kind, target) in actions.items()}
        for state, actions in table.states.items()
    }
    return ParseTable(states, table.start_states, table.end_states)


def analyze_conflicts(rules: Sequence[Any], starts: Sequence[str]) -> list[Any]:
    """Return the first set of LR(0) items of each start, before Lark resolves or refuses conflicts.

    A set has `transitions` (the set after each symbol) and `lookaheads` (the rules that may end before each symbol).
    """
    from lark.common import ParserConf
    from lark.parsers.lalr_analysis import LALR_Analyzer

    analyzer: Any = LALR_Analyzer(ParserConf(list(rules), {}, list(starts)))
    analyzer.compute_lr0_states()
    analyzer.compute_reads_relations()
    analyzer.compute_includes_lookback()
    analyzer.compute_lookaheads()
    return [analyzer.lr0_start_states[start] for start in starts]


def read_tokens(parser: Any) -> Iterator[Token]:
    """Yield the tokens of an interactive parser's text; the caller feeds each to the parser before the next is read."""
    yield from parser.lexer_thread.lex(parser.parser_state)
