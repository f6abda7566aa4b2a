"""A writer's mistakes in one reply: which kinds are drawn, and what they make of it.

Laws: the kinds are drawn by task and repetition, never by format, so formats are compared on the same mistakes. Each
kind has random numbers of its own: another rate of one changes nothing else, and a higher rate only adds replies.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .endings import Endings
from .kinds import load_kinds
from .mistakes import REGISTRY, Draft, Expected, apply_mistakes
from .mistakes.registry import CUT
from .profile import Profile

_END = {"end", "whole", "newline"}  # what a cut claims
_PLACES = 12


@dataclass(frozen=True, slots=True)
class Damaged:
    """A reply with mistakes in it: the `kinds` that were made, and the functions that made them.

    `touched` are the numbers of the expected actions whose lines are not as they would be without mistakes. `uncut` is
    the text before it was cut off; None if it was not, or would never end.
    """

    text: str
    expected: tuple[Expected, ...]
    kinds: tuple[str, ...]
    functions: tuple[str, ...]
    touched: frozenset[int]
    cut: bool = False
    uncut: str | None = None


@lru_cache(maxsize=16)  # of a reply in all formats
def draw_kinds(profile: Profile, key: str) -> tuple[str, ...]:
    """Return the kinds of mistake that are drawn for one reply; `key` says which reply, as text."""
    return tuple(rate.kind for rate in profile.rates if random.Random(f"{key}/{rate.kind}").random() < rate.value)


def draw_some(profile: Profile, key: str) -> tuple[str, ...]:
    """Return the kinds that are drawn for a reply that has at least one; none if the profile never makes any."""
    if found := draw_kinds(profile, key):
        return found
    weights = [rate.value for rate in profile.rates]
    names = [rate.kind for rate in profile.rates]
    return tuple(random.Random(f"{key}/one").choices(names, weights)) if any(weights) else ()


def make(draft: Draft, kinds: Sequence[str], key: str, *, keep: bool = False) -> Damaged:
    """Return a reply with mistakes of some kinds, made in a faultless draft in the order of their stages.

    Of the functions of a kind the first that applies is used; a kind of which none does is left out. With `keep` what
    must come out stays as it is: what would change that does not apply.
    """
    if not kinds:
        return Damaged(draft.text(), tuple(draft.expected), (), (), frozenset())
    queues = {kind: list(load_kinds()[kind].made_by) for kind in kinds}
    for kind, names in queues.items():
        random.Random(f"{key}/{kind}/which").shuffle(names)
    while True:
        chosen = [(kind, names[0]) for kind, names in queues.items() if names]
        chosen.sort(key=lambda pair: REGISTRY[pair[1]].stage)
        made = uncut = _hold_end(draft, any(REGISTRY[name].stage == CUT for _, name in chosen))
        for kind, name in chosen:
            if REGISTRY[name].stage == CUT and made is uncut:
                made = uncut = _hold_end(uncut, False)
            after = _apply(made, name, key, keep)
            if after is None:
                del queues[kind][0]
                break
            made, uncut = after, after if REGISTRY[name].stage < CUT else uncut
        else:
            return _report(draft, uncut, made, chosen)


def end_lines(damaged: Damaged, endings: Endings, *, foreign: bool) -> Damaged:
    """Return a reply, and what must come out, with other line endings; a `foreign` format may have its own."""
    whole = damaged.uncut if damaged.uncut is not None else damaged.text
    expected = endings.expect(whole, damaged.expected, foreign=foreign)
    uncut = endings.write(damaged.uncut) if damaged.uncut is not None else None
    return replace(damaged, text=endings.write(damaged.text), expected=tuple(expected), uncut=uncut)


def _hold_end(draft: Draft, held: bool) -> Draft:
    """Return a copy whose end is kept for what cuts it off, as nothing there would be seen, or set free again."""
    copy = draft.copy()
    copy.claims = copy.claims | _END if held else copy.claims - _END
    return copy


def _apply(draft: Draft, name: str, key: str, keep: bool) -> Draft | None:
    """Return a copy with one mistake; None where it does not apply, a cut at any of some places."""
    mistake = REGISTRY[name]
    for place in range(_PLACES if mistake.stage == CUT else 1):
        seed = f"{key}/{name}/{place}" if place else f"{key}/{name}"
        trial = apply_mistakes(draft, [mistake], random.Random(seed))
        if trial is not None and not (keep and trial.expected != draft.expected):
            return trial
    return None


def _report(draft: Draft, uncut: Draft, made: Draft, chosen: Sequence[tuple[str, str]]) -> Damaged:
    expected, text, before = made.expected, made.text(), None
    cut = made is not uncut
    if cut:
        text = text.removesuffix(made.newline) if made.document.final_newline else text
        before = uncut.text() if uncut.text().startswith(text) else None
        expected = _expect_more(uncut.expected, made.expected)
    kinds, functions = tuple(kind for kind, _ in chosen), tuple(name for _, name in chosen)
    return Damaged(text, tuple(expected), kinds, functions, _touched(draft, made), cut, before)


def _expect_more(whole: Sequence[Expected], kept: Sequence[Expected]) -> list[Expected]:
    """Return what must come out of what is left after a cut, or what a model gives that is asked to go on."""
    pairs = zip(kept, whole, strict=False)
    found = [item if item == full else replace(item, wholes=full.contents) for item, full in pairs]
    return [*found, *kept[len(whole) :], *(replace(item, required=False) for item in whole[len(kept) :])]


def _touched(before: Draft, after: Draft) -> frozenset[int]:
    if before.newline != after.newline:
        return frozenset(before.actions)
    return frozenset(i for i in before.actions if _lines(before, i) != _lines(after, i))


def _lines(draft: Draft, index: int) -> list[str]:
    return [str(line) for line in draft.lines if line.action == index]
