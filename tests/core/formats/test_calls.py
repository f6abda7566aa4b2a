"""The calls that a JSON value has, however the answer of an API wraps them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from symops_lark.core.formats.calls import calls_in
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.tools import Call

ARGUMENTS = {"path": "a.py", "content": "x"}
CALL = {"name": "write_file", "arguments": ARGUMENTS}
TEXT = {"type": "text", "text": "I write it."}


def names_in(value: Any) -> list[str | None]:
    """Return the tool of each call that has a path; None for an entry that is not a call."""
    return [call and f"{call.name} {call.arguments.get('path', '')}" for call in calls_in(value)]


@pytest.mark.parametrize(
    "value",
    [
        CALL,
        {**ARGUMENTS, "name": "write_file"},
        {"name": "write_file", "arguments": json.dumps(ARGUMENTS)},
        {"name": "write_file", "path": "b.py", "input": ARGUMENTS},
        {"name": "write_file", "arguments": ARGUMENTS, "parameters": {"path": "b.py"}},
        {"type": "tool_use", "name": "write_file", "input": ARGUMENTS},
        {"type": "tool_use", "id": "1", "name": "first", "tool": "write_file", "input": ARGUMENTS},
        {"type": "function", "function": {"name": "write_file", "arguments": json.dumps(ARGUMENTS)}},
        {"functionCall": {"name": "write_file", "args": ARGUMENTS}},
        [CALL],
        {"actions": [CALL]},
        {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [CALL]}}]},
        {"content": [TEXT, {"type": "tool_use", **CALL}]},
        {"content": ["I write it.", {"type": "tool_use", **CALL}]},
        {"candidates": [{"content": {"parts": [TEXT, {"functionCall": CALL}]}}]},
        {"content": 3, "message": [CALL]},
    ],
)
def test_a_call_is_found_in_each_form(value: Any) -> None:
    assert names_in(value) == ["write_file a.py"]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (3, []),
        ("write_file", []),
        ([], []),
        ({"content": [TEXT]}, []),
        ([3, CALL, [3]], [None, "write_file a.py", None]),
        ({}, [" "]),
        # A part is no text if it has a path, arguments, or further parts.
        ({"content": [{"path": "a.py"}]}, [" a.py"]),
        ({"content": [{"input": {}}]}, [" "]),
        ({"content": [{"content": []}]}, []),
        ({"content": [{"tool_calls": [CALL]}]}, ["write_file a.py"]),
        ({"name": "bash", "message": {"path": "a.py"}}, ["bash "]),
        # With a path it is no answer of an API.
        ({"path": "b.py", "content": [CALL]}, [" b.py"]),
        # A name of a thing, of the file or of nothing is not that of a tool.
        ({"name": "a.py", "path": "src/a.py"}, [" src/a.py"]),
        ({"type": "file", "path": "a.py"}, [" a.py"]),
        ({"name": " ", "path": "a.py"}, [" a.py"]),
        ({"name": 1, "tool": "frob", "path": "a.py"}, ["frob a.py"]),
        ({"name": "write_file", "arguments": "{broken", "path": "a.py"}, ["write_file a.py"]),
        ({"name": "write_file", "arguments": "[1]", "path": "a.py"}, ["write_file a.py"]),
    ],
)
def test_what_is_in_a_value(value: Any, names: list[str | None]) -> None:
    assert names_in(value) == names


@pytest.mark.parametrize("wrap", [lambda value: [value], lambda value: {"message": value}])
def test_a_call_that_is_too_deep_is_reported(wrap: Any) -> None:
    value: Any = CALL
    for _ in range(8):
        value = wrap(value)
    assert names_in(value) == ["write_file a.py"]
    assert names_in(wrap(value)) == [None]
    text = f"<tool_call>\n{json.dumps(wrap(value))}\n</tool_call>\n"
    assert read_format(text).diagnostics


def test_arguments_count_more_than_what_is_beside_them() -> None:
    (call,) = calls_in({"name": "write_file", "path": "b.py", "mode": "w", "args": ARGUMENTS})
    assert isinstance(call, Call)
    assert call.arguments["path"] == "a.py"
    assert call.arguments["mode"] == "w"
    assert "name" not in call.arguments
