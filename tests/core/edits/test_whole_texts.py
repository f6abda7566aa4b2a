"""The guard of whole new texts: an edit in a notation that nobody reads never overwrites a file by itself."""

from __future__ import annotations

import time

import pytest
from edit_changes import Change
from edit_notations import NAMED, NOTATIONS
from hypothesis import assume, given
from hypothesis import strategies as st
from overwritten import is_overwritten
from trees import MemoryTree, create, document, edit

from symops_lark import Policy, plan
from symops_lark.acting.changes import Decision
from symops_lark.core.edits import marks
from symops_lark.core.edits.comparison import measure
from symops_lark.core.edits.whole_texts import Thresholds, find_doubts, find_loss
from symops_lark.core.patterns.regexes import compile_linear

# What a comparison cannot tell in short files; how many of them: `python -m benchmarks.edits`.
UNTOLD = ("x → y", "[-x-]{+y+}", "snippet", "snippet with a line around")

_LINES = (
    *("import os", "from pathlib import Path", "def load(path):", "    return path.read_text()", "class Store:"),
    *("    def get(self, key):", "        return self.rows[key]", "    x = 1", "    y = 2", "x = 1", "}", "{", ""),
    *("name: build", "on: push", "- item", "- name: test", "  - run: make", "  key: value", "# Title", "## Part"),
    *("Some words that say what it does.", "* a point", "+ a point", "1. one", "2. two", "| a | b |", "> said"),
    *('"old": 1,', '  "name": "x",', "<p>text</p>", "SELECT * FROM t;", "-- a comment", "s = 'x/y/z'", "\tcall()"),
)
_SOME_LINES = st.sampled_from(_LINES) | st.text("abc xyz=()_:.", min_size=1, max_size=20)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """Draw a file of 3 to 200 lines, and one or two places of it that change."""
    size = draw(st.integers(3, 12) | st.integers(13, 200))
    old = draw(st.lists(_SOME_LINES, min_size=min(size, 30), max_size=30))[: size or None]
    old += [f"line {number} of many" for number in range(size - len(old))]
    new = list(old)
    for _ in range(draw(st.integers(1, 2))):
        at, lost = draw(st.integers(0, len(new) - 1)), draw(st.integers(0, 2))
        fresh = draw(st.lists(_SOME_LINES, min_size=0 if lost else 1, max_size=4))
        new[at : at + lost] = fresh
    assume(new != old and any(line.strip() for line in old) and any(line.strip() for line in new))
    ended = draw(st.booleans())
    return Change(
        "\n".join(old) + "\n" * ended, "\n".join(new) + "\n", draw(st.sampled_from(("a.py", "b.md", "c.yaml")))
    )


def doubts(old: str, new: str) -> str:
    return "; ".join(find_doubts(old, new))


# ---- notations


def test_the_table_is_large_enough() -> None:
    assert len(NOTATIONS) >= 50 and len(NAMED) >= 30 and set(UNTOLD) < set(NOTATIONS) and not set(UNTOLD) & set(NAMED)


@given(changes(), st.sampled_from(("\n", "\r\n")), st.booleans(), st.booleans())
def test_no_notation_overwrites_a_file(change: Change, ending: str, bom: bool, in_content: bool) -> None:
    for name, write in NOTATIONS.items():
        if name in UNTOLD:
            continue
        content = ("\ufeff" if in_content and bom else "") + write(change).replace("\n", ending if in_content else "\n")
        assert not is_overwritten(change, content, ending=ending, bom=bom), (name, content)


@given(changes(), st.sampled_from([name for name in NAMED if not name.startswith(("-", "s", "{", "R", "I"))]))
def test_no_mark_is_put_into_a_file_by_an_edit_that_is_read(change: Change, name: str) -> None:
    """As where a block has the lines of another tool's block in its new half."""
    assume(change.old[0].strip() and change.before.count(change.old[0] + "\n") == 1)
    inner = NOTATIONS[name](change).removesuffix("\n")
    block = f"<<<<<<< SEARCH\n{change.old[0]}\n=======\n{inner}\n>>>>>>> REPLACE\n"
    made = plan(document(edit("a.py", block)), MemoryTree({"a.py": change.before.encode()}))
    assert made.conflicts or made.changes[0].decision is Decision.ASK


def test_a_hint_of_another_tool_is_no_line() -> None:
    block = "<<<<<<< SEARCH\nx = 1\n=======\n:start_line:3\n-------\nx = 3\n>>>>>>> REPLACE\n"
    made = plan(document(edit("a.py", block)), MemoryTree({"a.py": FILE.encode()}))
    assert made.changes[0].decision is Decision.ASK and ":start_line:3" in made.changes[0].reasons[0]


FILE = "import os\n\nx = 1\ny = 2\n\n\ndef f():\n    return x\n"
AFTER = FILE.replace("x = 1", "x = 3")


@pytest.mark.parametrize("name", [name for name in NOTATIONS if name not in UNTOLD])
@pytest.mark.parametrize("size", [3, 8, 19, 60, 200])
def test_notation_is_asked_about_or_read(name: str, size: int) -> None:
    rest = "".join(f"row_{number} = {number}\n" for number in range(size - 3))
    change = Change(f"a = 0\nx = 1\n{rest}z = 9\n", f"a = 0\nx = 3\n{rest}z = 9\n")
    content = NOTATIONS[name](change)
    assert not is_overwritten(change, content)
    made = plan(document(edit("a.py", content)), MemoryTree({"a.py": change.before.encode()}))
    assert made.conflicts or made.changes[0].decision is Decision.AUTO or made.changes[0].reasons


def test_an_edit_after_a_creation_is_guarded_too() -> None:
    content = "@@\n-x = 1\n+x = 3\n"
    made = plan(document(create("a.py", FILE), edit("a.py", content)), MemoryTree())
    assert [change.decision for change in made.changes] == [Decision.AUTO, Decision.ASK]
    assert any("mark" in reason for reason in made.changes[1].reasons)


@pytest.mark.parametrize(
    "content", ["<<<<<< SEARCH\nx\n======\ny\n>>>>>> REPLACE\n", "*** Begin Patch\n", "@@\n-x\n+y\n"]
)
def test_new_and_empty_files_do_not_become_a_notation(content: str) -> None:
    for made in (
        plan(document(create("a.py", content)), MemoryTree()),
        plan(document(edit("a.py", content)), MemoryTree({"a.py": b""})),
        plan(document(edit("a.py", content)), MemoryTree({"a.py": b"\xef\xbb\xbf\r\n"})),
    ):
        assert made.changes[0].decision is Decision.ASK and "mark" in made.changes[0].reasons[0]
    assert not plan(document(edit("a.py", content)), MemoryTree()).possible


# ---- signals, each alone

BODY = "".join(f"value_{number} = compute({number})\n" for number in range(10))
LONG = "".join(f"value_{number} = compute({number})\n" for number in range(40))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (BODY, "print('other')\nprint('text')\n" * 8, "keeps none of the file's 10 lines"),
        ("x = 1\n", "Please make it three instead.\n", "no line of the new text is like"),
        (BODY, "".join(f"-{line}\n" for line in BODY.splitlines()[:5]) + BODY, "5 of the new text's 15 lines"),
        (BODY, "".join(f"  {n} | {line}\n" for n, line in enumerate(BODY.splitlines())), "after a mark or a number"),
        ("- a\n- b\n- c\n", "- a\n+- d\n", "begins with a mark of a diff"),
        ("a b\nc d\n", "a b\n+c e\n", "begins with a mark of a diff"),
        ("a b\nc d\n", "1: a b\n2: c e\n3:\n", "begins with its number"),
        (BODY, BODY + "=====\n" + BODY, "100% of the file's lines occur twice"),
        (BODY, "".join(f"{line} → {line}0\n" for line in BODY.splitlines()), "contain a line of the file and more"),
        (BODY, "<old_text>\n" + BODY, "line 1 is the mark"),
        (BODY, BODY + "x = 1\n*** End Patch\n", "line 12 is the mark"),
        (BODY, "x = 1\n" * 9 + "[SEARCH]\n" + "x = 1\n" * 9, "line 10 is the mark"),
        (BODY, BODY[:40] + "\n>>>>>>> main\n" + BODY[40:], "is the mark"),
        (BODY, "Replace line 3 with:\n" + BODY, "begins with a command to edit: 'Replace line 3 with:'"),
        (BODY, "s/compute(1)/compute(2)/\n" + BODY, "begins with a command to edit"),
        (BODY, '{"old_str": "a", "new_str": "b"}\n' + BODY, "keys of a tool call"),
        (BODY, BODY + "{ existing code }\n", "line 11 stands for code that was left out"),
        (BODY, BODY + "# ... rest of the code unchanged\n", "stands for code that was left out"),
        (LONG, "".join(LONG.splitlines(keepends=True)[:19]) + "z = 1\n" * 30, "the file keeps 19 of its 40 lines"),
        (BODY, "".join(BODY.splitlines(keepends=True)[:3]) + "z = 1\n", "keeps 3 of its 10 lines, and becomes shorter"),
    ],
)
def test_signal(old: str, new: str, told: str) -> None:
    assert told in doubts(old, new)
    assert told in doubts(old.replace("\n", "\r\n"), "\ufeff" + new.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.2.3\n", "1.2.4\n"),
        ("", "anything\n"),
        (BODY, BODY.replace("value_3", "total")),
        (BODY, BODY + "- a point\n- another\n"),
        (BODY, "# Old: what it was\n" + BODY),
        ("- a\n- b\n", "- a\n- b\n- c\n"),
        ("- a\n- b\n", "- c\n- a\n- b\n"),
        ("* a\n* b\n* c\n", "- a\n- b\n- c\n* d\n"),
        ("# A\n\nwords\n", "# A\n\nwords\n\n- a\n- b\n"),
        ("a\n  - x\n  - y\n", "a\n- x\n- y\n"),
        ("  - x\n  - y\n", "- x\n- y\n- z\n"),
        ("1. a\n2. b\n", "1. a\n2. b\n3. c\n"),
        ("1\n2\n", "1\n2\n3\n"),
        ("Title\n----\nwords\n", "Title\n-----\nwords\n"),
        ('{\n  "a": 1\n}\n', '{\n  "a": 2\n}\n'),
        ("if x:\n  a()\n  b()\n", "if x:\n    a()\n    b()\n"),
        ("<old>\na\n</old>\n", "<old>\nb\n</old>\n"),
        ("s/a/b/\n", "s/a/b/\ns/c/d/\n"),
        ("Text about `<<<<<<< SEARCH` and\nmore of it\n", "Text about `<<<<<<< SEARCH` and\nmuch more of it\n"),
        (LONG, LONG[: len(LONG) // 2 + 60]),
    ],
)
def test_whole_text_is_not_doubted(old: str, new: str) -> None:
    assert doubts(old, new) == ""


@given(st.lists(_SOME_LINES, min_size=1, max_size=40), st.integers(0, 8), st.lists(st.integers(100, 999), max_size=10))
def test_the_same_text_is_never_doubted_indented_or_with_more_behind(
    lines: list[str], depth: int, more: list[int]
) -> None:
    old = "".join(line + "\n" for line in lines)
    assert doubts(old, old) == ""
    assert doubts(old, "".join(f"{' ' * depth}{line}\n" for line in lines)) == ""
    assert doubts(old, old + "".join(f"appended({number})\n" for number in more)) == ""


@given(st.lists(_SOME_LINES, min_size=1, max_size=25), st.lists(_SOME_LINES, min_size=1, max_size=25))
def test_what_is_not_doubted_keeps_a_line_or_is_alike(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    found = measure(before, after)
    assume(found.old_count and found.new_count)
    if not find_doubts(before, after):
        assert found.kept_count or found.likeness >= Thresholds().like


# ---- the policy


def test_the_policy_decides() -> None:
    tree = MemoryTree({"a.py": FILE.encode()})
    content = "x = 3\n"
    for decision in Decision:
        made = plan(document(edit("a.py", content)), tree, Policy(whole_text=decision))
        assert made.changes[0].decision is decision and made.possible is (decision is not Decision.REFUSE)
    made = plan(document(edit("a.py", "@@\n-x = 1\n+x = 3\n")), tree, Policy(whole_text=Decision.AUTO))
    assert made.changes[0].decision is Decision.ASK, "a mark of a notation is asked about whatever the policy says"


def test_what_a_file_may_lose_is_for_the_policy_to_say() -> None:
    tree = MemoryTree({"a.py": LONG.encode()})
    half = "".join(LONG.splitlines(keepends=True)[:15])
    for policy, decision in (
        (Policy(), Decision.ASK),
        (Policy(shrink_least=41), Decision.AUTO),
        (Policy(shrink_share=0.9), Decision.AUTO),
    ):
        assert plan(document(edit("a.py", half)), tree, policy).changes[0].decision is decision
    assert find_loss(LONG, half) == "the file keeps 15 of its 40 lines" and find_loss(LONG, LONG) == ""


def test_what_a_read_edit_takes_away_is_asked_about_too() -> None:
    lines = LONG.splitlines()
    block = "\n".join(("<<<<<<< SEARCH", *lines[5:], "=======", "z = 1", ">>>>>>> REPLACE"))
    made = plan(document(edit("a.py", block)), MemoryTree({"a.py": LONG.encode()}), Policy(whole_text=Decision.AUTO))
    assert made.changes[0].decision is Decision.ASK
    assert made.changes[0].reasons == ("the file keeps 5 of its 40 lines",)


def test_patterns_need_nothing_that_re2_has_not() -> None:
    patterns = [value.pattern for value in vars(marks).values() if hasattr(value, "fullmatch")]
    assert len(patterns) >= 7
    for pattern in patterns:
        compile_linear(pattern)


@pytest.mark.slow
def test_it_takes_time_in_proportion() -> None:
    """Twice the lines take about twice the time; searching each line in each would take four times."""
    times = []
    for size in (20_000, 40_000):
        old = "".join(f"line {number} = compute({number})\n" for number in range(size))
        new = "".join(f"-line {number} = compute({number})\n+line {number}\n" for number in range(size))
        begun = time.process_time()
        assert find_doubts(old, new)
        times.append(time.process_time() - begun)
    assert times[1] < 3 * times[0] + 0.2
