"""Write the tables of the formats of other agents for exports, which only read these formats."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from ...core.formats.loading import format_tables
from ...core.formats.tools import load_tools
from ...core.grammar.loading import find_verbs

# An additional entry of the bundles that read these formats, and definitions that they include.
READ_FORMAT = ("symops_lark.core.formats.documents", "read_format")
INCLUDED = frozenset(
    ["core.other_formats.prefer_outer", "core.other_formats.prefer_outer_document"]
)


@cache
def write_formats() -> str:
    """Return the tables of all installed formats and of the names of tools, as JSON."""
    data = {
        "formats": list(map(_without_trees, format_tables())),
        "tools": load_tools()._asdict(),
        # A document in such a format has the verbs of no dialect.
        "verbs": dict(find_verbs("")),
    }
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"))


def _without_trees(data: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a format without the parts that only a writer needs."""
    sections = [dict(section) for section in data["sections"]]
    for section in sections:
        del section["trees"]
    return {**data, "sections": sections, "shortest": {}}
