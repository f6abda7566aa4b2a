"""YAML as models write it: a list of sections, with contents as literal blocks (`content: |`).

The decoder reads the events of PyYAML, so that the values before a mistake are kept. A reply that
is not YAML is read item by item: unchanged, then with its tabs and unquoted values corrected, then
up to the mistake.
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
from .sections import (
    KIND,
    find_sections,
    read_exactly,
    to_mapping,
    unused_characters,
    writable_sections,
)

_STEP = "  "
# The characters that YAML keeps. A carriage return or U+2028 in a block is read as a line feed.
_PRINTABLE = "\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_BLOCK = re.compile(rf"(?=[\s\S]*[^ \n])[{_PRINTABLE}\n]+")
# A text that needs no quotes: `src/a.py`, `run it`; not `a: b` or `- a`.
_PLAIN = re.compile(rf"(?=[^\W_]|[./_(])(?![\s\S]*(?:[:] |[:]\Z| #|\t|\s\Z))[{_PRINTABLE}]+")
# A text that YAML reads as a number, a date, a truth value or null.
_RESOLVED = re.compile(
    r"[-+.\d][-+.\d_:eExXoTZ ]*"
    r"|0x[\da-f]+"
    r"|\.?(?:null|true|false|yes|no|on|off|y|n|inf|nan)",
    re.IGNORECASE,
)
_ESCAPED = re.compile(rf'[^{_PRINTABLE}]|[\t"\\]')
_ITEM = re.compile(rf"^([ \t]*)-[ \t]+[\"']?{KIND}[\"']?[ \t]*:", re.MULTILINE)
_FENCE = re.compile(r"^```", re.MULTILINE)
_FENCED = re.compile(r"^```[^\n]*\n([\s\S]*?)(?:^```|\Z)", re.MULTILINE)
# A key with a value on its line: `- path: src/a.py`; not `content:`.
_ENTRY = re.compile(
    r"(?P<head>(?:-[ \t]+)?[\"']?\w+[\"']?[ \t]*:)"
    r"[ \t]+(?P<value>\S(?:.*[^ \t\n])?)[ \t]*"
)
# A value that is not a plain text: the head of a block, brackets, or quotes.
_SOUND = re.compile(
    r"[|>][-+\d]*(?:\s+\#.*)?"
    r"|\[.*\]|\{.*\}"
    r'|"(?:[^"\\]|\\.)*"?'
    r"|'(?:[^']|'')*'?"
)
_CUT_CONTENT = re.compile(r"""content[ \t]*:[ \t]*(?P<quote>["'])(?P<text>.*)\Z""", re.DOTALL)
# An escape without its end, at the end of the text: `a\` or `\u12`, not `\\`.
_CUT_ESCAPE = re.compile(
    r"(?<!\\)((?:\\\\)*)\\"
    r"(?:x[\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7})?\Z"
)
_STRANGE = re.compile(rf"[^{_PRINTABLE}\n\r]")  # stops PyYAML, or is a line break for it
_MAX_DEPTH = 50  # PyYAML takes milliseconds for each bracket in another
_NULL = re.compile(r"~?|null|Null|NULL")


# ---- writing


def encode(document: Document) -> str:
    """Write a document as a YAML list of mappings, `- kind: action`; without sections as `[]`.

    A content is a literal block. If it has a carriage return or another character that a block
    cannot keep, or no visible character at all, it is in quotes. An action without a verb or a
    path raises `RenderError`, and so does a value that is not a number.
    """
    text = ""
    for section in writable_sections(document):
        lines = _write_entries(to_mapping(section), 1)
        # A block that keeps its last newlines (`|+`) would take a blank line after it for one.
        if text and not text.endswith("\n\n"):
            text += "\n"
        text += f"- {lines.removeprefix(_STEP)}"
    return text or "[]\n"


def _write_entries(mapping: dict[str, Any], depth: int) -> str:
    lines = []
    for name, value in mapping.items():
        key = _write_scalar(name, 0)
        lines.append(_write_entry(key, value, depth))
    return "".join(lines)


def _write_entry(key: str, value: object, depth: int) -> str:
    head = f"{_STEP * depth}{key}:"
    match value:
        case str():
            scalar = _write_scalar(value, depth + 1, is_block=key == "content")
            return f"{head} {scalar}\n"
        case dict():
            return f"{head}\n{_write_entries(value, depth + 1)}"
        case list():
            indent = _STEP * (depth + 1)
            lines = [head]
            for item in value:
                text = _write_item(item, depth + 2)
                lines.append(f"{indent}- {text}")
            return "\n".join(lines) + "\n"
    number = json.dumps(value)
    if "." not in number:
        number = number.replace("e", ".0e")  # 1e-05 is a text in YAML
    return f"{head} {number}\n"


def _write_item(item: object, depth: int) -> str:
    if isinstance(item, list):  # a pair
        parts = [_quote(str(part)) for part in item]
        return f"[{', '.join(parts)}]"
    return _write_scalar(str(item), depth)


def _write_scalar(text: str, depth: int, *, is_block: bool = False) -> str:
    is_block = is_block or "\n" in text
    if is_block and depth and _BLOCK.fullmatch(text):
        return _write_block(text, _STEP * depth)
    if _PLAIN.fullmatch(text) and not _RESOLVED.fullmatch(text):
        return text
    return _quote(text)


def _write_block(text: str, indent: str) -> str:
    """Write a literal block, without the newline that ends its last line."""
    body = text.rstrip("\n")
    newlines = len(text) - len(body)
    header = "|"
    if text[0] in " \n":
        # Without the number, the block would have the indentation of its first line.
        header += str(len(_STEP))
    if newlines != 1:
        header += "+" if newlines else "-"
    # Blank lines have no indentation.
    lines = [indent + line if line else "" for line in body.split("\n")]
    block = "\n".join([header, *lines])
    return block + "\n" * max(0, newlines - 1)


def _quote(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    if match[0] == '"':
        return '\\"'
    # YAML has the same escapes as Python, but for the quote.
    return match[0].encode("unicode_escape").decode()


# ---- reading


def parse(text: str) -> Document | None:
    """Read a reply that is YAML with the right structure; None for any other."""
    import yaml

    try:
        return read_exactly(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError):
        return None


def decode(text: str) -> Document:
    """Read the sections of a reply in YAML, also of a damaged one.

    If the reply ends inside the quoted content of an action, that is `TRUNCATED`. If its item could
    not be read to the end, it is `SUSPECT`. A truncated literal block cannot be detected: it has no
    closer. Raises only `SymOpsError`, if PyYAML is not installed.
    """
    load_library("yaml", EXTRA)
    item = _ITEM.search(text)
    if item is None:  # probably not a list, or one in brackets
        fenced = _FENCED.search(text)
        values, _ = _read_events(fenced[1] if fenced else text)
        return Document(tuple(find_sections(values)))
    body = _until_fence(text, item.start())
    values, is_intact = _read_events(body)
    if is_intact:
        return Document(tuple(find_sections(values)))
    return Document(tuple(_read_items(body, item[1])))


def _until_fence(text: str, start: int) -> str:
    """Return a list without the fence after it, and without what follows.

    The lines of a content are indented, so that a fence in the first column after the last item is
    not part of it.
    """
    *_, last = _ITEM.finditer(text, start)
    fence = _FENCE.search(text, last.end())
    if fence:
        return text[start : fence.start()]
    return text[start:]


def _read_items(text: str, indent: str) -> Iterator[Section]:
    """Read each item of a list that is not YAML."""
    # Deeper items are in another list.
    starts = [match.start() for match in _ITEM.finditer(text) if match[1] == indent]
    ends = [*starts[1:], len(text)]
    for start, end in zip(starts, ends, strict=True):
        item, is_unsure = _split_leftover(text[start:end])
        is_last = end == len(text)
        yield from _read_item(item, is_last=is_last, is_unsure=is_unsure)


def _split_leftover(text: str) -> tuple[str, bool]:
    """Return an item up to a line that is not indented, and whether that line follows directly.

    Then it may be a line of a content that was not indented; after a blank line it is prose.
    """
    lines = text.splitlines(keepends=True)
    width = _width(lines[0])
    for number, line in enumerate(lines[1:], 1):
        if line.strip() and _width(line) <= width:
            is_close = bool(lines[number - 1].strip())
            item = "".join(lines[:number])
            return item, is_close and not _FENCE.match(line)
    return text, False


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _read_item(item: str, *, is_last: bool, is_unsure: bool) -> Iterator[Section]:
    damage = Completeness.SUSPECT if is_unsure else None
    values, is_intact = _read_events(item)
    if not is_intact:
        item = _mend(item)
        values, is_intact = _read_events(item)
    closed = _close(item) if is_last and not is_intact else None
    if closed:
        values, is_intact = _read_events(closed)
        damage = Completeness.TRUNCATED
    if not is_intact:
        damage = Completeness.SUSPECT
    for section in find_sections(values):
        if damage and isinstance(section, Action):
            section = replace(section, completeness=damage)
        yield section


def _mend(item: str) -> str:
    """Correct the most frequent mistakes: tabs as indentation, and values without quotes."""
    lines = []
    for line in item.split("\n"):
        text = line.lstrip(" \t")
        blanks = line.removesuffix(text)
        # An entry is one step deep and the lines of its block two: further tabs are content.
        lines.append(blanks.replace("\t", _STEP, 2) + text)
    lines[0] = re.sub(r"-[ \t]+", "- ", lines[0], count=1)
    depth = _width(lines[0]) + len(_STEP)
    for number, line in enumerate(lines):
        width = _width(line)
        if number and width != depth:
            continue
        entry = _ENTRY.fullmatch(line.rstrip("\r"), width)
        # `text: a: b` needs quotes.
        if entry and not _SOUND.fullmatch(entry["value"]):
            head = line[: entry.end("head")]
            quoted = _quote(entry["value"])
            lines[number] = f"{head} {quoted}"
    return "\n".join(lines)


def _close(item: str) -> str | None:
    """Close the quoted content at the end of a text; None if the text does not end in one."""
    match = _CUT_CONTENT.search(item)
    if match is None:
        return None
    if match["quote"] == "'":
        return item + "'"
    return _CUT_ESCAPE.sub(r"\1", item) + '"'


class _Entries(list[Any]):
    """The keys and values of a mapping that is open."""


def _end(open_nodes: list[list[Any]]) -> None:
    """Close the innermost node. Entries without a value or a plain key are left out."""
    children = open_nodes.pop()
    node: object = children
    if isinstance(children, _Entries):
        pairs = zip(children[::2], children[1::2], strict=False)
        node = {key: value for key, value in pairs if isinstance(key, str)}
    open_nodes[-1].append(node)


def _read_events(text: str) -> tuple[list[object], bool]:
    """Return the values of a text up to a mistake, and whether all of it is YAML.

    Scalars are texts or None, and aliases None. Types are not resolved, so that `no`, `1.0` and
    dates remain unchanged.
    """
    import yaml

    # PyYAML gets other characters for those that it rejects.
    strange = sorted(set(_STRANGE.findall(text)))
    stand_ins = dict(zip(strange, unused_characters(text), strict=False))
    originals = {ord(stand_in): character for character, stand_in in stand_ins.items()}
    accepted = text.translate(str.maketrans(stand_ins))
    open_nodes: list[list[Any]] = [[]]
    is_plain = is_intact = True
    try:
        for event in yaml.parse(accepted, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.ScalarEvent):
                is_plain = event.style is None
                value = _scalar(event, accepted) if is_plain else event.value
                if value is not None:
                    value = value.translate(originals)
                open_nodes[-1].append(value)
            elif isinstance(event, yaml.AliasEvent):
                open_nodes[-1].append(None)
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(open_nodes) > _MAX_DEPTH:
                    raise yaml.YAMLError
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                open_nodes.append(_Entries() if is_mapping else [])
            elif isinstance(event, yaml.CollectionEndEvent):
                _end(open_nodes)
    # Other errors than YAMLError come from escapes without a character.
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        is_intact = False
        if is_plain and open_nodes[-1]:
            open_nodes[-1].pop()  # the begin of `a: b: c` would be another value
    while len(open_nodes) > 1:
        _end(open_nodes)
    return open_nodes[0], is_intact


def _scalar(event: Any, text: str) -> str | None:
    """Return a scalar without quotes; None if it is null."""
    value: str = event.value
    if event.tag or event.anchor:
        # `!x y` and `&x y` are probably a text without quotes, not a tag or an anchor.
        start = event.start_mark.index
        value = text[start : event.end_mark.index]
    if _NULL.fullmatch(value):
        return None
    return value


BASELINE = Baseline("yaml", encode, decode, parse)
