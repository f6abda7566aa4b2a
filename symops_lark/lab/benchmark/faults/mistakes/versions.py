"""Mistakes that mix the versions: marks of v1 in a v2 reply, and the other way round."""

from __future__ import annotations

import random

from ..documents import Role, layout
from ..marks import others
from .delimiters import delimit, without
from .draft import Draft
from .registry import in_actions, in_reply, mistake, row

_DELIMITERS = ("{other.open}", "{other.close}")
_PARTS = ("head", "open", "close")


def _fitting(draft: Draft) -> list[int]:
    """Return the actions whose contents the other version could carry."""
    return [i for i in draft.any_blocks if without(draft, i, draft.other.open, draft.other.close)]


def _head(draft: Draft, index: int) -> None:
    head, marks = draft.head(index), draft.other
    head.mark, head.after_mark, head.number = marks.action, marks.after_action, ""
    head.at, head.after_at = marks.at, marks.after_at
    head.arrow, head.after_arrow = marks.arrow, marks.after_arrow


def _respell(draft: Draft, role: Role, mark: str) -> None:
    """Write the marks of the other version in all lines of a role."""
    own, foreign = getattr(draft.marks, mark), getattr(draft.other, mark)
    for line in draft.all(role):
        line.text = line.text.replace(own, foreign, 1 if role == "thought" else -1)


@in_actions()
def _heads_of_the_other_version(draft: Draft, rng: random.Random, i: int) -> None:
    """Heads carry the mark of the other version."""
    _head(draft, i)


delimiters_of_the_other_version = row(
    "Blocks have the delimiters of the other version.", delimit, [_DELIMITERS], "open close", of=_fitting
)


@mistake()
def one_delimiter_of_the_other_version(draft: Draft, rng: random.Random) -> None:
    """One delimiter of a block belongs to the other version."""
    chosen = draft.choose(rng, [i for i in _fitting(draft) if draft.content(i)], "open", "close")
    form = (_DELIMITERS[0], None) if rng.random() < 0.5 else (None, _DELIMITERS[1])
    for i in chosen:
        delimit(draft, i, form)


@in_reply("thoughts")
def thoughts_of_the_other_version(draft: Draft, rng: random.Random) -> None:
    """Thoughts carry the mark of the other version."""
    if not draft.tagged:
        _respell(draft, "thought", "thought")


@in_reply("vitals")
def vitals_of_the_other_version(draft: Draft, rng: random.Random) -> None:
    """Vitals carry the marks of the other version."""
    if not draft.tagged:
        _respell(draft, "vitals", "vital")


@in_actions(
    " ".join(_PARTS), of=lambda draft: [i for i in draft.actions if i in _fitting(draft) or i not in draft.any_blocks]
)
def _action_in_the_other_version(draft: Draft, rng: random.Random, i: int) -> None:
    """Whole actions are written in the other version."""
    _head(draft, i)
    if i in draft.any_blocks:
        delimit(draft, i, _DELIMITERS)


@mistake()
def reply_in_the_other_version(draft: Draft, rng: random.Random) -> None:
    """The whole reply is written in the other version."""
    zones = [(i, part) for i in draft.actions for part in _PARTS]
    if any(map(draft.split, draft.actions)) or any(map(draft.fenced, draft.actions)):
        return
    if _fitting(draft) != draft.any_blocks or not draft.claim(*zones, "thoughts", "vitals"):
        return
    lines = layout(draft.document, others(draft.dialect))
    if len(lines) == len(draft.lines):
        draft.lines = lines


@mistake()
def marks_and_thoughts_of_the_other_version(draft: Draft, rng: random.Random) -> None:
    """Everything but the delimiters is written in the other version."""
    zones = [(i, "head") for i in draft.actions]
    if any(map(draft.split, draft.actions)) or not draft.claim(*zones, "thoughts", "vitals"):
        return
    for i in draft.actions:
        _head(draft, i)
    _respell(draft, "thought", "thought")
    _respell(draft, "vitals", "vital")
