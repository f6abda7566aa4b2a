"""Plans of edits in notations that no reader knows: such an edit never overwrites a file automatically."""

from __future__ import annotations

import pytest
from drawn_changes import changes
from edit_changes import Change
from edit_notations import NAMED, NOTATIONS
from hypothesis import assume, given
from hypothesis import strategies as st
from overwritten import is_overwritten
from trees import MemoryTree, create, document, edit

from symops_lark import Policy, plan
from symops_lark.acting.changes import Decision

# Notations that a comparison does not notice in short files; how many of them: `python -m benchmarks.edits`.
UNTOLD = ("x → y", "[-x-]{+y+}", "snippet", "snippet with a line around")
ONE_PLACE = '{"command": "str_replace"}'
FILE = "import os\n\nx = 1\ny = 2\n\n\ndef f():\n    return x\n"
LONG = "".join(f"value_{number} = compute({number})\n" for number in range(40))


# ---- notations


def test_the_table_is_large_enough() -> None:
    assert len(NOTATIONS) >= 50 and len(NAMED) >= 30 and set(UNTOLD) < set(NOTATIONS) and not set(UNTOLD) & set(NAMED)


@given(changes(), st.sampled_from(("\n", "\r\n")), st.booleans(), st.booleans())
def test_no_notation_overwrites_a_file(change: Change, ending: str, bom: bool, in_content: bool) -> None:
    for name, write in NOTATIONS.items():
        # It writes one place, and the change may have several.
        is_part = name == ONE_PLACE and len(list(change.hunks(1))) > 1
        if name in UNTOLD or is_part:
            continue
        content = ("\ufeff" if in_content and bom else "") + write(change).replace("\n", ending if in_content else "\n")
        assert not is_overwritten(change, content, ending=ending, bom=bom), (name, content)


@given(changes(), st.sampled_from([name for name in NAMED if not name.startswith(("-", "s", "{", "R", "I"))]))
def test_no_mark_is_put_into_a_file_by_an_edit_that_is_read(change: Change, name: str) -> None:
    """As where a block has the lines of another tool's block in its new half."""
    assume(change.old[0].strip() and change.before.count(change.old[0] + "\n") == 1)
    inner = NOTATIONS[name](change).removesuffix("\n")
    block = f"<<<<<<< SEARCH\n{change.old[0]}\n=======\n{inner}\n>>>>>>> REPLACE\n"
    planned_changes = plan(document(edit("a.py", block)), MemoryTree({"a.py": change.before.encode()}))
    assert planned_changes.conflicts or planned_changes.changes[0].decision is Decision.ASK


def test_a_hint_of_another_tool_is_no_line() -> None:
    block = "<<<<<<< SEARCH\nx = 1\n=======\n:start_line:3\n-------\nx = 3\n>>>>>>> REPLACE\n"
    [change] = plan(document(edit("a.py", block)), MemoryTree({"a.py": FILE.encode()})).changes
    assert change.decision is Decision.AUTO and change.after == FILE.replace("x = 1", "x = 3").encode()
    assert (change.reading, change.places) == ("search/replace blocks", (3,))


@pytest.mark.parametrize("name", [name for name in NOTATIONS if name not in UNTOLD])
@pytest.mark.parametrize("size", [3, 8, 19, 60, 200])
def test_notation_is_asked_about_or_read(name: str, size: int) -> None:
    text = "".join(f"row_{number} = {number}\n" for number in range(size - 3))
    change = Change(f"a = 0\nx = 1\n{text}z = 9\n", f"a = 0\nx = 3\n{text}z = 9\n")
    content = NOTATIONS[name](change)
    assert not is_overwritten(change, content)
    planned_changes = plan(document(edit("a.py", content)), MemoryTree({"a.py": change.before.encode()}))
    assert (
        planned_changes.conflicts
        or planned_changes.changes[0].decision is Decision.AUTO
        or planned_changes.changes[0].reasons
    )


def test_an_edit_after_a_creation_is_guarded_too() -> None:
    content = "s/x = 1/x = 3/\n"
    planned_changes = plan(document(create("a.py", FILE), edit("a.py", content)), MemoryTree())
    assert [change.decision for change in planned_changes.changes] == [Decision.AUTO, Decision.ASK]
    assert any("none of the file's" in reason for reason in planned_changes.changes[1].reasons)


@pytest.mark.parametrize(
    "content", ["<<<<<< SEARCH\nx\n======\ny\n>>>>>> REPLACE\n", "*** Begin Patch\n", "@@\n-x\n+y\n"]
)
def test_new_and_empty_files_do_not_become_a_notation(content: str) -> None:
    [change] = plan(document(create("a.py", content)), MemoryTree()).changes
    assert change.decision is Decision.ASK and "mark" in change.reasons[0]
    for tree in (MemoryTree({"a.py": b""}), MemoryTree({"a.py": b"\xef\xbb\xbf\r\n"}), MemoryTree()):
        planned_changes = plan(document(edit("a.py", content)), tree)
        assert not planned_changes.possible and planned_changes.conflicts[0].code in (
            "edit-does-not-fit",
            "missing-file",
        )


# ---- the policy


def test_the_policy_decides() -> None:
    tree = MemoryTree({"a.py": FILE.encode()})
    content = "x = 3\n"
    for decision in Decision:
        planned_changes = plan(document(edit("a.py", content)), tree, Policy(whole_text=decision))
        assert planned_changes.changes[0].decision is decision and planned_changes.possible is (
            decision is not Decision.REFUSE
        )
    planned_changes = plan(document(edit("a.py", "<<<<<<< HEAD\n" + FILE)), tree, Policy(whole_text=Decision.AUTO))
    assert planned_changes.changes[0].decision is Decision.ASK, (
        "a mark of a notation is asked about whatever the policy says"
    )


def test_the_policy_decides_about_what_a_match_overlooked() -> None:
    tree = MemoryTree({"a.py": FILE.encode()})
    for decision in Decision:
        planned_changes = plan(document(edit("a.py", "@@\n-x = 1  \n+x = 3\n")), tree, Policy(fuzzy=decision))
        assert planned_changes.changes[0].decision is decision and planned_changes.possible is (
            decision is not Decision.REFUSE
        )
    # What is no tolerance of the match is asked about whatever the policy says.
    for content in ("@@ def g():\n-x = 1\n+x = 3\n", "--- b.py\n+++ b.py\n@@ -3 +3 @@\n-x = 1\n+x = 3\n"):
        [change] = plan(document(edit("a.py", content)), tree, Policy(fuzzy=Decision.AUTO)).changes
        assert change.decision is Decision.ASK


def test_what_a_file_may_lose_is_for_the_policy_to_say() -> None:
    tree = MemoryTree({"a.py": LONG.encode()})
    half = "".join(LONG.splitlines(keepends=True)[:15])
    for policy, decision in (
        (Policy(), Decision.ASK),
        (Policy(shrink_least=41), Decision.AUTO),
        (Policy(shrink_share=0.9), Decision.ASK),
        (Policy(shrink_share=0.9, shrink_end=0.9), Decision.AUTO),
    ):
        assert plan(document(edit("a.py", half)), tree, policy).changes[0].decision is decision


def test_what_a_read_edit_takes_away_is_asked_about_too() -> None:
    lines = LONG.splitlines()
    block = "\n".join(("<<<<<<< SEARCH", *lines[5:], "=======", "z = 1", ">>>>>>> REPLACE"))
    planned_changes = plan(
        document(edit("a.py", block)), MemoryTree({"a.py": LONG.encode()}), Policy(whole_text=Decision.AUTO)
    )
    assert planned_changes.changes[0].decision is Decision.ASK
    assert planned_changes.changes[0].reasons == ("the file keeps 5 of its 40 lines",)
