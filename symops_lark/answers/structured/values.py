"""What one stretch of text says as a JSON object: exactly, or repaired by a library and then compared with the text."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

from ...core.ground.numbers import counted
from .tokens import NotPlain, flatten, measure

EXTRA = "pip install 'symops-lark[structured]'"
DEEPEST = 200  # how deep objects and lists may be nested
LONGEST_REPAIR = 200_000  # characters; what is repaired has been written by a model, in one go


class Refused(ValueError):
    """A stretch of text says no value that is certain; `code` names the reason, `hint` says what to do."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code, self.hint = code, hint
        super().__init__(message)


class Value(NamedTuple):
    """What a stretch says."""

    value: Any
    repaired: bool


def read_value(text: str, start: int, end: int) -> Value:
    """Return the value of a stretch that `measure` found whole; raise `Refused` where it is not certain."""
    stretch = text[start:end]
    try:
        return Value(read_exactly(stretch), False)
    except json.JSONDecodeError:
        return Value(_repair(stretch), True)
    except RecursionError:
        raise Refused("too-deep", "objects and lists are nested too deeply") from None


def read_exactly(stretch: str) -> Any:
    """Return the value of a JSON text; raise `Refused` or `JSONDecodeError`."""
    value = json.loads(
        stretch, object_pairs_hook=_as_object, parse_constant=_refuse_constant, parse_float=_as_float, parse_int=_as_int
    )
    _check_texts(value)
    return value


def _as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        _refuse_twice(key for key, _ in pairs)
    return members


def _refuse_twice(keys: Iterable[str]) -> None:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            raise Refused(
                "duplicate-key",
                f"the name {_short(key)} stands twice in one object",
                "one of the two is wrong: ask again",
            )
        seen.add(key)


def _refuse_constant(word: str) -> Any:
    raise Refused("no-json-number", f"{word} is no number of JSON's", "null says that there is none")


def _as_float(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise Refused("number-too-large", f"the number {digits[:40]} is larger than a float can be")
    return value


def _as_int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise Refused("number-too-large", f"a whole number of {counted(len(digits), 'digit')} is too long") from None


def _check_texts(value: Any) -> None:
    """Refuse halves of surrogate pairs: they are no characters, and no file or connection takes them."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.keys()
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str) and not item.isascii():
            try:
                item.encode()
            except UnicodeEncodeError as error:
                found = f"U+{ord(item[error.start]):04X}"
                raise Refused("half-character", f"a text has half of a surrogate pair, {found}") from None


def _repair(stretch: str) -> Any:
    """Return what Python or json-repair makes of a stretch, if nothing is invented, dropped or changed."""
    if len(stretch) > LONGEST_REPAIR:
        raise Refused(
            "too-long-to-repair", f"it is no JSON, and longer than the {LONGEST_REPAIR:,} characters that are repaired"
        )
    leaves: list[object] = []
    try:
        measure(stretch, 0, leaves)
        _check_leaves(leaves)
    except Refused:
        raise
    except NotPlain as error:
        code = "no-json-number" if "number" in str(error) else "not-certain"
        raise Refused(code, f"what it says is not certain: {error}") from None
    except ValueError:
        raise Refused("number-too-large", "a whole number has too many digits") from None
    value = _read_literal(stretch)
    if not isinstance(value, dict) or flatten(value) != leaves:
        value = _repair_by_library(stretch)
    if not isinstance(value, dict) or flatten(value) != leaves:
        raise Refused("not-certain", "it is not JSON, and a repair would change what it says", "ask again for JSON")
    _check_texts(value)
    return value


def _read_literal(stretch: str) -> Any:
    """Return what a stretch says as Python, where models write the `repr` of an object; None if it is none."""
    try:
        return ast.literal_eval(stretch.lstrip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _repair_by_library(stretch: str) -> Any:
    try:
        import json_repair
    except ImportError:
        raise Refused(
            "repair-not-installed", "it is not quite JSON, and what repairs it is not installed", EXTRA
        ) from None
    try:
        return json_repair.loads(stretch, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError) as error:
        raise Refused("not-certain", f"it cannot be repaired ({type(error).__name__})") from None


def _check_leaves(leaves: list[object]) -> None:
    """Refuse names that stand twice, and numbers without an end."""
    objects: list[list[str]] = []
    for leaf in leaves:
        if leaf == ("mark", "{"):
            objects.append([])
        elif leaf == ("mark", "}"):
            _refuse_twice(objects.pop())
        elif isinstance(leaf, tuple) and leaf[0] is True:
            objects[-1].append(leaf[2])
        elif isinstance(leaf, tuple) and isinstance(leaf[-1], float) and not isfinite(leaf[-1]):
            raise Refused("number-too-large", "a number is larger than a float can be")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "…")
