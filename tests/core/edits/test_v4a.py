"""V4A patches: their marks, added files, hunks without a head, and what is refused."""

from __future__ import annotations

from edit_changes import text
from edit_readings import USE_HEADS, reading_of, refusal_of

from symops_lark.core.edits.hunks import MAX_HUNKS, Hunk, Reading
from symops_lark.core.edits.notations.v4a import file_line, is_begin, is_end, move_line, read

KIND = "V4A patch"
HUNK = Hunk(("a",), ("b",))
USE_CREATE = "use `create` for the new file and `delete` for the old one"


def reading(*lines: str, path: str = "a.py") -> Reading:
    return reading_of(read, KIND, text(*lines), path)


def unreadable(*lines: str, path: str = "a.py") -> tuple[str, str]:
    return refusal_of(read, text(*lines), path)


def test_marks() -> None:
    assert is_begin("*** Begin Patch") and is_begin("** Begin Patch ** ") and not is_begin("* Begin Patch")
    assert is_end("***End Patch***") and not is_end(" *** End Patch") and not is_end("*** End of File")
    assert file_line("*** Update File: a b.py ***") == ("Update", "a b.py")
    assert file_line("** Add File:a.py") == ("Add", "a.py") and file_line("*** Delete File: ") == ("Delete", "")
    assert file_line("*** Rename File: a.py") is None and file_line("Update File: a.py") is None
    assert move_line("*** Move to: b.py") == move_line("** Move File to: b.py ** ") == "b.py"
    assert move_line("*** Moved to: b.py") is None


def test_a_patch_may_lack_its_first_or_last_lines() -> None:
    hunk = ["@@", "-a", "+b"]
    named = Reading(KIND, (HUNK,), ordered=True, names=("a.py",))
    assert reading("*** Begin Patch", "*** Update File: a.py", *hunk, "*** End Patch") == named
    assert reading("", "*** Update File: a.py", "", *hunk) == named
    assert reading("*** Begin Patch", *hunk).hunks == reading(*hunk, "*** End Patch").hunks == (HUNK,)
    assert reading(*hunk, "*** End of File").hunks == (Hunk(("a",), ("b",), at_end=True),)
    assert reading("*** Update File: a.py", *hunk, "*** Update File: a.py", *hunk).names == ("a.py",)
    for content in ("", "\n", "@@\n-a\n+b\n", "@@\n a\n*** End Patch\n", "-a\n+b\n*** End Patch\n"):
        assert read(content) is None


def test_the_first_hunk_may_have_no_head() -> None:
    assert reading("*** Begin Patch", "-a", "+b").hunks == (HUNK,)
    assert reading("*** Update File: a.py", " x", "-a", "+b").hunks == (Hunk(("x", "a"), ("x", "b"), kept=((0, 0),)),)
    reason = "line 4 of the patch is not understood: '-c'"
    assert unreadable("*** Update File: a.py", "+b", "*** Update File: a.py", "-c") == (reason, USE_HEADS)
    assert unreadable("*** Begin Patch", "a", "+b") == ("line 2 of the patch is not understood: 'a'", USE_HEADS)


def test_a_hunk_at_the_end_of_the_file() -> None:
    first, second = reading("*** Begin Patch", "@@", "-a", "+b", "*** End of File", "@@", "-a", "+b").hunks
    assert (first, second) == (Hunk(("a",), ("b",), at_end=True), HUNK)
    (hunk,) = reading("*** Begin Patch", "@@", " x", "a", "+b", "*** End of File").hunks
    assert hunk.at_end and len(hunk.choices) == 2 and all(choice.at_end for choice in hunk.choices)
    assert reading("*** Begin Patch", "@@", " a", "*** End of File", "@@", "-a", "+b").hunks == (HUNK,)


def test_an_added_file() -> None:
    begin = ["*** Begin Patch", "*** Add File: a.py"]
    assert reading(*begin, "+a", "+", "+ b", "*** End Patch") == Reading(KIND, text="a\n\n b\n", names=("a.py",))
    assert reading(*begin).text == "" and reading(*begin, "+a", "", "").text == "a\n"
    reason = "line 4 of the patch is not understood: 'b'"
    assert unreadable(*begin, "+a", "b") == (reason, USE_HEADS)
    for line in ("-a", "@@", " a"):
        assert unreadable(*begin, line)[0] == f"line 3 of the patch is not understood: '{line}'"
    two = "the patch adds two files", "write one action for each file"
    assert unreadable(*begin, "+a", "*** Add File: b.py") == two
    both = "the patch adds the file and changes it", "write the added file once"
    assert unreadable("*** Update File: a.py", "@@", "-a", "+b", "*** Add File: a.py", "+a") == both


def test_other_changes_of_a_file_are_refused() -> None:
    deletes = "the patch deletes the file a.py", "use `delete` for that"
    assert unreadable("*** Delete File: a.py") == deletes
    moved = ["*** Update File: a.py", "*** Move to: b.py", "@@", "-a", "+b"]
    assert unreadable(*moved) == ("the patch renames the file to b.py", USE_CREATE)
    moved[1] = "*** Move to: ./a.py"
    assert reading(*moved).hunks == reading(*moved, path="b.py").hunks == (HUNK,)
    moved[1] = "*** Move to: lib/a.py"
    assert reading(*moved, path="lib/a.py").hunks == (HUNK,)
    assert unreadable(*moved)[0] == "the patch renames the file to lib/a.py"


def test_a_patch_that_changes_nothing_is_refused() -> None:
    nothing = "the patch changes nothing", "begin each hunk with `@@`"
    assert unreadable("*** Begin Patch", "*** End Patch") == unreadable("*** Begin Patch", "@@", " a") == nothing


def test_lines_after_the_end_are_refused() -> None:
    patch = ["*** Begin Patch", "@@", "-a", "+b", "*** End Patch"]
    assert reading(*patch, "", "  ").hunks == (HUNK,)
    assert unreadable(*patch, "x") == ("line 6 of the patch is after its end", "")
    assert unreadable(*patch, "", " ", "x", "y")[0] == "line 8 of the patch is after its end"


def test_a_patch_has_so_many_hunks_at_most() -> None:
    hunk = ["@@", "-a", "+b"]
    assert len(reading("*** Begin Patch", *hunk * MAX_HUNKS).hunks) == MAX_HUNKS
    reason = f"the patch has more than {MAX_HUNKS} hunks"
    assert unreadable("*** Begin Patch", *hunk * (MAX_HUNKS + 1)) == (reason, "write the whole text")
