"""Two engines, one reading: Lark's Earley parser is held against the automaton, and against exhaustive search."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from derivations import derive_cheapest
from texts import texts_on_file

from symops_lark.core.grammar.loading import load_dialect, recovery_text
from symops_lark.core.ground.errors import GrammarError
from symops_lark.core.known_processors import known_processor
from symops_lark.core.recovery.engines.automaton_compiler import load_automaton
from symops_lark.core.recovery.engines.earley import Earley, load_earley
from symops_lark.core.recovery.lines.lexer import LineLexer
from symops_lark.core.recovery.lines.prose import merge_runs

V2 = recovery_text(load_dialect("v2"))
AUTOMATON = load_automaton(*V2)
EARLEY = load_earley(*V2)
KINDS = sorted(AUTOMATON.kinds)

# Blocks in blocks: a closer is looked for, or missing at each depth; text may stand outside.
NESTED = """
document: (_section | stray_line)*
_section: head block
block: open _inside* close | _unclosed
_unclosed: missing_close_of_block
missing_close_of_block.-3000: open _inside*
_inside: body | inner_block
inner_block: body_open _inside* (body_close | missing_inner_close)
missing_inner_close.-2000:
head: ACTION
open: OPEN
close: CLOSE
body: TEXT | BLANK | body_head
body_head.-10: ACTION
body_open: OPEN
body_close: CLOSE
stray_line.-1000: drop_line
drop_line: TEXT | BLANK | OPEN | CLOSE | ACTION
%declare ACTION OPEN CLOSE TEXT BLANK
"""


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Earley:
    return load_earley(tmp_path_factory.mktemp("nested") / "nested_recovery.lark", NESTED)


def test_the_last_readings_are_kept(nested: Earley, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repair and recovery ask for the same reading; a process that reads texts for days does not grow."""
    numbers: list[int] = []
    monkeypatch.setattr(nested, "_parse", lambda kinds: numbers.append(len(kinds)))
    monkeypatch.setattr(nested, "_readings", {})
    for length in (*range(1, 17), 1, 16, 17, 1):
        nested.read(["TEXT"] * length)
    assert numbers == [*range(1, 17), 17, 1]


def random_kinds(rng: random.Random, length: int, kinds: Sequence[str]) -> list[str]:
    return [rng.choice(kinds) for _ in range(length)]


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("length", range(1, 21))
def test_it_reads_what_the_automaton_reads(length: int) -> None:
    """Not the prices alone: the roles, the mistakes and where they stand, also where several readings cost the same."""
    rng = random.Random(200 + length)
    common = ["ACTION", "OPEN", "CLOSE", "DELIM", "TEXT", "BLANK", "FENCE", "PROSE", "NEAR_CLOSE", "BARE_ACTION"]
    for _ in range(6 if length < 11 else 2):
        kinds = random_kinds(rng, length, rng.choice((KINDS, common)))
        assert EARLEY.read(kinds) == AUTOMATON.read(kinds), kinds


@pytest.mark.slow
def test_it_reads_texts_on_file_as_the_automaton_does() -> None:
    readings = dict.fromkeys(kinds_on_file())
    short = sorted((kinds for kinds in readings if 1 < len(kinds[1]) <= 9), key=lambda kinds: (len(kinds[1]), kinds))
    for name, kinds in short[::20]:
        own = recovery_text(load_dialect(name))
        assert load_earley(*own).read(kinds) == load_automaton(*own).read(kinds), kinds
    assert len(short[::20]) > 15


def kinds_on_file() -> Iterator[tuple[str, tuple[str, ...]]]:
    for _, name, text in texts_on_file():
        dialect = load_dialect(name)
        repairer = known_processor(name, ()).engine(name).repairer
        yield name, tuple(line.kind for line in merge_runs(text, LineLexer(dialect, repairer).read(text)))


# ---- blocks in blocks


@pytest.mark.parametrize("length", range(1, 9))
def test_blocks_in_blocks_are_read_as_defined(length: int, nested: Earley) -> None:
    rng = random.Random(length)
    kinds_known = ("ACTION", "OPEN", "OPEN", "CLOSE", "CLOSE", "TEXT", "BLANK")
    for _ in range(25):
        kinds = random_kinds(rng, length, kinds_known)
        assert nested.read(kinds) == derive_cheapest(nested.rules, kinds), kinds


@pytest.mark.slow
def test_left_linear_rules_are_read_as_defined() -> None:
    """What the roles, mistakes and places of a derivation are is one definition for both shapes of grammars."""
    rng = random.Random(1)
    for length in (1, 2, 3, 4):
        kinds = random_kinds(rng, length, ("ACTION", "OPEN", "TEXT", "CLOSE"))
        assert AUTOMATON.read(kinds) == derive_cheapest(EARLEY.rules, kinds), kinds


def test_delimiters_are_balanced(nested: Earley) -> None:
    reading = nested.read(["ACTION", "OPEN", "TEXT", "OPEN", "OPEN", "CLOSE", "TEXT", "CLOSE", "CLOSE", "TEXT"])
    assert [step.role for step in reading.steps] == [
        "head",
        "open",
        "body",
        "body",
        "body",
        "body",
        "body",
        "body",
        "close",
        "drop",
    ]
    assert reading.price == 1000


def test_a_missing_closer_stands_where_it_is_missing(nested: Earley) -> None:
    """An empty rule says before which line; a rule of several lines says it where its last line ends."""
    reading = nested.read(["ACTION", "OPEN", "OPEN", "TEXT", "CLOSE"])
    assert [step.before for step in reading.steps] == [(), (), (), (), ("missing-inner-close",)]
    reading = nested.read(["ACTION", "OPEN", "TEXT"])
    assert (reading.at_end, reading.price) == (("missing-close-of-block",), 3000)


def test_what_both_engines_refuse(tmp_path: Path) -> None:
    path = tmp_path / "own.lark"
    text = "document: _a | _b\n_a: | _a body\n_b: _a open\nbody: TEXT\nopen.-900: OPEN\n%declare TEXT OPEN\n"
    for load in (load_automaton, load_earley):
        with pytest.raises(GrammarError, match=r"own\.lark: .*TEXT.*not total"):
            load(path, text).read(["OPEN", "TEXT"])
        with pytest.raises(GrammarError, match=r"own\.lark: the rule _a derives itself"):
            load(path, text.replace("_a: ", "_a: _b | ").replace("_b: ", "_b: _a | "))
        with pytest.raises(GrammarError, match=r"the price of the rule open is below zero; write it as open\.-900"):
            load(path, text.replace("-900", "900"))
        with pytest.raises(GrammarError, match=r"own\.lark: the recovery grammar cannot be compiled"):
            load(path, text.replace("_b: ", "_b: _c "))
    with pytest.raises(GrammarError, match=r"must not end after a line of kind OPEN"):
        load_earley(path, "document: open body\nopen: OPEN\nbody: TEXT\n%declare OPEN TEXT\n").read(["OPEN"])
    with pytest.raises(GrammarError, match=r"in `block: open block close` a rule of several lines .* earley"):
        load_automaton(
            path, "document: block\nblock: open block close | open\nopen: OPEN\nclose: CLOSE\n%declare OPEN CLOSE"
        )
