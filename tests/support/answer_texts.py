"""Read answers of the server that are lines, to compare them with the JSON."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_HEAD = re.compile(
    r"(?:#(?P<call>\d+) )?(?P<shown>\d+) of (?P<total>\d+)(?P<truncated> truncated)?(?P<incomplete> incomplete)?"
)
_ITEM = re.compile(r" (?P<line>\d+)(?:-(?P<end>\d+))?(?P<open>\?)?(?: (?P<body>.*))?")
_FOLLOW = re.compile(r"\(([\d,]+) lines? follows?(?:, cut)?\)")
_MARKS = re.compile(r"(?: @\d+)+$")


class Item(NamedTuple):
    """What both forms of an item say."""

    path: str
    line: int
    end_line: int
    is_certain: bool
    text: str
    definitions: tuple[str, ...] = ()


class Reading(NamedTuple):
    """What both forms of an answer say."""

    reason_code: str
    counts: tuple[int, int, bool, bool]
    items: list[Item]
    owners: list[tuple[str, str, int]]


def read_text(text: str) -> Reading:
    """Read an answer that is lines."""
    lines = iter(text.split("\n"))
    reason, counts, path = "", (0, 0, False, False), ""
    items: list[Item] = []
    owners: list[tuple[str, str, int]] = []
    places: dict[str, str] = {}
    for line in lines:
        if line.startswith("! "):
            reason = line[2:].partition(":")[0]
        elif line.startswith("- "):
            uses, kind, owner = line[2:].split(" ", 2)
            owners.append((kind, owner, int(uses)))
        elif line.startswith("@"):
            number, place = line.split(" ", 1)
            places[number] = place
        elif item := _ITEM.fullmatch(line):
            body = item["body"] or ""
            marks = _MARKS.search(body) if items_have_marks(text) else None
            parts = tuple(marks[0].split()) if marks else ()
            body = body[: marks.start()] if marks else body
            if follow := _FOLLOW.search(body):
                body = body[: follow.start()].rstrip()
                for _ in range(int(follow[1].replace(",", ""))):
                    next(lines)
            first = int(item["line"])
            items.append(Item(path, first, int(item["end"] or first), not item["open"], body, parts))
        elif head := _HEAD.fullmatch(line):
            counts = int(head["shown"]), int(head["total"]), bool(head["truncated"]), bool(head["incomplete"])
        elif line.startswith("~ ") or (counts != (0, 0, False, False) and re.match(r"[a-z_]+: ", line)):
            continue
        elif follow := _FOLLOW.search(line):
            body = "\n".join(next(lines) for _ in range(int(follow[1].replace(",", ""))))
            items.append(Item(_path(line[: follow.start()].rstrip()), 0, 0, True, body))
        else:
            path = _path(line)
    changed_texts = [item._replace(definitions=tuple(places[mark] for mark in item.definitions)) for item in items]
    return Reading(reason, counts, changed_texts, owners)


def items_have_marks(text: str) -> bool:
    """Return whether the answer has a list of definitions that are meant."""
    return re.search(r"^@1 ", text, re.MULTILINE) is not None


def _path(spelled: str) -> str:
    return json.loads(spelled) if spelled.startswith('"') else spelled


def read_json(answer: dict[str, Any]) -> Reading:
    """Return the same of an answer as JSON."""
    places = {place for item in answer["items"] for place in _list(item.get("definitions"))}
    items = []
    for item in answer["items"]:
        if "line" not in item:
            items.append(Item(item["path"], 0, 0, True, item["text"]))
            continue
        within, _, _ = (item.get("qualified_name") or "").rpartition(".")
        text = " ".join(item["text"].split())
        is_certain = item.get("certain", item.get("by") != "text")
        definitions = tuple(_list(item.get("definitions"))) if len(places) > 1 else ()
        end = item.get("end_line", item["line"])
        body = f"{within}: {text}" if within else text
        items.append(Item(item["path"], item["line"], end, is_certain, body.rstrip(), definitions))
    owners = [(element["kind"], element["owner"], element["uses"]) for element in answer.get("left_out", ())]
    counts = answer["shown"], answer["total"], answer["truncated"], answer["incomplete"]
    return Reading(answer.get("reason_code", ""), counts, items, owners)


def _list(value: Any) -> list[str]:
    return value if isinstance(value, list) else []
