"""Trees as a page draws them: nodes with names, and nothing where a tree is too large or too deep."""

from __future__ import annotations

import pytest
from lark import Token, Tree

from symops_lark.error_correcting.drawing import draw_tree

NOTHING = {"pretty": None, "tree": None}


def nest(depth: int) -> Tree[Token]:
    tree: Tree[Token] = Tree("a", [])
    for _ in range(depth - 1):
        tree = Tree("a", [tree])
    return tree


def test_no_tree_has_no_drawing() -> None:
    assert draw_tree(None) == NOTHING


def test_rules_have_children_and_tokens_have_values() -> None:
    tree = Tree("start", [Token("A", "x"), None, Tree("b", []), "text of a transformer"])
    assert draw_tree(tree) == {
        "pretty": "start\n  x\n  None\n  b\n  text of a transformer\n",
        "tree": {
            "name": "start",
            "children": [
                {"name": "A", "value": "x"},
                {"name": "None", "value": None},
                {"name": "b", "children": []},
                {"name": "", "value": "text of a transformer"},
            ],
        },
    }


def test_a_tree_of_one_token_is_its_text() -> None:
    assert draw_tree(Token("A", "x")) == {"pretty": "x", "tree": {"name": "x", "children": []}}


@pytest.mark.parametrize(("leaves", "is_drawn"), [(999, True), (1000, False)])
def test_a_tree_has_a_thousand_nodes_at_most(leaves: int, is_drawn: bool) -> None:
    drawing = draw_tree(Tree("start", [Token("A", "x")] * leaves))
    assert (drawing != NOTHING) == is_drawn
    assert not is_drawn or len(drawing["tree"]["children"]) == leaves


@pytest.mark.parametrize(("depth", "is_drawn"), [(100, True), (101, False), (3000, False)])
def test_a_tree_is_a_hundred_nodes_deep_at_most(depth: int, is_drawn: bool) -> None:
    assert (draw_tree(nest(depth)) != NOTHING) == is_drawn


def test_a_token_is_a_level_of_its_own() -> None:
    tree = nest(100)
    next(tree.iter_subtrees()).children.append(Token("A", "x"))
    assert draw_tree(tree) == NOTHING
