"""Where sections end, and what their ends make doubtful."""

from __future__ import annotations

import pytest

from symops_lark import read_format

FILE = '<file path="a.py">\nx\n</file>\n'
BLOCK = "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"
NEW = "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+x\n+y\n"
JSON = '{"name": "bash", "command": "ls"}\n'
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n"


def states(text: str, name: str | None = None) -> list[tuple[str, str]]:
    """Return the path and the completeness of each action."""
    return [(action.path, str(action.completeness)) for action in read_format(text, name).actions]


def codes(text: str, name: str | None = None) -> list[str]:
    return [finding.code for finding in read_format(text, name).diagnostics if finding.code != "outside-layout"]


# ---- the first of several sections


def test_the_section_that_begins_first_is_read_first() -> None:
    assert states(FILE + BLOCK.replace("a.py", "b.py") + "\nSo.\n") == [("a.py", "complete"), ("b.py", "complete")]
    assert states(BLOCK.replace("a.py", "b.py") + FILE) == [("b.py", "complete"), ("a.py", "complete")]
    # What is in a section begins none.
    inner = FILE.replace("a.py", "b.py")
    assert states(f"cat > a.md << 'EOF'\n{inner}EOF\n{FILE}") == [("a.md", "complete"), ("a.py", "complete")]


def test_a_fence_with_a_name_is_no_sample() -> None:
    assert states("a.py\n```\nx\n```\n") == states("```py a.py\nx\n```\n") == [("a.py", "suspect")]
    assert states("```python\nx\n```\n") == []


def test_sections_may_follow_each_other_directly() -> None:
    text = "".join(f'<file path="{name}">x</file>' for name in ("a.py", "b.py")) + "\n"
    assert states(text.replace("><f", ">\n<f")) == [("a.py", "complete"), ("b.py", "complete")]
    # An opener begins a line.
    assert [path for path, _ in states(text)] == ["a.py"]


# ---- ends


@pytest.mark.parametrize(
    ("text", "state"),
    [
        # A fence without its end is cut off; a block without a fence has its end.
        (BLOCK, "complete"),
        (f"```\n{BLOCK}", "suspect"),
        (f"{BLOCK}\nSo.\n", "complete"),
        (f"```\n{BLOCK}```\n", "complete"),
        # The head of the hunk counts its lines.
        (DIFF, "complete"),
        (DIFF.replace("+1 @@", "+1,2 @@"), "suspect"),
        (DIFF.replace("@@ -1 +1 @@", "@@ def f():"), "suspect"),
        (NEW, "complete"),
        (NEW.replace("+1,2", "+1,3"), "suspect"),
        (NEW.replace("+1,2", "+1"), "suspect"),
        (NEW.replace("+1,2", "+1,3") + "\nSo.\n", "suspect"),
        (NEW.replace("+1,2", "+1") + "\nSo.\n", "complete"),
        # The head itself is cut off.
        (NEW.partition(" @@")[0] + "\nSo.\n", "suspect"),
        # Models count wrongly, and a fence shows the end.
        ("```diff\n" + NEW.replace("+1,2", "+1,3") + "```\n", "complete"),
        ("```diff\n" + NEW, "suspect"),
        (f"```diff\n{DIFF}", "suspect"),
        (f"```diff\n{DIFF}```\n", "complete"),
        (f"{DIFF}\nSo.\n", "complete"),
        # JSON shows its end itself.
        (f"```json\n{JSON}", "complete"),
        (JSON, "complete"),
        (f"{JSON}```\n", "complete"),
        # The reply ends inside the mark of a further part.
        (f"{BLOCK}\n<<<<<<", "truncated"),
        (f"{BLOCK}\n<<<<<<x", "complete"),
        ("*** Begin Patch\n*** Delete File: a.py\n", "complete"),
        ("*** Begin Patch\n*** Delete File: a.py", "suspect"),
        ("<file path=", ""),
        ('<file path="a.py">\nx', "truncated"),
    ],
)
def test_the_end_of_a_reply_may_be_that_of_a_section(text: str, state: str) -> None:
    assert [row for _, row in states(text)] == ([state] if state else [])
    if state in ("complete", "suspect"):
        assert ("no-closing-mark" in codes(text)) == (state == "suspect")


def test_a_mark_that_follows_far_away_is_not_one_of_the_end() -> None:
    assert states(f"{BLOCK}{' ' * 300}\n<<<<<<\nSo.\n") == [("a.py", "complete")]
    assert states(f"{BLOCK}{'x' * 300}\n<<<<<<") == [("a.py", "complete")]


def test_another_end_before_the_next_section_is_an_early_one() -> None:
    second = FILE.replace("a.py", "b.py")
    assert states(f"{FILE}more\n</file>\n") == [("a.py", "suspect")]
    assert codes(f"{FILE}more\n</file>\n")[0] == "early-close"
    assert states(f"{FILE}more\n{second}") == [("a.py", "complete"), ("b.py", "complete")]
    assert states(f"{FILE}more\n{second}more\n</file>\n") == [("a.py", "complete"), ("b.py", "suspect")]
    assert states(f"{FILE}more\n</file>\n{second}") == [("a.py", "suspect"), ("b.py", "complete")]


# ---- values of JSON


def test_a_call_without_its_mark_ends_with_its_value_and_others_are_read() -> None:
    call = '<tool_call>\n{"name": "bash", "arguments": {"command": "%s"}}\n</tool_call>\n'
    first, second = call % "ls", call % "pwd"
    assert states(first + second) == [("ls", "complete"), ("pwd", "complete")]
    for damaged in (first.replace("</tool_call>", ""), first.replace("</tool_call>", "Well.")):
        assert states(damaged + second) == [("ls", "suspect"), ("pwd", "complete")]
        assert "no-closing-mark" in codes(damaged + second)
    # A broken value ends before the next call, with the mark of its own.
    broken = first.replace('"ls"}}', '"ls", }}')
    assert states(broken + second) == [("pwd", "complete")]
    assert codes(broken + second) == ["broken-section"]
    functions = (broken + second).replace('{"name": "bash", "arguments": ', "").replace("}}", "}").replace(" }}", " }")
    functions = functions.replace("<tool_call>", "<function=bash>").replace("</tool_call>", "</function>")
    assert states(functions) == states(functions.replace("</function>", "", 1)) == [("pwd", "complete")]
    # What lacks its end is completed, and may be longer.
    cut = first.partition('"}}')[0]
    assert states(cut) == [("ls", "truncated")]


def test_what_no_value_follows_is_no_call() -> None:
    def lost(value: str) -> list[str]:
        text = f"<function=bash>\n{value}\n</function>\nSo.\n"
        findings = [finding for finding in read_format(text).diagnostics if finding.code == "broken-section"]
        return [text[finding.span.start : finding.span.end] for finding in findings]

    # A broken value is a section that is broken as a whole.
    assert lost("{a}") == lost("[1]") == ["<function=bash>", "</function>"]
    assert lost('{"a": x}') == ['<function=bash>\n{"a": x}\n</function>']


@pytest.mark.parametrize("before", ["Action: bash\nAction Input: ", "[TOOL_CALLS]bash[ARGS]"])
def test_a_value_may_be_the_end_of_its_call(before: str) -> None:
    for value, state in (
        ('{"command": "ls"}', "complete"),
        ('{"command": "ls"', "suspect"),
        ('{"command": "l', "truncated"),
    ):
        assert [row[1] for row in states(before + value)] == [state]
        assert "no-closing-mark" not in codes(before + value)
    call = before + '{"command": "ls"}\n'
    assert states(f"{call}So.\n{call}") == [("ls", "complete")] * 2


def test_a_value_that_is_completed_is_cut_off_only_at_the_end_of_the_reply() -> None:
    cut, complete = '<function=bash>\n{"command": "ls"\n', '<function=bash>\n{"command": "pwd"}\n</function>\n'
    assert states(cut + complete) == [("ls", "suspect"), ("pwd", "complete")]
    assert states(complete + cut) == [("pwd", "complete"), ("ls", "truncated")]


def test_no_number_of_whole_values_is_too_large() -> None:
    assert len(states('[bash(command="ls")]\n\n' * 70)) == 70
    assert len(states('<function=bash>\n{"command": "ls"}\n</function>\n' * 70)) == 70


def test_the_end_of_a_fence_that_a_call_opened_begins_no_other_one() -> None:
    call = '<tool_calls>\n<tool_call>bash\n```json\n{"command": "ls"}\n'
    fenced = "\na.py\n```\nx\n```\n"
    assert states(f"{call}```\n{fenced}") == [("ls", "suspect"), ("a.py", "suspect")]
    assert states(f"{call}{fenced}") == [("ls", "suspect"), ("a.py", "suspect")]
    # A fence after a call that opened none is another one.
    text = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n```py a.py\nx\n```\n'
    assert states(text) == [("ls", "suspect"), ("a.py", "suspect")]


# ---- lines without a sign


@pytest.mark.parametrize(
    ("text", "content", "state"),
    [
        (f"{PATCH}*** End Patch\n", "@@\n-x\n+y", "complete"),
        (f"{PATCH}z\n*** End Patch\n", "@@\n-x\n+y\nz", "suspect"),
        (f"{PATCH}\n*** End Patch\n", "@@\n-x\n+y", "complete"),
        (f"{PATCH}z\n*** Update File: b.py\n@@\n-x\n+y\n*** End Patch\n", "@@\n-x\n+y\nz", "suspect"),
        (f"{PATCH}z\n", "@@\n-x\n+y\nz", "truncated"),
        # Without an envelope, an empty line ends it.
        (f"{PATCH.partition(chr(10))[2]}z\n", "@@\n-x\n+y", "suspect"),
        (f"{PATCH.partition(chr(10))[2]}\nz\n", "@@\n-x\n+y", "complete"),
        (f"```diff\n{DIFF}z\n```\n", "@@ -1 +1 @@\n-x\n+y\nz", "suspect"),
        (f"```diff\n{DIFF}```\nz\n", "@@ -1 +1 @@\n-x\n+y", "complete"),
        (f"```diff\n{DIFF}z\n", "@@ -1 +1 @@\n-x\n+y\nz", "truncated"),
        ("*** Add File: a.py\n+x\n\nz\n", "x", "complete"),
        ("*** Add File: a.py\n+x\nz\n", "x", "suspect"),
        # An envelope that ended before is not around it.
        (
            f"*** Begin Patch\n*** Delete File: b.py\n*** End Patch\n{PATCH.partition(chr(10))[2]}\nz\n",
            None,
            "complete",
        ),
    ],
)
def test_lines_without_a_sign_belong_to_a_patch_that_is_open(text: str, content: str | None, state: str) -> None:
    actions = [action for action in read_format(text).actions if action.path == "a.py"]
    assert [str(action.completeness) for action in actions] == [state]
    assert content is None or actions[0].content == content
    assert ("unsigned-lines" in codes(text)) == ((content or "").endswith("\nz") or state == "suspect")


def test_the_lines_of_a_removed_file_may_lack_their_signs() -> None:
    text = "```diff\n--- a/a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\nz\n```\n"
    for after in ("", "So.\n"):
        (action,) = read_format(text + after).actions
        assert (action.type, str(action.completeness)) == ("delete", "suspect")
        # The mark that ends the lines is a part of the section.
        assert action.span.end == len(text)
    text = f"{PATCH}z\n*** End Patch\n"
    assert read_format(text + "So.\n").actions[0].span.end == len(text)
