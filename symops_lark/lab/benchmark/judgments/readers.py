"""What reads a reply to one of the three questions: ours, and what others do with the same text.

A reader of others gives the number that it finds, or None; it is not told which replies are damaged.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any

OURS = "symops"
Read = Callable[[str, str], object]  # a reply and the key of the number


def last_tag(text: str, names: tuple[str, ...]) -> int | None:
    """Return the number of the last tag of some names, wherever it stands: the source document's rule."""
    found = re.findall(rf"\[(?:{'|'.join(map(re.escape, names))}):([0-9]{{1,9}})\]", text, re.IGNORECASE)
    return int(found[-1]) if found else None


def first_to_last(text: str, key: str) -> object:
    """Return the number in what stands between the first brace and the last, if that is JSON."""
    try:
        value = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return None
    return value.get(key) if isinstance(value, dict) else None


def by_json_repair(text: str, key: str) -> object:
    """Return the number in the first object that json-repair makes of a text."""
    from json_repair import repair_json

    value: Any = repair_json(text, return_objects=True)
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict)), None)
    return value.get(key) if isinstance(value, dict) else None


def by_baml(text: str, key: str) -> object:
    """Return the number that BAML's schema-aligned parser reads."""
    try:
        return getattr(_baml(key)(text), key)
    except Exception:  # noqa: BLE001  (its own error for what it rejects is of no public class)
        return None


@cache
def _baml(key: str) -> Callable[[str], Any]:
    from baml_py import BamlRuntime
    from pydantic import create_model

    schema = (
        f"class Judgment {{\n  {key} int\n  reason string\n}}\n"
        'client<llm> Nobody {\n  provider openai\n  options {\n    model "none"\n    api_key "none"\n  }\n}\n'
        "function Read(request: string) -> Judgment {\n  client Nobody\n"
        '  prompt #"{{ request }} {{ ctx.output_format }}"#\n}\n'
    )
    module: Any = types.ModuleType("answers")
    fields: Any = {key: (Any, None), "reason": (Any, None)}
    module.Judgment = create_model("Judgment", **fields)
    runtime = BamlRuntime.from_files("/", {"main.baml": schema}, {})
    context = runtime.create_context_manager()
    parse: Any = runtime.parse_llm_response
    return lambda text: parse("Read", text, module, module, module, False, context, None, None, {})


_NEEDS = {"json-repair": ("json_repair",), "BAML": ("baml_py", "pydantic")}
_READERS: Mapping[str, Read] = {"first { to last }": first_to_last, "json-repair": by_json_repair, "BAML": by_baml}


def installed_readers() -> dict[str, Read]:
    """Return the readers of others whose libraries are installed, by name."""
    return {name: read for name, read in _READERS.items() if all(map(find_spec, _NEEDS.get(name, ())))}


def read_number(read: Read, stage: int, text: str, names: tuple[str, ...], count: int) -> int | None:
    """Return the index (from 0) that a reader of others finds in the reply to a stage's question, None if none."""
    if stage == 2:
        number: object = last_tag(text, names)
    else:
        number = read(text, "step" if stage == 1 else "matched_index")
        if number is None and stage == 3:
            number = last_tag(text, ("JUDGE",))
    whole = isinstance(number, int) and not isinstance(number, bool)
    return number - 1 if whole and 1 <= number <= count else None  # type: ignore[operator]
