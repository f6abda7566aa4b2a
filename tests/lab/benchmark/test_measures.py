"""Measures: laws that hold for any records, and what each one counts."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
import scipy
from compliance_records import make_record, run_for_real
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark.lab.benchmark.fidelity import State
from symops_lark.lab.benchmark.figures import OUTCOMES, Figure, ratio
from symops_lark.lab.benchmark.measures import MEASURES, describe
from symops_lark.lab.benchmark.records import PHASES, ActionOutcome, PhaseOutcome, Provenance, Record

SUCCESSES = {  # the columns that say that something went well: nothing of a rejected reply is in them
    "compliance_by_phase": {"valid"},
    "repair_success": {"valid", "valid and right"},
    "well_formed": {"well-formed cases", "tasks always well formed"},
    "right_by_mistake": {"alone", "with others"},
    "fidelity_by_phase": {"right", "wrong with alarm", "wrong without alarm"},
    "right_by_language": {"right"},
    "right_by_number_of_mistakes": {"right"},
    "right_by_size": {"valid", "right"},
    "collisions": {"right, of these"},
    "calibration": {"right"},
}
LIVE = Provenance("live", (("model", "a-model"),))
STATES = st.lists(st.sampled_from([*map(str, State), None]), min_size=1, max_size=len(PHASES))
Row = tuple[str, int, list[str | None], bool, bool]  # format, task, states, accepted, collides
RECORDS = st.lists(
    st.tuples(st.sampled_from(["v1", "v2"]), st.integers(0, 3), STATES, st.booleans(), st.booleans()),
    min_size=1,
    max_size=12,
)


def measure(name: str, records: Iterable[Record]) -> list[Figure]:
    return list(MEASURES[name](list(records)))


def only(figures: list[Figure], **labels: str) -> Figure:
    (result,) = (f for f in figures if all(getattr(f, key) == value for key, value in labels.items()))
    return result


def counts(figure: Figure) -> tuple[int | None, int]:
    return figure.k, figure.n


def made(rows: list[Row]) -> list[Record]:
    return [
        make_record(
            format,
            f"task {task}",
            states,
            accepted=[accepted] * len(states),
            repetition=place,
            collision=collides,
            faults=("a-mistake",) if collides else (),
        )
        for place, (format, task, states, accepted, collides) in enumerate(rows)
    ]


# ---- laws


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_described(name: str) -> None:
    title, how = describe(MEASURES[name])
    assert title and len(how) > 40


@pytest.mark.slow
@settings(max_examples=8)
@given(RECORDS, st.randoms())
def test_figures_are_sound_for_any_records(rows: list[Row], rng: random.Random) -> None:
    records = made(rows)
    shuffled = rng.sample(records, len(records))
    for name, function in MEASURES.items():
        figures = list(function(records))
        assert sorted(map(repr, function(shuffled))) == sorted(map(repr, figures)), name
        assert len({(f.format, f.part, f.name) for f in figures}) == len(figures), "a figure is there twice"
        for figure in figures:
            assert (figure.value is None) == bool(figure.why) == (figure.n == 0), figure
            if figure.unit == "share" and figure.value is not None:
                assert figure.k is not None and figure.value == figure.k / figure.n
                assert 1 <= figure.tasks <= len(records), figure
                # The least that so many can tell.
                least = scipy.stats.binomtest(0, figure.tasks).proportion_ci(method="exact").high
                assert figure.low is not None and figure.high is not None
                assert 0 <= figure.low <= figure.value <= figure.high <= 1
                assert figure.high >= least - 1e-6 and figure.low <= 1 - least + 1e-6


@given(RECORDS)
def test_a_rejected_reply_is_no_success_in_any_measure(rows: list[Row]) -> None:
    records = made([(format, task, states, False, collides) for format, task, states, _, collides in rows])
    visited = set()
    for name, columns in SUCCESSES.items():
        for figure in measure(name, records):
            assert figure.name not in columns or not figure.k, (name, figure)
            visited |= {(name, figure.name)} & {(name, column) for column in columns}
    assert {name for name, _ in visited} >= set(SUCCESSES) - {"repair_success", "right_by_mistake", "collisions"}


def test_what_nobody_knows_is_not_measurable() -> None:
    unknown = make_record(
        states=(None, None),
        accepted=(False, True),
        expected=None,
        faults=None,
        collision=None,
        actions=(ActionOutcome(0.9, False, None),),
    )
    blind = {
        "fidelity_by_phase",
        "wrong_actions",
        "wrong_with_alarm",
        "right_by_mistake",
        "right_by_number_of_mistakes",
        "collisions",
        "calibration",
        "brier_score",
        "do_no_harm",
        "cascade",
        "right_by_language",
        "right_by_size",
    }
    for name in blind:
        figures = measure(name, [unknown])
        assert figures and all(figure.value is None and figure.why for figure in figures), name
    assert counts(only(measure("compliance_by_phase", [unknown]), part="repaired")) == (1, 1)
    saved = measure("repair_success", [unknown])
    assert counts(only(saved, name="valid")) == (1, 1) and only(saved, name="valid and right").value is None


# ---- what each counts


def test_compliance_goes_up_phase_by_phase() -> None:
    records = [
        make_record(task=str(at), states=row)
        for at, row in enumerate(
            (
                ("right", "right", "right"),
                ("no-answer", "right", "right"),
                ("no-answer", "no-answer", "partial"),
                ("no-answer", "no-answer", "no-answer"),
            )
        )
    ]
    measured = measure("compliance_by_phase", records)
    assert [counts(figure) for figure in measured] == [(1, 4), (2, 4), (3, 4)]
    saved = measure("repair_success", records)
    assert counts(only(saved, part="repaired", name="valid")) == (1, 3)
    assert counts(only(saved, part="recovered", name="valid")) == (1, 2)
    assert counts(only(saved, part="recovered", name="valid and right")) == (0, 2), "partial is no success"


def test_a_format_without_a_later_phase_says_so() -> None:
    (figure,) = measure("repair_success", [make_record(states=("right",))])
    assert figure.value is None and "no later phase" in figure.why


def test_correction_without_a_model_is_not_measurable() -> None:
    record = make_record(states=("no-answer",) * 4, provenance=LIVE)
    silent = replace(record, phases=(*record.phases[:-1], replace(record.phases[-1], seconds=None)))
    assert [figure.part for figure in measure("compliance_by_phase", [silent])] == list(PHASES[:-1])
    message = only(measure("repair_success", [silent]), part="corrected")
    assert message.value is None and message.why == "no model was asked again"
    assert counts(only(measure("repair_success", [record]), part="corrected", name="valid")) == (0, 1)


@pytest.mark.slow
def test_what_a_simulated_writer_says_when_asked_again_is_in_a_table_of_its_own() -> None:
    states = ("no-answer", "no-answer", "partial", "right")
    simulated, live = make_record(states=states), make_record(states=states, provenance=LIVE)
    for name in MEASURES:
        parts = {figure.part for figure in measure(name, [simulated])}
        assert "corrected" not in parts, name
    assert simulated.final == simulated.phases[2] and live.final == live.phases[3]
    assert counts(only(measure("asked_as_assumed", [simulated]), name="right")) == (1, 1)
    assert all(figure.value is None for figure in measure("asked_as_assumed", [live]))
    assert counts(only(measure("fidelity_by_phase", [live]), part="corrected", name="right")) == (1, 1)


def test_the_same_mistakes_are_right_or_wrong_with_an_alarm_or_without() -> None:
    states = ("right", "superset", "paths-only", "partial", "no-answer", "wrong-without-alarm")
    records = [
        make_record(format, str(at), (state,), faults=("one",))
        for at, state in enumerate(states)
        for format in ("v1", "json")
    ]
    figures = [figure for figure in measure("right_on_the_same_mistakes", records) if figure.format == "json"]
    assert {figure.name: counts(figure) for figure in figures} == {
        "right": (1, 6),
        "wrong with alarm": (3, 6),
        "no answer": (1, 6),
        "wrong without alarm": (1, 6),
    }
    kinds = {figure.name: counts(figure) for figure in measure("wrong_with_alarm", records) if figure.format == "json"}
    assert kinds == {"more than was meant": (1, 3), "other contents": (1, 3), "partly right": (1, 3)}


def test_states_after_each_phase_add_up() -> None:
    records = list(run_for_real())
    figures = measure("fidelity_by_phase", records)
    for format in ("v2", "plain"):
        for phase in PHASES[:3]:
            row = [figure for figure in figures if (figure.format, figure.part) == (format, phase)]
            assert len(row) == len(OUTCOMES) and sum(figure.k or 0 for figure in row) == row[0].n == 8
    mistakes = [make_record(states=("wrong-without-alarm",))]
    assert counts(only(measure("fidelity_by_phase", mistakes), name="wrong without alarm")) == (1, 1)


def test_a_case_is_well_formed_only_if_every_reply_is() -> None:
    good, bad = ("right", "right"), ("no-answer", "right")
    records = [
        make_record(task="a", states=good),
        make_record(task="a", states=good, repetition=1),
        make_record(task="b", states=good),
        make_record(task="b", states=bad, repetition=1),
        make_record(task="c", states=good, attempts=2),
    ]
    figures = measure("well_formed", records)
    assert counts(only(figures, name="well-formed cases")) == (3, 5)
    assert counts(only(figures, name="tasks always well formed")) == (1, 3)


def test_wrong_actions_are_told_by_their_kind() -> None:
    def outcome(**more: object) -> Record:
        row = replace(PhaseOutcome("strict", True, "partial", 1, 0, 0, 0, 0), **more)  # type: ignore[arg-type]
        return make_record(task=str(more), phases=(row,))

    records = [
        outcome(),
        outcome(invented=2),
        outcome(lost=1),
        outcome(accepted=False, invented=1, lost=9),
        outcome(silent=("create a.py: content wrong at confidence 0.95",), contents=1),
        outcome(silent=("create content: x.py: type wrong at confidence 0.95",)),
        outcome(contents=1, unsaid=("create a.py: lost, and nothing says so",)),
    ]
    figures = measure("wrong_actions", records)
    assert {figure.name: counts(figure) for figure in figures} == {
        "invented action": (1, 6),
        "wrong content without alarm": (1, 6),
        "lost action": (1, 6),
        "lost action without alarm": (1, 6),
    }


def test_harm_cascades_and_collisions_count_what_is_known() -> None:
    records = [
        make_record(task="a", harmless=True, collision=True),
        make_record(task="b", harmless=False, collision=False),
        make_record(task="c", cascade=True, collision=True, states=("no-answer",)),
        make_record(task="d", cascade=False),
    ]
    assert [counts(figure) for figure in measure("do_no_harm", records)] == [(1, 2)]
    assert [counts(figure) for figure in measure("cascade", records)] == [(1, 2)]
    measured = measure("collisions", records)
    for part in ("every", "Python"):
        assert counts(only(measured, part=part, name="collide")) == (2, 3)
        assert counts(only(measured, part=part, name="right, of these")) == (1, 2)


def test_mistakes_are_counted_alone_and_among_others() -> None:
    records = [
        make_record(task="a", faults=("one",)),
        make_record(task="b", faults=("one", "two"), states=("partial",)),
        make_record(task="c", faults=()),
        make_record(task="d", faults=("p", "q", "r", "s")),
    ]
    measured = measure("right_by_mistake", records)
    assert counts(only(measured, part="one", name="alone")) == (1, 1)
    assert counts(only(measured, part="one", name="with others")) == counts(only(measured, part="two")) == (0, 1)
    numbers = {f.part: counts(f) for f in measure("right_by_number_of_mistakes", records)}
    assert numbers == {"none": (1, 1), "one": (1, 1), "two": (0, 1), "three and more": (1, 1)}


def test_confidence_is_held_against_the_truth() -> None:
    actions = (ActionOutcome(0.97, False, True), ActionOutcome(0.97, False, False), ActionOutcome(1.0, False, True))
    records = [make_record(actions=actions), make_record(task="b", actions=actions, states=("no-answer",))]
    measured = measure("calibration", records)
    assert counts(only(measured, part="0.95 to 0.999", name="right")) == (1, 2), "what was rejected has no confidence"
    assert only(measured, part="0.95 to 0.999", name="said").value == pytest.approx(0.97)
    assert only(measure("brier_score", records), name="Brier score").value == pytest.approx((0.03**2 + 0.97**2) / 3)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30), st.randoms())
def test_brier_and_bins_hold_for_any_order(pairs: list[tuple[float, bool]], rng: random.Random) -> None:
    def measured(said: list[tuple[int, tuple[float, bool]]]) -> tuple[list[Figure], list[Figure]]:
        records = [make_record(task=str(at), actions=(ActionOutcome(p, False, right),)) for at, (p, right) in said]
        return measure("brier_score", records), measure("calibration", records)

    by_name = list(enumerate(pairs))
    scores, bins = measured(by_name)
    score = only(scores, name="Brier score").value
    assert score is not None and 0 <= score <= 1
    assert score == pytest.approx(sum((p - 1) ** 2 if right else p**2 for p, right in pairs) / len(pairs))
    right = [figure for figure in bins if figure.name == "right"]
    assert sum(figure.n for figure in right) == len(pairs)
    assert sum(figure.k or 0 for figure in right) == sum(right for _, right in pairs)
    for figure in bins:
        low, high = map(float, figure.part.split(" to "))
        assert figure.name == "right" or low - 1e-12 <= (figure.value or 0.0) <= high + 1e-12
    assert measured(rng.sample(by_name, len(by_name))) == (scores, bins)


@pytest.mark.slow
def test_tokens_are_those_of_all_replies_over_all_actions() -> None:
    text = "word " * 100
    records = [make_record(task="a", text=text), make_record(task="b", text=text, expected=({"contents": [text]},) * 4)]
    table = {figure.name: figure for figure in measure("tokens_per_action", records) if figure.part == "o200k_base"}
    assert table["in all"].value == pytest.approx(2 * 101 / 5, rel=0.02)
    bare = only(measure("tokens_per_action", records[:1]), part="o200k_base", name="besides contents").value
    assert bare == pytest.approx(101 - 3, abs=2), "without those of the content, x = 1"


def test_a_ratio_draws_clusters_and_needs_something_below_the_line() -> None:
    figure = ratio("v2", "tokens", [("a", 10, 1), ("b", 10, 1)])
    assert (figure.value, figure.low, figure.high, figure.n) == (10, 10, 10, 2)
    assert ratio("v2", "tokens", [("a", 10, 0)], why="no actions").value is None


def test_what_a_reply_takes() -> None:
    records = [make_record(attempts=3, usage=(100, 20)), make_record(task="b", usage=(None, 40))]
    assert counts(only(measure("asked_again", records), name="asked again")) == (1, 2)
    assert only(measure("asked_again", records), name="times asked").value == 2
    used = {figure.name: (figure.value, figure.n) for figure in measure("usage", records)}
    assert used == {"in (mean)": (100, 1), "in (sum)": (100, 1), "out (mean)": (30, 2), "out (sum)": (60, 2)}
    late = measure("latency", records)
    assert {figure.unit for figure in late} == {"milliseconds"} and only(late, name="p95").value == pytest.approx(1)
