"""The JSON Schemas of what is written as JSON, and of files that people write; each stands by itself."""

from __future__ import annotations

import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .errors import SymOpsError
from .resources import find_folder

_PACKAGE = Path(__file__).resolve().parents[2]
_FILES = {
    "document": "core/document.schema.json",
    "result": "core/result.schema.json",
    "plan": "acting/plan.schema.json",
    "outcome": "acting/outcome.schema.json",
    "rule": "rule.schema.json",  # among the repair rules
    "rules": "answers/judgment/rules.schema.json",
    "manifest": "routing/manifests/manifest.schema.json",
}
SCHEMAS = tuple(_FILES)


def schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12), which needs no other.

    `name` is document, result, plan or outcome, of which `to_dict` writes JSON; or a file's: rule (a repair rule),
    rules (of judgment), manifest (of a model). Raises `SymOpsError` if there is none of this name.
    """
    if name not in _FILES:
        near = get_close_matches(name, SCHEMAS, 1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        raise SymOpsError(f"there is no schema {name!r}; there are {', '.join(SCHEMAS)}{meant}")
    folder = find_folder("repair_rules") if name == "rule" else _PACKAGE
    read: dict[str, Any] = json.loads((folder / _FILES[name]).read_text(encoding="utf-8"))
    return read
