"""What a benchmark takes for right, of an action that was cut off in its path."""

from __future__ import annotations

import pytest

from symops_lark import Completeness, process
from symops_lark.core.document import Action
from symops_lark.core.text.source import Span
from symops_lark.lab.benchmark.faults.mistakes import Expected
from symops_lark.lab.benchmark.fidelity import State, assess, differences

CUT = Expected("run", "docker compose up -d", (None,), (), required=False, partial=True)


def action(path: str, completeness: Completeness, content: str | None = None) -> Action:
    return Action("run", path, content, completeness=completeness, span=Span(0, 1, 1, 1))


def test_the_beginning_of_a_command_is_right_if_it_says_so() -> None:
    cut = action("docker com", Completeness.TRUNCATED)
    assert differences(CUT, cut) == []
    assert differences(CUT, action("docker com", Completeness.COMPLETE)) == ["completeness"]
    assert differences(CUT, action(CUT.path, Completeness.COMPLETE)) == []


@pytest.mark.parametrize(("path", "content"), [("", None), ("rm", None), ("docker", "rubbish")])
def test_anything_but_its_beginning_is_wrong(path: str, content: str | None) -> None:
    assert differences(CUT, action(path, Completeness.TRUNCATED, content))


def test_a_valid_beginning_is_wrong_without_alarm() -> None:
    result = process("::run @d\n", "v2")
    outcome = assess([CUT], result.document, result.diagnostics, confidence=result.confidence)
    assert outcome.state is State.WRONG
