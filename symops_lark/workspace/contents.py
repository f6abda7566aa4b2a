"""What is odd about the text of a file that a model wrote: each function gives reasons to ask a person, or none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..numbers import counted
from ..validator.left_out import may_stand_for_code

_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_MARKER = re.compile(r"(?m)^(?:<{7}|>{7})(?: |$)|^@@ -[0-9]+(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@")


def find_oddities(after: str, before: str) -> Iterator[str]:
    """Yield why a new text should be looked at, apart from what stood in the old one already."""
    known = set(before.split("\n"))
    for number, line in enumerate(after.split("\n"), 1):
        if line not in known and may_stand_for_code(line):
            yield f"line {number} stands for code that was left out: {line.strip()[:80]}"
            break
    for pattern, what in (
        (_BIDI, "turns the direction of writing, which can make code look like other code"),
        (_CONTROL, "is a control character"),
        (_MARKER, "is the mark of a merge conflict, a diff or a search/replace block, and was taken as text"),
    ):
        found = pattern.search(after)
        if found and not pattern.search(before):
            line_number = after.count("\n", 0, found.start()) + 1
            name = f"U+{ord(found[0]):04X}" if len(found[0]) == 1 else repr(found[0])
            yield f"on line {line_number}, {name} {what}"


def find_loss(after: str, before: str, least: int, share: float) -> Iterator[str]:
    """Yield what a file loses: more than a share of its lines, if it has at least so many, or all of its text."""
    if before.strip() and not after.strip():
        yield "the file becomes empty"
        return
    old = Counter(stripped for line in before.split("\n") if (stripped := line.strip()))
    total = old.total()
    if total < least:
        return
    kept = (old & Counter(line.strip() for line in after.split("\n"))).total()
    if kept < total * (1 - share):
        yield f"the file keeps {kept} of its {counted(total, 'line')}"
