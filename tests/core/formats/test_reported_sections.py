"""What is reported of sections that are no action, and how gravely."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from format_samples import OWN, SECTIONS, Sample

from symops_lark import Action, Document, recover, write_format
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import find_format
from symops_lark.core.formats.results import find_left_out, read_before, read_whole, report_lost
from symops_lark.core.ground.errors import GrammarError


def call(tool: str, **arguments: object) -> str:
    message = json.dumps({"name": tool, "arguments": arguments})
    return f"<tool_call>\n{message}\n</tool_call>\n"


def reports(text: str) -> dict[str, str]:
    return {finding.code: str(finding.severity) for finding in read_format(text).diagnostics}


@pytest.mark.parametrize(
    ("text", "code", "severity"),
    [
        ("Look:\n\n```python\nx = 1\n```\n", "no-file-named", "note"),
        (call("web_search", query="x"), "unknown-tool", "note"),
        (call("write_file", content="x"), "missing-argument", "warning"),
        (call("replace_in_file", path="a.py", content="x = 1"), "partial-write", "warning"),
    ],
)
def test_only_what_was_meant_is_a_warning(text: str, code: str, severity: str) -> None:
    assert reports(text)[code] == severity
    assert "no-closing-mark" not in reports(text)


def test_a_sample_without_an_end_may_be_paired_wrongly() -> None:
    assert reports("Look:\n\n```python\nx = 1\n")["no-closing-mark"] == "warning"
    assert "no-closing-mark" not in reports(call("web_search", query="x")[:-25])


@pytest.mark.parametrize("sample", SECTIONS, ids=lambda sample: sample.format)
def test_the_first_line_is_read_like_any_other(sample: Sample) -> None:
    for length in (6, 12, 20, 30, 50, len(sample.text) // 2, len(sample.text) - 3):
        text = sample.text[:length]
        document = read_format(text)
        shifted = read_format("\n" + text)
        assert [(action.type, action.path, action.content) for action in document.actions] == [
            (action.type, action.path, action.content) for action in shifted.actions
        ]
        assert [finding.code for finding in document.diagnostics] == [finding.code for finding in shifted.diagnostics]


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_string": "a", "new_string": "b"},
        {"edits": [{"old_string": "a", "new_string": "b"}]},
        {"diff": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"},
        {"content": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"},
    ],
)
def test_a_tool_that_replaces_says_an_edit(arguments: dict[str, object]) -> None:
    (action,) = read_format(call("replace_in_file", path="a.py", **arguments)).actions
    assert (action.type, action.path) == ("edit", "a.py")


def test_what_is_hidden_is_written_as_short_as_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / "team.lark"
    terminals = "_NL: /[ \\t]*\\n?/\n_GAP: /[ ]+/\n_MAYBE: /[ ]*/\n"
    text = OWN["team_heredoc"].replace('"put "', '"put" _GAP _MAYBE').partition("_NL:")[0] + terminals
    path.write_text(text, encoding="utf-8")
    output = write_format(Document((Action("create", "a.py", "x"),)), path)
    assert output.startswith("put a.py until EOF\nx\n")


@pytest.mark.parametrize("opener", ["PATH", "PATH?", "(_SP PATH)", "(_SP | PATH)+", "(_SP PATH)+", "(_SP? PATH)?"])
def test_a_section_without_a_mark_at_its_beginning_is_refused(opener: str, tmp_path: Path) -> None:
    path = tmp_path / "team.lark"
    path.write_text(
        f'document: write*\nwrite: {opener} _NL CONTENT "end"\n'
        "PATH: /x/\nCONTENT: /(.|\\n)*/\n_SP: /[ ]+/\n_NL: /\\n/\n",
        encoding="utf-8",
    )
    with pytest.raises(GrammarError, match="mark"):
        find_format(path)


TWO_FILES = "a.py\n```python\nx = 1\n```\n\nb.py\n```python\ny = 2\n```\n"
TAGGED = '<file path="a.py">\n::delete @b.py\n</file>\n'


def test_one_named_file_may_be_a_sample_and_two_are_a_reply() -> None:
    document = read_whole(TWO_FILES)
    assert document is not None and [action.path for action in document.actions] == ["a.py", "b.py"]
    assert read_whole(TWO_FILES.partition("\n\n")[0] + "\n") is None
    single = read_whole(call("write_file", path="a.py", content="x"))
    assert single is not None and [action.path for action in single.actions] == ["a.py"]


def test_what_gave_no_action_is_among_the_findings() -> None:
    text = (
        call("write_file", content="x") + call("web_search", query="x") + call("write_file", path="a.py", content="x")
    )
    codes = [finding.code for finding in find_left_out(read_format(f"Well.\n\n{text}\nSo."))]
    assert codes == ["missing-argument", "unknown-tool"]


def test_only_a_section_before_the_place_that_says_its_verb_owns_a_reply() -> None:
    ours = "::delete @old.py\n"
    owner = read_before(TAGGED + ours, len(TAGGED))
    assert owner is not None and [action.path for action in owner.actions] == ["a.py"]
    sample = TWO_FILES.partition("\n\n")[0] + "\n"
    assert read_before(sample + ours, len(sample)) is None
    sentence = "A file begins with `<file path=`.\n"
    assert read_before(sentence + ours + TAGGED, len(sentence)) is None


def test_an_action_that_a_file_shows_is_not_lost() -> None:
    text = "::delete @old.py\n" + TAGGED + "::delete @new.py\n"
    owner = read_format("\n" * text.index(TAGGED) + TAGGED)
    report = report_lost(owner, recover(text, "v2"))
    places = [finding.span.start for finding in report.diagnostics if finding.code == "lost-action"]
    assert places == [text.index("::delete @old.py"), text.index("::delete @new.py")]
