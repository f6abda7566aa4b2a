"""Commands with signs of a terminal, and halves of commands, are reported in every phase; whole ones are not."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symops_lark
from symops_lark import Action, Document
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.validator import VALUE_CHECKS, commands

VERBS = load_dialect("v2").verbs


def codes(command: str) -> list[str]:
    document = Document((Action("run", command, ""),), "v2")
    return [finding.code for check in VALUE_CHECKS for finding in check(document, VERBS)]


@pytest.mark.parametrize("command", ["$ make", "% make", "bash: make", "Run: make", "PS C:\\a> make", "make</s>"])
def test_what_stands_around_commands_in_a_terminal_is_told(command: str) -> None:
    assert codes(command) == ["doubtful-command"]


@pytest.mark.parametrize("command", ["make", "$MAKE all", "command -v make", "echo $ a", "> log", "./bash: x", "%x% y"])
def test_commands_as_they_are_meant_are_not_told(command: str) -> None:
    assert codes(command) == []


@pytest.mark.parametrize(
    "command",
    ['python -c "', 'git commit -m "Add x', "echo 'a", "cd app && \\", "cd app &&", "make |", "a ||", "for f in *; do"],
)
def test_half_a_command_is_told(command: str) -> None:
    assert codes(command) == ["doubtful-command"]
    # The lines below an action line are text between sections.
    result = symops_lark.process(f"::run @{command}\n  make\n", "v2")
    assert [action.completeness for action in result.document.actions] == ["suspect"]


@pytest.mark.parametrize(
    "command",
    [
        "dir C:\\",
        "make &",
        "ls; true",
        "echo it\\'s",
        'echo "a \\" b"',
        "make  # don't wait",
        "echo do",
        "a 'b \"c' && d",
    ],
)
def test_a_whole_command_is_not_told(command: str) -> None:
    assert codes(command) == []


@given(st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))), min_size=1))
def test_a_quotation_breaks_off_where_a_shell_says_so(words: list[str]) -> None:
    command = shlex.join(["make", *words])
    for end in range(5, len(command) + 1):
        try:
            shlex.split(command[:end])
        except ValueError as error:
            is_open = "quotation" in str(error)
        else:
            is_open = False
        assert commands.has_open_quotation(command[:end]) is is_open
