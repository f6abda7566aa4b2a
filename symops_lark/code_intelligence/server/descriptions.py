"""The tools and prompts as clients see them, for whichever version of the SDK."""

from __future__ import annotations

from typing import Any

from .arguments import input_schema
from .prompts import PROMPTS
from .tools import TOOLS


def describe_tools() -> list[dict[str, Any]]:
    """Return the tools as clients see them, as JSON."""
    return [
        {
            "name": name,
            "title": tool.title(),
            "description": tool.description(),
            "inputSchema": input_schema(tool),
            "annotations": {
                "title": tool.title(),
                "readOnlyHint": tool.only_reads,
                "destructiveHint": False,
                "idempotentHint": tool.only_reads,
                "openWorldHint": False,
            },
        }
        for name, tool in TOOLS.items()
    ]


def describe_prompts() -> list[dict[str, Any]]:
    """Return the prompts as clients see them, as JSON."""
    return [
        {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [
                {"name": name, "description": told, "required": True} for name, told in prompt.arguments.items()
            ],
        }
        for prompt in PROMPTS.values()
    ]
