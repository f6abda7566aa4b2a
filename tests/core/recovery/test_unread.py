"""A reply whose only section is a thought is no success if a fence or a call in it was not read."""

from __future__ import annotations

import pytest

import symops_lark
from symops_lark import Phase, ProtocolError, process

_UNREAD = [
    "Thought: list\n```\nls -a\n```\n",
    "Thought: I should list files.\nCode:\n```py\nprint(1)\n```<end_code>\n",
    "Thoughts:\nIt must be executable.\n\nAction:\n```\nchmod +x hello.sh\n```\n",
    "Thought: x\nAction: search\nAction Input: foo bar\n",
    "**Reasoning:** x\n\n~~~sh\nls\n~~~\n\n~~~sh\npwd\n~~~\n",
    "Thought: x\n\n```\nls -a\n```\n",
    "Thought: x\nAction: frobnicate\nAction Input: ls -a\n",
    "Thought: x\n\nNow create `b.py`, which imports it:\n\n```python\nx = 1\n```\n",
    "Thought: x\n\nBelow is a patch.\n\n```\n@@ -1 +1 @@\n-a\n+b\n```\n",
]
_ANSWERS = [
    "```\n>> a thought\n```\n",
    "```\n>> a thought\n",
    "```text\nThought: x\n\nThought: y\n```\n",
    "Thought: I know it.\nFinal Answer: 4\n",
    "Reasoning: I need no file.\n",
    "Thought: nothing to do. `ls` shows it\n",
    ">> a thought\n",
    ">> All is done.\n\nThe tests printed:\n\n```text\n3 passed\n```\n",
    ">> All is done.\n\n```text\n3 passed\n```\n",
    ">> Use a key.\n\nLike this:\n\n```python\nsorted(x, key=len)\n```\n",
    ">> Use a key.\n\n```python\nsorted(x, key=len)\n```\n",
    ">> Run it with:\n\nThe command:\n\n```bash\npytest -q\n```\n",
    ">> All is done.\n\nAction: none\n",
    ">> All is done.\n\nAction: None needed.\nAction Input: -\n",
    ">> All is done.\n\nA rule:\n\n```yaml\nAction: allow\n```\n",
    "Thought: I know it.\nAction: Finish[4]\n",
    "Thought: nothing is left to do\n\n```\n\n```\n",
]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("format", ["auto", "v1", "v2"])
@pytest.mark.parametrize("text", _UNREAD)
def test_a_thought_does_not_hide_what_was_not_read(text: str, format: str, ending: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        process(text.replace("\n", ending), format=format)
    codes = {row.code for row in caught.value.diagnostics if row.severity == "error"}
    assert codes & {"lost-action", "empty-document"}
    assert caught.value.reason == "no-section"
    if "empty-document" not in codes:
        assert "only thoughts" in str(caught.value)


@pytest.mark.parametrize("before", ["", "Well.\n"])
@pytest.mark.parametrize("after", ["", "\nDone.\n"])
def test_the_error_has_the_place_of_the_fence(before: str, after: str) -> None:
    fence = "```diff\n@@ -1 +1 @@\n-a\n+b\n```"
    reply = f"{before}{fence}\n\n>> a thought\n{after}"
    with pytest.raises(ProtocolError) as caught:
        process(reply, format="v2")
    (error,) = [row for row in caught.value.diagnostics if row.code == "lost-action" and row.severity == "error"]
    assert reply[error.span.start : error.span.end] == fence


@pytest.mark.parametrize("text", _ANSWERS)
def test_thoughts_alone_are_read(text: str) -> None:
    result = process(text, format="v2")
    assert result.valid and not result.document.actions


def test_a_valid_thought_stays_as_it_is() -> None:
    result = process(">> Action: ls\n\n>> ```\n", format="v2")
    assert (result.phase, result.confidence) == (Phase.STRICT, 1.0)


def test_a_question_is_an_answer() -> None:
    result = process("Thought: x\n\n?? Which one?\n\n```\nls\n```\n", format="v2")
    assert result.valid and result.document.questions


def test_the_fence_is_extracted_on_request() -> None:
    processor = symops_lark.SymOpsProcessor("v2", extract=True)
    (action,) = processor.process("Thought: x\n\nCode:\n```python\nx = 1\n```\n").document.actions
    assert action.content == "x = 1"


def test_a_stream_refuses_it_as_well() -> None:
    parser = symops_lark.StreamParser("v2")
    parser.receive(_UNREAD[0])
    assert isinstance(parser.close().error, ProtocolError)
