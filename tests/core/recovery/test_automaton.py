"""The automaton finds the cheapest reading: it is held against exhaustive search and against Lark's Earley parser."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from exhaustive import Search, prepare
from lark import Lark, Token, Tree

from symops_lark import dialects
from symops_lark.core.grammar.loading import load_grammar, recovery_text
from symops_lark.core.grammar.mistakes import MISTAKE, mistake_name
from symops_lark.core.ground.errors import GrammarError
from symops_lark.core.recovery.engines.automaton_compiler import compile_automaton, load_automaton
from symops_lark.core.recovery.engines.earley import pass_through
from symops_lark.core.recovery.engines.priced_rules import ROLES, ViterbiPath, load_rules
from symops_lark.core.recovery.lines.kinds import ATTRIBUTE_LIKE, FIELDS, Kind

PATH, TEXT = recovery_text(load_grammar("v2"))
AUTOMATON = load_automaton(PATH, TEXT)
KINDS = sorted(AUTOMATON.kinds)
# What a block, a fence and the prose around them are made of: random sequences of these reach the deep modes.
_BLOCKS = "ACTION OPEN CLOSE DELIM TEXT BLANK FENCE FENCE_INFO THOUGHT"
_OTHERS = "COMMAND NEAR_OPEN NEAR_CLOSE NEAR_ACTION BARE_ACTION PROSE"
COMMON = [kind for kind in f"{_BLOCKS} {_OTHERS}".split() if kind in KINDS]


@lru_cache(maxsize=1)
def earley() -> Lark:
    """Lark as anybody would use it: its own choice among the derivations, its own trees."""
    return Lark(TEXT, parser="earley", lexer=pass_through(), start="document", source_path=str(PATH))


@lru_cache(maxsize=1)
def search() -> Search:
    return prepare(earley().rules, "document")


def lark_reading(kinds: Sequence[str]) -> tuple[int, Counter[str]]:
    """Give the price and the mistakes along the tree that Lark's Earley parser prefers."""
    prices = {rule.origin.name: -(rule.options.priority or 0) for rule in earley().rules}
    assert not any(price for name, price in prices.items() if name.startswith("_")), "inlined rules must be free"
    tree: Tree[Token] = earley().parse(list(kinds))
    names = [str(node.data) for node in tree.iter_subtrees_topdown()]
    mistakes = Counter(mistake_name(name) for name in names if prices[name] >= MISTAKE)
    return sum(prices[name] for name in names), mistakes


def random_kinds(rng: random.Random, length: int) -> list[str]:
    return [rng.choice(COMMON if rng.random() < 0.7 else KINDS) for _ in range(length)]


def check_reading(reading: ViterbiPath, kinds: Sequence[str]) -> None:
    """A step for each kind, each with a role; the price is the sum of the steps and of what is missing at the end."""
    assert len(reading.steps) == len(kinds)
    assert all(step.role in ROLES for step in reading.steps)
    items = [m for step in reading.steps for m in (*step.mistakes, *step.before)] + list(reading.at_end)
    assert set(items) <= AUTOMATON.mistakes.keys()
    mistakes = sum(AUTOMATON.mistakes[name] for name in items)
    assert mistakes <= reading.price < mistakes + 100 * (len(kinds) + 1), "beside mistakes there are only preferences"


@pytest.mark.slow
def test_it_agrees_with_exhaustive_search_on_every_short_sequence() -> None:
    assert AUTOMATON.read([]).price == search().price([])
    for length in (1, 2):
        for kinds in itertools.product(KINDS, repeat=length):
            assert AUTOMATON.read(kinds).price == search().price(kinds), kinds


@pytest.mark.slow
def test_it_agrees_with_exhaustive_search_on_every_triple_of_common_kinds() -> None:
    for kinds in itertools.product(COMMON[:9], repeat=3):
        assert AUTOMATON.read(kinds).price == search().price(kinds), kinds


@pytest.mark.slow
@pytest.mark.parametrize("length", range(4, 8))
def test_it_agrees_with_exhaustive_search_on_random_sequences(length: int) -> None:
    rng = random.Random(length)
    for _ in range(100):
        kinds = random_kinds(rng, length)
        assert AUTOMATON.read(kinds).price == search().price(kinds), kinds


@pytest.mark.alike(6)
@pytest.mark.slow
@pytest.mark.parametrize("length", range(13))
def test_it_chooses_what_lark_chooses(length: int, stride: int) -> None:
    """The price is the same, and of equal prices the same mistakes."""
    rng = random.Random(100 + length)
    for _ in range((24 if length < 8 else 8) // stride if length else 1):  # Lark takes long for long ones
        kinds = random_kinds(rng, length)
        reading = AUTOMATON.read(kinds)
        items = [m for step in reading.steps for m in (*step.mistakes, *step.before)] + list(reading.at_end)
        assert (reading.price, Counter(items)) == lark_reading(kinds), kinds


def test_every_reading_adds_up() -> None:
    rng = random.Random(7)
    for length in (*range(30), 300):
        kinds = random_kinds(rng, length)
        check_reading(AUTOMATON.read(kinds), kinds)


def test_a_mode_that_is_far_dearer_may_win_in_the_end(tmp_path: Path) -> None:
    """However dear a mode is, it is kept: what follows may be dearer everywhere else."""
    text = "document: _a | _b\n_a: | _a body | _a drop\n_b: _a bet | _b body | _b close\nbody: TEXT\nclose: CLOSE\n"
    text += "bet.-60000: open\nopen: OPEN\ndrop: stray | OPEN\nstray.-90000: CLOSE\n%declare TEXT OPEN CLOSE\n"
    loaded = load_automaton(tmp_path / "bet.lark", text)
    assert loaded.read(["OPEN", "TEXT", "TEXT", "CLOSE"]).price == 60_000
    assert loaded.read(["OPEN", "TEXT", "TEXT"]).price == 0


@pytest.mark.slow
def test_it_is_total() -> None:
    """A proof: whatever set of modes a sequence may have reached, every kind leads on, and the text may end there."""
    arcs, ends = AUTOMATON._arcs, AUTOMATON._end.keys()
    first = frozenset(AUTOMATON._start)
    reached, fresh = {first}, [first]
    while fresh:
        modes = fresh.pop()
        for kind in KINDS:
            after = frozenset(target for mode in modes for target, *_ in arcs[kind].get(mode, ()))
            assert after & ends, (kind, modes)
            if after not in reached:
                reached.add(after)
                fresh.append(after)
    entered = {target for by in arcs.values() for slots in by.values() for target, *_ in slots}
    assert entered <= set().union(*reached), "a mode that no sequence reaches"


_TOLD_BY_NEIGHBOURS = (FIELDS | ATTRIBUTE_LIKE) - {Kind.ATTRIBUTE, Kind.NEAR_ATTRIBUTE}


@pytest.mark.parametrize("name", dialects())
def test_every_kind_that_the_lines_can_have_is_known(name: str) -> None:
    """The line reader and the grammar speak of the same kinds."""
    loaded = load_automaton(*recovery_text(load_grammar(name)))
    assert set(loaded.kinds) == set(KINDS)
    assert {kind for kind in Kind if not kind.is_split} - _TOLD_BY_NEIGHBOURS == set(KINDS)


@pytest.mark.parametrize("name", dialects())
def test_all_dialects_read_alike(name: str) -> None:
    other_automaton = load_automaton(*recovery_text(load_grammar(name)))
    rng = random.Random(9)
    for _ in range(200):
        kinds = random_kinds(rng, rng.randint(0, 20))
        assert other_automaton.read(kinds) == AUTOMATON.read(kinds)


class CountingArcs(dict[int, Any]):
    """Arcs that count how often they are looked at."""

    count = 0

    def get(self, key: int, default: Any = None) -> Any:
        value = super().get(key, default)
        CountingArcs.count += 1 + len(value or ())
        return value


@pytest.mark.parametrize(
    "pattern",
    [
        *([kind] for kind in KINDS),
        ["ACTION", "OPEN", "TEXT"],
        ["OPEN", "CLOSE"],
        ["FENCE", "TEXT"],
        ["ACTION", "TEXT", "CLOSE", "BLANK"],
    ],
    ids=str,
)
def test_the_work_grows_linearly(pattern: list[str]) -> None:
    counting = compile_automaton(load_rules(PATH, TEXT))
    counting._arcs = {kind: CountingArcs(by) for kind, by in counting._arcs.items()}
    work = []
    for size in (50, 100, 200):
        CountingArcs.count = 0
        counting.read(pattern * size)
        work.append(CountingArcs.count)
    assert work[2] <= 2.2 * work[1] <= 2.2 * 2.2 * work[0]


def test_a_grammar_that_is_not_total_is_reported(tmp_path: Any) -> None:
    text = "document: _a | _b\n_a: | _a body\n_b: _a open\nbody: TEXT\nopen.-900: OPEN\n%declare TEXT OPEN\n"
    hole = load_automaton(tmp_path / "hole.lark", text)
    assert hole.read(["TEXT", "OPEN"]).price == 900
    with pytest.raises(GrammarError, match=r"hole\.lark: .*TEXT.*not total"):
        hole.read(["OPEN", "TEXT"])
