"""Draw a tree: as Lark prints it, and as nodes of JSON for a page."""

from __future__ import annotations

from typing import Any

from lark import Tree

MOST_NODES = 1_000
# Lark prints a tree by recursion, and a page draws it so.
MOST_DEPTH = 100


def draw_tree(tree: Any) -> dict[str, Any]:
    """Return a tree as a text (`pretty`) and as nodes (`tree`).

    A node has a `name`; a rule has `children`, and a token below it has a `value`.

    Args:
        tree: A tree, a token or None.

    Returns:
        Both are None if there is no tree, or if it has more than `MOST_NODES` nodes or is deeper
        than `MOST_DEPTH`.
    """
    if tree is None:
        return {"pretty": None, "tree": None}
    if not isinstance(tree, Tree):
        node = {"name": str(tree), "children": []}
        return {"pretty": str(tree), "tree": node}
    if not _is_small(tree):
        return {"pretty": None, "tree": None}
    drawing = _draw(tree)
    text = tree.pretty()
    return {"pretty": text, "tree": drawing}


def _is_small(tree: Tree[Any]) -> bool:
    """Return whether a tree can be drawn."""
    nodes: list[tuple[Any, int]] = [(tree, 1)]
    # The list grows while it is read: no recursion, so that no tree is too deep.
    for node, depth in nodes:
        if depth > MOST_DEPTH:
            return False
        if len(nodes) > MOST_NODES:
            return False
        children = getattr(node, "children", ())
        below = depth + 1
        nodes.extend((child, below) for child in children)
    return True


def _draw(node: Any) -> dict[str, Any]:
    """Return a node with all that is below it."""
    children = getattr(node, "children", None)
    if children is not None:
        drawn = list(map(_draw, children))
        return {"name": str(node.data), "children": drawn}
    # A placeholder of what the text does not have.
    if node is None:
        return {"name": "None", "value": None}
    # A token; a transformer may leave any text.
    name = getattr(node, "type", "")
    value = str(node)
    return {"name": name, "value": value}
