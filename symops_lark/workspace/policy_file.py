"""Policies written as YAML files: the fields of `Policy` are the keys; a mistake is told with its place."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..errors import SymOpsError
from ..yaml_file import YamlFile, nearest
from .changes import Decision
from .endings import cut
from .policy import Policy

MAX_BYTES = 100_000  # of a file
_QUOTE = 'a glob that begins with a star, or looks like a number, is quoted: "*.env"'
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
        raise file.fail_at_key((name,), f"a policy has no setting {cut(name)}", hint)
    default = _DEFAULTS[name]
    if isinstance(default, tuple):
        return _globs(file, name)
    if isinstance(default, Decision):
        return _decision(file, name)
    return _number(file, name, int if isinstance(default, int) else float)


def _globs(file: YamlFile, name: str) -> tuple[str, ...]:
    globs = file.data[name]
    if not isinstance(globs, list):
        raise file.fail((name,), f"`{name}` is a list of globs", f'write {name}: ["…", "…"]')
    for index, glob in enumerate(globs):
        if not isinstance(glob, str) or not glob:
            raise file.fail((name, str(index)), f"a glob of `{name}` is a text", _QUOTE)
    return tuple(globs)


def _decision(file: YamlFile, name: str) -> Decision:
    word, known = file.data[name], [str(decision) for decision in Decision]
    if word not in known:
        hint = _hint(word, known) if isinstance(word, str) else ""
        raise file.fail((name,), f"`{name}` is one of {', '.join(known)}", hint)
    return Decision(word)


def _number(file: YamlFile, name: str, kind: type[float]) -> float:
    value = file.data[name]
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole or (kind is float and isinstance(value, float))) or not 0 <= value <= sys.maxsize:
        raise file.fail((name,), f"`{name}` is a {'whole ' if kind is int else ''}number, 0 or above")
    return kind(value)


def _hint(word: str, known: Iterable[str]) -> str:
    return f"did you mean `{near}`?" if (near := nearest(word, known)) else ""
