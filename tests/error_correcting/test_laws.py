"""Laws of the error-correcting parser: valid texts, edits and prices, bounds."""

from __future__ import annotations

import random
import time
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from token_places import check_token_places

from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser, InsertedToken
from symops_lark.error_correcting.chart import Chart, Item
from symops_lark.error_correcting.languages import list_languages, load_language

VALID = {
    "json": '{"a": [1, -2.5, {"b": null}], "c": "x, y"}',
    "ini": "[a]\nb = 1 2\nc =\n[d]\n",
    "statements": "a = (1 + b) * f(2, c);\nif a then print a; else print 1; end\n",
    "sql": "SELECT DISTINCT a, b AS c FROM t AS u LEFT JOIN v ON u.x = v.x WHERE a > 1 ORDER BY a DESC LIMIT 3;",
    "config": 'server "a" { port = 80; names = ["x", "y"]; mode = on; }\ninclude "z";',
    "graphql": "query A($x: Int!) { b: c(d: $x, e: [1, 2]) { f } }",
    "toml": 'a.b = "x"\n[c]\nd = [1, 2]\ne = { f = true }\ng = 1979-05-27\n',
    "dotenv": 'export A=1\nB="x y"\nC=\n',
    "lists": '(define (f x) \'(1 "a b" x))',
    "calls": 'run("ls", timeout=30, paths=[a, b()])',
}


@cache
def load(name: str) -> ErrorCorrectingParser:
    return ErrorCorrectingParser(load_language(name).grammar)


@cache
def load_small(grammar: str, engine: Any) -> ErrorCorrectingParser:
    return ErrorCorrectingParser(grammar, parser=engine)


def places(tree: Tree[Token]) -> list[tuple[str, int | None, int | None]]:
    tokens = tree.scan_values(lambda value: isinstance(value, Token))
    return [(str(token), token.line, token.column) for token in tokens]


@pytest.mark.parametrize("name", list_languages())
@pytest.mark.parametrize("engine", ["lalr", "earley"])
def test_a_valid_text_has_the_tree_of_lark(name: str, engine: str) -> None:
    parser = ErrorCorrectingParser(load_language(name).grammar, parser=engine)  # type: ignore[arg-type]
    lark = Lark(load_language(name).grammar.read_text("utf-8"), parser=engine)
    parse = parser.parse(VALID[name])
    assert parse.tree == lark.parse(VALID[name]) and places(parse.tree) == places(lark.parse(VALID[name]))
    assert (parse.price, parse.edits, parse.text, parse.steps) == (0, (), VALID[name], 0)
    assert parse.accepted and parse.complete and parse.minimal and not parse.why


@pytest.mark.parametrize("engine", ["lalr", "earley"])
@pytest.mark.parametrize("rule", ["[A]", "A*", 'A? ";"', '[A] ";"'])
@given(text=st.text("a;b", max_size=4))
def test_none_is_a_tree_as_any_other(rule: str, engine: str, text: str) -> None:
    """Lark gives it for an optional token of an inlined rule, and a transformer for anything."""
    grammar = f'?start: {rule}\nA: "a"\n'
    options: dict[str, Any] = {"parser": engine, "maybe_placeholders": True}
    lark = Lark(grammar, **options)
    parse = ErrorCorrectingParser(grammar, **options).parse(text)
    assert parse.accepted and parse.complete and parse.tree == lark.parse(parse.text)
    try:
        lark.parse(text)
    except UnexpectedInput:
        assert parse.price > 0 and parse.edits
    else:
        assert (parse.text, parse.price, parse.steps) == (text, 0, 0)


@st.composite
def broken_texts(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a language, and a text of it with characters deleted, doubled or exchanged."""
    name = draw(st.sampled_from(list_languages()))
    text = VALID[name]
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, max(0, len(text) - 1)))
        new = draw(st.sampled_from(["", text[place : place + 1] * 2, '"', ",", "}", "(", "x", "\n", "é"]))
        text = text[:place] + new + text[place + 1 :]
    return name, text


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(broken_texts())
def test_laws_of_a_repair(drawn: tuple[str, str]) -> None:
    name, text = drawn
    parser = load(name)
    parse = parser.parse(text)
    assert parse.price == sum(edit.price for edit in parse.edits)
    for edit, following in zip(parse.edits, parse.edits[1:], strict=False):
        assert 0 <= edit.start <= edit.stop <= following.start
    assert parse.complete == (not parse.why) and parse.steps <= 200_000
    if parse.complete:
        assert parse.accepted
        assert parser.lark.parse(parse.text) == parse.tree
        assert parser.parse(parse.text).price == 0
    for edits in parse.alternatives:
        parser.lark.parse(parser.apply(text, edits))
    repairs = [parse.edits, *parse.alternatives]
    assert len({parser.apply(text, edits) for edits in repairs}) == len(repairs)
    for diagnostic in parser.diagnostics(text, parse):
        assert diagnostic.message and 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(broken_texts())
def test_tokens_have_their_places_in_the_given_text(drawn: tuple[str, str]) -> None:
    name, text = drawn
    parse = load(name).parse(text)
    assume(isinstance(parse.tree, Tree))
    check_token_places(parse, text)


def test_an_inserted_token_is_equal_to_a_plain_one() -> None:
    parse = load("statements").parse("a = 1 + * 2;")
    tokens = list(parse.tree.scan_values(lambda value: isinstance(value, Token)))
    parse = load("statements").parse("a = ;")
    inserted = list(parse.tree.scan_values(lambda value: isinstance(value, InsertedToken)))
    assert tokens and len(inserted) == 1
    assert inserted[0] == Token(inserted[0].type, str(inserted[0]))
    assert inserted[0].start_pos == inserted[0].end_pos == 3


def test_values_replace_invented_ones() -> None:
    grammar = load_language("statements").grammar
    parser = ErrorCorrectingParser(grammar, values={"NAME": "id", "NUMBER": "7"})
    parse = parser.parse("a = ;")
    repairs = {parser.apply("a = ;", edits) for edits in (parse.edits, *parse.alternatives)}
    assert repairs <= {"a =7 ;", "a =id ;"} and repairs
    with pytest.raises(GrammarError, match="is not a NAME"):
        ErrorCorrectingParser(grammar, values={"NAME": "1"})
    with pytest.raises(GrammarError, match="not a terminal"):
        ErrorCorrectingParser(grammar, values={"NOTHING": "1"})


@pytest.mark.parametrize("name", ["json", "statements", "sql"])
def test_rubbish_ends_within_its_bounds(name: str) -> None:
    draw = random.Random(name)
    words = VALID[name].split()
    text = " ".join(draw.choice(words) for _ in range(300))
    start = time.monotonic()
    parse = load(name).parse(text, max_steps=3_000)
    assert time.monotonic() - start < 20
    assert parse.steps <= 3_000 + 50_000
    if not parse.complete:
        assert parse.why and parse.edits[-1].kind == "skip" and parse.edits[-1].stop == len(text)
        assert parse.accepted
        load(name).lark.parse(parse.text)


SMALL = {
    "sums": ('start: e\ne: e "+" t | t\nt: N | "(" e ")"\nN: /[0-9]/\n%ignore " "\n', ["1", "+", "(", ")", " ", "1 1"]),
    "right": ('start: "a" start | "b"\n', ["a", "b", "c"]),
    "lists": ('?start: v\nv: "[" [v ("," v)*] "]" | "{" [v ":" v] "}" | "1"\n', ["[", "]", ",", "{", ":", "}", "1"]),
}


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_both_engines_keep_a_tree_when_they_meet_a_bound(data: st.DataObject) -> None:
    grammar, words = SMALL[data.draw(st.sampled_from([*SMALL]))]
    unit = "".join(data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=6)))
    text = unit * data.draw(st.sampled_from([1, 4, 40]))
    bounds: dict[str, Any] = {
        "max_price": data.draw(st.sampled_from([500, 5_000, 20_000])),
        "max_steps": data.draw(st.sampled_from([1, 30, 300, 3_000])),
    }
    for engine in ("lalr", "earley"):
        parser = load_small(grammar, engine)
        parse = parser.parse(text, **bounds)
        assert parse.tree is not None and parse.accepted and parse.tree == parser.lark.parse(parse.text)
        assert parse.price == sum(edit.price for edit in parse.edits)
        assert parser.apply(text, parse.edits) == parse.text
        kinds = [edit.kind for edit in parse.edits]
        assert kinds.count("skip") == (not parse.complete) and parse.complete == (not parse.why)
        for edit, following in zip(parse.edits, parse.edits[1:], strict=False):
            assert 0 <= edit.start <= edit.stop <= following.start


@pytest.mark.slow
def test_the_steps_of_one_error_do_not_grow_with_the_text() -> None:
    steps = []
    for count in (20, 200, 2000):
        items = ['{"a": [1, 2]}'] * count
        text = "[" + ", ".join(items) + ' {"b": 1}]'
        parse = load("json").parse(text, exact=False)
        assert parse.complete and len(parse.edits) == 1
        steps.append(parse.steps)
    assert max(steps) <= min(steps) + 10 < 400


@pytest.mark.slow
def test_deep_texts_do_not_exhaust_the_stack_of_python() -> None:
    text = "[" * 3000 + "1" + "]" * 2999
    parse = load("json").parse(text, exact=False)
    assert parse.complete and parse.price == 1000


def test_a_low_price_is_a_bound() -> None:
    parse = load("json").parse('{"a" 1 "b" 2 "c" 3}', max_price=1500)
    assert not parse.complete and parse.why


@pytest.mark.parametrize("value", [None, b"{}", 1])
def test_only_strings_are_texts(value: object) -> None:
    with pytest.raises(TypeError, match="expected a string"):
        load("json").parse(value)  # type: ignore[arg-type]


REFUSED = [
    ('start: "a', "<grammar>:1:8"),
    ("", "empty"),
    ('start: "a" _INDENT\n%declare _INDENT', "postlexer"),
    ("start: missing", "missing"),
]


@pytest.mark.parametrize(("grammar", "reason"), REFUSED)
def test_a_wrong_grammar_is_refused_with_a_reason(grammar: str, reason: str) -> None:
    with pytest.raises(GrammarError, match=reason):
        ErrorCorrectingParser(grammar)


def test_a_conflict_leads_to_earley_with_a_note() -> None:
    grammar = 'start: s\ns: "i" s | "i" s "e" s | "x"'
    parser = ErrorCorrectingParser(grammar)
    assert parser.lark.options.parser == "earley" and "conflict" in parser.notes[0]
    assert ErrorCorrectingParser(grammar, parser="lalr").notes == ()
    assert parser.parse("iixe").complete


def test_signs_that_would_become_one_are_separated() -> None:
    grammar = 'start: "=" "=" | "==" "x"\n%ignore " "'
    parse = ErrorCorrectingParser(grammar, parser="lalr").parse("= y =")
    assert parse.accepted and parse.text.split() == ["=", "="]


def test_a_parser_of_lark_is_a_grammar() -> None:
    lark = Lark(load_language("json").grammar.read_text("utf-8"), parser="lalr", propagate_positions=True)
    parse = ErrorCorrectingParser(lark).parse("[1 2]")
    assert parse.accepted and parse.tree.meta.end_pos == 5
    with pytest.raises(UnexpectedInput):
        lark.parse("[1 2]")


@pytest.mark.slow
def test_the_ways_of_an_ambiguous_grammar_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of such a grammar adds as many ways as the text has places."""
    charts: list[Chart] = []
    run = Chart.run

    def watch(self: Chart, *arguments: Any, **options: Any) -> list[Item]:
        charts.append(self)
        return run(self, *arguments, **options)

    monkeypatch.setattr(Chart, "run", watch)
    parser = ErrorCorrectingParser('start: x+\nx: x x | "a" | "b"')
    text = "ab" * 25 + "c" + "ab" * 5
    assert parser.parse(text).minimal
    ways, steps = charts[0].ways, charts[0].steps
    assert ways > 9 * steps
    charts.clear()
    # Enough steps, but not enough ways.
    parse = parser.parse(text, max_steps=4 * (ways // 9))
    assert not parse.minimal and charts[0].steps < steps and charts[0].ways < ways
