"""Old and new texts in JSON: the names of their keys, wrappers around them, and JSON that is no edit."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from edit_readings import hunks_of, reading_of, refusal_of

from symops_lark.core.edits.hunks import Hunk, Reading
from symops_lark.core.edits.notations import json_edits
from symops_lark.core.edits.notations.json_edits import read

KIND = "old and new text in JSON"
PAIR = {"old_str": "a", "new_str": "b"}
HUNK = Hunk(within=("a", "b"))


def read_value(value: Any, path: str) -> Reading | None:
    return read(value if isinstance(value, str) else json.dumps(value), path)


reading, hunks = partial(reading_of, read_value, KIND), partial(hunks_of, read_value, KIND)
unreadable = partial(refusal_of, read)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(
            ("old_string", "new_string"),
            ("oldStr", "newStr"),
            ("OLD-TEXT", "new text"),
            ("old", "new"),
            ("oldCode", "newCode"),
        ),
        *(("old_lines", "new_lines"), ("search", "replace"), ("find", "replaceWith"), ("original", "updated")),
        *(("before", "after"), ("target", "replacement"), ("searchText", "insert_text")),
    ],
)
def test_keys_of_texts(old: str, new: str) -> None:
    assert hunks({old: "a", new: "b"}) == (HUNK,)
    assert hunks({old: "a\r\nb", new: ""}) == (Hunk(within=("a\nb", "")),)


def test_other_keys() -> None:
    labels = {"command": "str_replace", "type": None, "description": "x", "id": 3, "op": True}
    assert hunks({**labels, **PAIR}) == (HUNK,)
    assert hunks({**PAIR, "line": 4}) == hunks({**PAIR, "startLine": 4}) == (Hunk(within=("a", "b"), line=4),)
    for value, is_every in ((True, True), ("true", True), ("True", True), (False, False), ("no", False), (None, False)):
        assert hunks({**PAIR, "replace_all": value}) == (Hunk(within=("a", "b"), every=is_every),)
    assert reading({**PAIR, "path": "b.py"}).names == ("b.py",) and reading({**PAIR, "file": None}).names == ()
    assert reading({"edits": [{**PAIR, "path": "c.py"}], "path": "b.py"}).names == ("b.py", "c.py")


def test_lists_are_complete_lines() -> None:
    assert hunks({"old": ["a", ""], "new": ["b"]}) == (Hunk(("a", ""), ("b",)),)
    assert hunks({"old": ["a"], "new": [], "line": 3, "all": True}) == (Hunk(("a",), (), 3, every=True),)
    # One list and one text are two texts.
    assert hunks({"old": ["a", "c"], "new": "b"}) == (Hunk(within=("a\nc", "b")),)
    assert hunks({"old": "a", "new": ["b", "c"]}) == (Hunk(within=("a", "b\nc")),)
    assert reading({"old": [], "new": ["b"]}) == Reading(KIND, text="b\n")


def test_insertions() -> None:
    assert hunks({"insert_line": 3, "new_str": "a\n\n"}) == (Hunk(new=("a", ""), line=3),)
    assert hunks({"insert_line": 0, "insert_text": ""}) == (Hunk(line=0),)
    assert hunks([{"insert_line": 0, "new": ["a", "b"]}]) == (Hunk(new=("a", "b"), line=0),)


def test_wrappers() -> None:
    assert hunks([PAIR, PAIR]) == hunks({"edits": [PAIR, PAIR]}) == (HUNK, HUNK)
    assert hunks({"name": "edit", "arguments": PAIR}) == hunks({"name": "edit", "input": json.dumps(PAIR)}) == (HUNK,)
    assert hunks([[[[[PAIR]]]]]) == (HUNK,)
    assert read(json.dumps([[[[[[PAIR]]]]]])) is None
    assert hunks({**PAIR, "arguments": {}, "edits": []}) == hunks({"edits": [PAIR], "input": None}) == (HUNK,)
    # Objects in each line.
    line = json.dumps(PAIR)
    assert hunks(f"\ufeff \n{line}\n\n{line}\n") == (HUNK, HUNK)
    assert hunks(f"[{line},\n{line}]") == (HUNK, HUNK)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "a",
            "[]",
            "{}",
            '"a"',
            "[1]",
            "{a}",
            "{\n",
            '["a"]',
            '{"old_str": "a", "new_str": "b"} x',
            '{"new": "b"}',
        ),
        *({"old": "a"}, {**PAIR, "other": 1}, {**PAIR, "oldStr": "c"}, {**PAIR, "new": "c"}),
        *({**PAIR, "name": {}}, {**PAIR, "name": []}, {**PAIR, "line": True}, {**PAIR, "line": "3"}),
        *({"old": 1, "new": "b"}, {"old": ["a", 1], "new": "b"}, {"old": "a", "new": None}),
        *({**PAIR, "insert_line": 3}, {"insert_line": "3", "new": "b"}, {"line": 3, "new": "b"}),
        *({"edits": []}, {"edits": [PAIR, 1]}, {"edits": "x"}, {"path": "a.py"}, [PAIR, {"a": 1}], [[], PAIR]),
        # Of edits beside each other, all but one would be lost.
        *({**PAIR, "edits": [PAIR]}, {"new": "b", "edits": [PAIR]}, {"edits": [PAIR], "input": PAIR}),
        '{"old_str": "a", "old_str": "b", "new_str": "c"}',
    ],
)
def test_other_json_is_no_edit(value: Any) -> None:
    content = value if isinstance(value, str) else json.dumps(value)
    if content.endswith("x"):  # it begins with the key of an edit
        assert unreadable(content)[0].startswith("the edit is not valid JSON")
    else:
        assert read(content) is None


@pytest.mark.parametrize(
    "content",
    [
        '{"old_str": "a',
        '[\n  {"oldString" : "a',
        '{"old": "a"',
        '{"command": "str_replace", "path": ',
        "{\"old_code\": 'a'}",
    ],
)
def test_json_that_breaks_off(content: str) -> None:
    if content.startswith('{"old":'):
        assert read(content) is None  # a key of many files
        return
    reason, hint = unreadable(content)
    assert reason.startswith("the edit is not valid JSON: ")
    assert hint == "escape line ends and quotes, or use search/replace blocks"


def test_long_json(monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps(PAIR)
    monkeypatch.setattr(json_edits, "_MAX_LENGTH", len(content))
    assert hunks(content + " \n") == (HUNK,)
    monkeypatch.setattr(json_edits, "_MAX_LENGTH", len(content) - 1)
    assert unreadable(content) == ("the edit has more than 2 MB of JSON", "write the whole text")
    assert read(json.dumps({"x": "a" * len(content)})) is None


def test_nested_json_is_not_too_deep() -> None:
    assert read("[" * 100_000) is None
    assert read(json.dumps({"edits": "[" * 100_000})) is None


def test_json_in_a_file_of_json_is_asked_about() -> None:
    doubt = "the JSON may be the text of the file, and not an edit"
    for path in ("a.json", "A.JSON", "b.yml", "b.yaml", "c.jsonl", "c.json5", "c.jsonc"):
        assert reading(PAIR, path) == Reading(KIND, (HUNK,), doubts=(doubt,))
    for path in ("a.py", "a.json.py", ""):
        assert reading(PAIR, path).doubts == ()
