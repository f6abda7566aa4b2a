"""Readers of JSON answers: ours, libraries, and the ways of well-known packages in a few lines of our own.

Every reader returns an object or None; all results are compared with the schema afterwards, as careful users do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from symops_lark.answers.structured import extract_json

from .damage import SCHEMA

Reader = Callable[[str], Any]
_FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)
_BAML_SCHEMA = """
class Answer {
  step int
  reason string
}
"""


def read_by_us(text: str) -> Any:
    """symops extract: this package."""
    return extract_json(text, SCHEMA).value


def read_without_schema(text: str) -> Any:
    """The same, which is not told the schema."""
    return extract_json(text).value


def read_first_to_last(text: str) -> Any:
    """From the first brace to the last, by json.loads."""
    start, end = text.find("{"), text.rfind("}")
    return _loads(text[start : end + 1]) if 0 <= start < end else None


def read_three_ways(text: str) -> Any:
    """The three strategies of the source document, as they are written there."""
    if text.strip().startswith("{") and (value := _loads(text.strip())) is not None:
        return value
    fenced = _FENCED.search(text)
    if fenced and (value := _loads(fenced[1])) is not None:
        return value
    return read_first_to_last(text)


def read_as_instructor(text: str) -> Any:
    """As instructor does: a fenced block, or from the first brace to the last; control characters allowed."""
    fenced = re.search(r"```(?:json)?(.*?)```", text, re.DOTALL)
    body = fenced[1] if fenced else text
    start, end = body.find("{"), body.rfind("}")
    return _loads(body[start : end + 1], strict=False) if 0 <= start < end else None


def read_as_langchain(text: str) -> Any:
    """As LangChain does: the first fence to the last, and brackets that are open are closed."""
    value = _loads(text.strip(), strict=False)
    if value is not None:
        return value
    fenced = re.search(r"```(?:json)?(.*)", text, re.DOTALL)
    body = (fenced[1] if fenced else text).strip(" \n\r\t`")
    return _close_and_load(body)


def read_by_json_repair(text: str) -> Any:
    """json-repair, whole reply."""
    import json_repair

    return json_repair.loads(text)


def read_by_baml(text: str) -> Any:
    """BAML's schema-aligned parser."""
    from benchmarks.baselines.baml import make_parser

    return make_parser(_BAML_SCHEMA, "Answer")(text).model_dump()


READERS: dict[str, tuple[Reader, str]] = {
    "symops": (read_by_us, ""),
    "symops, no schema": (read_without_schema, ""),
    "json-repair": (read_by_json_repair, "json_repair"),
    "BAML": (read_by_baml, "baml_py"),
    "instructor-style": (read_as_instructor, ""),
    "LangChain-style": (read_as_langchain, ""),
    "three strategies": (read_three_ways, ""),
    "first { to last }": (read_first_to_last, ""),
}


def installed_readers() -> dict[str, Reader]:
    """Return the readers whose libraries are there."""
    return {name: reader for name, (reader, library) in READERS.items() if not library or find_spec(library)}


def _loads(text: str, *, strict: bool = True) -> Any:
    try:
        value = json.loads(text, strict=strict)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _close_and_load(text: str) -> Any:
    """Load a text whose end may be missing: what is open is closed, and its tail is cut until it loads."""
    stack: list[str] = []
    in_string = escaped = False
    for letter in text:
        if in_string:
            in_string, escaped = not (letter == '"' and not escaped), letter == "\\" and not escaped
        elif letter == '"':
            in_string = True
        elif letter in "{[":
            stack.append("}" if letter == "{" else "]")
        elif letter in "}]" and stack:
            stack.pop()
    closing = ('"' if in_string else "") + "".join(reversed(stack))
    for end in range(len(text), 0, -1):
        if (value := _loads(text[:end] + closing, strict=False)) is not None:
            return value
    return None
