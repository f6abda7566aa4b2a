"""The parser: which search it makes, the repairs that Lark refuses, the alternatives and the bounds."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import pytest
from lark import Token, Transformer, Tree

from symops_lark.error_correcting import CorrectedParse, ErrorCorrectingParser
from symops_lark.error_correcting.search import Bounds, search_exactly

LISTS = """
start: "[" [N ("," N)*] "]"
N: /[0-9]/
%ignore " "
"""

SUMS = """
start: expr
expr: expr "+" term | term
term: N | "(" expr ")"
N: /[0-9]/
%ignore " "
"""

BOUNDS = Bounds(20_000, 200_000, 8, 8)


@cache
def lists() -> ErrorCorrectingParser:
    return ErrorCorrectingParser(LISTS, parser="lalr")


def test_the_bounds_are_those_of_the_guide() -> None:
    parameters = inspect.signature(ErrorCorrectingParser.parse).parameters.values()
    assert {item.name: item.default for item in parameters if item.kind is item.KEYWORD_ONLY} == {
        "max_price": 20_000,
        "max_steps": 200_000,
        "back": 8,
        "ahead": 8,
        "exact": None,
        "most": 8,
    }


# ---- which search


def test_a_short_text_is_searched_exactly() -> None:
    assert lists().parse("[1 2").minimal and lists().parse("[1 2", exact=True).minimal
    assert not lists().parse("[1 2", exact=False).minimal


@pytest.mark.parametrize(("text", "is_minimal"), [("[" + "1," * 149 + "1", True), ("[" + "1," * 149 + "1 1", False)])
def test_a_text_of_three_hundred_tokens_is_short(text: str, is_minimal: bool) -> None:
    assert lists().parse(text).minimal == is_minimal


@pytest.mark.parametrize(("blanks", "is_minimal"), [(11_996, True), (11_997, False)])
def test_a_text_of_twelve_thousand_characters_is_short(blanks: int, is_minimal: bool) -> None:
    assert lists().parse("[1" + " " * blanks + "2]").minimal == is_minimal


def test_an_exact_search_may_take_a_quarter_of_the_steps() -> None:
    needed = next(steps for steps in range(1, 100) if lists().parse("[1 2", exact=True, max_steps=steps).minimal)
    assert needed > 9
    assert [lists().parse("[1 2", max_steps=4 * needed - less).minimal for less in (0, 1)] == [True, False]


@pytest.mark.parametrize("engine", ["lalr", "earley"])
def test_steps_of_a_search_that_was_given_up_count(engine: Any) -> None:
    parser = ErrorCorrectingParser(LISTS, parser=engine)
    exact = search_exactly(parser.compiled, "[1 2 3", Bounds(1500, 1000, 8, 8))
    assert exact.repairs == () and exact.steps > 0
    steps = [parser.parse("[1 2 3", max_price=1500, exact=exact).steps for exact in (True, False)]
    assert steps == [steps[1] + exact.steps, steps[1]]


# ---- bounds


@pytest.mark.parametrize(
    ("bound", "why"), [(1500, "no repair costs 1500 or less"), (2999, "no repair costs 2999 or less")]
)
def test_a_price_is_a_bound(bound: int, why: str) -> None:
    parse = lists().parse("[1 2 3", max_price=bound)
    assert (parse.complete, parse.minimal, parse.why) == (False, False, why)
    assert (parse.text, parse.price, parse.edits[-1]) == ("[1]", 2000, ("skip", 2, 6, "", "", 1000))
    assert lists().parse("[1 2 3", max_price=3000).complete


def test_steps_are_a_bound() -> None:
    parse = lists().parse("[1 2 3", max_steps=1)
    assert (parse.complete, parse.why) == (False, "no repair: the search reached max_steps")
    assert parse.text == "[1]" and parse.tree == Tree("start", [Token("N", "1")])


@pytest.mark.parametrize("engine", ["lalr", "earley"])
def test_what_was_repaired_before_a_bound_is_kept(engine: Any) -> None:
    parse = ErrorCorrectingParser(SUMS, parser=engine).parse("+ ".join(["1 1"] * 25))
    assert parse.why == "no repair costs 20000 or less" and parse.accepted and not parse.complete
    kinds = [edit.kind for edit in parse.edits]
    assert kinds == ["insert"] * 18 + ["skip"] and parse.price == 19_000
    assert list(parse.tree.scan_values(bool)) == ["1"] * parse.text.count("1") == ["1"] * 37


@pytest.mark.parametrize("engine", ["lalr", "earley"])
def test_edits_that_a_later_window_made_cheaper_are_paid_once(engine: Any) -> None:
    parse = ErrorCorrectingParser(SUMS, parser=engine).parse("1)(1" * 3, exact=False)
    assert parse.complete and parse.price == sum(edit.price for edit in parse.edits) == 6000


@pytest.mark.parametrize("engine", ["lalr", "earley"])
def test_what_is_open_before_a_bound_is_closed(engine: Any) -> None:
    parse = ErrorCorrectingParser(SUMS, parser=engine).parse("(1+(1 1", max_price=500)
    assert (parse.text, parse.price, parse.accepted) == ("(1+(1))", 3000, True)


def test_what_was_read_before_the_last_step_is_kept() -> None:
    text = "+".join("1" * 50) + " 1"
    parse = ErrorCorrectingParser(SUMS, parser="earley").parse(text, max_steps=200, exact=False)
    assert parse.why == "no repair: the search reached max_steps"
    assert text.startswith("1+1+1") and text.startswith(parse.text) and 9 < len(parse.text) < 99
    (skip,) = parse.edits
    assert (skip.kind, skip.start, skip.stop) == ("skip", len(parse.text), len(text))


def test_a_mistake_that_a_bound_cuts_is_skipped() -> None:
    """Its end costs too much, and its beginning is in no tree."""
    mistakes = '%extend item: _xs\n_xs.-300: "." "x"* ";"\n'
    parser = ErrorCorrectingParser('start: item+\nitem: "a"\n', mistakes=mistakes, parser="earley")
    parse = parser.parse(f"aa.{'x' * 15}aaa", max_price=1200)
    assert parse.text == "aa" and parse.edits == (("skip", 2, 21, "", "", 1000),)
    assert parse.tree == Tree("start", [Tree("item", [])] * 2)


def test_text_after_the_last_place_that_can_be_closed_is_skipped() -> None:
    """No text of the terminal is known, but it is not needed after the first word."""
    grammar = 'start: "a" ["b" "c" DATE]\nDATE: /(?=x)[0-9]{8}/'
    parse = ErrorCorrectingParser(grammar, parser="earley").parse("abc", max_price=500)
    assert parse.text == "a" and parse.edits == (("skip", 1, 3, "", "", 1000),)


def test_a_text_that_cannot_be_closed_is_skipped() -> None:
    """No text of the terminal is known. Another text is inserted."""
    grammar = 'start: "a" DATE | "b"\nDATE: /(?=x)[0-9]{8}/'
    parse = ErrorCorrectingParser(grammar, parser="earley").parse("a", max_price=500)
    assert (parse.text, parse.tree, parse.price) == ("b", Tree("start", []), 2000)


def test_a_text_that_cannot_be_repaired_has_no_tree() -> None:
    """No text of the terminal is known, so it cannot be inserted."""
    for engine, why in [("lalr", "no repair was found"), ("earley", "no repair leads further")]:
        parser = ErrorCorrectingParser("start: DATE\nDATE: /(?=x)[0-9]{8}/", parser=engine)  # type: ignore[arg-type]
        parse = parser.parse("a")
        assert parse == CorrectedParse(None, 0, (), "a", (), False, False, False, why, parse.steps)
        assert parse.steps > 0


# ---- alternatives


def test_alternatives_are_the_cheapest_others() -> None:
    parse = lists().parse("[1 2 3", exact=False)
    prices = [sum(edit.price for edit in edits) for edits in parse.alternatives]
    assert len(prices) == 5 and prices == sorted(prices) and parse.price <= prices[0]
    for most in (0, 1, 3):
        few = lists().parse("[1 2 3", exact=False, most=most)
        assert few.alternatives == parse.alternatives[:most] and few.tree == parse.tree


def test_alternatives_cost_at_most_99_more() -> None:
    mistakes = """
%extend start: _one | _two | _three
_one.-200: "a" C
_two.-299: "a" D
_three.-300: "a" E
C: /c/
D: /[cd]/
E: /[ce]/
"""
    parser = ErrorCorrectingParser('start: "a" "b"\n', mistakes=mistakes, parser="earley")
    parse = parser.parse("ac")
    rows = [[(edit.name, edit.price) for edit in edits] for edits in (parse.edits, *parse.alternatives)]
    assert rows == [[("one", 200)], [("two", 299)]]


def test_alternatives_have_other_tokens() -> None:
    """Two mistakes read the same tokens: the cheaper one is told."""
    mistakes = '%extend start: _one | _two\n_one.-200: "a" "c"\n_two.-210: "a" _c\n_c: "c"\n'
    parse = ErrorCorrectingParser('start: "a" "b"\n', mistakes=mistakes, parser="earley").parse("ac")
    assert [edit.name for edit in parse.edits] == ["one"] and parse.alternatives == ()


# ---- what Lark refuses


def test_signs_that_became_one_are_separated() -> None:
    parser = ErrorCorrectingParser('start: "=" "=" "x" | "==" "y"\n%ignore " "', parser="lalr")
    parse = parser.parse("= x")
    assert (parse.price, parse.accepted, parse.text.split()) == (1000, True, ["=", "=", "x"])
    assert parser.apply("= x", parse.edits) == parse.text


def test_a_repair_that_lark_reads_in_another_way_is_not_made() -> None:
    """Without blanks, `=` and `=` are one sign."""
    parser = ErrorCorrectingParser('start: "=" "=" "x" | "==" "y"', parser="lalr")
    parse = parser.parse("=x")
    assert (parse.price, parse.accepted, parse.text) == (3000, True, "==y")


@pytest.mark.parametrize("lexer", ["basic", "contextual"])
def test_the_token_that_lark_does_not_find_is_forbidden_alone(lexer: str) -> None:
    """A word is cheaper than two digits, but not one before another word. The bracket before it is right."""
    grammar = 'start: "[" (MODE | "1" "2") WORD "]"\nMODE: /(on|off)\\b/\nWORD: /[a-z]/\n'
    parser = ErrorCorrectingParser(grammar, parser="lalr", lexer=lexer, values={"MODE": "on"})
    parse = parser.parse("[x]")
    assert (parse.price, parse.accepted, parse.text) == (2000, True, "[12x]")


@pytest.mark.parametrize("exact", [True, False])
def test_a_repair_that_lark_never_accepts_has_the_tree_of_the_search(exact: bool) -> None:
    """Lark shifts the `b` and misses the other one, so it cannot read this text of the grammar."""
    parser = ErrorCorrectingParser('start: a "b"\na: "x" | "x" "b"', parser="lalr")
    parse = parser.parse("xb", exact=exact)
    assert (parse.tree, parse.price, parse.edits, parse.text) == (Tree("start", [Tree("a", [])]), 0, (), "xb")
    assert (parse.accepted, parse.complete, parse.minimal) == (False, False, False)
    assert parse.why == "Lark reads the repaired text in another way"
    assert parser.parse("xbb").price == 0
    assert parser.parse("xb", exact=True).steps == search_exactly(parser.compiled, "xb", BOUNDS).steps


@pytest.mark.parametrize("lexer", ["basic", "contextual"])
@pytest.mark.parametrize("exact", [True, False])
def test_the_token_that_lark_refuses_is_forbidden(lexer: str, exact: bool) -> None:
    parser = ErrorCorrectingParser('start: a "b" ";"\na: "x" | "x" "b"', parser="lalr", lexer=lexer)
    parse = parser.parse("xb;", exact=exact)
    assert (parse.text, parse.price, parse.accepted) == ("xbb;", 2500, True)


def test_an_inserted_token_is_to_blame_and_not_the_same_one_of_the_text() -> None:
    grammar = 'start: "<>" | "x" "===" | e\ne: "==" | "=" e | "y" "xx" | X\nX: /[xy]/\n'
    parser = ErrorCorrectingParser(grammar, parser="lalr")
    parse = parser.parse(">=")
    assert (parse.text, parse.price, parse.accepted, parse.minimal) == ("=x", 2060, True, False)


def test_a_rule_is_inserted_without_the_token_that_lark_does_not_find() -> None:
    parser = ErrorCorrectingParser('start: "=>" X | "x" e X | e\ne: "xx" | e X "xx" | "<"\nX: /[xy]/\n', parser="lalr")
    parse = parser.parse("xy")
    assert (parse.text, parse.price, parse.accepted, parse.minimal) == ("x<y", 1000, True, True)


def test_a_repair_is_minimal_if_the_first_search_found_it() -> None:
    parser = ErrorCorrectingParser('start: "=" "=" "x" | "==" "y"\n%ignore " "', parser="lalr")
    assert parser.parse("= x").minimal
    glued = ErrorCorrectingParser('start: "=" "=" "x" | "==" "y"', parser="lalr")
    assert not glued.parse("=x").minimal and glued.parse("=y").minimal


def test_a_repair_that_lark_refuses_is_better_than_none() -> None:
    parser = ErrorCorrectingParser('start: "=" "=" "x" | "==" "y"', parser="lalr")
    parse = parser.parse("=x", max_price=1000)
    assert (parse.text, parse.price, parse.accepted, parse.complete) == ("==x", 1000, False, False)
    assert parse.steps > search_exactly(parser.compiled, "=x", BOUNDS._replace(max_price=1000)).steps


def test_the_edits_of_every_repair_are_sorted_by_place() -> None:
    for exact in (True, False):
        parse = lists().parse("1 2,, 3", exact=exact)
        for edits in (parse.edits, *parse.alternatives):
            assert list(edits) == sorted(edits, key=lambda edit: (edit.start, edit.stop))


def test_a_number_that_became_a_part_of_the_next_one_is_forbidden() -> None:
    parser = ErrorCorrectingParser('start: "[" N M "]" | "{" M "}"\nN: /[0-9]+/\nM: /[0-9]+x/\n', parser="lalr")
    parse = parser.parse("[1x]")
    assert (parse.text, parse.price, parse.accepted) == ("{1x}", 3000, True)


def test_a_text_that_lark_refuses_is_written_as_any_other() -> None:
    parser = ErrorCorrectingParser('start: a "b"\na: "x" | "x" "b"\n%ignore " "', parser="lalr")
    parse = parser.parse("x")
    assert not parse.accepted and parser.apply("x", parse.edits) == parse.text == "x b"


def test_another_layout_is_an_alternative_if_it_costs_as_little() -> None:
    blocks = 'start: s+\ns: "n" _NL | "i" _NL b ["e" _NL b]\nb: _INDENT s+ _DEDENT\n_NL: /(\\n[ ]*)+/\n'
    parser = ErrorCorrectingParser(blocks + "%declare _INDENT _DEDENT\n")
    parse = parser.parse("i\n    n\n  n\nn\n")
    assert (parse.price, parse.text) == (400, "i\n    n\n    n\nn\n")
    assert [parser.apply("i\n    n\n  n\nn\n", edits) for edits in parse.alternatives] == ["i\n    n\nn\nn\n"]
    parse = parser.parse("i\n    n\n  n\ne\n  n\n")
    assert (parse.price, parse.text, parse.alternatives) == (400, "i\n    n\n    n\ne\n  n\n", ())


def test_an_error_of_a_transformer_is_not_one_of_the_text() -> None:
    class Failing(Transformer[Token, Any]):
        def start(self, values: list[Any]) -> None:
            raise AssertionError(values)

    parser = ErrorCorrectingParser(LISTS, parser="lalr", transformer=Failing())
    with pytest.raises(AssertionError):
        parser.parse("[1]")


# ---- mistakes


def test_what_a_mistake_leaves_in_the_text_is_not_accepted() -> None:
    mistakes = '//! Too much. | remove `,`\n%extend start: _comma\n_comma.-300: "[" N "," "]"\n'
    parser = ErrorCorrectingParser(LISTS, mistakes=mistakes)
    parse = parser.parse("[1 ,]")
    assert (parse.text, parse.price, parse.accepted, parse.complete, parse.minimal) == ("[1 ,]", 300, False, True, True)
    assert parse.tree == Tree("start", [Token("N", "1")])
    [edit] = parse.edits
    assert edit == ("mistake", 0, 5, "comma", "", 300)
    parse = parser.parse("[1 ,")
    assert (parse.text, parse.price, parse.accepted, parse.complete) == ("[1 ,]", 1300, False, True)
