"""JSON as function calling writes it: one object with a list of sections, contents as strings.

The decoder reads valid JSON with the standard library, and broken JSON with json-repair. Two
characters that the reply does not have show the effect of a repair. One is put after the reply:
the value that ends with it was truncated. The other is put after a newline at the end of a string,
which json-repair would remove.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from ...core.document import Action, Completeness, Document, Section
from ..measuring.statistics import load_library
from . import EXTRA, Baseline
from .sections import (
    Fields,
    find_mappings,
    find_sections,
    from_mapping,
    read_exactly,
    to_mapping,
    unused_characters,
    writable_sections,
)

_QUOTE = "[\"'“”]?"
_KIND = rf"{_QUOTE}kind{_QUOTE}\s*:"
# The begin of the object with the sections, of a section alone, of any object. The first that
# occurs in the text is used.
_BEGINS = [
    re.compile(rf"(?:\[\s*)?\{{\s*{key}", re.IGNORECASE)
    for key in (rf"{_QUOTE}sections{_QUOTE}\s*:", _KIND, "[\"']")
]
_SECTION = re.compile(rf"\{{\s*{_KIND}", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,]*")
_FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
# An escape without its end, at the end of the text: `a\` or `\u12`, not `\\`.
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSED = re.compile(r"\}[\s,\]}]*\Z")  # the text ends after a section, not inside one
# Escaped or not, before the closing quote.
_LAST_NEWLINE = re.compile(r"""\\n(?=["'])|\n(?=["']\s*[\]},])""")


def encode(document: Document) -> str:
    """Write a document as one JSON object, `{"sections": [{"kind": …}]}`.

    An action without a verb or a path raises `RenderError`, and so does a value that is not a
    number.
    """
    sections = list(map(to_mapping, writable_sections(document)))
    return json.dumps({"sections": sections}, indent=2, ensure_ascii=False) + "\n"


def parse(text: str) -> Document | None:
    """Read a reply that is JSON with the right structure; None for any other."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match data:
        case {"sections": sections} if len(data) == 1:
            return read_exactly(sections)
    return None


def decode(text: str) -> Document:
    """Read the sections of a reply in JSON, also of a damaged one.

    If the reply ends inside the content of an action, that is `TRUNCATED`; if it ends inside the
    path, the action is left out. Raises only `SymOpsError`, if json-repair is not installed.
    """
    # Also for valid JSON, so that a missing library is reported with the first reply.
    load_library("json_repair", EXTRA)
    for begin in _BEGINS:
        match = begin.search(text)
        if match:
            sections = _read_from(text, match.start(), begin)
            return Document(tuple(sections))
    return Document()


def _read_from(text: str, start: int, begin: re.Pattern[str]) -> Iterator[Section]:
    """Read values that follow each other; the text after them is not part of the reply."""
    place = start
    while True:
        value = _read_strictly(text, place)
        if value is None:
            is_fenced = _FENCE.search(text, 0, start) is not None
            broken = _until_fence(text, place) if is_fenced else text[place:]
            yield from _read_broken(broken)
            return
        data, end = value
        yield from find_sections(data)
        gap = _BETWEEN.match(text, end)
        following = begin.match(text, gap.end() if gap else end)
        if following is None:
            return
        place = following.start()


def _read_strictly(text: str, start: int) -> tuple[object, int] | None:
    """Return a value and its end; None if it is not JSON."""
    try:
        # Not strict: a line break inside a string is the most frequent of all mistakes.
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _until_fence(text: str, start: int) -> str:
    """Return a text without the fence that ends the reply, and without what follows it."""
    end = len(text)
    for fence in _FENCE.finditer(text, start):
        end = fence.start()
    return text[start:end]


def _read_broken(text: str) -> Iterator[Section]:
    """Read a value that is not JSON: its valid sections, and the text between them after a repair.

    Valid sections are not passed to json-repair, which may shorten them: in a string with code it
    can take a comma before a quote for the end of the value.
    """
    end = 0
    for match in _SECTION.finditer(text):
        start = match.start()
        value = _read_strictly(text, start) if start >= end else None
        if value:
            yield from _repair(text[end:start], is_last=False)
            data, end = value
            yield from find_sections(data)
    yield from _repair(text[end:], is_last=True)


def _repair(text: str, *, is_last: bool) -> Iterator[Section]:
    import json_repair

    if not any(begin.search(text) for begin in _BEGINS):
        return
    mark, guard = islice(unused_characters(text), 2)
    without_escape = _CUT_ESCAPE.sub(r"\1", text)
    guarded = _LAST_NEWLINE.sub(rf"\g<0>{guard}", without_escape)
    try:
        repaired = json_repair.loads(guarded + mark, skip_json_loads=True)
        # The guards are in texts at any depth.
        encoded = json.dumps(repaired, ensure_ascii=False)
        data = json.loads(encoded.replace(guard, ""))
    except Exception:  # noqa: BLE001
        # The library may fail in any way: brackets nested too deeply, numbers that are too long.
        return
    completeness = Completeness.TRUNCATED if is_last else Completeness.SUSPECT
    sections = []
    for mapping in find_mappings(data):
        section = _read_cut(mapping, mark, completeness)
        if section:
            sections.append(section)
    if sections and is_last and not _CLOSED.search(text):
        final = sections.pop()
        # The text ended in it: an empty content would empty a file.
        if isinstance(final, Action) and not final.content:
            final = replace(final, content=None, completeness=completeness)
        sections.append(final)
    yield from sections


def _read_cut(mapping: Fields, mark: str, completeness: Completeness) -> Section | None:
    """Return a section of which a value may be truncated: that value has the mark.

    The begin of a content is kept. The begin of a path, a verb or a dependency would be a
    different one, and is left out.
    """
    values = {key: _without_cut(value, mark) for key, value in mapping.items()}
    is_cut = values != mapping
    content = mapping.get("content")
    if isinstance(content, str):
        values["content"] = content.partition(mark)[0]
    section = from_mapping(values)
    if is_cut and isinstance(section, Action):
        return replace(section, completeness=completeness)
    return section


def _without_cut(value: object, mark: str) -> object:
    """Return a value without texts that have the mark; None if it is one of these texts."""
    if _is_cut(value, mark):
        return None
    if isinstance(value, list):
        return [_without_cut(item, mark) for item in value if not _is_cut(item, mark)]
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if not _is_cut(item, mark)}
    return value


def _is_cut(value: object, mark: str) -> bool:
    return isinstance(value, str) and mark in value


BASELINE = Baseline("json", encode, decode, parse)
