"""The mistakes of a writer in one reply: which kinds are drawn, and the damaged reply.

Invariants:

1. Kinds are drawn by task and repetition, never by format: all formats get the same mistakes.
2. Each kind has separate random numbers. Another rate of one kind changes no other kind, and a
   higher rate only adds replies.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .endings import Endings
from .kinds import load_kinds
from .mistakes import REGISTRY, Draft, Expected, apply_mistakes
from .mistakes.registry import CUT
from .profile import Profile

_END = {"end", "whole", "newline"}  # zones that a cut claims
_PLACES = 12  # places at which a cut is tried


@dataclass(frozen=True, slots=True)
class Damaged:
    """A reply with mistakes in it.

    Attributes:
        text: The reply.
        expected: The actions that a reader should find.
        kinds: The kinds of mistake that were made.
        functions: The functions that made them.
        touched: The numbers of the expected actions whose lines have changed.
        cut: Whether the reply was cut off.
        uncut: The text before it was cut off; None if it was not, or would never end.
    """

    text: str
    expected: tuple[Expected, ...]
    kinds: tuple[str, ...]
    functions: tuple[str, ...]
    touched: frozenset[int]
    cut: bool = False
    uncut: str | None = None


@lru_cache(maxsize=16)  # the same reply is drawn for all formats, one after the other
def draw_kinds(profile: Profile, key: str) -> tuple[str, ...]:
    """Return the kinds of mistake that are drawn for a reply; the key identifies the reply."""
    return tuple(
        rate.kind
        for rate in profile.rates
        if random.Random(f"{key}/{rate.kind}").random() < rate.value
    )


def draw_some(profile: Profile, key: str) -> tuple[str, ...]:
    """Return the kinds that are drawn for a reply that has at least one mistake.

    The result is empty if the profile makes no mistakes at all.
    """
    kinds = draw_kinds(profile, key)
    weights = [rate.value for rate in profile.rates]
    if kinds or not any(weights):
        return kinds
    names = [rate.kind for rate in profile.rates]
    return tuple(random.Random(f"{key}/one").choices(names, weights))


def make(draft: Draft, kinds: Sequence[str], key: str, *, keep: bool = False) -> Damaged:
    """Return a reply with mistakes of some kinds.

    The first function of a kind that applies is used. A kind is left out if none applies.

    Args:
        draft: The faultless reply.
        kinds: The kinds. Their functions are applied in the order of the stages.
        key: The seed.
        keep: Whether functions that would change the expected actions do not apply.
    """
    # The functions of a kind are tried in a random order, which is the same in all formats.
    queues = {}
    for kind in kinds:
        queues[kind] = list(load_kinds()[kind].made_by)
        random.Random(f"{key}/{kind}/which").shuffle(queues[kind])
    while True:
        chosen = [(kind, names[0]) for kind, names in queues.items() if names]
        chosen.sort(key=_stage)
        has_cut = any(_stage(pair) == CUT for pair in chosen)
        damaged = uncut = _hold_end(draft, has_cut)
        for kind, name in chosen:
            is_cut = _stage((kind, name)) == CUT
            if is_cut and damaged is uncut:
                damaged = uncut = _hold_end(uncut, False)
            trial = _apply(damaged, name, key, keep)
            if trial is None:
                # The next function of this kind is tried, from the faultless reply on.
                del queues[kind][0]
                break
            damaged = trial
            if not is_cut:
                uncut = trial
        else:
            return _report(draft, uncut, damaged, dict(chosen))


def _stage(pair: tuple[str, str]) -> int:
    return REGISTRY[pair[1]].stage


def end_lines(damaged: Damaged, endings: Endings, *, foreign: bool) -> Damaged:
    """Return a reply and its expected actions with other line endings.

    Args:
        damaged: The reply, with line feeds.
        endings: The endings.
        foreign: Whether the format may have a rule for line endings.
    """
    uncut = damaged.uncut
    # Lines that were cut off are a part of the expected actions, too.
    original = damaged.text
    if uncut is not None:
        original = uncut
        uncut = endings.write(uncut)
    return replace(
        damaged,
        text=endings.write(damaged.text),
        expected=tuple(endings.expect(original, damaged.expected, foreign=foreign)),
        uncut=uncut,
    )


def _hold_end(draft: Draft, held: bool) -> Draft:
    """Return a copy whose end is reserved for a cut, or free again.

    Another mistake at the end would be cut off, so that it would not be seen.
    """
    copy = draft.copy()
    copy.claims -= _END
    if held:
        copy.claims |= _END
    return copy


def _apply(draft: Draft, name: str, key: str, keep: bool) -> Draft | None:
    """Return a copy with one mistake; None if it does not apply."""
    mistake = REGISTRY[name]
    # A cut may be impossible at one place and possible at another.
    for place in range(_PLACES if mistake.stage == CUT else 1):
        seed = f"{key}/{name}/{place}" if place else f"{key}/{name}"
        trial = apply_mistakes(draft, [mistake], random.Random(seed))
        if trial is not None and not (keep and trial.expected != draft.expected):
            return trial
    return None


def _report(draft: Draft, uncut: Draft, damaged: Draft, functions: Mapping[str, str]) -> Damaged:
    expected = damaged.expected
    text = damaged.text()
    before = None
    is_cut = damaged is not uncut
    if is_cut:
        if damaged.document.final_newline:
            text = text.removesuffix(damaged.newline)
        # The end of some replies was replaced by one that never ends.
        if uncut.text().startswith(text):
            before = uncut.text()
        expected = _expect_more(uncut.expected, damaged.expected)
    return Damaged(
        text,
        tuple(expected),
        kinds=tuple(functions),
        functions=tuple(functions.values()),
        touched=_touched(draft, damaged),
        cut=is_cut,
        uncut=before,
    )


def _expect_more(complete: Sequence[Expected], remaining: Sequence[Expected]) -> list[Expected]:
    """Return the expected actions after a cut.

    A model that is asked to continue may complete an action, or write those that are missing.
    """
    expected = list(remaining)
    for index, (item, original) in enumerate(zip(remaining, complete, strict=False)):
        if item != original:
            expected[index] = replace(item, wholes=original.contents)
    missing = complete[len(remaining) :]
    return expected + [replace(item, required=False) for item in missing]


def _touched(before: Draft, after: Draft) -> frozenset[int]:
    # Another line ending changes all lines.
    if before.newline != after.newline:
        return frozenset(before.actions)
    return frozenset(i for i in before.actions if _lines(before, i) != _lines(after, i))


def _lines(draft: Draft, index: int) -> list[str]:
    return [str(line) for line in draft.lines if line.action == index]
