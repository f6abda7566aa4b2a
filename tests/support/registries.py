"""Registries that prove their members: what a proof is, and how one that cannot be made here is reported.

A registry of this package is a table or a folder that one thing more can be added to. Each has one proof, which runs
a member as its users do. The proof of a member that does nothing must fail, so a registry whose proof is too weak to
notice that is a registry without a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

NOT_PROVED = "not proved"  # the property of a test by which the end of a run names the member


class NotProvedError(Exception):
    """A member cannot be proved on this machine: the message says what is missing."""


@dataclass(frozen=True)
class Registry:
    """One registry of the package.

    Attributes:
        name: What its members are called, in the plural.
        members: The members by name, as the package itself finds them.
        noop: Returns a member in the place of the given one that does nothing.
        prove: Runs a member of a name, in an empty folder. It raises `AssertionError` where the member does not do
            what it is there for, and `NotProvedError` where this machine lacks what the proof needs.
    """

    name: str
    members: Mapping[str, Any]
    noop: Callable[[Any], Any]
    prove: Callable[[str, Any, Path], None]
    slow: tuple[str, ...] = ()

    def prove_member(self, name: str, folder: Path) -> None:
        """Prove the member of a name as the package has it, in an empty folder.

        Raises:
            AssertionError: The member does not do what it is there for.
            NotProvedError: This machine lacks what the proof needs.
        """
        assert name in self.members
        self.prove(name, self.members[name], folder)


@contextmanager
def in_place_of(table: Any, name: str, member: Any) -> Iterator[None]:
    """Put a member into a table of the package for a while, so that the public functions find it there."""
    with patch.dict(table, {name: member}):
        yield
