"""A reply that broke off: its last value may go on, unless a mark follows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark import Completeness, Phase, Result, StreamParser, process
from symops_lark.core.replies.messages import Finish, Reply
from symops_lark.core.streaming.events import ActionFinished

LINES = (
    "document: (command | delete)*\n"
    'command: "RUN: " COMMAND _NL\n'
    'delete: "RM: " PATH _NL\n'
    "PATH: /[^ \\t\\n]+/\nCOMMAND: /[^\\n]+/\n_NL: /[ \\t\\r]*\\n/\n"
)
LAST = [
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
    '<invoke name="bash"><parameter name="command">ls</parameter></invoke>',
    '<file path="a.py">\nx\n</file>',
    '{"name": "bash", "arguments": {"command": "ls"}}',
    '[bash(command="ls")]',
    "*** Begin Patch\n*** Delete File: a.py\n*** End Patch",
    "cat > a.py <<'EOF'\nx\nEOF",
    "cat > a.py << 'EOF'\nEOF\n",
    '<file path="a.py">\n</file>',
]


@pytest.fixture
def format(tmp_path: Path) -> Path:
    path = tmp_path / "lines.lark"
    path.write_text(LINES)
    return path


def last_state(result: Result) -> tuple[Completeness, set[str]]:
    return result.document.actions[-1].completeness, {finding.code for finding in result.diagnostics}


@pytest.mark.parametrize("text", ["RUN: rm -rf bui", "RM: src/ol", "RUN: ls\nRM: src/ol"])
def test_a_last_value_without_a_line_end_is_doubted(format: Path, text: str) -> None:
    assert last_state(process(text, format)) == (Completeness.SUSPECT, {"no-closing-mark"})
    # With the line end it is whole.
    assert process(f"{text}\n", format).phase is Phase.STRICT


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("text", ["RUN: rm -rf bui", "RM: src/ol", "RUN: ls\nRM: src/ol"])
def test_the_last_value_of_a_truncated_reply_is_truncated(format: Path, text: str, end: str) -> None:
    result = process(Reply(text + end, Finish.LENGTH), format)
    assert last_state(result) == (Completeness.TRUNCATED, {"no-closing-mark"})
    assert result.phase is Phase.RECOVERED and result.confidence <= 0.5
    assert process(text + end, format, cut_off=True).document == result.document
    events = StreamParser(format).events([text + end], cut_off=True)
    finished = [event.completeness for event in events if isinstance(event, ActionFinished)]
    assert finished == [action.completeness for action in result.document.actions]


@pytest.mark.parametrize("text", LAST)
def test_a_section_that_its_mark_ends_is_whole(text: str) -> None:
    for cut_off in (None, True):
        result = process(text, cut_off=cut_off)
        assert last_state(result) == (Completeness.COMPLETE, set())


def test_a_diff_may_continue_after_a_truncated_reply() -> None:
    text = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n"
    assert last_state(process(text))[0] is Completeness.COMPLETE
    assert last_state(process(text, cut_off=True)) == (Completeness.TRUNCATED, {"no-closing-mark"})
