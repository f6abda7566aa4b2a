"""Answers as lines, for models: a third of the tokens of JSON, with the same items.

    #12 3 of 264 truncated incomplete       the call, how many items, and what is missing
    auth/service.py                         a path, once for its items
     2-6 AuthService: def login(self):      lines, what it is in, its text
     64? login()                            ? is not certain: it may be another thing of this name
     80 return login() @1                   which of several definitions is meant
    app.py (2 lines follow)                 the text of a file that was opened
    @1 auth/service.py:2
    - 48 definition diagnostics/error.rs:67 who owns uses that are left out
    ~ a note
    words: ["login"]                        whatever else the answer has, as JSON

A refusal begins with `! reason_code: message`. Columns and scores are left out; items are in their
order. Empty values are left out. The tests hold a reader of this form, and compare it with the JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from ...core.ground.numbers import counted

_PLAIN_PATH = re.compile(r'[^\s:"][^\s:]*')
Answer = Mapping[str, Any]
# Members of an answer that have lines of their own, or that follow from the items.
_SPELLED = frozenset((
    "ok", "call", "items", "shown", "total", "truncated", "incomplete", "files", "notes", "left_out",
    "error", "reason_code", "message", "gaps", "recovery",
))  # fmt: skip
# Members of an item that its line shows, and those that a model does not need: it has the line.
_SHOWN = frozenset((
    "path", "line", "end_line", "text", "certain", "definitions", "name", "kind", "qualified_name",
    "source", "source_truncated", "truncated", "column", "by", "score", "patterns",
))  # fmt: skip


def spell_answer(answer: Answer) -> str:
    """Return an answer as lines; several answers are separated by an empty line."""
    if "answers" in answer:
        return "\n\n".join(spell_answer(part) for part in answer["answers"])
    return "\n".join(_lines(answer))


def _lines(answer: Answer) -> Iterator[str]:
    reason = answer.get("message") or answer.get("error")
    if reason:
        yield f"! {answer.get('reason_code', 'failed')}: {_flat(reason)}"
    if "items" in answer:
        call = f"#{answer['call']} " if "call" in answer else ""
        states = [word for word in ("truncated", "incomplete") if answer.get(word)]
        yield " ".join([f"{call}{answer['shown']} of {answer['total']}", *states])
        yield from _item_lines(answer["items"])
    owners = answer.get("left_out", ())
    for owner in owners:
        yield f"- {owner['uses']} {owner['kind']} {owner['owner']}"
    for note in answer.get("notes", ()):
        # The note names the first owners, which have lines already.
        is_listed = bool(owners) and note.endswith(_note_of(owners))
        yield f"~ {note.removesuffix(_note_of(owners)) if is_listed else note}"
    for name, value in answer.items():
        if name not in _SPELLED and (spelled := _spell(value)):
            yield f"{name}: {spelled}"


def _note_of(owners: list[dict[str, Any]]) -> str:
    named = [f"{owner['uses']} of {owner['owner']}" for owner in owners[:5]]
    return ": " + ", ".join([*named, "…"] if len(owners) > 5 else named)


def _item_lines(items: list[dict[str, Any]]) -> Iterator[str]:
    meant = dict.fromkeys(place for item in items for place in _definitions(item))
    numbers = {place: f"@{number}" for number, place in enumerate(meant, 1)} if len(meant) > 1 else {}
    for path, group in groupby(items, key=lambda item: item["path"]):
        rows = list(group)
        has_lines = all("line" in item and "bytes" not in item for item in rows)
        if has_lines:
            yield _spell_path(path)
        for item in rows:
            head = f" {_span(item)} " if has_lines else f"{_spell_path(path)} "
            marks = [numbers[place] for place in _definitions(item) if numbers]
            yield " ".join([head + _body(item), *marks]).rstrip()
            yield from _text_lines(item)
    for place, number in numbers.items():
        yield f"{number} {place}"


def _spell_path(path: str) -> str:
    """Return a path; one with a blank or a colon could be another line, and is spelled as JSON."""
    return path if _PLAIN_PATH.fullmatch(path) else json.dumps(path)


def _definitions(item: Answer) -> list[str]:
    value = item.get("definitions")
    return value if isinstance(value, list) else []


def _span(item: Answer) -> str:
    end = item.get("end_line", item["line"])
    last = f"-{end}" if end != item["line"] else ""
    is_certain = item.get("certain", item.get("by") != "text")
    return f"{item['line']}{last}{'' if is_certain else '?'}"


def _body(item: Answer) -> str:
    if _is_long(item):
        return _announce(item["text"], item.get("truncated")) + _others(item)
    name = item.get("qualified_name") or item.get("name") or ""
    text = _flat(item.get("text") or f"{item.get('kind', '')} {name}")
    within, _, _ = str(name).rpartition(".")
    body = f"{within}: {text}" if within and "text" in item else text
    if "source" in item:
        body += " " + _announce(item["source"], item.get("source_truncated"))
    return body + _others(item)


def _announce(text: Any, is_cut: Any) -> str:
    """Return how many lines of a text come next, so that none of them is taken for a line of the answer."""
    lines = counted(str(text).count("\n") + 1, "line follows", "lines follow")
    return f"({lines}, cut)" if is_cut else f"({lines})"


def _others(item: Answer) -> str:
    """Return the members of an item that have no place of their own, such as the size of a file."""
    parts = []
    for name, value in item.items():
        is_count = name == "definitions" and isinstance(value, int)
        if (name not in _SHOWN or is_count) and value not in (None, "", [], {}, False):
            parts.append(f"{name} {_spell(value)}")
    return f" [{', '.join(parts)}]" if parts else ""


def _is_long(item: Answer) -> bool:
    return "text" in item and "line" not in item


def _text_lines(item: Answer) -> Iterator[str]:
    if _is_long(item):
        yield str(item["text"])
    elif "source" in item:
        yield str(item["source"])


def _spell(value: Any) -> str:
    """Return a value on one line, without what is empty in it; empty if nothing is left."""
    pruned = _prune(value)
    if isinstance(pruned, str) and "\n" not in pruned:
        return pruned
    if pruned in (None, [], {}):
        return ""
    return json.dumps(pruned, ensure_ascii=False, separators=(", ", ": "))


def _prune(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {name: _prune(part) for name, part in value.items()}
        return {name: part for name, part in kept.items() if part not in (None, "", [], {})}
    if isinstance(value, list | tuple):
        return [_prune(part) for part in value]
    return value


def _flat(text: Any) -> str:
    return " ".join(str(text).split())
