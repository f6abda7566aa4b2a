"""A label before a complete action line is taken off, in every dialect; a mark within a sentence is not an action."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Action, Document, ProtocolError, dialects, process, render
from symops_lark.core.grammar.loading import load_grammar

NUMBERS = st.integers(1, 120)
WORDS = st.sampled_from(("Step", "step", "ACTION", "Task", "Phase", "File", "Next", "TODO", "done", "Schritt"))
PICTURES = st.sampled_from(("✅", "➡️", "☐", "->", "👉", "③", "2️⃣", "•", "-", "*", "+"))
SHAPES = st.sampled_from(
    ("{}. ", "{}) ", "({}) ", "[{}] ", "#{} ", "{}/130 ", "({}/130) ", "[{} of 130]: ", "3.{} ", "**{}.** ")
)
TIMES = st.sampled_from(("{:02}:{:02}:09 ", "[{:02}:{:02}] ", "[2026-01-04 {:02}:{:02}:31] ", "({:02}:{:02}): "))
LETTERS = st.sampled_from("abcdefgh").map("{}) ".format) | st.sampled_from(("ii", "iv", "IX")).map("({}) ".format)
BOXES = st.sampled_from(("[x] ", "[ ] ", "[X] ", "[✓] ", "[]"))
LABELLED = st.builds("{} {}: ".format, WORDS, NUMBERS) | WORDS.map("[{}] ".format) | WORDS.map("**{}:** ".format)
NUMBERED = st.builds(str.format, SHAPES, NUMBERS)
CLOCKS = st.builds(str.format, TIMES, st.integers(0, 23), st.integers(0, 59))
LABELS = st.one_of(NUMBERED, CLOCKS, LETTERS, BOXES, LABELLED, PICTURES.map("{} ".format))
UNKNOWN = st.sampled_from(
    ("[WIP] ", "[SKIPPED] ", "(optional) ", "Option 2: ", "- [-] ", "[old draft]: ", "【中止】", "3rd: ")
)

BEGINNINGS = (
    "You can write ",
    "use it: ",
    "e.g. ",
    "Never: ",
    "See ",
    "`",
    "| ",
    "| 1 | ",
    "so 1. ",
    "(",
    "“",
    "User: ",
    "a `",
    "x = ",
)
TAILS = (" to see it.", "`", " |", ")", "” is one.", " and so on")

ACTIONS = (
    Action("create", "src/a.py", "x = 1"),
    Action("edit", "b.md", "- one\n- two"),
    Action("delete", "old/c.txt"),
    Action("run", "pytest -q"),
)


def body(action: Action, dialect: str) -> str:
    return render(Document((action,)), format=dialect)


def read(text: str, dialect: str) -> list[tuple[str, str, str | None, float]]:
    try:
        result = process(text, format=dialect)
    except ProtocolError:
        return []
    return [(a.type, a.path, a.content, a.confidence) for a in result.document.actions]


@given(st.sampled_from(dialects()), st.sampled_from(ACTIONS), st.lists(LABELS, min_size=1, max_size=2).map("".join))
def test_a_label_changes_no_action(dialect: str, action: Action, label: str) -> None:
    text = body(action, dialect)
    plain, labelled = read(text, dialect), read(label + text, dialect)
    assert [row[:3] for row in labelled] == [row[:3] for row in plain]
    assert 0.8 < labelled[0][3] <= plain[0][3]


@given(st.sampled_from(dialects()), st.sampled_from(ACTIONS), UNKNOWN)
def test_an_unknown_label_raises_an_alarm(dialect: str, action: Action, label: str) -> None:
    text = body(action, dialect)
    labelled = read(label + text, dialect)
    assert [row[:3] for row in labelled] == [row[:3] for row in read(text, dialect)]
    assert labelled[0][3] < 0.9


@given(st.sampled_from(dialects()), st.sampled_from(BEGINNINGS), st.sampled_from(TAILS))
def test_a_head_within_a_line_of_text_is_no_action(dialect: str, beginning: str, tail: str) -> None:
    head = body(ACTIONS[3], dialect).split("\n")[0]
    assert read(f"{beginning}{head}{tail}\n", dialect) == []


@given(st.sampled_from(dialects()), LABELS, st.text("abc de.", min_size=1, max_size=20), st.sampled_from(TAILS))
def test_a_mark_without_verb_and_target_is_no_action(dialect: str, label: str, words: str, tail: str) -> None:
    mark = load_grammar(dialect).marks["action"]
    assert read(f"{label}some {words} {mark} {words}{tail}\n", dialect) == []


@pytest.mark.parametrize("dialect", dialects())
def test_a_labelled_line_in_a_content_stays(dialect: str) -> None:
    lines = body(ACTIONS[3], dialect).replace("\n", "\n[DONE] ").removesuffix("[DONE] ")
    text = body(Action("create", "notes.md", "Notes:\n[DONE] " + lines + "End."), dialect)
    assert [row[:2] for row in read(text, dialect)] == [("create", "notes.md")]
