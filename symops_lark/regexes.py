"""Regular expressions: the one place where patterns are compiled, by `re` for ours and by RE2 for those of rules.

RE2 takes time linear in the text whatever the pattern, so a user's rule cannot hang the program. Patterns of ours are
written in classes that name their characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

Pattern = re.Pattern[str]
Match = re.Match[str]
escape = re.escape


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str) -> Pattern:
    """Return the compiled pattern."""
    return re.compile(pattern)


class PatternError(ValueError):
    """RE2 does not take a pattern; the message says why."""


def compile_linear(pattern: str) -> Any:
    """Return the pattern compiled by RE2; raise `PatternError` with RE2's reason."""
    import re2

    try:
        return re2.compile(pattern, _quiet())
    except re2.error as error:
        said = error.args[0]
        raise PatternError(said.decode() if isinstance(said, bytes) else str(said)) from None


class LinearSet:
    """Many patterns searched for in one pass of RE2, in the order in which they were given."""

    def __init__(self, patterns: list[str]) -> None:
        import re2

        self._set = re2.Set.SearchSet(_quiet()) if patterns else None
        if self._set is not None:
            for pattern in patterns:
                self._set.Add(pattern)
            self._set.Compile()

    def find(self, text: str) -> tuple[int, ...]:
        """Return the places of the patterns that occur in a text, least first."""
        return () if self._set is None else tuple(sorted(self._set.Match(text) or ()))


def is_encodable(text: str) -> bool:
    """Return whether RE2 can read a text: it takes UTF-8, which has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _quiet() -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    return options
