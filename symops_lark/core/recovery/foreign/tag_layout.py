"""Replies that are tags: one for each file, or tool calls. If anything is not understood, nothing is."""

from __future__ import annotations

from ...grammar.dialect import Dialect
from ...patterns.regexes import compile_pattern
from .actions import ForeignAction, find_verb, group_of
from .json_layout import read_json_between, skip_blanks

_OPENING = compile_pattern(r"<([A-Za-z_]+)((?:[ \t]+[A-Za-z_-]+=\"[^\"\n]*\")*)[ \t]*>")
_ATTRIBUTE = compile_pattern(r"([A-Za-z_-]+)=\"([^\"\n]*)\"")
_PARAMETER = compile_pattern(r"[ \t\r\n]*<parameter[ \t]+name=\"([A-Za-z_-]+)\"[ \t]*>")
_AROUND = compile_pattern(r"</?(?:function_calls|tool_calls|files|actions|response)[ \t]*>[ \t]*\n?")
_PATHS = ("path", "name", "file", "filename")
_CONTENTS = ("content", "contents", "text", "code", "file_text")


def read_tags(text: str, dialect: Dialect) -> list[ForeignAction]:
    """Return the actions of a reply that is nothing but tags; none if anything in it is not understood."""
    actions: list[ForeignAction] = []
    at = _skip(text, 0)
    while at < len(text):
        opening = _OPENING.match(text, at)
        end = _find_end(text, opening[1], opening.end()) if opening else -1
        if opening is None or end < 0:
            return []
        attributes = dict(_ATTRIBUTE.findall(opening[2]))
        inside = (opening.end(), end)
        if _holds_another(text[opening.end() : end], opening[1]):
            return []
        stop = end + len(f"</{opening[1]}>")
        found = _read_element(text, opening[1], attributes, inside, dialect)
        if not found:
            return []
        actions += [action._replace(start=at, end=stop) for action in found]
        at = _skip(text, stop)
    return actions


def _skip(text: str, at: int) -> int:
    """Return the place behind blanks, and behind tags that stand around all of the actions."""
    while True:
        at = skip_blanks(text, at)
        around = _AROUND.match(text, at)
        if around is None:
            return at
        at = around.end()


def _find_end(text: str, name: str, start: int) -> int:
    """Return where the closing tag stands: the first one that another tag follows, or nothing more."""
    closing = f"</{name}>"
    at = text.find(closing, start)
    while at >= 0:
        behind = _skip(text, at + len(closing))
        if behind == len(text) or (text[behind] == "<" and "\n" in text[at + len(closing) : behind]):
            return at
        at = text.find(closing, at + 1)
    return -1


def _holds_another(content: str, name: str) -> bool:
    """Return whether a content ends one element and begins another of the same name: it may be two."""
    return f"</{name}>" in content and f"<{name}" in content


def _read_element(
    text: str, name: str, attributes: dict[str, str], inside: tuple[int, int], dialect: Dialect
) -> list[ForeignAction]:
    if name in ("tool_call", "function_call"):
        return read_json_between(text, *inside, dialect)
    if name == "invoke":
        return _read_call(text, attributes, inside, dialect)
    verb = find_verb(attributes.get("action", "create") if name == "file" else name, dialect)
    path = next((attributes[key] for key in _PATHS if key in attributes), "")
    if path and group_of(verb, dialect) == "writing":
        start, end = _trim(text, *inside)
        return [ForeignAction(verb, path, 0, 0, start, end)]
    target = text[inside[0] : inside[1]].strip()
    short = group_of(verb, dialect) in ("running", "removing") and target and "\n" not in target
    return [ForeignAction(verb, target, 0, 0)] if short and not attributes else []


def _read_call(text: str, attributes: dict[str, str], inside: tuple[int, int], dialect: Dialect) -> list[ForeignAction]:
    """Return the action of a call whose parameters have tags."""
    fields: dict[str, tuple[int, int]] = {}
    at, stop = inside
    while (opening := _PARAMETER.match(text, at, stop)) is not None:
        closing = "</parameter>"
        end = text.find(closing, opening.end(), stop)
        while end >= 0 and not _ends_parameter(text, end + len(closing), stop):
            end = text.find(closing, end + 1, stop)
        if end < 0:
            return []
        fields[opening[1]] = (opening.end(), end)
        at = end + len(closing)
    verb = find_verb(attributes.get("name"), dialect)
    group = group_of(verb, dialect)
    target = next(
        (fields[key] for key in (("command", "cmd") if group == "running" else _PATHS) if key in fields), None
    )
    path = text[target[0] : target[1]] if target else ""
    if text[at:stop].strip() or not group or not path.strip() or "\n" in path:
        return []
    place = next((fields[key] for key in _CONTENTS if key in fields), (-1, -1))
    return [ForeignAction(verb, path.strip(), 0, 0, *place)]


def _ends_parameter(text: str, at: int, stop: int) -> bool:
    """Return whether another parameter follows, or nothing more."""
    return skip_blanks(text, at) >= stop or _PARAMETER.match(text, at, stop) is not None


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a content's place without the line breaks next to the tags."""
    start += text.startswith("\n", start)
    return start, max(start, end - text.endswith("\n", start, end))
