"""JSON as function calling writes it: one object with a list of sections, indented, contents as strings.

The decoder reads what is JSON by the standard library and what is broken by json-repair. Two characters that the reply
does not have tell what that does: one is put behind the reply, and the value in which it comes out again was cut off;
one is put behind the newline that ends a string, which would be taken away otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from ...core.document import Action, Completeness, Document, Section
from ..measuring.statistics import load_library
from . import EXTRA, Baseline
from .sections import find_mappings, from_mapping, read_exactly, said, to_mapping

_QUOTE = "[\"'“”]?"
_BEGINS = [  # of the object with the sections, of bare sections, of anything: the first that is found somewhere
    re.compile(rf"(?:\[\s*)?\{{\s*{key}", re.IGNORECASE)
    for key in (rf"{_QUOTE}sections{_QUOTE}\s*:", rf"{_QUOTE}kind{_QUOTE}\s*:", "[\"']")
]
_SECTION = re.compile(rf"\{{\s*{_QUOTE}kind{_QUOTE}\s*:", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,]*")
_FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSED = re.compile(r"\}[\s,\]}]*\Z")  # the text ends behind a section, not inside one
_LAST_NEWLINE = re.compile(r"""\\n(?=["'])|\n(?=["']\s*[\]},])""")  # escaped or not, before the closing quote
_PRIVATE_USE = range(0xF0000, 0x10FFFE)


def encode(document: Document) -> str:
    """Write a document as one JSON object, `{"sections": [{"kind": …}]}`.

    Raises `RenderError` for an action without a verb or a path, and for values that are no numbers.
    """
    sections = [to_mapping(section) for section in said(document)]
    return json.dumps({"sections": sections}, indent=2, ensure_ascii=False) + "\n"


def parse(text: str) -> Document | None:
    """Read a reply that is JSON and has the right shape; None for any other."""
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read_exactly(data["sections"]) if isinstance(data, dict) and data.keys() == {"sections"} else None


def decode(text: str) -> Document:
    """Read the sections of a reply in JSON, however damaged; none if there is no object with one.

    The last action is `TRUNCATED` if the reply ends inside its content, and is left out if it ends inside its path.
    Raises only `SymOpsError`, if json-repair is not installed.
    """
    load_library("json_repair", EXTRA)  # asked for with every reply, so that it is missed at once
    for begin in _BEGINS:
        if found := begin.search(text):
            return Document(tuple(_read_from(text, found.start(), begin)))
    return Document()


def _read_from(text: str, start: int, begin: re.Pattern[str]) -> Iterator[Section]:
    """Read the values that follow one another from `start` on; what is behind them is no part of the reply."""
    at: int | None = start
    while at is not None:
        if (value := _read_strictly(text, at)) is None:
            yield from _read_broken(_until_fence(text, at, fenced=bool(_FENCE.search(text, 0, start))))
            return
        data, end = value
        yield from filter(None, map(from_mapping, find_mappings(data)))
        gap = _BETWEEN.match(text, end)
        behind = begin.match(text, gap.end() if gap else end)
        at = behind.start() if behind else None


def _read_strictly(text: str, at: int) -> tuple[object, int] | None:
    """Read one value that is JSON; give it with the offset behind it, or None."""
    try:
        # Not strict: a line break inside a string is the most frequent of all mistakes.
        return json.JSONDecoder(strict=False).raw_decode(text, at)
    except (ValueError, RecursionError):
        return None


def _until_fence(text: str, start: int, fenced: bool) -> str:
    """Cut off the fence that ends the reply and what is behind it, if one was opened before."""
    fences = [found.start() for found in _FENCE.finditer(text, start)] if fenced else []
    return text[start : fences[-1]] if fences else text[start:]


def _read_broken(text: str) -> Iterator[Section]:
    """Read a value that is not JSON: the sections in it that are, and what stands between them after a repair.

    json-repair is kept away from what is intact, because it may shorten it: in a string with code, a comma before a
    quote can look like the end of the value to it.
    """
    at = 0
    for found in _SECTION.finditer(text):
        if found.start() >= at and (value := _read_strictly(text, found.start())):
            yield from _repair(text[at : found.start()], last=False)
            yield from filter(None, map(from_mapping, find_mappings(value[0])))
            at = value[1]
    yield from _repair(text[at:], last=True)


def _repair(text: str, last: bool) -> Iterator[Section]:
    import json_repair

    if not any(begin.search(text) for begin in _BEGINS):
        return
    mark, guard = islice((chr(code) for code in _PRIVATE_USE if chr(code) not in text), 2)
    guarded = _LAST_NEWLINE.sub(rf"\g<0>{guard}", _CUT_ESCAPE.sub(r"\1", text)) + mark
    try:
        data: object = json_repair.loads(guarded, skip_json_loads=True)
    except Exception:  # noqa: BLE001
        # Whatever a library stumbles on: brackets that are nested too deeply, numbers that are too long.
        return
    end = Completeness.TRUNCATED if last else Completeness.SUSPECT
    sections = [section for m in find_mappings(data) if (section := _read_cut(m, mark, guard, end))]
    final = sections[-1] if sections and last else None
    if isinstance(final, Action) and not final.content and not _CLOSED.search(text):
        sections[-1] = replace(final, content=None, completeness=end)
    yield from sections


def _read_cut(mapping: Mapping[str, object], mark: str, guard: str, end: Completeness) -> Section | None:
    """Read a section of which a value may have been cut off: it has the mark in it.

    Half a content is kept; half of a path, a verb or a dependency would be another one, and is dropped.
    """
    whole = {key: _change(value, lambda text: text.replace(guard, "")) for key, value in mapping.items()}
    kept = {key: _change(value, lambda text: None if mark in text else text) for key, value in whole.items()}
    cut = [key for key, value in whole.items() if kept[key] != value]
    if "content" in cut and isinstance(content := whole["content"], str):
        kept["content"] = content.partition(mark)[0]
    section = from_mapping(kept)
    return replace(section, completeness=end) if cut and isinstance(section, Action) else section


def _change(value: object, change: Callable[[str], str | None]) -> object:
    """Return a value with the texts of it changed; one in a list or mapping of which None comes is left out."""
    match value:
        case str():
            return change(value)
        case list():
            return [new for item in value for new in _changed(item, change)]
        case dict():
            return {key: new for key, item in value.items() for new in _changed(item, change)}
        case _:
            return value


def _changed(item: object, change: Callable[[str], str | None]) -> list[object]:
    if not isinstance(item, str):
        return [item]
    return [] if (new := change(item)) is None else [new]


BASELINE = Baseline("json", encode, decode, parse)
