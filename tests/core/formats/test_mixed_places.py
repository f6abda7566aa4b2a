"""Which of our actions are doubted beside a section of another format, and what the findings say."""

from __future__ import annotations

import pytest

from symops_lark import process, write_format
from symops_lark.core.document import Action, Document
from symops_lark.core.formats.mixed import doubt_mixed

EARLY = "::create @early.py\n<<<\nx = 1\n>>>\n\n"
LATE = "\n::create @late.py\n<<<\ny = 1\n>>>\n"
SHOWN = "::delete @shown.py"
GUIDE = Document((Action("create", "guide.md", f"To remove it:\n\n{SHOWN}\n\nThat is all."),))
NAMES = ("file_tags", "tag_calls", "qwen_xml", "invoke_xml", "heredoc")


def guide(name: str) -> str:
    return write_format(GUIDE, name)


def suspects(text: str) -> list[str]:
    """Return the paths of the actions that are not complete."""
    return [action.path for action in process(text, "v2").document.actions if action.completeness != "complete"]


def findings(text: str) -> list[tuple[str, str, str]]:
    """Return the code of each warning, its message and the first line of its place."""
    return [
        (finding.code, finding.message, text[finding.span.start : finding.span.end].partition("\n")[0])
        for finding in process(text, "v2").diagnostics
        if finding.severity != "note"
    ]


@pytest.mark.parametrize("name", NAMES)
def test_only_the_actions_in_a_whole_section_are_doubted(name: str) -> None:
    text = EARLY + guide(name) + LATE
    assert suspects(text) == ["shown.py"]
    opener = guide(name).partition("\n")[0]
    assert findings(text) == [
        ("lost-action", "the reply is in v2, so this create is left out", opener),
        ("nested-section", "this may be part of the content of guide.md (line 6)", SHOWN),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_without_an_end_a_section_may_hold_all_that_follows(name: str) -> None:
    text = EARLY + guide(name).partition("That is all")[0] + LATE
    assert suspects(text) == ["shown.py", "late.py"]
    assert [code for code, _, _ in findings(text)] == ["lost-action", "nested-section", "nested-section"]


def test_without_a_beginning_a_section_may_hold_all_that_is_before_its_end() -> None:
    _, _, damaged = guide("file_tags").partition("\n")
    text = EARLY + damaged + LATE
    assert suspects(text) == ["early.py", "shown.py"]
    message = "this may be part of the content that ends in line 11"
    assert findings(text) == [
        ("nested-section", message, "::create @early.py"),
        ("nested-section", message, SHOWN),
        ("lost-action", "this ends a section of another format that has no beginning: </file>", "</file>"),
    ]


def test_a_tag_before_a_value_shows_where_a_damaged_section_begins() -> None:
    _, _, damaged = guide("tag_calls").partition("\n")
    text = EARLY + damaged + LATE
    assert suspects(text) == ["shown.py"]
    code, message, place = findings(text)[-1]
    assert (code, place) == ("lost-action", "</content>")
    assert message.endswith("that has no beginning: </content>\n</write_file>")
    # Of two such ends, the actions between them belong to the second.
    both = EARLY + damaged + LATE + damaged.replace("shown", "other")
    nested = [place for code, _, place in findings(both) if code == "nested-section"]
    assert nested == [SHOWN, SHOWN.replace("shown", "other")]


def test_the_end_of_a_section_that_is_read_is_not_left_over() -> None:
    _, _, damaged = guide("file_tags").partition("\n")
    text = EARLY + guide("file_tags") + LATE + damaged.replace("shown", "other")
    assert suspects(text) == ["shown.py", "late.py", "other.py"]
    ends = [place for code, message, place in findings(text) if "no beginning" in message and code == "lost-action"]
    assert ends == ["</file>"]


@pytest.mark.parametrize(
    ("section", "codes"),
    [
        ("b.py\n```\nx\n```\n", ["lost-action"]),
        ("early.py\n```\nx = 1\n```\n", []),
        ("Here is `b.py`:\n\n```\nx\n```\n", ["lost-action"]),
        ("Here is `early.py`:\n\n```\nx\n```\n", []),
        ('<file path="early.py">\nx = 1\n</file>\n', ["lost-action"]),
        ("Look:\n\n```\nx\n```\n", []),
    ],
)
def test_a_file_of_another_name_is_lost_and_one_of_ours_is_shown(section: str, codes: list[str]) -> None:
    text = EARLY + section + LATE
    assert [code for code, _, _ in findings(text)] == codes
    assert suspects(text) == []


def test_a_document_without_another_section_is_the_same() -> None:
    document = process(EARLY + LATE, "v2").document
    outside = "\0" * len(EARLY.rstrip()) + "\n\nWell.\n" + "\0" * len(LATE)
    assert doubt_mixed(outside, document) is document
    assert doubt_mixed(outside.replace("Well", "</p>"), document) is document
