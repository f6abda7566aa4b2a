"""Statistics: against values of the literature, against independent formulas, and by simulation."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.measuring.intervals import wilson
from symops_lark.measuring.statistics import (
    Rate,
    at_most,
    bootstrap,
    brier,
    detectable,
    holm,
    mcnemar,
    needed_pairs,
    quantile,
    reliability,
    resample,
)

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(k: int, n: int, low: float, high: float) -> None:
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_bounds_are_those_at_which_the_score_test_turns(case: tuple[int, int]) -> None:
    k, n = case
    low, high = wilson(k, n)
    assert 0 <= low <= k / n <= high <= 1
    for bound in {low, high} - {0.0, 1.0}:
        assert abs(k / n - bound) == pytest.approx(1.959964 * math.sqrt(bound * (1 - bound) / n), abs=1e-6)
    assert wilson(n - k, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize("n", [30, 100, 1000])
def test_nothing_in_n_is_at_most_three_in_n(n: int) -> None:
    exact = 1 - 0.05 ** (1 / n)  # the bound at which nothing in n tries has a chance of 5 %
    assert exact < at_most(n) < 1.06 * exact
    assert at_most(2) == 1.0 and Rate(0, 0).value is None and Rate(0, 0).interval is None


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_is_the_sum_of_binomial_chances(b: int, c: int) -> None:
    n, less = b + c, min(b, c)
    exact = min(Fraction(1), 2 * Fraction(sum(math.comb(n, k) for k in range(less + 1)), 2**n))
    assert mcnemar(b, c) == pytest.approx(float(exact), rel=1e-9)
    assert mcnemar(b, c) == mcnemar(c, b)


def test_mcnemar_gives_a_published_value() -> None:
    assert mcnemar(4, 16) == pytest.approx(0.01182, abs=1e-5)  # 20 discordant pairs, 4 of one kind


def test_holm_gives_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])  # by hand


@given(P_VALUES, st.randoms())
def test_holm_is_between_nothing_and_bonferroni_and_keeps_the_order(values: list[float], rng: random.Random) -> None:
    found = holm(values)
    assert all(p <= q <= min(1.0, len(values) * p) for p, q in zip(values, found, strict=True))
    assert sorted(found) == [q for _, q in sorted(zip(values, found, strict=True))]
    places = list(range(len(values)))
    rng.shuffle(places)
    assert holm([values[place] for place in places]) == [found[place] for place in places]


def test_85_against_90_percent_takes_155_pairs_at_best() -> None:
    assert math.ceil(needed_pairs(0.05)) == 155
    assert math.ceil(needed_pairs(0.05, 0.85 * 0.1 + 0.15 * 0.9)) == 689, "if the two err independently"
    assert detectable(155) == pytest.approx(0.05, abs=2e-4)


@given(st.floats(0.01, 0.5), st.floats(0, 0.9))
def test_the_detectable_difference_is_the_inverse(difference: float, discordance: float) -> None:
    n = needed_pairs(difference, discordance)
    assert detectable(math.ceil(n), discordance) == pytest.approx(difference, rel=0.2)
    assert needed_pairs(difference, discordance) >= needed_pairs(difference) - 1e-9
    assert detectable(3) is None, "three pairs show nothing"


def test_so_many_pairs_do_show_it_in_four_of_five_tries() -> None:
    rng, n, seen = random.Random("power"), round(needed_pairs(0.1, 0.2)), 0
    for _ in range(400):
        drawn = rng.choices(("first", "second", "same"), (0.05, 0.15, 0.8), k=n)
        b, c = drawn.count("first"), drawn.count("second")
        seen += (abs(b - c) / math.sqrt(b + c) if b + c else 0) > 1.96  # the test that the formula is made for
    assert 0.74 < seen / 400 < 0.88


def test_the_bootstrap_covers_the_truth_and_knows_clusters() -> None:
    rng, covered, wide, narrow = random.Random("bootstrap"), 0, 0.0, 0.0
    for trial in range(120):
        chances = [rng.betavariate(2, 2) for _ in range(40)]
        rows = [[sum(rng.random() < chance for _ in range(5)), 5] for chance in chances]
        low, high = bootstrap(rows, lambda s: s[:, 0] / s[:, 1], str(trial), 300) or (0, 0)
        covered += low <= 0.5 <= high
        wide += high - low
        alone = [[hit, 1] for k, n in rows for hit in [1] * k + [0] * (n - k)]
        low, high = bootstrap(alone, lambda s: s[:, 0] / s[:, 1], str(trial), 300) or (0, 0)
        narrow += high - low
    assert 0.87 <= covered / 120 <= 1.0
    assert wide > 1.2 * narrow, "repetitions of a task are alike, so tasks are drawn"


def test_the_bootstrap_is_the_same_everywhere() -> None:
    rows = [[1, 2], [3, 4], [5, 9]]
    drawn, again, other = (resample(rows, lambda s: s[:, 0] / s[:, 1], seed, 8) for seed in ("seed", "seed", "other"))
    assert drawn == sorted(drawn) == again != other
    assert [round(value, 4) for value in drawn] == [0.5385, 0.5385, 0.5909, 0.6, 0.625, 0.625, 0.6471, 0.75]
    assert bootstrap([[1, 2]], lambda s: s[:, 0] / s[:, 1], "one cluster") is None
    assert bootstrap([[1, 0], [1, 0]], lambda s: s[:, 0] / s[:, 1], "no ratio") is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30), st.randoms())
def test_brier_and_bins_hold_for_any_order(pairs: list[tuple[float, bool]], rng: random.Random) -> None:
    edges = (0.0, 0.5, 0.9, 1.0)
    score, bins = brier(pairs), reliability(pairs, edges)
    assert 0 <= score <= 1
    assert score == pytest.approx(sum((p - 1) ** 2 if right else p**2 for p, right in pairs) / len(pairs))
    assert sum(found.rate.n for found in bins) == len(pairs)
    assert sum(found.rate.k for found in bins) == sum(right for _, right in pairs)
    assert all(found.low - 1e-12 <= found.confidence <= found.high + 1e-12 for found in bins)
    shuffled = rng.sample(pairs, len(pairs))
    assert brier(shuffled) == score and reliability(shuffled, edges) == bins


@pytest.mark.parametrize(
    ("values", "share", "meant"),
    [
        ([3, 1, 2], 0.5, 2),
        ([1, 2, 3, 4], 0.5, 2.5),
        (range(101), 0.95, 95),
        ([7], 0.95, 7),
        ([1, 9], 0, 1),
        ([1, 9], 1, 9),
    ],
)
def test_quantiles(values: list[float], share: float, meant: float) -> None:
    assert quantile(list(values), share) == pytest.approx(meant)
