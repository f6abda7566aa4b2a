"""Repairs of whole contents: which fences are taken off, which indentation was given."""

from __future__ import annotations

import pytest

from symops_lark.core.repairs.content import Indented, dedent_block, indentation, judge_indentation, unwrap_fence

FENCED = [
    ("```\nx\n```\n", "a.py", "x\n"),
    ("```python\nx\ny\n```", "a.py", "x\ny\n"),
    ("\n ~~~\nx\n\n~~~ \n\n", "a.py", "x\n\n"),
    ("```\n```\n", "a.py", ""),
    ("```\n```sh\nx\n```\n```\n", "a.py", "```sh\nx\n```\n"),
    ("```\n``\n```\n", "a.py", "``\n"),
    ("```\n~~~\n```\n", "a.py", None),
    ("```python\n```\n~~~\n```\n", "a.py", "```\n~~~\n"),  # the language is no part of a fence
    ("```\n```\n```\n", "a.py", None),
    ("```\nx\n", "a.py", None),
    ("x\n```\n", "a.py", None),
    ("```\nx\n```sh\n", "a.py", None),
    ("```\nx\n~~~\n", "a.py", None),
    ("```\nx\n````\n", "a.py", None),
    ("````\nx\n````\n", "a.py", None),
    ("```\n", "a.py", None),
    ("", "a.py", None),
    ("```\nx\n```\n", "a.md", None),
    ("```md\nx\n```\n", "a.md", "x\n"),
    ("```Markdown\nx\n```\n", "a.md", "x\n"),
    ("```md\nx\n```\n", "a.rst", None),
]


@pytest.mark.parametrize(("content", "path", "inside"), FENCED)
def test_a_fence_around_a_content(content: str, path: str, inside: str | None) -> None:
    assert unwrap_fence(content, path) == inside


@pytest.mark.parametrize(
    ("content", "depth"), [("  a\n    b\n", 2), ("\ta\n\n  b", 1), ("a\n  b", 0), ("", 0), (" \n   a", 3)]
)
def test_the_indentation_of_a_content(content: str, depth: int) -> None:
    assert indentation(content) == depth


@pytest.mark.parametrize(
    ("content", "depth", "left"),
    [
        ("  a\n    b\n", 2, "a\n  b\n"),
        ("  a\n\n  b", 1, " a\n\n b"),
        ("  a\n b", 2, None),
        ("  a\n \n", 2, "a\n\n"),
        (" a", 0, None),
        (" a", -1, None),
        (" a", 1, "a"),
    ],
)
def test_an_indentation_is_taken_off(content: str, depth: int, left: str | None) -> None:
    assert dedent_block(content, depth) == left


FLUSH, DEEPER, LESS = Indented(2, 2, False), Indented(2, 4, False), Indented(2, 1, False)
FRAGMENT = FLUSH._replace(fragment=True)
GIVEN, NOT_GIVEN, PERHAPS = (True, True), (False, True), (True, False)


@pytest.mark.parametrize(
    ("blocks", "judged"),
    [
        ([], []),
        ([FLUSH], [GIVEN]),
        ([DEEPER], [(False, False)]),
        ([LESS], [NOT_GIVEN]),
        ([FRAGMENT], [PERHAPS]),
        ([FLUSH, DEEPER], [GIVEN, GIVEN]),
        ([FLUSH, LESS], [NOT_GIVEN, NOT_GIVEN]),
        ([FRAGMENT, DEEPER], [PERHAPS, GIVEN]),
        ([FRAGMENT, FRAGMENT], [GIVEN, GIVEN]),
        ([FRAGMENT, FLUSH], [GIVEN, GIVEN]),
    ],
)
def test_blocks_tell_of_each_other_whether_they_were_indented(
    blocks: list[Indented], judged: list[tuple[bool, bool]]
) -> None:
    assert judge_indentation(blocks) == judged
