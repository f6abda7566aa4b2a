"""What the sections of formats mean: verbs, paths, contents, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symops_lark import Completeness, read_format
from symops_lark.core.formats.loading import load_format
from symops_lark.core.formats.meaning import accept, begins_like_edit, find_meanings, is_edit
from symops_lark.core.formats.reader import find_items
from symops_lark.core.formats.tools import Problem

Own = Callable[[str], Path]


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """Return a function that saves the rules of a format, and adds the usual terminals that they have."""
    terminals = {
        "PATH": "/[a-z.]+/",
        "TO": "/[a-z.]+/",
        "TOOL": "/[a-z_]+/",
        "KEY": "/[a-z_]+/",
        "VALUE": "/(.|\\n)*/",
        "CONTENT": "/([^\\n]*\\n)*/",
        "PATCH": "/([^\\n]*\\n)*/",
        "_NL": "/\\n/",
    }

    def save(rules: str) -> Path:
        path = tmp_path / "team.lark"
        lines = [f"{name}: {pattern}" for name, pattern in terminals.items() if name in rules]
        path.write_text("\n".join([rules, *lines]) + "\n", encoding="utf-8")
        return path

    return save


def said(text: str, format: str | Path | None = None) -> list[tuple[str, str, str | None]]:
    return [(action.type, action.path, action.content) for action in read_format(text, format).actions]


def codes(text: str, format: str | Path | None = None) -> list[str]:
    """Return the codes of what is reported, but for text around sections."""
    all_codes = [finding.code for finding in read_format(text, format).diagnostics]
    return [code for code in all_codes if code != "outside-layout"]


def file_tag(content: str, attributes: str = "", tag: str = "file") -> str:
    return f'<{tag} path="a.py"{attributes}>\n{content}</{tag}>\n'


BLOCKS = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"


# ---- whether it is a section


def test_a_call_of_an_unknown_tool_is_reported_if_its_mark_is_long() -> None:
    call = "<function={}>\n<parameter=city>\nRome\n</parameter>\n</function>\n"
    assert codes(call.format("get_weather")) == ["unknown-tool"]
    # A tag with any name may be one of HTML, and an object may be data.
    tags = "<{}>\n<path>a.py</path>\n<content>x</content>\n</{}>\n"
    assert codes(tags.replace("{}", "text_area")) == []
    assert said(tags.replace("{}", "write_file")) == [("create", "a.py", "x")]
    assert codes('{"name": "get_weather", "arguments": {"city": "Rome"}}\n') == []
    assert codes('{"name": "append_to_file", "path": "a.py", "content": "x"}\n') == ["partial-write"]


def test_an_argument_that_lacks_its_end_is_reported_once() -> None:
    text = '{"name": "write_file", "arguments": {"path": "a.py", "content": "x = 1'
    assert said(text) == [("create", "a.py", "x = 1")]
    assert codes(text).count("broken-arguments") == 1


@pytest.mark.parametrize(("path", "is_file"), [("1.2", False), ("10.25", False), ("v1.2", True), ("1.py", True)])
def test_the_number_of_a_version_above_a_fence_is_no_file(path: str, is_file: bool) -> None:
    assert said(f"{path}\n```\nx\n```\n") == ([("create", path, "x")] if is_file else [])
    # Other marks say that it is one.
    assert said(f"cat > {path} << 'EOF'\nx\nEOF\n") == [("create", path, "x")]


# ---- paths and commands


@pytest.mark.parametrize("path", ["src/", " ", "/"])
def test_a_folder_or_no_path_is_not_a_file(path: str) -> None:
    text = file_tag("x\n").replace("a.py", path)
    assert said(text) == [] and codes(text) == ["missing-argument"]


@pytest.mark.parametrize("rule", ["delete", "write", "edit"])
def test_a_grammar_may_let_the_path_out(rule: str, own: Own) -> None:
    rests = {"delete": "_NL", "write": '_NL CONTENT "end" _NL', "edit": '_NL PATCH "end" _NL'}
    format = own(f'document: {rule}*\n{rule}: "do" (" to " PATH)? {rests[rule]}')
    lines = "" if rule == "delete" else "x\nend\n"
    assert [row[1] for row in said(f"do to a.py\n{lines}", format)] == ["a.py"]
    assert said(f"do\n{lines}", format) == []
    # A section of which nothing is known but its mark is text.
    assert codes(f"do\n{lines}", format) == ([] if rule == "delete" else ["missing-argument"])


def test_a_patch_may_have_a_target_and_no_path(own: Own) -> None:
    format = own('document: edit*\nedit: ("move to " TO | "change " PATH) _NL PATCH "end" _NL')
    assert said("change a.py\n-x\n+y\nend\n", format) == [("edit", "a.py", "-x\n+y")]
    assert codes("move to b.py\n-x\n+y\nend\n", format) == ["missing-argument"]


def test_a_command_is_written_without_the_blanks_around_it() -> None:
    assert said("<bash>\n ls -l \n</bash>\n") == [("run", "ls -l", None)]
    for command in ("", " ", "\n"):
        assert said(f"<bash>{command}</bash>\n") == [] and codes(f"<bash>{command}</bash>\n") == ["missing-argument"]


# ---- files


@pytest.mark.parametrize(
    ("attributes", "tag", "verb"),
    [
        ("", "file", "create"),
        ("", "create", "create"),
        ("", "edit", "edit"),
        ("", "update", "edit"),
        (' action="create"', "file", "create"),
        (' action="write"', "edit", "create"),
        (' action="update"', "file", "edit"),
        (' action="update"', "create", "edit"),
        (' action="delete"', "file", "delete"),
        (' action="append"', "file", ""),
        (' mode="insert"', "edit", ""),
        (' action="run"', "file", ""),
        (' lines="2-3"', "edit", ""),
    ],
)
def test_a_tag_and_its_attributes_say_what_to_do(attributes: str, tag: str, verb: str) -> None:
    text = file_tag("x = 1\n", attributes, tag)
    if verb:
        content = None if verb == "delete" else "x = 1"
        assert said(text) == [(verb, "a.py", content)] and codes(text) == []
    else:
        assert said(text) == [] and codes(text) == ["partial-write"]


def test_a_content_in_a_notation_for_edits_is_an_edit() -> None:
    assert said(file_tag(BLOCKS)) == [("edit", "a.py", BLOCKS.rstrip())]
    assert said(file_tag("x = 1\n" * 8 + BLOCKS)) == [("create", "a.py", "x = 1\n" * 8 + BLOCKS.rstrip())]
    # A page may be about blocks.
    page = f"# Edits\n\n{BLOCKS}"
    assert is_edit(page, "a.md") == (said(file_tag(page)) == [("edit", "a.py", page.rstrip())])


@pytest.mark.parametrize("sign", ["SEARCH", "ORIGINAL", "@@", "*** Begin"])
def test_an_edit_shows_in_the_first_lines(sign: str) -> None:
    for count in (0, 7):
        for blank in ("", "\n\n  "):
            assert begins_like_edit(blank + "x\n" * count + f"{sign}\nx\n")
    assert not begins_like_edit("x\n" * 8 + f"{sign}\n")
    assert not begins_like_edit("x = 1\n***\nsearch @ original\n")


def test_lines_with_a_plus_are_a_file() -> None:
    diff = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,3 @@\n+x\n+\n++y\n\\ No newline at end of file\n"
    assert said(diff) == [("create", "a.txt", "x\n\n+y")]
    patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n+ \\y\n*** End Patch\n"
    assert said(patch) == [("create", "a.txt", "x\n \\y")]


def test_the_first_indented_line_says_the_depth(own: Own) -> None:
    rules = 'document: write*\nwrite: "- " PATH _NL INDENTED "end" _NL\nINDENTED: /([ ][^\\n]*\\n|\\n)*/'
    text = "- a.py\n   x:\n     y\n\n  z\n"
    assert said(text + "end\n", own(rules)) == [("create", "a.py", "x:\n  y\n\nz")]


def test_a_patch_that_moves_its_file_keeps_its_head() -> None:
    head = "*** Update File: a.py\n*** Move to: b.py\n"
    body = "@@\n-x = 1\n+x = 2\n"
    text = f"*** Begin Patch\n{head}{body}*** End Patch\n"
    assert said(text) == [("edit", "a.py", text.rstrip())]
    # Without a target, only the lines are the patch; empty ones after them are prose.
    assert said(f"*** Begin Patch\n*** Update File: a.py\n{body}*** End Patch\n") == [("edit", "a.py", body.rstrip())]
    assert said(f"*** Update File: a.py\n{body}\n\nIt is done.\n") == [("edit", "a.py", body.rstrip())]


# ---- pairs


def test_blocks_keep_their_marks() -> None:
    for marks in (BLOCKS, BLOCKS + "\n" + BLOCKS.replace("x", "y")):
        text = f"It is in\n\n```python\na.py\n{marks}```\nand done.\n"
        assert said(text) == [("edit", "a.py", marks.rstrip())]
    document = read_format("a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n")
    (action,) = document.actions
    assert action.completeness is Completeness.TRUNCATED
    assert action.content == "<<<<<<< SEARCH\nx = 1\n=======\nx = 2"


def test_a_pair_that_searches_for_nothing_is_a_new_file() -> None:
    def pair(old: str, new: str) -> str:
        return f"<file>a.py</file>\n<original>{old}</original>\n<patched>{new}</patched>\n"

    assert said(pair("", "\nx = 1\n")) == said(pair("\n \n", "\nx = 1\n")) == [("create", "a.py", "x = 1")]
    (action,) = read_format(pair("\nx = 1\n", "\n\n")).actions
    assert (action.type, [(edit.old, edit.new, edit.lines) for edit in action.edits]) == (
        "edit",
        [("x = 1", "", False)],
    )
    blocks = BLOCKS.replace("x = 1\n", "")
    assert said(f"a.py\n{blocks}") == [("create", "a.py", "x = 2")]
    # A second block that searches for something makes an edit of both.
    assert said(f"a.py\n{blocks}{BLOCKS}")[0][0] == "edit"


# ---- calls


def test_a_call_may_have_no_tool(own: Own) -> None:
    format = own('document: call*\ncall: "call!" (" " TOOL)? _NL ("[" KEY "=" VALUE "]" _NL)+ "end" _NL')
    arguments = "[path=a.py]\n[content=x]\nend\n"
    assert said(f"call! write_file\n{arguments}", format) == [("create", "a.py", "x")]
    assert said(f"call!\n{arguments}", format) == []
    assert codes(f"call!\n{arguments}", format) == ["partial-write"]
    assert codes("call!\n[city=Rome]\nend\n", format) == ["unknown-tool"]


def test_each_value_belongs_to_the_key_before_it_and_the_first_counts() -> None:
    call = "<tool_call>write_file\n{}</tool_call>\n"
    pair = "<arg_key>{}</arg_key>\n<arg_value>{}</arg_value>\n"
    rows = [("path", "a.py"), ("content", "x"), ("content", "y")]
    text = call.format("".join(pair.format(*row) for row in rows))
    assert said(text) == [("create", "a.py", "x")]
    assert codes(text) == ["repeated-parameter"]


def test_each_value_of_json_belongs_to_the_tool_before_it() -> None:
    text = (
        '<|tools_prefix|>[{"write_file": {"path": "a.py", "content": "x"}}, {"delete_file": {"path": "b.py"}}]'
        "<|tools_suffix|>\n"
    )
    assert said(text) == [("create", "a.py", "x"), ("delete", "b.py", None)]
    # Arguments are an object.
    assert codes('Action: write_file\nAction Input: ["a.py", "x"]\n') == ["missing-argument"]
    assert codes("[write_file(path=a, content=f())]\n") in ([], ["broken-section"])


def test_only_alone_an_object_without_a_name_is_a_call() -> None:
    text = '{"path": "a.py", "content": "x"}\n'
    assert said(text) == [("create", "a.py", "x")]
    for around in ("Well.\n\n{}", "{}\nWell.\n"):
        assert said(around.format(text)) == []
    # It needs what belongs into the file.
    for code, value in (("unknown-tool", '{"path": "a.py"}'), ("unknown-tool", '{"content": "x"}')):
        assert codes(f"<tool_call>\n{value}\n</tool_call>\n") == [code]


def test_a_value_that_cannot_be_completed_is_no_doubt_but_a_broken_section() -> None:
    text = '<tool_call>\n{"name": "write_file", "arguments": {"path": }}\n</tool_call>\n'
    assert codes(text) == ["broken-section"]
    (item,) = find_items(text, load_format("hermes_json").sections, accept)
    assert find_meanings(text, item) == [Problem("broken-section")]
    assert item.doubts == [] and not item.is_truncated


# ---- indentation


def indented(fence: str, *lines: str) -> str:
    return "\n".join(["1. `a.py`", "", f"   {fence}", *lines, f"   {fence}", ""])


@pytest.mark.parametrize(
    ("lines", "content"),
    [
        (("   x = 1", "     y"), "x = 1\n  y"),
        (("   x = 1", "", "   y"), "x = 1\n\ny"),
        (("   x = 1", " ", "   y"), "x = 1\n\ny"),
        # One line that is not indented as the fence is leaves all as it is.
        (("   x = 1", "  y"), "   x = 1\n  y"),
        (("x = 1", "  y"), "x = 1\n  y"),
    ],
)
def test_the_indentation_of_a_fence_is_taken_off_its_lines(lines: tuple[str, ...], content: str) -> None:
    text = indented("```", *lines)
    assert said(text) == [("create", "a.py", content)]
    assert "indented-section" not in codes(text)


def test_the_indentation_of_a_tag_is_taken_off_with_a_doubt() -> None:
    text = '  <file path="a.py">\n  x = 1\n    y\n  </file>\n'
    (action,) = read_format(text).actions
    assert action.content == "x = 1\n  y"
    assert action.completeness is Completeness.SUSPECT
    assert codes(text) == ["indented-section"]
    # Of a content that begins in the line of the mark, the further lines are looked at.
    assert said('  <file path="a.py">x = 1\n    y\n  </file>\n') == [("create", "a.py", "x = 1\n  y")]
    single = '  <file path="a.py">x = 1</file>\n'
    assert said(single) == [("create", "a.py", "x = 1")] and codes(single) == []
    # A line that is indented less leaves all as it is.
    assert said(text.replace("    y", " y")) == [("create", "a.py", "  x = 1\n y")]


@pytest.mark.parametrize(
    ("opener", "content", "meant", "code"),
    [
        ("cat > a.sh <<-EOF", "\tx\n\t\ty  z", "x\ny  z", ""),
        ("cat > a.sh <<EOF", "\tx", "\tx", ""),
        ("cat > a.sh <<EOF", "echo $USER", "echo $USER", "expanded-text"),
        ("cat > a.sh <<EOF", "a\\b", "a\\b", "expanded-text"),
        ("cat <<EOF > a.sh", "`ls`", "`ls`", "expanded-text"),
        ("cat > a.sh << 'EOF'", "echo $USER", "echo $USER", ""),
        ('cat <<-"EOF" > a.sh', "\techo $USER", "echo $USER", ""),
    ],
)
def test_a_here_document_is_what_a_shell_writes(opener: str, content: str, meant: str, code: str) -> None:
    document = read_format(f"{opener}\n{content}\nEOF\n", "heredoc")
    assert [action.content for action in document.actions] == [meant]
    assert [finding.code for finding in document.diagnostics] == ([code] if code else [])


@pytest.mark.parametrize("opener", ["cat > a.sh <<-EOF", "cat <<-'EOF' > a.sh", 'cat >a.sh <<- "EOF"'])
def test_the_end_of_a_here_document_may_follow_tabs(opener: str) -> None:
    """The shell takes the tabs off the last line, too, but only after `<<-`."""
    (action,) = read_format(f"{opener}\n\tif x\n\t\tEOFX\n\t\tEOF\n", "heredoc").actions
    assert (action.content, action.completeness) == ("if x\nEOFX", Completeness.COMPLETE)
    plain = opener.replace("<<-", "<<")
    (action,) = read_format(f"{plain}\n\tx\n\tEOF\ny\nEOF\n", "heredoc").actions
    assert action.content == "\tx\n\tEOF\ny"
