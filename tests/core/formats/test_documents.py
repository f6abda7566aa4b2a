"""How sure an action is, what is doubted about it, and the actions in patches and scripts of a shell."""

from __future__ import annotations

import json

import pytest

from symops_lark import Completeness, Document, read_format
from symops_lark.core.document import Skipped
from symops_lark.core.formats.documents import file_sections, read_files
from symops_lark.core.grammar.format_messages import MESSAGES

CALL = '<tool_call>\n{{"name": "{}", "arguments": {}}}\n</tool_call>\n'


def call(tool: str, **arguments: object) -> str:
    return CALL.format(tool, json.dumps(arguments))


def fence(content: str, language: str = "", path: str = "a.py") -> str:
    return f"{path}\n```{language}\n{content}\n```\n"


def rows(document: Document) -> list[tuple[str, str, float, str]]:
    return [(action.type, action.path, action.confidence, str(action.completeness)) for action in document.actions]


def codes(document: Document) -> list[str]:
    return [finding.code for finding in document.diagnostics if finding.code != "outside-layout"]


# ---- how sure a reading is


@pytest.mark.parametrize(
    ("text", "name", "confidence"),
    [
        (call("bash", command="ls"), None, 0.85),
        (call("bash", command="ls"), "hermes_json", 1.0),
        (f"Well.\n{call('bash', command='ls')}", "hermes_json", 0.85),
        ("cat > a.py << 'EOF'\nx\nEOF\n", None, 0.85),
        ("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n", None, 0.85),
        (fence("x"), None, 0.69),
        (fence("x"), "named_fences", 0.69),
        ("Here is `a.py`:\n\n```\nx\n```\n", None, 0.6),
        ("I run it.\n\n```bash\nls\n```\n", None, 0.5),
        # The marks of an edit say the verb.
        (fence("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"), "named_fences", 1.0),
        (fence("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"), None, 0.85),
        # What is cut off or doubted is at most half sure.
        ('<file path="a.py">\nx', None, 0.5),
        ('<file path="a.py">\n# ... rest of the code\n</file>\n', None, 0.5),
        ("Here is `a.py`:\n\n```\nx\n", None, 0.5),
    ],
)
def test_what_says_it_decides_how_sure_an_action_is(text: str, name: str | None, confidence: float) -> None:
    (action,) = read_format(text, name).actions
    assert action.confidence == confidence


def test_one_doubt_makes_none_certain() -> None:
    good, cut = call("bash", command="ls"), '<tool_call>\n{"name": "bash", "arguments": {"command": "pwd"'
    assert [row[2] for row in rows(read_format(good + good.replace("ls", "pwd"), "hermes_json"))] == [1.0, 1.0]
    assert [row[2] for row in rows(read_format(good + cut, "hermes_json"))] == [0.85, 0.5]


def test_a_document_has_the_name_of_its_format() -> None:
    assert read_format(call("bash", command="ls")).dialect == "hermes_json"
    assert read_format(call("bash", command="ls") + fence("x")).dialect == "formats"
    assert read_format("Well.\n").dialect == "formats"
    assert read_format("Well.\n", "heredoc").dialect == "heredoc"


def test_the_message_about_a_lost_mark_names_its_format() -> None:
    (finding,) = [row for row in read_format("Action: look\n").diagnostics if row.code == "broken-section"]
    assert finding.message == MESSAGES["broken-section"].format(name="react")


# ---- doubts


def test_the_same_file_twice_is_doubted_unless_it_is_the_same_text() -> None:
    first, second = fence("x"), fence("y")
    assert [row[3] for row in rows(read_format(first + "\n" + second))] == ["suspect", "suspect"]
    document = read_format(call("write_file", path="a.py", content="x") + call("write_file", path="a.py", content="y"))
    assert [row[2:] for row in rows(document)] == [(0.85, "complete"), (0.5, "suspect")]
    assert codes(document) == ["same-file-twice"]
    document = read_format(call("write_file", path="a.py", content="x") * 2)
    assert [row[2:] for row in rows(document)] == [(0.85, "complete")]
    # An edit may follow, and so may another edit.
    edit = call("edit_file", path="a.py", old_string="x", new_string="y")
    document = read_format(call("write_file", path="a.py", content="x") + edit + edit)
    assert [row[3] for row in rows(document)] == ["complete"] * 3 and codes(document) == []


def test_a_content_that_leaves_code_out_is_a_part_of_a_file() -> None:
    text = "def f():\n    # ... rest of the code\n"
    document = read_format(call("write_file", path="a.py", content=text))
    assert codes(document) == ["part-of-a-file"] and rows(document)[0][3] == "suspect"
    document = read_format(call("edit_file", path="a.py", content=text))
    assert codes(document) == [] and rows(document)[0][3] == "complete"


def test_the_content_of_an_edit_of_pairs_shows_them() -> None:
    (action,) = read_format(call("edit_file", path="a.py", old_string="x = 1", new_string="x = 2")).actions
    assert action.content == "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"
    assert action.content_span is None


def test_a_content_has_a_place_only_where_it_is_as_it_is() -> None:
    texts = {
        '<file path="a.py">\nx = 1\n</file>\n': True,
        "cat > a.py << 'EOF'\nx = 1\nEOF\n": True,
        "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch\n": False,
        call("write_file", path="a.py", content="x = 1"): False,
        "<write_file>\n<path>a.py</path>\n<content>\nx = 1\n</content>\n</write_file>\n": True,
    }
    for text, has_place in texts.items():
        for reply in (text, text.replace("\n", "\r\n")):
            (action,) = read_format(reply).actions
            assert action.content == "x = 1"
            span = action.content_span
            assert (span is not None) == has_place
            assert span is None or reply[span.start : span.end] == "x = 1"
    # The beginning of another value is no place of an empty content.
    (action,) = read_format("<write_file>\n<path>a.py</path>\n<content>\n</content>\n</write_file>\n").actions
    assert (action.content, action.content_span) == ("", None)


def test_text_around_sections_is_left_out_with_a_finding() -> None:
    text = f"Well.\n\n{call('bash', command='ls')}\nSo.\n"
    document = read_format(text)
    skipped = [section.text for section in document.sections if isinstance(section, Skipped)]
    assert skipped == ["Well.", "So."]
    spans = [finding.span for finding in document.diagnostics]
    assert [text[span.start : span.end] for span in spans] == ["Well.", "So."]


# ---- patches of several files

PATCH = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n@@\n-x\n+y\n*** End Patch"


def test_a_patch_in_a_call_is_one_action_for_each_file() -> None:
    for patch in (PATCH, f"{PATCH}\n"):
        document = read_format(call("apply_patch", input=patch))
        assert rows(document) == [("create", "a.py", 0.85, "complete"), ("edit", "b.py", 0.85, "complete")]
        assert [action.content for action in document.actions] == ["x", "@@\n-x\n+y"]
    document = read_format(call("apply_patch", input="--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n\nSo."))
    assert rows(document) == [("edit", "a.py", 0.5, "suspect")]


def test_doubts_about_a_patch_are_doubts_about_its_actions() -> None:
    document = read_format(call("apply_patch", input=PATCH.replace("+y\n", "+y\nz\n")))
    assert [row[3] for row in rows(document)] == ["complete", "suspect"]
    assert codes(document) == ["unsigned-lines"]


@pytest.mark.parametrize("patch", ["", "nothing", "*** Begin Patch\n*** End Patch\n"])
def test_a_patch_of_no_file_is_left_out(patch: str) -> None:
    document = read_format(call("apply_patch", input=patch))
    assert rows(document) == [] and codes(document) == ["missing-argument"]


def test_a_file_of_a_patch_that_has_no_path_is_left_out() -> None:
    document = read_format(call("apply_patch", input=PATCH.replace("b.py", "src/")))
    assert [row[1] for row in rows(document)] == ["a.py"]


# ---- scripts of a shell

HERE = "cat > {} << 'EOF'\nx\nEOF"


@pytest.mark.parametrize("before", ["", "mkdir -p src/a\n", "# It writes them.\n\n  mkdir -p src\n"])
def test_a_script_of_nothing_but_files_writes_them(before: str) -> None:
    script = before + HERE.format("a.py") + "\n\n" + HERE.format("b.py")
    document = read_format(f"Do it:\n\n```bash\n{script}\n```\n\nSo.\n")
    assert rows(document) == [("create", "a.py", 0.69, "suspect"), ("create", "b.py", 0.69, "suspect")]
    assert codes(document) == ["file-without-verb"] * 2


@pytest.mark.parametrize("further", ["ls", "mkdir -p src; ls", "rm -r src"])
def test_a_script_that_does_more_is_a_command(further: str) -> None:
    script = HERE.format("a.py") + "\n" + further
    document = read_format(f"Do it:\n\n```bash\n{script}\n```\n")
    assert rows(document) == [("run", script, 0.5, "complete")]
    assert codes(document) == ["shell-fence"]
    # One that prepares for nothing is a command, too.
    document = read_format("Do it:\n\n```bash\nmkdir -p src\n```\n")
    assert [row[:2] for row in rows(document)] == [("run", "mkdir -p src")]


@pytest.mark.parametrize(
    "text",
    [
        "Do it:\n\n```bash\nls\n```\n\nThen look.\n",
        "```python\nx\n```\n\n```bash\nls\n```\n",
        "Do it:\n\n```bash\nls\n",
    ],
)
def test_a_command_in_a_fence_must_be_alone_and_end_the_reply(text: str) -> None:
    document = read_format(text)
    assert rows(document) == [] and "no-file-named" in codes(document)


# ---- files


def test_samples_and_scripts_name_no_file() -> None:
    rules = {(section.format_name, section.rule) for section in file_sections()}
    assert ("named_fences", "write") in rules and ("hermes_json", "call") in rules
    assert not rules & {("named_fences", "command"), ("named_fences", "sample")}
    document = read_files(f"{fence('x')}\n```bash\nls\n```\n")
    assert [action.path for action in document.actions] == ["a.py"]
    assert all(action.completeness is not Completeness.COMPLETE for action in document.actions)
