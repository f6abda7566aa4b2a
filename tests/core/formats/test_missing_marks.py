"""Replies in which one mark is missing, doubled or in capitals: nothing is lost or wrong unsaid."""

from __future__ import annotations

import re
from functools import cache

import pytest

from symops_lark import ProtocolError, process
from symops_lark.core.document import Action, Completeness, Document
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import formats
from symops_lark.core.formats.writer import write_format
from symops_lark.core.ground.errors import RenderError

FILES = {"src/a.py": "import os\n\ndef one():\n    return 1", "src/b.py": "def two():\n    return [2]"}
_MARK = re.compile(r"</?[^<>\n]+>|^```.*$|^cat .*$|\*\*\*[^\n]*|^EOF$", re.MULTILINE)
COMPLETE = Completeness.COMPLETE
# What only says that a text is outside of the actions says nothing about what is in it.
_AROUND = ("outside-layout", "stray-text")


@cache
def _write(name: str) -> str:
    """Return a reply in a format that writes both files; "" if the format cannot."""
    texts: list[str] = []
    for path, content in FILES.items():
        try:
            text = write_format(Document((Action("create", path, content),)), name)
        except RenderError:
            return ""
        texts.append(f"{text}\n")
    return "".join(texts)


WRITING = [name for name in formats() if _write(name)]
CLOSED = {
    "deepseek_v3": "<｜tool▁call▁end｜>",
    "functionary": "</function>",
    "harmony": "<|call|>",
    "hermes_json": "</tool_call>",
    "hunyuan": "```\n</tool_call>",
    "kimi_k2": "<|tool_call_end|>",
    "named_calls": "</arguments>",
}


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("format", ["auto", "by name"])
def test_a_call_in_json_without_its_closing_mark_costs_no_other(name: str, format: str) -> None:
    text = _write(name)
    damaged = text.replace(CLOSED[name], "", 1)
    assert damaged != text
    document = process(damaged, name if format == "by name" else "auto").document
    assert {action.path: action.content for action in document.actions} == FILES
    first, second = document.actions
    assert first.completeness is Completeness.SUSPECT
    assert first.confidence == 0.5
    assert second.completeness is Completeness.COMPLETE


@pytest.mark.parametrize("name", [*CLOSED, "mistral", "react"])
def test_a_broken_value_costs_no_other_call(name: str) -> None:
    damaged = _write(name).replace('{"', '{""', 1)
    document = read_format(damaged, name)
    assert [action.path for action in document.actions] == ["src/b.py"]
    assert document.actions[0].content == FILES["src/b.py"]
    assert {finding.code for finding in document.diagnostics}.difference(_AROUND)


@pytest.mark.parametrize("name", CLOSED)
def test_a_call_that_breaks_off_in_its_value_costs_no_other(name: str) -> None:
    """Neither the end of the value nor the mark after it is there."""
    text = _write(name)
    value = text.index("return 1")
    second = text.index(text[: text.index("src/a.py")].lstrip("\n").split("\n")[0], value)
    damaged = text[:value] + "\n" + text[second:]
    document = read_format(damaged, name)
    contents = {action.path: action.content for action in document.actions}
    assert contents["src/b.py"] == FILES["src/b.py"]
    assert document.actions[-1].completeness is Completeness.COMPLETE
    assert {finding.code for finding in document.diagnostics}.difference(_AROUND)


@pytest.mark.parametrize("name", ["wri", "write_f", "write_file"])
def test_a_call_that_breaks_off_in_the_name_of_its_tool_is_reported(name: str) -> None:
    """What is left of the name is no tool that is merely unknown."""
    second = _write("hermes_json")
    result = process(f'<tool_call>\n{{"name": "{name}\n{second}', "hermes_json")
    assert {action.path: action.content for action in result.document.actions} == FILES
    code = "missing-argument" if name == "write_file" else "broken-section"
    assert [finding.code for finding in result.diagnostics if finding.severity != "note"] == [code]


CUT_OFF_IN_THE_PATH = {
    "glm": "<arg_value>src/a",
    "invoke_xml": ">src/a",
    "qwen_xml": "<parameter=path>\nsrc/a",
    "step": ">src/a",
}


@pytest.mark.parametrize("format", ["auto", "by name"])
@pytest.mark.parametrize("name", CUT_OFF_IN_THE_PATH)
def test_a_call_that_breaks_off_in_its_path_costs_no_other(name: str, format: str) -> None:
    text = _write(name)
    second = text.index(text.lstrip("\n").split("\n")[0], 5)
    opener = CUT_OFF_IN_THE_PATH[name]
    damaged = text[: text.index(opener) + len(opener)] + "\n" + text[second:]
    result = process(damaged, name if format == "by name" else "auto")
    assert {action.path: action.content for action in result.document.actions} == {"src/b.py": FILES["src/b.py"]}
    assert "broken-section" in {finding.code for finding in result.diagnostics}


NOT_CLOSED = [
    ("glm", "</tool_call>\n"),
    ("invoke_xml", "</invoke>\n"),
    ("qwen_xml", "</function>\n"),
    ("qwen_xml", "</function>\n</tool_call>\n"),
    ("step", "</steptml:invoke>\n"),
    ("step", "<｜tool_call_end｜>\n"),
    ("tag_calls", "</write_file>\n"),
]


@pytest.mark.parametrize("format", ["auto", "by name"])
@pytest.mark.parametrize(("name", "end"), NOT_CLOSED)
def test_a_call_whose_content_has_its_end_costs_no_other(name: str, end: str, format: str) -> None:
    text = _write(name)
    damaged = text.replace(end, "", 1)
    assert damaged != text
    result = process(damaged, name if format == "by name" else "auto")
    first, second = result.document.actions
    assert {first.path: first.content, second.path: second.content} == FILES
    assert (first.completeness, first.confidence) == (Completeness.SUSPECT, 0.5)
    assert second.completeness is Completeness.COMPLETE
    assert [finding.code for finding in result.diagnostics if finding.code not in _AROUND] == ["no-closing-mark"]


@pytest.mark.parametrize("format", ["auto", "by name"])
@pytest.mark.parametrize("name", sorted({name for name, _ in NOT_CLOSED}))
def test_a_content_with_a_call_and_no_mark_before_it_is_not_divided(name: str, format: str) -> None:
    """It may be a page about such calls, so the model is asked."""
    text = _write(name)
    cut = text.index("return 1")
    second = text.index(text.lstrip("\n").split("\n")[0], cut)
    result = process(text[:cut] + "\n" + text[second:], name if format == "by name" else "auto")
    (action,) = result.document.actions
    assert (action.path, action.completeness) == ("src/a.py", Completeness.SUSPECT)
    assert "holds-another-section" in {finding.code for finding in result.diagnostics}


def test_a_call_is_not_the_key_of_a_parameter() -> None:
    """A known tool is a key where no call begins with it."""
    arguments = {"path": "a.py", "create_file": "x", "content": "y"}
    tags = "".join(f"<{key}>\n{value}\n</{key}>\n" for key, value in arguments.items())
    document = read_format(f"<write_file>\n{tags}</write_file>\n", "tag_calls")
    assert [(action.path, action.content) for action in document.actions] == [("a.py", "y")]
    assert {finding.code for finding in document.diagnostics}.isdisjoint(("holds-another-section", "no-closing-mark"))


@pytest.mark.parametrize(
    "call",
    [
        # A tag in a value is no call of a tool that is known.
        "<replace_in_file>\n<path>a.html</path>\n<old_text>\n<div>\n</old_text>\n<new_text>\n<p>\n</new_text>\n"
        "</replace_in_file>\n",
        # The call itself begins the line of the key.
        "<write_file><path>a.py</path><create_file>x</create_file></write_file>\n",
    ],
)
def test_the_tags_of_a_call_are_not_another_one(call: str) -> None:
    assert "holds-another-section" not in {finding.code for finding in read_format(call, "tag_calls").diagnostics}


@pytest.mark.parametrize("content", ["x", "x\n", "\nx\n\n", "x\n\n", "\n\nx"])
@pytest.mark.parametrize(("name", "end"), NOT_CLOSED)
def test_the_content_of_a_call_without_its_end_has_the_same_lines(name: str, end: str, content: str) -> None:
    text = _write(name).replace(FILES["src/a.py"], content)
    damaged = text.replace(end, "", 1)
    contents = [read_format(reply, name).actions[0].content for reply in (text, damaged)]
    assert contents[0] == contents[1]


def test_a_call_that_an_unknown_tool_quotes_is_none() -> None:
    quoted = _write("invoke_xml").partition("</invoke>")[0] + "</invoke>"
    reply = f'<invoke name="think">\n<parameter name="thought">I use {quoted} now.</parameter>\n</invoke>\n'
    for format in ("auto", "invoke_xml"):
        with pytest.raises(ProtocolError):
            process(reply, format)


PATCH = "*** Begin Patch\n*** Add File: a.py\n+x\n*** {}\n*** Begin Patch\n*** Add File: b.py\n+y\n*** End Patch\n"


@pytest.mark.parametrize("format", ["apply_patch", "auto"])
@pytest.mark.parametrize(
    ("between", "doubted"),
    [
        ("Add File: c.py\n+z", ["c.py"]),
        ("Update File: c.py\n@@\n-z\n+w", ["c.py"]),
        ("Add File: c.py\n+z\n\nThe other one:\n", ["c.py"]),
        ("End Patch", []),
        ("Add File: c.py\n+z\n*** End Patch\nThe other one:", []),
        ("Delete File: c.py", []),
    ],
)
def test_a_patch_that_begins_before_the_last_one_ended_shows_that_this_was_cut_off(
    format: str, between: str, doubted: list[str]
) -> None:
    result = process(PATCH.format(between), format)
    suspects = [action.path for action in result.document.actions if action.completeness is Completeness.SUSPECT]
    assert suspects == doubted
    assert [finding.code for finding in result.diagnostics if finding.code == "no-closing-mark"] == [
        "no-closing-mark" for _ in doubted
    ]


@pytest.mark.parametrize("format", ["json_calls", "auto"])
@pytest.mark.parametrize("opener", ["", "```json\n"])
def test_bare_json_that_is_cut_off_is_a_truncated_action(format: str, opener: str) -> None:
    call = '{"name": "write_file", "arguments": {"path": "a.py", "content": "x = 1'
    document = process(opener + call, format).document
    assert [(action.path, action.content) for action in document.actions] == [("a.py", "x = 1")]
    assert document.actions[0].completeness is Completeness.TRUNCATED


def test_the_error_of_a_named_format_says_why_there_is_no_action() -> None:
    with pytest.raises(ProtocolError) as caught:
        process('<tool_call>\n{"name": write_file}\n</tool_call>\n', "hermes_json")
    assert "broken-section" in {finding.code for finding in caught.value.diagnostics}


def _damage(text: str, start: int, end: int) -> list[str]:
    mark = text[start:end]
    forms = ("", mark * 2, mark[:-1], mark.swapcase())
    return [text[:start] + form + text[end:] for form in forms if form != mark]


@pytest.mark.parametrize("name", WRITING)
def test_nothing_is_lost_or_wrong_without_a_finding(name: str) -> None:
    text = _write(name)
    damaged = [form for mark in _MARK.finditer(text) for form in _damage(text, *mark.span())]
    silent: list[str] = []
    for reply in damaged:
        for format in (None, name):
            document = read_format(reply, format)
            if {finding.code for finding in document.diagnostics}.difference(_AROUND):
                continue
            if any(action.completeness is not COMPLETE for action in document.actions):
                continue
            table = {action.path: action.content for action in document.actions}
            # A path that lost its last letter is another path.
            if table != FILES and table.keys() <= FILES.keys():
                silent.append(reply)
    assert not silent
