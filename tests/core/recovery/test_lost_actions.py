"""What looks like an action and becomes none is told as lost; what only speaks of actions is not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import process
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery.doubts.lost_actions import _compile_shape

_BLOCKS = {"v1": "$ create @ a.py\n--\nx = 1\n--\n", "v2": "::create @a.py\n<<<\nx = 1\n>>>\n"}
_LOOKS_LIKE_ONE = [
    "//run @ pytest",
    "/run pytest",
    "@delete old.py",
    "!run pytest",
    "& delete @ old.py",
    "€ delete @ old.py",
    "**run** pytest",
    "<run>pytest -q</run>",
    "[delete: old.py]",
    "{run: pytest}",
    "\\run{pytest}",
    "| delete | old.py |",
    "ACTION: delete old.py",
    "command: run pytest -q",
    "delete(old.py)",
    "delete('old.py')",
]
_SPEAKS_OF_ONE = [
    "- Create the tests",
    "* run: the tests again",
    "## run pytest",
    "> delete old.py, you said",
    "**Note:** remember to run pytest",
    "We could run @pytest here, but nothing is ready.",
    "(run-time errors are left)",
    "[running] pytest",
    "undelete(old.py)",
    "command: the tests run now",
]


@pytest.mark.parametrize("dialect", _BLOCKS)
@pytest.mark.parametrize("line", _LOOKS_LIKE_ONE)
def test_what_looks_like_an_action_is_told(dialect: str, line: str) -> None:
    result = process(f"{_BLOCKS[dialect]}\n{line}\n", format=dialect)
    assert [action.path for action in result.document.actions] == ["a.py"]
    assert "lost-action" in [finding.code for finding in result.diagnostics]
    assert result.confidence < 0.9


@pytest.mark.parametrize("dialect", _BLOCKS)
@pytest.mark.parametrize("line", _SPEAKS_OF_ONE)
def test_what_speaks_of_actions_is_none(dialect: str, line: str) -> None:
    result = process(f"{_BLOCKS[dialect]}\n{line}\n", format=dialect)
    assert [action.path for action in result.document.actions] == ["a.py"]
    assert "lost-action" not in [finding.code for finding in result.diagnostics]


@pytest.mark.parametrize(
    ("line", "lost"), [("::rm old.py", True), ("::c0.9 m0.8", False), ("::before { color: red }", False)]
)
def test_a_verb_that_no_dialect_has_is_one_behind_a_mark_of_ours(line: str, lost: bool) -> None:
    result = process(f"{_BLOCKS['v2']}\n{line}\n", format="v2")
    assert ("lost-action" in [finding.code for finding in result.diagnostics]) == lost


def test_the_prompt_of_a_shell_is_no_mark_of_an_unknown_verb() -> None:
    result = process(f"{_BLOCKS['v1']}\n$ pip install x\n", format="v1")
    assert "lost-action" not in [finding.code for finding in result.diagnostics]


@given(words=st.lists(st.sampled_from(["::", "x", 7 * "x", " ", "execute", "run", "(", ". .", "@", "@a"]), max_size=9))
def test_a_target_is_looked_for_as_far_behind_a_mark_as_it_may_stand(words: list[str]) -> None:
    shape = _compile_shape(load_dialect("v2")).pattern
    without, count = re.subn(r"\(\?=[^)]*\)", "", shape)
    line = "".join(words)
    assert count == 1 and bool(re.search(shape, line)) == bool(re.search(without, line))


def test_a_target_may_stand_behind_twenty_characters_and_the_longest_verb() -> None:
    assert _compile_shape(load_dialect("v2")).search("::" + 18 * "x" + "  (execute ():@ls") is not None
