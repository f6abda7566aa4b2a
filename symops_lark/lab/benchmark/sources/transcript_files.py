"""The files of recorded replies: their names, their texts, and the facts beside them."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ....core.ground.errors import SymOpsError
from ....core.replies.messages import Finish
from ....core.text.source import BOM
from ..formats import tell_refusal

FACTS = ("format", "task", "model", "finish")
SIDECARS = (".toml", ".json")  # the endings of files with the facts about a reply
# Cached: a folder may have thousands of replies in one format.
refuse = cache(tell_refusal)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One recorded reply.

    Attributes:
        name: The name of the reply, if it has no task.
        place: The file, with the line if it has several replies.
        text: The reply; None if it cannot be read.
        reason: The reason why it cannot be read.
        facts: The format, the task, the model and the finish, if they are known.
    """

    name: str
    place: str
    text: str | None
    reason: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


def walk(folder: Path) -> Iterator[tuple[str, Path, bool]]:
    """Yield each file and link below a folder: its name, its path, whether it is a link."""
    for entry in os.scandir(folder):
        path = folder / entry.name
        if entry.name.startswith("."):
            continue
        # A junction is a link of Windows, which Python 3.12 recognizes.
        if entry.is_symlink() or getattr(path, "is_junction", bool)():
            yield entry.name, path, True
        elif entry.is_dir(follow_symlinks=False):
            for name, inner, is_link in walk(path):
                yield f"{entry.name}/{name}", inner, is_link
        elif entry.is_file(follow_symlinks=False):
            yield entry.name, path, False


def printable(name: str) -> str:
    r"""Return a name that can be encoded: an undecoded byte is `\xff`, half a pair `\ud800`."""
    text = ""
    for character in name:
        # Python keeps a byte of a file name that is not UTF-8 as a low surrogate.
        if "\udc80" <= character <= "\udcff":
            text += f"\\x{ord(character) - 0xDC00:02x}"
        else:
            text += character
    return text.encode("utf-8", "backslashreplace").decode()


def sidecars(path: Path) -> Iterator[Path]:
    """Yield the files that may have the facts about a reply: for `a.txt`, `a.toml` comes first."""
    for ending in SIDECARS:
        yield path.with_suffix(ending)
        yield Path(f"{path}{ending}")


def decode(data: bytes, name: str, place: str, facts: Mapping[str, str]) -> Transcript:
    """Return the reply of a file.

    Args:
        data: The content of the file.
        name: The name of the reply.
        place: The file, as it is named in messages.
        facts: The facts about the reply.
    """
    try:
        return Transcript(name, place, data.decode("utf-8"), facts=facts)
    except UnicodeDecodeError as error:
        # An editor shows lines, and a tool for bytes shows offsets.
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start} (line {line})"
        return Transcript(name, place, None, reason, facts)


def load_sidecar(path: Path) -> dict[str, Any]:
    """Return the facts in a file beside a reply, unchecked.

    Raises:
        SymOpsError: The file cannot be read, or has no object.
    """
    # As for replies: a link may lead to a private file.
    if path.is_symlink():
        raise SymOpsError(
            f"{printable(str(path))}: a link is not followed: put a copy of the file there"
        )
    try:
        text = path.read_text(encoding="utf-8").removeprefix(BOM)
        value = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise SymOpsError(f"{path}: cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise SymOpsError(f"{path}: this is not an object with {', '.join(FACTS)}")
    return value


def check_facts(value: Mapping[str, Any], where: str) -> dict[str, str]:
    """Return the facts about a reply.

    Raises:
        SymOpsError: A fact has a wrong value; the message begins with `where`.
    """
    facts = {}
    for name in FACTS:
        fact = value.get(name)
        if fact is None:
            continue
        if not isinstance(fact, str) or not fact:
            raise SymOpsError(f"{where}: {name!r} is {json.dumps(fact)}; it must be a text")
        facts[name] = printable(fact)
    if facts.get("finish", "stop") not in {str(finish) for finish in Finish}:
        raise SymOpsError(
            f"{where}: 'finish' is {facts['finish']!r}; there are {', '.join(map(str, Finish))}"
        )
    reason = refuse(facts.get("format", "v2"))
    if reason:
        raise SymOpsError(f"{where}: {reason}")
    return facts
