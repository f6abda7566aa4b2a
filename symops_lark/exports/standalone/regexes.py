"""Run the patterns of rules with `re` instead of RE2, and compile them on first use."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


class Pattern:
    """A pattern that is compiled when it is used for the first time."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(_CODE_POINT.sub(_spell, self.pattern))
        # Python calls `__getattr__` only for missing attributes, so later calls are plain ones.
        for method in ("match", "search", "fullmatch", "finditer", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


# Escapes and classes, whose signs do not group.
_ATOM = re.compile(r"\\.|\[\]?(?:\\.|[^\]\\])*\]")
_CODE_POINT = re.compile(r"\\x\{([0-9A-Fa-f]+)\}")


def _spell(match: re.Match[str]) -> str:
    return re.escape(chr(int(match[1], 16)))


def compile_pattern(pattern: str) -> Pattern:
    """Return the pattern."""
    return Pattern(pattern)


# `re` gives no guarantee of linear time: the export checks patterns of rules before.
def compile_linear(pattern: str) -> Pattern:
    """Return the pattern."""
    return Pattern(pattern)


def substituter(pattern: Any, template: str, count: int) -> Callable[[str], str]:
    """Return a function that replaces a pattern in a line.

    Args:
        pattern: The compiled pattern.
        template: The replacement.
        count: The maximum number of replacements; 0: no maximum.
    """
    return lambda line: str(pattern.sub(template, line, count))


class LinearSet:
    """Patterns that are searched for in one text."""

    def __init__(self, patterns: list[str]) -> None:
        # `search` tries each offset of a line, also for patterns that only its beginning can match.
        self._tests: list[Callable[[str], Any]] = []
        for pattern in patterns:
            compiled = compile_linear(pattern)
            self._tests.append(compiled.match if is_anchored(pattern) else compiled.search)

    def find(self, text: str) -> tuple[int, ...]:
        """Return the indexes of the patterns that occur in a text, in order."""
        return tuple([index for index, occurs in enumerate(self._tests) if occurs(text)])


def is_anchored(pattern: str) -> bool:
    """Return whether a pattern matches only at the beginning of a text; False if unsure."""
    depth = 0
    for sign in _ATOM.sub("", pattern):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        elif sign == "|" and depth == 0:
            return False
    return pattern.startswith("^")


class Sieve:
    """A pattern that is searched for in lines and in texts."""

    def __init__(self, pattern: str) -> None:
        # `re` has no categories. They occur only in negated classes, which have more characters
        # without them: a sieve may find too many lines.
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
