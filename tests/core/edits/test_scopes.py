"""The blocks below the lines that a notation names, and which places are in them."""

from __future__ import annotations

import pytest

from symops_lark.core.edits.lines import Lines
from symops_lark.core.edits.places import Place
from symops_lark.core.edits.scopes import Scope, find_scope

CLASSES = """
class A:
    def run(self):
        return 1

    def stop(self):
        return 2
class B(Base):

    def run(self):
        return 3
x = 1
"""
BRACES = """function f() {
  a();
}
function g(
  b
) {
  c();
}
"""


def ranges(names: list[str], text: str = CLASSES) -> list[tuple[int, int]]:
    return list(find_scope(names, Lines(text)).ranges)


@pytest.mark.parametrize(
    ("names", "blocks"),
    [
        (["class A"], [(1, 7)]),
        (["class A:"], [(1, 7)]),
        (["class B"], [(7, 11)]),
        (["def run"], [(2, 5), (9, 11)]),
        (["class B", "def run"], [(9, 11)]),
        (["class A", "def stop"], [(5, 7)]),
        (["x = 1"], [(11, 12)]),
        ([], [(0, 12)]),
    ],
)
def test_a_block_is_the_lines_that_are_indented_below(names: list[str], blocks: list[tuple[int, int]]) -> None:
    assert find_scope(names, Lines(CLASSES)) == Scope(tuple(blocks))


def test_the_first_line_can_be_named() -> None:
    assert ranges(["class A"], "class A:\n  x\n") == [(0, 2)]


def test_a_name_is_complete() -> None:
    text = "class A:\nclass AB:\n  class A(x):\n"
    assert ranges(["class A"], text) == [(0, 1), (2, 3)]
    assert ranges(["class A("], text) == [(2, 3)]
    assert ranges(["class"], text) == [(0, 1), (1, 3), (2, 3)]
    assert ranges(["a("], "a(b)\n") == ranges(["a(b)"], "a(b)\n") == [(0, 1)]
    assert ranges(["ax"], "axb\n") == ranges(["x("], "ax(\n") == []


def test_a_line_that_closes_belongs_to_the_block() -> None:
    assert ranges(["function f"], BRACES) == [(0, 3)]
    assert ranges(["function g"], BRACES) == [(3, 6)]
    assert ranges(["["], "[\n  a\n]\nb\n") == [(0, 3)]
    assert ranges(["  [x"], "  [x\n    a\n}\nb\n") == []
    assert ranges(["[x"], "  [x\n    a\n}\nb\n") == [(0, 3)]


def test_the_line_that_the_file_does_not_have_is_told() -> None:
    assert find_scope(["class C"], Lines(CLASSES)) == Scope((), "class C")
    assert find_scope(["class A", "def go", "x"], Lines(CLASSES)) == Scope((), "def go")
    assert find_scope(["class B", "def stop"], Lines(CLASSES)).unknown == "def stop"


def test_a_place_in_a_block() -> None:
    scope = Scope(((2, 4), (8, 9)))
    starts = [start for start in range(12) if scope.holds(Place(start, 1, ()))]
    assert starts == [2, 3, 8]
    assert scope.holds(Place(0, 3, ())) and scope.holds(Place(3, 9, ()))
    assert not scope.holds(Place(0, 2, ())) and not scope.holds(Place(4, 4, ()))
    assert not Scope(()).holds(Place(0, 9, ()))


def test_a_block_that_begins_before_a_place_ends() -> None:
    scope = Scope(((5, 6), (3, 4)))
    before = [scope.begins_before(Place(start, 1, ())) for start in range(5)]
    assert before == [False, False, False, True, True]
    assert not Scope(()).begins_before(Place(0, 9, ()))
