"""The passes over lines in their order, and the tables in the docstrings of what follows them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pass_tables import IN, in_own_dialect, lexer, prove_pass, tables, told

from symops_lark import Document
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery.doubts.below_commands import find_text_below
from symops_lark.core.recovery.doubts.nested_actions import find_doubts, find_nested, find_text_behind
from symops_lark.core.recovery.doubts.swallowed import mark_doubtful
from symops_lark.core.recovery.lines.field_lines import order_tagged
from symops_lark.core.recovery.lines.kinds import Kind
from symops_lark.core.recovery.lines.passes import PASSES, Pass, run_passes, trace_passes
from symops_lark.core.recovery.lines.prose import merge_runs
from symops_lark.core.recovery.lines.spelling import NoRepairer
from symops_lark.core.recovery.recovery import recover
from symops_lark.core.repairs import RepairEngine


def test_prose_runs_are_merged_as_the_docstring_shows(tmp_path: Path) -> None:
    merge = Pass("prose-runs", "", lambda text, lines, lexer: merge_runs(text, lines))
    merge.run.__doc__ = merge_runs.__doc__
    prove_pass(merge, tmp_path)


def test_passes_run_in_this_order() -> None:
    before = ["own-sections", "open-reasoning", "tagged-heads", "broken-heads", "attribute-lines"]
    assert [single_pass.name for single_pass in PASSES] == [
        *before,
        "tags",
        "fences",
        "whole-blocks",
        "drawings",
        "long-fences",
    ]


@pytest.mark.parametrize("a_pass", PASSES, ids=lambda each: each.name)
def test_a_pass_runs_in_some_dialect_and_keeps_the_text(a_pass: Pass, tmp_path: Path) -> None:
    """A text from which each line is taken by some pass: nothing of it is lost, whatever runs."""
    text = "::create\n  @a.py\n<<<\n::run @ls\n>>>\n````\n```python\n```\n````\n" + "<<<\n" * 14
    reader = in_own_dialect(tmp_path) if a_pass.form == "own-sections" else lexer(IN[a_pass.form])
    lines = run_passes(text, reader.read_each(text), reader)
    assert lines == reader.read(text)
    covered = {place for line in lines for place in range(line.start, line.end)}
    assert covered == {*range(len(text))}


def test_the_trace_shows_which_pass_changes_which_line() -> None:
    reader = lexer("v2")
    text = "::create\n@a.py\n<<<\n::run @ls\n>>>\n"
    traced = list(trace_passes(text, reader.read_each(text), reader))
    assert [(name, told(before, after)) for name, before, after in traced] == [
        ("broken-heads", ["NEAR_ACTION", "+", "OPEN", "COMMAND", "CLOSE"]),
        ("whole-blocks", ["NEAR_ACTION", "OPEN", "TEXT", "CLOSE"]),
    ]


def nested(text: str) -> tuple[Document, Document]:
    document = recover(text, "v2")
    return document, find_doubts(document, text, load_dialect("v2"))[0]


def swallowing(text: str) -> tuple[Document, Document]:
    document = recover(text, "v2")
    return document, mark_doubtful(document, load_dialect("v2"))


@pytest.mark.parametrize(
    ("a_pass", "run"),
    [(find_nested, nested), (find_text_behind, nested), (find_text_below, nested), (mark_doubtful, swallowing)],
)
def test_a_doubt_falls_on_the_actions_that_the_docstring_shows(
    a_pass: Callable[..., object], run: Callable[[str], tuple[Document, Document]]
) -> None:
    output = tables(a_pass.__doc__ or "")
    assert len(output) == 2
    assert any(row.was != row.becomes for row in output[0])
    for rows in output:
        before, after = run("".join(row.line + "\n" for row in rows))
        for document, column in ((before, 0), (after, 1)):
            table = {action.span.line - 1: str(action.completeness) for action in document.actions}
            assert [table.get(at, "-") for at in range(len(rows))] == [row[column] for row in rows]


def test_the_lines_of_an_action_come_in_the_order_that_the_docstring_shows() -> None:
    output = tables(order_tagged.__doc__ or "")
    assert len(output) == 2
    assert any(row.becomes == "2" for row in output[0][:1])
    for rows in output:
        expected = sorted((row.becomes, row.line) for row in rows if row.becomes != "-")
        pairs = [(Kind[row.was], row.line) for row in rows]
        result = order_tagged(load_dialect("plain"), NoRepairer(), pairs)
        assert [spelling.text for spelling in result] == [line for _, line in expected]


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (
            [("NEAR_ACTION", "Action Type: create"), ("NEAR_ATTRIBUTE", "Action Path: a.py")],
            ["[ACTION_TYPE] create", "[ACTION_PATH] a.py"],
        ),
        (
            [("NEAR_ATTRIBUTE", "[Action Path]: ls > out"), ("NEAR_ACTION", "[Action Type]: run")],
            ["[ACTION_TYPE] run", "[ACTION_PATH] ls > out"],
        ),
        (
            [("NEAR_ACTION", "[ACTION_TYPE] create [ACTION_PATH] a.py"), ("OPEN", "[CONTENT_START]")],
            ["[ACTION_TYPE] create", "[ACTION_PATH] a.py"],
        ),
        (
            [("ACTION", "[ACTION_TYPE] run"), ("NEAR_ATTRIBUTE", '[ACTION_PATH] "ls"')],
            ["[ACTION_TYPE] run", "[ACTION_PATH] ls"],
        ),
        ([("CLOSE_ACTION", "[CONTENT_END] [ACTION_TYPE] create")], ["[ACTION_TYPE] create"]),
        ([("ACTION", "[ACTION_TYPE] create"), ("TEXT", "whatever")], ["[ACTION_TYPE] create"]),
        ([("ATTRIBUTE", "Action Path: a.py")], []),
    ],
)
def test_the_lines_of_an_action_are_respelt_as_what_they_say(rows: list[tuple[str, str]], lines: list[str]) -> None:
    dialect = load_dialect("plain")
    result = order_tagged(dialect, RepairEngine(dialect).repairer, [(Kind[kind], line) for kind, line in rows])
    assert [spelling.text for spelling in result] == lines
    exact = [line for kind, line in rows if not Kind[kind].is_respelt]
    assert all((not spelling.rules and not spelling.cost) == (spelling.text in exact) for spelling in result)


def test_every_kind_is_named_in_one_table() -> None:
    assert all(re.fullmatch("[A-Z_]+", kind) and kind == kind.name for kind in Kind)
    assert all(kind.role == kind.base.role for kind in Kind), "a line is respelt as what it nearly is"
    assert {kind.base.base for kind in Kind} == {kind.base for kind in Kind}
    assert all(kind.whole.is_split is False and kind.whole.spelling is kind.spelling for kind in Kind)
