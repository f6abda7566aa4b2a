"""How the lines of a reply end: with line feeds, with CRLF, or mixed. None of it is a mistake.

Invariant: the ending of a line depends on its letters and digits only, not on its place or on the
signs that a mistake adds. So the endings of an expected content are those it has in the reply.
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
    """Line endings: one of `NAMES`, and a key that decides about each line if they are mixed."""

    name: str = "LF"
    key: str = ""

    def write(self, text: str) -> str:
        """Return a text with these endings instead of line feeds."""
        if self.name == "LF":
            return text
        *lines, last = text.split("\n")
        return "".join(line + self._end(line) for line in lines) + last

    def expect(
        self, text: str, expected: Iterable[Expected], *, foreign: bool = False
    ) -> list[Expected]:
        """Return the expected actions of a text that is written with these endings.

        A content has the endings of its lines in the text. A content that the text writes
        differently, for example with escapes, keeps its endings. Between tags, the first or last
        line of a content is another line of the text: then both endings are accepted.

        Args:
            text: The text, with line feeds.
            expected: The expected actions, with line feeds.
            foreign: Whether the format may have a rule for line endings. Then line feeds are
                accepted as well.
        """
        if self.name == "LF":
            return list(expected)
        cores = set(map(_core, text.split("\n")))

        def write(contents: tuple[str | None, ...]) -> tuple[str | None, ...]:
            variants = []
            for content in contents:
                variants += self._variants(content, cores)
            if foreign:
                variants += contents
            return tuple(dict.fromkeys(variants))

        return [
            replace(item, contents=write(item.contents), wholes=write(item.wholes))
            for item in expected
        ]

    def _variants(self, content: str | None, cores: set[str]) -> list[str | None]:
        """Return the acceptable forms of a content in a text with lines of some cores."""
        if not content:
            return [content]
        own_cores = [core for core in map(_core, content.split("\n")) if core]
        # Escaped or otherwise changed: most of its lines are not lines of the text.
        if 2 * sum(core in cores for core in own_cores) < len(own_cores):
            return [content]
        text = self.write(content)
        is_complete = not own_cores or (own_cores[0] in cores and own_cores[-1] in cores)
        return [text] if is_complete else [text, *_vary_ends(text)]

    def _end(self, line: str) -> str:
        # A line that ends with a carriage return would get two of them.
        has_return = not line.endswith("\r") and self._has_return(_core(line))
        return "\r\n" if has_return else "\n"

    def _has_return(self, core: str) -> bool:
        return self.name == "CRLF" or _draw(self.key, core)


@dataclass(frozen=True, slots=True)
class RecordedEndings(Endings):
    """Endings of a recorded text that has both; `cores` are of the lines that end with CRLF."""

    cores: frozenset[str] = frozenset()

    def _has_return(self, core: str) -> bool:
        return core in self.cores


LINE_FEEDS = Endings()


def recorded_endings(text: str) -> Endings:
    """Return the endings of a recorded text, which Git or a server may have changed."""
    *lines, _ = text.split("\n")
    with_return = [line for line in lines if line.endswith("\r")]
    if not with_return:
        return LINE_FEEDS
    if len(with_return) == len(lines):
        return Endings("CRLF")
    return RecordedEndings("mixed", cores=frozenset(map(_core, with_return)))


def nth_endings(number: int, key: str) -> Endings:
    """Return the endings of a numbered case; each third of the cases has the same."""
    return Endings(NAMES[number % len(NAMES)], key)


def draw_endings(key: str) -> Endings:
    """Return random endings, each with the same probability."""
    return Endings(random.Random(f"{key}/line endings").choice(NAMES), key)


def _vary_ends(content: str) -> Iterator[str]:
    """Yield a content with each ending of its first line and each of its last."""
    *lines, last = content.split("\n")
    if not lines:
        return
    for endings in product(("", "\r"), repeat=2):
        # If there is one line only, it is both the first and the last.
        for place, ending in zip((0, -1), endings, strict=True):
            lines[place] = lines[place].removesuffix("\r") + ending
        yield "\n".join((*lines, last))


@lru_cache(maxsize=4096)  # the replies of all formats have the same lines
def _draw(key: str, core: str) -> bool:
    # Not `random`: one bit is needed for each line, and a seed takes longer than a hash.
    text = f"{key}/{core}".encode("utf-8", "surrogatepass")
    return bool(hashlib.sha256(text).digest()[0] & 1)


@lru_cache(maxsize=4096)
def _core(line: str) -> str:
    """Return the letters and digits of a line, which no mistake changes."""
    return "".join(filter(str.isalnum, line))
