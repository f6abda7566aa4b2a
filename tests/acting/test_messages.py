"""What a model is told of its last reply."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import MemoryTree, create, document, edit

from symops_lark import Action, Runner, apply, plan
from symops_lark.acting.messages import quote_output, write_outcome


def test_what_was_done_and_what_was_not(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("y = 1\n")
    actions = (edit("a.py", "@@\n-x = 1\n+x = 3\n"), Action("delete", "b.py"), Action("run", "ls"))
    planned_changes = plan(document(*actions), tmp_path)
    message = apply(planned_changes, tmp_path, confirm=lambda change: change.operation != "delete").message()
    assert message == (
        "Done:\n- replace a.py (line 1)\n"
        "Not done:\n- delete b.py: not agreed to\n- run ls: commands are not run: give apply(…, run=Runner())\n"
        "The steps that are done stay. Send only the missing ones again.\n"
    )


def test_the_output_of_a_failed_command_is_there(tmp_path: Path) -> None:
    planned_changes = plan(document(Action("run", "cat missing-file")), tmp_path)
    message = apply(planned_changes, tmp_path, confirm=lambda change: True, run=Runner()).message()
    assert message.startswith("Not done:\n- run cat missing-file: ") and "\n  cat: " in message


def test_nothing_to_do() -> None:
    assert write_outcome((), (), ()) == "There was nothing to do.\n"


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (edit("a.py", "@@\n-x = 2\n+x = 3\n"), "- a.py: edit 1 does not fit: none of its lines"),
        (edit("missing.py", "x"), "- missing.py does not exist, so there is nothing to edit (use `create`"),
        (create(".env", "SECRET=1"), "- create .env: .env may hold secrets"),
    ],
)
def test_what_is_not_possible(action: Action, words: str) -> None:
    planned_changes = plan(document(action), MemoryTree({"a.py": b"x = 1\n"}))
    message = planned_changes.message()
    assert words in message and message.endswith("send the complete reply again.\n")


def test_a_possible_plan_has_no_message() -> None:
    assert plan(document(create("b.py", "x")), MemoryTree()).message() == ""


@given(st.lists(st.text(max_size=3_000), max_size=100), st.lists(st.text(max_size=3_000), max_size=100))
def test_messages_are_bounded(done: list[str], missing: list[str]) -> None:
    message = write_outcome([name[:400] for name in done], [name[:400] for name in missing], ())
    assert len(message) < 2 * 41 * 410 + 200
    assert len(quote_output("\n".join(done))) < 2_000 * 4


def test_the_end_of_a_long_output_is_kept() -> None:
    output = quote_output("begin\n" + "x" * 3_000 + "\nFAILED test_a\n")
    assert output.endswith("FAILED test_a") and "characters left out]" in output and "begin" not in output
