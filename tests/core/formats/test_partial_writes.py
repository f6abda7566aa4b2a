"""Calls that change a part of a file in a way that no action says: they never overwrite the file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import ParseError, ProtocolError, parse, process
from symops_lark.core.document import Completeness
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.tools import fold, kind_of_tool, load_tools
from symops_lark.core.grammar.codes import PARTIAL_WRITE, UNKNOWN_TOOL

FILE = {"path": "a.py", "content": "x"}


def call(name: str, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": {**FILE, **arguments}})


PARTIAL = {
    "a tool that is not known": call("append_to_file"),
    "the same without arguments of their own": json.dumps({"tool": "append_to_file", **FILE}),
    "an operation": json.dumps({"files": [{"operation": "append", **FILE}]}),
    "a type": json.dumps([{"type": "append", **FILE}]),
    "lines": call("write_file", start_line=2, end_line=3),
    "lines of an edit": call("edit_file", start_line=2, end_line=3),
    "a place": call("create_file", position="end"),
    "a mode": call("write_file", mode="append"),
    "a switch": call("write_file", append=True),
    "a text without an edit": call("replace_in_file"),
    "a diff in words": json.dumps({"name": "apply_diff", "arguments": {"path": "a.py", "diff": "two becomes TWO"}}),
    "a tag": '<file path="a.py" mode="append">\nx\n</file>',
    "lines of a tag": '<edit path="a.py" start="2" end="3">\nx\n</edit>',
    "lines of a tag in another spelling": '<edit path="a.py" startLine="1" endLine="1">\nx\n</edit>',
    # Only the last attribute was looked at.
    "lines between other attributes": '<file id="1" path="a.py" lines="2-3" lang="py">\nx\n</file>',
    "a mode before other attributes": '<file mode="append" id="1" path="a.py">\nx\n</file>',
    "a switch of a tag": '<file path="a.py" append="true">\nx\n</file>',
    "a range of a tag": '<file path="a.py" lines="2-3">\nx\n</file>',
    "a parameter of a tag": (
        "<write_to_file>\n<path>a.py</path>\n<content>\nx\n</content>\n<append>true</append>\n</write_to_file>"
    ),
    "a parameter of a function": (
        "<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\nx\n</parameter>\n"
        "<parameter=mode>\nappend\n</parameter>\n</function>"
    ),
}
WHOLE = {
    "the name of the file": json.dumps({"name": "a.py", **FILE}),
    "the kind of a thing": json.dumps([{"type": "file", **FILE}]),
    "a false switch": call("write_file", append=False),
    "a mode for the whole file": call("write_file", mode="overwrite"),
    "no lines": call("write_file", start_line=None),
}


@pytest.mark.parametrize("text", PARTIAL.values(), ids=PARTIAL)
def test_a_part_of_a_file_is_left_out_with_a_finding(text: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        process(text)
    assert PARTIAL_WRITE in {finding.code for finding in caught.value.diagnostics}
    # The calls around it are read.
    both = process(f"{call('write_file', path='b.py')}\n\n{text}\n")
    assert [action.path for action in both.document.actions] == ["b.py"]
    assert PARTIAL_WRITE in {finding.code for finding in both.diagnostics}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_a_whole_file_is_written(text: str) -> None:
    result = process(text)
    assert [(action.type, action.path, action.content) for action in result.document.actions] == [
        ("create", "a.py", "x")
    ]


PAIR = {"old_text": "x = 1", "new_text": "x = 2"}
UNNAMED = {
    "a list": [{"path": "a.py", "search": "x = 1", "replace": "x = 2"}],
    "an object": {"file": "a.py", **PAIR},
    "edits of a file": {"path": "a.py", "edits": [PAIR]},
    "edits of files": {"edits": [{"path": "a.py", **PAIR}, {"file": "b.py", "edits": [PAIR]}]},
}


@pytest.mark.parametrize("value", UNNAMED.values(), ids=UNNAMED)
def test_pairs_of_texts_without_a_name_are_edits(value: object) -> None:
    actions = process(json.dumps(value)).document.actions
    assert [(action.type, action.path) for action in actions] == [("edit", "a.py"), ("edit", "b.py")][: len(actions)]
    assert actions and all((edit.old, edit.new) == ("x = 1", "x = 2") for action in actions for edit in action.edits)
    # In prose it may be data.
    with pytest.raises(ProtocolError):
        process(f"The data:\n\n{json.dumps(value)}\n\nAs before.\n")


WORDS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=20)


@given(WORDS, st.dictionaries(WORDS, st.one_of(st.text(max_size=5), st.integers(), st.booleans()), max_size=3))
def test_no_call_of_an_unknown_tool_writes(name: str, arguments: dict[str, Any]) -> None:
    assume(kind_of_tool(name) is None and fold(name) not in load_tools().things)
    document = read_format(json.dumps({"name": name, "arguments": {**arguments, **FILE}}), "json_calls")
    assert not document.actions


PLACES = [name for name, role in load_tools().parameters.items() if role == "part"]


@given(
    st.sampled_from(PLACES),
    st.one_of(st.integers(1), st.text("abc123-", min_size=1)),
    st.sampled_from(["json", "tags"]),
)
def test_no_place_in_a_file_makes_a_whole_file(place: str, value: object, notation: str) -> None:
    assume(str(value).strip("-") not in ("", "0"))
    text = call("write_file", **{place: value})
    if notation == "tags":
        rows = {**FILE, place: value}
        tags = "\n".join(f"<{key}>{text}</{key}>" for key, text in rows.items())
        text = f"<write_to_file>\n{tags}\n</write_to_file>\n"
    document = read_format(text)
    assert not document.actions
    assert {finding.code for finding in document.diagnostics} >= {PARTIAL_WRITE}


def test_a_call_that_writes_nothing_is_only_noted() -> None:
    document = read_format('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>\n')
    codes = {finding.code for finding in document.diagnostics}
    assert UNKNOWN_TOOL in codes and PARTIAL_WRITE not in codes


def test_a_call_that_is_left_out_is_not_certain() -> None:
    """A strict parse is all or nothing: a call beside one that is read may not vanish."""
    whole_text = f"[{call('write_file')}]"
    assert len(parse(whole_text, "json_calls").actions) == 1
    with pytest.raises(ParseError):
        parse(f"[{call('write_file')}, {call('append_file')}]", "json_calls")


@given(st.integers(1, 6))
def test_a_call_that_is_cut_off_in_an_escape_is_kept(length: int) -> None:
    text = '{"name": "write_file", "arguments": {"path": "a.py", "content": "caf'
    [action] = process(text + "\\u00e9"[:length]).document.actions
    assert action.content is not None and action.content.rstrip("\n") in ("caf", "café")
    assert action.completeness is not Completeness.COMPLETE


def test_two_calls_in_one_print_are_two_actions() -> None:
    calls = 'write_file(path="a.py", content="x"), write_file(path="b.py", content="y")'
    actions = process(f"```tool_code\nprint({calls})\n```\n").document.actions
    assert [action.path for action in actions] == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ('filename="b.py"', "repeated-parameter"),
        ('size="9"', "unknown-argument"),
        ('at="1"', "unknown-argument"),
        ('insert-at="4"', "unknown-argument"),
        ('op="append"', "unknown-argument"),
        ('type="delete"', "unknown-argument"),
        ('type="file" title="x" lang="py" append="false"', ""),
        ('name="a.py"', ""),
    ],
)
def test_an_attribute_is_as_an_argument(attributes: str, code: str) -> None:
    for tag in (f'<file path="a.py" {attributes}>', f'<file {attributes} path="a.py">'):
        document = read_format(f"{tag}\nx\n</file>\n", "file_tags")
        assert [action.type for action in document.actions] == ["create"]
        assert [finding.code for finding in document.diagnostics] == ([code] if code else [])
