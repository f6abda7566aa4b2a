"""What models write instead of the documented notations: patches in fences, bare heads, lists of words, sentences."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Completeness, ProtocolError, process, read_format

BLOCK = "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n"
UPDATE = "*** Update File: a.py\n@@\n-a = 1\n+a = 2\n"
PATCH = f"*** Begin Patch\n{UPDATE}*** Add File: b.py\n+b\n*** Delete File: c.py\n*** End Patch\n"


def codes(text: str, format: str | None = None) -> list[str]:
    rows = [finding.code for finding in read_format(text, format).diagnostics]
    return sorted(set(rows) - {"outside-layout"})


# ---- patches


@pytest.mark.parametrize("info", ["", "diff", "patch", "bash", "text", "apply_patch"])
@pytest.mark.parametrize("format", [None, "apply_patch"])
def test_a_patch_may_be_in_a_fence(info: str, format: str | None) -> None:
    document = read_format(f"```{info}\n{PATCH}```\n", format)
    rows = [(action.type, action.path) for action in document.actions]
    assert rows == [("edit", "a.py"), ("create", "b.py"), ("delete", "c.py")]
    assert document.diagnostics == ()
    assert all(action.completeness is Completeness.COMPLETE for action in document.actions)


@pytest.mark.parametrize("body", [f"*** Begin Patch\n{UPDATE}*** End Patch\n", UPDATE])
def test_lines_without_a_sign_end_before_the_fence(body: str) -> None:
    text = f"```diff\n{body}```\n\nText.\n\n```text\nx\n```\n".replace("@@\n", "@@\ndef f():\n")
    (action,) = read_format(text).actions
    assert (action.content, str(action.completeness)) == ("@@\ndef f():\n-a = 1\n+a = 2", "suspect")
    assert codes(text) == ["no-file-named", "unsigned-lines"]


@pytest.mark.parametrize("context", ["", " b\n"])
def test_a_hunk_of_a_diff_needs_no_numbers(context: str) -> None:
    hunk = f"@@\n{context}-a = 1\n+a = 2"
    for text in (f"```diff\n--- a/a.py\n+++ b/a.py\n{hunk}\n```\n", f"--- a.py\n+++ a.py\n{hunk}\n\nThat is all.\n"):
        (action,) = read_format(text, "unified_diff").actions
        assert (action.type, action.content) == ("edit", hunk)
        assert action.completeness is Completeness.COMPLETE
    (action,) = read_format("```diff\n--- /dev/null\n+++ b/b.py\n@@\n+b\n```\n").actions
    assert (action.type, action.path, action.content) == ("create", "b.py", "b")


# ---- calls


@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters="\0"), min_size=1), min_size=3, max_size=3))
def test_a_list_of_words_is_a_command(words: list[str]) -> None:
    call = json.dumps({"name": "shell", "arguments": {"command": words}})
    expected = [action.path for action in read_format(f"{call}\n").actions]
    bare = json.dumps({"command": words})
    assert [action.path for action in read_format(f"{bare}\n").actions] == expected
    # Beside prose it may be data.
    assert read_format(f"The file has this:\n\n{bare}\n").actions == ()


def test_the_last_word_of_a_login_shell_is_the_command() -> None:
    for text in (
        '{"command": ["bash", "-lc", "ls | wc"]}\n',
        '{"command": ["bash", "-lc", "ls | wc"], "timeout": 9}\n',
    ):
        (action,) = read_format(text).actions
        assert (action.type, action.path) == ("run", "ls | wc")
    assert read_format('{"command": "ls"}\n').actions == read_format('{"command": [1, 2]}\n').actions == ()


@pytest.mark.parametrize(
    "head",
    [
        "commentary to=functions.container.exec <|constrain|>json",
        "commentary to=container.exec <|constrain|>json",
        "analysis to=container.exec json",
        "commentary to=functions.shell",
    ],
)
def test_a_call_of_harmony_may_have_another_namespace(head: str) -> None:
    text = f'<|channel|>{head}<|message|>{{"cmd": ["bash", "-lc", "ls"]}}<|call|>\n'
    (action,) = process(text, format="harmony").document.actions
    assert (action.type, action.path, action.confidence) == ("run", "ls", 1)


@pytest.mark.parametrize("analysis", ["I think.", "\nThese are the functions.\n", "Is it\n<|message|>?"])
def test_messages_of_harmony_without_a_call_are_no_lost_calls(analysis: str) -> None:
    start = "<|start|>assistant"
    thought = f"<|channel|>analysis<|message|>{analysis}<|end|>"
    preamble = f"{start}<|channel|>commentary<|message|>I list them.<|end|>"
    call = f'{start}<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{{"command": "ls"}}<|call|>'
    document = read_format(f"{thought}{preamble}{call}")
    assert [action.path for action in document.actions] == ["ls"]
    assert "broken-section" not in codes(f"{thought}{preamble}{call}")
    with pytest.raises(ProtocolError) as caught:
        process(f"{thought}{start}<|channel|>final<|message|>Done.<|return|>")
    assert "broken-section" not in [finding.code for finding in caught.value.diagnostics]
    # A call that cannot be read is still one.
    assert "broken-section" in codes(f"{thought}{call.replace('<|message|>', ' ')}")


def test_edits_may_be_a_text_of_json() -> None:
    def call(edits: str) -> str:
        return (
            '<invoke name="MultiEdit">\n<parameter name="file_path">a.py</parameter>\n'
            f'<parameter name="edits">{edits}</parameter>\n</invoke>\n'
        )

    text = call('[{"old_string": "a", "new_string": "b"}]')
    (action,) = process(text, format="invoke_xml").document.actions
    assert (action.type, action.path, [(edit.old, edit.new) for edit in action.edits]) == ("edit", "a.py", [("a", "b")])
    assert codes(call('[{"old_string": "a"')) == codes(call("")) == ["missing-argument"]


# ---- names above search/replace blocks


@pytest.mark.parametrize("fence", ["", "```python\n"])
@pytest.mark.parametrize(
    ("line", "is_sure"),
    [
        ("File: src/a.py", True),
        ("**File path:** `src/a.py`", True),
        ("### File: `src/a.py`", True),
        ("- `src/a.py`:", True),
        ("## 1. Fix `src/a.py`", False),
        ("In `src/a.py`, add this:", False),
    ],
)
def test_a_line_may_name_the_file_of_a_block(line: str, is_sure: bool, fence: str) -> None:
    close = "```\n" if fence else ""
    text = f"{line}\n{fence}{BLOCK}{close}"
    (action,) = read_format(text, "search_replace").actions
    assert (action.type, action.path) == ("edit", "src/a.py")
    assert (action.completeness is Completeness.COMPLETE) == is_sure
    assert codes(text, "search_replace") == ([] if is_sure else ["name-in-sentence"])


@pytest.mark.parametrize(
    "line", ["Change `add`:", "Change `self.add()`:", "In `a.py`, change `b.py`:", "Change a.py so:"]
)
def test_another_line_names_no_file(line: str) -> None:
    text = f"{line}\n\n```python\n{BLOCK}```\n"
    assert read_format(text).actions == ()
    assert codes(text) == ["broken-section"]


@pytest.mark.parametrize("word", ["Now", "First,", "Next", "Then", "finally,"])
@pytest.mark.parametrize("sentence", ["create `a.py`:", "write the file `a.py` with this content:"])
def test_a_sentence_may_begin_with_an_adverb(sentence: str, word: str) -> None:
    result = process(f"{word} {sentence}\n\n```python\nx = 1\n```\n")
    (action,) = result.document.actions
    assert (action.path, action.content, action.confidence) == ("a.py", "x = 1", 0.6)
    assert [finding.code for finding in result.diagnostics] == ["name-in-sentence"]
