"""Whether a short reply says that the model will not answer; how that is worded is data, and anybody's to extend."""

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


class RefusalError(SymOpsError):
    """A file of refusals is wrong; the message says where."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """How refusals are worded: RE2 patterns, and how many characters a refusal has at most."""

    patterns: tuple[str, ...]
    longest: int = 600

    def __add__(self, other: Refusals) -> Refusals:
        """Return both, the longer limit of the two."""
        return Refusals((*self.patterns, *other.patterns), max(self.longest, other.longest))

    def find(self, text: str) -> str | None:
        """Return the words of a reply by which it refuses; None if it is no refusal, or too long to be one."""
        body = without_thinking(text).strip()
        if not body or len(body) > self.longest or not is_encodable(body):
            return None
        found = (match for pattern in self.patterns if (match := _compile(pattern).search(body)))
        return next((str(match.group(0)) for match in found), None)


@cache
def our_refusals() -> Refusals:
    """Return the refusals that come with the package, English and Japanese."""
    return load_refusals(_OURS)


def load_refusals(path: str | Path) -> Refusals:
    """Return the refusals of a YAML file; raise `RefusalError` with file, line and column if it is wrong."""
    file = YamlFile(path, "file of refusals", RefusalError, known=("patterns", "longest"))
    file.check_keys((), ("patterns",), ("longest",))
    longest = file.data.get("longest", 600)
    if isinstance(longest, bool) or not isinstance(longest, int) or longest < 1:
        raise file.fail(("longest",), "longest is a whole number of characters, 1 or more")
    languages = file.data["patterns"]
    if not isinstance(languages, dict):
        raise file.fail(("patterns",), "patterns is a mapping from languages to lists of patterns")
    patterns = []
    for language, listed in languages.items():
        if not isinstance(listed, list):
            raise file.fail(("patterns", str(language)), "a list of patterns is expected")
        for number, pattern in enumerate(listed):
            keys = ("patterns", str(language), str(number))
            if not isinstance(pattern, str) or not pattern:
                raise file.fail(keys, "a pattern is a text")
            try:
                _compile(pattern)
            except PatternError as error:
                raise file.fail(keys, f"not a pattern of RE2's: {error}") from None
            patterns.append(pattern)
    return Refusals(tuple(patterns), longest)


def find_refusal(text: str, refusals: Refusals | None = None) -> str | None:
    """Return the words by which a reply refuses to answer; None if it does not, by ours or by `refusals`."""
    return (our_refusals() if refusals is None else refusals).find(text)


@cache
def _compile(pattern: str) -> Any:
    return compile_linear("(?is)" + pattern.replace(" ", r"\s+").replace("'", "['’]"))
