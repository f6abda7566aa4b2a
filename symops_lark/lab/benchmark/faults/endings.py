"""How the lines of a reply end, which is no mistake: with line feeds, with CRLF, or now so, now so.

Law: a line ends in the same way wherever it stands and whatever signs a mistake puts around it, so that a content can
be asked for with the endings that the reply has there.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from .mistakes import Expected

NAMES = ("LF", "CRLF", "mixed")


@dataclass(frozen=True, slots=True)
class Endings:
    """One of `NAMES`; the `key` decides which lines end how where they are mixed."""

    name: str = "LF"
    key: str = ""

    def write(self, text: str) -> str:
        """Return a text of lines that end with line feeds with these endings."""
        if self.name == "LF":
            return text
        *lines, last = text.split("\n")
        return "".join(line + self._end(line) for line in lines) + last

    def expect(self, text: str, expected: Iterable[Expected], *, foreign: bool = False) -> list[Expected]:
        """Return what must come out of a text that is written with these endings, and is given without them.

        A content has the endings of its lines in the text; one that the text spells otherwise, such as in escapes, has
        its own. The first or the last line of one that stands between tags is another line of the text: both endings
        are right. A `foreign` format may have a rule of its own for ends of lines: there line feeds are right as well.
        """
        shown = {_core(line) for line in text.split("\n")} if self.name != "LF" else set()

        def write(contents: tuple[str | None, ...]) -> tuple[str | None, ...]:
            found = [each for content in contents for each in self._written(content, shown)]
            return tuple(dict.fromkeys((*found, *contents) if foreign else found))

        return [replace(item, contents=write(item.contents), wholes=write(item.wholes)) for item in expected]

    def _written(self, content: str | None, shown: set[str]) -> list[str | None]:
        if not content:
            return [content]
        cores = [core for line in content.split("\n") if (core := _core(line))]
        if 2 * sum(core in shown for core in cores) < len(cores):
            return [content]
        whole = not cores or (cores[0] in shown and cores[-1] in shown)
        return [self.write(content), *(() if whole or self.name == "LF" else _turn(self.write(content)))]

    def _end(self, line: str) -> str:
        if line.endswith("\r"):
            return "\n"
        return "\r\n" if self.name == "CRLF" or _draw(self.key, _core(line)) else "\n"


@dataclass(frozen=True, slots=True)
class RecordedEndings(Endings):
    """Endings of a recorded text that has both; `cores` are those of its lines that end with CRLF."""

    cores: frozenset[str] = frozenset()

    def _end(self, line: str) -> str:
        return "\r\n" if _core(line) in self.cores and not line.endswith("\r") else "\n"


LINE_FEEDS = Endings()


def recorded_endings(text: str) -> Endings:
    """Return the endings of a recorded text: what checks files out, or sends them, may have changed them all."""
    *lines, _ = text.split("\n")
    ended = [line for line in lines if line.endswith("\r")]
    if not ended:
        return LINE_FEEDS
    if len(ended) == len(lines):
        return Endings("CRLF")
    return RecordedEndings("mixed", cores=frozenset(map(_core, ended)))


def nth_endings(number: int, key: str) -> Endings:
    """Return the endings of the n-th of some cases, of which each third has others."""
    return Endings(NAMES[number % len(NAMES)], key)


def draw_endings(key: str) -> Endings:
    """Return endings drawn from a key, each as often as the others."""
    return Endings(random.Random(f"{key}/line endings").choice(NAMES), key)


def _turn(content: str) -> Iterator[str]:
    """Yield a content with each ending of its first line and each of its last."""
    *lines, rest = content.split("\n")
    for endings in product(("", "\r"), repeat=2) if lines else ():
        for place, ending in zip((0, -1), endings, strict=True):
            lines[place] = lines[place].removesuffix("\r") + ending
        yield "\n".join((*lines, rest))


@lru_cache(maxsize=4096)  # a line stands in the replies of all formats
def _draw(key: str, core: str) -> int:
    return hashlib.sha256(f"{key}/{core}".encode("utf-8", "surrogatepass")).digest()[0] & 1


@lru_cache(maxsize=4096)
def _core(line: str) -> str:
    """Return what is left of a line whatever signs stand around it."""
    return "".join(filter(str.isalnum, line))
