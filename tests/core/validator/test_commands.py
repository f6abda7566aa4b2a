"""Commands that break off are told, and whole ones are not."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symops_lark
from symops_lark import Action, Document
from symops_lark.core.validator import commands, validate


def codes(command: str) -> list[str]:
    return [finding.code for finding in validate(Document((Action("run", command),), "v2"))]


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
    ("command", "found"),
    [
        ("cat <<EOF > out.txt\nhello\nEOF", []),
        ("python - <<'PY' && echo ok\nprint('don\\'t')\nPY", []),
        ("cat > f <<'EOF'\ndon't\nEOF", []),
        ("cat <<-EOF | sudo tee x\n\ta\n\tEOF\nls", []),
        ('cat <<A <<"B2"\n1\nA\nB\nB2\n', []),
        ("cat > a.cpp <<'EOF'\ncout << x << endl;\nEOF", []),
        ("cat <<A\r\n1\r\nA\r\n", []),
        ("cat > f <<'EOF'\nx", ["here-document"]),
        ("cat <<A <<'B'\n1\nB\nA", ["here-document"]),
        ("cat <<EOF\n\tEOF", ["here-document"]),
        ("cat <<EOF2 > a", ["here-document"]),
        ("cat > a <<EOF\nx\nEOF\ncat > b <<EOF\ny", ["here-document"]),
        ("# install\n\nnpm ci", []),
        ("#!/bin/sh\nls", []),
        ("# a\n  \n\t# b\n", ["no-command"]),
    ],
)
def test_the_lines_of_a_script_are_read(command: str, found: list[str]) -> None:
    """Tool calls have commands of several lines: comments before them, and complete here-documents."""
    assert codes(command) == found


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
        "make\n# don't wait\nls",
        "echo $'don\\'t'",
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
