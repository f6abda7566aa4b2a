"""The cost of a grammar that is not a dialect, in model tokens, for each rule.

The values of a text are its tokens that are patterns: names, numbers, strings, but not line ends
such as `_NL`. Signs, keywords and blanks of the grammar are its markup. The markup of a rule is the
tokens of its text, less those of the rules and the values in it, each alone. Rules that Lark
inlines into other rules are counted there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.ground.errors import GrammarError
from ...models.prompts.tokens import Encoding
from .cost import Cost
from .plain import PlainGrammar


@dataclass(frozen=True, slots=True)
class PlainCosts:
    """The costs of one grammar in one encoding: of each rule, and of complete texts."""

    grammar: str
    encoding: str
    by_rule: Mapping[str, Cost]
    texts: Cost


def measure_plain(
    grammar: PlainGrammar, name: str, encoding: Encoding, texts: Sequence[str]
) -> PlainCosts:
    """Measure a grammar on texts of it.

    Args:
        grammar: The grammar.
        name: The name of the encoding.
        encoding: The encoding.
        texts: Valid texts.

    Raises:
        GrammarError: There is no text to measure.
    """
    if not texts:
        raise GrammarError(f"{grammar.dialect.path}: no valid text was found to measure")
    # Lark leaves out strings and empty optional parts by default.
    parser = grammar.compile(
        keep_all_tokens=True, propagate_positions=True, maybe_placeholders=False
    )
    values = set()
    for terminal in parser.terminals:
        # Lark leaves out of trees the terminals whose names begin with an underscore.
        if terminal.pattern.type == "re" and not terminal.name.startswith("_"):
            values.add(terminal.name)

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    by_rule: dict[str, Cost] = {}
    complete = Cost()

    def is_value(leaf: Any) -> bool:
        return getattr(leaf, "type", "") in values

    for text in texts:
        tree: Any = parser.parse(text)
        spent = sum(map(count, tree.scan_values(is_value)))
        complete = complete.plus(count(text), spent)
        for node in tree.iter_subtrees():
            rule = str(node.data)
            inner = sum(_count_child(child, text, values, count) for child in node.children)
            # A rule may be nested in itself: each node has only its own markup.
            cost = by_rule.get(rule, Cost())
            by_rule[rule] = cost.plus(_count_node(node, text, count), inner)
    return PlainCosts(grammar.dialect.name, name, dict(sorted(by_rule.items())), complete)


def _count_node(node: Any, text: str, count: Any) -> int:
    # A node without tokens has no place.
    if node.meta.empty:
        return 0
    tokens: int = count(text[node.meta.start_pos : node.meta.end_pos])
    return tokens


def _count_child(child: Any, text: str, values: set[str], count: Any) -> int:
    if hasattr(child, "meta"):
        return _count_node(child, text, count)
    tokens: int = count(child) if child.type in values else 0
    return tokens
