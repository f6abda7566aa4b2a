"""What the grammar of a format says of its sections before any text is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from symops_lark.core.formats.grammar import compile_format
from symops_lark.core.ground.resources import find_folder

Row = dict[str, Any]


@cache
def compiled() -> dict[str, list[Row]]:
    """Return the sections of the installed formats, compiled from their grammars."""
    rows = {}
    for path in sorted(find_folder("grammars/formats").glob("*.lark")):
        data = compile_format(path, path.read_text(encoding="utf-8")).to_data()
        rows[path.stem] = data["sections"]
    return rows


def formats_with(holds: Callable[[Row], Any]) -> set[str]:
    return {name for name, sections in compiled().items() if any(map(holds, sections))}


@pytest.mark.slow
def test_sections_that_begin_with_a_token_of_a_template_may_be_anywhere_in_a_line() -> None:
    names = formats_with(lambda section: section["is_token"])
    assert names == {"apertus", "deepseek_v3", "harmony", "kimi_k2", "mistral", "step"}
    assert formats_with(lambda section: section["is_token"] and section["first_characters"]) == set()


@pytest.mark.slow
def test_calls_without_a_text_that_all_have_are_json_or_python() -> None:
    names = formats_with(lambda section: section["is_bare_json"])
    assert names == {"json_calls", "python_calls"}


def test_json_may_end_a_section() -> None:
    assert formats_with(lambda section: section["open_states"]) == {"json_calls", "mistral", "react"}


@pytest.mark.parametrize(
    ("format", "rule", "characters"),
    [
        ("heredoc", "write", "c"),
        ("react", "call", "A"),
        ("tag_calls", "call", "<"),
        ("apply_patch", "delete", "*`"),
        ("python_calls", "call", "[`"),
        ("json_calls", "call", "\t\n [`{"),
        ("named_fences", "command", "`~"),
        ("named_fences", "write", ""),
        ("search_replace", "edit", ""),
    ],
)
def test_most_sections_begin_with_few_characters(format: str, rule: str, characters: str) -> None:
    """None are named where a section begins with blanks, or with a path."""
    rows = [section for section in compiled()[format] if section["rule"] == rule]
    assert [section["first_characters"] for section in rows] == [characters]


@pytest.mark.parametrize(
    ("format", "end"),
    [
        ("heredoc", "(?m)^(?:EOF(?:[ \t]*\n))"),
        ("original_patched", "</patched>"),
        ("glm", "</arg_value>(?:[ \t\n]*)</tool_call>"),
        ("react", '(?m)^(?:[^"\\\\\\n]|\\\\.)*"[ \\t]*\\}'),
    ],
)
def test_an_end_has_what_follows_the_last_value(format: str, end: str) -> None:
    section = compiled()[format][0]
    ((pattern, needed),) = section["ends"]
    assert pattern == end
    assert all(text in pattern for text in needed) and needed


def test_fences_and_patches_have_no_end_of_their_own() -> None:
    assert set(compiled()) - formats_with(lambda section: section["ends"]) == {
        "apply_patch",
        "named_fences",
        "unified_diff",
    }


@pytest.mark.parametrize(
    ("format", "marks"),
    [
        ("glm", ["<tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "</tool_call>"]),
        ("heredoc", [" << '"]),
        ("original_patched", ["<file>", "</file>", "<original>", "</original>", "<patched>", "</patched>"]),
        ("react", ["Action: ", "Action Input: "]),
    ],
)
def test_marks_are_texts_that_prose_does_not_have(format: str, marks: list[str]) -> None:
    section = compiled()[format][0]
    assert sorted(section["mark_texts"]) == sorted(marks)


def test_an_envelope_may_be_around_nothing() -> None:
    (section,) = compiled()["qwen_xml"]
    assert section["envelope"] == ["<tool_call>", "</tool_call>"]
    section = compiled()["react"][0]
    assert section["envelope"] == ["", ""]
