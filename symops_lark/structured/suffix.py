"""The end of a prompt that asks for JSON, for models that cannot be held to a schema otherwise."""

from __future__ import annotations

import json

from .schemas import Schema


def prompt_suffix(schema: Schema) -> str:
    """Return what is put behind a prompt: a rule, one sentence, and the schema in a fence, indented by two."""
    shown = json.dumps(schema, ensure_ascii=False, indent=2)
    return (
        "\n\n---\n"
        "IMPORTANT: Answer with one JSON object that fits the schema below, and with nothing else: no fence, no "
        "comment, no other text before or after it.\n\n"
        f"```json\n{shown}\n```\n"
    )
