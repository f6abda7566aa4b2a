"""Define what a path of a tree can hold, and the protocol of trees that plans look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from ...core.ground.members import coerce_members


class Kind(StrEnum):
    """The kind of file system object at a path; links are not followed."""

    MISSING = "missing"
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """The file system object at a path.

    Attributes:
        kind: Its kind.
        data: The bytes of a file. None for other kinds, and for files that were not read.
        mode: The permission bits of a file, without its type. None for other kinds.
        links: The number of names (hard links) of a file.
    """

    kind: Kind
    data: bytes | None = None
    mode: int | None = None
    # Not compared: names elsewhere may come and go, and the file is still the same.
    links: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        coerce_members(self)


class Tree(Protocol):
    """A view of the files below a root; it changes nothing."""

    def look(self, path: str) -> Entry:
        """Return the entry at a relative POSIX path; LINK if any part of the path is a link."""

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder (`""` is the root); empty if there is no such folder."""
