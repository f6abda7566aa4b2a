"""Changes of files, drawn: the lines, the sizes and the places that the tests of edits use."""

from __future__ import annotations

from edit_changes import Change
from hypothesis import assume
from hypothesis import strategies as st

_LINES = (
    *("import os", "from pathlib import Path", "def load(path):", "    return path.read_text()", "class Store:"),
    *("    def get(self, key):", "        return self.rows[key]", "    x = 1", "    y = 2", "x = 1", "}", "{", ""),
    *("name: build", "on: push", "- item", "- name: test", "  - run: make", "  key: value", "# Title", "## Part"),
    *("Some words that say what it does.", "* a point", "+ a point", "1. one", "2. two", "| a | b |", "> said"),
    *('"old": 1,', '  "name": "x",', "<p>text</p>", "SELECT * FROM t;", "-- a comment", "s = 'x/y/z'", "\tcall()"),
)
SOME_LINES = st.sampled_from(_LINES) | st.text("abc xyz=()_:.", min_size=1, max_size=20)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """Draw a file of 3 to 200 lines, and one or two places of it that change."""
    size = draw(st.integers(3, 12) | st.integers(13, 200))
    old = draw(st.lists(SOME_LINES, min_size=min(size, 30), max_size=30))[: size or None]
    old += [f"line {number} of many" for number in range(size - len(old))]
    new = list(old)
    for _ in range(draw(st.integers(1, 2))):
        at, lost = draw(st.integers(0, len(new) - 1)), draw(st.integers(0, 2))
        fresh = draw(st.lists(SOME_LINES, min_size=0 if lost else 1, max_size=4))
        new[at : at + lost] = fresh
    assume(new != old and any(line.strip() for line in old) and any(line.strip() for line in new))
    ended = draw(st.booleans())
    return Change(
        "\n".join(old) + "\n" * ended, "\n".join(new) + "\n", draw(st.sampled_from(("a.py", "b.md", "c.yaml")))
    )
