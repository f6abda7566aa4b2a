"""What the markup of any grammar costs in model tokens, by rule, on texts that are drawn from it.

The values of a text are its tokens that are patterns: names, numbers, strings, but no line ends such as `_NL`. All
else, the signs, keywords and blanks of the grammar, is its markup. The markup of a rule is the tokens of its text, less
those of the rules and the values in it, each alone. Rules that Lark inlines into others are counted there.
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
    """The costs of one grammar in one encoding: of each rule, and of whole texts."""

    grammar: str
    encoding: str
    by_rule: Mapping[str, Cost]
    texts: Cost


def measure_plain(grammar: PlainGrammar, name: str, encoding: Encoding, texts: Sequence[str]) -> PlainCosts:
    """Measure a grammar on texts of it with an encoding called `name`.

    Raises:
        GrammarError: There is no text to measure.
    """
    if not texts:
        raise GrammarError(f"{grammar.dialect.path}: no valid text was found to measure")
    parser = grammar.compile(keep_all_tokens=True, propagate_positions=True, maybe_placeholders=False)
    patterns = {terminal.name for terminal in parser.terminals if terminal.pattern.type == "re"}
    values = {name for name in patterns if not name.startswith("_")}  # Lark leaves those out of trees

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    by_rule: dict[str, Cost] = {}
    whole = Cost()
    for text in texts:
        tree: Any = parser.parse(text)
        spent = sum(count(token) for token in tree.scan_values(lambda value: getattr(value, "type", "") in values))
        whole = whole.plus(count(text), spent)
        for node in tree.iter_subtrees():
            rule = str(node.data)
            inner = sum(_count_child(child, text, values, count) for child in node.children)
            by_rule[rule] = by_rule.get(rule, Cost()).plus(_count_node(node, text, count), inner)
    return PlainCosts(grammar.dialect.name, name, dict(sorted(by_rule.items())), whole)


def _count_node(node: Any, text: str, count: Any) -> int:
    if node.meta.empty:
        return 0
    tokens: int = count(text[node.meta.start_pos : node.meta.end_pos])
    return tokens


def _count_child(child: Any, text: str, values: set[str], count: Any) -> int:
    if hasattr(child, "meta"):
        return _count_node(child, text, count)
    tokens: int = count(child) if child.type in values else 0
    return tokens
