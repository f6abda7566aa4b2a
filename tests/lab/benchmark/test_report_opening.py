"""The first screen of a report: the verdict says no more than the comparisons show, and a bar is seen at once."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from compliance_records import make_record

from symops_lark.lab.benchmark.records import Provenance, Record
from symops_lark.lab.benchmark.report import split, write_markdown, write_page

REPLAYED = Provenance("replayed", (("hash", "d"),))


def opening(records: Iterable[Record]) -> str:
    return write_markdown(split(records)).partition("**What was compared**")[0]


def outcomes(format: str, right: int, wrong: int = 0, others: int = 0) -> list[Record]:
    states = ["right"] * right + ["wrong-without-alarm"] * wrong + ["no-answer"] * others
    return [make_record(format, f"task {number}", (state,)) for number, state in enumerate(states)]


def test_the_verdict_says_what_is_shown_and_what_is_not() -> None:
    text = opening([*outcomes("v2", 40), *outcomes("json", 38, 0, 2), *outcomes("naive", 10, 20, 10)])
    assert "**`v2` (100 %) is right more often than `naive` (25.0 %).**" in text
    assert "No difference was found between it and `json` (95.0 %): 40 tasks are too few" in text
    assert "unnoticed: `naive` 50.0 %**; the others 0 %." in text
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    assert rows == ["| `v2`", "| `json`", "| `naive`"], "the best comes first"


def test_nothing_is_shown_where_nothing_is() -> None:
    text = opening([*outcomes("v2", 9, 0, 1), *outcomes("json", 10)])
    assert "more often" not in text
    assert "No difference was found between `json` (100 %) and `v2` (90.0 %): 10 tasks are too few" in text
    assert "No reply was wrong without alarm: at most 30.8 % of each" in text


def test_a_single_format_and_unknown_results() -> None:
    assert "**`v2` (100 %) is right in the end.**" in opening(outcomes("v2", 5))
    unknown = [make_record("v2", f"task {number}", (None,), accepted=(number > 0,)) for number in range(4)]
    text = opening(unknown)
    assert "**What was meant is not known. Of the replies, valid in the end: `v2` 75.0 % of 4.**" in text
    assert "not known | not known" in text


def of_models(**right: int) -> list[Record]:
    """Return ten replies of each model, of which so many are right."""
    return [
        make_record(
            "v2", f"{model} {number}", ("right" if number < share else "no-answer",), provenance=REPLAYED, model=model
        )
        for model, share in right.items()
        for number in range(10)
    ]


def test_equals_have_no_winner_and_no_loser() -> None:
    assert "**All are right equally often (0 %).**" in opening(of_models(alpha=0, beta=0))
    text = opening(of_models(a=9, b=2, c=9, d=2))
    best, worst = "`v2` of `a` (90.0 %) and `v2` of `c` (90.0 %)", "`v2` of `b` (20.0 %) and `v2` of `d` (20.0 %)"
    assert f"**Right most often: {best}; least often: {worst}.**" in text


def test_one_task_is_too_few() -> None:
    text = opening([*outcomes("v2", 1), *outcomes("json", 1)])
    assert "1 task is too few for a difference" in text


def test_models_have_rows_of_one_table_and_are_not_compared() -> None:
    text = opening(of_models(big=9, small=2))
    assert "**Right most often: `v2` of `big` (90.0 %); least often: `v2` of `small` (20.0 %).**" in text
    assert "Models are not compared in pairs here" in text
    assert text.count("| format | model |") == 1 and "| `v2` | `small` |" in text


@pytest.mark.slow
def test_the_first_bar_comes_before_everything_that_explains_it() -> None:
    page = write_page(split([*outcomes("v2", 19, 1), *outcomes("<b>", 0, 0, 2)]))
    first = page.partition("What was compared")[0]
    assert 'aria-label="v2: right 95.0 %, wrong with alarm 0 %, no answer 0 %, wrong without alarm 5.0 %"' in first
    assert 'style="width:95.00%"' in first and 'class="wrong" style="width:5.00%"' in first
    assert "&lt;b&gt;: right 0 %" in first and "<b>" not in page
