"""ReAct's plain input of a shell is one line, and a line below it is not lost without a doubt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Completeness, Phase, ProtocolError, process, read_format

CALL = "Action: bash\nAction Input: "


@pytest.mark.parametrize("format", ["auto", "react"])
@pytest.mark.parametrize("blank", ["", "\n", "\n \n```\n"])
@pytest.mark.parametrize(
    "line",
    [
        "this removes the folder of the build.",
        "3 passed in 0.1s",
        "(the tests take a minute)",
        "- then I look",
        "observation: 3 passed",
        "観察: 3 passed",
        "  echo $f\nDONE=1\ndone",
        "NODE_ENV=test npm test",
        "Actions are done.",
        "```bash\nnpm test\n```",
        "```python\nx = 1\n```",
    ],
)
def test_a_line_below_a_plain_input_makes_it_suspect(line: str, blank: str, format: str) -> None:
    result = process(f"{CALL}rm -rf build\n{blank}{line}\n", format=format)
    (action,) = result.document.actions
    assert (action.path, action.completeness) == ("rm -rf build", Completeness.SUSPECT)
    assert result.confidence <= 0.5
    assert "no-closing-mark" in [finding.code for finding in result.diagnostics]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1), min_size=1, max_size=4))
def test_a_plain_input_is_one_line(lines: list[str]) -> None:
    text = f"{CALL}ls -l\n" + "\n".join(lines) + "\n"
    action = read_format(text, "react").actions[0]
    assert action.path == "ls -l"


@pytest.mark.parametrize("blank", ["", "\n\n", "```\n"])
@pytest.mark.parametrize("label", ["Observation", "Thought", "Final Answer", "Question", "Answer"])
def test_labels_may_follow_a_plain_input(label: str, blank: str) -> None:
    (action,) = read_format(f"{CALL}pytest -q\n{blank}{label}: x\ny\n", "react").actions
    assert (action.path, action.completeness, action.confidence) == ("pytest -q", Completeness.COMPLETE, 0.85)


def test_another_call_may_follow_a_plain_input() -> None:
    document = read_format(f'{CALL}ls\n{CALL}{{"command": "pwd"}}\n', "react")
    assert [action.completeness for action in document.actions] == [Completeness.COMPLETE] * 2
    assert not document.diagnostics


@pytest.mark.parametrize("command", ["pytest -q", "none"])
def test_a_plain_input_is_never_certain(command: str) -> None:
    result = process(f"{CALL}{command}\n", format="react")
    assert (result.phase, result.confidence) == (Phase.RECOVERED, 0.85)
    assert not result.diagnostics


@pytest.mark.parametrize("command", ["list all files in the folder", "print('x')"])
def test_the_input_of_exec_is_not_a_command_of_a_shell(command: str) -> None:
    with pytest.raises(ProtocolError):
        process(f"Action: exec\nAction Input: {command}\n", format="react")
