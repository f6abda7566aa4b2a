"""Mistakes in the place of delimiters: indented, doubled, on the lines of their neighbors."""

from __future__ import annotations

from random import Random

from ..documents import Role
from ..phrases import REMARKS
from .delimiters import without
from .draft import Draft
from .registry import ANY_BLOCKS, BLOCKS, TAGGED, in_actions, mistake

# The blank is here twice, so that it is twice as likely as no blank.
_GAPS = (" ", " ", "")


def _after_opener(draft: Draft) -> tuple[str, ...]:
    # Only delimiters that differ show where they end without a blank.
    return _GAPS if draft.paired else (" ",)


def _before_closer(draft: Draft) -> tuple[str, ...]:
    return (" ", "") if draft.paired else (" ",)


def _starts_with_words(draft: Draft, index: int) -> bool:
    """Return whether the first line of a content cannot be a word on its opener."""
    first = draft.content(index)[0]
    words = first.strip()
    # One word would look like the language of the content.
    if " " not in words or not first.startswith(words):
        return False
    marks = draft.marks
    signs = (*"-<>=`~", marks.open[0], marks.close[0])
    return not first.startswith(signs)


@in_actions("open body", _after_opener, of=BLOCKS, where=_starts_with_words, drawn="later")
def _content_on_opener_line(draft: Draft, rng: Random, i: int, gap: str) -> None:
    """The first line of the content is on the opener's line."""
    first = draft.part(i, "body")[0]
    opener = draft.line(i, "open")
    opener.text += gap + first.text
    draft.remove(first)


def _ends_with_words(draft: Draft, index: int) -> bool:
    """Return whether the last line of a content cannot be a part of its closer."""
    last = draft.content(index)[-1]
    # Blanks at its end would be lost.
    if not last or last != last.rstrip() or draft.rulish(last):
        return False
    signs = (*"<>-", *draft.marks.close)
    return not last.endswith(signs)


@in_actions("close body", _before_closer, of=BLOCKS, where=_ends_with_words, drawn="later")
def _closer_on_last_line(draft: Draft, rng: Random, i: int, gap: str) -> None:
    """The closing delimiter is at the end of the last content line."""
    closer = draft.line(i, "close")
    last = draft.part(i, "body")[-1]
    closer.text = last.text + gap + closer.text
    draft.remove(last)


def _is_before_head(draft: Draft, index: int) -> bool:
    following = draft.section_behind(index)
    if following is None or following.role != "head":
        return False
    return draft.free((index + 1, "head"))


@in_actions("close after", _after_opener, of=ANY_BLOCKS, where=_is_before_head, drawn="later")
def _closer_glued_to_next(draft: Draft, rng: Random, i: int, gap: str) -> None:
    """The next head or thought is on the closer's line."""
    draft.claim((i + 1, "head"))
    closer = draft.line(i, "close")
    draft.head(i + 1).before = closer.text + gap
    # The blank lines between the two go, too.
    start = draft.place(closer)
    end = draft.place(draft.line(i + 1, "head"))
    del draft.lines[start:end]


@in_actions("head open", of=ANY_BLOCKS, split=TAGGED)
def _opener_on_head_line(draft: Draft, rng: Random, i: int) -> None:
    """The opening delimiter is at the end of the head's line."""
    opener = draft.line(i, "open")
    draft.head(i).after = " " + opener.text
    draft.remove(opener)


# Both delimiters are twice as likely as one of them.
_INDENTED: tuple[tuple[Role, ...], ...] = (
    ("open", "close"),
    ("open", "close"),
    ("close",),
    ("open",),
)


def _has_no_delimiters(draft: Draft, index: int) -> bool:
    # Beside indented delimiters, such a line at the margin would be the delimiter.
    marks = draft.marks
    return without(draft, index, marks.open, marks.close)


@mistake()
def delimiters_indented(draft: Draft, rng: Random) -> None:
    """Delimiter lines are indented, the content is not."""
    indent = rng.choice((" ", "  ", "    ", "\t"))
    roles = rng.choice(_INDENTED)
    for i in draft.choose(rng, draft.blocks, "open", "close", where=_has_no_delimiters):
        for line in draft.part(i, *roles):
            line.indent = indent


@in_actions("open close after", ("open", "close"), of=BLOCKS)
def _delimiter_doubled(draft: Draft, rng: Random, i: int, role: Role) -> None:
    """A delimiter line is written twice."""
    line = draft.line(i, role)
    # Both belong to the action, so that other mistakes treat them alike.
    place = draft.place(line)
    draft.lines.insert(place, line.copy())


@in_actions("open", of=ANY_BLOCKS, neutral=True)
def _blank_before_opener(draft: Draft, rng: Random, i: int) -> None:
    """There are blank lines between a head and its block."""
    blank = rng.choice(("", "", "\n"))
    draft.insert(draft.line(i, "open"), blank, "blank")


@mistake()
def remark_before_opener(draft: Draft, rng: Random) -> None:
    """There is a line of prose between a head and its block."""
    chosen = draft.choose(rng, draft.any_blocks, "open")
    form = "\n{}\n" if rng.random() < 0.5 else "{}"
    for i in chosen:
        remark = rng.choice(REMARKS)
        opener = draft.line(i, "open")
        draft.insert(opener, form.format(remark))
