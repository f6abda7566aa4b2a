"""Check the values of a rule file, key by key, and report each error with its place.

`check_values` checks types, `check_required` the keys that every rule has, and `check_verb` what
the verb of the rule needs. They run in this order, and each relies on those before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from ..text.yaml_file import Keys, YamlFile
from .rule import CONTENT_VERBS, LINE_VERBS, ROLES, SECTION_ROLES, STRUCTURE_VERBS, TEXT_VERBS
from .wrappers import WRAPPERS

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
_MAX_EXCERPT = 50  # characters of a key in a message
REQUIRED = ("id", "phase", "why", "cost", "examples", "unchanged")
ROW_NAME = r"<(\w+)>"  # a name that a row of `each` replaces
_TOUCHES = (
    "markup",  # the default: no content of a file changes
    "content",
    "everything",
)
_ARGUMENTS: dict[str, tuple[str, ...]] = {  # the keys that a verb needs
    "replace": ("pattern", "with"),
    "replace_all": ("pattern", "with"),
    "replace_text": ("pattern", "with"),
    "lowercase": ("pattern",),
    "translate_words": ("pattern", "words"),
    "translate_characters": ("characters",),
}


def check_values(file: YamlFile) -> None:
    """Raise the file's error for the first value whose type is not that of its key.

    Values of unknown keys are not checked, nor whether required keys are there.
    """
    data = file.data
    for key, value in data.items():
        kind = _TYPES.get(key)
        if kind is not None:
            _check(file, (key,), value, kind)
    _check_lines(file, data.get("lines", ()))
    _check_unchanged(file, data.get("unchanged"))
    translation = data.get("translate_characters") or {}
    for character in translation.get("characters", ()):
        if len(character) != 1:
            raise file.fail(("translate_characters",), f"expected one character, got {character!r}")


def _check_lines(file: YamlFile, lines: Any) -> None:
    if lines == "all":
        return
    is_valid = False
    if isinstance(lines, list | tuple):
        is_valid = all(isinstance(line, str) for line in lines)
    if not is_valid:
        raise file.fail(("lines",), "lines: expected `all` or a list of texts")


def _check_unchanged(file: YamlFile, items: Any) -> None:
    if not isinstance(items, list):
        return  # reported with the other required keys
    for index, item in enumerate(items):
        keys = ("unchanged", str(index))
        if not isinstance(item, dict):
            _check(file, keys, item, str)
            continue
        _check(file, keys, item, _UNCHANGED)
        if "text" not in item:
            raise file.fail(keys, "expected a text, or a mapping with `text`")


def _check(file: YamlFile, keys: Keys, value: Any, kind: Any) -> None:
    """Raise the file's error if the value under some keys, or one inside it, has another type."""
    if isinstance(kind, dict) and isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(name, str):
                excerpt = str(name)[:_MAX_EXCERPT]
                raise file.fail(keys, f"{keys[-1]} has {excerpt!r} for a key: put quotes around it")
            # The type of any key, or that of this one; unknown keys are not checked.
            inner_kind = kind.get("", kind.get(name))
            if inner_kind is not None:
                _check(file, (*keys, name), inner, inner_kind)
        return
    if isinstance(kind, list) and isinstance(value, list):
        inner_kind = kind[0]
        for index, inner in enumerate(value):
            _check(file, (*keys, str(index)), inner, inner_kind)
        return
    # `isinstance` would take true for a number.
    fits = type(value) in _classes_of(kind)
    if isinstance(value, float) and not isfinite(value):
        fits = False
    if not fits:
        expected = _describe(kind)
        raise file.fail(keys, f"{keys[-1]}: expected {expected}")


def _classes_of(kind: Any) -> tuple[Any, ...]:
    """Return the classes of a type that is one, or several."""
    if isinstance(kind, tuple):
        return kind
    return (kind,)


def _describe(kind: Any) -> str:
    """Return what a type is called in a message."""
    if isinstance(kind, dict):
        if "" in kind:
            return "a mapping"
        keys = ", ".join(kind)
        return f"a mapping with {keys}"
    if isinstance(kind, list):
        entry = _describe(kind[0])
        return f"a list; each entry is {entry}"
    names = []
    for one_class in _classes_of(kind):
        name = _NAMES[one_class]
        if name not in names:
            names.append(name)
    return " or ".join(names)


def check_required(file: YamlFile) -> None:
    """Raise the file's error for a mistake in the keys that every rule has."""
    data = file.data
    for key in REQUIRED:
        if key not in data:
            raise file.fail_at_key(("id",), f"the key {key!r} is missing")
    name = re.sub(ROW_NAME, r"\1", str(data["id"]))
    if name != file.name:
        raise file.fail(("id",), f"the id {data['id']!r} is not the file's name {file.name!r}")
    touches = data.get("touches", "markup")
    if touches not in _TOUCHES:
        choices = ", ".join(_TOUCHES)
        raise file.fail(("touches",), f"touches: expected one of {choices}")
    if data["cost"] <= 0:
        raise file.fail(("cost",), "cost: expected a number above 0")
    for key in ("examples", "unchanged"):
        entries = data[key]
        if not isinstance(entries, list) or not entries:
            raise file.fail((key,), f"{key}: expected a list with at least one entry")


def check_verb(file: YamlFile, verb: str) -> None:
    """Raise the file's error if the verb lacks a key that it needs, or has an invalid value."""
    data = file.data
    roles = roles_of(data)
    has_roles = bool(roles) and set(roles) <= set(ROLES)
    if verb in LINE_VERBS and not has_roles:
        choices = ", ".join(ROLES)
        message = f"{verb} needs `lines` (the roles of its lines): `all`, or some of {choices}"
        raise file.fail(("lines",), message)
    if verb in STRUCTURE_VERBS and not data.get("mistakes"):
        message = f"{verb} needs `mistakes` (mistakes of a recovery grammar) that it answers"
        raise file.fail((verb,), message)
    touches = data.get("touches", "markup")
    changes_content = verb in TEXT_VERBS or verb in CONTENT_VERBS
    if changes_content and touches == "markup":
        declare = "declare `touches: content` or `touches: everything`"
        raise file.fail((verb,), f"{verb} changes more than markup: {declare}")
    argument = data[verb]
    if verb == "unwrap_text" and argument not in WRAPPERS:
        choices = ", ".join(sorted(WRAPPERS))
        raise file.fail((verb,), f"unwrap_text: expected one of {choices}")
    needed = _ARGUMENTS.get(verb)
    if needed is None:
        return
    if set(needed) - argument.keys():
        quoted = [f"`{key}`" for key in needed]
        keys = " and ".join(quoted)
        raise file.fail((verb,), f"{verb} needs {keys}")


def roles_of(data: dict[str, Any]) -> tuple[str, ...]:
    """Return the roles under `lines` in the data of a rule file; empty if there are none."""
    roles = data.get("lines", ())
    if roles == "all":
        return SECTION_ROLES
    return tuple(roles)
