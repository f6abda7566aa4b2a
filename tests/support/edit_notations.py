"""One change of a file in the notations that models write edits in: a function each, named by what it shows.

Written anew for the tests: nothing here knows what the package reads or doubts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from difflib import context_diff, unified_diff
from hashlib import sha1

from edit_changes import Change, Hunk, first_lines, pairs, text

Notation = Callable[[Change], str]
NOTATIONS: dict[str, Notation] = {}
NAMED: list[str] = []  # those that must never overwrite a file, however short it is


def notation(title: str, *, named: bool = False) -> Callable[[Notation], Notation]:
    """Put a function into the table."""

    def put(function: Notation) -> Notation:
        NOTATIONS[title] = function
        NAMED.extend([title] if named else [])
        return function

    return put


def signed(change: Change, head: Callable[[Hunk], str], context: int = 1) -> str:
    """Write hunks with `-` and `+`, each below a head."""
    return "".join(text(head(hunk), *hunk.signed) for hunk in change.hunks(context))


def halves(change: Change, opener: str, divider: str, closer: str, context: int = 1) -> str:
    """Write old and new lines between three marks."""
    rows = (text(opener, *hunk.old, divider, *hunk.new, closer) for hunk in change.hunks(context))
    return "".join(rows)


def patch(change: Change) -> str:
    return text("*** Begin Patch", f"*** Update File: {change.path}") + signed(change, lambda _: "@@")


# ---- hunks


@notation("@@ alone", named=True)
def bare_hunks(change: Change) -> str:
    return signed(change, lambda _: "@@")


@notation("@@ alone, in a fence", named=True)
def fenced_hunks(change: Change) -> str:
    return text("```diff") + signed(change, lambda _: "@@") + text("```")


@notation("@@ ... @@", named=True)
def dotted_hunks(change: Change) -> str:
    return signed(change, lambda _: "@@ ... @@")


@notation("@@ and a line above", named=True)
def scoped_hunks(change: Change) -> str:
    return signed(change, lambda hunk: f"@@ {change.old[max(hunk.line - 2, 0)].strip()}")


@notation("- and + lines", named=True)
def signed_lines(change: Change) -> str:
    return "".join(text(*hunk.signed) for hunk in change.hunks(1))


@notation("- and + lines, no others", named=True)
def signed_lines_alone(change: Change) -> str:
    return "".join(text(*hunk.signed) for hunk in change.hunks(0))


@notation("- and + lines, three around", named=True)
def signed_lines_around(change: Change) -> str:
    return "".join(text(*hunk.signed) for hunk in change.hunks(3))


@notation("- and + lines, the whole file", named=True)
def signed_file(change: Change) -> str:
    return "".join(text(*hunk.signed) for hunk in change.hunks(100_000))


@notation("- and + lines, others unmarked")
def half_signed_lines(change: Change) -> str:
    lines = (line[1:] if line[0] == " " else line for hunk in change.hunks(1) for line in hunk.signed)
    return text(*lines)


@notation("unified diff")
def git_diff(change: Change) -> str:
    names = (f"a/{change.path}", f"b/{change.path}")
    return text(*unified_diff(change.old, change.new, *names, lineterm=""))


@notation("unified diff, wrong numbers")
def shifted_diff(change: Change) -> str:
    return signed(change, lambda hunk: f"@@ -{hunk.line + 7},9 +{hunk.new_line + 7},9 @@")


@notation("context diff")
def old_diff(change: Change) -> str:
    return text(*context_diff(change.old, change.new, change.path, change.path, lineterm=""))


@notation("normal diff")
def normal_diff(change: Change) -> str:
    out: list[str] = []
    for hunk in change.hunks(0):
        kind = "c" if hunk.old and hunk.new else "d" if hunk.old else "a"
        out.append(f"{hunk.line}{kind}{hunk.new_line}")
        out += ["< " + line for line in hunk.old]
        out += ["---"] * (kind == "c") + ["> " + line for line in hunk.new]
    return text(*out)


# ---- patches


@notation("*** Begin Patch", named=True)
def whole_patch(change: Change) -> str:
    return patch(change) + text("*** End Patch")


@notation("*** Begin Patch ***", named=True)
def starred_patch(change: Change) -> str:
    head = text("*** Begin Patch ***", f"*** Update File: {change.path} ***")
    return head + signed(change, lambda _: "@@") + text("*** End Patch ***")


@notation("*** Begin Patch, cut off", named=True)
def open_patch(change: Change) -> str:
    return patch(change)


@notation("*** Begin Patch, here-document", named=True)
def shell_patch(change: Change) -> str:
    return text("apply_patch <<'EOF'") + patch(change) + text("*** End Patch", "EOF")


@notation("*** Update File", named=True)
def headed_patch(change: Change) -> str:
    return text(f"*** Update File: {change.path}") + signed(change, lambda _: "@@")


# ---- old and new between marks


@notation("<<<<<<< SEARCH")
def blocks(change: Change) -> str:
    return halves(change, "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")


@notation("------- SEARCH", named=True)
def dashed_blocks(change: Change) -> str:
    return halves(change, "------- SEARCH", "=======", "+++++++ REPLACE")


@notation("------- SEARCH, the whole file", named=True)
def dashed_file(change: Change) -> str:
    return halves(change, "------- SEARCH", "=======", "+++++++ REPLACE", 100_000)


@notation("5 signs", named=True)
def blocks_of_five(change: Change) -> str:
    return halves(change, "<<<<< SEARCH", "=====", ">>>>> REPLACE")


@notation("6 signs", named=True)
def blocks_of_six(change: Change) -> str:
    return halves(change, "<<<<<< SEARCH", "======", ">>>>>> REPLACE")


@notation("8 signs", named=True)
def blocks_of_eight(change: Change) -> str:
    return halves(change, "<<<<<<<< SEARCH", "========", ">>>>>>>> REPLACE")


@notation("6 signs, path above", named=True)
def blocks_below_a_path(change: Change) -> str:
    return text(change.path) + halves(change, "<<<<<< SEARCH", "======", ">>>>>> REPLACE", 0)


@notation("6 signs, in a fence", named=True)
def fenced_blocks(change: Change) -> str:
    return text("```") + halves(change, "<<<<<< SEARCH", "======", ">>>>>> REPLACE") + text("```")


@notation("<<<<<<< ORIGINAL")
def updated_blocks(change: Change) -> str:
    return halves(change, "<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED")


@notation("<<<<<<< HEAD")
def conflict(change: Change) -> str:
    return halves(change, "<<<<<<< HEAD", "=======", ">>>>>>> main")


@notation("[SEARCH]")
def bracketed(change: Change) -> str:
    return halves(change, "[SEARCH]", "[REPLACE]", "[END]")


@notation("<old_text>", named=True)
def old_text(change: Change) -> str:
    return halves(change, "<old_text>", "</old_text>\n<new_text>", "</new_text>")


@notation("<old_string>", named=True)
def old_string(change: Change) -> str:
    return halves(change, "<old_string>", "</old_string>\n<new_string>", "</new_string>", 0)


@notation("<old> on one line", named=True)
def old_inline(change: Change) -> str:
    return "".join(f"<old>{old}</old><new>{new}</new>\n" for old, new in pairs(change, 0))


@notation("<SEARCH>")
def searched(change: Change) -> str:
    return halves(change, "<SEARCH>", "</SEARCH>\n<REPLACE>", "</REPLACE>")


@notation("Old: … New: …")
def headed_halves(change: Change) -> str:
    return halves(change, "Old:", "New:", "")


# ---- JSON


@notation('{"old_string": …}', named=True)
def json_pairs(change: Change) -> str:
    rows = (json.dumps({"old_string": old, "new_string": new}) for old, new in pairs(change))
    return text(*rows)


@notation('{"old_string": …}, in a fence', named=True)
def fenced_json(change: Change) -> str:
    return text("```json") + json_pairs(change) + text("```")


@notation('{"command": "str_replace"}', named=True)
def json_call(change: Change) -> str:
    old, new = next(pairs(change))
    call = {"command": "str_replace", "path": change.path, "old_str": old, "new_str": new}
    return json.dumps(call, indent=2) + "\n"


@notation('{"edits": [{"oldText": …}]}', named=True)
def json_edits(change: Change) -> str:
    edits = [{"oldText": old, "newText": new} for old, new in pairs(change)]
    return json.dumps({"edits": edits}, indent=1) + "\n"


@notation("JSON Patch")
def json_patch(change: Change) -> str:
    edits = [{"op": "replace", "path": f"/{hunk.line}", "value": hunk.new} for hunk in change.hunks(0)]
    return json.dumps(edits) + "\n"


@notation("operations on anchors in JSON")
def json_anchors(change: Change) -> str:
    edits = [{"op": "replace", "pos": f"{hunk.line}#ZP", "lines": hunk.new} for hunk in change.hunks(0)]
    return json.dumps(edits) + "\n"


# ---- commands and prose


@notation("s/x/y/", named=True)
def substitutions(change: Change) -> str:
    return text(*(f"s/{old}/{new}/" for old, new in first_lines(change)))


@notation("s/x/y/g behind sed -i", named=True)
def sed_commands(change: Change) -> str:
    return text(*(f"sed -i 's/{old}/{new}/g' {change.path}" for old, new in first_lines(change)))


@notation("s|x|y|", named=True)
def other_substitutions(change: Change) -> str:
    return text(*(f"s|{old}|{new}|" for old, new in first_lines(change)))


@notation("Replace line 3 with:", named=True)
def replace_lines(change: Change) -> str:
    return "".join(text(f"Replace line {hunk.line} with:", *hunk.new) for hunk in change.hunks(0))


@notation("Replace lines 3-5 with, in a fence", named=True)
def replace_lines_fenced(change: Change) -> str:
    rows = (
        text(f"Replace lines {h.line}-{h.line + max(len(h.old) - 1, 0)} with:", "```", *h.new, "```")
        for h in change.hunks(0)
    )
    return "".join(rows)


@notation("Insert after line 3:", named=True)
def insert_lines(change: Change) -> str:
    rows = (text(f"Insert after line {hunk.line}:", *hunk.new) for hunk in change.hunks(0))
    return "".join(rows)


@notation("In a.py, change x to y", named=True)
def told(change: Change) -> str:
    rows = (f"In {change.path}, change `{old}` to `{new}`." for old, new in first_lines(change))
    return text(*rows)


@notation("edit 3:5")
def ranges(change: Change) -> str:
    rows = (
        text(f"edit {hunk.line}:{hunk.line + len(hunk.old) - 1}", *hunk.new, "end_of_edit") for hunk in change.hunks(1)
    )
    return "".join(rows)


@notation("x → y")
def arrows(change: Change) -> str:
    return text(*(f"{old} → {new}" for old, new in pairs(change, 0)))


@notation("[-x-]{+y+}")
def words(change: Change) -> str:
    return text(*(f"[-{old}-]{{+{new}+}}" for old, new in pairs(change, 0)))


# ---- anchors and numbers


def anchor(lines: list[str], index: int) -> str:
    return sha1(lines[index].encode()).hexdigest()[:3] if 0 <= index < len(lines) else "000"


@notation("@@ 11:a3f")
def anchors(change: Change) -> str:
    rows = (text(f"@@ {h.line}:{anchor(change.old, h.line - 1)}", *h.new) for h in change.hunks(0))
    return "".join(rows)


@notation("numbered snippet")
def numbered_snippet(change: Change) -> str:
    rows = (text(*(f"{h.line + n} | {line}" for n, line in enumerate(h.new))) for h in change.hunks(1))
    return "".join(rows)


@notation("numbered file")
def numbered_file(change: Change) -> str:
    return text(*(f"{number:4}\t{line}" for number, line in enumerate(change.new, 1)))


@notation("file with hashes")
def hashed_file(change: Change) -> str:
    lines = change.new
    return text(*(f"{n + 1}:{anchor(lines, n)}|{line}" for n, line in enumerate(lines)))


# ---- parts of the file


def sketch(change: Change, context: int, mark: str) -> str:
    out, end = [], 0
    for hunk in change.hunks(context):
        out += [mark] * (hunk.line > end + 1) + hunk.new
        end = hunk.line + len(hunk.old) - 1
    return text(*out, *[mark] * (end < len(change.old)))


@notation("# ... existing code ...")
def sketched(change: Change) -> str:
    return sketch(change, 2, "# ... existing code ...")


@notation("// ... existing code ..., nothing around")
def bare_sketch(change: Change) -> str:
    return sketch(change, 0, "// ... existing code ...")


@notation("{ existing code }")
def braced_sketch(change: Change) -> str:
    return sketch(change, 0, "{ existing code }")


@notation("snippet")
def snippet(change: Change) -> str:
    return text(*(line for hunk in change.hunks(0) for line in hunk.new))


@notation("snippet with a line around")
def wide_snippet(change: Change) -> str:
    return text(*(line for hunk in change.hunks(1) for line in hunk.new))
