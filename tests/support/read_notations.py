"""One change in the notations that `edit_text` reads: a function each, named by what it shows.

The writers of `edit_notations` are here where they are read, with more that need the package, such as our own anchors.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from edit_changes import Change, Hunk, pairs, text
from edit_notations import NOTATIONS, Notation, halves, signed

from symops_lark.core.edits import show_anchors

READ: dict[str, Notation] = {
    title: NOTATIONS[title]
    for title in (
        *("@@ alone", "@@ alone, in a fence", "@@ ... @@", "@@ and a line above", "- and + lines, the whole file"),
        *("unified diff", "unified diff, wrong numbers", "*** Begin Patch", "*** Begin Patch ***"),
        *("*** Begin Patch, cut off", "*** Begin Patch, here-document", "*** Update File", "<<<<<<< SEARCH"),
        *("------- SEARCH", "------- SEARCH, the whole file", "5 signs", "6 signs", "8 signs", "6 signs, path above"),
        *("6 signs, in a fence", "<<<<<<< ORIGINAL", "<old_text>", "<old_string>", "<SEARCH>"),
        *('{"old_string": …}', '{"old_string": …}, in a fence', '{"edits": [{"oldText": …}]}', "edit 3:5"),
        "# ... existing code ...",
    )
}


def read_notation(title: str) -> Callable[[Notation], Notation]:
    """Put a function into the table."""

    def put(function: Notation) -> Notation:
        READ[title] = function
        return function

    return put


def numbered_head(hunk: Hunk, shift: int = 0, counts: int = 0) -> str:
    """Write the head of a hunk; one without lines names the line before."""
    old = hunk.line if hunk.old else hunk.line - 1
    new = hunk.new_line if hunk.new else hunk.new_line - 1
    return f"@@ -{old + shift},{len(hunk.old) + counts} +{new + shift},{len(hunk.new) + counts} @@"


@read_notation("unified diff, no context")
def diff_without_context(change: Change) -> str:
    return signed(change, numbered_head, 0)


@read_notation("unified diff, wrong counts")
def miscounted_diff(change: Change) -> str:
    return signed(change, lambda hunk: numbered_head(hunk, 0, 2), 3)


@read_notation("unified diff, numbers off by one")
def nearly_right_diff(change: Change) -> str:
    return signed(change, lambda hunk: numbered_head(hunk, 1), 1)


@read_notation("unified diff, numbers off by three, no context")
def wrong_diff(change: Change) -> str:
    return signed(change, lambda hunk: numbered_head(hunk, 3), 0)


@read_notation("9 signs")
def blocks_of_nine(change: Change) -> str:
    return halves(change, "<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE", 2)


@read_notation("<<<<<<< SEARCH, nothing around")
def bare_blocks(change: Change) -> str:
    return halves(change, "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", 0)


@read_notation(":start_line:")
def hinted_blocks(change: Change) -> str:
    return "".join(
        text("<<<<<<< SEARCH", f":start_line:{h.line}", "-------", *h.old, "=======", *h.new, ">>>>>>> REPLACE")
        for h in change.hunks(1)
    )


@read_notation('<old_text line="3">')
def hinted_tags(change: Change) -> str:
    return "".join(
        text(f'<old_text line="{h.line}">', *h.old, "</old_text>", "<new_text>", *h.new, "</new_text>")
        for h in change.hunks(1)
    )


@read_notation("JSON with lists of lines")
def listed_lines(change: Change) -> str:
    return json.dumps([{"old_lines": h.old, "new_lines": h.new} for h in change.hunks(2)])


@read_notation("anchors")
def anchored(change: Change) -> str:
    anchors = ["0", *(line.partition("|")[0] for line in show_anchors(change.before).split("\n"))]
    out: list[str] = []
    for hunk in change.hunks(0):
        last = hunk.line + len(hunk.old) - 1
        if not hunk.old:
            out.append(f"@@ {anchors[hunk.line - 1]}+")
        else:
            span = anchors[hunk.line] + (f"..{anchors[last]}" if last > hunk.line else "")
            out.append(f"@@ {span}" + "-" * (not hunk.new))
        out += hunk.new
    return text(*out)


@read_notation("str_replace calls")
def json_calls(change: Change) -> str:
    calls = (
        {"command": "str_replace", "path": change.path, "old_str": old, "new_str": new} for old, new in pairs(change)
    )
    return text(*map(json.dumps, calls))
