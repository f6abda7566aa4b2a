"""Run a recovery grammar by Lark's Earley parser: the minimum-cost reading for every grammar.

It is slower than the automaton by three orders of magnitude, but needs no left-linear rules: blocks
may be inside blocks, and delimiters may have to balance. Lark's parser gives the forest of all
derivations (a shared packed parse forest). This module takes the derivation with the lowest price
from it. Of equal prices it takes the alternative that the file writes first, from the whole text
downward. Of equal ways to divide the lines among the parts of one alternative, the last part has as
few lines as possible, then the part before it.

In a derivation, a line has the role and the mistakes of the rules of one line above it. The price
and the mistake of a rule of several lines count where its last line ends: before the next line, or
at the end of the text.

References:
    J. Earley, An efficient context-free parsing algorithm, Communications of the ACM 13 (1970),
    https://doi.org/10.1145/362007.362035
    E. Scott, SPPF-style parsing from Earley recognisers, Electronic Notes in Theoretical Computer
    Science 203 (2008), https://doi.org/10.1016/j.entcs.2008.03.044
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...grammar.compiling.bounds import bounded_steps, make_importer, steps_for
from ...ground.errors import GrammarError
from .priced_rules import LineReading, Step, ViterbiPath, kind_name, load_rules

if TYPE_CHECKING:
    from lark import Lark


_KEPT = 16  # readings: repair and recovery often ask for the same one


class Earley:
    """Lark's Earley parser of one recovery grammar.

    Attributes:
        path: The path of the grammar, for messages and imports.
        text: The text of the grammar.
        rules: Its rules with their prices.
        mistakes: The price of each mistake by its diagnostic code.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.rules = load_rules(path, text)
        self.mistakes = self.rules.mistakes
        self._readings: dict[tuple[str, ...], ViterbiPath] = {}

    @cached_property
    def _parser(self) -> Lark:
        # Imported here: only grammars that nest, and tests, need Lark at run time.
        from lark import Lark

        with bounded_steps(self.path, steps_for(self.text)):
            return Lark(
                self.text,
                parser="earley",
                lexer=pass_through(),
                ambiguity="forest",  # all derivations: Lark's own choice would not know our ties
                start="document",
                source_path=str(self.path),
                import_paths=[make_importer(self.path.parent)],
            )

    @cached_property
    def _terminals(self) -> dict[str, str]:
        """The terminal of each kind; an imported one has the name of its file as a prefix."""
        terminals = {}
        for rule in self._parser.rules:
            for symbol in rule.expansion:
                if symbol.is_term:
                    terminals[kind_name(symbol.name)] = str(symbol.name)
        return terminals

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of lines that the grammar names."""
        return tuple(self._terminals)

    def read(self, kinds: Sequence[str]) -> ViterbiPath:
        """Return the minimum-cost reading of line kinds.

        Raises:
            GrammarError: The grammar is not total: the sequence has no reading.
        """
        key = tuple(kinds)
        if key not in self._readings:
            if len(self._readings) >= _KEPT:
                self._readings.clear()
            self._readings[key] = self._parse(key)
        return self._readings[key]

    def _parse(self, kinds: tuple[str, ...]) -> ViterbiPath:
        from lark.exceptions import UnexpectedEOF, UnexpectedToken

        if not kinds:
            return ViterbiPath((), (), 0)
        terminals = self._terminals
        try:
            names = [terminals.get(kind, kind) for kind in kinds]
            forest: Any = self._parser.parse(names)
        except UnexpectedToken as error:
            kind = kind_name(str(error.token.type))
            raise GrammarError(
                f"{self.path}: no rule gives a line of kind {kind} a role here; "
                "the grammar is not total"
            ) from None
        except UnexpectedEOF:
            raise GrammarError(
                f"{self.path}: a text must not end after a line of kind {kinds[-1]}; "
                "the grammar is not total"
            ) from None
        return self._follow(forest, _choose(forest))

    def _follow(self, root: Any, chosen: dict[int, Any]) -> ViterbiPath:
        """Return the reading along the chosen derivation, from the first line to the last."""
        rules = self.rules
        steps: list[Step] = []
        missing: tuple[str, ...] = ()  # the mistakes of rules that ended since the last line
        owed = 0  # and their prices
        total = 0
        # Nodes of the forest, and after the nodes of a rule its name: there the rule ends.
        todo: list[Any] = [root]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                missing += rules.named(node)
                owed += rules.prices[node]
            elif self._is_line(node):
                line = self._read_line(node, chosen)
                price = owed + line.price
                steps.append(Step(line.role, line.mistakes, missing, price))
                total += price
                missing = ()
                owed = 0
            else:
                if not node.is_intermediate:
                    todo.append(str(node.s.name))
                packed = chosen[id(node)]
                # The left part is popped first, because it is pushed last.
                children = (packed.right, packed.left)
                todo += [child for child in children if child is not None]
        return ViterbiPath(tuple(steps), missing, total + owed)

    def _is_line(self, node: Any) -> bool:
        """Return whether a node of the forest is one line."""
        if _is_token(node):
            return True
        if node.is_intermediate:
            return False
        return str(node.s.name) in self.rules.of_one_line

    def _read_line(self, node: Any, chosen: dict[int, Any]) -> LineReading:
        """Return how the rules of one line read a line, from the topmost of them down."""
        rules_above = []
        while not _is_token(node):
            rules_above.append(str(node.s.name))
            node = chosen[id(node)].right
        line = LineReading(kind_name(str(node.token.type)))
        for rule in reversed(rules_above):
            line = self.rules.pass_through(rule, line)
        return line


@lru_cache(maxsize=16)
def load_earley(path: Path, text: str) -> Earley:
    """Return Lark's parser of a recovery grammar; it is made once.

    Args:
        path: The path of the grammar, for messages and imports.
        text: The text of the grammar.
    """
    return Earley(path, text)


def _choose(root: Any) -> dict[int, Any]:
    """Return the cheapest derivation of each node of a forest, by the id of the node.

    The forest has no cycles, because `load_rules` refuses grammars that derive themselves. Prices
    are found from the leaves up, with a stack in place of recursion: forests are as deep as texts
    are long.
    """
    chosen: dict[int, Any] = {}
    prices = {id(None): 0}  # Lark writes None for an empty part
    todo = [root]
    while todo:
        node = todo[-1]
        if id(node) in prices:  # a node may be part of several derivations
            todo.pop()
            continue
        if _is_token(node):
            prices[id(node)] = 0
            continue
        derivations = node.children
        unpriced = _unpriced_parts(derivations, prices)
        if unpriced:
            todo += unpriced
            continue
        offers = []
        for packed in derivations:
            price = prices[id(packed.left)] + prices[id(packed.right)]
            # The later the right part begins, the fewer lines it has.
            begin = _begin(packed.right)
            offers.append((price, packed.rule.order, -begin))
        best = min(offers)
        packed = derivations[offers.index(best)]
        chosen[id(node)] = packed
        # Intermediate nodes are parts of an alternative: the price of the rule counts once.
        own = 0
        if not node.is_intermediate:
            own = -(packed.rule.options.priority or 0)
        prices[id(node)] = best[0] + own
    return chosen


def _unpriced_parts(derivations: Sequence[Any], prices: dict[int, int]) -> list[Any]:
    """Return the parts of some derivations whose prices are not yet known."""
    parts: list[Any] = []
    for packed in derivations:
        children = (packed.left, packed.right)
        parts += [child for child in children if id(child) not in prices]
    return parts


def _is_token(node: Any) -> bool:
    return hasattr(node, "token")


def _begin(node: Any) -> int:
    """Return the index of the first line of a node; where a single line begins is not a choice."""
    return int(getattr(node, "start", 0))


@lru_cache(maxsize=1)
def pass_through() -> type:
    """Return a lexer for Lark whose text already is a list of names of terminals."""
    from lark import Token
    from lark.lexer import Lexer

    class PassThrough(Lexer):
        __future_interface__ = 0

        def __init__(self, conf: Any) -> None:
            pass

        def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]
            yield from (Token(terminal, terminal) for terminal in data)

    return PassThrough
