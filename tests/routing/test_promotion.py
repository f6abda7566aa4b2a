"""Promotion: on whole windows of a log that follows, and on nothing less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from routing_logs import lines_of, make_run, write_runs

from symops_lark.routing import Evidence, LogReport, RoutingError, RunLog, promotion_evidence, verify_log
from symops_lark.routing.logs.tallies import Key, Tallies, Tally
from symops_lark.routing.manifests.supply_chain import Link, Status, SupplyChain

KEY = Key("a", "1.0.0", "metric_v1")


def report_of(passes: list[bool], wins: list[bool], among: int = 2) -> LogReport:
    """Return the report on a log in which model a passed and won so, the oldest first."""
    tallies = Tallies()
    tally = tallies.find(KEY.model_id, KEY.version, KEY.metric)
    for number, passed in enumerate(passes):
        tally.add((number,), "2026-01-31T12:00:00.000", passed, 1.0, 0.1)
    for number, won in enumerate(wins):
        tally.compete((number,), won, among)
    return LogReport("run.jsonl", len(passes), len(wins), len(wins), 0, 0, (), (), tallies)


def evidence(passes: list[bool], wins: list[bool], among: int = 2, **more: Any) -> Evidence:
    return promotion_evidence(report_of(passes, wins, among), "a", "1.0.0", **{"supply_chain": True, **more})


def outcomes(good: int, n: int) -> list[bool]:
    return [True] * good + [False] * (n - good)


@pytest.mark.parametrize(
    ("passes", "wins", "eligible"),
    [
        ((95, 100), (200, 1000), True),
        ((94, 100), (200, 1000), False),
        ((95, 100), (199, 1000), False),
        ((99, 99), (200, 1000), False),
        ((95, 100), (999, 999), False),
        ((0, 0), (0, 0), False),
    ],
)
def test_the_thresholds(passes: tuple[int, int], wins: tuple[int, int], eligible: bool) -> None:
    result = evidence(outcomes(*passes), outcomes(*wins))
    assert result.eligible is eligible and (result.passes.n, result.wins.n) == (passes[1], wins[1])
    assert not evidence(outcomes(*passes), outcomes(*wins), supply_chain=None).eligible
    assert not evidence(outcomes(*passes), outcomes(*wins), supply_chain=False).eligible


def test_only_the_newest_count() -> None:
    result = evidence([*outcomes(0, 50), *outcomes(100, 100)], [*outcomes(0, 900), *outcomes(1000, 1000)])
    assert (result.passes.k, result.passes.n, result.wins.k, result.wins.n) == (100, 100, 1000, 1000)
    fallen = evidence([*outcomes(900, 900), *outcomes(94, 100)], outcomes(1000, 1000))
    assert not fallen.eligible and fallen.demotions == ("it passed 94 of the last 100 rows; 95 % are needed",)


def test_too_few_rows_are_told_with_their_number() -> None:
    result = evidence(outcomes(99, 99), outcomes(7, 7))
    assert result.reasons == ("there are 99 of 100 rows", "there are 7 of 1000 decided runs against others")
    assert result.demotions == (), "few rows are no reason to fall either"


@settings(max_examples=60)
@given(
    passes=st.lists(st.booleans(), max_size=130),
    wins=st.one_of(st.lists(st.booleans(), max_size=30), st.integers(900, 1100).map(lambda n: [True] * n)),
    chain=st.sampled_from([True, False, None]),
)
def test_nobody_is_promoted_on_fewer_rows_than_a_window(passes: list[bool], wins: list[bool], chain: Any) -> None:
    """Law: promoted is who has whole windows, passes and wins enough in them, and a supply chain that is OK."""
    result = evidence(passes, wins, supply_chain=chain)
    enough = len(passes) >= 100 and sum(passes[-100:]) >= 95 and len(wins) >= 1000 and sum(wins[-1000:]) >= 200
    assert result.eligible == (enough and chain is True)
    assert result.eligible == (not result.reasons)


def test_more_than_five_equals_are_warned_of() -> None:
    assert "more than 5 equals cannot all win 20 %" in evidence([], outcomes(1, 6), among=6).warnings[0]
    assert evidence([], outcomes(1, 5), among=5).warnings == ()


def test_versions_and_metrics_are_counted_apart(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "run.jsonl")
    for number, version in enumerate(["1.0.0", "2.0.0", "2.0.0", ""]):
        log.append_run(make_run(f"r{number}", [("a", True, 0.5, 0.1)], model_version=version))
    assert promotion_evidence(log, "a", "2.0.0").passes.n == 2
    assert promotion_evidence(log.path, "a", "1.0.0").warnings == ("1 row of a without a version: not counted",)
    assert promotion_evidence(log, "a", "1.0.0", metric="metric_v2").passes.n == 0
    with pytest.raises(RoutingError, match=r"in the versions , 1\.0\.0, 2\.0\.0: name one"):
        promotion_evidence(log, "a")
    assert promotion_evidence(log, "b").reasons[0] == "there are 0 of 100 rows"


def test_who_is_alone_wins_nothing(tmp_path: Path) -> None:
    path = write_runs(
        tmp_path / "run.jsonl", [[("a", True, 0.5, 0.1)]] * 3 + [[("a", False, 0, 0), ("b", False, 0, 0)]]
    )
    assert promotion_evidence(path, "a").wins.n == 0, "no run was decided against another model"


def test_a_log_that_does_not_follow_promotes_nobody(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [[("a", True, 0.5, 0.1), ("b", True, 0.4, 0.1)]] * 3)
    path.write_bytes(b"".join([*lines_of(path)[:2], *lines_of(path)[3:]]))
    result = promotion_evidence(path, "a", supply_chain=True)
    assert "the log does not follow" in result.reasons[0] and not verify_log(path).ok and result.demotions == ()


def test_a_supply_chain_says_why(tmp_path: Path) -> None:
    def chain(status: Status) -> SupplyChain:
        return SupplyChain("a", "1.0.0", (Link("weights", status, "adapter.bin"), Link("base", Status.OK)))

    good = outcomes(100, 100), outcomes(1000, 1000)
    assert evidence(*good, supply_chain=chain(Status.OK)).eligible
    unverified = evidence(*good, supply_chain=chain(Status.UNVERIFIED))
    assert unverified.reasons == ("the supply chain is not OK: weights unverified",) and unverified.demotions == ()
    changed = evidence(*good, supply_chain=chain(Status.MISMATCH))
    assert changed.demotions == ("weights: mismatch: adapter.bin",) and not changed.eligible
    assert changed.to_dict()["eligible"] is False


def test_tallies_take_the_same_memory_for_any_log() -> None:
    tally = Tally(KEY)
    for number in range(50_000):
        tally.add((number,), f"{2000 + number // 4000}-01-{1 + number % 28:02}T{number % 24:02}:00:00", True, 1.0, 0.1)
        tally.compete((number,), True, 2)
    assert len(tally.periods.sums) <= 240 and len(tally.passes.items) <= 200 and len(tally.wins.items) <= 2000
    assert (tally.sums.rows, tally.sums.mean_reward, tally.competed) == (50_000, 1.0, 50_000)
