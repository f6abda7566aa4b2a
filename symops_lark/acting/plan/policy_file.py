"""Policies written as YAML files: the fields of `Policy` are the keys; a mistake is told with its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.text.yaml_file import YamlFile, nearest
from ..changes import Decision
from ..files.endings import quote_line
from .policy import Policy
from .policy_values import WrongValue, take_value

MAX_BYTES = 100_000  # of a file
_QUOTE = 'a glob that begins with a star, or looks like a number, is quoted: "*.env"'
_ANNOTATIONS = {field.name: str(field.type) for field in fields(Policy)}
_DEFAULTS = {field.name: getattr(Policy(), field.name) for field in fields(Policy)}


class PolicyError(SymOpsError):
    """A policy file is wrong; the message begins with `file:line:column:` where there is a place."""


def load_policy(path: str | Path) -> Policy:
    """Read a policy; what the file does not set stays as it is. Raises `PolicyError`."""
    file = YamlFile(path, "policy", PolicyError, MAX_BYTES, _DEFAULTS)
    values = {name: _value(file, name) for name in file.data}
    try:
        return Policy(**values)
    except ValueError:
        last = [name for name in values if name in ("ask_from", "auto_from")][-1]
        low, high = (values.get(name, _DEFAULTS[name]) for name in ("ask_from", "auto_from"))
        hint = f"ask_from is {low} and may not be above auto_from, which is {high}"
        raise file.fail_at_key((last,), "the thresholds are out of order", hint) from None


def _value(file: YamlFile, name: str) -> Any:
    if name not in _DEFAULTS:
        hint = _hint(name, _DEFAULTS) or f"known: {', '.join(_DEFAULTS)}"
        raise file.fail_at_key((name,), f"a policy has no setting {quote_line(name)}", hint)
    value, annotation = file.data[name], _ANNOTATIONS[name]
    try:
        return take_value(annotation, value)
    except WrongValue as wrong:
        if wrong.index is not None:
            raise file.fail((name, str(wrong.index)), f"a glob of `{name}` is a text", _QUOTE) from None
        raise file.fail((name,), f"`{name}` is {wrong.wanted.replace('tuple', 'list')}", _advise(name, value)) from None


def _advise(name: str, value: object) -> str:
    """Return what to write in place of a wrong value, or an empty text."""
    if isinstance(_DEFAULTS[name], tuple):
        return f'write {name}: ["…", "…"]'
    known = [str(decision) for decision in Decision]
    return _hint(value, known) if isinstance(value, str) and isinstance(_DEFAULTS[name], Decision) else ""


def _hint(word: str, known: Iterable[str]) -> str:
    return f"did you mean `{near}`?" if (near := nearest(word, known)) else ""
