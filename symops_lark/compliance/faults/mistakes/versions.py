"""Mistakes that mix the versions: marks of v1 in a v2 reply, and the other way round."""

from __future__ import annotations

import random

from ..documents import layout
from ..marks import others
from .delimiters import without
from .draft import Draft
from .registry import mistake


def _fits(draft: Draft, index: int) -> bool:
    """Tell whether the other version could carry the content."""
    return without(draft, index, draft.other.open, draft.other.close)


def _head(draft: Draft, index: int) -> None:
    head, marks = draft.head(index), draft.other
    head.mark, head.after_mark, head.number = marks.action, marks.after_action, ""
    head.at, head.after_at = marks.at, marks.after_at
    head.arrow, head.after_arrow = marks.arrow, marks.after_arrow


@mistake()
def heads_of_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """Heads carry the mark of the other version."""
    chosen = draft.choose(rng, draft.actions, "head")
    for i in chosen:
        _head(draft, i)
    return bool(chosen)


@mistake()
def delimiters_of_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """Blocks have the delimiters of the other version."""
    chosen = draft.choose(rng, [i for i in draft.any_blocks if _fits(draft, i)], "open", "close")
    for i in chosen:
        draft.line(i, "open").text, draft.line(i, "close").text = draft.other.open, draft.other.close
    return bool(chosen)


@mistake()
def one_delimiter_of_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """One delimiter of a block belongs to the other version."""
    chosen = draft.choose(rng, [i for i in draft.blocks if _fits(draft, i)], "open", "close")
    opens = rng.random() < 0.5
    for i in chosen:
        if opens:
            draft.line(i, "open").text = draft.other.open
        else:
            draft.line(i, "close").text = draft.other.close
    return bool(chosen)


@mistake()
def thoughts_of_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """Thoughts carry the mark of the other version."""
    thoughts = draft.all("thought")
    if draft.tagged or not thoughts or not draft.claim("thoughts"):
        return False
    for line in thoughts:
        line.text = draft.other.thought + line.text.removeprefix(draft.marks.thought)
    return True


@mistake()
def vitals_of_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """Vitals carry the marks of the other version."""
    vitals = draft.all("vitals")
    if draft.tagged or not vitals or not draft.claim("vitals"):
        return False
    for line in vitals:
        line.text = line.text.replace(draft.marks.vital, draft.other.vital)
    return True


@mistake()
def action_in_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """Whole actions are written in the other version."""
    fitting = [i for i in draft.actions if i not in draft.any_blocks or _fits(draft, i)]
    chosen = draft.choose(rng, fitting, "head", "open", "close")
    for i in chosen:
        _head(draft, i)
        if i in draft.any_blocks:
            draft.line(i, "open").text, draft.line(i, "close").text = draft.other.open, draft.other.close
    return bool(chosen)


@mistake()
def reply_in_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """The whole reply is written in the other version."""
    zones = [(i, part) for i in draft.actions for part in ("head", "open", "close")]
    if any(map(draft.split, draft.actions)) or any(map(draft.fenced, draft.actions)):
        return False
    if not all(_fits(draft, i) for i in draft.any_blocks) or not draft.claim(*zones, "thoughts", "vitals"):
        return False
    lines = layout(draft.document, others(draft.dialect))
    if len(lines) != len(draft.lines):
        return False
    draft.lines = lines
    return True


@mistake()
def marks_and_thoughts_of_the_other_version(draft: Draft, rng: random.Random) -> bool:
    """Everything but the delimiters is written in the other version."""
    zones = [(i, "head") for i in draft.actions]
    if any(map(draft.split, draft.actions)) or not draft.claim(*zones, "thoughts", "vitals"):
        return False
    for i in draft.actions:
        _head(draft, i)
    for line in draft.all("thought"):
        line.text = draft.other.thought + line.text.removeprefix(draft.marks.thought)
    for line in draft.all("vitals"):
        line.text = line.text.replace(draft.marks.vital, draft.other.vital)
    return True
