"""The arguments of calls: what a tool does with them, and JSON that lacks its end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.formats.json_ends import MOST_BROKEN, JsonScanner, read_json
from symops_lark.core.formats.tools import Call, Meaning, Problem, find_meaning

FILE = {"path": "a.py", "content": "x"}
PATCH = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"


def meaning_of(tool: str, **arguments: Any) -> str:
    """Return the verb and the target of a call, or the code of the problem that it has."""
    meaning = find_meaning(Call(tool, arguments))
    return meaning.code if isinstance(meaning, Problem) else f"{meaning.verb} {meaning.path}".strip()


@pytest.mark.parametrize(
    ("command", "meaning"),
    [
        ("ls", "run ls"),
        (["ls", "-l"], "run ls -l"),
        (["ls", "a b"], "run ls 'a b'"),
        (["bash", "-lc", "ls | wc"], "run ls | wc"),
        (["apply_patch", PATCH], "patch"),
        (["ls", 1], "missing-argument"),
        ([1], "missing-argument"),
        ([], "missing-argument"),
        (" ", "missing-argument"),
        (3, "missing-argument"),
    ],
)
def test_a_command_is_a_text_or_a_list_of_words(command: Any, meaning: str) -> None:
    assert meaning_of("run_command", command=command) == meaning


@pytest.mark.parametrize(("patch", "meaning"), [(PATCH, "patch"), (3, "missing-argument"), (None, "missing-argument")])
def test_a_patch_is_a_text(patch: Any, meaning: str) -> None:
    assert meaning_of("apply_patch", input=patch) == meaning
    assert meaning_of("apply_patch", content=patch) == meaning
    assert find_meaning(Call("apply_patch", {"input": PATCH})) == Meaning("patch", "", PATCH)


@pytest.mark.parametrize("value", [False, None, 0, "", "false", "False", "no", "none", "null", "0"])
def test_a_place_that_says_no_is_no_place(value: Any) -> None:
    assert meaning_of("write_file", **FILE, offset=value) == "create a.py"
    assert meaning_of("write_file", **FILE, append=value) == "create a.py"


@pytest.mark.parametrize("value", [True, 1, "true", "yes", "2"])
def test_a_place_in_the_file_makes_a_part_of_it(value: Any) -> None:
    assert meaning_of("write_file", **FILE, offset=value) == "partial-write"


@pytest.mark.parametrize(
    ("path", "meaning"),
    [(" a.py ", "create a.py"), ("", "missing-argument"), ("a\nb", "missing-argument"), ("src/", "missing-argument")],
)
def test_a_path_is_one_line(path: str, meaning: str) -> None:
    assert meaning_of("write_file", path=path, content="x") == meaning


# ---- JSON without its end


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ('{"a": 1}', ({"a": 1}, False, False)),
        ('{"a": "b', ({"a": "b"}, True, True)),
        ('{"a": "b\\', ({"a": "b"}, True, True)),
        ('{"a": "b\\\\', ({"a": "b\\"}, True, True)),
        ('{"a": "b\\u12', ({"a": "b"}, True, True)),
        ('{"a": "\\u0041', ({"a": "A"}, True, True)),
        ('{"a": ["b", {"c": 1', ({"a": ["b", {"c": 1}]}, True, False)),
        ('{"a": "]}"', ({"a": "]}"}, True, False)),
        ('{"a": "\n', ({"a": ""}, True, True)),
        ('{"a": "b\\"c', ({"a": 'b"c'}, True, True)),
        ("}", (None, True, False)),
        ('{"a": 1} x', (None, True, False)),
        ('{"a":}', (None, True, False)),
    ],
)
def test_an_end_that_lacks_is_added(text: str, reading: tuple[Any, bool, bool]) -> None:
    assert read_json(text) == reading


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts, max_size=3),
    max_leaves=6,
)


@given(JSON, st.text(" \n", max_size=3))
def test_a_value_ends_where_json_says(value: Any, blanks: str) -> None:
    text = json.dumps([value, {"a": value}])
    assert JsonScanner(f"{blanks}{text} more]").find_end(0) == len(blanks + text) or not isinstance(
        value, str | list | dict
    )
    assert read_json(text[:-1]) == ([value, {"a": value}], True, False)


def test_only_so_many_broken_values_are_looked_at() -> None:
    broken = '{"a": x}'
    scanner = JsonScanner(broken * (MOST_BROKEN + 2))
    ends = [scanner.find_end(index * len(broken)) for index in range(MOST_BROKEN + 2)]
    assert ends == [0] * MOST_BROKEN + [None, None]
    scanner = JsonScanner(f"text {broken}" + '{"b": 1}')
    assert scanner.find_end(0) is None and scanner.broken_count == 0
    assert scanner.find_end(5) == 0
    assert scanner.find_end(5 + len(broken)) == 5 + len(broken) + 8
