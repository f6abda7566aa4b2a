"""The kinds of values that a rule file holds, by key; what is of another kind is told with its place."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from ..text.yaml_file import Keys, YamlFile

# A class, several of them, [kind] for a list, {} with a kind for a mapping from texts, and a mapping of known keys.
_WORD = (str, int, float)
_PATTERN = {"pattern": _WORD, "with": _WORD, "unless": _WORD}
_EXAMPLE = {"before": str, "after": str, "dialect": str}
_KINDS: Mapping[str, Any] = {
    **dict.fromkeys(("id", "phase", "why", "summary", "touches", "unwrap_text"), str),
    "dialects": [str],
    "mistakes": [str],
    "without": [str],
    "replace": _PATTERN,
    "replace_all": _PATTERN,
    "replace_text": _PATTERN,
    "lowercase": _PATTERN,
    "cost": (int, float),
    "weak": bool,
    "each": [{"": _WORD}],
    "examples": [_EXAMPLE],
    "translate_words": {"pattern": _WORD, "loose": bool, "words": {"": _WORD}},
    "translate_characters": {"leading": bool, "characters": {"": _WORD}},
}
_NAMES = {str: "a text", int: "a number", float: "a number", bool: "true or false"}


def check_values(file: YamlFile) -> None:
    """Raise the file's error for a value that is not of the kind of its key."""
    for key, value in file.data.items():
        if key in _KINDS:
            _check(file, (key,), value, _KINDS[key])
    lines, unchanged = file.data.get("lines", ()), file.data.get("unchanged")
    if lines != "all" and not (isinstance(lines, list | tuple) and all(isinstance(line, str) for line in lines)):
        raise file.fail(("lines",), "lines is `all` or a list of texts")
    for place, item in enumerate(unchanged if isinstance(unchanged, list) else ()):
        kind = {"text": str, "dialect": str} if isinstance(item, dict) else str
        _check(file, ("unchanged", str(place)), item, kind)
        if isinstance(item, dict) and "text" not in item:
            raise file.fail(("unchanged", str(place)), "what stays unchanged is a text, or has a `text`")
    for character in (file.data.get("translate_characters") or {}).get("characters", ()):
        if len(character) != 1:
            raise file.fail(("translate_characters",), f"{character!r} is not one character")


def _check(file: YamlFile, keys: Keys, value: Any, kind: Any) -> None:
    if isinstance(kind, dict) and isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise file.fail(keys, f"{keys[-1]} has {str(name)[:50]!r} for a key: put quotes around it")
            if "" in kind or name in kind:
                _check(file, (*keys, name), inner, kind.get("", kind.get(name)))
        return
    if isinstance(kind, list) and isinstance(value, list):
        for place, inner in enumerate(value):
            _check(file, (*keys, str(place)), inner, kind[0])
        return
    classes = kind if isinstance(kind, tuple) else (kind,)
    fits = any(type(value) is one for one in classes if isinstance(one, type))
    if not fits or (isinstance(value, float) and not isfinite(value)):
        raise file.fail(keys, f"{keys[-1]} is {_describe(kind)}")


def _describe(kind: Any) -> str:
    if isinstance(kind, dict):
        return "a mapping" + (f" with {', '.join(kind)}" if "" not in kind else "")
    if isinstance(kind, list):
        return f"a list; each entry is {_describe(kind[0])}"
    return " or ".join(dict.fromkeys(_NAMES[one] for one in (kind if isinstance(kind, tuple) else (kind,))))
