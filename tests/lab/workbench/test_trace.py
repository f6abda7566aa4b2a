"""Tracing: the chosen reading is the one that is used, the others are the next cheapest, in order, none twice."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from pathlib import Path

import pytest
from command_line import BROKEN, GOOD, HALF, run
from exhaustive import Search, prepare
from lark import Lark

from symops_lark import parse
from symops_lark.core.grammar.loading import load_grammar, recovery_text
from symops_lark.core.ground.errors import GrammarError
from symops_lark.core.processor import SymOpsProcessor
from symops_lark.core.recovery.engines.automaton import Automaton
from symops_lark.core.recovery.engines.automaton_compiler import load_automaton
from symops_lark.core.recovery.engines.nbest import Label, label_of, n_best, price_by_role
from symops_lark.core.recovery.reading import read_outline
from symops_lark.core.text.source import LineEndings
from symops_lark.lab.workbench.strict_trace import trace_strict
from symops_lark.lab.workbench.trace import trace_recovery

V2 = load_grammar("v2")
PATH, TEXT = recovery_text(V2)
AUTOMATON = load_automaton(PATH, TEXT)
KINDS = sorted(AUTOMATON.kinds)
SPELLER = SymOpsProcessor(V2).engine(V2).repairer
FAR = 1 << 40
DOUBTFUL = "Sure!\n\n::create @a.py\n<<<\nx = 1\n\n::Create b.py\n<<<\ny\n>>\n```\nmore\n::run ls\n"
TEXTS = [BROKEN, GOOD, HALF, DOUBTFUL, "", "\n\n", "\ufeff>> a\r\n", "Hello there.\n"]

Reading = tuple[tuple[Label, ...], tuple[str, ...]]


def all_readings(automaton: Automaton, kinds: list[str]) -> dict[Reading, int]:
    """Walk every path through the automaton and keep the cheapest of those that read alike."""
    start, end, arcs = automaton.tables
    paths: list[tuple[int, int, tuple[Label, ...]]] = [(cost, mode, ()) for mode, cost in start.items()]
    for kind in kinds:
        paths = [
            (cost + step.price, target, (*labels, label_of(step)))
            for cost, mode, labels in paths
            for target, step, _ in arcs[kind].get(mode, ())
        ]
    table: dict[Reading, int] = {}
    for cost, mode, labels in paths:
        if mode in end:
            key, total = (labels, end[mode][1]), cost + end[mode][0]
            table[key] = min(total, table.get(key, total))
    return table


@lru_cache(maxsize=1)
def search() -> Search:
    rules = Lark(TEXT, parser="earley", start="document", source_path=str(PATH), lexer="dynamic").rules
    return prepare(rules, "document")


def sequences(length: int) -> list[list[str]]:
    rng = random.Random(length)
    return [[rng.choice(KINDS) for _ in range(length)] for _ in range(40 if length else 1)]


# ---- the readings that lost


@pytest.mark.parametrize("length", range(6))
@pytest.mark.parametrize("within", [0, 3000, FAR])
def test_n_best_agrees_with_walking_every_path(length: int, within: int) -> None:
    for kinds in sequences(length):
        every = all_readings(AUTOMATON, kinds)
        limit = min(every.values()) + within
        result = list(n_best(AUTOMATON, kinds, within))
        assert [r.price for r in result] == sorted(price for price in every.values() if price <= limit), kinds
        keys = [(tuple(label_of(step) for step in r.steps), r.at_end) for r in result]
        assert len(set(keys)) == len(keys), "a reading twice"
        assert [every[key] for key in keys] == [r.price for r in result]


@pytest.mark.slow
@pytest.mark.parametrize("length", range(5))
def test_the_first_of_n_best_is_the_cheapest_derivation(length: int) -> None:
    for kinds in sequences(length):
        first = next(n_best(AUTOMATON, kinds, 0))
        assert first.price == AUTOMATON.read(kinds).price == search().price(kinds)


def test_every_reading_adds_up() -> None:
    for kinds in sequences(12):
        for reading in n_best(AUTOMATON, kinds, 8000):
            missing = sum(AUTOMATON.mistakes[name] for name in reading.at_end)
            assert reading.price == sum(step.price for step in reading.steps) + missing
            assert len(reading.steps) == len(kinds)


@pytest.mark.parametrize("length", range(1, 5))
def test_price_by_role_agrees_with_walking_every_path(length: int) -> None:
    for kinds in sequences(length):
        every = all_readings(AUTOMATON, kinds)
        expected: list[dict[str, int]] = [{} for _ in kinds]
        for (labels, _), price in every.items():
            for place, (role, _, _) in enumerate(labels):
                expected[place][role] = min(price, expected[place].get(role, price))
        assert price_by_role(AUTOMATON, kinds, FAR) == expected


@pytest.mark.slow
def test_a_long_text_has_next_readings_soon() -> None:
    kinds = ["ACTION", "OPEN", "TEXT", "FENCE", "CLOSE"] * 2000
    readings = n_best(AUTOMATON, kinds, 20_000)
    prices = [next(readings).price for _ in range(4)]
    assert prices == sorted(prices) and prices[0] == AUTOMATON.read(kinds).price


def test_of_two_ways_to_read_alike_the_cheaper_counts(tmp_path: Path) -> None:
    modes = ["_first: | _first body\n", "_second: _first body_dear\n"]
    for order in (modes, modes[::-1]):
        text = "document: _last\n_last: _second body | _first body\n" + "".join(order)
        text += "body: TEXT\nbody_dear.-10: TEXT\n%declare TEXT\n"
        automaton = load_automaton(tmp_path / "alike.lark", text)
        for length in (1, 2, 3):
            assert [r.price for r in n_best(automaton, ["TEXT"] * length, FAR)] == [0]
            assert set(all_readings(automaton, ["TEXT"] * length).values()) == {0}


def test_a_grammar_that_is_not_total_is_reported(tmp_path: Path) -> None:
    text = "document: _a | _b\n_a: | _a body\n_b: _a open\nbody: TEXT\nopen.-900: OPEN\n%declare TEXT OPEN\n"
    hole = load_automaton(tmp_path / "hole.lark", text)
    assert [r.price for r in n_best(hole, ["TEXT", "OPEN"], 0)] == [900]
    with pytest.raises(GrammarError, match="not total"):
        next(n_best(hole, ["OPEN", "TEXT"], 0))


# ---- the trace


@pytest.mark.parametrize("name", ["v1", "v2"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_chosen_reading_is_the_one_that_is_used(name: str, text: str) -> None:
    dialect = load_grammar(name)
    repairer = SymOpsProcessor(dialect).engine(dialect).repairer
    trace = trace_recovery(text, dialect, repairer, others=5, within=9000)
    outline = read_outline(LineEndings(text).plain, dialect, repairer)
    assert trace.outline == outline
    assert tuple(traced.part for traced in trace.parts) == outline.parts
    for traced in trace.parts:
        own = traced.part.step.role
        assert traced.by_role[own] == 0 and min(traced.by_role.values()) == 0
        assert traced.last == traced.first + traced.text.count("\n")
    dearer = [item.dearer for item in trace.others]
    assert dearer == sorted(dearer) and all(0 <= element <= 9000 for element in dearer)
    assert all(entry.differences or entry.at_end != outline.at_end for entry in trace.others)


def test_no_others_and_no_margin() -> None:
    assert trace_recovery(DOUBTFUL, V2, SPELLER, others=0).others == ()
    assert all(item.dearer == 0 for item in trace_recovery(DOUBTFUL, V2, SPELLER, within=0).others)
    assert len(trace_recovery(DOUBTFUL, V2, SPELLER, others=2, within=30_000).others) == 2


def test_a_trace_says_what_made_a_line_nearly_an_action() -> None:
    traced = trace_recovery(BROKEN, V2, SPELLER).parts[-5]
    assert traced.part.line.kind == "NEAR_ACTION" and traced.respelt is not None
    assert traced.respelt.text == "::create @a.py" and "capital-verb" in traced.respelt.rules


def test_a_trace_says_which_lines_were_overruled() -> None:
    trace = trace_recovery("Well.\n::create @a.md\n<<<\nx\n::create @b\n>>>\n", V2, SPELLER)
    assert [(traced.first, traced.last, traced.alone) for traced in trace.parts if traced.alone] == [
        (4, 5, ((5, "ACTION"),))
    ]


@pytest.mark.parametrize("text", [GOOD, "\ufeff" + GOOD, GOOD.removesuffix("\n"), GOOD.replace("\n", "\r\n"), ""])
def test_the_tokens_of_a_valid_text_are_the_text(text: str) -> None:
    trace = trace_strict(text, V2)
    assert trace.stop is None and trace.tree is not None
    assert len(trace.tree.children) == len(parse(text).sections)
    whole_removeprefix = text.removeprefix("\ufeff")
    assert "".join(token.value for token in trace.tokens).removesuffix("\n") == whole_removeprefix.removesuffix("\n")
    for token in trace.tokens:
        part = text[token.span.start : token.span.end]
        assert part == token.value or (token is trace.tokens[-1] and part + "\n" == token.value)


def test_the_place_where_strict_reading_stops() -> None:
    trace = trace_strict(">> a\n::create a.py\n", V2)
    assert trace.tree is None and trace.stop is not None
    assert (trace.stop.span.line, trace.stop.span.column, trace.stop.found) == (2, 10, "a.py")
    assert "_TARGET" in trace.stop.expected
    assert trace.stop.diagnostic is not None and trace.stop.diagnostic.code == "missing-target-mark"


# ---- the command


def test_the_command_explains_a_broken_text() -> None:
    result = run("grammar", "trace", "v2", "--within", "30000", stdin=DOUBTFUL)
    assert result.exit_code == 1, result.output
    price = trace_recovery(DOUBTFUL, V2, SPELLER).outline.price
    for part in (
        "not valid",
        "stopped at 1:1",
        f"cheapest reading: price {price}",
        "NEAR_ACTION",
        "stray-text 4000",
        "the rules missing-target-mark",
        "readings that lost",
        "  1. price ",
        "→",
    ):
        assert part in result.stdout, part
    assert "\x1b" not in result.stdout


def test_the_command_shows_tokens_and_tree(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(GOOD)
    result = run("grammar", "trace", "v2", str(tmp_path / "good.txt"))
    assert result.exit_code == 0 and "cheapest" not in result.stdout
    assert "  1:1    _THOUGHT" in result.stdout and "TEXT  go" in result.stdout and "<<<␊x = 1␊" in result.stdout
    assert "cheapest reading: price 0" in run("grammar", "trace", "v2", "--recovery", stdin=GOOD).stdout


def test_the_command_as_json() -> None:
    value = json.loads(run("grammar", "trace", "v2", "--json", "--others", "2", stdin=BROKEN).stdout)
    trace = trace_recovery(BROKEN, V2, SPELLER, others=2)
    assert value["recovery"] == json.loads(json.dumps(trace.to_dict()))
    assert value["strict"] == json.loads(json.dumps(trace_strict(BROKEN, V2).to_dict()))
    assert {name for part in value["recovery"]["parts"] for name in part["mistakes"]} <= set(
        value["recovery"]["mistakes"]
    )


SPLIT = "::create\n@a.py\n<<<\n::run @ls\n>>>\n"


def test_the_command_shows_what_each_pass_changes() -> None:
    done = run("grammar", "trace", "v2", "--passes", stdin=SPLIT)
    assert done.exit_code == 1
    title, header, *rows = done.output.splitlines()
    assert title.endswith("not valid, v2, 3 changes") and header.split() == ["pass", "line", "was", "becomes", "text"]
    assert [row.split(maxsplit=4) for row in rows] == [
        ["broken-heads", "1", "STUB", "NEAR_ACTION", "::create"],
        ["broken-heads", "2", "TEXT", "+", "@a.py"],
        ["whole-blocks", "4", "COMMAND", "TEXT", "::run @ls"],
    ]
    data = json.loads(run("grammar", "trace", "v2", "--passes", "--json", stdin=SPLIT).output)
    assert data["passes"][1] == {"pass": "broken-heads", "line": 2, "was": "TEXT", "becomes": "+", "text": "@a.py"}


@pytest.mark.slow
def test_the_passes_over_groups_show_which_action_they_mark() -> None:
    """Behind those over lines; an action whose doubt changes has a row for each pass."""
    text = "::create\n@a.md\n<<<\nEnd with:\n>>>\n::run @ls\n>>>\n\n::create @b.py\n\n::delete c.py\n"
    passes = json.loads(run("grammar", "trace", "v2", "--passes", "--json", stdin=text).output)["passes"]
    assert [(row["pass"], row["line"], row["was"], row["becomes"], row["text"]) for row in passes[2:]] == [
        ("orphans", 6, "-", "early-close", "::run @ls"),
        ("orphans", 11, "-", "early-close", "::delete c.py"),
        ("lacking", 9, "-", "draft-action", "::create @b.py"),
        ("lacking", 11, "early-close", "draft-action", "::delete c.py"),
    ]
    texts = ("grammar", "trace", "v2", "--passes", "--engine", "earley")
    assert "lacking" in run(*texts, stdin=text).output


def test_the_passes_of_a_valid_text_change_what_its_contents_hold() -> None:
    done = run("grammar", "trace", "v2", "--passes", stdin=SPLIT.replace("\n@a", " @a"))
    assert done.exit_code == 0 and "whole-blocks" in done.output and "broken-heads" not in done.output


def test_the_command_with_a_grammar_that_is_not_there() -> None:
    result = run("grammar", "trace", "v9", stdin="")
    assert result.exit_code == 2 and "v9" in result.stderr
