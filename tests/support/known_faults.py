"""Faults of the library that the laws have found and that wait for a cure: to be emptied, not to be lengthened.

Texts on file that break a law are named here, and the law's test fails as soon as one of them no longer breaks it.
"""

from __future__ import annotations

KNOWN_FAULTS: dict[str, frozenset[str]] = {}
SLOW_TEXTS: frozenset[str] = frozenset()
SLOW_LINES: frozenset[str] = frozenset()
