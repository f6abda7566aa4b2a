"""Check: classes of characters that Python may read differently in a later version."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from ....core.patterns.re_syntax import parse_pattern
from .report import Finding
from .subject import Subject

_SLASH = re.compile(r"\\/")


def find_nested_sets(subject: Subject) -> Iterator[Finding]:
    """A class has `[`, `--`, `&&`, `||` or `~~`, which other engines read as a set of sets."""
    for word in subject.statements.words:
        if word.kind != "regex":
            continue
        body, _, letters = word.text[1:].rpartition("/")
        flags = re.VERBOSE if "x" in letters else 0
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FutureWarning)
            # `re.compile` warns only of the first of equal patterns.
            parse_pattern(body.replace("\\/", "/"), flags)
        for warning in caught:
            reason, _, position = str(warning.message).partition(" at position ")
            at = int(position) if position.isdigit() else 0
            # In the grammar, each slash before it has a backslash.
            for slash in _SLASH.finditer(body):
                at += slash.start() < at
            yield subject.warn(
                "nested-set",
                f"{reason[:1].lower()}{reason[1:]}: Python takes these signs literally, other "
                "engines do not",
                word.start + 1 + min(at, len(body)),
                hint="write a backslash before the first of these signs; there are no classes such "
                "as `[:alpha:]`",
            )
