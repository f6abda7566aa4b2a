"""A definition that is asked about, and where names stand."""

from __future__ import annotations

from typing import NamedTuple

from .trees import Chain, Tree


class Sought(NamedTuple):
    """A definition that is asked about: where its name stands (lines and columns from 1), and what it is."""

    path: str
    line: int
    column: int
    kind: str
    within: str


def place_of(tree: Tree, chain: Chain) -> tuple[str, int, int]:
    """Return the file, line and column of the name at the end of a way."""
    row, offset = chain[-1].start_point
    begin = chain[-1].start_byte - offset
    return tree.path, row + 1, len(tree.data[begin : begin + offset].decode("utf-8", "replace")) + 1
