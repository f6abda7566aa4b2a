"""Fences around whole contents of valid texts: which are taken off, and where everything stands afterwards."""

from __future__ import annotations

import pytest

from symops_lark.core.document import Action
from symops_lark.core.repairs import RepairEngine
from symops_lark.core.repairs.unwrapping import is_unwrapped, report_unwrapped, unwrap_contents
from symops_lark.core.strict.parser import parse
from symops_lark.core.text.source import Source

ENGINE = RepairEngine("v2")
WRAPPED = "::create @a.py\n<<<\n```python\nx = 1\n```\n>>>\n"
TEXT = (
    ">> three files\n"
    + WRAPPED
    + "::create @b.py\n<<<\ny = 2\n>>>\n::run @make\n"
    + "::create @c.py\n<<<\n\n~~~\nz = 3\n\n~~~\n>>>\n>> done\n"
)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_fences_are_taken_off(ending: str) -> None:
    rule = ENGINE.unwrapping_rule
    assert rule is not None
    text = TEXT.replace("\n", ending)
    document, new, repairs = unwrap_contents(parse(text, "v2"), text, rule)
    contents = [action.content for action in document.actions]
    assert contents == ["x = 1", "y = 2", None, "z = 3" + ending]
    assert [action.content for action in parse(new, "v2").actions] == contents
    for action in document.actions:
        if action.content_span is not None:
            assert text[action.content_span.start : action.content_span.end] == action.content
            assert action.content_span == Source(text).span(action.content_span.start, action.content_span.end)
    assert [repair.text_after for repair in repairs] == ["x = 1", "z = 3" + ending]
    for repair in repairs:
        assert text[repair.before.start : repair.before.end] == repair.text_before
        assert new[repair.after.start : repair.after.end] == repair.text_after
        assert (repair.rule, repair.cost) == (rule.id, rule.cost)


def test_what_has_no_fence_stays() -> None:
    rule = ENGINE.unwrapping_rule
    assert rule is not None
    text = "::create @a.py\n<<<\nx = 1\n>>>\n"
    assert unwrap_contents(parse(text, "v2"), text, rule) == (parse(text, "v2"), text, ())


@pytest.mark.parametrize(
    ("content", "path", "unwrapped"),
    [
        ("```\nx\n```", "a.py", True),
        ("\n  ~~~\nx\n~~~", "a.py", True),
        ("~~~\nx\n~~~\n", "a.py", True),
        ("```\nx\n```", "a.md", False),
        ("```md\nx\n```", "a.md", False),
        ("x\n```\ny\n```", "a.py", False),
        ("```\nx\n```\n```\ny\n```", "a.py", False),
        ("```\nx\n````\n```sh\n```", "a.py", False),
        ("```\n~~~\nx\n~~~\n```", "a.py", True),
        ("```\n``\n```", "a.py", True),
        ("", "a.py", False),
        (None, "a.py", False),
    ],
)
def test_only_a_fence_that_is_surely_not_the_files_own(content: str | None, path: str, unwrapped: bool) -> None:
    assert is_unwrapped(Action("create", path, content)) is unwrapped


def test_it_is_told() -> None:
    finding = report_unwrapped(parse(WRAPPED, "v2").actions[0])
    assert (finding.code, finding.span.line) == ("fenced-content", 1)
    assert "a.py" in finding.message
