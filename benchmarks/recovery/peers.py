"""Peers' formats, each read by the peer's own parser; a peer that is not installed is left out.

Nothing here is needed by the project: `pip install json-repair baml-py pydantic` and
`pip install --no-deps aider-chat`. The parsers of BAML and aider are those of `benchmarks/baselines/`.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symops_lark.lab.benchmark.faults.contents import Content

from ..baselines.aider import parse_search_replace, parse_whole
from ..baselines.baml import make_parser
from .same_damage import Format, Got, Lost, Read, join


class Json:
    """A JSON array of {type, path, content}, indented by two blanks, read by one of its peers.

    None of them says what it repaired, so the alarm is that `json.loads` refuses the text.
    """

    info, foreign = "json", True

    def __init__(self, name: str, read: Callable[[str], list[tuple[str, str]]]) -> None:
        self.name, self._read = name, read

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Return the array; the opener and the closer of an item are the quotes of its content."""
        parts = []
        for number, item in enumerate(items):
            content = json.dumps(item.text, ensure_ascii=False)
            content = content[lost == (number, "opener") : len(content) - (lost == (number, "closer"))]
            keys = ['    "type": "create",', f'    "path": {json.dumps(item.path)},', f'    "content": {content}']
            parts.append("\n".join(indent + key for key in ("  {", *keys, "  }")))
        text, ends = join(parts, ",\n")
        return f"{indent}[\n{text}\n{indent}]\n", [end + len(indent) + 2 for end in ends]

    def read(self, text: str) -> Read:
        """Return what the peer finds."""
        try:
            json.loads(text)
            alarm = False
        except ValueError:
            alarm = True
        return Read([Got(path, content, alarm) for path, content in self._read(text)], alarm)


def load_json_repair() -> Json:
    """Return the array as json-repair reads it; objects are looked for one list deeper too."""
    loads = importlib.import_module("json_repair").loads

    def read(text: str) -> list[tuple[str, str]]:
        data = loads(text)
        objects: list[Any] = data if isinstance(data, list) else [data]
        flat = [deep for item in objects for deep in (item if isinstance(item, list) else [item])]
        matching_flat = (item for item in flat if isinstance(item, dict) and "path" in item)
        return [(str(item["path"]), str(item.get("content", ""))) for item in matching_flat]

    return Json("json-repair", read)


_SCHEMA = """
class Item {
  type string
  path string
  content string
}
"""


def load_baml() -> Json:
    """Return the array as BAML's schema-aligned parser reads it against Item[]."""
    parse = make_parser(_SCHEMA, "Item[]")
    return Json("BAML", lambda text: [(item.path, item.content) for item in parse(text)])


@dataclass(frozen=True)
class Aider:
    """One of aider's two formats, each item a new file: what stands before its opener, and around its content."""

    name: str
    parse: Callable[[str], list[tuple[str | None, str]]]
    before: tuple[str, ...] = ()
    opener: str = "```"
    divider: tuple[str, ...] = ()
    closer: str = "```"
    behind: tuple[str, ...] = ()
    info: str = ""
    foreign: bool = True

    def read(self, text: str) -> Read:
        """Return all files; one bad block makes aider refuse the reply, and it says nothing else."""
        return Read([Got(path, content) for path, content in self.parse(text) if path is not None])

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Return each item as a new file."""
        parts = []
        for number, item in enumerate(items):
            opener, closer = (
                () if lost == (number, side) else (line,)
                for side, line in (("opener", self.opener), ("closer", self.closer))
            )
            lines = [indent + line for line in (item.path, *self.before, *opener, *self.divider)]
            lines += [item.text, *(indent + line for line in (*closer, *self.behind))]
            parts.append("\n".join(lines) + "\n")
        return join(parts)


def load_search_replace() -> Aider:
    """Return search/replace blocks for new files, read by `find_original_update_blocks`."""
    parse_search_replace("")  # raises where aider is not installed
    marks = ("<<<<<<< SEARCH", ("=======",), ">>>>>>> REPLACE")
    return Aider("aider s/r", parse_search_replace, ("```",), *marks, ("```",))


def load_whole() -> Aider:
    """Return whole files, read by `WholeFileCoder.get_edits`."""
    parse_whole("")
    return Aider("aider whole", parse_whole)


PEERS: dict[str, Callable[[], Format]] = {
    "json-repair": load_json_repair,
    "BAML": load_baml,
    "aider s/r": load_search_replace,
    "aider whole": load_whole,
}


def installed() -> tuple[list[Format], list[str]]:
    """Return the peers that are installed, and the names of those that are not."""
    result, missing = [], []
    for name, load in PEERS.items():
        try:
            result.append(load())
        except Exception:  # noqa: BLE001  (not installed, or no longer as we know it)
            missing.append(name)
    return result, missing
