"""What is around the sections of formats: other speakers, thinking, indentation, and marks of lost sections."""

from __future__ import annotations

from textwrap import indent

import pytest
from format_samples import SECTIONS, Sample
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import Completeness, Document, ProtocolError, StreamParser, process, read_format, write_format
from symops_lark.core.document import Action
from symops_lark.core.formats.documents import DOUBTED
from symops_lark.core.streaming import ActionStarted, Noticed

TURNS = ("\n\nUser: and the rest as well\n\n", "\n\nHuman: yes, continue\n\n", "<|im_end|>\n<|im_start|>user\nYes\n")


def codes(document: Document) -> set[str]:
    return {finding.code for finding in document.diagnostics}


def delete(path: str) -> str:
    return write_format(Document((Action("delete", path),)), "qwen_xml")


@given(st.sampled_from(SECTIONS), st.sampled_from(SECTIONS), st.sampled_from(TURNS))
def test_what_follows_an_invented_turn_is_doubted(first: Sample, second: Sample, turn: str) -> None:
    assume(not {row[:2] for row in first.actions} & {row[:2] for row in second.actions})
    document = read_format(first.text + turn + second.text)
    doubted = [action for action in document.actions if action.span.start > len(first.text)]
    assert len(doubted) == len(second.actions)
    assert all(action.confidence <= DOUBTED for action in doubted)
    assert not any(action.completeness is Completeness.COMPLETE for action in doubted)
    assert len(document.actions) == len(first.actions) + len(second.actions)


@pytest.mark.parametrize("size", [1, 9, 10_000])
def test_a_stream_doubts_what_follows_an_invented_turn_at_once(size: int) -> None:
    text = delete("a.py") + TURNS[0] + delete("b.py") + delete("c.py") + "\nThat is all.\nDone.\n"
    parser = StreamParser("qwen_xml")
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events = list(parser.events(pieces))
    piece = ""
    doubts = {}
    for event in events:
        if isinstance(event, Noticed):
            piece = event.diagnostic.code
        elif isinstance(event, ActionStarted):
            doubts[event.action.path] = piece
            piece = ""
    assert doubts == {"a.py": "", "b.py": "invented-turn", "c.py": "invented-turn"}
    closed = parser.close()
    assert closed.differences == ()
    assert closed.result == process(text, "qwen_xml")


@pytest.mark.parametrize("sample", SECTIONS, ids=lambda sample: sample.format)
def test_a_section_of_thinking_does_nothing(sample: Sample) -> None:
    draft = delete("draft.py")
    for text in (f"<think>\nMaybe:\n{draft}\n</think>\n\n{sample.text}", f"Maybe:\n{draft}\n</think>\n\n{sample.text}"):
        document = read_format(text)
        drafts = [action for action in document.actions if action.path == "draft.py"]
        assert all(action.confidence <= DOUBTED for action in drafts)
        assert {row[1] for row in sample.actions} <= {action.path for action in document.actions}


@pytest.mark.parametrize("lead", ["<|im_start|>assistant", "\u200b", "\ufeff", "<|start|>"])
@pytest.mark.parametrize("name", ["qwen_xml", "tag_calls", "file_tags", "glm", "hermes_json"])
def test_a_token_or_an_unseen_sign_before_a_mark_hides_nothing(name: str, lead: str) -> None:
    text = write_format(Document((Action("create", "a.py", "x = 1"),)), name)
    (action,) = read_format(lead + text, name).actions
    assert (action.path, action.content) == ("a.py", "x = 1")


CODE = "def f():\n    return 1\n\n\nprint(f())"


@pytest.mark.parametrize("name", ["qwen_xml", "tag_calls", "file_tags", "glm", "original_patched"])
def test_the_indentation_of_a_whole_section_is_taken_off_and_told(name: str) -> None:
    text = write_format(Document((Action("create", "a.py", CODE),)), name)
    document = read_format(indent(text, "  "))
    (action,) = document.actions
    assert (action.path, action.content) == ("a.py", CODE)
    assert action.completeness is Completeness.SUSPECT
    assert "indented-section" in codes(document)


@pytest.mark.parametrize("blanks", ["   ", "    "])
def test_a_fence_in_an_item_of_a_list_is_read_as_in_markdown(blanks: str) -> None:
    fence = indent(f"```python\n{CODE}\n```\n", blanks)
    document = read_format(f"1. **src/a.py**:\n\n{fence}\n2. Then run the tests.\n")
    (action,) = document.actions
    assert (action.path, action.content) == ("src/a.py", CODE)
    assert "indented-section" not in codes(document)


@given(st.sampled_from(["qwen_xml", "tag_calls", "file_tags", "original_patched"]), st.sampled_from([" ", "\t", "  "]))
def test_blanks_at_marks_are_no_content(name: str, blanks: str) -> None:
    text = write_format(Document((Action("create", "a.py", CODE),)), name)
    lines = text.split("\n")
    marks = [line for line in lines if line.startswith("<")]
    trailing = "\n".join(line + blanks if line in marks else line for line in lines)
    leading = "\n".join(blanks + line if line.startswith("</") else line for line in lines)
    for changed in (trailing, leading):
        (action,) = read_format(changed, name).actions
        assert action.content == CODE


LOST = (
    "<tool_call>\n{not json at all\n</tool_call>\n",
    '{"name": "write_file", "arguments": {"path": "a.py", "content": "x" oops}}\n',
    "<write_file>\n<path>\na.py\n</path>\n\nx = 1\n</content>\n</write_file>\n",
    '<file path="a.py\nx = 1\n</file>\n',
    "    <tool_call>\n    <function=write_file\n    </tool_call>\n",
    "--- /dev/null\n+++ b/\n@@ -0,0 +1 @@\n+x\n",
    "```text\n`src/a.py`\n```\nx = 1\n```\n```\n",
    "`src/a.py`\n```\n```text\nx = 1\n```\n```\n\n`src/b.py`\n```\ny = 1\n```\n",
)


@pytest.mark.parametrize("text", LOST)
def test_a_section_that_cannot_be_read_is_told(text: str) -> None:
    document = read_format(f"I do it.\n\n{text}\nDone.\n")
    warnings = [finding for finding in document.diagnostics if finding.severity == "warning"]
    assert warnings
    assert not any(action.completeness is Completeness.COMPLETE for action in document.actions)


def test_the_number_of_a_version_is_no_file() -> None:
    text = "Patch:\n-- \n2.47.1\n```\nThe tests pass.\n```\n"
    assert read_format(text).actions == ()


def test_a_fence_with_words_behind_it_may_be_the_end() -> None:
    text = "`a.py`\n```\nx = 1\n``` end of a.py\n\n`b.py`\n```\ny = 1\n```\n"
    document = read_format(text)
    assert "holds-another-section" in codes(document)
    assert not any(action.completeness is Completeness.COMPLETE for action in document.actions)


def test_a_search_for_a_blank_line_makes_a_file() -> None:
    text = "a.py:\n<<<<<<< SEARCH\n\n=======\nx = 1\n>>>>>>> REPLACE\n"
    (action,) = read_format(text, "search_replace").actions
    assert (action.type, action.content) == ("create", "x = 1")


GUIDE = "# Guide\n\nWrite:\n\n::create @greet.py\n<<<\nprint(1)\n>>>\n\n::run @python greet.py\n"


@pytest.mark.parametrize("lead", ["`docs/guide.md`\n", "Here is `docs/guide.md`:\n", "### docs/guide.md\n\n"])
def test_a_named_file_that_shows_our_notation_is_a_file(lead: str) -> None:
    result = process(f"Sure.\n\n{lead}```markdown\n{GUIDE}```\n")
    (action,) = result.document.actions
    assert (action.type, action.path, action.content) == ("create", "docs/guide.md", GUIDE.removesuffix("\n"))


def test_a_fence_that_is_named_after_our_action_is_around_a_reply() -> None:
    result = process("Sure.\n\n`greet.py`\n```\n::create @greet.py\n<<<\nprint(1)\n>>>\n```\n")
    (action,) = result.document.actions
    assert (action.path, action.content) == ("greet.py", "print(1)")


CALL = '<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>{"path":"a.py","content":"x"}<|call|>'
START = "<|start|>assistant"
MESSAGES = {
    "analysis": f"{START}<|channel|>analysis<|message|>I think.<|end|>",
    "preamble": f"{START}<|channel|>commentary<|message|>I write a.py.<|end|>",
    "final": f"{START}<|channel|>final<|message|>Done.<|return|>",
}


@pytest.mark.parametrize("format", ["auto", "harmony"])
@pytest.mark.parametrize("first", [START, ""])
@pytest.mark.parametrize("before", [(), ("analysis",), ("preamble",), ("analysis", "preamble")])
@pytest.mark.parametrize("after", [(), ("final",), ("analysis",), ("preamble", "final")])
def test_a_call_of_harmony_is_no_thinking(
    after: tuple[str, ...], before: tuple[str, ...], first: str, format: str
) -> None:
    """A message on the channel of the answer hid all calls before it."""
    texts = [*(MESSAGES[name] for name in before), START + CALL, *(MESSAGES[name] for name in after)]
    reply = first + "".join(texts).removeprefix(START)
    (action,) = process(reply, format).document.actions
    assert (action.path, action.content, action.completeness) == ("a.py", "x", "complete")


@pytest.mark.parametrize("format", ["auto", "harmony"])
def test_a_call_in_the_analysis_of_harmony_is_a_draft(format: str) -> None:
    reply = f"<|channel|>analysis<|message|>Maybe {CALL}{MESSAGES['final']}"
    try:
        actions = process(reply, format).document.actions
    except ProtocolError:
        actions = ()
    assert all(action.completeness != "complete" for action in actions)
