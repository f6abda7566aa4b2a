"""Mistakes of the complete reply: indented, quoted, escaped, cut off."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, product
from random import Random

from ..documents import Line
from .draft import PARTS, Draft
from .registry import ANY_BLOCKS, CUT, FOREIGN, LINES, in_actions, in_reply, mistake

_NOT_MARKUP = {"body", "blank", "prose"}  # roles of lines


def _is_indentable(draft: Draft, index: int) -> bool:
    # A line of blanks would become longer or stay; no reader knows which was meant.
    return not any(map(str.isspace, draft.content(index)))


def _begin(lines: list[Line], begin: Callable[[str], str]) -> None:
    """Put something before each line of text, of which a `Line` may be a part, or several."""
    is_begun = False  # whether a part of the same line is before this one
    for line in lines:
        first, *following = str(line).split("\n")
        if not is_begun:
            first = begin(first)
        line.head, line.indent = None, ""
        line.text = "\n".join([first, *map(begin, following)])
        is_begun = not line.end


def _indent(lines: list[Line], indent: str, blanks: bool = False) -> None:
    """Indent lines, and blank ones only if `blanks` is true."""

    def begin(text: str) -> str:
        return indent + text if blanks or text.strip() else text

    _begin(lines, begin)


@in_reply("whole", stage=LINES, neutral=True)
def reply_indented(draft: Draft, rng: Random) -> None:
    """The whole reply is indented, contents too."""
    if all(_is_indentable(draft, i) for i in draft.blocks):
        indent = rng.choice(("  ", "    ", "    ", "\t", "   "))
        _indent(draft.lines, indent, rng.random() < 0.3)


@in_actions(
    "head open close body",
    ("  ", "    ", "   ", "\t"),
    of=ANY_BLOCKS,
    where=_is_indentable,
    split=FOREIGN,
    drawn="later",
    stage=LINES,
    neutral=True,
)
def _action_indented(draft: Draft, rng: Random, i: int, indent: str) -> None:
    """A whole action is indented, its content too."""
    _indent(draft.part(i), indent)


@mistake(stage=LINES, neutral=True)
def markers_indented(draft: Draft, rng: Random) -> None:
    """All lines of markup are indented, contents are not."""
    parts = product(draft.actions, ("head", "open", "close"))
    if not draft.claim(*parts, "thoughts", "vitals"):
        return
    # A delimiter at the margin, in a content, would be the only one there.
    alone = {draft.marks.open, draft.marks.close}
    if any(line.text.strip() in alone for line in draft.all("body")):
        return
    indent = rng.choice(("  ", "    ", "\t", " "))
    for i in draft.blocks:
        lines = filter(str.strip, draft.content(i))
        # The content might be indented together with its delimiters.
        if all(line.startswith(indent) for line in lines):
            return
    markup = [line for line in draft.lines if line.role not in _NOT_MARKUP]
    _indent(markup, indent)


def _cut(draft: Draft, rng: Random, inside: bool) -> None:
    """Cut the reply off after its first head, and expect what is in the remaining lines."""
    if not draft.actions or not draft.claim("end", "whole", "newline"):
        return
    lengths = [len(f"{line}{line.end}") for line in draft.lines]
    starts = list(accumulate(lengths, initial=0))
    # A cut before the last line feed would change nothing.
    end = starts.pop() - 1
    if inside:
        body = [line for line in draft.all("body") if str(line).strip()]
        if not body:
            return
        line = rng.choice(body)
        start = starts[draft.place(line)] + 1
        end = start + len(str(line))
    else:
        # Before the end of the first head, no action would be left.
        head = draft.place(draft.line(0, "head"))
        start = starts[head] + lengths[head]
    if start >= end:
        return
    place = rng.choice(range(start, end))
    last = bisect_right(starts, place) - 1
    line = draft.lines[last]
    text = str(line)[: place - starts[last]]
    _expect_after_cut(draft, last, text)
    if line.action is not None and not draft.is_intact(line.action):
        return
    draft.lines[last:] = [Line(line.role, text, line.action)]
    if draft.foreign:
        # In other formats, a line feed would be a part of the content.
        draft.document = replace(draft.document, final_newline=False)


def _expect_after_cut(draft: Draft, last: int, text: str) -> None:
    """Expect only what is before a cut.

    Args:
        draft: The draft, whose lines are still complete.
        last: The index of the line that is cut off.
        text: The remaining text of this line.
    """
    line = draft.lines[last]
    remaining = draft.lines[: last + 1]
    count = sum(above.role == "head" for above in remaining)
    del draft.expected[count:]
    if line.action != count - 1:
        return
    item = draft.expected[-1]
    if line.role == "head":
        # The path may be cut off, and nothing shows whether a block would follow.
        item.required = False
        item.partial = True
        return
    is_complete = len(text) == len(str(line))
    unescape = draft.foreign.unescape if draft.foreign else str
    body = ""
    for above in draft.lines[:last]:
        if above.action == line.action and above.role == "body":
            body += f"{above}{above.end}"
    complete = unescape(body).removesuffix("\n")
    partial = unescape(body + text)
    if line.role == "open":
        # A part of an opener may be read as a content.
        item.contents = (None, "", text)
        item.cut = not is_complete
    elif line.role == "body":
        # A reader may leave the last line out, or blanks and line feeds at the end.
        forms = (partial.rstrip("\n"), partial.rstrip(), complete)
        item.contents = (partial, *forms, partial or None)
        item.cut = True
    elif line.role == "close" and not is_complete:
        # The part of the closer may be read as the last line of the content.
        item.contents = (complete, partial, complete + "\n", item.contents[0])


@mistake(stage=CUT, neutral=True)
def truncated(draft: Draft, rng: Random) -> None:
    """The reply is cut off at any character after its first head."""
    _cut(draft, rng, inside=False)


@mistake(stage=CUT, neutral=True)
def truncated_in_content(draft: Draft, rng: Random) -> None:
    """The reply is cut off inside a line of a content."""
    _cut(draft, rng, inside=True)


@in_reply("newline whole", stage=LINES, neutral=True)
def newlines_escaped(draft: Draft, rng: Random) -> None:
    r"""All newlines are written as \n, so the reply is one line."""
    text = draft.text()
    # Nothing would show which of the backslashes are escapes.
    if "\\" in text:
        return
    quote = ""
    if '"' not in text and rng.random() < 0.5:
        quote = '"'
    text = text.replace("\n", r"\n")
    draft.lines = [Line("prose", quote + text + quote)]
    # There are no lines of actions any more.
    draft.claims.update(product(draft.actions, PARTS))


@in_reply("whole", stage=LINES, neutral=True)
def reply_blockquoted(draft: Draft, rng: Random) -> None:
    """The whole reply is a Markdown block quote."""
    # A blank line without the sign would end the quote.
    _begin(draft.lines, lambda part: f"> {part}" if part else ">")


@mistake(stage=CUT)
def action_loops(draft: Draft, rng: Random) -> None:
    """The last action is repeated, until the reply is cut off."""
    index = len(draft.actions) - 1
    # A loop repeats the end of the reply, so no other section may follow.
    if index < 0 or draft.lines[-1].action != index:
        return
    if not draft.is_intact(index) or not draft.claim("end", "whole", "newline"):
        return
    own = draft.part(index)
    times = rng.randint(4, 12)
    for _ in range(times):
        draft.lines += [Line("blank"), *map(Line.copy, own)]
    # The last repetition ends in its head.
    head = str(own[0])
    length = rng.randint(1, max(1, len(head) - 1))
    del draft.lines[-len(own) :]
    draft.lines.append(Line("head", head[:length], index))
    # A reader may return the same action once or several times.
    copy = replace(draft.expected[index], required=False)
    copies = [replace(copy) for _ in range(times)]
    copies[-1].partial = True
    draft.expected += copies
