"""Peers' formats, each read by the peer's own parser; a peer that is not installed is left out.

Nothing here is needed by the project: `pip install json-repair baml-py pydantic` and
`pip install --no-deps aider-chat`. The parsers of BAML and aider are those of `benchmarks/baselines/`.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any

from symops_lark.compliance.faults.documents import Content

from ..baselines.aider import parse_search_replace, parse_whole
from ..baselines.baml import make_parser
from .same_damage import Format, Got, Lost, join


class _Json:
    """A JSON array of {type, path, content}, indented by two blanks."""

    info = "json"

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Write the array; the opener and the closer of an item are the quotes of its content."""
        parts = []
        for number, item in enumerate(items):
            content = json.dumps(item.text, ensure_ascii=False)
            if lost == (number, "opener"):
                content = content[1:]
            elif lost == (number, "closer"):
                content = content[:-1]
            keys = [
                "  {",
                '    "type": "create",',
                f'    "path": {json.dumps(item.path)},',
                f'    "content": {content}',
                "  }",
            ]
            parts.append("\n".join(indent + key for key in keys))
        text, ends = join(parts, ",\n")
        return f"{indent}[\n{text}\n{indent}]\n", [end + len(indent) + 2 for end in ends]


class JsonRepair(_Json):
    """The array, read by json-repair."""

    name = "json-repair"

    def __init__(self) -> None:
        self._loads = importlib.import_module("json_repair").loads

    def read(self, text: str) -> list[Got]:
        """Read by `json_repair.loads`; objects are looked for one list deeper too."""
        found = self._loads(text)
        objects: list[Any] = found if isinstance(found, list) else [found]
        flat = [deep for item in objects for deep in (item if isinstance(item, list) else [item])]
        return [
            Got(str(item["path"]), str(item.get("content", "")))
            for item in flat
            if isinstance(item, dict) and "path" in item
        ]


_SCHEMA = """
class Item {
  type string
  path string
  content string
}
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
function Read(x: string) -> Item[] {
  client Nobody
  prompt #"{{ x }} {{ ctx.output_format }}"#
}
"""


class Baml(_Json):
    """The array, read by BAML's schema-aligned parser against Item[]."""

    name = "BAML"

    def __init__(self) -> None:
        self._parse = make_parser(_SCHEMA)

    def read(self, text: str) -> list[Got]:
        """Read by `parse_llm_response`."""
        return [Got(item.path, item.content) for item in self._parse(text)]


class _Aider:
    """What aider's two formats share: a path, a fence, marker lines."""

    info = ""
    parse: Callable[[str], list[tuple[str | None, str]]]

    def __init__(self) -> None:
        self.parse("")  # raises where aider is not installed

    def read(self, text: str) -> list[Got]:
        """Read all files; one bad block makes aider refuse the reply."""
        return [Got(path, content) for path, content in self.parse(text) if path is not None]

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Write each item as a new file."""
        parts = []
        for number, item in enumerate(items):
            opener, closer = self.delimiters()
            opener = [] if lost == (number, "opener") else opener
            closer = [] if lost == (number, "closer") else closer
            lines = [indent + line for line in (item.path, *self.before(), *opener, *self.divider())]
            lines += [item.text, *(indent + line for line in (*closer, *self.behind()))]
            parts.append("\n".join(lines) + "\n")
        return join(parts)

    def delimiters(self) -> tuple[list[str], list[str]]:
        """The lines that open and close an item."""
        return ["```"], ["```"]

    def before(self) -> list[str]:
        """The lines between the path and the opener."""
        return []

    def divider(self) -> list[str]:
        """The lines between the opener and the content."""
        return []

    def behind(self) -> list[str]:
        """The lines behind the closer."""
        return []


class AiderSearchReplace(_Aider):
    """Search/replace blocks for new files, read by `find_original_update_blocks`."""

    name = "aider s/r"
    parse = staticmethod(parse_search_replace)

    def delimiters(self) -> tuple[list[str], list[str]]:
        """The SEARCH line and the REPLACE line."""
        return ["<<<<<<< SEARCH"], [">>>>>>> REPLACE"]

    def before(self) -> list[str]:
        """A fence opens the block."""
        return ["```"]

    def divider(self) -> list[str]:
        """The line between what is searched and what replaces it."""
        return ["======="]

    def behind(self) -> list[str]:
        """A fence closes the block."""
        return ["```"]


class AiderWhole(_Aider):
    """Whole files, read by `WholeFileCoder.get_edits`."""

    name = "aider whole"
    parse = staticmethod(parse_whole)


def installed() -> tuple[list[Format], list[str]]:
    """Return the peers that are installed, and the names of those that are not."""
    found: list[Format] = []
    missing = []
    for peer in (JsonRepair, Baml, AiderSearchReplace, AiderWhole):
        try:
            found.append(peer())
        except Exception:  # not installed, or no longer as we know it
            missing.append(peer.name)
    return found, missing
