"""Load the JSON Schemas of this package: of JSON output, and of files that people write."""

from __future__ import annotations

import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .errors import SymOpsError
from .resources import find_folder

_PACKAGE = Path(__file__).resolve().parents[2]
# Within the package, beside the modules that write or read the JSON.
_FILES = {
    "document": "core/document.schema.json",
    "result": "core/result.schema.json",
    "event": "core/streaming/event.schema.json",
    "plan": "acting/plan.schema.json",
    "outcome": "acting/outcome.schema.json",
    "rule": "rule.schema.json",  # among the repair rules
    "rules": "answers/judgment/rules.schema.json",
    "manifest": "routing/manifests/manifest.schema.json",
    "tables": "exports/portable/tables.schema.json",
    "run": "agent/run.schema.json",
}
SCHEMAS = tuple(_FILES)


def schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12). It refers to no other schema.

    Args:
        name: "document", "result", "event", "plan" or "outcome" for the JSON of `to_dict`; "rule"
            for a file with a repair rule, "rules" for rules of judgment, "manifest" for that of a
            model, "tables" for the tables of a portable parser, "run" for an event of a run.

    Raises:
        SymOpsError: There is no schema of this name.
    """
    if name not in _FILES:
        matches = get_close_matches(name, SCHEMAS, 1)
        hint = f" (did you mean {matches[0]!r}?)" if matches else ""
        raise SymOpsError(f"there is no schema {name!r}; there are {', '.join(SCHEMAS)}{hint}")
    folder = find_folder("repair_rules") if name == "rule" else _PACKAGE
    text = (folder / _FILES[name]).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)  # a new one each time: callers may change it
    return schema
