"""Fences without a file's name that are meant as edits, and what a shell does beside its files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Action, Completeness, Document, ProtocolError, process, read_format, write_format

BLOCK = "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n"
DIFF = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
READ = {"search_replace": f"a.py\n```python\n{BLOCK}```\n", "unified_diff": f"```diff\n{DIFF}```\n"}
FILE = "cat > a.py <<'EOF'\na = 1\nEOF\n"
# Beginnings of fences that mean an edit of a file that is named elsewhere, and their formats.
MEANT = (
    (BLOCK, "search_replace"),
    ("\n<<<<<<<< SEARCH\na\n", "search_replace"),
    ("--- a.py\n+++ a.py\n-a = 2\n+a = 3\n", "unified_diff"),
    ("@@ -8 +8 @@\n-b\n+c\n", "unified_diff"),
    ("@@\n-b\n+c\n", "unified_diff"),
)


def codes(text: str, format: str | None = None) -> list[str]:
    rows = [finding.code for finding in read_format(text, format).diagnostics]
    return sorted(set(rows) - {"outside-layout"})


# ---- fences


@given(st.sampled_from(sorted(READ)), st.sampled_from(MEANT), st.sampled_from(["", "python", "diff"]))
def test_an_edit_in_a_fence_without_a_name_is_reported(first: str, meant: tuple[str, str], info: str) -> None:
    inner, name = meant
    text = f"{READ[first]}\nAnd this one:\n\n```{info}\n{inner}```\n"
    document = read_format(text)
    assert len(document.actions) == 1
    (lost,) = (finding for finding in document.diagnostics if finding.code == "broken-section")
    assert f"format {name} begins" in lost.message
    assert text[lost.span.start : lost.span.end].strip() in inner
    assert "no-file-named" not in codes(text)


@pytest.mark.parametrize("inner", ["a = 1\n", "---\ntitle: x\n", "--- x\n", "- a\n+ b\n", ""])
def test_another_fence_without_a_name_is_a_sample(inner: str) -> None:
    assert codes(f"{READ['unified_diff']}\nAs in\n\n```text\n{inner}```\n") == ["no-file-named"]


def test_headings_of_a_diff_without_a_hunk_are_reported_in_its_format() -> None:
    text = f"{READ['unified_diff']}\n```diff\n--- b.py\n+++ b.py\n-a\n+b\n```\n"
    assert codes(text, "unified_diff") == ["broken-section"]
    assert codes("--- b.py\n+++ b.py\n-a\n+b\n") == ["broken-section"]


def test_a_reply_without_any_action_says_what_was_meant() -> None:
    with pytest.raises(ProtocolError) as caught:
        process(f"Change this:\n\n```python\n{BLOCK}```\n")
    assert "broken-section" in [finding.code for finding in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("info", "path"),
    [
        ('tsx project="Demo" file="app/page.tsx" type="react"', "app/page.tsx"),
        ('py title="a.py" linenums="1"', "a.py"),
        ('py title="a.py"', "a.py"),
    ],
)
def test_a_fence_may_have_more_attributes_than_the_name(info: str, path: str) -> None:
    (action,) = read_format(f"```{info}\nx = 1\n```\n").actions
    assert (action.path, action.content) == (path, "x = 1")


def test_a_fence_with_a_name_that_cannot_be_read_is_reported() -> None:
    assert codes("```py {3} file=[a.py]\nx = 1\n```\n") == ["broken-section"]


@pytest.mark.parametrize(
    "script", ["cat >> a.py <<'EOF'\nb\nEOF\n", f"cd web\n{FILE}", "sudo tee a <<EOF\nb\nEOF\nls\n"]
)
def test_a_script_with_files_that_is_left_out_is_reported(script: str) -> None:
    text = f"```bash\n{FILE}```\n\nThen:\n\n```bash\n{script}```\n\nDone.\n"
    document = read_format(text)
    assert len(document.actions) == 1
    assert codes(text) == ["broken-section", "file-without-verb"]
    # A script without a file is a sample.
    assert codes(text.replace(script, "ls <<< x\n")) == ["file-without-verb", "no-file-named"]


# ---- lines of a shell


@pytest.mark.parametrize(
    "text",
    [
        f"cd backend\n{FILE}",
        f"cd backend && npm install\n\n{FILE}",
        f"First, the folder:\ncd backend\n\nNow the file.\n\n{FILE}",
        f"{FILE}chmod +x a.py\n./a.py\n",
        f"{FILE}\ngit add .\ngit commit -m x\n",
        f"{FILE}cat >> b.py <<'END'\nb\nEND\n",
        f"$ cd ..\n{FILE}",
    ],
)
@pytest.mark.parametrize("format", [None, "heredoc"])
def test_commands_beside_a_file_are_doubted(text: str, format: str | None) -> None:
    action, *_ = read_format(text, format).actions
    assert action.completeness is Completeness.SUSPECT
    assert "left-out-command" in codes(text, format)


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        f"Here is the file:\n{FILE}\nThen run it.\n",
        f"mkdir -p web\n{FILE}\n# a comment\n{FILE.replace('a.py', 'b.py')}",
        f"```bash\nls\n```\n\n{FILE}",
        f"{FILE}\n- it adds\n- it prints\n",
        f"this makes the file.\nand says so:\n{FILE}",
        f"here is the file\n\n{FILE}",
        f"{FILE}\nnow run the tests\n",
        f"{FILE}\nit prints x and ends\n",
    ],
)
def test_prose_beside_a_file_is_not_a_command(text: str) -> None:
    assert "left-out-command" not in codes(text)
    assert read_format(text).actions[0].completeness is Completeness.COMPLETE


@pytest.mark.parametrize(
    "text", [f"{FILE}\nPYTHONPATH=src python a.py\n", f"PORT=80\n\n{FILE}", f"{FILE}\nR CMD build .\n"]
)
def test_a_command_may_begin_with_capital_letters(text: str) -> None:
    assert "left-out-command" in codes(text)


# ---- tags

WRITE = '<lov-write file_path="a.ts">\nx\n</lov-write>\n'


@pytest.mark.parametrize("name", ["dyad-delete", "lov-delete", "delete_file", "remove_file", "DeleteFile"])
@pytest.mark.parametrize("key", ["path", "file", "file_path"])
@pytest.mark.parametrize("end", ["/>", " />", "></{}>", ">\n</{}>"])
def test_a_tag_with_a_path_deletes_a_file(name: str, key: str, end: str) -> None:
    tag = f'<{name} {key}="b c.ts"' + end.format(name) + "\n"
    rows = [(action.type, action.path) for action in read_format(WRITE + tag).actions]
    assert rows == [("create", "a.ts"), ("delete", "b c.ts")]
    assert process(tag, format="file_tags").confidence == 1


@pytest.mark.parametrize("name", ["delete", "remove", "delete_file"])
@pytest.mark.parametrize("around", ["Write\n\n<handlers>\n  {}\n</handlers>\n\nand restart it.\n", "{}\n"])
def test_an_element_of_xml_deletes_no_file(name: str, around: str) -> None:
    key = "name" if name == "delete_file" else "file"
    text = around.format(f'<{name} {key}="build.jar" />')
    assert read_format(text).actions == read_format(text, "file_tags").actions == ()
    page = f'<file path="a.xml">\n{text}</file>\n'
    assert codes(page) == codes(page, "file_tags") == []


@pytest.mark.parametrize(
    "tag",
    [
        "<delete_file path='b.ts'/>",
        '<delete path="b.ts"/>',
        '<remove file="b.ts"/>',
        '<dyad-rename from="a.ts" to="b.ts"></dyad-rename>',
        '<lov-rename original_file_path="a.ts" new_file_path="b.ts"/>',
        '<dyad-add-dependency packages="zod"></dyad-add-dependency>',
        '<str_replace path="b.ts">\n<old_str>x</old_str>\n<new_str>y</new_str>\n</str_replace>',
        '<shell id="1" exec_dir="/app">\nls\n</shell>',
        '<boltAction type="start">npm run dev</boltAction>',
        # Lines of a file are not all of it.
        '<delete path="b.ts" lines="2-3"/>',
        '<delete path="b.ts">\nx = 1\n</delete>',
    ],
)
@pytest.mark.parametrize("format", [None, "file_tags"])
def test_another_tag_of_an_action_is_reported(tag: str, format: str | None) -> None:
    document = read_format(f"{WRITE}{tag}\n", format)
    assert [action.path for action in document.actions] == ["a.ts"]
    assert "broken-section" in codes(f"{WRITE}{tag}\n", format)
    # The indentation of a section that is read is no tag.
    assert codes("".join(f"  {line}" for line in WRITE.splitlines(keepends=True)), format) == ["indented-section"]


@pytest.mark.parametrize(
    "tag",
    [
        '<lov-view file_path="b.ts"/>',
        '<read_file path="b.ts"/>',
        '<a href="x">b</a>',
        "<dyad-chat-summary>x</dyad-chat-summary>",
    ],
)
def test_a_tag_that_changes_nothing_is_not_reported(tag: str) -> None:
    assert codes(f"{WRITE}{tag}\n") == []
    # In prose, a tag may be that of a page.
    assert codes('<rename path="a.ts"/>\n') == []


# ---- what an action cannot say


@pytest.mark.parametrize("name", ["run_in_background", "is_background", "background", "cwd", "directory"])
def test_an_argument_that_no_action_has_is_named(name: str) -> None:
    def call(value: str) -> str:
        arguments = f'"command": "npm start", "{name}": {value}'
        return f'<tool_call>\n{{"name": "bash", "arguments": {{{arguments}}}}}\n</tool_call>\n'

    for value in ("true", '"true"'):
        result = process(call(value), format="hermes_json")
        assert result.confidence <= 0.5
        (finding,) = result.diagnostics
        assert (finding.code, f"('{name}')" in finding.message) == ("unknown-argument", True)
    assert process(call("false"), format="hermes_json").confidence == 1


def test_all_arguments_that_no_action_has_are_named() -> None:
    text = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls", "cwd": "a:b", "pty": 1}}\n</tool_call>\n'
    (finding,) = process(text).diagnostics
    assert "('cwd', 'pty')" in finding.message
    long = text.replace("cwd", "c" * 1_000)
    assert len(process(long).diagnostics[0].message) < 250


@pytest.mark.parametrize("size", [1, 3])
def test_a_here_document_without_its_end_is_truncated_in_a_fence(size: int) -> None:
    files = [FILE.replace("a.py", f"{index}.py") for index in range(size)]
    script = "".join(files).removesuffix("EOF\n")
    text = f"```bash\n{script}```\n"
    *complete, last = read_format(text).actions
    assert [str(action.completeness) for action in complete] == ["suspect"] * (size - 1)
    assert last.completeness is Completeness.TRUNCATED
    assert codes(text) == ["file-without-verb", "no-closing-mark"]


@pytest.mark.parametrize("format", [None, "unified_diff"])
def test_a_new_file_without_a_last_line_feed_is_doubted(format: str | None) -> None:
    new = "--- /dev/null\n+++ b/VERSION\n@@ -0,0 +1 @@\n+1.0\n"
    (action,) = read_format(f"{new}\\ No newline at end of file\n", format).actions
    assert (action.content, action.completeness) == ("1.0", Completeness.SUSPECT)
    assert codes(f"{new}\\ No newline at end of file\n", format) == ["no-final-line-feed"]
    assert codes(new, format) == []


def test_a_mark_between_two_sections_is_one_of_their_format() -> None:
    text = write_format(Document((Action("create", "a.py", "x"),)), "qwen_xml")
    document = read_format(f"{text}\n</parameter>\n\n{text}")
    (finding,) = [row for row in document.diagnostics if row.code == "broken-section"]
    assert finding.span.start == len(text) + 1


def test_headings_without_a_hunk_are_those_of_a_diff() -> None:
    document = read_format("--- a/a.py\n+++ b/a.py\n")
    (finding,) = [row for row in document.diagnostics if row.code == "broken-section"]
    assert "unified_diff" in finding.message
