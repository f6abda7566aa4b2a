"""Faults of the library that the laws have found and that wait for a cure: to be emptied, never to be lengthened lightly.

Texts on file that break a law are named here, and the law's test fails as soon as one of them no longer breaks it.
Generated texts that would hit a known fault are left out by `is_sound`.
"""

from __future__ import annotations

KNOWN_FAULTS: dict[str, frozenset[str]] = {}


def is_sound(text: str) -> bool:
    """Whether a generated text avoids the known faults: lone surrogates, and lines of nothing but odd white space."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        return False
    return all(line.strip(" \t\r") == "" or line.strip() for line in text.split("\n"))
