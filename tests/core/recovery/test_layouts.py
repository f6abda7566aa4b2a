"""Replies in other formats: what is read of them, and that what is not wholly understood says nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import symops_lark
from symops_lark import Action, Completeness
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery.foreign.actions import ForeignAction, find_verb
from symops_lark.core.recovery.foreign.fence_layout import read_fences
from symops_lark.core.recovery.foreign.json_layout import read_json
from symops_lark.core.recovery.foreign.layouts import find_layout
from symops_lark.core.recovery.foreign.tag_layout import read_tags

V2 = load_dialect("v2")


def shown(text: str, actions: Sequence[ForeignAction]) -> list[str]:
    """Say each action: its verb and path, its content as it stands and as it is meant, and how sure it is."""
    lines = []
    for action in actions:
        content = text[action.content_start : action.content_end] if action.content_start >= 0 else None
        line = f"{action.verb} {action.path}"
        line += f" {content!r}" if content is not None else ""
        line += f" = {action.literal!r}" if action.literal is not None else ""
        lines.append(line + " ?" * action.doubtful)
    return lines


FILE = '{"path": "a.py", "content": "x\\n"}'
JSON = {
    "one object": (FILE, [r"create a.py 'x\\n' = 'x\n'"]),
    "a list": (f"[{FILE}, {FILE}]", [r"create a.py 'x\\n' = 'x\n'"] * 2),
    "blanks everywhere": (' [ { "path" : "a.py" , "content" : "" } , ' + FILE + " ] ", None),
    "no blank at all": ('[{"op":"rm","path":"a"},{"op":"rm","path":"b"}]', ["delete a", "delete b"]),
    "a list in an object": ('{"note": 1, "actions": [' + FILE + "]}", [r"create a.py 'x\\n' = 'x\n'"]),
    "the first of two lists": ('{"files": [], "steps": [' + FILE + "]}", []),
    "no list where one is meant": ('{"files": "a", "path": "a.py", "content": "1"}', ["create a.py '1' = '1'"]),
    "a list within a list": (f"[[{FILE}]]", []),
    "an empty list": ("[]", []),
    "an empty object": ("{}", []),
    "in a fence": (f"```json\n{FILE}\n```\n", [r"create a.py 'x\\n' = 'x\n'"]),
    "in a fence without a name": (f"\n```\n{FILE}\n```", [r"create a.py 'x\\n' = 'x\n'"]),
    "in a fence with words behind": (f"```json\n{FILE}\n```\nDone.", []),
    "words before": (f"Here: {FILE}", []),
    "words behind": (f"{FILE} done", []),
    "cut off": (FILE[:-1], []),
    "a text": ('"create a.py"', []),
    "a call": ('{"name": "write_file", "arguments": {"path": "a.py", "content": "1"}}', ["create a.py '1' = '1'"]),
    "a call in a call": (
        '{"function": {"name": "Write-File", "parameters": {"file": "a.py", "text": "1"}}}',
        ["create a.py '1' = '1'"],
    ),
    "inner fields count more": (
        '{"action": "edit", "path": "out", "input": {"path": "in", "code": "1"}}',
        ["edit in '1' = '1'"],
    ),
    "a second word that is a verb": ('{"type": "file", "operation": "delete", "path": "a"}', ["delete a"]),
    "a verb that is a number": ('{"type": 1, "path": "a", "content": "1"}', ["create a '1' = '1'"]),
    "an unknown verb": ('{"type": "file", "path": "a", "content": "1"}', []),
    "a path alone": ('{"path": "a"}', []),
    "a content alone": ('{"content": "a"}', []),
    "a path that is a number": ('{"action": "create", "path": 1, "content": "x"}', []),
    "a content that is a number": ('{"action": "create", "path": "a", "content": 1}', ["create a"]),
    "an empty path": ('{"action": "create", "path": "", "content": "x"}', []),
    "a path of two lines": ('{"action": "create", "path": "a\\nb", "content": "x"}', []),
    "a command": ('{"action": "run", "command": "make -j"}', ["run make -j"]),
    "a command as path": ('{"action": "bash", "path": "make"}', ["run make"]),
    "a command for a file": ('{"action": "create", "command": "a.py", "content": "x"}', []),
    "a script of tests": ('{"tool": "run_tests", "script": "pytest"}', ["test pytest"]),
    "one that is not understood": (f'[{FILE}, {{"action": "think"}}]', []),
    "an item that is no object": (f"[{FILE}, 1]", []),
    "eight lists deep": ('{"a": [[[[[[[1]]]]]]], "path": "a.py", "content": "1"}', ["create a.py '1' = '1'"]),
    "nine lists deep": ('{"a": [[[[[[[[1]]]]]]]], "path": "a.py", "content": "1"}', []),
}


@pytest.mark.parametrize("name", JSON)
def test_json(name: str) -> None:
    text, expected = JSON[name]
    found = shown(text, read_json(text, V2))
    assert found == (expected if expected is not None else ["create a.py '' = ''", r"create a.py 'x\\n' = 'x\n'"])


LISTS = ("tool_calls", "actions", "calls", "files", "operations", "steps", "edits", "commands", "changes")
VERBS = ("action", "name", "tool", "type", "operation", "op", "verb", "function")
NESTED = ("command", "arguments", "args", "parameters", "params", "input", "function")
PATHS = ("path", "file", "file_path", "filepath", "filename", "target")
CONTENTS = ("content", "contents", "text", "code", "file_text", "new_content")
COMMANDS = ("command", "command_line", "cmd", "script", "path", "target")


@pytest.mark.parametrize(
    ("data", "action"),
    [
        *(({key: [{"op": "rm", "path": "a"}]}, "delete a") for key in LISTS),
        *(({key: "rm", "path": "a"}, "delete a") for key in VERBS),
        *(({"op": "rm", key: {"path": "a"}}, "delete a") for key in NESTED),
        *(({"op": "rm", key: "a"}, "delete a") for key in PATHS),
        *(({"op": "add", "path": "a", key: "x"}, "create a 'x' = 'x'") for key in CONTENTS),
        *(({"op": "run", key: "make"}, "run make") for key in COMMANDS),
    ],
)
def test_names_in_json(data: object, action: str) -> None:
    text = json.dumps(data)
    assert shown(text, read_json(text, V2)) == [action]


@pytest.mark.parametrize(
    ("name", "known"), [("path", True), ("name", True), ("file", True), ("filename", True), ("to", False)]
)
def test_names_of_paths_in_tags(name: str, known: bool) -> None:
    text = f'<file {name}="a">x</file>'
    assert shown(text, read_tags(text, V2)) == ["create a 'x'"] * known


@pytest.mark.parametrize(
    ("shell", "known"),
    [("bash", True), ("sh", True), ("shell", True), ("console", True), ("zsh", True), ("python", False)],
)
def test_names_of_shells(shell: str, known: bool) -> None:
    text = f"{A}{B}```{shell}\nmake\n```"
    assert ("run make ?" in shown(text, read_fences(text, V2))) is known


def test_a_command_has_no_content() -> None:
    for text in ("<run>make</run>", '{"op": "run", "cmd": "make"}', A + B + "```sh\nmake\n```"):
        action = symops_lark.recover(text).actions[-1]
        assert (action.path, action.content, action.content_span) == ("make", None, None)


def test_places_of_json_are_those_of_its_objects() -> None:
    text = f" [{FILE}, {FILE}]"
    objects = [text[action.start : action.end] for action in read_json(text, V2)]
    assert [json.loads(each) for each in objects] == [json.loads(FILE)] * 2


TAGS = {
    "a file": ('<file path="a.py">\nx\n</file>', ["create a.py 'x'"]),
    "a file on one line": ('<file path="a.py">x</file>\n', ["create a.py 'x'"]),
    "an empty file": ('<file path="a.py"></file>', ["create a.py ''"]),
    "an empty line": ('<file path="a.py">\n</file>', ["create a.py ''"]),
    "two empty lines": ('<file path="a.py">\n\n</file>', ["create a.py ''"]),
    "two files": ('<file path="a">\n1\n</file>\n<file name="b">\n2\n</file>\n', ["create a '1'", "create b '2'"]),
    "an action of a file": ('<file path="a" action="edit">\nx\n</file>', ["edit a 'x'"]),
    "an unknown action of a file": ('<file path="a" action="move">\nx\n</file>', []),
    "path before name": ('<edit name="b" path="a">\nx\n</edit>', ["edit a 'x'"]),
    "tags around all": (
        '<response>\n<files>\n<create file="a">\n1\n</create>\n</files>\n</response>',
        ["create a '1'"],
    ),
    "a verb as tag": ("<delete>a.py</delete>\n<run> make </run>", ["delete a.py", "run make"]),
    "a command of two lines": ("<run>make\nls</run>", []),
    "an empty command": ("<run> </run>", []),
    "a command with attributes": ('<run cwd="x">make</run>', []),
    "a file without a path": ("<create>x</create>", []),
    "an unknown tag": ('<div path="a">x</div>', []),
    "words before": ('So: <file path="a">x</file>', []),
    "words behind": ('<file path="a">x</file> done', []),
    "words between": ('<file path="a">x</file>\nand\n<file path="b">x</file>', []),
    "never closed": ('<file path="a">x', []),
    "its own tag inside": ('<file path="a">\n</file> x\n</file>', ["create a '</file> x'"]),
    "two on one line": ('<file path="a">x</file><file path="b">y</file>', []),
    "a call of JSON": (f"<tool_call>{FILE}</tool_call>", [r"create a.py 'x\\n' = 'x\n'"]),
    "two in a call of JSON": (f"<function_call>\n[{FILE},{FILE}]\n</function_call>", None),
    "a call that is no JSON": ("<tool_call>make</tool_call>", []),
    "a call": (
        '<invoke name="write_file">\n<parameter name="path">a.py</parameter>\n'
        '<parameter name="content">x</parameter>\n</invoke>',
        ["create a.py 'x'"],
    ),
    "a call without a content": (
        '<invoke name="rm"><parameter name="path"> a.py </parameter></invoke>',
        ["delete a.py"],
    ),
    "a call of a command": ('<invoke name="bash"><parameter name="cmd">make</parameter></invoke>', ["run make"]),
    "a call of a path as command": ('<invoke name="bash"><parameter name="path">make</parameter></invoke>', []),
    "a call of two lines": ('<invoke name="bash"><parameter name="cmd">make\nls</parameter></invoke>', []),
    "a call with words": ('<invoke name="rm"><parameter name="path">a</parameter> b</invoke>', []),
    "a call of nothing known": ('<invoke name="think"><parameter name="path">a</parameter></invoke>', []),
    "a call without a target": ('<invoke name="rm"></invoke>', []),
    "a call of a command by its whole name": (
        '<invoke name="bash"><parameter name="command">make</parameter></invoke>',
        ["run make"],
    ),
    "a parameter never closed": ('<invoke name="rm"><parameter name="path">a</invoke>', []),
    "a parameter with its tag inside": (
        '<invoke name="create"><parameter name="path">a</parameter><parameter name="content"></parameter>!'
        "</parameter></invoke>",
        ["create a '</parameter>!'"],
    ),
}


@pytest.mark.parametrize("name", TAGS)
def test_tags(name: str) -> None:
    text, expected = TAGS[name]
    found = shown(text, read_tags(text, V2))
    assert found == (expected if expected is not None else [r"create a.py 'x\\n' = 'x\n'"] * 2)


def test_places_of_tags_are_those_of_whole_elements() -> None:
    text = '<files>\n<file path="a">\n1\n</file>\n\n<run>make</run>\n</files>'
    whole = [text[action.start : action.end] for action in read_tags(text, V2)]
    assert whole == ['<file path="a">\n1\n</file>', "<run>make</run>"]


A, B = "a.py\n```python\nx\n```\n", "**b.py**\n```\ny\n```\n"
FENCES = {
    "two names": (A + B, ["create a.py 'x'", "create b.py 'y'"]),
    "two names with blank lines": (f"\n{A}\n\n{B}\n", ["create a.py 'x'", "create b.py 'y'"]),
    "one name": (A, []),
    "names in the info": ("```python a.py\nx\n```\n```py:src/b\ny\n```", ["create a.py 'x'", "create src/b 'y'"]),
    "a heading": ("## File: `a.py`\n```\nx\n```\n" + B, ["create a.py 'x'", "create b.py 'y'"]),
    "the line counts more than the info": ("a.py\n```c.py\nx\n```\n" + B, ["create a.py 'x'", "create b.py 'y'"]),
    "an empty fence": ("a.py\n```\n```\n" + B, ["create a.py ''", "create b.py 'y'"]),
    "an empty line": ("a.py\n```\n\n```\n" + B, ["create a.py ''", "create b.py 'y'"]),
    "a fence in a longer one": (
        "a.md\n````\n```\nx\n```\n````\n" + B,
        [r"create a.md '```\nx\n```'", "create b.py 'y'"],
    ),
    "a fence with a language inside": (
        "a.md\n```\n```python\nx\n```\n" + B,
        [r"create a.md '```python\nx'", "create b.py 'y'"],
    ),
    "a path without content": ("a.py\n```\n```\n" + B[:-1], ["create a.py ''", "create b.py 'y'"]),
    "a fence that ends longer": ("a.py\n```\nx\n````\n" + B, ["create a.py 'x'", "create b.py 'y'"]),
    "other signs": ("a.py\n~~~\nx\n```\n~~~\n" + B, [r"create a.py 'x\n```'", "create b.py 'y'"]),
    "cut off": (A + "b.py\n```\ny\n", []),
    "a sentence before": (f"Here it is.\n\n{A}{B}", []),
    "a sentence behind": (f"{A}{B}That is all.\n", []),
    "no name": (A + "```\ny\n```\n" + B, []),
    "a name and no fence": (A + B + "c.py\n", []),
    "an edit": ("a.py\n```\n@@ -1 +1 @@\n-x\n```\n" + B, ["edit a.py '@@ -1 +1 @@\\n-x'", "create b.py 'y'"]),
    "a merge conflict": ("a.py\n```\nz\n<<<<<<< SEARCH\n```\n" + B, None),
    "a command": (A + B + "```sh\nmake\n```", ["create a.py 'x'", "create b.py 'y'", "run make ?"]),
    "a removal": (A + B + "```bash\nrm -f c.py\n```", ["create a.py 'x'", "create b.py 'y'", "delete c.py ?"]),
    "a removal of many": (A + B + "```bash\nrm *.py\n```", ["create a.py 'x'", "create b.py 'y'", "run rm *.py ?"]),
    "two commands": (A + B + "```sh\nmake\nls\n```", []),
    "an empty command": (A + B + "```sh\n\n```", []),
    "a comment": (A + B + "```sh\n# make\n```", []),
    "a prompt": (A + B + "```sh\n$ make\n```", []),
    "one name and a command": (A + "```sh\nmake\n```", []),
    "a name of 200 characters": (
        "a" * 197 + ".py\n```\nx\n```\n" + B,
        [f"create {'a' * 197}.py 'x'", "create b.py 'y'"],
    ),
    "a name of 201 characters": ("a" * 198 + ".py\n```\nx\n```\n" + B, []),
    "an info of 200 characters": (f"```{'a' * 197}.py\nx\n```\n{B}", [f"create {'a' * 197}.py 'x'", "create b.py 'y'"]),
    "an info of 201 characters": (f"```{'a' * 198}.py\nx\n```\n{B}", []),
}


@pytest.mark.parametrize("name", FENCES)
def test_fences(name: str) -> None:
    text, expected = FENCES[name]
    found = shown(text, read_fences(text, V2))
    assert found == (expected if expected is not None else ["edit a.py 'z\\n<<<<<<< SEARCH'", "create b.py 'y'"])


def test_places_of_fences_begin_with_their_names() -> None:
    text = f"\n{A}\n{B}"
    whole = [text[action.start : action.end] + "\n" for action in read_fences(text, V2)]
    assert whole == [A, B]


@pytest.mark.parametrize(
    ("word", "verb"),
    [
        ("create", "create"),
        (" Write-File ", "create"),
        ("rm", "delete"),
        ("shell", "run"),
        ("think", ""),
        (1, ""),
        ("", ""),
    ],
)
def test_words_for_verbs(word: object, verb: str) -> None:
    assert find_verb(word, V2) == verb


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (FILE, "foreign-json"),
        (f"\n ```\n{FILE}\n```", "foreign-json"),
        ("<run>make</run>", "foreign-tags"),
        ('<file path="a.py">\nx = "<file>"\n</file>', "foreign-tags"),
        ('<file path="a.py">\nx</file> <file path="b.py">y</file>', ""),
        (A + B, "foreign-fences"),
        ("", ""),
        (" \n", ""),
        ("run make", ""),
    ],
)
def test_the_layout_is_told(text: str, code: str) -> None:
    assert find_layout(text, V2)[0] == code


def test_a_file_is_surer_than_a_file_that_nobody_asked_for() -> None:
    """Nobody said what to do with fences under names; that a command is to be run is a guess besides."""
    asked = symops_lark.recover(FILE)
    given = symops_lark.recover(A + B + "```sh\nmake\n```\n")
    files = [action for action in (*asked.actions, *given.actions) if isinstance(action, Action)]
    assert [action.completeness for action in files] == [Completeness.COMPLETE, *[Completeness.SUSPECT] * 3]
    assert [action.confidence for action in files] == [0.8145, 0.7738, 0.7738, 0.5]
    assert [diagnostic.code for diagnostic in given.diagnostics] == ["foreign-fences"] * 3


def test_what_stands_around_the_actions_is_skipped() -> None:
    text = f'{{"files": [{FILE}]}}'
    document = symops_lark.recover(text)
    spans = [text[section.span.start : section.span.end] for section in document.sections]
    assert spans == ['{"files": [', FILE, "]}"]
    content = document.actions[0].content_span
    assert content is not None
    assert text[content.start : content.end] == "x\\n"
