"""Write a page for each JSON Schema: `python -m tools.schema_pages TARGET`.

The text of a page comes from the schemas that `symops schema` prints. Each object is a table with a
row for each member; the members of an object inside of another one have a dotted name.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from symops_lark import schema
from symops_lark.core.ground.schemas import SCHEMAS

Schema = dict[str, Any]
_MARKUP = {ord(sign): f"&#{ord(sign)};" for sign in "|[]*_\\"}
# The bounds of numbers, texts and lists, as a reader writes them.
_BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "minLength": "≥ {} characters",
    "maxLength": "≤ {} characters",
    "minItems": "≥ {} items",
    "maxItems": "≤ {} items",
}


def write_pages(target: Path) -> None:
    """Write the pages, and one that lists them.

    Args:
        target: The folder of the pages.
    """
    target.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in SCHEMAS:
        tree = schema(name)
        page = "".join(_describe(name, tree))
        (target / f"{name}.md").write_text(page, encoding="utf-8")
        rows.append(f"| [`{name}`]({name}.md) | {_cell(tree['title'])} |\n")
    index = "# JSON Schemas\n\n| schema | |\n|---|---|\n" + "".join(rows)
    (target / "index.md").write_text(index, encoding="utf-8")


def _describe(name: str, tree: Schema) -> Iterator[str]:
    yield f"# JSON Schema {name}\n\n{_cell(tree['title'])}.\n\n"
    yield f"```sh\nsymops schema {name}\n```\n\n"
    yield from _describe_part(tree)
    for part, inner in tree.get("$defs", {}).items():
        yield f"## {part}\n\n"
        yield from _describe_part(inner)


def _describe_part(part: Schema) -> Iterator[str]:
    """Yield the description of an object with the table of its members, or of another value."""
    if "description" in part:
        yield f"{_cell(part['description'])}\n\n"
    members = list(_list_members(part, ""))
    if members:
        yield "| member | value | |\n|---|---|---|\n" + "".join(members) + "\n"
    else:
        yield f"{_write_value(part)}\n\n"


def _list_members(part: Schema, path: str) -> Iterator[str]:
    required = part.get("required", ())
    for name, member in part.get("properties", {}).items():
        value = _write_value(member)
        if name not in required:
            value += ", optional"
        yield f"| `{path}{name}` | {value} | {_cell(member.get('description', ''))} |\n"
        # The members of a list's items are written `name[].member`.
        items = member.get("items", {})
        inner, suffix = (items, "[].") if isinstance(items, dict) and items else (member, ".")
        yield from _list_members(inner, f"{path}{name}{suffix}")


def _write_value(part: Schema) -> str:
    """Return the kinds of a value, with links to the parts that it refers to."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})" if name != "#" else "this schema"
    if "const" in part or "enum" in part:
        values = part.get("enum") or [part["const"]]
        return ", ".join(_code(json.dumps(value, ensure_ascii=False)) for value in values)
    choices = part.get("oneOf") or part.get("anyOf")
    if choices and "properties" not in part:
        return " or ".join(map(_write_value, choices))
    kinds = part.get("type", "any value")
    kind = kinds if isinstance(kinds, str) else " or ".join(kinds)
    bounds = [text.format(part[key]) for key, text in _BOUNDS.items() if key in part]
    if "pattern" in part:
        bounds.append(_code(part["pattern"]))
    if kind == "array" and isinstance(part.get("items"), dict):
        kind = f"array of {_write_value(part['items'])}"
    return ", ".join([kind, *bounds])


def _code(text: str) -> str:
    """Return a text as code, in which no sign is markup of Markdown or of a table."""
    return f"<code>{_escape(text)}</code>"


def _escape(text: str) -> str:
    return escape(text, quote=False).translate(_MARKUP)


def _cell(text: str) -> str:
    """Return a text for a cell of a table; code in backquotes stays code."""
    pieces = " ".join(text.split()).split("`")
    pieces[::2] = [_escape(piece) for piece in pieces[::2]]
    pieces[1::2] = map(_code, pieces[1::2])
    return "".join(pieces)


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
