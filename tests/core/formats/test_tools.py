"""The table of the names of tools: how its file is read, and what a call of a tool means by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symops_lark.core.document import Replacement
from symops_lark.core.formats.tools import (
    FILE_NAME,
    WORD_LISTS,
    Call,
    Meaning,
    Problem,
    find_meaning,
    find_named_tools,
    fold,
    kind_of_tool,
    load_tools,
    make_tool_table,
    read_table,
)
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.resources import find_folder

# ---- the file

OWN = (
    "tools: {write: Save-It store_file, run: shell}\nparameters: {path: path Target_File, content: text}\n"
    "commands: {create: write}\nname: name tool\narguments: args\nlists: calls\nenvelopes: message\n"
    "whole: w all\nthings: File source_code\n"
)


def read(text: str) -> dict[str, Any]:
    return read_table(Path("own.yaml"), text.encode())


def test_the_names_of_a_table_are_folded_and_the_first_are_kept_as_they_are() -> None:
    table = make_tool_table(read(OWN))
    assert table.tools == {"saveit": "write", "storefile": "write", "shell": "run"}
    assert table.parameters == {"path": "path", "targetfile": "path", "text": "content"}
    assert table.commands == {"create": "write"}
    assert table.first_tools == {"write": "Save-It", "run": "shell"}
    assert table.first_parameters == {"path": "path", "content": "text"}
    assert (table.name_keys, table.argument_keys, table.list_keys) == (("name", "tool"), ("args",), ("calls",))
    assert (table.envelope_keys, table.whole_modes) == (("message",), ("w", "all"))
    assert table.things == ("file", "sourcecode")


def test_the_installed_table_is_that_of_its_file() -> None:
    path = find_folder("grammars") / "formats" / FILE_NAME
    assert make_tool_table(read_table(path)) == load_tools()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OWN.replace("{create: write}", "create"), "commands: expected names with words"),
        (OWN.replace("tools: {write: Save-It store_file, run: shell}", "tools: [write]"), "tools: expected names"),
        (OWN.replace("Save-It store_file", "[Save-It]"), "text"),
        (OWN + "tool: x\n", "tool"),
        (OWN + "arguments_: x\n", "arguments_"),
    ],
)
def test_a_wrong_table_is_refused(text: str, message: str) -> None:
    with pytest.raises(SymOpsError, match=message):
        read(text)


@pytest.mark.parametrize("key", ["tools", "parameters", "commands", *WORD_LISTS])
def test_a_table_has_all_its_parts(key: str) -> None:
    lines = [line for line in OWN.splitlines() if not line.startswith(f"{key}:")]
    with pytest.raises((SymOpsError, KeyError), match=key):
        read("\n".join(lines) + "\n")


# ---- names


def test_case_signs_and_a_prefix_do_not_count() -> None:
    assert fold("Write_File-2.x") == "writefile2x"
    for name in ("write_file", "WriteFile", "write-file", "functions.write_file", "a.b.writeFile"):
        assert kind_of_tool(name) == "write"
    assert kind_of_tool("write_files") is None
    assert kind_of_tool("write_file.x") is None
    assert kind_of_tool("") is None


def test_only_an_object_that_begins_a_line_with_the_name_of_a_tool_is_found() -> None:
    lines = [
        'x {"name": "write_file"}',
        '{"name": "frobnicate"}',
        '{"path": "write_file"}',
        '{"arguments": {}, "name": "write_file"}',
    ]
    text = "\n".join(lines) + "\n"
    assert list(find_named_tools(text)) == []
    for opener in ('{"name": "write_file"', '{ "tool" : "bash"', '{\n  "name": "functions.write-file"'):
        for before in ("", "  ", " [", "[ "):
            reply = f"{text}{before}{opener}, "
            assert list(find_named_tools(reply)) == [len(text) + len(before)]
    both = '{"name": "bash"}\n{"tool_name": "delete_file"}\n'
    assert list(find_named_tools(both)) == [0, both.index("\n") + 1]


# ---- calls

FILE = {"path": "a.py", "content": "x"}
PAIR = {"path": "a.py", "old_string": "a", "new_string": "b"}
CHANGED = Meaning("edit", "a.py", None, (Replacement("a", "b"),))


def meaning(tool: str, **arguments: Any) -> Meaning:
    result = find_meaning(Call(tool, arguments))
    assert isinstance(result, Meaning), result
    return result


def problem(tool: str, **arguments: Any) -> str:
    result = find_meaning(Call(tool, arguments))
    assert isinstance(result, Problem), result
    return result.code


def test_what_is_no_call_has_no_arguments() -> None:
    assert find_meaning(None) == Problem("missing-argument")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "a.py", "content": "x"}, "partial-write"),
        ({"path": "a.py", "diff": "x"}, "partial-write"),
        ({"path": "a.py", "new_string": "x"}, "partial-write"),
        ({"path": "a.py"}, "unknown-tool"),
        ({"content": "x"}, "unknown-tool"),
        ({"path": "a.py", "old_string": "x"}, "unknown-tool"),
        ({"city": "Rome"}, "unknown-tool"),
    ],
)
def test_an_unknown_tool_with_a_path_and_a_text_may_write(arguments: dict[str, str], code: str) -> None:
    assert problem("append_to_file", **arguments) == code
    # The same for a tool whose command is not known.
    assert problem("str_replace_editor", command="insert", **arguments) == code
    assert problem("str_replace_editor", **arguments) == code


def test_a_tool_may_have_its_verb_among_its_arguments() -> None:
    assert meaning("str_replace_editor", command="create", **FILE) == Meaning("create", "a.py", "x")
    assert meaning("str_replace_editor", command=" create ", **FILE) == Meaning("create", "a.py", "x")
    assert meaning("editor", command="str_replace", **PAIR) == CHANGED
    # The command of another tool says nothing.
    assert meaning("delete_file", command="create", **FILE) == Meaning("delete", "a.py")


def test_the_first_of_two_spellings_of_a_parameter_counts() -> None:
    assert meaning("write_file", path="a.py", file_path="b.py", content="x").path == "a.py"
    assert meaning("write_file", filePath="b.py", path="a.py", text="y", content="x") == Meaning("create", "b.py", "y")


@pytest.mark.parametrize("name", ["start_line", "mode"])
def test_a_place_of_which_nothing_is_said_hides_no_other(name: str) -> None:
    assert meaning("write_file", **{name: None}, **FILE) == Meaning("create", "a.py", "x")
    assert problem("write_file", **{name: None}, insert_line=3, **FILE) == "partial-write"
    # Another parameter may be false.
    assert problem("write_file", path=None, content="x") == "missing-argument"
    assert meaning("write_file", path="a.py", content="") == Meaning("create", "a.py", "")


@pytest.mark.parametrize(("mode", "is_whole"), [("w", True), ("Over-Write", True), ("a", False), (3, False)])
def test_a_mode_says_whether_a_content_is_all_of_a_file(mode: object, is_whole: bool) -> None:
    if is_whole:
        assert meaning("write_file", mode=mode, **FILE) == Meaning("create", "a.py", "x")
    else:
        assert problem("write_file", mode=mode, **FILE) == "partial-write"
    # A patch says its places itself.
    assert meaning("edit_file", mode=mode, path="a.py", diff="@@") == Meaning("edit", "a.py", "@@")


def test_a_patch_is_under_its_own_name_or_that_of_a_content() -> None:
    assert meaning("apply_patch", input="p", content="c") == Meaning("patch", "", "p")
    assert meaning("apply_patch", input="", content="c") == Meaning("patch", "", "c")
    assert problem("apply_patch", path="a.py") == "missing-argument"
    assert meaning("shell", command=["apply_patch", "p"]) == Meaning("patch", "", "p")
    assert meaning("shell", command=["apply_patch", "p", "q"]) == Meaning("run", "apply_patch p q")
    assert meaning("shell", command=["apply_patch"]) == Meaning("run", "apply_patch")


def test_a_command_keeps_its_verb() -> None:
    assert meaning("bash", command=" ls -l\n") == Meaning("run", "ls -l")
    assert meaning("verify", command=["ls", "-l"]) == Meaning("verify", "ls -l")
    assert meaning("bash", command=["bash", "-lc", "ls | wc"]) == Meaning("run", "ls | wc")
    assert meaning("bash", command=["bash", "-lc"]) == Meaning("run", "bash -lc")
    assert meaning("bash", command=["bash", "-c", "ls | wc"]) == Meaning("run", "bash -c 'ls | wc'")
    assert problem("bash", command="") == problem("bash") == "missing-argument"


@pytest.mark.parametrize("path", [None, 3, "", " ", "a\nb.py", "src/"])
def test_a_call_of_a_file_needs_a_path(path: object) -> None:
    for tool in ("write_file", "edit_file", "delete_file"):
        assert problem(tool, path=path, content="x") == "missing-argument"


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("write_file", FILE, Meaning("create", "a.py", "x")),
        ("edit_file", FILE, Meaning("edit", "a.py", "x")),
        ("replace", FILE, Meaning("replace", "a.py", "x")),
        ("edit_file", {"path": "a.py", "diff": "d", "new_string": "n"}, Meaning("edit", "a.py", "d")),
        ("edit_file", {"path": "a.py", "new_string": "n"}, Meaning("replace", "a.py", "n")),
        ("write_file", {"path": "a.py", "new_string": "n"}, Meaning("create", "a.py", "n")),
        ("edit_file", {"path": "a.py", "content": 3, "new_string": "n"}, Meaning("replace", "a.py", "n")),
        ("edit_file", {"path": "a.py", "old_content": "a", "new_content": "b"}, CHANGED),
        ("write_file", PAIR, CHANGED),
        ("edit_file", {**PAIR, "new_string": 3}, None),
        ("edit_file", {**PAIR, "new_string": 3, "content": "x"}, Meaning("replace", "a.py", "x")),
        ("edit_file", {**PAIR, "old_string": 3}, Meaning("replace", "a.py", "b")),
        ("edit_file", {"path": "a.py"}, None),
    ],
)
def test_a_call_that_writes_has_a_pair_or_a_text(tool: str, arguments: dict[str, Any], result: Meaning | None) -> None:
    assert find_meaning(Call(tool, arguments)) == (result or Problem("missing-argument"))


def test_a_call_may_have_a_list_of_pairs() -> None:
    pair = {"oldText": "a", "newText": "b"}
    edits = (Replacement("a", "b"), Replacement("c", "", every=True))
    arguments = {"path": "a.py", "edits": [pair, {"search": "c", "replace": "", "replace_all": True}]}
    assert meaning("multi_edit", **arguments) == Meaning("edit", "a.py", None, edits)
    assert meaning("multi_edit", path="a.py", edits=[]) == Meaning("edit", "a.py", None, ())
    # What is no pair costs the call: a part of the edits would be another change.
    for entry in (3, "x", {"old_string": "a"}, {"new_string": 3, "old_string": "a"}):
        assert problem("multi_edit", path="a.py", edits=[pair, entry]) == "missing-argument"
    # A text of which the edits are made is no list of them.
    assert meaning("multi_edit", edits="x", **PAIR).edits == (Replacement("a", "b"),)


@pytest.mark.parametrize(("value", "every"), [(True, True), ("yes", True), (1, True), (False, False), ("No", False)])
def test_a_pair_may_be_for_every_place(value: object, every: bool) -> None:
    assert meaning("str_replace", replace_all=value, **PAIR).edits == (Replacement("a", "b", every=every),)
