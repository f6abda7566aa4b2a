"""Prompts teach edits, and the reader reads what they teach: exactly the new text, without a doubt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import DIALECTS
from trees import MemoryTree

from symops_lark import PromptBuilder, SymOpsError, derive, parse, plan, system_prompt
from symops_lark.acting.changes import Decision
from symops_lark.adapters.cli.models.prompt import WAYS
from symops_lark.core.edits import Edited, edit_text, kind_of, show_anchors
from symops_lark.models.prompts.edits import read_way, ways

_FILE = re.compile(r'<file path="([^"]+)">\n(.*?)</file>\n<reply>\n(.*?)</reply>', re.DOTALL)
_ANCHOR = re.compile(r"^[0-9]+:[a-z2-9]{3}\|", re.MULTILINE)
NOTATIONS = {"search-replace": "search/replace blocks", "diff": "unified diff", "anchors": "anchors"}


def test_the_ways_are_those_of_the_command_line() -> None:
    assert set(WAYS) == set(ways()) == {"whole", *NOTATIONS}


@pytest.mark.parametrize("name", NOTATIONS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_reader_reads_what_the_prompt_teaches(dialect: str, name: str) -> None:
    prompt = system_prompt(dialect, edits=name)
    match = _FILE.search(prompt)
    way = read_way(name)
    assert match is not None and way is not None
    path, output, reply = match.groups()
    old = _ANCHOR.sub("", output) if name == "anchors" else output
    assert old == way.old and kind_of(way.content, path, old) == NOTATIONS[name]
    planned_changes = plan(parse(reply, dialect), MemoryTree({path: old.encode()}))
    [change] = planned_changes.changes
    assert (change.after, change.decision) == (way.new.encode(), Decision.AUTO), planned_changes
    assert change.reading == NOTATIONS[name]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_whole_texts_are_taught_as_before(dialect: str) -> None:
    assert system_prompt(dialect) == system_prompt(dialect, edits="whole")
    assert "# Edits" not in system_prompt(dialect) and "no diff" in system_prompt(dialect)
    for name in NOTATIONS:
        prompt = system_prompt(dialect, edits=name, include_examples=False)
        assert "# Edits" in prompt and "no diff" not in prompt and "<reply>\n" not in prompt.partition("# Edits")[2]


@given(st.text(st.sampled_from("ab 1=\n\t{}"), max_size=60))
def test_files_are_shown_with_the_anchors_that_the_reader_knows(text: str) -> None:
    builder = PromptBuilder("v2", edits="anchors")
    prompt = builder.build_prompt("Change it.", {"files": {"a.py": text}})
    assert builder.shown == {"a.py": text}
    assert show_anchors(text) in prompt
    for row in show_anchors(text).splitlines():
        anchor, _, line = row.partition("|")
        result = edit_text(text, f"@@ {anchor}\n{line} # changed", "a.py")
        assert isinstance(result, Edited) and not result.doubts and f"{line} # changed" in result.text


def test_what_the_model_saw_is_what_the_plan_compares() -> None:
    builder = PromptBuilder("v2", edits="diff")
    builder.messages("Change it.", {"files": {"a.py": "x = 1\n", "b.bin": b"\0", "c.py": None}})
    assert builder.shown == {"a.py": "x = 1\n"}
    document = parse("::edit @a.py\n<<<\nx = 3\n>>>\n", "v2")
    [change] = plan(document, MemoryTree({"a.py": b"x = 1\ny = 2\n"}), shown=builder.shown).changes
    assert change.decision is Decision.ASK and "a.py has changed since it was shown" in change.reasons


def test_a_cut_file_keeps_the_anchors_of_the_complete_one() -> None:
    text = "".join(f"value_{number} = {number}\n" for number in range(400))
    builder = PromptBuilder("v2", edits="anchors", budget=500)
    files = builder.show_files({"a.py": text})
    rows = [row for row in files.text.splitlines() if _ANCHOR.match(row)]
    assert files.notes and 5 < len(rows) < 400
    assert set(rows) <= set(show_anchors(text).splitlines())


def test_other_edits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SymOpsError, match="choose whole, anchors, diff, search-replace"):
        PromptBuilder("v2", edits="patches")
    only_new = tmp_path / "only_new.lark"
    only_new.write_text(derive("v2", {"_writing": '"create"'}))
    with pytest.raises(SymOpsError, match="no verb that changes a file"):
        PromptBuilder(only_new, edits="diff")
