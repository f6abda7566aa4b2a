"""Lines without a sign do not end a patch that is still open: without them it would be another patch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Action, Completeness, Document, edit_text, read_format
from symops_lark.core.edits.hunks import Edited

HUNK = "@@ def f():\nclass A:\n-x = 1\n+x = 2\n\treturn x"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n class A:\n-x = 1\n+x = 2\nreturn x"


def envelope(*files: str) -> str:
    return "*** Begin Patch\n" + "".join(files) + "*** End Patch\n"


def only(document: Document) -> Action:
    (action,) = document.actions
    return action


def codes(document: Document) -> set[str]:
    return {finding.code for finding in document.diagnostics}


def test_a_patch_goes_on_to_the_end_of_its_envelope() -> None:
    document = read_format(envelope(f"*** Update File: a.py\n{HUNK}\n"))
    action = only(document)
    assert action.content == HUNK
    assert action.completeness is Completeness.SUSPECT and action.confidence <= 0.5
    assert "unsigned-lines" in codes(document) and "broken-section" not in codes(document)


def test_a_patch_goes_on_to_the_next_file() -> None:
    text = envelope(f"*** Update File: a.py\n{HUNK}\n", "*** Update File: b.py\n@@\n-y = 1\n+y = 2\n")
    first, second = read_format(text).actions
    assert (first.path, first.content) == ("a.py", HUNK)
    assert (second.path, second.content) == ("b.py", "@@\n-y = 1\n+y = 2")
    assert second.completeness is Completeness.COMPLETE


def test_a_new_file_keeps_its_lines_without_a_plus() -> None:
    document = read_format(envelope("*** Add File: a.py\n+x = 1\n\ny = 2\n+z = 3\n"))
    action = only(document)
    assert (action.type, action.content) == ("create", "x = 1\n\ny = 2\nz = 3")
    assert action.completeness is Completeness.SUSPECT


def test_a_patch_that_is_cut_off_is_truncated() -> None:
    text = f"*** Begin Patch\n*** Update File: a.py\n{HUNK}\n"
    action = only(read_format(text))
    assert (action.content, action.completeness) == (HUNK, Completeness.TRUNCATED)


def test_the_prose_after_an_envelope_is_not_of_it() -> None:
    text = envelope("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n") + "\nThat is all.\nIt works.\n"
    action = only(read_format(text))
    assert (action.content, action.completeness) == ("@@\n-x = 1\n+x = 2", Completeness.COMPLETE)


def test_two_envelopes_without_an_end_are_two() -> None:
    part = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n\nNow the other one.\n"
    text = part + envelope("*** Update File: b.py\n@@\n-y = 1\n+y = 2\n")
    first, second = read_format(text).actions
    assert first.content is not None and "Now" not in first.content
    assert second.path == "b.py"


def test_a_diff_goes_on_to_the_end_of_its_fence() -> None:
    document = read_format(f"```diff\n{DIFF}\n```\n\nDone.\n", "unified_diff")
    action = only(document)
    assert action.content is not None and action.content.endswith("+x = 2\nreturn x")
    assert action.completeness is Completeness.SUSPECT


def test_a_bare_diff_with_such_a_line_is_doubted() -> None:
    action = only(read_format(f"{DIFF}\n", "unified_diff"))
    assert action.completeness is Completeness.SUSPECT
    sure = DIFF.removesuffix("\nreturn x") + "\n\nDone.\n"
    assert only(read_format(sure, "unified_diff")).completeness is Completeness.COMPLETE


def test_such_a_patch_is_applied_after_a_question() -> None:
    action = only(read_format(envelope(f"*** Update File: a.py\n{HUNK}\n")))
    edited = edit_text("def f():\n\nclass A:\nx = 1\n\treturn x\n", action.content or "", "a.py")
    assert isinstance(edited, Edited)
    assert edited.text == "def f():\n\nclass A:\nx = 2\n\treturn x\n"
    assert edited.doubts and "no sign" in edited.doubts[0]


LINES = st.lists(
    st.sampled_from(["-x = 1", "+x = 2", " y", "z", "", "\tw", "@@ def f():", "@@"]), min_size=1, max_size=8
)


@given(LINES, st.sampled_from(["", "\n", "Prose.\n"]))
def test_no_line_of_an_envelope_is_lost_silently(lines: list[str], after: str) -> None:
    """A line that has text is in the content, or a finding doubts the action."""
    body = "\n".join(["@@", "-old", "+new", *lines])
    document = read_format(envelope(f"*** Update File: a.py\n{body}\n") + after)
    action = only(document)
    assert action.content is not None
    assert [line for line in action.content.split("\n") if line] == [line for line in body.split("\n") if line]
