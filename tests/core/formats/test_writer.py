"""The exact texts that actions are written as, and why an action cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symops_lark import RenderError, read_format, write_format
from symops_lark.core.document import Action, Completeness, Document, ErrorNote, Replacement
from symops_lark.core.formats.loading import formats

FILE = Action("create", "src/a.py", 'x = "é"\n\ny = 2')
ARGUMENTS = '{"path": "src/a.py", "content": "x = \\"é\\"\\n\\ny = 2"}'
# A file, as each format writes it.
FILES = {
    "apertus": f'<|tools_prefix|>[{{"write_file": {ARGUMENTS}\n}}]<|tools_suffix|>\n',
    "apply_patch": '*** Begin Patch\n*** Add File: src/a.py\n+x = "é"\n+\n+y = 2\n*** End Patch\n',
    "deepseek_v3": (
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>write_file\n```json\n{ARGUMENTS}\n```\n<｜tool▁call▁end｜>\n"
    ),
    "file_tags": '<file path="src/a.py">\nx = "é"\n\ny = 2\n</file>\n',
    "functionary": f"<function=write_file>\n{ARGUMENTS}\n</function>\n",
    "glm": (
        "<tool_call>\nwrite_file\n<arg_key>path</arg_key>\n<arg_value>src/a.py</arg_value>\n"
        '<arg_key>content</arg_key>\n<arg_value>x = "é"\n\ny = 2</arg_value>\n</tool_call>\n'
    ),
    "harmony": (f"<|channel|>commentary to=functions.write_file<|constrain|>json<|message|>{ARGUMENTS}<|call|>\n"),
    "heredoc": "cat > src/a.py << 'EOF'\nx = \"é\"\n\ny = 2\nEOF\n",
    "hermes_json": f'<tool_call>\n{{"name": "write_file", "arguments": {ARGUMENTS}}}\n</tool_call>\n',
    "hunyuan": (f"<tool_calls>\n<tool_call>\nwrite_file\n```json\n{ARGUMENTS}\n```\n</tool_call>\n</tool_calls>\n"),
    "invoke_xml": (
        '<invoke name="write_file">\n<parameter name="path">src/a.py</parameter>\n'
        '<parameter name="content">x = "é"\n\ny = 2</parameter>\n</invoke>\n'
    ),
    "json_calls": f'{{"name": "write_file", "arguments": {ARGUMENTS}}}\n',
    "kimi_k2": (f"<|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|>\n"),
    "mistral": f"[TOOL_CALLS]\nwrite_file[ARGS]\n{ARGUMENTS}\n",
    "named_calls": (f"<tool_use>\n<name>\nwrite_file\n</name>\n<arguments>\n{ARGUMENTS}\n</arguments>\n</tool_use>\n"),
    "named_fences": '`src/a.py`\n```\nx = "é"\n\ny = 2\n```\n',
    "original_patched": ('<file>src/a.py</file>\n<original>\n\n</original>\n<patched>\nx = "é"\n\ny = 2\n</patched>\n'),
    "python_calls": '[write_file(path="src/a.py", content="x = \\"é\\"\\n\\ny = 2")\n]\n',
    "qwen_xml": (
        "<tool_call>\n<function=write_file>\n<parameter=path>\nsrc/a.py\n</parameter>\n"
        '<parameter=content>\nx = "é"\n\ny = 2\n</parameter>\n</function>\n</tool_call>\n'
    ),
    "react": f"Action: write_file\nAction Input: {ARGUMENTS}\n",
    "search_replace": 'src/a.py:\n<<<<<<< SEARCH\n=======\nx = "é"\n\ny = 2\n>>>>>>> REPLACE\n',
    "step": (
        '<｜tool_call_begin｜>\nfunction<｜tool_sep｜>\n<steptml:invoke name="write_file">\n'
        '<steptml:parameter name="path">src/a.py</steptml:parameter>\n'
        '<steptml:parameter name="content">x = "é"\n\ny = 2</steptml:parameter>\n'
        "</steptml:invoke>\n<｜tool_call_end｜>\n"
    ),
    "tag_calls": '<write_file>\n<path>\nsrc/a.py\n</path>\n<content>\nx = "é"\n\ny = 2\n</content>\n</write_file>\n',
    "unified_diff": '--- /dev/null\n+++ b/src/a.py\n@@ -0,0 +1,3 @@\n+x = "é"\n+\n+y = 2\n',
}
COMMAND = Action("run", "ls -l")
REMOVAL = Action("delete", "a.py")
LINES = Action("edit", "a.py", edits=(Replacement("x = 1\n", "x = 2\n", lines=True),))
WORDS = Action("edit", "a.py", edits=(Replacement("x", "y"),))
DIFF = Action("edit", "a.py", "@@ -1 +1 @@\n-x\n+y")
TEXTS = [
    (COMMAND, "file_tags", '<boltAction type="shell">ls -l</boltAction>\n'),
    (COMMAND, "named_fences", "```sh\nls -l\n```\n"),
    (COMMAND, "react", 'Action: run_command\nAction Input: {"command": "ls -l"}\n'),
    (COMMAND, "tag_calls", "<run_command>\n<command>\nls -l\n</command>\n</run_command>\n"),
    (REMOVAL, "apply_patch", "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n"),
    (REMOVAL, "file_tags", "<delete>a.py</delete>\n"),
    (REMOVAL, "python_calls", '[delete_file(path="a.py")\n]\n'),
    (LINES, "search_replace", "a.py:\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"),
    (WORDS, "original_patched", "<file>a.py</file>\n<original>\nx\n</original>\n<patched>\ny\n</patched>\n"),
    (WORDS, "react", 'Action: edit_file\nAction Input: {"path": "a.py", "old_string": "x", "new_string": "y"}\n'),
    # The reader of a value of this call takes off one line feed on each side.
    (LINES, "tag_calls", TAGS := (
        "<edit_file>\n<path>\na.py\n</path>\n<old_string>\nx = 1\n\n</old_string>\n"
        "<new_string>\nx = 2\n\n</new_string>\n</edit_file>\n"
    )),
    (DIFF, "apply_patch", "*** Begin Patch\n*** Update File: a.py\n@@ -1 +1 @@\n-x\n+y\n*** End Patch\n"),
    (DIFF, "unified_diff", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"),
    (DIFF, "file_tags", '<file path="a.py">\n@@ -1 +1 @@\n-x\n+y\n</file>\n'),
    # A file of no lines.
    (Action("create", "a.py", ""), "heredoc", "cat > a.py << 'EOF'\nEOF\n"),
    (Action("create", "a.py", ""), "file_tags", '<file path="a.py">\n</file>\n'),
    (Action("create", "a.py", "```\nx\n```"), "named_fences", "`a.py`\n````\n```\nx\n```\n````\n"),
]  # fmt: skip


def write(format: str | Path, *actions: Action) -> str:
    return write_format(Document(actions), format)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_written_as_the_tool_does(name: str) -> None:
    assert write(name, FILE) == FILES[name]
    (action,) = read_format(FILES[name], name).actions
    assert (action.type, action.path, action.content) == (FILE.type, FILE.path, FILE.content)


@pytest.mark.parametrize(("action", "name", "text"), TEXTS)
def test_other_actions_are_written_as_the_tool_does(action: Action, name: str, text: str) -> None:
    assert write(name, action) == text


BLOCKS = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"
EDITS = (Replacement("x = 1\n", "x = 2\n", lines=True), Replacement("y\n", "", lines=True))


def test_blocks_in_a_content_are_written_as_pairs() -> None:
    assert write("search_replace", Action("edit", "a.py", BLOCKS)) == f"a.py:\n{BLOCKS}\n"
    text = write("original_patched", Action("edit", "a.py", BLOCKS))
    assert text == "<file>a.py</file>\n<original>\nx = 1\n\n</original>\n<patched>\nx = 2\n\n</patched>\n"
    two = write("search_replace", Action("edit", "a.py", edits=EDITS))
    assert two == f"a.py:\n{BLOCKS}\n<<<<<<< SEARCH\ny\n=======\n>>>>>>> REPLACE\n"
    # What is no block is no edit there.
    with pytest.raises(RenderError, match=r"^search_replace cannot express edit a\.py$"):
        write("search_replace", DIFF)


@pytest.mark.parametrize(
    ("name", "action", "message"),
    [
        ("heredoc", REMOVAL, "heredoc cannot express delete a.py"),
        ("heredoc", DIFF, "heredoc cannot express edit a.py"),
        ("named_fences", REMOVAL, "named_fences cannot express delete a.py"),
        ("search_replace", REMOVAL, "search_replace cannot express delete a.py"),
        ("hermes_json", Action("ask", "Why?"), "hermes_json cannot express ask Why?"),
        # A call takes one pair.
        ("hermes_json", Action("edit", "a.py", edits=EDITS), "hermes_json cannot express edit a.py"),
        (
            "unified_diff",
            REMOVAL,
            "unified_diff cannot express delete a.py: the rule delete needs something that the action does not have",
        ),
        (
            "search_replace",
            WORDS,
            "search_replace cannot express edit a.py: what the rule edit writes is read as something else: "
            "'a.py:\\n<<<<<<< SEARCH\\nx=======\\ny>>>>>>> REPLACE\\n'",
        ),
        (
            "apply_patch",
            LINES,
            "apply_patch cannot express edit a.py: what the rule edit writes is read as something else: "
            "'*** Begin Patch\\n*** Update File: a.py\\n*** End Patch\\n'",
        ),
    ],
)
def test_an_action_that_a_format_does_not_have_is_refused(name: str, action: Action, message: str) -> None:
    with pytest.raises(RenderError) as caught:
        write(name, action)
    assert str(caught.value) == message


@pytest.mark.parametrize("state", [state for state in Completeness if state is not Completeness.COMPLETE])
def test_an_incomplete_action_is_refused_since_no_format_can_say_so(state: Completeness) -> None:
    """It was written as a complete one, which read back with full confidence."""
    action = Action("create", "a.py", "x\n", completeness=state)
    note = ErrorNote(str(state).capitalize(), "a.py", "it was cut off")
    for sections in ((action,), (Action("create", "a.py", "x\n"), note)):
        for name in formats():
            with pytest.raises(RenderError, match=f"create a.py is {state}, and {name} cannot say so"):
                write_format(Document(sections), name)


def test_the_beginning_of_a_long_text_is_shown() -> None:
    lengths = []
    for old in ("x " * 99, "xx " + "x " * 99):
        with pytest.raises(RenderError) as caught:
            write("search_replace", Action("edit", "a.py", edits=(Replacement(old, "y"),)))
        _, _, excerpt = str(caught.value).partition("something else: ")
        assert excerpt.startswith("'a.py:\\n<<<<<<< SEARCH\\nx") and excerpt.endswith(" x…")
        lengths.append(len(excerpt))
    assert sorted(lengths) == [99, 100]


@pytest.mark.parametrize("pair", [("x\r\ny", "z"), ("z", "x\r\ny")])
def test_an_edit_with_other_line_endings_is_written_where_they_are_escaped(pair: tuple[str, str]) -> None:
    action = Action("edit", "a.py", edits=(Replacement(*pair),))
    (loaded,) = read_format(write("react", action), "react").actions
    assert loaded.edits == action.edits
    with pytest.raises(RenderError, match="is read as something else"):
        write("tag_calls", action)


def test_an_edit_of_every_place_is_refused() -> None:
    for name in ("react", "tag_calls", "original_patched"):
        assert write(name, WORDS)
        with pytest.raises(RenderError, match="is read as something else"):
            write(name, Action("edit", "a.py", edits=(Replacement("x", "y", every=True),)))


def test_actions_follow_each_other_after_an_empty_line() -> None:
    second = Action("create", "b.py", "z = 3")
    assert write("heredoc", FILE, second) == f"{FILES['heredoc']}\ncat > b.py << 'EOF'\nz = 3\nEOF\n"
    assert write("heredoc") == ""
    # The same file twice is read as one.
    with pytest.raises(RenderError, match="heredoc cannot write these actions after each other"):
        write("heredoc", FILE, FILE)


# ---- formats of users

TERMINALS = """PATH: /[a-z.]+/
TO: /[a-z.]+/
CONTENT: /([^\\n]*\\n)*/
COMMAND: /([^\\n]*\\n)*/
PATCH: /([^\\n]*\\n)*/
ADDED: /(\\+[^\\n]*\\n)*/
INDENTED: /([ ]{4}[^\\n]*\\n|[ ]{0,3}\\n)*/
_GAP: /[ ]*/
_NL: /[ \\t]*\\n/
"""
Own = Callable[..., Path]


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """Return a function that makes a format of one rule, with those terminals that it has."""

    def make(name: str, rule: str) -> Path:
        path = tmp_path / "team.lark"
        lines = [line for line in TERMINALS.splitlines() if line.partition(":")[0] in rule]
        path.write_text(f"document: {name}*\n{name}: {rule}\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return path

    return make


def test_what_a_grammar_lets_out_is_not_written(own: Own) -> None:
    assert write(own("delete", '"rm" _GAP? " " PATH ("as " TO)? _NL'), REMOVAL) == "rm a.py\n"
    assert write(own("delete", '"rm " PATH _GAP? "now" _NL'), REMOVAL) == "rm a.pynow\n"
    # A text is written, and so is a line feed.
    assert write(own("delete", '"rm " PATH " now"? _NL?'), REMOVAL) == "rm a.py now\n"
    assert write(own("delete", '"rm " PATH (" now" | " then")? _NL?'), REMOVAL) == "rm a.py now\n"


def test_of_alternatives_the_first_that_can_be_written_is(own: Own) -> None:
    assert write(own("delete", '"rm " ("as " TO | "at " PATH) _NL'), REMOVAL) == "rm at a.py\n"
    assert write(own("delete", '("rm " | "del ") PATH _NL'), REMOVAL) == "rm a.py\n"


def test_a_value_is_written_where_it_may_be_missing(own: Own) -> None:
    assert write(own("delete", '"rm" (" " PATH)? _NL'), REMOVAL) == "rm a.py\n"
    assert write(own("delete", '"rm" (_GAP " " PATH)* _NL'), REMOVAL) == "rm a.py\n"
    assert write(own("delete", '"rm" (" " PATH)+ _NL'), REMOVAL) == "rm a.py\n"
    assert write(own("delete", '"rm " ("as " TO)* PATH _NL'), REMOVAL) == "rm a.py\n"
    # Of two ways, the one that leaves nothing out.
    assert write(own("delete", '"clean" _NL | "rm " PATH _NL'), REMOVAL) == "rm a.py\n"


@pytest.mark.parametrize("rule", ['"rm " ("x" | PATH) _NL', '"rm " ("as " TO)+ PATH _NL', '"rm" _NL | "rm " PATH TO'])
def test_a_rule_that_cannot_say_everything_is_not_used(rule: str, own: Own) -> None:
    with pytest.raises(RenderError, match=r"delete a\.py: the rule delete needs something that the action does not"):
        write(own("delete", rule), REMOVAL)


def test_a_file_is_no_patch(own: Own) -> None:
    path = own("edit", '"change " PATH _NL PATCH "end" _NL')
    with pytest.raises(RenderError, match=r"^team cannot express create a\.py$"):
        write(path, Action("create", "a.py", "x = 1"))
    assert write(path, DIFF) == "change a.py\n@@ -1 +1 @@\n-x\n+y\nend\n"


def test_a_command_of_whole_lines_ends_with_a_line_feed(own: Own) -> None:
    path = own("command", '"do:" _NL COMMAND "done" _NL')
    assert write(path, COMMAND) == "do:\nls -l\ndone\n"
    (action,) = read_format("do:\nls -l\ndone\n", path).actions
    assert (action.type, action.path) == ("run", "ls -l")
    path.write_text(
        'document: command*\ncommand: "do " COMMAND _NL\nCOMMAND: /[a-z -]+/\n_NL: /\\n/\n', encoding="utf-8"
    )
    assert write(path, COMMAND) == "do ls -l\n"


def test_lines_with_signs_are_written_with_them(own: Own) -> None:
    content = "x = 1\n\n    y"
    file = Action("create", "a.py", content)
    assert write(own("write", '"put " PATH _NL ADDED "end" _NL'), file) == "put a.py\n+x = 1\n+\n+    y\nend\n"
    # An empty line gets no blanks.
    text = "put a.py\n    x = 1\n\n        y\n"
    assert write(own("write", '"put " PATH _NL INDENTED'), file) == text


def test_a_text_that_reads_as_cut_off_is_refused(own: Own) -> None:
    path = own("write", '"put " PATH _NL CONTENT')
    with pytest.raises(RenderError, match="is read as something else"):
        write(path, Action("create", "a.py", "x = 1"))


def test_a_line_feed_is_added_to_a_section_that_ends_in_its_line(own: Own) -> None:
    assert write(own("delete", '"rm " PATH ";"'), REMOVAL) == "rm a.py;\n"
