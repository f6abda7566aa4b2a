"""The chain of a run log: each row has the hash of the row before it (`prev`) and a seal.

Invariants:

1. If one row is changed, added, removed or replaced before the last one, a row no longer has the
   hash of the row before it.
2. Without the user's key, no program can write a row with a valid seal.

The rows at the end of a log can be removed unseen. Only who knows the hash of the last row (the
*head*) from elsewhere, such as a registry, notices that.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from itertools import pairwise
from operator import attrgetter

from ...acting.journal.seal import ROWS, NoKeyError, is_signed, load_key, sign
from ...core.ground.json_objects import JsonObject

FIRST = "0" * 64  # the `prev` of the first row of a log
_SEAL = re.compile(rb',"seal":"([0-9a-f]{8})-([0-9a-f]{64})"\}\Z')
_KEY_NAME = b"the name of a key"


def hash_line(line: bytes) -> str:
    """Return the hash of a row, which the next row has as `prev`.

    Args:
        line: The line of the row, without its line feed.

    Returns:
        64 hexadecimal digits.
    """
    return sha256(line).hexdigest()


def close(body: bytes, seal: str) -> bytes:
    """Return the line of a row with its seal.

    Args:
        body: The row as a JSON object with at least one member.
        seal: The seal of these bytes.
    """
    return b'%s,"seal":"%s"}' % (body[:-1], seal.encode())


class Seal(Enum):
    """Result of checking the seal of a row."""

    VALID = "valid"
    ABSENT = "absent"
    FOREIGN = "foreign"  # by another key, or there is no key to check it
    BROKEN = "broken"


class Seals:
    """Write and check the seals of rows with the user's key.

    Args:
        make: Create the key if there is none.

    Attributes:
        missing: The reason why there is no key; empty if there is one.
    """

    def __init__(self, *, make: bool = False) -> None:
        self.missing = ""
        self._key = b""
        self._name = b""
        try:
            self._key = load_key(make=make)
            self._name = sign(_KEY_NAME, self._key, ROWS)[:8].encode()
        except NoKeyError as error:
            self.missing = str(error)

    def make(self, body: bytes) -> str:
        """Return the seal of a row; nothing without a key.

        Args:
            body: The row as a JSON object.
        """
        if not self._key:
            return ""
        return f"{self._name.decode()}-{sign(body, self._key, ROWS)}"

    def check(self, line: bytes) -> Seal:
        """Check the seal of a row.

        Args:
            line: The line of the row, without its line feed.
        """
        end = _SEAL.search(line)
        if end is None:
            return Seal.BROKEN if b'"seal"' in line else Seal.ABSENT
        if end[1] != self._name:
            return Seal.FOREIGN
        body = line[: end.start()] + b"}"
        fits = is_signed(body, end[2].decode(), self._key, ROWS)
        return Seal.VALID if fits else Seal.BROKEN

    def trusts(self, seal: Seal, prev: str | None) -> bool:
        """Return whether a row may count for a promotion.

        Args:
            seal: Result of checking its seal.
            prev: The hash that it has of the row before it. Without a key it has to do.
        """
        return prev is not None if self.missing else seal is Seal.VALID


@dataclass(frozen=True, slots=True)
class Head:
    """The hash of a row that was seen before, and who saw it.

    Attributes:
        hash: The hash.
        row: The number of the row; None if only the hash is known.
        seen: Who saw it, for messages.
        trusted: The user vouches for the rows up to this one.
    """

    hash: str
    row: int | None = None
    seen: str = "you"
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Chain(JsonObject):
    """The chained rows at the end of a log.

    Attributes:
        first: The number of the first row; None if no row is chained.
        last: The number of the last row; None if no row is chained.
        head: The hash of the last row.
        trusted: The number of the last row for which the user vouches; -1 without such a row.
    """

    first: int | None = None
    last: int | None = None
    head: str = ""
    trusted: int = -1


@dataclass(slots=True)
class Stretch:
    """Rows whose numbers have no gap, in the order in which they were read."""

    first: int
    last: int
    prev: str | None  # of the first row
    begins: int  # its line
    hash: str  # of the last row
    ends: int  # its line
    is_chained: bool  # the last row has a `prev`


@dataclass(slots=True)
class Numbers:
    """The numbers of the rows, and whether each row has the hash of the row before it.

    Rows are compared in the order of their numbers, so that moved lines change nothing.

    Attributes:
        stretches: All rows that were read.
        broken: The lines of the first two rows that do not follow each other.
        unchained: The highest number of a row without `prev`.
    """

    stretches: list[Stretch] = field(default_factory=list)
    broken: tuple[int, int] | None = None
    unchained: int = -1

    def add(self, number: int, line: int, prev: str | None, digest: str) -> None:
        """Take in the next row.

        Args:
            number: The number of the row.
            line: Its line, from 1.
            prev: The hash that it has of the row before it.
            digest: Its own hash.
        """
        if prev is None:
            self.unchained = max(self.unchained, number)
        row = Stretch(number, number, prev, line, digest, line, prev is not None)
        self._append(row)

    def merge(self, following: Numbers, lines: int) -> None:
        """Take in the rows of the next part of the file.

        Args:
            following: Its rows.
            lines: The number of lines before it.
        """
        if following.broken is not None:
            before, after = following.broken
            self._note(before + lines, after + lines)
        self.unchained = max(self.unchained, following.unchained)
        for row in following.stretches:
            row.begins += lines
            row.ends += lines
            self._append(row)

    def _append(self, row: Stretch) -> None:
        """Add a stretch, or extend the last one, so that a log in order has one stretch only."""
        last = self.stretches[-1] if self.stretches else None
        if last is None or last.last != row.first - 1:
            self.stretches.append(row)
            return
        self._compare(last, row)
        last.last = row.last
        last.hash = row.hash
        last.ends = row.ends
        last.is_chained = row.is_chained

    def tell(self) -> tuple[list[str], list[str]]:
        """Compare the stretches, which lines in another order separate.

        Returns:
            Messages about rows that are missing or there twice, and further remarks.
        """
        ordered = sorted(self.stretches, key=attrgetter("first", "last"))
        problems: list[str] = []
        notes: list[str] = []
        if not ordered:
            return problems, notes
        first = ordered[0]
        before = first.first - 1
        if before >= 0:
            notes.append(f"the log begins with row {before + 1}: older ones are elsewhere")
        for row in ordered:
            # A stretch may overlap the one before it, if rows were copied.
            if row.first > before + 1:
                problems.append(f"{_name(before + 1, row.first - 1)} missing")
            elif row.first <= before:
                last = min(row.last, before)
                problems.append(f"{_name(row.first, last)} there twice")
            before = max(before, row.last)
        for earlier, later in pairwise(ordered):
            if earlier.last == later.first - 1:
                self._compare(earlier, later)
        # Row 0 has the hash of no row.
        if first.first == 0 and first.prev not in (None, FIRST):
            self._note(0, first.begins)
        if ordered != self.stretches:
            notes.append("lines were moved: the rows are taken in the order of their numbers")
        return problems, notes

    def describe(self, trusted: int) -> Chain:
        """Return the chained rows at the end of the log.

        Args:
            trusted: The number of the last row for which the user vouches.
        """
        last = max(self.stretches, key=attrgetter("last"), default=None)
        # The chain begins after the last row without a hash.
        if last is None or self.unchained >= last.last:
            return Chain()
        first = min(row.first for row in self.stretches)
        return Chain(max(first, self.unchained + 1), last.last, last.hash, trusted)

    def _compare(self, before: Stretch, after: Stretch) -> None:
        """Note two rows if the second one has another hash than that of the first one."""
        # Rows of older versions have no hash. A row that follows a chained one has to have it.
        follows = after.prev == before.hash
        if after.prev is None:
            follows = not before.is_chained
        if not follows:
            self._note(before.ends, after.begins)

    def _note(self, before: int, after: int) -> None:
        # Only the first place is reported: all rows after it may be right.
        if self.broken is None or after < self.broken[1]:
            self.broken = before, after


def _name(first: int, last: int) -> str:
    if first == last:
        return f"row {first} is"
    return f"rows {first} to {last} are"


def find_lost(heads: Iterable[Head], found: Container[str]) -> Iterator[str]:
    """Yield a message for each head that no row of a log has.

    Args:
        heads: Hashes that were seen before.
        found: The hashes that rows have.
    """
    for head in heads:
        if head.hash not in found:
            row = "a row" if head.row is None else f"row {head.row}"
            yield (
                f"{row} with the hash {head.hash[:12]}…, seen by {head.seen}, is not in the log: "
                "the log was cut or rewritten; restore it from a copy"
            )
