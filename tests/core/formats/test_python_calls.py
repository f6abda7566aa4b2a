"""Calls that are written as in Python: literals are read as Python reads them, and all else is refused."""

from __future__ import annotations

import ast
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import Completeness, process
from symops_lark.core.formats.documents import read_format
from symops_lark.core.text.python_calls import translate_calls

# Escapes that JSON does not have are refused, so Python's own spelling of a control character is not drawn.
TEXTS = st.text(st.sampled_from("ab'\"\\\n\t é😀[](){}#=,`%d"), max_size=12)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(-99, 99), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)


def arguments(text: str) -> Any:
    """Return the arguments of the first call of a text."""
    translated = translate_calls(text)
    assert translated is not None
    assert translated.end == len(text.rstrip())
    return json.loads(translated.json, strict=False)[0]["arguments"]


@given(VALUES, st.sampled_from(["", " ", "\n    "]))
def test_a_literal_is_what_python_says(value: Any, blank: str) -> None:
    text = f"f({blank}x={value!r},{blank}){blank}"
    assert arguments(text) == {"x": value}


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@given(TEXTS, st.sampled_from(["'''", '"""', "'", '"']), st.sampled_from(["", "r"]))
def test_each_kind_of_text_is_what_python_says(text: str, quote: str, prefix: str) -> None:
    literal = f"{prefix}{quote}{text}{quote}"
    intended: Any = None
    with suppress(SyntaxError, ValueError):
        intended = ast.literal_eval(literal)
    translated = translate_calls(f"f(x={literal})")
    calls: Any = None
    # Two texts after each other are one in Python, and refused here: they are not JSON.
    with suppress(ValueError):
        calls = json.loads(translated.json if translated else "", strict=False)
    assume(intended is not None and calls is not None)
    assert calls == [{"name": "f", "arguments": {"x": intended}}]


@pytest.mark.parametrize(
    "argument",
    [
        *("content=open('x').read()", "content=f'{x}'", "content=b'x'", "content=x", "content='a' + 'b'"),
        *("content='x' % y", "'x'", "content='x' if y else 'z'", "content=lambda: 'x'", "*rest", "**rest"),
        *("content='x' 'y'", "content='x'.upper()", "content=['x'][0]", "content=0x10", "content='\\U0001F600'"),
    ],
)
def test_what_is_not_a_literal_is_refused(argument: str) -> None:
    reply = f"[write_file(path='a.py', {argument})]\n"
    for name in (None, "python_calls"):
        document = read_format(reply, name)
        assert document.actions == ()
        assert "broken-section" in {finding.code for finding in document.diagnostics}


CODE = "import tools\n\nwrite_file(path='a.py', content='x')\nopen('x').write('y')\nprint(run(command='ls'))"


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{CODE}\n```\n",
        f"```\n{CODE}\n```\n",
        f"Call it so:\n\n{CODE}\n",
        "```tool_code\nopen('x').write('y')\n```\n",
        "```tool_code\nprint(search(query='x'))\n```\n",
        "[run(x) for x in commands]\n",
        "[link](https://a.b/c) and [run()](x)\n",
        "[1, 2]\n[a(b)]\n",
    ],
)
def test_ordinary_code_gives_no_action(reply: str) -> None:
    for name in (None, "python_calls"):
        assert read_format(reply, name).actions == ()


def test_files_of_python_give_no_action() -> None:
    """A module in a fence is a sample, and alone it is prose."""
    paths = sorted(Path("symops_lark").rglob("*.py"))[:200]
    assert len(paths) == 200
    for path in paths:
        code = path.read_text("utf-8")
        assert read_format(f"For example:\n\n```python\n{code}```\n", "python_calls").actions == ()
        assert read_format(code, "python_calls").actions == ()


def test_a_list_that_is_cut_off_is_truncated() -> None:
    whole_text = '[run(command="ls"), write_file(path="a.py", content="x = [1]\\ny = 2")]\n'
    for end in range(len(whole_text) - 3):
        for action in read_format(whole_text[:end]).actions:
            is_whole = (action.path, action.content) in [("ls", None), ("a.py", "x = [1]\ny = 2")]
            assert is_whole or action.completeness is not Completeness.COMPLETE
    document = read_format(whole_text[:60])
    assert document.actions[1].content == "x = [1]\n"[:-1]
    assert document.actions[1].completeness is Completeness.TRUNCATED


def test_calls_are_read_by_process() -> None:
    reply = "I do it.\n\n```tool_code\nprint(default_api.edit_file(path='a.py', old_str='x', new_str='y'))\n```\n"
    (action,) = process(reply).document.actions
    assert (action.type, action.path, action.confidence) == ("edit", "a.py", 0.85)
    assert action.edits[0].new == "y"
