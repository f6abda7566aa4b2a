"""How many lines the last hunk of a diff lacks, by the numbers of its head."""

from __future__ import annotations

from ..patterns.regexes import compile_pattern

_HEAD = compile_pattern(r"@@ -[0-9]{1,9}(?:,([0-9]{1,9}))? \+[0-9]{1,9}(?:,([0-9]{1,9}))? @@")


def count_missing_lines(text: str, start: int, end: int) -> int | None:
    """Return how many lines the last hunk of a diff lacks; less than 0 if it has too many.

    Args:
        text: A text with the diff; its lines end with line feeds only.
        start: Where the diff begins.
        end: Where it ends.

    Returns:
        The number; 1 if its head has no numbers, which may be cut off; None if it has no head, or
        one of signs alone.
    """
    place = text.rfind("\n@@", start, end)
    if place < 0 or text.startswith("\n@@\n", place):
        return None
    head = _HEAD.match(text, place + 1)
    if head is None:
        return 1
    lines = text[head.end() : end].split("\n")[1:-1]
    # An empty line at the end is context, or divides the diff from what follows.
    empty = 0
    while lines and not lines[-1]:
        lines.pop()
        empty += 1
    old = int(head[1] or 1)
    new = int(head[2] or 1)
    for line in lines:
        sign = line[:1]
        old -= sign in ("", " ", "-")
        new -= sign in ("", " ", "+")
    on_both = min(old, new)
    if on_both < 0:
        return on_both
    return max(old, new) - min(empty, on_both)
