"""Texts that people broke: the data of the benchmark, and how many of their repairs are right."""

from __future__ import annotations

import pytest
from lark.exceptions import UnexpectedInput

from benchmarks.any_grammar import people, speed
from benchmarks.any_grammar.people import Case, load_cases, load_parser

CASES = load_cases()


def test_there_are_enough_texts_of_different_reports() -> None:
    assert len(CASES) >= 200
    assert sum(case.unseen for case in CASES) == 60
    assert len({case.source for case in CASES}) > 200
    assert len({case.text for case in CASES}) == len(CASES)
    assert {case.language for case in CASES} >= {"json", "ini", "sql", "toml"}
    assert all(case.source.startswith("https://") for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.source.split("/", 3)[-1]))
def test_a_text_is_broken_and_what_was_needed_is_valid(case: Case) -> None:
    lark = load_parser(case.language).lark
    lark.parse(case.wanted)
    with pytest.raises(UnexpectedInput):
        lark.parse(case.text)


@pytest.mark.slow
def test_most_repairs_are_what_people_needed() -> None:
    outcomes = [people.correct_case(case) for case in CASES if not case.unseen]
    assert all(outcome.accepted for outcome in outcomes)
    assert sum(bool(outcome.right) for outcome in outcomes) >= 0.8 * len(outcomes)
    assert sum(bool(outcome.listed) for outcome in outcomes) >= 0.88 * len(outcomes)


def test_the_table_has_every_recovery() -> None:
    lines = people.draw_table([case for case in CASES if case.language == "config"])
    titles = {line.split("  ")[0].strip() for line in lines[1:]}
    assert {"error-correcting", "CPCT+", "on_error"} <= {title.split(" config")[0].split(" all")[0] for title in titles}


def test_tree_sitter_is_compared_by_kinds() -> None:
    pytest.importorskip("tree_sitter_json")
    valid = Case("json", "[1, 2]", "[1, 2]", "", False)
    outcome = people.ask_tree_sitter(valid)
    assert outcome is not None and outcome.kinds is True
    broken = people.ask_tree_sitter(valid._replace(text="[1 2]"))
    assert broken is not None and broken.kinds is False


@pytest.mark.slow
def test_valid_texts_take_as_long_as_by_lark() -> None:
    """The benchmark has the exact figure; a busy machine gets a wide margin here."""
    parser = load_parser("json")
    texts = speed.list_texts("json")
    assert all(parser.parse(text).price == 0 for text in texts)
    assert min(speed.find_ratio(parser.lark.parse, parser.parse, text, 20) for text in texts) < 1.2
