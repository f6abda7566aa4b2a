"""Marks in what was read, and marks from which nothing could be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symops_lark import Completeness, process, read_format
from symops_lark.core.formats.sections import find_places
from symops_lark.core.grammar.format_messages import MESSAGES

Own = Callable[[str], Path]


def reports(text: str, format: str | Path | None = None) -> list[tuple[str, str]]:
    """Return what is reported, but for text around sections: the code and the first line of the place."""
    return [
        (finding.code, text[finding.span.start : finding.span.end].partition("\n")[0])
        for finding in read_format(text, format).diagnostics
        if finding.code != "outside-layout"
    ]


def codes(text: str, format: str | Path | None = None) -> set[str]:
    return {code for code, _ in reports(text, format)}


def file_tag(content: str, path: str = "a.py") -> str:
    return f'<file path="{path}">\n{content}\n</file>\n'


# ---- contents


@pytest.mark.parametrize(
    ("text", "is_marked"),
    [
        (file_tag("x = 1"), False),
        (file_tag("x > 1"), False),
        ('<file path="a.py">>x = 1\n</file>\n', True),
        ('<file path="a.py">">x = 1\n</file>\n', True),
        ('<file path="a.py">\nx = 1</</file>\n', True),
        ('<file path="a.py">\nx = 1<</file>\n', True),
        ('<file path="a.py">\nx >= "</file>\n', False),
        ('<file path="a.py"><p>\n</file>\n', False),
        # Its opener is there twice.
        ('<file path="a.py">\n<file path="a.py">\nx = 1\n</file>\n', True),
        # A mark at an end, and a closing one anywhere.
        (file_tag("</file_x>\nx = 1"), False),
        ('<create path="a.py">\nx = 1\n</file>\ny = 2\n</create>\n', True),
        (file_tag("x = 1\n<content>\ny = 2"), False),
    ],
)
def test_marks_in_a_content_are_doubted(text: str, is_marked: bool) -> None:
    assert ("mark-in-content" in codes(text, "file_tags")) == is_marked
    (action,) = read_format(text, "file_tags").actions
    assert (action.completeness is Completeness.SUSPECT) == is_marked
    assert (action.confidence <= 0.5) == is_marked


def test_only_the_ends_of_a_content_are_looked_at_for_opening_marks() -> None:
    def is_marked(content: str) -> bool:
        text = f"<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\n{content}\n"
        return "mark-in-content" in codes(f"{text}</parameter>\n</function>\n", "qwen_xml")

    long = "x" * 300
    for count, is_near in ((0, True), (1, True), (100, True), (250, False)):
        blanks = "\n" * count
        assert is_marked(f"{blanks}<parameter=\n{long}") == is_marked(f"{long}\n<parameter={blanks}") == is_near
    assert not is_marked(f"x\n<parameter=\n{long}") and not is_marked(f"{long}<parameter=\nx")


def test_a_content_with_another_section_may_be_two() -> None:
    inner = '<file path="b.py">'
    assert "another-section" in " ".join(codes(file_tag(f"x = 1\n{inner}\ny = 2"), "file_tags"))
    assert "another-section" not in " ".join(codes(file_tag("x = 1\n<files>\ny = 2"), "file_tags"))
    # A shorter fence does not end one, and so it may be in it.
    fenced = "a.md\n````\nb.py\n```\nx\n```\n````\n"
    assert codes(fenced) == {"file-without-verb"}
    assert "file-without-verb" in MESSAGES


def test_a_parameter_that_occurs_twice_is_doubted_once_for_each() -> None:
    pair = "<arg_key>{}</arg_key>\n<arg_value>{}</arg_value>\n"
    for names, count in (
        (("path", "content"), 0),
        (("path", "content", "path"), 1),
        (("path", "content", *["path"] * 2), 2),
    ):
        text = "<tool_call>write_file\n" + "".join(pair.format(name, "x") for name in names) + "</tool_call>\n"
        assert [code for code, _ in reports(text)].count("repeated-parameter") == count


def test_a_mark_in_a_path_is_doubted() -> None:
    assert codes("<bash>ls</bash>\n", "file_tags") == set()
    text = "*** Begin Patch\n*** Delete File: a.py *** End Patch\n*** End Patch\n"
    assert "mark-in-content" in codes(text, "apply_patch")


# ---- what is left


def test_places_may_overlap() -> None:
    assert list(find_places("aaaba", "aa")) == [0, 1]
    assert list(find_places("aaaba", "c")) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Action: look\n\nIt looks.\n", ["Action: look"]),
        ("  Action: look\n", ["Action: look"]),
        ("An Action: look\n", []),
        ("<tool_call>\nWell.\n", ["<tool_call>"]),
        ("Well.\n</file>\n", ["</file>"]),
        ("Well.\n  </create_file> so\n", ["  </create_file> so"]),
        ("Well.\n</p>\n", []),
        ('{"name": "write_file", }\n', ['{"name": "write_file", }']),
        ('{"name": "get_weather", }\n', []),
        ("[write_file(path=]\n", ["write_file(path=]"]),
        ("[frobnicate(path=]\n", []),
        ("    [write_file(path=]\n", []),
    ],
)
def test_a_mark_that_begins_a_line_may_be_a_lost_section(text: str, lines: list[str]) -> None:
    assert [line for code, line in reports(text) if code == "broken-section"] == lines


def test_a_known_tool_behind_a_short_mark_may_be_a_lost_call(own: Own) -> None:
    format = own('document: call*\ncall: "!" TOOL _NL JSON "end"\nTOOL: /[a-z_]+/\nJSON: /(.|\\n)*/\n_NL: /\\n/\n')
    good = '!write_file\n{"path": "a.py", "content": "x"}\nend\n'
    assert [action.path for action in read_format(good, format).actions] == ["a.py"]
    text = "Well.\n!write_file\n{a}\nend\n!get_weather\n{a}\nend\n!bash\n{a}\nend\n"
    assert reports(text, format) == [("broken-section", "!write_file"), ("broken-section", "!bash")]


def test_what_is_in_a_section_is_not_lost() -> None:
    text = file_tag("Action: look\n<tool_call>", "a.md")
    assert "broken-section" not in codes(text)
    assert reports(f"{text}<tool_call>\n")[-1] == ("broken-section", "<tool_call>")
    assert reports(f"<tool_call>\n{text}")[0] == ("broken-section", "<tool_call>")


@pytest.mark.parametrize(
    ("left", "is_lost"),
    [
        ("</patched>", True),
        ("Well. </original>", True),
        ("<original> x", True),
        ("x <original> y", False),
        ("Well.", False),
    ],
)
def test_in_a_format_that_is_used_a_mark_at_an_end_of_a_line_is_lost(left: str, is_lost: bool) -> None:
    section = "<file>a.py</file>\n<original>\nx\n</original>\n<patched>\ny\n</patched>\n"
    for text in (f"{section}\n{left}\n", f"{left}\n\n{section}", f"{section}\n{left}\n\n{section.replace('a', 'b')}"):
        document = read_format(text, "original_patched")
        lost = [finding for finding in document.diagnostics if finding.code == "broken-section"]
        assert bool(lost) == is_lost
        assert all(text[finding.span.start : finding.span.end] == left for finding in lost) and len(lost) <= 1


def test_the_word_at_the_end_of_a_text_is_a_mark_if_it_is_the_line() -> None:
    section = "cat > a.py << 'EOF'\nx\nEOF\n"
    assert "broken-section" in codes(f"{section}\nEOF\n")
    assert "broken-section" not in codes(f"{section}\nEOF is the end.\n")
    assert "broken-section" not in codes("EOF\n")


def test_the_tags_of_a_call_are_marks_beside_it() -> None:
    call = "<write_file>\n<path>a.py</path>\n<content>x</content>\n</write_file>\n"
    for line, is_lost in (("</content>", True), ("</write_file>", True), ("<path> b", True), ("</p>", False)):
        assert ("broken-section" in codes(f"{call}\nWell.\n{line}\n", "tag_calls")) == is_lost


def test_fences_that_are_paired_wrongly_end_with_a_name() -> None:
    text = "Look:\n\n```\ncode\n{}a.py\n```\nx = 1\n```\n\nThe end.\n"
    for further in ("", "more\n", "b\n\n"):
        assert ("broken-section", "```") in reports(text.format(further))
    # One line is the name alone, too; other words are none.
    assert ("broken-section", "```") in reports("Look:\n\n```\na.py\n```\nx = 1\n```\n\nThe end.\n")
    assert "broken-section" not in codes("Look:\n\n```\ncode\nIt works\n```\n\nThe end.\n")


def test_a_sample_may_have_no_content(own: Own) -> None:
    format = own(
        'document: (write | sample)*\nwrite: "put " PATH _NL CONTENT "end" _NL\n'
        'sample: "% " TAG _NL | "%%" _NL CONTENT "%%" _NL\nPATH: /[a-z.]+/\nTAG: /[a-z]+/\n'
        "CONTENT: /([^\\n]*\\n)*/\n_NL: /\\n/\n"
    )
    assert reports("% x\n", format) == [("no-file-named", "% x")]
    assert reports("%%\nx\n%%\n", format) == [("no-file-named", "%%")]


@pytest.mark.parametrize(
    ("old", "is_doubted"),
    [
        ("a/src/a.py", False),
        ("src/a.py", False),
        ("a/src/a.py\t2026-01-02 03:04:05", False),
        ("a/src/b.py", True),
        ("dev/null", True),
        ("src/a.py.orig", False),
        ("a/src/a.py2", True),
    ],
)
def test_the_headings_of_a_diff_name_one_file(old: str, is_doubted: bool) -> None:
    diff = f"--- {old}\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"
    result = process(diff, "unified_diff")
    assert [action.path for action in result.document.actions] == ["src/a.py"]
    assert [finding.code for finding in result.diagnostics] == (["two-file-names"] if is_doubted else [])


@pytest.mark.parametrize(
    "text",
    [
        "--- /dev/null\n+++ +++ b/a.py\n@@ -0,0 +1 @@\n+x\n",
        "*** Begin Patch\n*** Add File: *** Add File: a.py\n+x\n*** End Patch\n",
    ],
)
def test_a_mark_that_is_there_twice_is_no_certain_path(text: str) -> None:
    (action,) = process(text).document.actions
    assert action.completeness is Completeness.SUSPECT


@pytest.mark.parametrize("between", ["Observation: a.py", "Observation: a.py\nThought: y", "観察：a.py\n思考：y"])
def test_an_action_after_an_invented_observation_is_doubted(between: str) -> None:
    calls = [f'Action: bash\nAction Input: {{"command": "{command}"}}\n' for command in ("ls", "rm a.py")]
    result = process(f"Thought: x\n{calls[0]}{between}\n{calls[1]}", "auto")
    states = [action.completeness for action in result.document.actions]
    assert states == [Completeness.COMPLETE, Completeness.SUSPECT] and result.confidence == 0.5
    assert "invented-turn" in {finding.code for finding in result.diagnostics}
