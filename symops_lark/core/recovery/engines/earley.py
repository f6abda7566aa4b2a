"""A recovery grammar run by Lark's Earley parser: the cheapest reading of line kinds, for every grammar.

Slower than the automaton by three orders of magnitude, but it needs no left-linear rules: blocks may stand in blocks,
delimiters may have to balance. Lark's parser gives the forest of all derivations; the reading is taken from it by the
prices, and of equal prices the alternative that the file writes first, from the whole text downwards. Of equal ways to
divide the lines among the parts of one alternative the last part has as few as it can, then the one before it.

In the derivation a line has the role and the mistakes of the rules of one line above it; what a rule of several lines
costs, and the mistake that it is, stands where its last line ends: before the next line, or at the end.
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
    """Lark's Earley parser of one recovery grammar; `read` finds the cheapest derivation."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.rules = load_rules(path, text)
        self.mistakes = self.rules.mistakes
        self._known: dict[tuple[str, ...], ViterbiPath] = {}

    @cached_property
    def _parser(self) -> Lark:
        from lark import Lark

        with bounded_steps(self.path, steps_for(self.text)):
            return Lark(
                self.text,
                parser="earley",
                lexer=pass_through(),
                ambiguity="forest",
                start="document",
                source_path=str(self.path),
                import_paths=[make_importer(self.path.parent)],
            )

    @cached_property
    def _terminals(self) -> dict[str, str]:
        """The terminal of each kind; one from an imported file has the file's name before its own."""
        used = (
            symbol for rule in self._parser.rules for symbol in rule.expansion if symbol.is_term
        )
        return {kind_name(symbol.name): str(symbol.name) for symbol in used}

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of lines that the grammar knows."""
        return tuple(self._terminals)

    def read(self, kinds: Sequence[str]) -> ViterbiPath:
        """Return the cheapest reading of line kinds; raise `GrammarError` if there is none."""
        key = tuple(kinds)
        if key not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = self._parse(key)
        return self._known[key]

    def _parse(self, kinds: tuple[str, ...]) -> ViterbiPath:
        from lark.exceptions import UnexpectedEOF, UnexpectedToken

        if not kinds:
            return ViterbiPath((), (), 0)
        known = self._terminals
        try:
            forest: Any = self._parser.parse([known.get(kind, kind) for kind in kinds])
        except UnexpectedToken as error:
            kind = kind_name(str(error.token.type))
            raise GrammarError(
                f"{self.path}: no rule gives a line of kind {kind} a role here; the grammar is not total"
            ) from None
        except UnexpectedEOF:
            message = f"a text must not end behind a line of kind {kinds[-1]}; not total"
            raise GrammarError(f"{self.path}: {message}") from None
        return self._follow(forest, _choose(forest))

    def _follow(self, root: Any, chosen: dict[int, Any]) -> ViterbiPath:
        """Return the reading along the chosen derivation, from the first line to the last."""
        steps: list[Step] = []
        missing: tuple[str, ...] = ()  # since the last line
        owed = total = 0
        rules = self.rules
        todo: list[Any] = [
            root
        ]  # nodes of the forest, and names of structural rules that end there
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                missing += rules.named(node)
                owed += rules.prices[node]
            elif _is_token(node) or (
                not node.is_intermediate and str(node.s.name) in rules.of_one_line
            ):
                line = self._read_line(node, chosen)
                steps.append(Step(line.role, line.mistakes, missing, owed + line.price))
                total += steps[-1].price
                missing, owed = (), 0
            else:
                if not node.is_intermediate:
                    todo.append(str(node.s.name))
                packed = chosen[id(node)]
                todo += [child for child in (packed.right, packed.left) if child is not None]
        return ViterbiPath(tuple(steps), missing, total + owed)

    def _read_line(self, node: Any, chosen: dict[int, Any]) -> LineReading:
        """Return what the rules of one line say of a line, from the topmost of them down."""
        above: list[str] = []
        while not _is_token(node):
            above.append(str(node.s.name))
            node = chosen[id(node)].right
        line = LineReading(kind_name(str(node.token.type)))
        for rule in reversed(above):
            line = self.rules.pass_through(rule, line)
        return line


@lru_cache(maxsize=16)
def load_earley(path: Path, text: str) -> Earley:
    """Return Lark's parser of a recovery grammar, made once."""
    return Earley(path, text)


def _choose(root: Any) -> dict[int, Any]:
    """Return the cheapest derivation of each node of a forest, by the node's id; the forest has no circles."""
    chosen: dict[int, Any] = {}
    prices: dict[int, int] = {id(None): 0}
    todo = [root]
    while todo:
        node = todo[-1]
        if id(node) in prices:
            todo.pop()
            continue
        if _is_token(node):
            prices[id(node)] = 0
            continue
        packed = node.children
        open_below = [
            child for one in packed for child in (one.left, one.right) if id(child) not in prices
        ]
        if open_below:
            todo += open_below
            continue
        offers = [
            (prices[id(one.left)] + prices[id(one.right)], one.rule.order, -_begin(one.right))
            for one in packed
        ]
        best = min(offers)
        chosen[id(node)] = packed[offers.index(best)]
        own = 0 if node.is_intermediate else -(chosen[id(node)].rule.options.priority or 0)
        prices[id(node)] = best[0] + own
    return chosen


def _is_token(node: Any) -> bool:
    return hasattr(node, "token")


def _begin(node: Any) -> int:
    """The place of a node's first line; of a single line it is no choice."""
    return int(getattr(node, "start", 0))


@lru_cache(maxsize=1)
def pass_through() -> type:
    """Return a lexer whose text is a list of the names of terminals already."""
    from lark import Token
    from lark.lexer import Lexer

    class PassThrough(Lexer):
        __future_interface__ = 0

        def __init__(self, conf: Any) -> None:
            pass

        def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]
            yield from (Token(terminal, terminal) for terminal in data)

    return PassThrough
