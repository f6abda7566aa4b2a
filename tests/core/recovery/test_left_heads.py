"""Replies that mix notations lose no action without a warning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Result, process
from symops_lark.core.grammar.codes import LOST_ACTION
from symops_lark.core.text.diagnostics import Severity

_FENCED = "```python\nprint(1)\n```\n"
_TAGGED = "[ACTION_TYPE] create\n[ACTION_PATH] hello.py\n[CONTENT_START]\nprint(1)\n[CONTENT_END]\n\n"
_V2 = "::create @hello.py\n<<<\nprint(1)\n>>>\n\n"


def _actions(result: Result) -> list[str]:
    return [f"{action.type} {action.path}" for action in result.document.actions]


def _lost(result: Result) -> list[str]:
    """Return the lines that are reported as lost."""
    lines = []
    for finding in result.diagnostics:
        if finding.code == LOST_ACTION:
            assert finding.severity is Severity.WARNING
            lines.append(result.text[finding.span.start : finding.span.end])
    return lines


@pytest.mark.parametrize(
    ("file", "line", "action"),
    [
        ("### Create hello.py", "run python hello.py", "run python hello.py"),
        ("Sure! Here it is:\n\n### Create hello.py", "run ./start.sh", "run ./start.sh"),
        ("### Create hello.py", "delete old.py", "delete old.py"),
    ],
)
def test_the_dialect_with_more_of_the_same_actions_is_chosen(file: str, line: str, action: str) -> None:
    """To drop the last line costs less in the dialect whose rules do not know it."""
    result = process(f"{file}\n{_FENCED}\n{line}\n")
    assert _actions(result) == ["create hello.py", action]
    assert _lost(result) == []


def test_an_exact_action_line_shows_the_dialect() -> None:
    result = process(f"{_TAGGED}run pytest -q\n")
    assert result.document.dialect == "plain"
    assert _lost(result) == ["run pytest -q"]


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (_TAGGED + "::run @python hello.py\n", "::run @python hello.py"),
        (_TAGGED + "$run @python hello.py\n", "$run @python hello.py"),
        (_V2 + "[ACTION_TYPE] run\n[ACTION_PATH] pytest\n", "[ACTION_TYPE] run"),
        (f"hello.py\n{_FENCED}\nrun python hello.py\n", "run python hello.py"),
        (f"hello.py\n{_FENCED}\r\n## Run pytest\r\n", "## Run pytest"),
        (f"1. Create hello.py\n{_FENCED}\n2. Run `pytest -q`\n", "2. Run `pytest -q`"),
        (f"**Create hello.py**\n{_FENCED}\n**Delete old.py**\n", "**Delete old.py**"),
    ],
)
def test_an_action_line_in_another_notation_is_reported(reply: str, line: str) -> None:
    without = process(reply.replace(line, ""))
    result = process(reply)
    assert _actions(result) == _actions(without) == ["create hello.py"]
    assert _lost(result) == [line]
    assert result.confidence < without.confidence


@pytest.mark.parametrize(
    "prose",
    [
        "Then run the tests.",
        "Run it with `python hello.py`.",
        "You can run python hello.py now.",
        "Running pytest shows the result.",
        "Update hello.py as you like.",
    ],
)
def test_prose_is_not_reported(prose: str) -> None:
    for file in ("hello.py", "### Create hello.py"):
        result = process(f"{file}\n{_FENCED}\n{prose}\n")
        assert _actions(result) == ["create hello.py"]
        assert _lost(result) == []


def test_a_command_in_a_fence_is_not_reported() -> None:
    """It may be a sample."""
    assert _lost(process(f"hello.py\n{_FENCED}\n```sh\nrun pytest\n```\n")) == []


def test_a_command_that_was_read_is_not_reported_again() -> None:
    result = process(f"{_TAGGED}[ACTION_TYPE] run\n[ACTION_PATH] pytest\n\nrun pytest\n")
    assert _actions(result) == ["create hello.py", "run pytest"]
    assert _lost(result) == []


@pytest.mark.parametrize(("read", "line"), [("a", "delete a.py"), ("pytest", "$run @pytest -q")])
def test_a_line_about_more_than_a_command_that_was_read_is_reported(read: str, line: str) -> None:
    result = process(f"{_TAGGED}[ACTION_TYPE] run\n[ACTION_PATH] {read}\n\n{line}\n")
    assert _actions(result) == ["create hello.py", f"run {read}"]
    assert _lost(result) == [line]


@given(st.from_regex(r"[a-z]{1,3}", fullmatch=True), st.from_regex(r"[a-z]{1,9}", fullmatch=True))
def test_a_command_within_a_word_does_not_silence_a_line(read: str, name: str) -> None:
    line = f"run python {name}.py"
    result = process(f"{_TAGGED}[ACTION_TYPE] run\n[ACTION_PATH] {read}\n\n{line}\n")
    assert _actions(result) == ["create hello.py", f"run {read}"]
    assert _lost(result) == [line]


def test_a_closing_remark_of_an_exact_reply_is_not_reported() -> None:
    """Only a reply that writes its files without marks writes a command with a capital."""
    assert _lost(process(f"{_TAGGED}Run pytest now.\n")) == []
