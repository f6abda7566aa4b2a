"""Statistics: against values of the literature, against independent formulas, and by simulation."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import numpy
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark.lab.measuring.intervals import cluster_interval, exact_interval, p_of_no_difference
from symops_lark.lab.measuring.statistics import Rate, bootstrap, detectable, holm, needed_pairs, quantile, resample

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TASKS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12
)  # right and wrong repetitions


# ---- intervals and p-values against scipy


@pytest.mark.slow
@given(COUNTS, st.sampled_from([0.95, 0.99]))
def test_tries_that_stand_alone_have_the_exact_interval_of_scipy(case: tuple[int, int], level: float) -> None:
    k, n = case
    theirs = scipy.stats.binomtest(k, n).proportion_ci(level, method="exact")
    assert exact_interval(k, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-8)
    assert Rate(k, n).interval == exact_interval(k, n)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (3, 1_000_000), (999_999, 1_000_000), (48, 55_644)])
def test_so_have_very_many_tries_and_very_few(k: int, n: int) -> None:
    theirs = scipy.stats.binomtest(k, n).proportion_ci(method="exact")
    assert exact_interval(k, n) == pytest.approx((theirs.low, theirs.high), rel=1e-5, abs=1e-12)


@pytest.mark.parametrize(("tasks", "times"), [(1, 1), (45, 1), (45, 10), (2, 300)])
def test_nothing_seen_has_one_interval_however_often_tasks_were_asked(tasks: int, times: int) -> None:
    theirs = scipy.stats.binomtest(0, tasks).proportion_ci(method="exact").high
    for k, n in ((0, times), (times, times)):
        low, high = cluster_interval({(k, n): tasks})
        assert (low, high) == pytest.approx((0.0, theirs) if not k else (1 - theirs, 1.0), abs=1e-8)
    assert theirs == pytest.approx(1 - 0.025 ** (1 / tasks))
    assert Rate(0, 0).value is None and Rate(0, 0).interval is None and exact_interval(0, 0) == (0.0, 1.0)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5))
def test_pairs_that_stand_alone_have_the_exact_p_of_mcnemar(b: int, c: int, same: int) -> None:
    pairs = {(1, 1): b, (-1, 1): c, (0, 1): same}
    theirs = scipy.stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert p_of_no_difference(pairs) == pytest.approx(theirs, rel=1e-7)
    assert p_of_no_difference({(-1, 1): b, (1, 1): c}) == pytest.approx(theirs, rel=1e-7)


def test_mcnemar_gives_a_published_value() -> None:
    assert p_of_no_difference({(-1, 1): 4, (1, 1): 16}) == pytest.approx(0.01182, abs=1e-5)  # 20 discordant pairs


def drawn(tasks: list[tuple[int, int]], extra: float, seed: int) -> Any:
    """The means of draws of whole tasks by scipy, and of one more whose tries are all `extra`."""
    visited, n = (numpy.array([task[at] for task in tasks], dtype=float) for at in (0, 1))
    weights = scipy.stats.dirichlet(numpy.ones(len(tasks) + 1)).rvs(40_000, random_state=seed)
    return weights @ [*visited, extra * n.mean()] / (weights @ [*n, n.mean()])


@pytest.mark.parametrize(
    ("tasks", "least"),
    [
        ([(3, 4)] * 20 + [(0, 4)] * 3 + [(4, 4)] * 22, 0.0),
        ([(1, 1), (9, 10), (2, 5), (0, 3), (7, 7)], 0.0),
        ([(1, 10)] + [(0, 10)] * 44, 0.0),
        ([(-2, 4)] * 5 + [(1, 4)] * 9 + [(0, 4)] * 20 + [(4, 4)] * 3, -1.0),
    ],
)
def test_repeated_tasks_have_the_interval_of_so_many_draws(tasks: list[tuple[int, int]], least: float) -> None:
    low, high = cluster_interval(Counter(tasks), least=least)
    below, above = drawn(tasks, least, 1), drawn(tasks, 1.0, 2)
    assert (below <= low).mean() == pytest.approx(0.025, abs=0.004)
    assert (above >= high).mean() == pytest.approx(0.025, abs=0.004)
    if least < 0:
        one_side = min((below <= 0).mean(), (above >= 0).mean())
        assert p_of_no_difference(Counter(tasks)) == pytest.approx(2 * one_side, abs=0.01)


def test_repetitions_that_are_alike_say_no_more_than_their_tasks() -> None:
    once, often = ({(0, n): 9, (n, n): 31} for n in (1, 10))
    assert cluster_interval(often) == pytest.approx(cluster_interval(once), abs=1e-9)
    alone = exact_interval(310, 400)
    assert cluster_interval(often)[0] < alone[0] < alone[1] < cluster_interval(often)[1]


def test_many_tasks_come_near_the_usual_bootstrap_of_scipy() -> None:
    rng = numpy.random.RandomState(7)
    right = rng.binomial(5, rng.beta(4, 2, 400))
    result = scipy.stats.bootstrap((right / 5,), numpy.mean, n_resamples=4000, method="percentile", rng=rng)
    theirs = result.confidence_interval
    assert cluster_interval(Counter((int(k), 5) for k in right)) == pytest.approx((theirs.low, theirs.high), abs=0.006)


@pytest.mark.slow
@settings(max_examples=30)
@given(TASKS, TASKS, st.sampled_from([0.95, 0.99]))
def test_the_interval_and_the_p_value_of_a_difference_never_disagree(
    more: list[tuple[int, int]], less: list[tuple[int, int]], level: float
) -> None:
    rows = [*((a, a + b) for a, b in more), *((-a, a + b) for a, b in less)]
    tasks = Counter((visited, n) for visited, n in rows if n)
    low, high = cluster_interval(tasks, level, -1.0)
    mean = sum(observed for observed, n in rows if n) / max(1, sum(n for _, n in rows))
    assert -1 <= low <= mean + 1e-12 and mean - 1e-12 <= high <= 1
    p = p_of_no_difference(tasks)
    if abs(p - (1 - level)) > 1e-6:
        assert (p < 1 - level) == (not low <= 0 <= high)
    assert p >= 1 - level or (low > 0) == (mean > 0)


@given(TASKS.filter(lambda rows: any(a + b for a, b in rows)))
def test_more_seen_moves_both_ends_up(rows: list[tuple[int, int]]) -> None:
    tasks = [(k, k + remainder) for k, remainder in rows if k + remainder]
    pairs = [(min(k + 1, n), n) for k, n in tasks]
    (low, high), (lower, higher) = cluster_interval(Counter(tasks)), cluster_interval(Counter(pairs))
    assert low <= lower + 1e-9 and high <= higher + 1e-9, "so 1 of n never looks surer than 0 of n"


@pytest.mark.slow
def test_the_interval_covers_the_truth_where_tasks_differ() -> None:
    rng, covered = random.Random("coverage"), 0
    for _ in range(150):
        chances = [rng.betavariate(0.3, 3) for _ in range(20)]
        rows = Counter((sum(rng.random() < chance for _ in range(5)), 5) for chance in chances)
        low, high = cluster_interval(rows)
        covered += low <= 0.3 / 3.3 <= high
    assert covered / 150 >= 0.93


def test_holm_gives_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])  # by hand


@given(P_VALUES, st.randoms())
def test_holm_is_between_nothing_and_bonferroni_and_keeps_the_order(values: list[float], rng: random.Random) -> None:
    result = holm(values)
    assert all(p <= q <= min(1.0, len(values) * p) for p, q in zip(values, result, strict=True))
    assert sorted(result) == [q for _, q in sorted(zip(values, result, strict=True))]
    places = list(range(len(values)))
    rng.shuffle(places)
    assert holm([values[place] for place in places]) == [result[place] for place in places]


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


@pytest.mark.parametrize("comparisons", [1, 2, 4, 12])
def test_a_difference_is_detectable_only_if_the_exact_test_can_show_it(comparisons: int) -> None:
    for n in range(1, 20):
        p_values = [p_of_no_difference({(1, 1): n})] + [1.0] * (comparisons - 1)
        assert (detectable(n, comparisons=comparisons) is not None) == (holm(p_values)[0] < 0.05)


def test_so_many_pairs_do_show_it_in_four_of_five_tries() -> None:
    rng, n, count = random.Random("power"), round(needed_pairs(0.1, 0.2)), 0
    for _ in range(400):
        drawn = rng.choices(("first", "second", "same"), (0.05, 0.15, 0.8), k=n)
        b, c = drawn.count("first"), drawn.count("second")
        count += (abs(b - c) / math.sqrt(b + c) if b + c else 0) > 1.96  # the test that the formula is made for
    assert 0.74 < count / 400 < 0.88


@pytest.mark.slow
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
    drawn, repeated, second = (
        resample(rows, lambda s: s[:, 0] / s[:, 1], seed, 8) for seed in ("seed", "seed", "other")
    )
    assert drawn == sorted(drawn) == repeated != second
    assert [round(value, 4) for value in drawn] == [0.5385, 0.5385, 0.5909, 0.6, 0.625, 0.625, 0.6471, 0.75]
    assert bootstrap([[1, 2]], lambda s: s[:, 0] / s[:, 1], "one cluster") is None
    assert bootstrap([[1, 0], [1, 0]], lambda s: s[:, 0] / s[:, 1], "no ratio") is None


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
