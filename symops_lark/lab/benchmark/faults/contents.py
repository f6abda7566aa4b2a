"""The contents of files that documents are made of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from ....core.ground.resources import find_folder


@dataclass(frozen=True)
class Content:
    """A file content with a plausible path."""

    path: str
    text: str


@cache
def real_contents() -> tuple[Content, ...]:
    """Return the contents that come from real replies."""
    file = find_folder("benchmarks/contents") / "real.jsonl"
    # Not `splitlines`: contents have further characters that end a line there.
    rows = file.read_text(encoding="utf-8").split("\n")
    items = [json.loads(row) for row in rows if row]
    return tuple(Content(item["path"], item["content"]) for item in items)


@cache
def hard_contents() -> tuple[Content, ...]:
    """Return the handwritten contents that are full of markup."""
    path = find_folder("benchmarks/contents") / "hard.txt"
    # Some contents have CRLF, which `read_text` would change.
    text = path.read_bytes().decode("utf-8")
    contents = []
    for part in text.split("\n%%%%%%%% ")[1:]:
        title, _, content = part.removesuffix("\n%%%%%%%%\n").partition("\n")
        contents.append(Content(title.split(" | ")[0], content))
    return tuple(contents)
