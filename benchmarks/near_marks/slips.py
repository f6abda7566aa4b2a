"""Marks with one slip, made at random: one function for each kind of slip."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from symops_lark.core.text.slips import Slip

_SIGNS = "abcdefghijklmnopqrstuvwxyz_-"


def other_case(mark: str, random: Random) -> str:
    """Return a mark in capitals, with capitals, or with one letter in the other case."""
    forms = {mark.upper(), mark.lower(), mark.title(), mark.swapcase()}
    for index, sign in enumerate(mark):
        if sign.isalpha():
            forms.add(mark[:index] + sign.swapcase() + mark[index + 1 :])
            break
    forms.discard(mark)
    # A mark without letters has one form.
    return random.choice(sorted(forms) or [mark])


def doubled(mark: str, random: Random) -> str:
    """Return a mark with one sign twice."""
    index = random.randrange(len(mark))
    return mark[: index + 1] + mark[index:]


def missing(mark: str, random: Random) -> str:
    """Return a mark without one sign."""
    index = random.randrange(len(mark))
    return mark[:index] + mark[index + 1 :]


def exchanged(mark: str, random: Random) -> str:
    """Return a mark with two neighbors exchanged."""
    index = random.randrange(len(mark) - 1)
    pair = mark[index : index + 2]
    return mark[:index] + pair[::-1] + mark[index + 2 :]


def replaced(mark: str, random: Random) -> str:
    """Return a mark with another sign in the place of one."""
    index = random.randrange(len(mark))
    signs = _SIGNS.replace(mark[index].lower(), "")
    return mark[:index] + random.choice(signs) + mark[index + 1 :]


def added(mark: str, random: Random) -> str:
    """Return a mark with one sign more, which is not that of a neighbor."""
    index = random.randrange(1, len(mark))
    signs = [sign for sign in _SIGNS if sign not in mark[index - 1 : index + 1]]
    return mark[:index] + random.choice(signs) + mark[index:]


def blank(mark: str, random: Random) -> str:
    """Return a mark with a blank in it."""
    index = random.randrange(1, len(mark))
    return f"{mark[:index]} {mark[index:]}"


SLIPS: dict[Slip, Callable[[str, Random], str]] = {
    Slip.CASE: other_case,
    Slip.DOUBLED: doubled,
    Slip.BLANK: blank,
    Slip.ADDED: added,
    Slip.MISSING: missing,
    Slip.REPLACED: replaced,
    Slip.EXCHANGED: exchanged,
}
