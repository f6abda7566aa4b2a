"""In place of what tells most lines quickly from those that may stand for code: all are matched."""

from __future__ import annotations

from collections.abc import Iterator

from ...validator.left_out import _ELISION, surely_stands_for_code


def _elides(head: str) -> bool:
    return _ELISION.match(head) is not None


def find_left_out(content: str) -> Iterator[tuple[int, str]]:
    """Yield the lines, numbered from 1, that surely stand for code that was left out."""
    for number, line in enumerate(content.split("\n"), 1):
        if surely_stands_for_code(line):
            yield number, line.strip()
