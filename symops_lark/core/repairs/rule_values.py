"""Check the types of the values in a rule file, key by key, with the place of each error."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from ..text.yaml_file import Keys, YamlFile

# A type is one of: a class; several classes; [type] for a list; {"": type} for a mapping with any
# keys; {key: type} for a mapping with these keys.
_WORD = (str, int, float)  # YAML reads an unquoted 1 or 0.9 as a number
_PATTERN = {"pattern": _WORD, "with": _WORD, "unless": _WORD}
_EXAMPLE = {"before": str, "after": str, "dialect": str}
_UNCHANGED = {"text": str, "dialect": str}
_TYPES: Mapping[str, Any] = {
    "id": str,
    "phase": str,
    "why": str,
    "summary": str,
    "touches": str,
    "dialects": [str],
    "mistakes": [str],
    "without": [str],
    "cost": (int, float),
    "weak": bool,
    "each": [{"": _WORD}],
    "examples": [_EXAMPLE],
    "replace": _PATTERN,
    "replace_all": _PATTERN,
    "replace_text": _PATTERN,
    "unwrap_text": str,
    "lowercase": _PATTERN,
    "translate_words": {"pattern": _WORD, "loose": bool, "words": {"": _WORD}},
    "translate_characters": {"leading": bool, "characters": {"": _WORD}},
}
_NAMES = {str: "a text", int: "a number", float: "a number", bool: "true or false"}
_MAX_SHOWN = 50  # characters of a key in a message


def check_values(file: YamlFile) -> None:
    """Raise the file's error for the first value whose type is not that of its key.

    Values of unknown keys are not checked, nor whether required keys are there.
    """
    data = file.data
    for key, value in data.items():
        if key in _TYPES:
            _check(file, (key,), value, _TYPES[key])
    _check_lines(file, data.get("lines", ()))
    _check_unchanged(file, data.get("unchanged"))
    translation = data.get("translate_characters") or {}
    for character in translation.get("characters", ()):
        if len(character) != 1:
            raise file.fail(("translate_characters",), f"expected one character, got {character!r}")


def _check_lines(file: YamlFile, lines: Any) -> None:
    if lines == "all":
        return
    is_list = isinstance(lines, list | tuple)
    if not is_list or not all(isinstance(line, str) for line in lines):
        raise file.fail(("lines",), "lines: expected `all` or a list of texts")


def _check_unchanged(file: YamlFile, items: Any) -> None:
    if not isinstance(items, list):
        return  # reported with the other required keys
    for index, item in enumerate(items):
        keys = ("unchanged", str(index))
        _check(file, keys, item, _UNCHANGED if isinstance(item, dict) else str)
        if isinstance(item, dict) and "text" not in item:
            raise file.fail(keys, "expected a text, or a mapping with `text`")


def _check(file: YamlFile, keys: Keys, value: Any, kind: Any) -> None:
    """Raise the file's error if the value under some keys, or one inside it, has another type."""
    if isinstance(kind, dict) and isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(name, str):
                excerpt = str(name)[:_MAX_SHOWN]
                message = f"{keys[-1]} has {excerpt!r} for a key: put quotes around it"
                raise file.fail(keys, message)
            if "" in kind or name in kind:
                _check(file, (*keys, name), inner, kind.get("", kind.get(name)))
        return
    if isinstance(kind, list) and isinstance(value, list):
        for index, inner in enumerate(value):
            _check(file, (*keys, str(index)), inner, kind[0])
        return
    classes = kind if isinstance(kind, tuple) else (kind,)
    # `isinstance` would take true for a number.
    fits = type(value) in classes
    if not fits or (isinstance(value, float) and not isfinite(value)):
        raise file.fail(keys, f"{keys[-1]}: expected {_describe(kind)}")


def _describe(kind: Any) -> str:
    """Return what a type is called in a message."""
    if isinstance(kind, dict):
        if "" in kind:
            return "a mapping"
        return f"a mapping with {', '.join(kind)}"
    if isinstance(kind, list):
        return f"a list; each entry is {_describe(kind[0])}"
    classes = kind if isinstance(kind, tuple) else (kind,)
    names = dict.fromkeys(_NAMES[one_class] for one_class in classes)  # each name once
    return " or ".join(names)
