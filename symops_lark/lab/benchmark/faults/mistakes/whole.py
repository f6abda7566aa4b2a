"""Mistakes of the complete reply: indented, quoted, escaped, cut off."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate

from ..documents import Line
from .draft import PARTS, Draft
from .registry import CUT, FOREIGN, LINES, in_reply, mistake, row


def _indentable(draft: Draft, index: int) -> bool:
    return not any(line and not line.strip() for line in draft.content(index))


def _begin(lines: list[Line], begin: Callable[[str], str]) -> None:
    """Put something before each line of text, of which a `Line` may be a part, or several."""
    begun = False  # whether a part of the same line is before this one
    for line in lines:
        first, *following = str(line).split("\n")
        line.head, line.indent = None, ""
        line.text = "\n".join([first if begun else begin(first), *map(begin, following)])
        begun = not line.end


def _indent(lines: list[Line], indent: str, blanks: bool) -> None:
    _begin(lines, lambda part: indent + part if part.strip() or blanks else part)


@in_reply("whole", stage=LINES, neutral=True)
def reply_indented(draft: Draft, rng: random.Random) -> None:
    """The whole reply is indented, contents too."""
    if all(_indentable(draft, i) for i in draft.blocks):
        _indent(draft.lines, rng.choice(("  ", "    ", "    ", "\t", "   ")), rng.random() < 0.3)


action_indented = row(
    "A whole action is indented, its content too.",
    lambda draft, i, indent: _indent([line for line in draft.lines if line.action == i], indent, False),
    ["  ", "    ", "   ", "\t"],
    "head open close body",
    of=lambda draft: [i for i in draft.any_blocks if _indentable(draft, i)],
    split=FOREIGN,
    drawn="later",
    stage=LINES,
    neutral=True,
)


@mistake(stage=LINES, neutral=True)
def markers_indented(draft: Draft, rng: random.Random) -> None:
    """All lines of markup are indented, contents are not."""
    alone = {draft.marks.open, draft.marks.close}
    zones = [(i, part) for i in draft.actions for part in ("head", "open", "close")]
    if not draft.claim(*zones, "thoughts", "vitals"):
        return
    if any(line.role == "body" and line.text.strip() in alone for line in draft.lines):
        return
    indent = rng.choice(("  ", "    ", "\t", " "))
    if any(all(line.startswith(indent) for line in draft.content(i) if line.strip()) for i in draft.blocks):
        # The content might be indented together with its delimiters.
        return
    _indent([line for line in draft.lines if line.role not in {"body", "blank", "prose"}], indent, False)


def _cut(draft: Draft, rng: random.Random, inside: bool) -> None:
    """Cut the reply off after its first head, and expect what is in the remaining lines."""
    if not draft.actions or not draft.claim("end", "whole", "newline"):
        return
    ends = list(accumulate(len(f"{line}{line.end}") for line in draft.lines))
    starts = [0, *ends[:-1]]
    heads = [draft.place(draft.line(i, "head")) for i in draft.actions]
    candidates = range(ends[heads[0]], ends[-1] - 1)
    if inside:
        bodies = [n for n, line in enumerate(draft.lines) if line.role == "body" and str(line).strip()]
        if not bodies:
            return
        place = rng.choice(bodies)
        candidates = range(starts[place] + 1, starts[place] + len(str(draft.lines[place])) + 1)
    if not len(candidates):
        return
    cut = rng.choice(candidates)
    last = max(n for n, start in enumerate(starts) if start <= cut)
    line = draft.lines[last]
    _expect_after_cut(draft, heads, last, cut - starts[last])
    if line.action is not None and not _untouched(draft, line.action):
        return
    draft.lines = draft.lines[: last + 1]
    draft.lines[-1] = Line(line.role, str(line)[: cut - starts[last]], line.action)
    if draft.foreign:
        draft.document = replace(draft.document, final_newline=False)


def _untouched(draft: Draft, index: int) -> bool:
    """Return whether an action has no other mistake, so that its remaining part is certain."""
    return draft.free(*((index, part) for part in PARTS))


def _expect_after_cut(draft: Draft, heads: list[int], last: int, column: int) -> None:
    line = draft.lines[last]
    remaining = [i for i in draft.actions if heads[i] <= last]
    draft.expected = [draft.expected[i] for i in remaining]
    if not remaining or line.action != remaining[-1]:
        return
    item = draft.expected[-1]
    text = str(line)[:column]
    unescape = draft.foreign.unescape if draft.foreign else str
    if line.role == "head":
        item.required, item.partial = False, True
        return
    before = [part for part in draft.lines[:last] if part.action == line.action and part.role == "body"]
    body = "".join(f"{part}{part.end}" for part in before)
    complete = unescape(body).removesuffix("\n")
    if line.role == "open":
        item.contents, item.cut = (None, "", text), column < len(str(line))
    elif line.role == "body":
        partial = unescape(body + text)
        item.contents, item.cut = ((partial, partial.rstrip("\n"), partial.rstrip(), complete, partial or None), True)
    elif line.role == "close" and column < len(str(line)):
        item.contents = (complete, unescape(body + text), complete + "\n", item.contents[0])


@mistake(stage=CUT, neutral=True)
def truncated(draft: Draft, rng: random.Random) -> None:
    """The reply is cut off at any character after its first head."""
    _cut(draft, rng, inside=False)


@mistake(stage=CUT, neutral=True)
def truncated_in_content(draft: Draft, rng: random.Random) -> None:
    """The reply is cut off inside a line of a content."""
    _cut(draft, rng, inside=True)


@in_reply("newline whole", stage=LINES, neutral=True)
def newlines_escaped(draft: Draft, rng: random.Random) -> None:
    r"""All newlines are written as \n, so the reply is one line."""
    text = draft.text()
    if "\\" in text:
        return
    quote = '"' if '"' not in text and rng.random() < 0.5 else ""
    draft.lines = [Line("prose", quote + text.replace("\n", r"\n") + quote)]
    draft.claims.update((i, part) for i in draft.actions for part in PARTS)  # there are no such lines any more


@in_reply("whole", stage=LINES, neutral=True)
def reply_blockquoted(draft: Draft, rng: random.Random) -> None:
    """The whole reply is a Markdown block quote."""
    _begin(draft.lines, lambda part: "> " + part if part else ">")


@mistake(stage=CUT)
def action_loops(draft: Draft, rng: random.Random) -> None:
    """The last action is repeated, until the reply is cut off."""
    index = len(draft.actions) - 1
    if index < 0 or not _untouched(draft, index) or draft.lines[-1].action != index:
        return
    if not draft.claim("end", "whole", "newline"):
        return
    own, times = [line for line in draft.lines if line.action == index], rng.randint(4, 12)
    for _ in range(times):
        draft.insert(len(draft.lines), "", "blank")
        draft.lines += [line.copy() for line in own]
    text = str(draft.lines[-len(own)])
    draft.lines[-len(own) :] = [Line("head", text[: rng.randint(1, max(1, len(text) - 1))], index)]
    copies = [replace(draft.expected[index], required=False) for _ in range(times)]
    copies[-1].partial = True
    draft.expected += copies
