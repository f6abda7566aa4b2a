"""A repaired text: it travels, and every place of it leads back to the caller's text."""

from __future__ import annotations

import pickle

import pytest

from symops_lark.core.document import Completeness, Document, Thought
from symops_lark.core.repairs import Repair, Repaired
from symops_lark.core.repairs.edits import Edit, apply_edits
from symops_lark.core.text.source import Source, Span

MADE = Repair("rule", "", Span(0, 1), Span(0, 2), 1.0, "a", "bc")


def test_it_travels_with_all_that_it_knows() -> None:
    maps = (apply_edits("a", [Edit(0, 1, "bc")])[1],)
    complete = ((0, Completeness.SUSPECT),)
    repaired = Repaired("bc", "a", (MADE,), maps, complete, Document((Thought("bc"),)), (0,))
    repeated_data = pickle.loads(pickle.dumps(repaired))
    assert repeated_data == repaired and type(repeated_data) is Repaired
    for name in ("original", "repairs", "maps", "completeness", "document", "lost", "text", "changed"):
        assert getattr(repeated_data, name) == getattr(repaired, name)
        assert getattr(repaired, name), name


def test_a_repair_is_written_and_read() -> None:
    data = MADE.to_dict()
    assert Repair.from_dict(data) == MADE
    assert Repair.from_dict({**data, "new": 1}) == MADE  # what a later version says


@pytest.mark.parametrize(
    ("place", "original"),
    [
        ((0, 1), (0, 1)),
        ((1, 4), (1, 3)),  # what was written stands for what it replaced
        ((0, 4), (0, 3)),
        ((4, 4), (3, 3)),
        ((4, 5), (3, 4)),  # up to what was deleted
        ((4, 6), (3, 6)),
        ((5, 5), (5, 5)),
        ((6, 7), (6, 6)),  # what was inserted has no place
        ((2, 2), (1, 1)),
    ],
)
def test_a_place_leads_back(place: tuple[int, int], original: tuple[int, int]) -> None:
    text, way = apply_edits("abcdef", [Edit(1, 3, "XYZ"), Edit(4, 5, ""), Edit(6, 6, "!")])
    assert text == "aXYZdf!"
    repeated, further = apply_edits(text, [])
    source = Source("abcdef")
    span = Repaired(repeated, "abcdef", maps=(way, further)).original_span(Span(*place), source)
    assert span == source.span(*original)
