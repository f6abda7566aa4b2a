"""What an automaton is compiled from: small grammars, each read as its derivations say, by both engines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from derivations import derive_cheapest

from symops_lark.core.ground.errors import GrammarError
from symops_lark.core.recovery.engines.automaton import Automaton
from symops_lark.core.recovery.engines.automaton_compiler import compile_automaton, load_automaton
from symops_lark.core.recovery.engines.earley import Earley
from symops_lark.core.recovery.engines.priced_rules import ViterbiPath, load_rules

GRAMMARS = {
    # Of readings that cost the same the alternative wins that is written first.
    "ties": """document: _many
_many: body_one | body_two | _many drop_one | _many body_two
body_one: TEXT
body_two: TEXT | OPEN
drop_one: TEXT
%declare TEXT OPEN
""",
    # A block is a mode: what opens it, what it holds, and what it costs that it is never closed.
    "blocks": """document: _idle | _block | lost_block
_idle: | _idle drop | block | _idle thought
block: _block close
_block: _open | _block body
_open.-5: _idle open | _idle body_open
lost_block.-2000: _block
thought: TEXT
drop.-10: TEXT | CLOSE | OPEN
open: OPEN
body_open.-3: OPEN
body: TEXT
close: CLOSE | near_close
near_close.-1500: TEXT
%declare TEXT OPEN CLOSE
""",
    # Rules that are another rule alone have its modes, at a price of their own.
    "joined": """document: first_mistake | _second
first_mistake.-1000: _first
_first: body | _first body
_second.-7: _third | _first
_third: drop | _third drop
body: TEXT
drop.-2: TEXT | OPEN
%declare TEXT OPEN
""",
    # Of two modes that a line leads out of, the one whose alternative is written first.
    "behind": """document: _first | _second | _third
_first: open | _first open
_second: thought | _second thought
_third: _second close | _first close
open: OPEN
thought: OPEN
close: CLOSE
%declare OPEN CLOSE
""",
    # The cheapest way into a mode counts, wherever it is written; of the same price the one that is written first.
    "ways": """document: lost_end | _other | _kept | lost_opener | lost_end_of_block | lost_closer
lost_end.-1000: _kept
lost_opener.-1000: _open
lost_end_of_block.-1000: _open
lost_closer.-1000: _closed
_kept: body | _kept body
_other: line | _other line
_open: open | _open body
_closed: close | _open close | lost_block close
lost_block.-3000: _open | _kept
body: odd_body | TEXT
odd_body.-4: TEXT
line: drop
drop: TEXT
open: OPEN
close: OPEN
%declare TEXT OPEN
""",
}


def reads(engine: Automaton | Earley, kinds: Sequence[str]) -> ViterbiPath | None:
    """Return the reading of a sequence, None if there is none."""
    try:
        return engine.read(kinds)
    except GrammarError:
        return None


@pytest.mark.parametrize("name", GRAMMARS)
def test_it_reads_what_the_derivations_say(name: str) -> None:
    """Each sequence of up to three lines: the roles, the mistakes, what is missing, the price."""
    rules = load_rules(Path(f"{name}.lark"), GRAMMARS[name])
    automaton = compile_automaton(rules)
    earley = Earley(Path(f"{name}.lark"), GRAMMARS[name])
    count = 0
    for length in range(1, 4):
        for kinds in itertools.product(automaton.kinds, repeat=length):
            reading = reads(automaton, kinds)
            assert reading == reads(earley, kinds), kinds
            if reading is not None:
                assert reading == derive_cheapest(rules, kinds), kinds
                count += 1
    assert count >= 2


@pytest.mark.parametrize("name", GRAMMARS)
def test_it_is_the_same_after_it_was_kept(name: str) -> None:
    automaton = load_automaton(Path(f"{name}.lark"), GRAMMARS[name])
    saved = Automaton.from_data(automaton.to_data())
    assert saved.to_data() == automaton.to_data()
    for kinds in itertools.product(automaton.kinds, repeat=3):
        assert reads(saved, kinds) == reads(automaton, kinds), kinds


def test_an_empty_text_costs_nothing() -> None:
    """Whatever the grammar wants of a text."""
    for name, text in GRAMMARS.items():
        nothing = ViterbiPath((), (), 0)
        assert compile_automaton(load_rules(Path(f"{name}.lark"), text)).read([]) == nothing
        assert Earley(Path(f"{name}.lark"), text).read([]) == nothing


def test_its_modes_are_told_by_their_rules() -> None:
    """A rule has a mode for each run of its alternatives between those that are another rule alone."""
    modes = {name: load_automaton(Path(f"{name}.lark"), text).modes for name, text in GRAMMARS.items()}
    assert modes == {
        "ties": ("_many",),
        "blocks": ("_idle", "_idle", "block", "_block", "_open"),
        "joined": ("_first", "_third"),
        "behind": ("_first", "_second", "_third"),
        "ways": ("_kept", "_other", "_open", "_closed"),
    }


def test_a_line_that_has_no_role_and_a_text_that_must_not_end_are_told() -> None:
    automaton = load_automaton(Path("joined.lark"), GRAMMARS["joined"])
    with pytest.raises(GrammarError, match=r"joined\.lark: no rule gives a line of kind CLOSE a role here"):
        automaton.read(["OPEN", "CLOSE", "TEXT"])
    half = "document: _half close\n_half: open | _half open\nopen: OPEN\nclose: CLOSE\n%declare OPEN CLOSE\n"
    with pytest.raises(GrammarError, match=r"half\.lark: a text must not end after a line of kind OPEN"):
        load_automaton(Path("half.lark"), half).read(["OPEN"])


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("document: body*\nbody.1: TEXT\n", "the price of the rule body is below zero; write it as body.-1"),
        ("document: _all\n_all: _all _gap | body\n_gap: | body\nbody: TEXT\n", "derives itself without a line"),
        ("whole: body*\nbody: TEXT\n", "no rule `document`: the whole text|cannot be compiled"),
    ],
)
def test_what_no_engine_can_run_is_refused(rules: str, message: str) -> None:
    with pytest.raises(GrammarError, match=rf"wrong\.lark: .*{message}"):
        load_rules(Path("wrong.lark"), rules + "%declare TEXT\n")
