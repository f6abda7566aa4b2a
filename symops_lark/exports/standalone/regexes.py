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
        self._patterns: list[Pattern] = [compile_linear(pattern) for pattern in patterns]

    def find(self, text: str) -> tuple[int, ...]:
        """Return the places of the patterns that occur in a text, least first."""
        return tuple([at for at, pattern in enumerate(self._patterns) if pattern.search(text)])
