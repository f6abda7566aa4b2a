"""Mistakes that leave delimiters out, where a person still sees the content."""

from __future__ import annotations

from itertools import product
from random import Random

from .draft import Condition, Draft, Zone, headish, zone_of
from .registry import BLOCKS, Mistake, in_actions, mistake

_CODE = (
    *(".py", ".js", ".ts", ".rb", ".go", ".rs", ".cpp"),
    *(".json", ".css", ".html", ".vue", ".patch", ".sql"),
)
_PARTS = ("open", "close", "after")
# Marks of both versions: a reader that looks for the end of a content may know either.
_MARKS = ("::c", "::m", "::f", "::s", "#c", "#m", "#f", "#s", "? ", "! ")


def _has_certain_edge(draft: Draft, index: int, edge: int, signs: tuple[str, ...]) -> bool:
    """Return whether the first or last line of a content is surely neither blank nor markup."""
    lines = draft.content(index)
    if not lines or draft.fenced(index):
        return False
    line = lines[edge]
    if not line.strip() or line.startswith(signs) or draft.rulish(line):
        return False
    # A content with an action line in it would start or end there.
    return not any(map(headish, lines))


def _is_open_ended(draft: Draft, index: int) -> bool:
    """Return whether a reader can find the end of a content without a closer."""
    signs = (">>>", "--", "```", draft.marks.close)
    if not _has_certain_edge(draft, index, -1, signs):
        return False
    starts = (*_MARKS, *draft.marks.starts)
    lines = map(str.lstrip, draft.content(index))
    if any(line.startswith(starts) for line in lines):
        return False
    following = draft.section_behind(index)
    if following is None:
        return True
    # After code, a thought is seen to be no part of it; after a text, it may be its last line.
    if following.role == "thought":
        return draft.action(index).path.endswith(_CODE)
    return following.role in {"head", "vitals"}


def _is_self_opening(draft: Draft, index: int) -> bool:
    """Return whether a reader can find the start of a content without an opener."""
    signs = ("<<<", "--", "```", draft.marks.open)
    return _has_certain_edge(draft, index, 0, signs)


def _zone_behind(draft: Draft, index: int) -> Zone:
    """Return the zone after a content, which must be intact to make the end certain."""
    following = draft.section_behind(index)
    return "end" if following is None else zone_of(following)


def _end_of(draft: Draft, index: int) -> list[Zone]:
    # An action without both delimiters would be another mistake.
    return [*product([index], _PARTS), _zone_behind(draft, index)]


@in_actions("open close", of=BLOCKS, where=_is_self_opening, neutral=True)
def _opener_missing(draft: Draft, rng: Random, i: int) -> None:
    """An opening delimiter is missing."""
    draft.remove(draft.line(i, "open"))


def _can_lose_closer(draft: Draft, index: int) -> bool:
    zones = _end_of(draft, index)
    return draft.free(*zones) and _is_open_ended(draft, index)


def _lose_closer(summary: str, which: slice) -> Mistake:
    """Return a mistake that leaves out one closer of some blocks, if the end stays certain."""

    def apply(draft: Draft, rng: Random) -> None:
        candidates = draft.any_blocks[which]
        possible = [i for i in candidates if _can_lose_closer(draft, i)]
        if possible:
            index = rng.choice(possible)
            draft.claim(*_end_of(draft, index))
            draft.remove(draft.line(index, "close"))

    return Mistake(summary, apply, neutral=True, needs="close")


closer_missing_at_the_end = _lose_closer("The last block is not closed.", slice(-1, None))
closer_missing_in_the_middle = _lose_closer("A block before the last is not closed.", slice(-1))


def _are_all(draft: Draft, where: Condition) -> bool:
    """Return whether two or more blocks and no others are of one kind."""
    blocks = draft.blocks
    # For one block there is another mistake. An empty block is lost with its delimiter.
    if len(blocks) < 2 or blocks != draft.any_blocks:
        return False
    return all(where(draft, i) for i in blocks)


@mistake(neutral=True, needs="close")
def closers_all_missing(draft: Draft, rng: Random) -> None:
    """No block is closed."""
    if not _are_all(draft, _is_open_ended):
        return
    ends = {zone for i in draft.blocks for zone in _end_of(draft, i)}
    if draft.claim(*ends):
        for line in draft.all("close"):
            draft.remove(line)


@mistake(neutral=True)
def openers_all_missing(draft: Draft, rng: Random) -> None:
    """No block is opened."""
    if not _are_all(draft, _is_self_opening):
        return
    if draft.claim(*product(draft.blocks, _PARTS)):
        for line in draft.all("open"):
            draft.remove(line)


def _needs_no_delimiters(draft: Draft, index: int) -> bool:
    if not draft.free(_zone_behind(draft, index)):
        return False
    return _is_self_opening(draft, index) and _is_open_ended(draft, index)


@mistake()
def delimiters_missing(draft: Draft, rng: Random) -> None:
    """A content has no delimiters between its head and the next."""
    chosen = draft.choose(rng, draft.blocks, "head", *_PARTS, where=_needs_no_delimiters)
    for i in chosen:
        # Two neighbors may both be chosen, so this zone may be claimed by now.
        draft.claims.add(_zone_behind(draft, i))
        draft.remove(draft.line(i, "open"))
        draft.remove(draft.line(i, "close"))
