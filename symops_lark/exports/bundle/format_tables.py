"""The formats of other agents as exports carry them: the tables of a reader, without a writer's."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from ...core.formats.loading import format_tables
from ...core.formats.tools import load_tools
from ...core.grammar.loading import find_verbs

# What the bundle of a reader of formats has beside that of a dialect's parser.
READ_FORMAT = ("symops_lark.core.formats.documents", "read_format")
INCLUDED = frozenset(["core.other_formats.prefer_outer", "core.other_formats.prefer_outer_document"])


@cache
def write_formats() -> str:
    """Return the tables of all installed formats, and of the names of tools, as JSON."""
    formats = [_without_trees(data) for data in format_tables()]
    # A document in such a format has no dialect of its own.
    data = {"formats": formats, "tools": load_tools()._asdict(), "verbs": dict(find_verbs(""))}
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"))


def _without_trees(data: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a format without what only a writer needs."""
    sections = [{**section} for section in data["sections"]]
    for section in sections:
        del section["trees"]
    return {**data, "sections": sections, "shortest": {}}
