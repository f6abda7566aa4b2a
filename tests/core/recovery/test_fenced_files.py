"""Fenced code taken for files: what is a fence, what stands in it, and that everything invented says so."""

from __future__ import annotations

import pytest

from symops_lark import SymOpsProcessor
from symops_lark.core.document import Skipped
from symops_lark.core.recovery.fenced_files import extract_fences


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
    items = [text[section.span.start : section.span.end] for section in document.sections]
    assert items == ["So:", "```\nx\n```", "and", "```\n\ny\n```", "end"]
    assert [section.text for section in document.sections if isinstance(section, Skipped)] == ["So:", "and", "end"]
    for action in document.actions:
        place = action.content_span
        assert place is not None and text[place.start : place.end] == (action.content or "") + "\n"


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        # names above the fences, and the languages behind their marks
        (
            "Both files:\n\nsetup.php\n```php\n<?php\necho 1;\n```\n\nTODO.md\n```markdown\n# To do\n```\n",
            ["<?php\necho 1;", "# To do"],
        ),
        # a fence on one line that holds nothing but the name of the next one
        ("```tool.py```\n```python\nprint(2)\n```\n", ["print(2)"]),
        # a heading with the name, and a sentence below it
        ("### File: lib.go\n\nIt holds the types.\n\n```go\npackage lib\n```\n", ["package lib"]),
        # names are a content where nothing else stands in the fence
        ("```\nsetup.php\nTODO.md\n```\n", ["setup.php\nTODO.md"]),
        ("```python\nprint('```')\n```\n", ["print('```')"]),
        ("````\n### File: lib.go\n```go\npackage lib\n```\n````\n", ["### File: lib.go\n```go\npackage lib\n```"]),
    ],
)
def test_names_around_a_fence_are_no_content(text: str, contents: list[str]) -> None:
    result = SymOpsProcessor(extract=True).process(text)
    assert [action.content for action in result.document.actions] == contents


def test_a_path_on_the_first_line_of_a_fence_is_never_sure() -> None:
    result = SymOpsProcessor(extract=True).process("```\nsrc/Tool.java\nclass Tool {}\n```\n")
    [action] = result.document.actions
    assert (action.content or "").endswith("class Tool {}")
    assert action.confidence < 0.9
