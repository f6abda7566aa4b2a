"""The searches: the token that is to blame, the window of an error, and how a text is closed where none leads on."""

from __future__ import annotations

from functools import cache
from typing import Literal

import pytest
from block_grammar import BLOCKS
from lark import Token

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import Edit, Leaf, Node, Repair
from symops_lark.error_correcting.search import Bounds, find_difference, search_by_chart, search_exactly

Engine = Literal["lalr", "earley"]


@cache
def load(grammar: str, engine: Engine = "lalr") -> ErrorCorrectingParser:
    return ErrorCorrectingParser(grammar, parser=engine)


# ---- the token that is to blame


def repair_of(text: str, edited: str) -> Repair:
    """Return a repair with a token for each letter; those of `edited` have an edit."""
    leaves = []
    for place, letter in enumerate(text):
        edit = Edit("insert", place, place, letter.upper(), letter, 1000)
        leaves.append(Leaf(letter.upper(), place, place + 1, letter, (edit,) if letter in edited else ()))
    return Repair(1000, (), Node("start", tuple(leaves)))


def tokens_of(text: str) -> list[Token]:
    return [Token(letter.upper(), letter) for letter in text]


BLAMED = [
    ("abc", "abc", "abc", "", None),
    ("abc", "", "abc", "", None),
    # Mostly the edit of the next token, then the token's, then that of the one before.
    ("abcd", "bcd", "axcd", "", "c"),
    ("abcd", "ab", "axcd", "", "b"),
    ("abcd", "a", "axcd", "", "a"),
    ("abcd", "", "axcd", "", "b"),
    ("abcd", "d", "axcd", "", "b"),
    ("abcd", "d", "xbcd", "", "a"),
    ("abcd", "ad", "abxd", "", "d"),
    ("abcd", "a", "abxd", "", "c"),
    # The next one of these if it is forbidden.
    ("abcd", "bc", "axcd", "c", "b"),
    ("abcd", "ac", "axcd", "c", "a"),
    ("abcd", "c", "axcd", "c", "b"),
    ("abcd", "c", "axcd", "cb", None),
    # One of the two ends earlier.
    ("abc", "c", "ab", "", "c"),
    ("abc", "b", "ab", "", "b"),
    ("ab", "b", "abc", "", "b"),
    ("ab", "a", "abc", "", None),
    ("ab", "", "", "", "a"),
]


@pytest.mark.parametrize(("repaired", "edited", "read", "forbidden", "blamed"), BLAMED)
def test_the_token_that_is_to_blame_is_near_the_first_difference(
    repaired: str, edited: str, read: str, forbidden: str, blamed: str | None
) -> None:
    repair = repair_of(repaired, edited)
    without = frozenset(leaf for leaf in repair.root.children if leaf.value in forbidden)
    leaf = find_difference(repair, tokens_of(read), without)
    assert (leaf and leaf.value) == blamed


def test_a_token_of_another_terminal_is_a_difference() -> None:
    leaf = find_difference(repair_of("ab", ""), [Token("A", "a"), Token("X", "b")], frozenset())
    assert leaf is not None and leaf.name == "B"


# ---- exact searches


@pytest.mark.parametrize("bound", [1800, 1999, 2000])
def test_an_exact_search_finds_what_the_price_allows(bound: int) -> None:
    """Each of two blocks has two ends, of which two are in one place."""
    parse = load(BLOCKS).parse("a = b\n  c = d\n    e = f\n", exact=True, max_price=bound)
    assert (parse.price, parse.text, parse.minimal) == (1800, "a = b\nc = d\ne = f\n", True)


@pytest.mark.parametrize("count", [1, 5, 20])
def test_an_exact_search_deletes_as_many_tokens_as_the_price_allows(count: int) -> None:
    parser = load('start: "a" "b"')
    text = "a" * (count + 1) + "b"
    outcomes = [search_exactly(parser.compiled, text, Bounds(price, 10**5, 8, 8)) for price in (999, 1080 * count)]
    assert [len(outcome.repairs) > 0 for outcome in outcomes] == [False, True]
    assert outcomes[0].why == "no repair costs 999 or less"
    assert (outcomes[1].repairs[0].price, outcomes[1].why) == (1080 * count, "")


def test_less_than_a_token_buys_one_letter() -> None:
    outcome = search_exactly(load('start: "print" "x"').compiled, "prntx", Bounds(400, 10**5, 8, 8))
    assert [repair.price for repair in outcome.repairs] == [400]


def test_the_repairs_of_a_search_are_sorted_by_price() -> None:
    parser = load('start: "a" X | "a" "b" | "a" "c"\nX: /x/\n')
    for search in (search_exactly, search_by_chart):
        outcome = search(parser.compiled, "a", Bounds(20_000, 10**5, 8, 8))
        assert [repair.price for repair in outcome.repairs] == [1000, 1000, 1060]
        assert all(sum(edit.price for edit in repair.edits) == repair.price for repair in outcome.repairs)


# ---- windows

CLOSED = 'start: "(" "a" "a" "a" ")" | "a" "a" "a" "."'


# A chart stops one token earlier than tables do: what cannot read the next token waits.
@pytest.mark.parametrize(
    ("engine", "back", "price"),
    [("lalr", 0, 1500), ("lalr", 2, 1500), ("lalr", 3, 1000), ("earley", 1, 1500), ("earley", 2, 1000)],
)
def test_tokens_before_an_error_may_be_edited(engine: Engine, back: int, price: int) -> None:
    parse = load(CLOSED, engine).parse("aaa)", exact=False, back=back)
    assert (parse.price, parse.text) == (price, {1000: "(aaa)", 1500: "aaa."}[price])


@pytest.mark.parametrize("engine", ["lalr", "earley"])
def test_tokens_after_an_error_must_follow(engine: Engine) -> None:
    parser = load('start: "x" "b" "b" "b" "c" | "y" "z" "b" "b" "b" "d"', engine)
    parses = [parser.parse("bbbd", exact=False, ahead=ahead, back=1) for ahead in (1, 3, 4, 8)]
    assert [parse.price for parse in parses] == [2500, 2500, 2000, 2000]
    assert [parse.text for parse in parses] == ["xbbbc", "xbbbc", "yzbbbd", "yzbbbd"]
