"""In place of RE2: patterns of the installed rules run in `re`, compiled when they are used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


class Pattern:
    """A pattern that is compiled when it is used for the first time."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(_DIGITS.sub(_spell, self.pattern))
        self.match, self.search, self.fullmatch = compiled.match, compiled.search, compiled.fullmatch
        self.finditer, self.sub, self.split = compiled.finditer, compiled.sub, compiled.split
        return getattr(compiled, name)


_INSIDE = re.compile(r"\\.|\[\]?(?:\\.|[^\]\\])*\]")  # escapes and classes
_DIGITS = re.compile(r"\\x\{([0-9A-Fa-f]+)\}")


def _spell(match: re.Match[str]) -> str:
    return re.escape(chr(int(match[1], 16)))


def compile_pattern(pattern: str) -> Pattern:
    """Return the pattern."""
    return Pattern(pattern)


def compile_linear(pattern: str) -> Pattern:
    """Return the pattern."""
    return Pattern(pattern)


def substituter(pattern: Any, template: str, count: int) -> Callable[[str], str]:
    """Return what replaces a pattern in a line."""
    return lambda line: str(pattern.sub(template, line, count))


class LinearSet:
    """Many patterns searched for in one text, in the order in which they were given."""

    def __init__(self, patterns: list[str]) -> None:
        # `search` tries a pattern at each place of a line, also one that only its beginning can match.
        self._tests: list[Callable[[str], Any]] = []
        for pattern in patterns:
            compiled = compile_linear(pattern)
            self._tests.append(compiled.match if is_anchored(pattern) else compiled.search)

    def find(self, text: str) -> tuple[int, ...]:
        """Return the places of the patterns that occur in a text, least first."""
        return tuple([place for place, occurs in enumerate(self._tests) if occurs(text)])


def is_anchored(pattern: str) -> bool:
    """Return whether a pattern matches at the beginning of a text alone; False where that is not certain."""
    depth = 0
    for sign in _INSIDE.sub("", pattern):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        elif sign == "|" and depth == 0:
            return False
    return pattern.startswith("^")


class Sieve:
    """A pattern that is searched for in lines and in whole texts."""

    def __init__(self, pattern: str) -> None:
        # `re` has no categories. They are in negated classes alone, which then have more characters:
        # a sieve may find too much.
        self._search = compile_linear(pattern.replace(r"\p{L}", "")).search

    def may_occur(self, text: str) -> bool:
        """Return whether the pattern occurs in a text."""
        return self._search(text) is not None

    def lines(self, text: str) -> list[str]:
        """Return the lines in which the pattern occurs, without their line feeds."""
        lines = []
        end = 0
        match = self._search(text, end)
        while match:
            start = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.start()) + 1 or len(text)
            lines.append(text[start:end].removesuffix("\n"))
            match = self._search(text, end)
        return lines
