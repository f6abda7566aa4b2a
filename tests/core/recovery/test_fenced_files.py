"""Fenced code taken for files: what is a fence, what stands in it, and that everything invented says so."""

from __future__ import annotations

import pytest

from symops_lark.core.document import Skipped
from symops_lark.core.recovery.foreign.fenced_files import extract_fences


def test_what_is_invented_says_so() -> None:
    document = extract_fences("```py\nx\n```\n")
    [action] = document.actions
    assert (action.type, action.path, action.content, action.confidence) == ("create", "unnamed-1", "x", 0.5)
    assert action.attributes == (("name", "invented"), ("language", "py"))
    assert [finding.code for finding in document.diagnostics] == ["invented-name"]
    assert extract_fences("```\nx\n```\n").actions[0].attributes == (("name", "invented"),)


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("```\nx\r\n```\n~~~\ny\n~~~", ["x", "y"]),
        ("````\n```\nx\n```\n````\n", ["```\nx\n```"]),
        ("```\n````\n", [""]),
        ("```\n~~~\n```\n", ["~~~"]),
        ("```\n```py\n```\n", ["```py"]),
        ("```\nx\n", []),
    ],
)
def test_fences_are_paired_as_markdown_does(text: str, contents: list[str]) -> None:
    assert [action.content for action in extract_fences(text).actions] == contents


def test_all_else_is_skipped_and_every_span_is_exact() -> None:
    text = "So:\n\n```\nx\n```\n and\n```\n\ny\n```\n end \n"
    document = extract_fences(text)
    shown = [text[section.span.start : section.span.end] for section in document.sections]
    assert shown == ["So:", "```\nx\n```", "and", "```\n\ny\n```", "end"]
    assert [section.text for section in document.sections if isinstance(section, Skipped)] == ["So:", "and", "end"]
    for action in document.actions:
        place = action.content_span
        assert place is not None and text[place.start : place.end] == (action.content or "") + "\n"
