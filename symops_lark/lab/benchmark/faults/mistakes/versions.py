"""Mistakes that mix the versions: marks of v1 in a v2 reply, and the other way round."""

from __future__ import annotations

from itertools import product
from random import Random

from ..documents import Role, layout
from ..marks import others
from .delimiters import Spelling, delimit, without
from .draft import Draft
from .registry import ANY_BLOCKS, in_actions, in_reply, mistake, row

_DELIMITERS = ("{other.open}", "{other.close}")
_PARTS = ("head", "open", "close")


def _fits(draft: Draft, index: int) -> bool:
    """Return whether the other version can carry the content of an action."""
    # A line of the content that equals the new closer would end the block.
    return without(draft, index, draft.other.open, draft.other.close)


def _has_split_head(draft: Draft) -> bool:
    # Neither version writes a head on several lines.
    return any(map(draft.split, draft.actions))


def _rewrite_head(draft: Draft, index: int) -> None:
    head, marks = draft.head(index), draft.other
    head.mark, head.after_mark = marks.action, marks.after_action
    head.at, head.after_at = marks.at, marks.after_at
    head.arrow, head.after_arrow = marks.arrow, marks.after_arrow
    # Neither version has numbers of actions.
    head.number = ""


def _respell(draft: Draft, role: Role, mark: str) -> None:
    """Write the marks of the other version in all lines of a role."""
    own = getattr(draft.marks, mark)
    foreign = getattr(draft.other, mark)
    # The text of a thought may hold its mark again; each of the vitals has a mark.
    count = 1 if role == "thought" else -1
    for line in draft.all(role):
        line.text = line.text.replace(own, foreign, count)


@in_actions()
def _heads_of_the_other_version(draft: Draft, rng: Random, i: int) -> None:
    """Heads carry the mark of the other version."""
    _rewrite_head(draft, i)


delimiters_of_the_other_version = row(
    "Blocks have the delimiters of the other version.",
    delimit,
    [_DELIMITERS],
    "open close",
    of=ANY_BLOCKS,
    where=_fits,
)


@mistake()
def one_delimiter_of_the_other_version(draft: Draft, rng: Random) -> None:
    """One delimiter of a block belongs to the other version."""
    # An empty block would be two delimiters that no reader can pair.
    chosen = draft.choose(rng, draft.blocks, "open", "close", where=_fits)
    opener, closer = _DELIMITERS
    form: Spelling = (None, closer)
    if rng.random() < 0.5:
        form = (opener, None)
    for i in chosen:
        delimit(draft, i, form)


@in_reply("thoughts")
def thoughts_of_the_other_version(draft: Draft, rng: Random) -> None:
    """Thoughts carry the mark of the other version."""
    if not draft.tagged:
        _respell(draft, "thought", "thought")


@in_reply("vitals")
def vitals_of_the_other_version(draft: Draft, rng: Random) -> None:
    """Vitals carry the marks of the other version."""
    if not draft.tagged:
        _respell(draft, "vitals", "vital")


def _fits_if_any(draft: Draft, index: int) -> bool:
    return draft.action(index).content is None or _fits(draft, index)


@in_actions(" ".join(_PARTS), where=_fits_if_any)
def _action_in_the_other_version(draft: Draft, rng: Random, i: int) -> None:
    """Whole actions are written in the other version."""
    _rewrite_head(draft, i)
    if i in draft.any_blocks:
        delimit(draft, i, _DELIMITERS)


@mistake()
def reply_in_the_other_version(draft: Draft, rng: Random) -> None:
    """The whole reply is written in the other version."""
    # Claims come first: lines that another mistake has removed have no head to look at.
    if not draft.claim(*product(draft.actions, _PARTS), "thoughts", "vitals"):
        return
    if _has_split_head(draft) or any(map(draft.fenced, draft.actions)):
        return
    if not all(_fits(draft, i) for i in draft.any_blocks):
        return
    lines = layout(draft.document, others(draft.dialect))
    # Where another mistake has added lines, the canonical ones would remove them.
    if len(lines) == len(draft.lines):
        draft.lines = lines


@mistake()
def marks_and_thoughts_of_the_other_version(draft: Draft, rng: Random) -> None:
    """Everything but the delimiters is written in the other version."""
    if not draft.claim(*product(draft.actions, ["head"]), "thoughts", "vitals"):
        return
    if _has_split_head(draft):
        return
    for i in draft.actions:
        _rewrite_head(draft, i)
    _respell(draft, "thought", "thought")
    _respell(draft, "vitals", "vital")
