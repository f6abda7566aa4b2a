"""Read policies from YAML files; their keys are the fields of `Policy`.

Errors are reported with file, line and column. A field that the file does not set keeps its
default.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...core.edits.nearest import quote_line
from ...core.ground.errors import SymOpsError
from ...core.text.yaml_file import YamlFile, nearest
from ..changes import Decision
from .policy import Policy
from .policy_values import WrongValue, take_value

MAX_BYTES = 100_000  # of a file: a thousand globs, and too few for a YAML bomb to take long
_QUOTE = 'a glob that begins with a star, or looks like a number, is quoted: "*.env"'
_ANNOTATIONS = {field.name: str(field.type) for field in fields(Policy)}
_DEFAULTS = {field.name: getattr(Policy(), field.name) for field in fields(Policy)}


class PolicyError(SymOpsError):
    """A policy file is wrong; the message begins with `file:line:column:` if it has a place."""


def load_policy(path: str | Path) -> Policy:
    """Read a policy file.

    Args:
        path: A YAML file of at most 100,000 bytes.

    Returns:
        The policy, with defaults for fields that the file does not set.

    Raises:
        PolicyError: The file cannot be read, has an unknown key, or a value that its field does not
            accept.
    """
    file = YamlFile(path, "policy", PolicyError, MAX_BYTES, _DEFAULTS)
    values = {name: _read_value(file, name) for name in file.data}
    try:
        return Policy(**values)
    except ValueError:
        # Each value was accepted alone, so only their order can be wrong. The place is that of the
        # threshold that comes last in the file.
        last = [name for name in values if name in ("ask_from", "auto_from")][-1]
        ask_from = values.get("ask_from", _DEFAULTS["ask_from"])
        auto_from = values.get("auto_from", _DEFAULTS["auto_from"])
        hint = f"ask_from is {ask_from} and may not be above auto_from, which is {auto_from}"
        raise file.fail_at_key((last,), "the thresholds are out of order", hint) from None


def _read_value(file: YamlFile, name: str) -> Any:
    """Return the value of a key as its field has it; raise `PolicyError` with its place."""
    if name not in _DEFAULTS:
        hint = _suggest(name, _DEFAULTS) or f"known: {', '.join(_DEFAULTS)}"
        raise file.fail_at_key((name,), f"a policy has no setting {quote_line(name)}", hint)
    value = file.data[name]
    try:
        return take_value(_ANNOTATIONS[name], value)
    except WrongValue as error:
        if error.index is not None:
            place = (name, str(error.index))
            raise file.fail(place, f"a glob of `{name}` is a text", _QUOTE) from None
        expected = error.expected.replace("tuple", "list")  # the word of YAML
        raise file.fail((name,), f"`{name}` is {expected}", _advise(name, value)) from None


def _advise(name: str, value: object) -> str:
    """Return what to write instead of a wrong value, or an empty string."""
    default = _DEFAULTS[name]
    if isinstance(default, tuple):
        return f'write {name}: ["…", "…"]'
    if isinstance(default, Decision) and isinstance(value, str):
        return _suggest(value, map(str, Decision))
    return ""


def _suggest(word: str, words: Iterable[str]) -> str:
    similar = nearest(word, words)
    return f"did you mean `{similar}`?" if similar else ""
