"""Sections as plain mappings, `{"kind": "action", "type": …, "path": …}`: what JSON and YAML write and read.

A mapping has the fields of the node that take part in comparing documents, and no field that has its default. Which
they are is asked of the node classes, so that a field that is added to them is written and read without a change here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Any, get_type_hints

from ...core.document import KINDS, Action, Completeness, Document, Replacement, Section, Skipped, Vitals
from ...core.ground.errors import RenderError
from ...core.ground.json_objects import read_object, write_object

KIND = "kind"
_KINDS = {kind: node for kind, node in KINDS.items() if node is not Skipped}
_KIND_OF = {node: kind for kind, node in _KINDS.items()}
_NAMES = {"values_by_name": "values"}  # what a field is called in a mapping, if not as in the node
_BLANKS = " \t\r\n"
_ALIASES = {"verb": "type", "command": "path", "file": "path", "depends_on": "dependencies"}


# Writing


def said(document: Document) -> list[Section]:
    """Return the sections that a format writes: all but skipped text.

    Raises `RenderError` for what no format can say: an action without a verb or a path, a value that is no number.
    """
    sections: list[Section] = [s for s in document.sections if not isinstance(s, Skipped)]
    for number, section in enumerate(sections, 1):
        if isinstance(section, Action) and not (section.type.strip(_BLANKS) and section.path.strip(_BLANKS)):
            raise RenderError(f"section {number}: an action needs a verb and a path")
        if isinstance(section, Vitals) and not all(math.isfinite(value) for value in section.values()):
            raise RenderError(f"section {number}: a value of the vitals is no number")
    return sections


def to_mapping(section: Section) -> dict[str, Any]:
    """Return a section as a mapping of texts, numbers, lists and mappings; a content, which may be long, is last."""
    mapping: dict[str, Any] = {KIND: _KIND_OF[type(section)]}
    for field in fields(section):
        value = getattr(section, field.name)
        if field.compare and (field.default is MISSING or value != field.default):
            mapping[_NAMES.get(field.name, field.name)] = _plain(value)
    if "content" in mapping:
        mapping["content"] = mapping.pop("content")
    return mapping


def _plain(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    if all(isinstance(item, tuple) for item in value):
        pairs = dict(value)
        return pairs if len(pairs) == len(value) else [list(item) for item in value]
    return [write_object(item) if isinstance(item, Replacement) else item for item in value]


def read_exactly(mappings: object) -> Document | None:
    """Read a list of mappings, each of a known kind with its fields and no others; None if one is not so."""
    if not isinstance(mappings, list):
        return None
    sections = []
    for mapping in mappings:
        section = from_mapping(mapping) if isinstance(mapping, Mapping) and _kind(mapping) in _KINDS else None
        if section is None or to_mapping(section) != {k: v for k, v in mapping.items() if v not in (None, [], {})}:
            return None
        sections.append(section)
    return Document(tuple(sections))


# Reading. What comes in was written by a model: each value is looked at before it is believed.


def find_mappings(data: object) -> Iterator[Mapping[str, object]]:
    """Yield the mappings of a known kind in any data, in order; none is looked for inside another."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            if _kind(value) in _KINDS:
                yield value
            else:
                waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)


def from_mapping(mapping: Mapping[str, object]) -> Section | None:
    """Read a section, or give None if a field that it needs is missing or is none.

    An action of which another field cannot be read is `SUSPECT`: it might do something else than was meant.
    """
    node: Any = _KINDS[_kind(mapping)]
    given = {_ALIASES.get(key, key): value for key, value in _lowered(mapping).items()}
    values: dict[str, Any] = {}
    suspect = False
    for name, reader, needed in _readers(node):
        key = _NAMES.get(name, name)
        try:
            if key in given and (given[key] is not None or needed):
                values[name] = reader(given[key])
        except (TypeError, ValueError, OverflowError):
            suspect = True
        if needed and name not in values:
            return None
    section: Section = node(**values)
    if isinstance(section, Action):
        if not (section.type.strip(_BLANKS) and section.path.strip(_BLANKS)):
            return None
        return replace(section, completeness=Completeness.SUSPECT) if suspect else section
    return section


def _lowered(mapping: Mapping[str, object]) -> dict[str, object]:
    return {str(key).strip().lower(): value for key, value in mapping.items()}


def _kind(mapping: Mapping[str, object]) -> str:
    kind = _lowered(mapping).get(KIND)
    return kind.strip().lower() if isinstance(kind, str) else ""


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise TypeError(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_text(item) for item in value) if isinstance(value, list) else (_text(value),)


def _pairs(value: object) -> Iterator[Sequence[Any]]:
    items: Any = value.items() if isinstance(value, Mapping) else value
    if not isinstance(value, Mapping | list):
        raise TypeError(value)
    for item in items:
        if not isinstance(item, list | tuple) or len(item) != 2:
            raise TypeError(item)
        yield item


def _text_pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((_text(name), _text(item)) for name, item in _pairs(value))


def _number_pairs(value: object) -> tuple[tuple[str, float], ...]:
    pairs = tuple((_text(name), float(item)) for name, item in _pairs(value))
    if not all(math.isfinite(number) for _, number in pairs):
        raise ValueError(value)
    return pairs


def _replacements(value: object) -> tuple[Replacement, ...]:
    if not isinstance(value, list):
        raise TypeError(value)
    return tuple(read_object(Replacement, item) for item in value)


def _integer(value: object) -> int:
    if not isinstance(value, int | str):
        raise TypeError(value)
    return int(value)


_READER_OF: dict[object, Callable[[object], object]] = {
    str: _text,
    str | None: _text,
    int | None: _integer,
    tuple[str, ...]: _texts,
    tuple[tuple[str, str], ...]: _text_pairs,
    tuple[tuple[str, float], ...]: _number_pairs,
    tuple[Replacement, ...]: _replacements,
}


@cache
def _readers(node: Any) -> list[tuple[str, Callable[[object], object], bool]]:
    """Return for each field of a node that is said its name, what reads it, and whether it has to be there."""
    types = get_type_hints(node)
    return [(f.name, _READER_OF[types[f.name]], f.default is MISSING) for f in fields(node) if f.compare]
