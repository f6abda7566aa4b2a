"""A tag, a token or half of a quote on a path is cut off: the action stays, and is not sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Action, Document, ProtocolError, dialects, process, render

TAGS = ("</path>", "</parameter>", "<br>", '<|"|>', "<|end|>")
SIGNS = ("`", '"', "’", " ***", "**", " ~~~", "|", " `")
BEFORE = ("", '<|"|>', "<path>", "`", '"')
PATHS = ("app/menu.py", "a.txt", "Makefile", "src/[id]/page.tsx", "docs/v1.2/notes.md")
PATTERNS = ("*.pyc", "logs/day.txt*", "app/<name>.py", "**/a.py")


def decorate(dialect: str, path: str, before: str, after: str) -> str:
    """Return the text of an action with signs around its path."""
    text = render(Document((Action("create", path, "x = 1"),)), format=dialect)
    return text.replace(path, before + path + after)


@given(st.sampled_from(dialects()), st.sampled_from(PATHS), st.sampled_from(BEFORE), st.sampled_from(TAGS + SIGNS))
def test_the_action_keeps_its_path_and_content(dialect: str, path: str, before: str, after: str) -> None:
    result = process(decorate(dialect, path, before, after), format=dialect)
    (action,) = result.document.actions
    assert (action.type, action.content) == ("create", "x = 1")
    assert action.path == path or action.confidence < 0.9
    assert action.confidence < 0.95 and result.diagnostics


@pytest.mark.parametrize("dialect", dialects())
@pytest.mark.parametrize("target", PATTERNS)
def test_a_pattern_of_names_names_no_file(dialect: str, target: str) -> None:
    text = render(Document((Action("delete", "app/menu.py"),)), format=dialect).replace("app/menu.py", target)
    try:
        actions = process(text, format=dialect).document.actions
    except ProtocolError:
        actions = ()
    assert all(action.path == target or action.confidence < 0.9 for action in actions)
