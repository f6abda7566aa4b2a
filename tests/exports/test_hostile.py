"""Hostile texts in exported JavaScript: the steps that V8 counts grow as the lines do, and no stack overflows."""

from __future__ import annotations

import pytest

from benchmarks.exports._parsers import ask_all
from benchmarks.exports.hostile import LINES, measure

FEW, MANY = 60, 240
DIALECTS = {"v2": 2, "v1": 3, "plain": 4}  # of which every so manyeth shape is read


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_steps_grow_with_the_number_of_lines(dialect: str, stride: int) -> None:
    shapes = dict([*LINES.items()][:: DIALECTS[dialect] * min(stride, 3)]) | {
        "drafts": LINES["drafts"],
        "orphans": LINES["orphans"],
    }
    steps = measure(dialect, [*shapes.values()], [FEW, MANY], counted=True)
    grown = {name: many / few for name, (few, many) in zip(shapes, steps, strict=True)}
    assert {name: ratio for name, ratio in grown.items() if ratio > 1.1 * MANY / FEW} == {}


@pytest.mark.slow
def test_a_block_of_two_million_lines_is_read() -> None:
    """V8 keeps a way back for each turn of a loop in a pattern, unless it is told to forget them."""
    text = "::create @a.py\n<<<\n" + "x\n" * 2_000_000 + ">>>\n"
    [answer] = ask_all("javascript", "v2", [text])
    assert answer["phase"] == "strict"
    [action] = answer["document"]["sections"]
    assert len(action["content"]) == 4_000_000 - 1
