"""What is found at the paths of a tree: the words in which a folder is seen, before anything is known of changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from ...core.ground.members import coerce_members


class Kind(StrEnum):
    """What stands at a path; links are not followed."""

    MISSING = "missing"
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands at a path: its kind, and for a file its bytes, its permission bits and the number of its names."""

    kind: Kind
    data: bytes | None = None
    mode: int | None = None
    links: int = field(default=1, compare=False)  # others may come and go, and the file is the same

    def __post_init__(self) -> None:
        coerce_members(self)


class Tree(Protocol):
    """A view of the files below a root; it changes nothing."""

    def look(self, path: str) -> Entry:
        """Return what stands at a relative POSIX path; links on the way are not followed (then it is a LINK)."""

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder (`""` is the root); none if there is no such folder."""
