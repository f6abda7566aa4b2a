"""Place the hunks of a reading in a file, and return the new text or a refusal.

Purpose
    A wrong place silently changes code that the model did not mean. So a place is
    exact, or it has a doubt with its reason, or the edit is refused with the lines of all
    candidates.

Invariants
    1. No similarity chooses a place. What decides between several places is, in this order: the end
       of the file, the scope, the line that the notation names, and the order of the hunks.
    2. A line number never overrules quoted lines. It decides between equal places only, and with a
       doubt if the number of another hunk is wrong: then all of them may be invented.
    3. Bytes outside of the chosen places stay, their endings included.
    4. The time is at most proportional to the number of hunks × the size of the file, and to the
       size of the content. Where it would not be, the edit is refused (`TooManyPlaces`).

Example: in `a`, `b`, `a` the hunk `-a +c` has two places and is refused. With the line 3, or with
`*** End of File`, it has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from .hunks import Edited, Hunk, Reading, Refusal
from .inner_texts import find_inner_places
from .line_anchors import NUMBER_ALONE, find_range, hash_lines, insert_by_number
from .lines import Lines, TooManyPlaces
from .nearest import describe_nearest, quote_line, quote_numbers
from .places import MisfitError, Place, find_places
from .scopes import Scope, find_scope

_QUOTE_MORE = "quote more of the lines around it"
_QUOTE_EXACTLY = "quote the lines of the file exactly, blanks included"


def place_hunks(reading: Reading, text: str) -> Edited | Refusal:
    """Return the text with all hunks of a reading applied.

    Args:
        reading: A reading with hunks.
        text: The text of the file.

    Returns:
        The new text. A refusal if any hunk has no place, or several that the reading
        does not distinguish; then no hunk is applied.
    """
    lines = Lines(text)
    try:
        if reading.in_turn:
            places, numbers = _place_in_turn(reading.hunks, lines)
        else:
            places = _place_together(reading, lines)
            numbers = [place.start + 1 for place in places]
    except MisfitError as error:
        found_lines = tuple(index + 1 for index in error.places)
        return Refusal(error.reason, found_lines, error.hint, reading.kind)
    doubts = _doubts_about(places, numbers)
    tolerances = tuple(doubt for doubt, is_tolerated in doubts.items() if is_tolerated)
    return Edited(
        text=lines.join(),
        kind=reading.kind,
        doubts=(*reading.doubts, *doubts),
        lines=tuple(numbers),
        tolerances=tolerances,
    )


def _doubts_about(places: Sequence[Place], numbers: Sequence[int]) -> dict[str, bool]:
    """Return the doubts about places with their lines, and whether each is only a tolerance."""
    indexes: dict[tuple[str, bool], list[int]] = {}
    for place, number in zip(places, numbers, strict=True):
        if place.doubt:
            indexes.setdefault((place.doubt, place.is_tolerated), []).append(number - 1)
    doubts = {}
    for (doubt, is_tolerated), rows in indexes.items():
        doubts[f"{quote_numbers(rows)}: {doubt}"] = is_tolerated
    return doubts


def _place_in_turn(hunks: Sequence[Hunk], lines: Lines) -> tuple[list[Place], list[int]]:
    """Apply each hunk to the lines that the hunks before it left; numbers count before all."""
    for number, hunk in enumerate(hunks, 1):
        if hunk.line is not None:
            insert_by_number(hunk, lines, number)  # raises an error for a line that is not there
    places = []
    numbers = []
    for number, original in enumerate(hunks, 1):
        hunk = original
        if hunk.line is not None:
            # The model has seen the file without its own edits.
            line = lines.gap_now(hunk.line)
            if line is None:
                reason = f"inserts after line {hunk.line}, which an edit before it changes"
                hint = "quote the line before the new ones"
                raise MisfitError(f"edit {number} {reason}", hint=hint)
            hunk = replace(hunk, line=line)
        candidates = _Matcher(lines).find(hunk, number)
        chosen = _choose_all(hunk, candidates, number)
        numbers += [lines.number_before(place.start) for place in chosen]
        places += chosen
        _apply(chosen, lines)
    return places, numbers


def _place_together(reading: Reading, lines: Lines) -> list[Place]:
    """Apply all hunks to the file as it is."""
    matcher = _Matcher(lines)
    options = [matcher.find(hunk, number) for number, hunk in enumerate(reading.hunks, 1)]
    if reading.ordered:
        places = _choose_in_order(options)
    else:
        places = []
        for number, (hunk, candidates) in enumerate(zip(reading.hunks, options, strict=True), 1):
            places += _choose_all(hunk, candidates, number)
    _check_overlap(places)
    if _has_wrong_number(reading.hunks, options):
        places = [_doubting_hint(place) for place in places]
    _apply(places, lines)
    return places


def _has_wrong_number(hunks: Sequence[Hunk], options: Sequence[list[Place]]) -> bool:
    """Return whether a hunk names a line that is none of its places."""
    for hunk, candidates in zip(hunks, options, strict=True):
        if hunk.line is None or not hunk.old:
            continue
        if all(place.start != hunk.line - 1 for place in candidates):
            return True
    return False


def _doubting_hint(place: Place) -> Place:
    if not place.is_hinted:
        return place
    doubt = "only the line number distinguishes the place, and that of another edit is wrong"
    return place.with_doubt(doubt)


def _choose_all(hunk: Hunk, candidates: list[Place], number: int) -> list[Place]:
    """Return the places of one hunk that change: one, or all of them."""
    if not hunk.every:
        return [_choose_one(candidates, number)]
    places: list[Place] = []
    for place in candidates:
        if not places or places[-1].end <= place.start:
            places.append(place)
    return places


def _choose_one(candidates: Sequence[Place], number: int) -> Place:
    if len(candidates) > 1:
        indexes = [place.start for place in candidates]
        raise MisfitError(
            f"edit {number} fits at several places: {quote_numbers(indexes)}", indexes, _QUOTE_MORE
        )
    return candidates[0]


def _choose_in_order(options: Sequence[list[Place]]) -> list[Place]:
    """Return the only choice of one place for each hunk in which they follow each other."""
    earliest = _fit_from_top(options)
    # All choices lie between these two. If they are equal, there is no third one.
    if earliest is not None and earliest == _fit_from_bottom(options):
        return earliest
    for number, candidates in enumerate(options, 1):
        _choose_one(candidates, number)
    places = [candidates[0] for candidates in options]
    indexes = [place.start for place in places]
    if indexes != sorted(indexes):
        raise MisfitError(
            f"the edits are not in the order of the file: {quote_numbers(indexes)}",
            indexes,
            "write them in the order of the file",
        )
    return places  # they overlap, which is reported next


def _fit_from_top(options: Sequence[list[Place]]) -> list[Place] | None:
    """Return the first place of each hunk after that of the hunk before it."""
    places = []
    limit = 0
    for candidates in options:
        place = next((place for place in candidates if place.start >= limit), None)
        if place is None:
            return None
        places.append(place)
        limit = place.end
    return places


def _fit_from_bottom(options: Sequence[list[Place]]) -> list[Place] | None:
    """Return the last place of each hunk before that of the hunk after it."""
    places = []
    limit: int | None = None
    for candidates in reversed(options):
        fitting = (place for place in reversed(candidates) if limit is None or place.end <= limit)
        place = next(fitting, None)
        if place is None:
            return None
        places.append(place)
        limit = place.start
    return places[::-1]


def _check_overlap(places: Sequence[Place]) -> None:
    for place, following in pairwise(sorted(places, key=_position)):
        indexes = [place.start, following.start]
        if place.end > following.start:
            raise MisfitError(
                f"two edits overlap at {quote_numbers(indexes)}",
                indexes,
                "write one edit for these lines",
            )
        if place.start == following.start and not following.count:
            raise MisfitError(
                f"two edits insert at the same place, after line {place.start}",
                indexes,
                "write one edit for these lines",
            )


def _position(place: Place) -> tuple[int, int]:
    return place.start, place.count


def _apply(places: Sequence[Place], lines: Lines) -> None:
    # From the last one to the first: the indexes of those before it stay right.
    for place in sorted(places, key=_position, reverse=True):
        lines.splice(place.start, place.count, place.new, place.ended)


class _Matcher:
    """Finds the places of hunks in the lines of a file, which do not change meanwhile."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    @cached_property
    def _hashes(self) -> list[str]:
        return hash_lines(self._lines.bare)

    def find(self, hunk: Hunk, number: int) -> list[Place]:
        """Return the places that a hunk may have; several if nothing in the hunk decides."""
        try:
            if hunk.choices:
                return self._find_choice(hunk, number)
            if hunk.count is not None:
                return [find_range(hunk, self._lines, self._hashes, number)]
            if hunk.within is not None:
                candidates = find_inner_places(hunk, self._lines, number)
            elif hunk.old:
                candidates = self._find_lines(hunk, number)
            else:
                return [insert_by_number(hunk, self._lines, number)]
        except TooManyPlaces:
            raise MisfitError(
                f"edit {number} fits at too many places to compare them", hint=_QUOTE_MORE
            ) from None
        return candidates if hunk.every else self._narrow(hunk, candidates, number)

    def _find_lines(self, hunk: Hunk, number: int) -> list[Place]:
        candidates = find_places(hunk, self._lines)
        if candidates:
            return candidates
        if any(map(str.strip, hunk.new)):
            indexes = self._lines.find(hunk.new)
            if indexes:
                raise MisfitError(
                    f"edit {number} does not fit, and its new lines are already in the file: "
                    f"{quote_numbers(indexes)}",
                    indexes,
                    "leave it out",
                )
        start = hunk.line - 1 if hunk.line else None
        nearest = describe_nearest(hunk.old, self._lines.bare, start)
        raise MisfitError(f"edit {number} does not fit: {nearest}", hint=_QUOTE_EXACTLY)

    def _find_choice(self, hunk: Hunk, number: int) -> list[Place]:
        """Try each reading of a hunk; one alone must fit, and a person is asked."""
        assert hunk.ambiguity is not None
        reason, doubt, hint = hunk.ambiguity
        fitting = []
        for choice in hunk.choices:
            try:
                fitting.append(_choose_one(self.find(choice, number), number))
            except MisfitError:
                continue
        if len(fitting) == 1:
            return [fitting[0].with_doubt(doubt)]
        outcome = "fits in several ways" if fitting else "does not fit with any of them"
        raise MisfitError(
            f"edit {number} {reason}, and {outcome}", [place.start for place in fitting], hint
        )

    def _narrow(self, hunk: Hunk, candidates: list[Place], number: int) -> list[Place]:
        """Return the candidates that agree with what the notation says about the place."""
        if hunk.at_end:
            at_end = [place for place in candidates if place.end == len(self._lines)]
            if not at_end:
                indexes = [place.start for place in candidates]
                raise MisfitError(
                    f"edit {number} fits at {quote_numbers(indexes)}, not at the file's end",
                    indexes,
                    "quote the last lines of the file",
                )
            candidates = at_end
        if hunk.scope:
            scope = find_scope(hunk.scope, self._lines)
            candidates = list(filter(scope.holds, candidates)) or candidates
            candidates = [_doubting_scope(place, scope, hunk.scope[-1]) for place in candidates]
        if hunk.line is not None and len(candidates) > 1:
            hinted = [place for place in candidates if place.start == hunk.line - 1]
            if hinted:
                candidates = [replace(place, is_hinted=True) for place in hinted]
                # Empty lines are no evidence, so the number is all there is.
                if not any(map(str.strip, hunk.old or hunk.within or ())):
                    candidates = [place.with_doubt(NUMBER_ALONE) for place in candidates]
        return candidates


def _doubting_scope(place: Place, scope: Scope, name: str) -> Place:
    """Return a place with a doubt if it is not where the scope says, though its lines fit."""
    if scope.unknown:
        return place.with_doubt(f"the file has no line {quote_line(scope.unknown)}")
    # The last lines of a hunk may be after the end of the block that it names.
    if not scope.begins_before(place):
        return place.with_doubt(f"the place is not below the line {quote_line(name)}")
    return place
