"""The end of a prompt that asks for JSON, for models that cannot be held to a schema otherwise."""

from __future__ import annotations

import json

from ..regexes import compile_pattern
from .problems import Schema

_BACKTICKS = compile_pattern("`+")


def prompt_suffix(schema: Schema) -> str:
    """Return what is put behind a prompt: a rule, one sentence, and the schema in a fence, indented by two."""
    shown = json.dumps(schema, ensure_ascii=False, indent=2)
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(shown)), default=0))
    return (
        "\n\n---\n"
        "IMPORTANT: Answer with one JSON object that fits the schema below, and with nothing else: no fence, no "
        "comment, no other text before or after it.\n\n"
        f"{fence}json\n{shown}\n{fence}\n"
    )
