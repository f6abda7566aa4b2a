"""The data of edits: a reader turns a content into hunks, and a matcher places hunks in a file.

Every notation becomes the same `Hunk`. So the rules for ambiguous places and the messages exist
once, in `matching`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

# Hunks of one content. Each is searched for in the complete file, so the work is hunks × file.
MAX_HUNKS = 500

Strings = tuple[str, ...]
TwoStrings = tuple[str, str]
Pairs = tuple[tuple[int, int], ...]


class Unreadable(Exception):  # a refusal of a reader, which never leaves this folder
    """A content begins like a notation and breaks its grammar.

    Attributes:
        reason: What is wrong, and where.
        hint: What to do, or an empty string.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(reason)


class Ambiguity(NamedTuple):
    """Why a hunk has several readings.

    Attributes:
        reason: What the edit has, for a refusal: "has several dividers".
        doubt: Why a person is asked if one reading fits.
        hint: What to do if none of them fits, or several.
    """

    reason: str
    doubt: str
    hint: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change of a file: complete lines (`old` becomes `new`) or a text inside of lines.

    Attributes:
        old: The lines that are searched for.
        new: The lines that replace them.
        line: The line of the file where `old` begins, from 1, if the notation has it. Without
            `old`: the line after which `new` is inserted, 0 for the beginning. With `count`: the
            first line of the range.
        scope: Lines above the place, the outermost first: `class A`, `def run`.
        at_end: The place is at the end of the file.
        within: The old and the new text, for notations that quote parts of lines.
        every: All places change, not one.
        count: The number of lines in a range that is named by numbers alone.
        hashes: The hashes of the first and the last line of that range.
        kept: Pairs of an index in `old` and one in `new`, for the lines of context.
        choices: Other readings of the same place. Exactly one of them must fit.
        ambiguity: Why there are choices.
        ended: Whether the last new line, which ends the file, has a line ending; None: as before.
    """

    old: Strings = ()
    new: Strings = ()
    line: int | None = None
    scope: Strings = ()
    at_end: bool = False
    within: TwoStrings | None = None
    every: bool = False
    count: int | None = None
    hashes: TwoStrings | None = None
    kept: Pairs = ()
    choices: tuple[Hunk, ...] = ()
    ambiguity: Ambiguity | None = None
    ended: bool | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A content that was read as a notation.

    Attributes:
        kind: The notation, such as "unified diff".
        hunks: Its changes.
        ordered: The hunks follow each other in the file.
        in_turn: Each hunk is searched for in the text that the hunks before it left. Otherwise all
            are searched for in the file as it was.
        text: The complete new text, of a notation that adds a file.
        names: The files that the content names.
        doubts: Why a person is asked, whatever the places are.
    """

    kind: str
    hunks: tuple[Hunk, ...] = ()
    ordered: bool = False
    in_turn: bool = False
    text: str | None = None
    names: Strings = ()
    doubts: Strings = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text of a file.

    Attributes:
        text: The text.
        kind: How the content was read: "whole text" or a notation.
        doubts: Why a person is asked before the text is written; empty if everything was exact.
        lines: The first line of each place, from 1, in the old text.
        tolerances: Those of the doubts that name what the search for a place overlooked: blanks at
            line ends, a uniform indentation, typographic characters, lines that have moved.
    """

    text: str
    kind: str
    doubts: Strings = ()
    lines: tuple[int, ...] = ()
    tolerances: Strings = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a content gives no new text.

    Attributes:
        reason: What does not fit, and where.
        places: The lines of all candidates, from 1, if there are several.
        hint: What to do, or an empty string.
        kind: How the content was read.
    """

    reason: str
    places: tuple[int, ...] = ()
    hint: str = ""
    kind: str = ""


def settle(kind: str, hunks: tuple[Hunk, ...], names: Strings) -> Reading:
    """Return the reading of hunks that are independent of each other, such as blocks.

    If each hunk names its line, all are searched for in the file as it was. Otherwise they are
    searched for one after the other, and a number beside a quoted text is ignored: it may count in
    any of these texts. The number of an insertion counts in the file as it was.

    Args:
        kind: The notation.
        hunks: The hunks. One with an empty `old` and an empty `within` gives the whole text.
        names: The files that the content names.

    Returns:
        The reading.

    Raises:
        Unreadable: There are too many hunks, or one of several searches for nothing.
    """
    if len(hunks) > MAX_HUNKS:
        raise Unreadable(f"there are more than {MAX_HUNKS} edits", "write the whole text")
    empty = [number for number, hunk in enumerate(hunks, 1) if _searches_for_nothing(hunk)]
    if empty and len(hunks) > 1:
        raise Unreadable(
            f"nothing is searched for by edit {empty[0]}", "quote the lines next to the new ones"
        )
    if empty:
        return Reading(kind, text=_whole_text(hunks[0]), names=names)
    if len(hunks) == 1 or all(hunk.line is not None for hunk in hunks):
        return Reading(kind, hunks, names=names)
    return Reading(kind, tuple(map(_without_line, hunks)), in_turn=True, names=names)


def _searches_for_nothing(hunk: Hunk) -> bool:
    is_quoted = hunk.old or hunk.choices or hunk.count is not None
    if is_quoted or (hunk.line is not None and hunk.within is None):
        return False
    return hunk.within is None or not hunk.within[0]


def _whole_text(hunk: Hunk) -> str:
    if hunk.within is None:
        return "".join(line + "\n" for line in hunk.new)
    text = hunk.within[1]
    return text if text.endswith("\n") or not text else text + "\n"


def _without_line(hunk: Hunk) -> Hunk:
    choices = tuple(map(_without_line, hunk.choices))
    # An insertion has nothing but its number.
    if not (hunk.old or hunk.within or choices):
        return hunk
    return replace(hunk, line=None, choices=choices)
