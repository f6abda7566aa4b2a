"""Names, byte order marks, line endings and leftovers of edits, and what happens to a file that is there or is not."""

from __future__ import annotations

import json

import pytest

from symops_lark.core.document import Replacement
from symops_lark.core.edits import Edited, Refusal, apply_replacements, edit_text
from symops_lark.core.edits.editing import apply_content, whole_text

DIFF = "--- a/a.py\n+++ b/a.py\n@@\n-x = 1\n+x = 3\n"


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


# ---- names


@pytest.mark.parametrize(
    ("names", "path", "doubts"),
    [
        (["a.py"], "src/a.py", ()),
        (["b.py"], "a.py", ("it names another file, b.py",)),
        (["b.py", "b.py"], "a.py", ("it names another file, b.py",)),
        (["b.py"], "", ()),
        (["b.py", "c.py"], "", ()),
        ([""], "a.py", ()),
        (["", "b.py"], "a.py", ("it names another file, b.py",)),
        (["", "a.py"], "a.py", ()),
    ],
)
def test_another_name_is_asked_about(names: list[str], path: str, doubts: tuple[str, ...]) -> None:
    olds = ["x", "y"][: len(names)]
    edits = [{"path": name, "old_str": old, "new_str": old + "1"} for name, old in zip(names, olds, strict=True)]
    result = edit_text("x\ny\n", json.dumps(edits), path)
    assert isinstance(result, Edited) and result.doubts == doubts


def test_several_files_are_refused() -> None:
    edits = [{"path": name, "old_str": old, "new_str": "z"} for name, old in (("a.py", "x"), ("b.py", "y"))]
    result = edit_text("x\ny\n", json.dumps(edits), "a.py")
    reason = "it changes b.py too", "write one action for each file"
    assert isinstance(result, Refusal) and (result.reason, result.hint) == reason
    assert result.kind == "old and new text in JSON"


# ---- files that are there, and new ones


def test_an_edit_needs_a_file() -> None:
    hint = "use `create` with the whole text for a new file"
    assert edit_text(None, DIFF, "a.py") == Refusal("there is no such file", hint=hint, kind="unified diff")


def test_an_unreadable_edit_is_refused_with_its_kind() -> None:
    result = edit_text("x = 1\n", "<<<<<<< SEARCH\nx = 1\n", "a.py")
    hint = "the reply may have been cut off"
    assert result == Refusal("the last block has no end", hint=hint, kind="search/replace blocks")


def test_a_block_that_searches_for_nothing_is_a_new_file() -> None:
    content, kind = block("", "x = 1\n"), "search/replace blocks"
    assert edit_text(None, content) == edit_text("", content) == Edited("x = 1\n", kind)
    assert edit_text("\n \n", content) == Edited("x = 1\n", kind, ("the file exists, and has empty lines",))
    reason = "it searches for nothing, or adds a file, and the file exists"
    assert edit_text("y\n", content) == Refusal(reason, hint="quote the lines that change", kind=kind)


def test_a_byte_order_mark_stays() -> None:
    result = edit_text("\ufeffx = 1\n", DIFF, "a.py")
    assert isinstance(result, Edited) and result.text == "\ufeffx = 3\n" and result.doubts == ()
    result = edit_text("\ufeffx = 1\ny = 2\n", "\ufeffx = 1\ny = 3\n")
    assert isinstance(result, Edited) and result.text == "\ufeffx = 1\ny = 3\n"
    assert isinstance(edit_text("\ufeffy = 1\n", DIFF, "a.py"), Refusal)


@pytest.mark.parametrize(
    ("content", "old", "text"),
    [
        ("a\r\nb", None, "a\r\nb\r\n"),
        ("a", None, "a\n"),
        ("a\n\n", None, "a\n\n"),
        ("\ufeffa\n", None, "\ufeffa\n"),
        ("", None, ""),
        ("a\nb", "x\r\n", "a\r\nb\r\n"),
        ("a\r\nb\r\n", "x\n", "a\nb\n"),
        ("\ufeffa\r\nb\r\n", "", "a\r\nb\r\n"),
        ("a\n\n", "x\n", "a\n\n"),
        ("", "x\n", ""),
    ],
)
def test_a_whole_text_has_the_endings_of_the_file(content: str, old: str | None, text: str) -> None:
    assert whole_text(content, old) == text
    assert apply_content(old, content) == Edited(text, "whole text")


def test_a_whole_text_is_compared_with_the_old_one() -> None:
    old = "".join(f"line {number}\n" for number in range(9))
    result = edit_text(old, "other\n")
    assert isinstance(result, Edited) and "the new text keeps none of the file's 9 lines" in result.doubts
    assert apply_content(old, "other\n") == Edited("other\n", "whole text")
    assert edit_text(None, "other\n") == Edited("other\n", "whole text")


# ---- leftovers


def test_a_new_line_that_looks_like_a_mark_is_asked_about() -> None:
    result = edit_text("x\ny\n", block("x\n", "*** End Patch\n"))
    assert isinstance(result, Edited) and len(result.doubts) == 1 and "line 1 is the mark of" in result.doubts[0]


def test_a_new_line_that_stands_for_code_is_asked_about_once() -> None:
    result = edit_text("x\ny\n", block("x\n", "z\n  # ... rest of the code\n# ...\n"))
    reason = "line 2 stands for code that was left out: # ... rest of the code"
    assert isinstance(result, Edited) and result.doubts == (reason,)
    result = edit_text("x\n# ...\r\n", block("x\n", "z\n"))
    assert isinstance(result, Edited) and result.doubts == ()


# ---- replacements


def test_replacements_are_searched_for_in_turn() -> None:
    edits = [Replacement("x = 1", "x = 2"), Replacement("2\r\ny", "3\r\ny")]
    assert apply_replacements("\ufeffx = 1\r\ny\r\n", edits) == Edited(
        "\ufeffx = 3\r\ny\r\n", "replacements", (), (1, 1)
    )
    assert apply_replacements("ab ab\n", [Replacement("ab", "c", every=True)]) == Edited(
        "c c\n", "replacements", (), (1,)
    )


def test_replacements_of_complete_lines() -> None:
    edit = Replacement("a\nb\n", "c\n\n", lines=True)
    assert apply_replacements("xa\nb\na\nb", [edit]) == Edited("xa\nb\nc\n\n", "replacements", (), (3,))
    assert apply_replacements("a\nb\n", [Replacement("a", "", lines=True)]) == Edited("b\n", "replacements", (), (1,))
    every = Replacement("a", "b", lines=True, every=True)
    assert apply_replacements("a\nx\na\n", [every]) == Edited("b\nx\nb\n", "replacements", (), (1, 3))


def test_replacements_that_fit_nowhere_are_refused() -> None:
    result = apply_replacements("x\n", [Replacement("y", "z")])
    assert isinstance(result, Refusal) and result.kind == "replacements" and result.reason
    result = apply_replacements(None, [Replacement("y", "z")])
    assert isinstance(result, Refusal) and result.reason == "there is no such file"
    for lines in (False, True):
        result = apply_replacements("x\n", [Replacement("x", "y"), Replacement("", "z", lines=lines)])
        reason = "nothing is searched for by edit 2", "quote the lines next to the new ones", "replacements"
        assert isinstance(result, Refusal) and (result.reason, result.hint, result.kind) == reason


def test_a_replacement_of_nothing_is_a_new_file() -> None:
    for lines in (False, True):
        assert apply_replacements(None, [Replacement("", "a\nb", lines=lines)]) == Edited("a\nb\n", "replacements")
        assert apply_replacements(None, [Replacement("", "", lines=lines)]) == Edited("", "replacements")
