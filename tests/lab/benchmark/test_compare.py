"""Comparisons and decisions: paired, honest about what they cannot show, never across provenances by accident."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
import scipy
from command_line import run as symops
from compliance_records import MID, WEAK, make_record, run_for_real, write_log
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark import SymOpsError
from symops_lark.lab.benchmark.comparison import OUTCOMES, Comparison, compare, compare_formats, pair
from symops_lark.lab.benchmark.decision import decide
from symops_lark.lab.benchmark.records import Record
from symops_lark.lab.benchmark.report.verdicts import write_comparison, write_decision
from symops_lark.lab.benchmark.selection import Side, match
from symops_lark.lab.measuring.statistics import holm

WRONG = "wrong-without-alarm"
BOTH = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def made(rows: list[tuple[bool, bool]], repetitions: int = 1) -> tuple[list[Record], list[Record]]:
    """Records of v2 and plain; a pair of bits says of which of them a case came out exactly."""
    return tuple(  # type: ignore[return-value]
        [
            make_record(
                name,
                f"task {at // repetitions}",
                ("right" if row[side] else "no-answer",),
                repetition=at % repetitions,
                text="words " * (20 + 10 * side),
            )
            for at, row in enumerate(rows)
        ]
        for side, name in enumerate(("v2", "plain"))
    )


def exact(rows: list[tuple[bool, bool]], repetitions: int = 1) -> Comparison:
    both = compare({"both": pair(*made(rows, repetitions))})["both"]
    return next(comparison for comparison in both if comparison.outcome == "right in the end")


# ---- pairs


def test_pairs_are_of_one_task_and_repetition_and_the_rest_is_counted() -> None:
    first = [make_record(task="a"), make_record(task="a", repetition=1), make_record(task="b")]
    second = [make_record("plain", task="a", repetition=1), make_record("plain", task="c")]
    result = pair(first, second)
    assert [(item.case.task, item.case.repetition) for item, _ in result.pairs] == [("a", 1)]
    assert (result.first_alone, result.second_alone, result.tasks) == (2, 1, 1)


@pytest.mark.slow
@settings(max_examples=10)
@given(BOTH, st.randoms())
def test_a_comparison_counts_pairs_in_any_order(rows: list[tuple[bool, bool]], rng: random.Random) -> None:
    result = exact(rows)
    only = sum(a and not b for a, b in rows), sum(b and not a for a, b in rows)
    assert (result.n, result.first.k, result.second.k) == (len(rows), sum(a for a, _ in rows), sum(b for _, b in rows))
    assert (result.first_only, result.second_only) == only and result.tasks == len(rows)
    theirs = scipy.stats.binomtest(only[0], sum(only)).pvalue if sum(only) else 1.0
    assert result.p == pytest.approx(theirs, rel=1e-7), "McNemar's, where each task was asked once"
    assert result.difference == pytest.approx((only[1] - only[0]) / len(rows))
    first, second = made(rows)
    shuffled = compare({"both": pair(rng.sample(first, len(first)), second)})["both"]
    assert shuffled == compare({"both": pair(first, second)})["both"]


@settings(max_examples=10)
@given(BOTH)
def test_exchanging_both_exchanges_what_is_better(rows: list[tuple[bool, bool]]) -> None:
    first, other_exact = exact(rows), exact([(b, a) for a, b in rows])
    assert first.difference == -other_exact.difference and first.p == other_exact.p
    assert (first.better, other_exact.better) in {(0, 0), (1, 2), (2, 1)}


def test_p_values_are_corrected_for_all_that_is_compared() -> None:
    rows = [(True, False)] * 9 + [(True, True)] * 20
    result = compare({"one": pair(*made(rows)), "two": pair(*made(rows))})
    every = [comparison for comparisons in result.values() for comparison in comparisons]
    assert len(every) == 2 * len(OUTCOMES)
    assert [comparison.corrected for comparison in every] == holm([comparison.p for comparison in every])


# ---- verdicts


def test_a_difference_is_called_one_only_if_it_is_shown() -> None:
    assert exact([(True, True)] * 90 + [(False, True)] * 20).better == 2
    assert exact([(True, True)] * 90 + [(True, False)] * 20).better == 1
    assert exact([(True, True)] * 90 + [(False, True)] * 4).better == 0, "four pairs may be chance"
    alike = exact([(True, True)] * 60 + [(False, True)] * 20, repetitions=20)
    assert alike.better == 0, "all that differs is one task, asked twenty times"
    assert alike.tasks == 4 and alike.p == pytest.approx(1.0), "one task of four, as McNemar's test says of four pairs"
    fewer = compare(
        {
            "both": pair(
                [
                    make_record(task=str(at), states=("wrong-without-alarm" if at < 20 else "right",))
                    for at in range(60)
                ],
                [make_record("plain", task=str(at)) for at in range(60)],
            )
        }
    )["both"]
    mistakes = next(item for item in fewer if item.outcome == "wrong without alarm")
    assert mistakes.difference < 0 and mistakes.better == 2, "less that is wrong is better"


@settings(max_examples=15)
@given(BOTH, BOTH, st.integers(1, 4))
def test_the_interval_that_is_shown_is_the_one_that_decides(
    one: list[tuple[bool, bool]], other: list[tuple[bool, bool]], repetitions: int
) -> None:
    result = compare({name: pair(*made(rows, repetitions)) for name, rows in (("one", one), ("other", other))})
    every = [comparison for comparisons in result.values() for comparison in comparisons]
    assert sorted(comparison.corrected for comparison in every) == sorted(holm([item.p for item in every]))
    for element in every:
        low, high = element.interval
        assert element.level >= 0.95 and low - 1e-9 <= element.difference <= high + 1e-9
        assert bool(element.better) == (element.corrected < 0.05) == (not low <= 0 <= high), element
        if element.better:
            assert (low > 0) == (element.difference > 0) == (element.better == (2 if element.good else 1))


def test_the_bullet_prints_the_interval_that_decides_the_way_it_speaks(tmp_path: Path) -> None:
    rows = [(at >= 20, True) for at in range(60)]
    first, second = made(rows)
    log = str(write_log(tmp_path / "run.jsonl", [*first, *second]))
    output = symops("bench", "compare", f"{log}:plain", f"{log}:v2").output
    (line,) = [line for line in output.splitlines() if line.startswith("- **right in the end")]
    hit = re.search(r"`plain` is better by 33\.3 points\*\* \(\+([\d.]+) to \+([\d.]+) at 98\.75 %\)", line)
    assert hit and float(hit[1]) < 33.3 < float(hit[2]), line
    (row,) = [line for line in output.splitlines() if line.startswith("| right in the end")]
    assert f"| -33.3 (-{hit[2]} to -{hit[1]} at 98.75 %) |" in row, "the row says second less first"


def test_formats_are_told_apart_where_that_is_shown() -> None:
    records = [*made([(at >= 20, True) for at in range(60)])[0], *made([(at >= 20, True) for at in range(60)])[1]]
    compared, output = compare_formats([*records, make_record("json", task="task 0")])
    assert compared == 6 and [(item.better, item.worse) for item in output] == [("plain", "v2")]
    assert output[0].comparison.outcome == "right in the end" and output[0].to_dict()["better"] == "plain"


def test_what_is_not_known_is_in_no_pair() -> None:
    unknown = [make_record(task=str(at), states=(None,), accepted=(True,)) for at in range(5)]
    comparison = compare({"both": pair(unknown, [replace(r, case=replace(r.case, format="plain")) for r in unknown])})
    assert {item.outcome for item in comparison["both"]} == {"valid as written", "valid in the end"}
    assert [element.reading for element in decide(pair(unknown, unknown))] == ["valid as written", "valid in the end"]


def test_provenances_are_compared_only_if_both_are_named() -> None:
    mid = tuple(make_record(task=str(at), provenance=MID) for at in range(3))
    weak = tuple(make_record(task=str(at), provenance=WEAK) for at in range(3))
    with pytest.raises(SymOpsError, match="different provenance"):
        match(Side("a", mid), Side("b", weak))
    with pytest.raises(SymOpsError, match="different provenance"):
        match(Side("a", mid, provenance="mid"), Side("b", weak))
    names, result = match(Side("a", mid, provenance="mid"), Side("b", weak, provenance="weak"))
    assert names == (str(MID), str(WEAK)) and len(result["v2"].pairs) == 3
    with pytest.raises(SymOpsError, match="several provenances"):
        match(Side("a", mid + weak), Side("b", mid))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (Side("a", (make_record(),), "v9"), Side("b", (make_record(),)), "no format 'v9'"),
        (Side("a", (make_record(),), provenance="x"), Side("b", (make_record(),)), "no provenance with 'x'"),
        (Side("a", (make_record(task="a"),)), Side("b", (make_record(task="b"),)), "no task in common"),
        (Side("a", ()), Side("b", (make_record(),)), "has no records"),
        (
            Side("a", (make_record(), make_record("v1"))),
            Side("b", (make_record("x"), make_record("y"))),
            "no format is in",
        ),
    ],
)
def test_what_cannot_be_compared_is_told(first: Side, second: Side, said: str) -> None:
    with pytest.raises(SymOpsError, match=said):
        match(first, second)


# ---- the rule of the original notes


@pytest.mark.parametrize(("v2", "plain", "adopt"), [(95, 100, True), (94, 100, False), (76, 80, True), (0, 0, None)])
def test_the_rule_adopts_from_95_percent_on(v2: int, plain: int, adopt: bool | None) -> None:
    first, second = made([(at < v2, at < plain) for at in range(100)])
    decision = decide(pair(first, second))[0]
    assert (decision.reading, decision.adopt, decision.terse.k, decision.plain.k) == (
        "valid as written",
        adopt,
        v2,
        plain,
    )
    assert decision.terser and (decision.stability is None) == (adopt is None)


@pytest.mark.slow
def test_the_rule_weighs_tokens_and_tells_how_stable_it_is() -> None:
    first, second = made([(True, True)] * 40)
    assert decide(pair(second, first))[0].adopt is False, "it is obeyed as often, but takes more tokens"
    assert decide(pair(first, second))[0].stability == 1.0
    near, far = ([(at >= lost, True) for at in range(100)] for lost in (5, 40))
    assert 0.4 < (decide(pair(*made(near)))[0].stability or 0) < 0.8 < (decide(pair(*made(far)))[0].stability or 0)
    low, high = decide(pair(*made(near)))[0].ratio_interval or (0, 0)
    assert low < 0.95 < high and decide(pair(*made(near)), 0.8)[0].adopt


@pytest.mark.parametrize(
    ("tasks", "sentence"),
    [
        (1, "A run of 1 task is too small to show any difference reliably."),
        (3, "A run of 3 tasks is too small to show any difference reliably. It takes 155 tasks or more to show 85 %"),
        (7, "A run of 7 tasks is too small to show any difference reliably."),
        (40, "The smallest difference that 40 tasks show in 4 of 5 runs is about 18.5 points if no pair shows"),
    ],
)
def test_a_comparison_says_what_it_can_show(tasks: int, sentence: str) -> None:
    pairings = {"both": pair(*made([(at % 2 == 0, at % 3 == 0) for at in range(tasks)]))}
    text = write_comparison(("v2", "plain"), ("a", "a"), pairings, compare(pairings))
    assert sentence in text, text


def test_without_fewer_tokens_no_ratio_leaves_a_doubt() -> None:
    """The tokens decide, whatever the ratio is: the same in all samples was called not settled."""
    replies = [(at >= 5, True) for at in range(100)]
    for is_terser in (True, False):
        first, second = made(replies if is_terser else [(plain, terse) for terse, plain in replies])
        pairing = pair(first, second) if is_terser else pair(second, first)
        written = write_decision(("x", "y"), "run.jsonl", pairing, decide(pairing))
        assert ("with fewer tokens" in written, "with no fewer tokens" in written) == (is_terser, not is_terser)
        assert ("not settled by these tasks" in written) == is_terser


# ---- the commands


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_log(tmp_path_factory.mktemp("logs") / "run.jsonl", run_for_real()))


def test_compare_shows_two_formats_of_a_log(log: str) -> None:
    finished = symops("bench", "compare", f"{log}:v2", f"{log}:plain")
    assert finished.exit_code == 0 and "8 pairs of the same task and repetition" in finished.output
    assert "| outcome | pairs | `v2` | `plain` | difference |" in finished.output
    assert "no difference shown" in finished.output and "too small to show any difference" in finished.output
    assert str(run_for_real()[0].provenance) in finished.output
    data = json.loads(symops("bench", "compare", f"{log}:v2", f"{log}:plain", "--json").output)
    (comparison,) = data["comparisons"]
    assert comparison["pairs"] == 8 and {row["outcome"] for row in comparison["outcomes"]} == {
        outcome.name for outcome in OUTCOMES
    }


def test_compare_takes_two_logs_format_by_format(log: str, tmp_path: Path) -> None:
    other_log = write_log(tmp_path / "other.jsonl", [replace(r, rules="other") for r in run_for_real()])
    finished = symops("bench", "compare", log, str(other_log))
    assert finished.exit_code == 0 and "## `plain`" in finished.output and "## `v2`" in finished.output
    assert finished.output.count("the same in each of 8 pairs") == 8
    weak = write_log(tmp_path / "weak.jsonl", [replace(r, provenance=WEAK) for r in run_for_real()])
    refused = symops("bench", "compare", log, str(weak))
    assert refused.exit_code == 2 and "name both: --first" in refused.stderr
    output = symops("bench", "compare", log, str(weak), "--first", "mid", "--second", "weak")
    assert output.exit_code == 0 and "**Different provenances, compared because both were named:**" in output.output


def test_decide_shows_its_inputs(log: str) -> None:
    finished = symops("bench", "decide", log)
    assert finished.exit_code == 0
    for item in ("95.0 %", "valid as written", "fewer tokens", "Tokens of a reply", "samples", "of 8", "ratio"):
        assert item in finished.output, item
    data = json.loads(symops("bench", "decide", log, "--threshold", "0.5", "--json").output)
    assert data["pairs"] == 8 and len(data["decisions"]) == 3 and data["decisions"][0]["threshold"] == 0.5
    missing = symops("bench", "decide", log, "--v2", "v7")
    assert missing.exit_code == 2 and "no format 'v7'" in missing.stderr
