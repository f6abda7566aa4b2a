"""Replacements that an action carries: they are placed like edits in JSON, and older documents have none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import MemoryTree, document

from symops_lark import Action, Decision, Document, Edited, Replacement, edit_text, plan
from symops_lark.core.edits import apply_replacements
from symops_lark.core.ground.schemas import schema

_TEXTS = st.text(st.sampled_from("ab =1\n"), max_size=12)


@pytest.mark.slow
@given(_TEXTS, st.lists(st.tuples(_TEXTS, _TEXTS, st.booleans()), min_size=1, max_size=3))
def test_replacements_are_those_of_the_same_edits_in_json(old: str, pairs: list[tuple[str, str, bool]]) -> None:
    edits = [Replacement(before, after, every=every) for before, after, every in pairs]
    rows = [{"old_string": before, "new_string": after, "replace_all": every} for before, after, every in pairs]
    by_json = edit_text(old, json.dumps({"edits": rows}), "a.py")
    result = apply_replacements(old, edits)
    assert type(result) is type(by_json)
    if isinstance(result, Edited) and isinstance(by_json, Edited):
        assert result.text == by_json.text and set(result.doubts) <= set(by_json.doubts)


@given(st.lists(st.sampled_from(("a", "b", "c", "")), min_size=1, max_size=6), st.booleans())
def test_complete_lines_are_replaced(lines: list[str], windows: bool) -> None:
    rows = [f"{number} {line}" for number, line in enumerate(lines)]
    ending = "\r\n" if windows else "\n"
    old = "".join(row + ending for row in rows)
    result = apply_replacements(old, [Replacement(rows[0] + "\n", "x\ny\n", lines=True)])
    assert isinstance(result, Edited) and not result.doubts
    assert result.text == "".join(row + ending for row in ("x", "y", *rows[1:]))


@pytest.mark.parametrize(
    ("old", "edits", "after", "decision"),
    [
        (b"x = 1\n", (Replacement("x = 1", "x = 3"),), b"x = 3\n", Decision.AUTO),
        (b"\xef\xbb\xbfx = 1\r\n", (Replacement("x = 1\n", "x = 3\n"),), b"\xef\xbb\xbfx = 3\r\n", Decision.AUTO),
        (b"x = 10\n", (Replacement("x = 1", "x = 3"),), b"x = 30\n", Decision.ASK),
        (b"a a\n", (Replacement("a", "b", every=True),), b"b b\n", Decision.AUTO),
        (None, (Replacement("", "z\n"),), b"z\n", Decision.AUTO),
    ],
)
def test_a_plan_applies_them(
    old: bytes | None, edits: tuple[Replacement, ...], after: bytes, decision: Decision
) -> None:
    """The content only shows them: it is not read."""
    action = Action("edit", "a.py", "the content", edits=edits)
    tree = MemoryTree({} if old is None else {"a.py": old})
    [change] = plan(document(action), tree).changes
    assert (change.after, change.decision, change.reading) == (after, decision, "replacements")


@pytest.mark.parametrize(
    "edits", [(Replacement("y", "z"),), (Replacement("", "z"), Replacement("x", "z")), (Replacement("x", "z"),) * 501]
)
def test_what_does_not_fit_is_a_conflict(edits: tuple[Replacement, ...]) -> None:
    planned_changes = plan(document(Action("edit", "a.py", "", edits=edits)), MemoryTree({"a.py": b"x\nx\n"}))
    assert [conflict.code for conflict in planned_changes.conflicts] == ["edit-does-not-fit"]


def test_they_are_written_only_if_there_are_any() -> None:
    without = Document((Action("edit", "a.py", "x"),))
    [section] = without.to_dict()["sections"]
    assert "edits" not in section and Document.from_dict(without.to_dict()) == without
    action = Action("edit", "a.py", "x", edits=(Replacement("x", "z", lines=True),))
    data = Document((action,)).to_dict()
    assert data["sections"][0]["edits"] == [{"old": "x", "new": "z", "lines": True, "every": False}]
    assert Document.from_dict(json.loads(json.dumps(data))).sections == (action,) != without.sections
    assert "edits" not in schema("document")["$defs"]["action"]["required"]
