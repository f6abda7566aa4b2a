"""YAML as models write it: a list of sections, contents as literal blocks (`content: |`) where YAML has them.

The decoder reads the events of PyYAML, so that what stands before a mistake is kept. A reply that is not YAML is read
one item at a time: as it stands, then with its tabs and bare values mended, then as far as it goes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...core.document import Action, Completeness, Document, Section
from ..measuring.statistics import load_library
from . import EXTRA, Baseline
from .sections import KIND, find_mappings, from_mapping, read_exactly, said, to_mapping

_STEP = "  "
# What YAML can hold as it is, line breaks aside: a carriage return or U+2028 in a block would be read as a line feed.
_PRINTABLE = "\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_BLOCK = re.compile(rf"(?=[\s\S]*[^ \n])[{_PRINTABLE}\n]+")
_PLAIN = re.compile(rf"(?=[^\W_]|[./_(])(?![\s\S]*(?:[:] |[:]\Z| #|\t|\s\Z))[{_PRINTABLE}]+")
_RESOLVED = re.compile(
    r"[-+.\d][-+.\d_:eExXoTZ ]*|0x[\da-f]+|\.?(?:null|true|false|yes|no|on|off|y|n|inf|nan)", re.IGNORECASE
)
_ESCAPED = re.compile(rf'[^{_PRINTABLE}]|[\t"\\]')
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def encode(document: Document) -> str:
    """Write a document as a YAML list of mappings, `- kind: action`; a document without sections as `[]`.

    A content is a literal block; one that has a carriage return or another character that a block cannot keep, or no
    visible character at all, is a quoted scalar. Raises `RenderError` for an action without a verb or a path, and for
    values that are no numbers.
    """
    items: list[str] = []
    for section in said(document):
        lines = "".join(_write_entry(key, value, 1) for key, value in to_mapping(section).items())
        # A block that keeps its last newlines (`|+`) would take the blank line between items for one of them.
        gap = "" if not items or items[-1].endswith("\n\n") else "\n"
        items.append(f"{gap}- {lines.removeprefix(_STEP)}")
    return "".join(items) or "[]\n"


def _write_entry(key: str, value: object, depth: int) -> str:
    head = f"{_STEP * depth}{key}:"
    match value:
        case str():
            return f"{head} {_write_scalar(value, depth + 1, block=key == 'content')}\n"
        case dict():
            entries = (_write_entry(_write_scalar(name, 0), item, depth + 1) for name, item in value.items())
            return f"{head}\n" + "".join(entries)
        case list():
            indent = _STEP * (depth + 1)
            items = (f"{indent}- {_write_item(item, depth + 2)}\n" for item in value)
            return f"{head}\n" + "".join(items)
        case _:
            number = json.dumps(value)
            return f"{head} {number if '.' in number else number.replace('e', '.0e')}\n"  # 1e-05 is a text in YAML


def _write_item(item: object, depth: int) -> str:
    if isinstance(item, list):  # a pair
        return f"[{', '.join(_quote(str(part)) for part in item)}]"
    return _write_scalar(str(item), depth)


def _write_scalar(text: str, depth: int, block: bool = False) -> str:
    if (block or "\n" in text) and depth and _BLOCK.fullmatch(text):
        return _write_block(text, _STEP * depth)
    if _PLAIN.fullmatch(text) and not _RESOLVED.fullmatch(text):
        return text
    return _quote(text)


def _write_block(text: str, indent: str) -> str:
    """Write a literal block, without the newline that ends its last line."""
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    # Without the number, the indentation of the first line would be taken for that of the block.
    header = "|" + (str(len(_STEP)) if text[0] in " \n" else "") + ("-" if not ends else "+" if ends > 1 else "")
    lines = (indent + line if line else "" for line in body.split("\n"))
    return header + "\n" + "\n".join(lines) + "\n" * (ends - 1 if ends > 1 else 0)


def _quote(text: str) -> str:
    return '"' + _ESCAPED.sub(lambda found: _escape(found[0]), text) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def parse(text: str) -> Document | None:
    """Read a reply that is YAML and has the right shape; None for any other."""
    import yaml

    try:
        return read_exactly(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError):
        return None


def decode(text: str) -> Document:
    """Read the sections of a reply in YAML, however damaged; none if there is no list with one.

    An action is `TRUNCATED` if the reply ends inside its quoted content, and `SUSPECT` if its item could not be read
    to the end. That a literal block was cut off cannot be seen: it has no closer.
    Raises only `SymOpsError`, if PyYAML is not installed.
    """
    load_library("yaml", EXTRA)
    found = _ITEM.search(text)
    if found is None:  # rather no list, or one in brackets
        fenced = _FENCED.search(text)
        return Document(tuple(_sections_of(_read_events(fenced[1] if fenced else text)[0])))
    body = _until_fence(text, found.start())
    values, intact = _read_events(body)
    return Document(tuple(_sections_of(values) if intact else _read_items(body, found[1])))


_ITEM = re.compile(rf"^([ \t]*)-[ \t]+[\"']?{KIND}[\"']?[ \t]*:", re.MULTILINE)
_FENCE = re.compile(r"^```", re.MULTILINE)
_FENCED = re.compile(r"^```[^\n]*\n([\s\S]*?)(?:^```|\Z)", re.MULTILINE)
_ENTRY = re.compile(r"(?P<head>(?:-[ \t]+)?[\"']?(?P<key>\w+)[\"']?[ \t]*:)[ \t]+(?P<value>\S.*?)[ \t]*")
_SOUND = re.compile(r"""[|>][-+\d]*(?:\s+\#.*)?|\[.*\]|\{.*\}|"(?:[^"\\]|\\.)*"?|'(?:[^']|\'\')*'?""")
_CUT_CONTENT = re.compile(r"""content[ \t]*:[ \t]*(?P<quote>["'])(?P<text>.*)\Z""", re.DOTALL)
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:x[\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7})?\Z")
_STRANGE = re.compile(rf"[^{_PRINTABLE}\n\r]")  # stops PyYAML, or is a line break to it
_STAND_INS = range(0xF0000, 0xFFFFE)
_DEEPEST = 50  # PyYAML takes milliseconds for each bracket in another
_NULL = re.compile(r"~?|null|Null|NULL")


def _sections_of(values: list[object]) -> Iterator[Section]:
    yield from filter(None, map(from_mapping, find_mappings(values)))


def _until_fence(text: str, start: int) -> str:
    """Leave out what is before `start`, and what is behind the list from a fence on.

    The lines of a content are indented, so a fence in the first column behind the last item is none of them.
    """
    *_, last = _ITEM.finditer(text, start)
    closer = _FENCE.search(text, last.end())
    return text[start : closer.start()] if closer else text[start:]


def _read_items(text: str, indent: str) -> Iterator[Section]:
    """Read the items of a list that is not YAML as a whole, each for itself."""
    starts = [found.start() for found in _ITEM.finditer(text) if found[1] == indent]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        item, leftover = _split_leftover(text[start:end])
        for section in _read_item(item, last=end == len(text)):
            if isinstance(section, Action) and leftover and section.completeness is Completeness.COMPLETE:
                section = replace(section, completeness=Completeness.SUSPECT)
            yield section


def _split_leftover(text: str) -> tuple[str, bool]:
    """Cut an item off before a line that is not indented; tell whether that line stands close to the item.

    Then it may be of a content that was not indented, else it is prose.
    """
    lines = text.splitlines(keepends=True)
    width = _width(lines[0])
    for number, line in enumerate(lines[1:], 1):
        if line.strip() and _width(line) <= width:
            return "".join(lines[:number]), bool(lines[number - 1].strip()) and not _FENCE.match(line)
    return text, False


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _read_item(item: str, last: bool) -> list[Section]:
    damage: Completeness | None = None
    values, intact = _read_events(item)
    if not intact:
        item = _mend(item)
        values, intact = _read_events(item)
    if not intact and last and (closed := _close(item)):
        (values, intact), damage = _read_events(closed), Completeness.TRUNCATED
    if not intact:
        damage = Completeness.SUSPECT
    return [replace(s, completeness=damage) if damage and isinstance(s, Action) else s for s in _sections_of(values)]


def _mend(item: str) -> str:
    """Mend what is wrong most often: tabs that indent, and bare values that have to be quoted (`text: a: b`)."""
    parts = ((line[: _width(line)], line.lstrip(" \t")) for line in item.split("\n"))
    # An entry is one step deep and the lines of its block two: further tabs are of the content.
    lines = [blank.replace("\t", _STEP, 2) + rest for blank, rest in parts]
    lines[0] = re.sub(r"-[ \t]+", "- ", lines[0], count=1)
    depth = _width(lines[0]) + len(_STEP)
    for number, line in enumerate(lines):
        entry = _ENTRY.fullmatch(line.rstrip("\r"), _width(line)) if number == 0 or _width(line) == depth else None
        if entry and not _SOUND.fullmatch(entry["value"]):
            lines[number] = f"{line[: entry.end('head')]} {_quote(entry['value'])}"
    return "\n".join(lines)


def _close(item: str) -> str | None:
    """Close the quoted content in which a text ends; None if it does not end in one."""
    found = _CUT_CONTENT.search(item)
    if found is None:
        return None
    if found["quote"] == "'":
        return item + "'"
    return _CUT_ESCAPE.sub(r"\1", item) + '"'


def _read_events(text: str) -> tuple[list[object], bool]:
    """Return the values of a text as far as it is YAML, and whether all of it is.

    Scalars are texts or None, aliases None. Nothing is resolved, so that `no`, `1.0` and dates stay what was written.
    """
    import yaml

    strange = sorted(set(_STRANGE.findall(text)))
    free = (chr(code) for code in _STAND_INS if chr(code) not in text)
    stand_ins = dict(zip(strange, free, strict=False))
    backwards = str.maketrans({stand_in: character for character, stand_in in stand_ins.items()})
    open_nodes: list[list[Any]] = [[]]
    mappings: list[bool] = [False]
    doubtful = intact = True
    shown = text.translate(str.maketrans(stand_ins))
    try:
        for event in yaml.parse(shown, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.ScalarEvent):
                # `!x y` and `&x y` are rather an unquoted text than a tag or an anchor.
                bare, value = event.style is None, event.value
                if bare and (event.tag or event.anchor) and event.start_mark and event.end_mark:
                    value = shown[event.start_mark.index : event.end_mark.index]
                open_nodes[-1].append(None if bare and _NULL.fullmatch(value) else value.translate(backwards))
                doubtful = bare
            elif isinstance(event, yaml.AliasEvent):
                open_nodes[-1].append(None)
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(open_nodes) > _DEEPEST:
                    raise yaml.YAMLError
                open_nodes.append([])
                mappings.append(isinstance(event, yaml.MappingStartEvent))
            elif isinstance(event, yaml.CollectionEndEvent):
                _end(open_nodes, mappings)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):  # the last ones: escapes of no character
        intact = False
        if doubtful and open_nodes[-1]:
            open_nodes[-1].pop()  # half of `a: b: c` would be another value
    while len(open_nodes) > 1:
        _end(open_nodes, mappings)
    return open_nodes[0], intact


def _end(open_nodes: list[list[Any]], mappings: list[bool]) -> None:
    """Close the innermost list or mapping; an entry of a mapping that has no value or no plain key is left out."""
    children = open_nodes.pop()
    node: object = children
    if mappings.pop():
        pairs = zip(children[::2], children[1::2], strict=False)
        node = {key: value for key, value in pairs if isinstance(key, str)}
    open_nodes[-1].append(node)


BASELINE = Baseline("yaml", encode, decode, parse)
