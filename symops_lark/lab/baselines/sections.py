"""Sections as plain mappings, `{"kind": "action", "type": …, "path": …}`, for JSON and YAML.

A mapping has the fields of the node that take part in comparing documents, without those that have
their default. The fields are those of the node classes, so that a new field of a class is written
and read without a change here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Any, get_type_hints

from ...core.document import (
    KINDS,
    Action,
    Completeness,
    Document,
    Replacement,
    Section,
    Skipped,
    Vitals,
)
from ...core.ground.errors import RenderError
from ...core.ground.json_objects import read_object, write_object

KIND = "kind"
_KINDS = {kind: node for kind, node in KINDS.items() if node is not Skipped}
_KIND_OF = {node: kind for kind, node in _KINDS.items()}
_NAMES = {"values_by_name": "values"}  # fields with another name in a mapping than in the node
_BLANKS = " \t\r\n"
# Names that models use for fields.
_ALIASES = {"verb": "type", "command": "path", "file": "path", "depends_on": "dependencies"}
Fields = Mapping[str, object]


# ---- writing


def writable_sections(document: Document) -> list[Section]:
    """Return the sections that a format writes: all but skipped text.

    Raises:
        RenderError: No format can express a section: an action has no verb or path, or the vitals
            have no value, or one that is not a number.
    """
    sections: list[Section] = []
    for section in document.sections:
        if isinstance(section, Skipped):
            continue
        sections.append(section)
        place = f"section {len(sections)}"
        if isinstance(section, Action) and not _is_complete(section):
            raise RenderError(f"{place}: an action needs a verb and a path")
        if isinstance(section, Vitals):
            # Models write empty ones for none, so that no reader keeps them.
            if not section:
                raise RenderError(f"{place}: the vitals have no value")
            if not all(map(math.isfinite, section.values())):
                raise RenderError(f"{place}: a value of the vitals is not a number")
    return sections


def _is_complete(action: Action) -> bool:
    """Return whether an action has a verb and a path."""
    verb = action.type.strip(_BLANKS)
    path = action.path.strip(_BLANKS)
    return bool(verb and path)


def to_mapping(section: Section) -> dict[str, Any]:
    """Return a section as a mapping; its content, which may be long, is last."""
    mapping: dict[str, Any] = {KIND: _KIND_OF[type(section)]}
    for field in fields(section):
        value = getattr(section, field.name)
        is_default = field.default is not MISSING and value == field.default
        if field.compare and not is_default:
            name = _NAMES.get(field.name, field.name)
            mapping[name] = _plain(value)
    if "content" in mapping:
        mapping["content"] = mapping.pop("content")
    return mapping


def _plain(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    if all(isinstance(item, tuple) for item in value):
        pairs = dict(value)
        # A name may be repeated: a mapping would lose one of its values.
        if len(pairs) == len(value):
            return pairs
        return list(map(list, value))
    return [write_object(item) if isinstance(item, Replacement) else item for item in value]


def read_exactly(mappings: object) -> Document | None:
    """Read a list of mappings of known kinds; None if one has a missing or an unknown field."""
    if not isinstance(mappings, list):
        return None
    sections = []
    for mapping in mappings:
        is_known = isinstance(mapping, Mapping) and _kind(mapping) in _KINDS
        section = from_mapping(mapping) if is_known else None
        if section is None:
            return None
        entries = {key: value for key, value in mapping.items() if value not in (None, [], {})}
        if to_mapping(section) != entries:
            return None
        sections.append(section)
    return Document(tuple(sections))


# ---- reading: a model wrote the mappings, so the type of each value is checked


def find_sections(data: object) -> Iterator[Section]:
    """Yield the sections in any data, in order."""
    for mapping in find_mappings(data):
        section = from_mapping(mapping)
        if section:  # vitals without values are left out
            yield section


def find_mappings(data: object) -> Iterator[Fields]:
    """Yield the mappings of a known kind in any data, in order, without those inside another."""
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            if _kind(value) in _KINDS:
                yield value
            else:
                stack += reversed(list(value.values()))
        elif isinstance(value, list):
            stack += reversed(value)


def from_mapping(mapping: Fields) -> Section | None:
    """Return the section of a mapping; None if a required field is missing or invalid.

    If another field of an action is invalid, the action is `SUSPECT`: it might do something else
    than the model meant.
    """
    node: Any = _KINDS[_kind(mapping)]
    entries = _entries(mapping)
    values: dict[str, Any] = {}
    is_suspect = False
    for name, reader, is_required in _fields_of(node):
        key = _NAMES.get(name, name)
        # Models write null for a field that they leave out.
        if key in entries and (is_required or entries[key] is not None):
            try:
                values[name] = reader(entries[key])
            except (TypeError, ValueError, OverflowError):
                is_suspect = True
        if is_required and name not in values:
            return None
    section: Section = node(**values)
    if not isinstance(section, Action):
        return section
    if not _is_complete(section):
        return None
    if is_suspect:
        return replace(section, completeness=Completeness.SUSPECT)
    return section


def unused_characters(text: str) -> Iterator[str]:
    """Yield characters for private use that a text does not have."""
    for code in range(0xF0000, 0xFFFFE):
        character = chr(code)
        if character not in text:
            yield character


def _entries(mapping: Fields) -> dict[str, object]:
    """Return the values of a mapping by the usual name of the field, in small letters."""
    entries = {}
    for key, value in mapping.items():
        name = str(key).strip().lower()
        entries[_ALIASES.get(name, name)] = value
    return entries


def _kind(mapping: Fields) -> str:
    kind = _entries(mapping).get(KIND)
    if isinstance(kind, str):
        return kind.strip().lower()
    return ""


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise TypeError(value)


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(map(_text, value))
    return (_text(value),)


def _pairs(value: object, read: Callable[[Any], Any]) -> Iterator[tuple[str, Any]]:
    """Yield the pairs of a mapping, or of a list of pairs, in which a name may be repeated."""
    items: Any = value.items() if isinstance(value, Mapping) else _list(value)
    for item in items:
        if not isinstance(item, list | tuple):
            raise TypeError(item)
        name, text = item
        yield _text(name), read(text)


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _text_pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple(_pairs(value, _text))


def _number_pairs(value: object) -> tuple[tuple[str, float], ...]:
    return tuple(_pairs(value, _number))


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _replacements(value: object) -> tuple[Replacement, ...]:
    return tuple(read_object(Replacement, item) for item in _list(value))


def _integer(value: object) -> int:
    if not isinstance(value, int | str):
        raise TypeError(value)
    return int(value)


_Reader = Callable[[object], object]
_READERS: dict[object, _Reader] = {
    str: _text,
    str | None: _text,
    int | None: _integer,
    tuple[str, ...]: _texts,
    tuple[tuple[str, str], ...]: _text_pairs,
    tuple[tuple[str, float], ...]: _number_pairs,
    tuple[Replacement, ...]: _replacements,
}


@cache
def _fields_of(node: Any) -> list[tuple[str, _Reader, bool]]:
    """Return the name of each field that is written, its reader, and whether it is required."""
    types = get_type_hints(node)
    rows = []
    for field in fields(node):
        if field.compare:
            reader = _READERS[types[field.name]]
            rows.append((field.name, reader, field.default is MISSING))
    return rows
