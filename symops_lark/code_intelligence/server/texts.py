"""Write answers as lines for models: a third of the tokens of JSON, with the same items.

    #12 3 of 264 truncated incomplete       the call, the number of items, and what is missing
    auth/service.py                         a path, once for its items
     2-6 AuthService: def login(self):      lines, their container, their text
     64? login()                            ? is not certain: it may be another thing of this name
     80 return login() @1                   which of several definitions is meant
    app.py (2 lines follow)                 the text of a file that was opened
    @1 auth/service.py:2
    - 48 definition diagnostics/error.rs:67 an owner of uses that are left out
    ~ a note
    words: ["login"]                        other members of the answer, as JSON

A refusal begins with `! reason_code: message`. Columns and scores are left out, and items are in
their order. Empty values are left out. The tests have a reader of this form, and compare it with
the JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ...core.ground.numbers import counted

_PLAIN_PATH = re.compile(r'[^\s:"][^\s:]*')
_MAX_NOTED_OWNERS = 5  # as in the note of `find_references`
_EMPTY: tuple[Any, ...] = (None, "", [], {})
Answer = Mapping[str, Any]
# Members of an answer that have separate lines, or that follow from the items.
_SPELLED = frozenset((
    "ok", "call", "items", "shown", "total", "truncated", "incomplete", "files", "notes",
    "left_out", "error", "reason_code", "message", "gaps", "recovery",
))  # fmt: skip
# Members of an item that its line shows, and those that a model does not need: it has the line.
_SHOWN = frozenset((
    "path", "line", "end_line", "text", "certain", "definitions", "name", "kind", "qualified_name",
    "source", "source_truncated", "truncated", "column", "by", "score", "patterns",
))  # fmt: skip


def spell_answer(answer: Answer) -> str:
    """Return an answer as lines; several answers are separated by an empty line."""
    if "answers" in answer:
        return "\n\n".join(map(spell_answer, answer["answers"]))
    return "\n".join(_lines(answer))


def _lines(answer: Answer) -> Iterator[str]:
    reason = answer.get("message") or answer.get("error")
    if reason:
        code = answer.get("reason_code", "failed")
        yield f"! {code}: {_flat(reason)}"
    if "items" in answer:
        head = "{shown} of {total}".format_map(answer)
        if "call" in answer:
            head = f"#{answer['call']} {head}"
        for state in ("truncated", "incomplete"):
            if answer.get(state):
                head += f" {state}"
        yield head
        yield from _item_lines(answer["items"])
    owners = answer.get("left_out", ())
    for owner in owners:
        yield "- {uses} {kind} {owner}".format_map(owner)
    for note in answer.get("notes", ()):
        # A note also lists the first owners, which have lines already.
        text = note.removesuffix(_list_owners(owners)) if owners else note
        yield f"~ {text}"
    for name, value in answer.items():
        text = "" if name in _SPELLED else _spell(value)
        if text:
            yield f"{name}: {text}"


def _list_owners(owners: Sequence[Answer]) -> str:
    names = list(map("{uses} of {owner}".format_map, owners))
    if len(names) > _MAX_NOTED_OWNERS:
        names[_MAX_NOTED_OWNERS:] = ["…"]
    return ": " + ", ".join(names)


def _item_lines(items: Sequence[Answer]) -> Iterator[str]:
    numbers = _number_definitions(items)
    # The path of consecutive items is written once.
    for path, group in groupby(items, key=lambda item: item["path"]):
        rows = list(group)
        # Files and folders, and texts of files, have no lines: their path is on each line.
        has_lines = all("line" in item and "bytes" not in item for item in rows)
        if has_lines:
            yield _spell_path(path)
        for item in rows:
            place = f" {_span(item)}" if has_lines else _spell_path(path)
            parts = [place, _body(item)]
            if numbers:
                parts += [numbers[definition] for definition in _definitions(item)]
            yield " ".join(parts).rstrip()
            if _is_long(item):
                yield str(item["text"])
            elif "source" in item:
                yield str(item["source"])
    for place, number in numbers.items():
        yield f"{number} {place}"


def _number_definitions(items: Sequence[Answer]) -> dict[str, str]:
    """Return a short name for each definition; none if there is only one."""
    numbers: dict[str, str] = {}
    for item in items:
        for definition in _definitions(item):
            numbers.setdefault(definition, f"@{len(numbers) + 1}")
    return numbers if len(numbers) > 1 else {}


def _spell_path(path: str) -> str:
    """Return a path; one with a blank or a colon could be another line, and is written as JSON."""
    return path if _PLAIN_PATH.fullmatch(path) else json.dumps(path)


def _definitions(item: Answer) -> list[str]:
    # A part of a folder has their number here.
    value = item.get("definitions")
    return value if isinstance(value, list) else []


def _span(item: Answer) -> str:
    span = str(item["line"])
    end = item.get("end_line", item["line"])
    if end != item["line"]:
        span += f"-{end}"
    # Without syntax, a definition is guessed from the text of its line.
    is_certain = item.get("certain", item.get("by") != "text")
    return span if is_certain else span + "?"


def _body(item: Answer) -> str:
    if _is_long(item):
        return _announce(item["text"], item.get("truncated")) + _further_members(item)
    # A symbol has a text, the first line of its definition; other items have their line.
    name = item.get("qualified_name") or item.get("name") or ""
    body = _flat(item.get("text") or f"{item.get('kind', '')} {name}")
    container, _, _ = str(name).rpartition(".")
    if container and "text" in item:
        body = f"{container}: {body}"
    if "source" in item:
        body += " " + _announce(item["source"], item.get("source_truncated"))
    return body + _further_members(item)


def _announce(text: Any, is_cut: Any) -> str:
    """Return the number of lines that follow, so that none of them is read as a line of items."""
    line_count = str(text).count("\n") + 1
    lines = counted(line_count, "line follows", "lines follow")
    return f"({lines}, cut)" if is_cut else f"({lines})"


def _further_members(item: Answer) -> str:
    """Return the members of an item that its line does not show, such as the size of a file."""
    parts = []
    for name, value in item.items():
        is_count = name == "definitions" and isinstance(value, int)
        if name in _SHOWN and not is_count:
            continue
        if value not in (*_EMPTY, False):
            parts.append(f"{name} {_spell(value)}")
    listed = ", ".join(parts)
    return f" [{listed}]" if parts else ""


def _is_long(item: Answer) -> bool:
    return "text" in item and "line" not in item


def _spell(value: Any) -> str:
    """Return a value on one line, without its empty members; empty if nothing is left."""
    pruned = _prune(value)
    if isinstance(pruned, str) and "\n" not in pruned:
        return pruned
    if pruned in _EMPTY:
        return ""
    return json.dumps(pruned, ensure_ascii=False, separators=(", ", ": "))


def _prune(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return list(map(_prune, value))
    if not isinstance(value, Mapping):
        return value
    members: dict[str, Any] = {}
    for name, part in value.items():
        pruned = _prune(part)
        if pruned not in _EMPTY:
            members[name] = pruned
    return members


def _flat(text: Any) -> str:
    return " ".join(str(text).split())
