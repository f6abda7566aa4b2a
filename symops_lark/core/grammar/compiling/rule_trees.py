"""Look into the trees of rules, as Lark reads them from a grammar, before it compiles them.

The nodes of these trees, with the notation that they come from:

    expansions      a | b             alternatives
    expansion       a b               parts in a row
    expr            a? a* a+ a~2      a part with an operator
    maybe           [a]               an optional part
    alias           a -> name         an alternative with another name
    value, literal  (a), "a"          a part in brackets, a text or a regular expression

Lark often nests nodes that have one child only: `unwrap` steps over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from .regular import Language, Unsupported, find_common

# The rules of the installed dialects: they have nodes, or parts of nodes, in a document.
KNOWN = frozenset(
    (
        "document",
        "reasoning",
        "thought",
        "vitals",
        "action",
        "question",
        "error",
        "ask",
        "choice",
        "head",
        "verb_line",
        "run_line",
        "path_line",
        "command_line",
        "depends_line",
        "attribute",
    )
)
NEEDED = "needed"
OPTIONAL = "optional"
_WRAPPERS = ("expansions", "expansion", "value")
Rules = Mapping[str, Any]  # the trees by name


def is_tree(node: Any) -> bool:
    """Return whether a node is a tree, not a symbol."""
    return hasattr(node, "data")


def kind_of(node: Any) -> str:
    """Return the kind of a tree, such as `expansion`; empty for a symbol."""
    return str(getattr(node, "data", ""))


def name_of(node: Any) -> str:
    """Return the name of a rule or terminal; empty for other nodes.

    The name of a terminal that Lark leaves out of its trees begins with an underscore.
    """
    name = str(getattr(node, "name", ""))
    if getattr(node, "filter_out", False) and not name.startswith("_"):
        return f"_{name}"
    return name


def unwrap(node: Any) -> Any:
    """Return the first tree inside nodes of one child, or the symbol that they contain."""
    while kind_of(node) in _WRAPPERS and len(node.children) == 1:
        node = node.children[0]
    return node


def name_texts(rules: Rules, terminals: Iterable[Any]) -> dict[str, Any]:
    """Return rules in which each text in quotes is the terminal that Lark makes of it.

    Args:
        rules: The trees by name.
        terminals: Lark's compiled terminals.

    Returns:
        New trees by name; these terminals are among those that Lark leaves out of its trees.
    """
    from lark import Tree

    from .lark_insides import left_out_terminal, pattern_of_literal

    # By pattern, because Lark chooses the names: `"x"` is the terminal of this text if the grammar
    # defines one, else `X` or a name such as `__ANON_0`.
    names: dict[Any, str] = {}
    for terminal in terminals:
        names[terminal.pattern] = str(terminal.name)

    def replace_texts(node: Any) -> Any:
        if not isinstance(node, Tree):
            return node
        if node.data != "literal" or getattr(node.children[0], "type", "") != "STRING":
            return Tree(node.data, [replace_texts(child) for child in node.children])
        pattern = pattern_of_literal(node.children[0])
        if pattern not in names:
            return node
        return left_out_terminal(names[pattern])

    return {rule: replace_texts(tree) for rule, tree in rules.items()}


def find_sections(rules: Rules) -> list[str]:
    """Return the rules of custom sections, in the order in which `document` names them."""
    if "document" not in rules:
        return []
    names = dict.fromkeys(_find_nodes(rules, rules["document"], set()))
    return [name for name in names if name not in KNOWN]


def _find_nodes(rules: Rules, node: Any, visited: set[str]) -> Iterator[str]:
    """Yield the rules that become nodes directly below a part of a rule.

    Rules with a leading underscore become no node, so those inside them count.
    """
    if is_tree(node):
        for child in node.children:
            yield from _find_nodes(rules, child, visited)
        return
    name = str(getattr(node, "name", ""))
    if name not in rules:
        return
    if not name.startswith("_"):
        yield name
    elif name not in visited:  # helper rules may refer to themselves
        visited.add(name)
        yield from _find_nodes(rules, rules[name], visited)


def find_leaves(
    rules: Rules, node: Any, above: str = "", within: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str]]:
    """Yield the terminals in a part of a rule, each with the custom rule that it is in.

    Args:
        rules: The trees by name.
        node: The part.
        above: The outermost custom rule around the part; empty if there is none.
        within: The rules around the part: a rule that refers to itself is not entered again.

    Yields:
        The name of the custom rule, or empty, and the name of the terminal.
    """
    if is_tree(node):
        for child in node.children:
            yield from find_leaves(rules, child, above, within)
        return
    name = name_of(node)
    if name not in rules:
        if name:
            yield above, name
        return
    # The keys of attributes are chosen by the writer of a text, not by the grammar.
    if name == "attribute" or name in within:
        return
    is_custom = not name.startswith("_") and name not in KNOWN
    if is_custom and not above:
        above = name
    yield from find_leaves(rules, rules[name], above, within | {name})


def find_block(rules: Rules, name: str) -> str:
    """Return whether a rule ends with a block.

    Args:
        rules: The trees by name.
        name: The rule.

    Returns:
        `needed` or `optional`; empty if the rule has no block, or not at its end.
    """
    node = unwrap(rules[name])
    if kind_of(node) != "expansion":
        return ""
    last = node.children[-1]
    state = NEEDED
    # Through brackets and `?` only: a repeated block is not one that ends the section.
    while is_tree(last):
        if kind_of(last) == "expr" and str(last.children[1]) == "?":
            state = OPTIONAL
        elif len(last.children) != 1:
            return ""
        last = last.children[0]
    if str(getattr(last, "name", "")) != "BLOCK":
        return ""
    return state


def tree_above_block(rules: Rules, name: str) -> Any:
    """Return the tree of a rule without the block that ends it."""
    from lark import Tree

    node = rules[name]
    if not find_block(rules, name):
        return node
    node = unwrap(node)
    return Tree("expansion", node.children[:-1])


def tree_of_first_line(rules: Rules, name: str, patterns: Mapping[str, Any]) -> Any:
    """Return the tree of the first line of a rule.

    Args:
        rules: The trees by name.
        name: The rule.
        patterns: The patterns of the terminals, by name.

    Returns:
        The tree; None if the rule has alternatives, or if its first line does not end with a
        complete part of the rule.
    """
    from lark import Tree

    node = tree_above_block(rules, name)
    while kind_of(node) in _WRAPPERS and len(node.children) == 1 and is_tree(node.children[0]):
        node = node.children[0]
    if kind_of(node) != "expansion":
        return None
    for place, child in enumerate(node.children):
        ends = []
        for _, terminal in find_leaves(rules, child):
            end = _classify_line_feeds(patterns[terminal].to_regexp())
            if end:
                ends.append(end)
        if not ends:
            continue
        # The first part with a line feed must be one terminal that ends with its only one. A group
        # of parts could continue after the line, and an optional one could miss it.
        is_simple = not is_tree(child) or kind_of(child) == "value"
        if not is_simple or ends != [1]:
            return None
        return Tree("expansion", node.children[: place + 1])
    return None


def have_same_parts(tree: Any, wrapped: Any) -> bool:
    """Return whether two trees have the same parts; the second may have wrappers around it."""
    while len(wrapped.children) == 1 and hasattr(wrapped.children[0], "children"):
        wrapped = wrapped.children[0]
    return bool(tree.children == wrapped.children)


@cache
def _classify_line_feeds(pattern: str) -> int:
    """Return 0 for a terminal without line feeds, 1 for one that ends with its only one, else 2."""
    try:
        language = Language(pattern)
        with_line_feed = Language(r"[^\n]*\n(.|\n)*")
        if find_common(language, with_line_feed) is None:
            return 0
        # Texts without a line feed, or with text after the first one.
        others_than_lines = Language(r"[^\n]*(\n(.|\n)+)?")
        if find_common(language, others_than_lines) is None:
            return 1
    except Unsupported:
        pass
    return 2
