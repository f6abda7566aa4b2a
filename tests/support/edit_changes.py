"""A file before and after a change, and the places where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Hunk:
    """One changed place: its first line in the old and in the new text, and both with lines around."""

    line: int
    new_line: int
    old: list[str]
    new: list[str]
    signed: list[str]


@dataclass(frozen=True)
class Change:
    """A file before and after."""

    before: str
    after: str
    path: str = "a.py"

    @cached_property
    def old(self) -> list[str]:
        return self.before.split("\n")[: -1 if self.before.endswith("\n") else None]

    @cached_property
    def new(self) -> list[str]:
        return self.after.split("\n")[: -1 if self.after.endswith("\n") else None]

    def hunks(self, context: int) -> Iterator[Hunk]:
        """Yield the places that change, each with so many lines around it."""
        old, new = self.old, self.new
        for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
            signed: list[str] = []
            for kind, a, b, c, d in group:
                if kind == "equal":
                    signed += [" " + line for line in old[a:b]]
                    continue
                signed += ["-" + line for line in old[a:b]]
                signed += ["+" + line for line in new[c:d]]
            first, last = group[0], group[-1]
            yield Hunk(first[1] + 1, first[3] + 1, old[first[1] : last[2]], new[first[3] : last[4]], signed)


def text(*lines: str) -> str:
    return "".join(line + "\n" for line in lines)


def pairs(change: Change, context: int = 1) -> Iterator[tuple[str, str]]:
    return (("\n".join(hunk.old), "\n".join(hunk.new)) for hunk in change.hunks(context))


def first_lines(change: Change) -> Iterator[tuple[str, str]]:
    for hunk in change.hunks(0):
        yield (hunk.old[0] if hunk.old else "^"), (hunk.new[0] if hunk.new else "")


def plain(data: bytes) -> bytes:
    """Return a text without what endings and marks of encodings may differ in."""
    return data.removeprefix(BOM).replace(b"\r\n", b"\n").rstrip(b"\n")
