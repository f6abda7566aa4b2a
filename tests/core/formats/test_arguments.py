"""The arguments of calls: what a tool does with them, and JSON that lacks its end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Completeness, process, read_format
from symops_lark.core.formats.calls import DETAIL, find_odd_arguments
from symops_lark.core.formats.tools import Call, Meaning, Problem, find_meaning
from symops_lark.core.text.json_ends import MOST_BROKEN, JsonScanner, read_json

FILE = {"path": "a.py", "content": "x"}
PATCH = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"


def meaning_of(tool: str, **arguments: Any) -> str:
    """Return the verb and the target of a call, or the code of the problem that it has."""
    meaning = find_meaning(Call(tool, arguments))
    return meaning.code if isinstance(meaning, Problem) else f"{meaning.verb} {meaning.path}".strip()


@pytest.mark.parametrize(
    ("command", "meaning"),
    [
        ("ls", "run ls"),
        (["ls", "-l"], "run ls -l"),
        (["ls", "a b"], "run ls 'a b'"),
        (["bash", "-lc", "ls | wc"], "run ls | wc"),
        (["apply_patch", PATCH], "patch"),
        (["ls", 1], "missing-argument"),
        ([1], "missing-argument"),
        ([], "missing-argument"),
        (" ", "missing-argument"),
        (3, "missing-argument"),
    ],
)
def test_a_command_is_a_text_or_a_list_of_words(command: Any, meaning: str) -> None:
    assert meaning_of("run_command", command=command) == meaning


@pytest.mark.parametrize(("patch", "meaning"), [(PATCH, "patch"), (3, "missing-argument"), (None, "missing-argument")])
def test_a_patch_is_a_text(patch: Any, meaning: str) -> None:
    assert meaning_of("apply_patch", input=patch) == meaning
    assert meaning_of("apply_patch", content=patch) == meaning
    assert find_meaning(Call("apply_patch", {"input": PATCH})) == Meaning("patch", "", PATCH)


@pytest.mark.parametrize("value", [False, None, 0, "", "false", "False", "no", "none", "null", "0"])
def test_a_place_that_says_no_is_no_place(value: Any) -> None:
    assert meaning_of("write_file", **FILE, append=value) == "create a.py"
    # A line 0 is the beginning of the file.
    place = "partial-write" if value in ("0", 0) and value is not False else "create a.py"
    assert meaning_of("write_file", **FILE, offset=value) == place


@pytest.mark.parametrize("value", [True, 1, "true", "yes", "2"])
def test_a_place_in_the_file_makes_a_part_of_it(value: Any) -> None:
    assert meaning_of("write_file", **FILE, offset=value) == "partial-write"


@pytest.mark.parametrize(
    ("path", "meaning"),
    [(" a.py ", "create a.py"), ("", "missing-argument"), ("a\nb", "missing-argument"), ("src/", "missing-argument")],
)
def test_a_path_is_one_line(path: str, meaning: str) -> None:
    assert meaning_of("write_file", path=path, content="x") == meaning


# ---- JSON without its end


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ('{"a": 1}', ({"a": 1}, False, False)),
        ('{"a": "b', ({"a": "b"}, True, True)),
        ('{"a": "b\\', ({"a": "b"}, True, True)),
        ('{"a": "b\\\\', ({"a": "b\\"}, True, True)),
        ('{"a": "b\\u12', ({"a": "b"}, True, True)),
        ('{"a": "\\u0041', ({"a": "A"}, True, True)),
        ('{"a": ["b", {"c": 1', ({"a": ["b", {"c": 1}]}, True, False)),
        ('{"a": "]}"', ({"a": "]}"}, True, False)),
        ('{"a": "\n', ({"a": ""}, True, True)),
        ('{"a": "b\\"c', ({"a": 'b"c'}, True, True)),
        ("}", (None, True, False)),
        ('{"a": 1} x', (None, True, False)),
        ('{"a":}', (None, True, False)),
    ],
)
def test_an_end_that_lacks_is_added(text: str, reading: tuple[Any, bool, bool]) -> None:
    assert read_json(text) == reading


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts, max_size=3),
    max_leaves=6,
)


@given(JSON, st.text(" \n", max_size=3))
def test_a_value_ends_where_json_says(value: Any, blanks: str) -> None:
    text = json.dumps([value, {"a": value}])
    assert JsonScanner(f"{blanks}{text} more]").find_end(0) == len(blanks + text) or not isinstance(
        value, str | list | dict
    )
    assert read_json(text[:-1]) == ([value, {"a": value}], True, False)


def test_only_so_many_broken_values_are_looked_at() -> None:
    broken = '{"a": x}'
    scanner = JsonScanner(broken * (MOST_BROKEN + 2))
    ends = [scanner.find_end(index * len(broken)) for index in range(MOST_BROKEN + 2)]
    assert ends == [0] * MOST_BROKEN + [None, None]
    scanner = JsonScanner(f"text {broken}" + '{"b": 1}')
    assert scanner.find_end(0) is None and scanner.broken_count == 0
    assert scanner.find_end(5) == 0
    assert scanner.find_end(5 + len(broken)) == 5 + len(broken) + 8


@pytest.mark.parametrize(
    ("tool", "arguments", "codes"),
    [
        ("write_file", {**FILE, "operation": "append"}, ["unknown-argument"]),
        ("write_file", {**FILE, "prepend": True}, ["unknown-argument"]),
        ("write_file", {**FILE, "encoding": "base64"}, ["unknown-argument"]),
        ("write_file", {**FILE, "filename": "b.py"}, ["repeated-parameter"]),
        ("write_file", {**FILE, "filename": "a.py"}, []),
        ("write_file", {**FILE, "line_count": 1, "id": "c1", "insert_at": None, "encoding": ""}, []),
        ("edit_file", {**FILE, "first_line": 1, "lineno": 0}, ["unknown-argument"]),
        ("edit_file", {**FILE, "old_sting": "y"}, ["unknown-argument"]),
        ("edit_file", {"path": "a.py", "edits": [{"old": "a", "new": "b", "line": 3}]}, []),
        ("edit_file", {"path": "a.py", "edits": [{"old_content": "a", "new_content": "b"}]}, []),
        ("edit_file", {"path": "a.py", "edits": [{"old": "a", "new": "b", "path": "b.py"}]}, ["unknown-argument"]),
        ("edit_file", {"path": "a.py", "edits": [{"old": "a", "new": "b", "under": "c"}, 3]}, ["unknown-argument"]),
        # Each is a change by itself.
        ("edit_file", {**FILE, "edits": [{"old": "a", "new": "b"}]}, ["unknown-argument"]),
        ("edit_file", {**FILE, "old_string": "a", "new_string": "b"}, ["unknown-argument"]),
        ("edit_file", {"path": "a.py", "patch": PATCH, "old_string": "a", "new_string": "b"}, ["unknown-argument"]),
        ("write_file", {**FILE, "old_string": None, "edits": [], "mode": "overwrite"}, []),
        ("write_file", {**FILE, "edits": 5}, ["unknown-argument"]),
        ("delete_file", {"path": "a.py", "recursive": True}, ["unknown-argument"]),
        ("delete_file", {"path": "a.py", "content": "x"}, ["unknown-argument"]),
        ("bash", {"command": "rm", "args": ["-r", "a"]}, ["unknown-argument"]),
        ("bash", {"command": "ls", "args": [], "env": {}}, []),
        ("bash", {"command": "ls", "cwd": "/srv"}, ["unknown-argument"]),
        ("bash", {"command": "ls", "path": "/srv"}, ["unknown-argument"]),
        ("bash", {"command": "ls", "timeout": 5, "requires_approval": "false", "cwd": ""}, []),
        ("str_replace_editor", {"command": "create", "path": "a", "file_text": "x", "view_range": None}, []),
        ("apply_patch", {"input": PATCH, "workdir": "/srv"}, ["unknown-argument"]),
    ],
)
def test_an_argument_that_may_change_what_a_call_means_is_doubted(
    tool: str, arguments: dict[str, Any], codes: list[str]
) -> None:
    doubts = find_odd_arguments(Call(tool, arguments))
    assert [doubt.partition(DETAIL)[0] for doubt in doubts] == codes


@pytest.mark.parametrize("arguments", [{"command": "ls", "cwd": "/srv"}, {"command": "ls", "args": ["-l"]}])
def test_a_call_with_such_an_argument_is_suspect(arguments: dict[str, Any]) -> None:
    call = json.dumps({"name": "bash", "arguments": arguments})
    for format in ("auto", "hermes_json"):
        result = process(f"<tool_call>\n{call}\n</tool_call>\n", format)
        assert [action.completeness for action in result.document.actions] == [Completeness.SUSPECT]
        assert [finding.code for finding in result.diagnostics] == ["unknown-argument"]


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        ({"action": "append", "tool": "write_file", "arguments": FILE}, ["unknown-argument"]),
        ({"type": "append", "name": "write_file", "arguments": FILE}, ["unknown-argument"]),
        ({"type": "function", "id": "c1", "function": {"name": "write_file", "arguments": FILE}}, []),
        ({"action": "create", "tool": "write_file", "arguments": FILE}, []),
        ({"name": "write_file", "args": FILE}, []),
        # The forms of APIs.
        (
            {"type": "function_call", "call_id": "c1", "name": "write_file", "arguments": FILE, "status": "completed"},
            [],
        ),
        ({"type": "tool-call", "toolCallId": "c1", "toolName": "write_file", "args": FILE}, []),
        ({"toolUse": {"toolUseId": "c1", "name": "write_file", "input": FILE}}, []),
        ({"type": "tool_use", "id": "c1", "name": "write_file", "input": FILE}, []),
        ({"functionCall": {"name": "write_file", "args": FILE}, "thoughtSignature": "x"}, []),
        ({"function": {"index": 0, "name": "write_file", "arguments": FILE}}, []),
    ],
)
def test_a_word_beside_the_name_may_say_how(call: dict[str, Any], codes: list[str]) -> None:
    text = f"<tool_call>\n{json.dumps(call)}\n</tool_call>\n"
    assert [finding.code for finding in read_format(text, "hermes_json").diagnostics] == codes


UPDATED = "*** Update File: x\n@@\n a\n-b\n+c\n"
DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("patch", "is_whole"),
    [
        (f"*** Begin Patch\n{UPDATED}*** End Patch", True),
        (f"```diff\n{DIFF}```", True),
        (f"diff --git a/x b/x\nindex 1..2\n{DIFF}", True),
        (f"{DIFF}\\ No newline at end of file\n", True),
        # What is in no section of the patch is lost.
        (f"{UPDATED}\ndef f():\n-q\n+r\n", False),
        (f"*** Begin Patch\n*** Delete File old.py\n{UPDATED}*** End Patch\n", False),
        (f"--- /abs/y\n+++ /abs/y\n@@ -1 +1 @@\n-a\n+b\n{DIFF}", False),
    ],
)
@pytest.mark.parametrize("format", ["auto", "hermes_json"])
def test_what_a_patch_has_beside_its_files_is_doubted(format: str, patch: str, is_whole: bool) -> None:
    call = json.dumps({"name": "apply_patch", "arguments": {"patch": patch}})
    result = process(f"<tool_call>\n{call}\n</tool_call>\n", format)
    assert [(action.type, action.path) for action in result.document.actions] == [("edit", "x")]
    assert [finding.code for finding in result.diagnostics] == ([] if is_whole else ["unsigned-lines"])


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "a\r\nb"])
def test_the_last_line_end_of_a_content_may_have_two_characters(content: str) -> None:
    call = json.dumps({"name": "write_file", "arguments": {"path": "a.bat", "content": content}})
    document = read_format(f"<tool_call>\n{call}\n</tool_call>\n")
    assert [action.content for action in document.actions] == ["a\r\nb"]


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ('{"path": "a.py", "content": "x", "path": "b.py"}', ["repeated-parameter"]),
        ('{"path": "a.py", "content": "x", "path": "a.py"}', []),
        ('{"path": "a.py", "edits": [{"old": "a", "new": "b", "new": "c"}]}', ["unknown-argument"]),
    ],
)
def test_of_a_key_that_is_there_twice_the_first_value_counts(arguments: str, codes: list[str]) -> None:
    text = f'<tool_call>\n{{"name": "write_file", "arguments": {arguments}}}\n</tool_call>\n'
    document = read_format(text, "hermes_json")
    assert [action.path for action in document.actions] == ["a.py"]
    assert [finding.code for finding in document.diagnostics] == codes


def test_python_calls_may_repeat_an_argument_too() -> None:
    document = read_format("[write_file(path='a.py', content='x', path='b.py')]\n", "python_calls")
    assert [action.completeness for action in document.actions] == [Completeness.SUSPECT]
