"""Laws of edits: the intended text, a refusal, or a doubt, and nothing outside of a place changes."""

from __future__ import annotations

import json
import time

import pytest
from drawn_changes import SOME_LINES, changes
from edit_changes import Change, plain, text
from edit_notations import NOTATIONS
from hypothesis import assume, given
from hypothesis import strategies as st
from read_notations import READ

from symops_lark import process
from symops_lark.core.edits import Edited, Refusal, edit_text, kind_of
from symops_lark.core.edits.lines import Lines
from symops_lark.core.edits.whole_texts import find_mark

# Few lines, so that everything is ambiguous.
FEW = st.sampled_from(("a = 1", "b = 2", "", "    a = 1", "}", "- a", " ", "+ b"))
# Without a head, a diff of lines that begin with signs looks like a list; a number that is wrong may be that of an
# equal line. `python -m benchmarks.edits` counts how often.
UNSURE = ("- and + lines, the whole file", *(name for name in READ if "wrong numbers" in name or "off by" in name))
HOSTILE = st.text("\ufeff\r\n\t -+@*<>=`{}[]\"':,.1ax\\/#\ud800", max_size=60)
PIECES = st.sampled_from(
    (
        *("@@", "@@ -1,2 +1 @@", "@@ 1:swz", "@@ 0+", "-a", "+b", " a", "\\ No newline", "--- a", "+++ b"),
        *("*** Begin Patch", "*** Update File: a.py", "*** End of File", "*** End Patch", "*** Move to: b"),
        *("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", ":start_line:1", "-------", "------- SEARCH"),
        *("<old>a", "</old>", "<new>", "b</new>", '{"old_str": "a", "new_str": "b"}', "edit 1:2", "end_of_edit"),
        *("# ... existing code ...", "```", "a", "b", "", " ", "diff --git a/a.py b/a.py", "rename to b.py"),
    )
)


def is_wrong(old: str, content: str, new: str, path: str = "t.txt") -> bool:
    """Return whether another text than the intended one would be written, and nobody is asked."""
    result = edit_text(old, content, path)
    return isinstance(result, Edited) and not result.doubts and result.text != new


@st.composite
def small_changes(draw: st.DrawFn) -> Change:
    old = draw(st.lists(FEW, min_size=1, max_size=9))
    new = list(old)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 1))] = draw(st.lists(FEW, max_size=2))
    assume(old != new and any(map(str.strip, new)) and any(map(str.strip, old)))
    return Change(text(*old), text(*new), "t.txt")


@given(small_changes())
def test_small_texts_become_the_intended_ones(change: Change) -> None:
    for name, write in READ.items():
        content = write(change)
        if name not in UNSURE and content != change.after:
            assert not is_wrong(change.before, content, change.after), (name, content)


@given(changes(), st.booleans(), st.booleans())
def test_a_change_becomes_the_intended_text(change: Change, windows: bool, bom: bool) -> None:
    ending = "\r\n" if windows else "\n"
    before = "\ufeff" * bom + change.before.replace("\n", ending)
    for name, write in READ.items():
        result = edit_text(before, write(change), change.path)
        if isinstance(result, Edited) and not result.doubts and name not in UNSURE:
            assert plain(result.text.encode()) == plain(change.after.encode()), (name, write(change))
            assert result.text.startswith("\ufeff") == before.startswith("\ufeff")
            assert "\r" not in result.text.replace("\r\n", "") and (windows or "\r" not in result.text)


def test_a_wrong_number_makes_the_others_doubtful() -> None:
    old, new = "a\nb\nx\nc\nx\n", "a\nB\nx\nc\nY\n"
    right = "@@ -2 +2 @@\n-b\n+B\n@@ -5 +5 @@\n-x\n+Y\n"
    assert edit_text(old, right) == Edited(new, "unified diff", (), (2, 5))
    result = edit_text(old, right.replace("-2 +2", "-1 +1"))
    assert isinstance(result, Edited) and result.text == new
    assert result.doubts == ("line 5: only the line number distinguishes the place, and that of another edit is wrong",)


def test_empty_lines_are_no_evidence_for_a_number() -> None:
    result = edit_text("a\n\nb\n\n", "@@ -4 +4 @@\n-\n+x\n")
    assert isinstance(result, Edited) and result.text == "a\n\nb\nx\n" and result.doubts


def test_a_diff_without_heads_and_context_is_asked_about() -> None:
    """The first line may be an insertion somewhere else."""
    for content in ("+z\n-b\n+c\n", "-b\n+c\n", " a\n+z\n-b\n+c\n"):
        result = edit_text("a\nb\n", content)
        assert isinstance(result, Edited) and result.doubts and result.kind == "diff without a head"


@given(changes())
def test_exact_notations_are_not_asked_about(change: Change) -> None:
    """What names the lines and quotes them is read without a question, unless a line looks like a mark."""
    assume(find_mark(change.before, change.after, everywhere=True) is None)
    for name in ("unified diff", "anchors"):
        content = READ[name](change)
        result = edit_text(change.before, content, change.path)
        assert isinstance(result, Edited) and (result.doubts == () or "-" not in content or "+" not in content)


@given(st.text(max_size=80) | HOSTILE, st.lists(PIECES, max_size=12), st.none() | HOSTILE, st.booleans())
def test_nothing_is_raised(content: str, pieces: list[str], old: str | None, as_lines: bool) -> None:
    tried = "\n".join(pieces) if as_lines else content
    result = edit_text(old, tried, "a.py")
    assert isinstance(result, Edited | Refusal) and result.kind == kind_of(tried, "a.py", (old or "").lstrip("\ufeff"))
    assert edit_text(old, tried, "a.py") == result


@given(st.lists(PIECES, max_size=10), st.lists(FEW | PIECES, max_size=8))
def test_no_new_mark_is_written_without_a_doubt(pieces: list[str], lines: list[str]) -> None:
    old, content = text(*lines), text(*pieces)
    result = edit_text(old, content, "t.txt")
    if isinstance(result, Edited) and not result.doubts:
        assert find_mark(old, result.text, everywhere=result.kind != "whole text") is None


@given(st.lists(SOME_LINES, min_size=1, max_size=20), st.data())
def test_a_copy_of_the_quoted_lines_is_never_changed_instead(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(at + 1, len(lines)))
    quoted, new = lines[at:end], [*lines[at:end], "an_added_line()"]
    assume(any(map(str.strip, quoted)))
    contents = (
        text("<<<<<<< SEARCH", *quoted, "=======", *new, ">>>>>>> REPLACE"),
        text("@@", *(" " + line for line in quoted), "+an_added_line()"),
        json.dumps({"old_string": "\n".join(quoted), "new_string": "\n".join(new)}),
    )
    twice = [*lines, "between()", *quoted]
    for content in contents:
        result = edit_text(text(*twice), content, "t.txt")
        assert isinstance(result, Refusal), content
        assert len(result.places) >= 2


@given(changes(), st.data())
def test_another_letter_is_refused_and_other_blanks_are_asked_about(change: Change, data: st.DataObject) -> None:
    hunk = next(iter(change.hunks(1)))
    filled = [index for index, line in enumerate(hunk.old) if line.strip()]
    assume(filled)
    at = data.draw(st.sampled_from(filled))
    for damaged, is_refused in ((hunk.old[at] + "qq", True), (hunk.old[at] + "  ", False)):
        old = [*hunk.old[:at], damaged, *hunk.old[at + 1 :]]
        assume(damaged not in change.old)
        content = text("<<<<<<< SEARCH", *old, "=======", *hunk.new, ">>>>>>> REPLACE")
        result = edit_text(change.before, content, "t.txt")
        assert isinstance(result, Refusal) or (not is_refused and result.doubts)


@given(st.lists(SOME_LINES, max_size=12), st.booleans(), st.data())
def test_lines_outside_of_a_place_keep_their_bytes(lines: list[str], ended: bool, data: st.DataObject) -> None:
    endings = data.draw(st.lists(st.sampled_from(("\n", "\r\n")), min_size=len(lines), max_size=len(lines)))
    old = [line + ending for line, ending in zip(lines, endings, strict=True)]
    if old and not ended and lines[-1]:
        old[-1] = lines[-1]
    start = data.draw(st.integers(0, len(lines)))
    count = data.draw(st.integers(0, len(lines) - start))
    new = data.draw(st.lists(SOME_LINES, max_size=4))
    edited = Lines("".join(old))
    edited.splice(start, count, new)
    result = edited.join()
    before, after = "".join(old[:start]), "".join(old[start + count :])
    assert [line.rstrip("\r") for line in result.split("\n")][: start + len(new)] == [*lines[:start], *new]
    assert result.endswith(after) and (result.startswith(before) or not before.endswith("\n"))
    assert not new or after or not old or result.endswith("\n") >= old[-1].endswith("\n")


@given(changes())
def test_the_lines_of_places_are_those_of_the_old_text(change: Change) -> None:
    hunks = list(change.hunks(1))
    result = edit_text(change.before, READ["<<<<<<< SEARCH"](change), "t.txt")
    if isinstance(result, Edited):
        assert list(result.lines) == [hunk.line for hunk in hunks]


@given(changes(), st.sampled_from(sorted(NOTATIONS)))
def test_reading_is_independent_of_the_file(change: Change, name: str) -> None:
    content = NOTATIONS[name](change)
    alone = kind_of(content, change.path)
    assert kind_of(content, change.path, change.before) in (alone, "diff without a head", "sketch")
    assert alone == "whole text" or kind_of(content, change.path, change.before) == alone


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unified diff, no context", ":start_line:", "anchors", '{"old_string": …}'])
def test_time_is_proportional_to_hunks_and_file(name: str) -> None:
    """Twice the lines with the same number of places take about twice the time."""
    times = []
    for size in (20_000, 40_000):
        old = [f"value_{number} = compute({number})" for number in range(size)]
        new = list(old)
        for number in range(0, size, size // 100):
            new[number] += "  # changed"
        change = Change(text(*old), text(*new))
        content = READ[name](change)
        begun = time.process_time()
        result = edit_text(change.before, content)
        times.append(time.process_time() - begun)
        assert isinstance(result, Edited) and result.text == change.after
    assert times[1] < 3 * times[0] + 0.3


@pytest.mark.slow
@pytest.mark.parametrize("line", ["x  \n", "  x\n", "x\u00a0\n"])
def test_many_equal_places_take_seconds_at_most(line: str) -> None:
    """What both halves of a hunk share is the same at each place."""
    new = ("y\n" + line) * 90
    content = f"<<<<<<< SEARCH\n:start_line:5\n-------\n{line * 190}=======\n{new}>>>>>>> REPLACE\n"
    begun = time.process_time()
    edit_text("x\n" * 4_000, content, "t.txt")
    assert time.process_time() - begun < 3


@pytest.mark.parametrize(
    "content",
    [
        *("[" * 5_000 + "]" * 5_000, "<old_text>\n" * 5_000, "." * 1_000_000, "s/" + "\\/" * 400_000, "@@\n" * 40_000),
        *("# ... existing code ...\n" * 20_000, "<<<<<<< SEARCH\n" * 20_000, "@@\n-x\n+y\n" * 20_000, "<" * 1_000_000),
        "*" * 1_000_000 + "\n-a\n+b\n",
        "<<<<<<< SEARCH\n" + " x\n" * 10_000 + "=======\n" + " y\n" * 10_000 + ">>>>>>> REPLACE\n",
        '{"old_string": "x", "new_string": "y", "replace_all": true}',
    ],
    ids=lambda content: content[:12],
)
def test_hostile_contents_take_seconds_at_most(content: str) -> None:
    begun = time.process_time()
    result = edit_text("x\n" * 20_000, content, "t.txt")
    assert isinstance(result, Refusal) or result.doubts
    assert time.process_time() - begun < 3


# ---- flags and numbers that must not change another place


@pytest.mark.parametrize("value", ["false", "False", "no", "0", "", False, None, 0])
def test_a_flag_that_says_no_changes_one_place(value: object) -> None:
    call = {"name": "edit_file", "arguments": {"path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}}
    call["arguments"]["replace_all"] = value  # type: ignore[index]
    [action] = process(json.dumps(call)).document.actions
    assert [edit.every for edit in action.edits] == [False]


def tagged(flags: list[bool | None]) -> str:
    edits = ""
    for number, flag in enumerate(flags):
        piece = "" if flag is None else f"<replace_all>{str(flag).lower()}</replace_all>\n"
        edits += f"<edit>\n<old>a{number} </old>\n<new>b{number} </new>\n{piece}</edit>\n"
    return edits


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=4))
def test_a_flag_belongs_to_its_edit(flags: list[bool | None]) -> None:
    before = "".join(f"a{number} 1\na{number} 2\n" for number in range(len(flags)))
    edited = edit_text(before, tagged(flags))
    if None in flags and True in flags:
        assert isinstance(edited, Refusal) and "replace_all" in edited.reason
    elif all(flags):
        assert isinstance(edited, Edited) and edited.text == before.replace("a", "b")
    else:
        # Without its flag, an edit fits at two places.
        assert isinstance(edited, Refusal)


@pytest.mark.parametrize("number", [-1, -5, 50])
def test_a_line_that_the_file_does_not_have_is_refused(number: int) -> None:
    edited = edit_text("a\nb\n", json.dumps({"insert_line": number, "new_str": "z"}))
    assert isinstance(edited, Refusal)


def test_a_number_of_a_line_counts_in_no_text_but_the_first() -> None:
    """The second block has two readings, one for each divider; neither may choose its place by the old number."""
    blocks = "<<<<<<< SEARCH\np\n=======\na\nb\np\n>>>>>>> REPLACE\n"
    blocks += "<<<<<<< SEARCH\n:start_line:4\n-------\nx\n=======\n=======\nz\n>>>>>>> REPLACE\n"
    assert isinstance(edit_text("p\nx\ny\nx\n", blocks), Refusal)


@given(st.data())
def test_the_number_of_an_insertion_counts_in_the_file_before_all_edits(data: st.DataObject) -> None:
    lines = [f"line {number}" for number in range(1, 8)]
    start = data.draw(st.integers(0, 6))
    end = data.draw(st.integers(start + 1, 7))
    new = [f"new {number}" for number in range(data.draw(st.integers(1, 4)))]
    after = data.draw(st.integers(0, 7))
    edits = [
        {"old_str": "\n".join(lines[start:end]), "new_str": "\n".join(new)},
        {"insert_line": after, "new_str": "inserted"},
    ]
    edited = edit_text("\n".join(lines) + "\n", json.dumps(edits))
    if start < after < end:
        assert isinstance(edited, Refusal) and f"after line {after}, which an edit before it changes" in edited.reason
        return
    # In a text without the first edit, the second is simple.
    expected = [*lines[:after], "inserted", *lines[after:]]
    shift = 1 if after <= start else 0
    expected[start + shift : end + shift] = new
    assert isinstance(edited, Edited) and edited.text == "\n".join(expected) + "\n"
