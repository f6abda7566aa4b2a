"""The formats of other agents as exports carry them: the tables of a reader, without a writer's."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ...core.formats.grammar import compile_format
from ...core.formats.tools import load_tools
from ...core.grammar.loading import find_verbs
from ...core.ground import resources


@cache
def write_formats() -> str:
    """Return the tables of all installed formats, and of the names of tools, as JSON."""
    folder = resources.find_folder("grammars") / "formats"
    formats = [_reading_data(path) for path in sorted(folder.glob("*.lark"))]
    # A document in such a format has no dialect of its own.
    data = {"formats": formats, "tools": load_tools()._asdict(), "verbs": dict(find_verbs(""))}
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"))


def _reading_data(path: Path) -> dict[str, Any]:
    data = compile_format(path).to_data()
    for section in data["sections"]:
        # Only a writer walks over the trees.
        del section["trees"]
    return {**data, "shortest": {}}
