"""The readers of a reply to one of the three questions: ours, and third-party ones.

A third-party reader returns the number that it finds in the same text, or None. No reader knows
which replies are damaged.
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
    """Return the number of the last tag of some names, as the source document reads tags."""
    pattern = "|".join(map(re.escape, names))
    # Nine digits at most: a longer number is not a rule, and `int` would take long for it.
    numbers = re.findall(rf"\[(?:{pattern}):([0-9]{{1,9}})\]", text, re.IGNORECASE)
    return int(numbers[-1]) if numbers else None


def first_to_last(text: str, key: str) -> object:
    """Return the number in the JSON object from the first brace to the last one."""
    start = text.find("{")
    end = text.rfind("}") + 1
    try:
        value = json.loads(text[start:end])
    except ValueError:
        return None
    return value.get(key) if isinstance(value, dict) else None


def by_json_repair(text: str, key: str) -> object:
    """Return the number in the first object that json-repair finds in a text."""
    # Imported here: the library is optional.
    from json_repair import repair_json

    value: Any = repair_json(text, return_objects=True)
    values = value if isinstance(value, list) else [value]
    for item in values:
        # Of several objects the first one counts, even if it lacks the key.
        if isinstance(item, dict):
            return item.get(key)
    return None


def by_baml(text: str, key: str) -> object:
    """Return the number that BAML's schema-aligned parser reads."""
    try:
        return getattr(_baml(key)(text), key)
    except Exception:  # noqa: BLE001  (its own error for what it rejects is of no public class)
        return None


@cache
def _baml(key: str) -> Callable[[str], Any]:
    """Return the parser of BAML for an object with a number and a reason."""
    from baml_py import BamlRuntime
    from pydantic import create_model

    # BAML requires a client, which is never called, and generated classes in a module.
    schema = _BAML_SCHEMA.replace("KEY", key)
    module: Any = types.ModuleType("answers")
    fields: Any = {key: (Any, None), "reason": (Any, None)}
    module.Judgment = create_model("Judgment", **fields)
    runtime = BamlRuntime.from_files("/", {"main.baml": schema}, {})
    context = runtime.create_context_manager()
    parse: Any = runtime.parse_llm_response

    def read(text: str) -> Any:
        return parse("Read", text, module, module, module, False, context, None, None, {})

    return read


_BAML_SCHEMA = """\
class Judgment {
  KEY int
  reason string
}
client<llm> Unused {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
function Read(request: string) -> Judgment {
  client Unused
  prompt #"{{ request }} {{ ctx.output_format }}"#
}
"""
# The modules of each third-party reader; a reader without an entry needs only Python.
_NEEDS = {"json-repair": ("json_repair",), "BAML": ("baml_py", "pydantic")}
_READERS: Mapping[str, Read] = {
    "first { to last }": first_to_last,
    "json-repair": by_json_repair,
    "BAML": by_baml,
}


def installed_readers() -> dict[str, Read]:
    """Return the third-party readers whose libraries are installed, by name."""
    missing = set()
    for name, modules in _NEEDS.items():
        if not all(map(find_spec, modules)):
            missing.add(name)
    return {name: reader for name, reader in _READERS.items() if name not in missing}


def read_number(
    read: Read, stage: int, text: str, names: tuple[str, ...], count: int
) -> int | None:
    """Return the index that a third-party reader finds in the reply to a stage's question.

    Args:
        read: The reader of JSON objects.
        stage: The stage, from 1. Stage 2 asks for a tag, the others for an object.
        text: The reply.
        names: The names that a tag of stage 2 may have.
        count: The number of rules.

    Returns:
        The index of a rule, from 0. None if the reader finds none.
    """
    if stage == 2:
        number: object = last_tag(text, names)
    else:
        key = "step" if stage == 1 else "matched_index"
        number = read(text, key)
    if number is None and stage == 3:
        number = last_tag(text, ("JUDGE",))
    # True is an integer for Python, but not an answer.
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    return number - 1 if 1 <= number <= count else None
