"""Detect short replies in which the model refuses to answer.

The wordings are data (`refusals.yaml`), which callers can extend.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.patterns.regexes import PatternError, compile_linear, is_encodable
from ...core.text.yaml_file import YamlFile
from .candidates import without_thinking

_OURS = Path(__file__).with_name("refusals.yaml")
_MAX_LENGTH = 600  # characters; a longer reply that has such words usually also answers


class RefusalError(SymOpsError):
    """A file of refusals is invalid; the message has the place."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Wordings of refusals.

    Attributes:
        patterns: Patterns in the syntax of RE2.
        longest: The maximum length of a refusal in characters.
    """

    patterns: tuple[str, ...]
    longest: int = _MAX_LENGTH

    def __add__(self, other: Refusals) -> Refusals:
        """Return both, with the longer limit."""
        patterns = (*self.patterns, *other.patterns)
        return Refusals(patterns, max(self.longest, other.longest))

    def find(self, text: str) -> str | None:
        """Return the words of a reply that refuse; None if it does not refuse, or is too long."""
        body = without_thinking(text).strip()
        if not body or len(body) > self.longest or not is_encodable(body):
            return None
        for pattern in self.patterns:
            match = _compile(pattern).search(body)
            if match is not None:
                return str(match.group(0))
        return None


@cache
def our_refusals() -> Refusals:
    """Return the refusals of the package, in English and Japanese."""
    return load_refusals(_OURS)


def load_refusals(path: str | Path) -> Refusals:
    """Return the refusals of a YAML file.

    Raises:
        RefusalError: The file is invalid; the message has its name, line and column.
    """
    file = YamlFile(path, "file of refusals", RefusalError, known=("patterns", "longest"))
    file.check_keys((), ("patterns",), ("longest",))
    longest = file.data.get("longest", _MAX_LENGTH)
    if isinstance(longest, bool) or not isinstance(longest, int) or longest < 1:
        raise file.fail(("longest",), "longest is a whole number of characters, 1 or more")
    languages = file.data["patterns"]
    if not isinstance(languages, dict):
        raise file.fail(("patterns",), "patterns is a mapping from languages to lists of patterns")
    patterns = []
    for language, listed in languages.items():
        keys = ("patterns", str(language))
        if not isinstance(listed, list):
            raise file.fail(keys, "a list of patterns is expected")
        for index, pattern in enumerate(listed):
            place = (*keys, str(index))
            if not isinstance(pattern, str) or not pattern:
                raise file.fail(place, "a pattern is a text")
            try:
                _compile(pattern)
            except PatternError as error:
                raise file.fail(place, f"not a pattern of RE2's: {error}") from None
            patterns.append(pattern)
    return Refusals(tuple(patterns), longest)


def find_refusal(text: str, refusals: Refusals | None = None) -> str | None:
    """Return the words with which a reply refuses to answer; None if it does not.

    Args:
        text: The reply.
        refusals: The wordings; None: those of the package.
    """
    if refusals is None:
        refusals = our_refusals()
    return refusals.find(text)


@cache
def _compile(pattern: str) -> Any:
    # Line breaks and typographic apostrophes are also blanks and apostrophes.
    spaced = pattern.replace(" ", r"\s+")
    return compile_linear("(?is)" + spaced.replace("'", "['’]"))
