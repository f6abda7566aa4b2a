"""Places are those that `Source` gives, whenever they are counted."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest
from counting import count_calls
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.text.source import PlaceCounter, Source, Span, place_later


@given(text=st.text("a\r\n", max_size=40), places=st.lists(st.integers(0, 40), max_size=8))
def test_places_are_counted_in_any_order(text: str, places: list[int]) -> None:
    counter, source = PlaceCounter(text), Source(text)
    for at in (min(place, len(text)) for place in places):
        assert counter.place(at) == source.place(at) == (text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


@pytest.mark.parametrize("use", [repr, hash, Span.to_dict, copy.copy, lambda span: pickle.loads(pickle.dumps(span))])
def test_a_span_that_counts_its_line_later_is_like_any_other(use: Callable[[Span], object]) -> None:
    text = "a\nbb\nccc\n"
    counts = Span(5, 8, 3, 1)
    for places in (PlaceCounter(text), Source(text)):
        later = place_later(5, 8, places)
        assert use(later) == use(counts) and later == counts and not later < counts
        assert replace(place_later(5, 8, places), end=9) == replace(counts, end=9)
        assert not hasattr(later, "lines")


def test_a_line_is_counted_once_however_often_it_is_asked_for() -> None:
    counter = PlaceCounter("x = 1\n" * 500)
    spans = [place_later(at, at + 5, counter) for at in range(0, 3000, 6)]
    assert [span.line for span in reversed(spans)] == list(range(500, 0, -1))
    assert count_calls(lambda: [span.line for span in spans]) == count_calls(lambda: [span.start for span in spans])
