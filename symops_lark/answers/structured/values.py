"""Read the value of a piece of text as JSON: exactly, or repaired and compared with the text."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

from ...core.ground.numbers import counted, grouped
from .schema.problems import shorten
from .tokens import NotPlain, flatten, measure

EXTRA = "pip install 'symops-lark[structured]'"
DEEPEST = 200  # levels of objects and lists in one another
LONGEST_REPAIR = 200_000  # characters; a model has written the text in one reply
_MAX_SHOWN = 60  # characters of a text in a message
# Errors of json_repair for texts that it cannot read.
_REPAIR_ERRORS = (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError)


class Refused(ValueError):
    """A piece of text has no certain value.

    Attributes:
        code: The reason as a word.
        hint: What to do; empty without advice.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code = code
        self.hint = hint
        super().__init__(message)


class Value(NamedTuple):
    """The value of a piece of text.

    Attributes:
        value: The value.
        repaired: Whether the text is not exactly JSON.
    """

    value: Any
    repaired: bool


def read_value(text: str, start: int, end: int) -> Value:
    """Return the value of a piece that `measure` found complete.

    Args:
        text: The whole reply.
        start: The offset of the piece.
        end: The offset after it.

    Raises:
        Refused: The value is not certain.
    """
    piece = text[start:end]
    try:
        return Value(read_exactly(piece), False)
    except json.JSONDecodeError:
        return Value(_repair(piece), True)
    except RecursionError:
        raise Refused("too-deep", "objects and lists are nested too deeply") from None


def read_exactly(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        Refused: The text has a duplicate name, or a value that JSON or Python does not have.
        json.JSONDecodeError: The text is not JSON.
    """
    value = json.loads(
        text,
        object_pairs_hook=_as_object,
        parse_constant=_refuse_constant,
        parse_float=_as_float,
        parse_int=_as_int,
    )
    _check_texts(value)
    return value


def _as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        _refuse_duplicates(key for key, _ in pairs)
    return members


def _refuse_duplicates(keys: Iterable[str]) -> None:
    visited = set()
    for key in keys:
        if key in visited:
            excerpt = repr(shorten(key, _MAX_SHOWN))
            message = f"the name {excerpt} occurs twice in one object"
            raise Refused("duplicate-key", message, "one of the two is wrong: ask again")
        visited.add(key)


def _refuse_constant(word: str) -> Any:
    message = f"{word} is not a number of JSON"
    raise Refused("no-json-number", message, "write null if there is no number")


def _as_float(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        excerpt = digits[:40]
        raise Refused("number-too-large", f"the number {excerpt} is larger than a float can be")
    return value


def _as_int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        # Python limits the digits, because it reads them in quadratic time.
        message = f"a whole number of {counted(len(digits), 'digit')} is too long"
        raise Refused("number-too-large", message) from None


def _check_texts(value: Any) -> None:
    """Raise an error for half of a surrogate pair, which cannot be written to a file."""
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
                point = f"U+{ord(item[error.start]):04X}"
                message = f"a text has half of a surrogate pair, {point}"
                raise Refused("half-character", message) from None


def _repair(text: str) -> Any:
    """Return the value of a text by Python or json-repair, if its names and values are the same."""
    if len(text) > LONGEST_REPAIR:
        limit = grouped(LONGEST_REPAIR)
        message = f"it is not JSON, and longer than the {limit} characters that are repaired"
        raise Refused("too-long-to-repair", message)
    leaves: list[object] = []
    try:
        measure(text, 0, leaves)
        _check_leaves(leaves)
    except Refused:
        raise
    except NotPlain as error:
        code = "no-json-number" if "number" in str(error) else "not-certain"
        raise Refused(code, f"it has no certain value: {error}") from None
    except ValueError:
        raise Refused("number-too-large", "a whole number has too many digits") from None
    # Python's own literals first: they need no library.
    for parse in (_read_literal, _repair_by_library):
        value = parse(text)
        if isinstance(value, dict) and flatten(value) == leaves:
            _check_texts(value)
            return value
    message = "it is not JSON, and a repair would change its names or values"
    raise Refused("not-certain", message, "ask again for JSON")


def _read_literal(text: str) -> Any:
    """Return the value of a text in Python, since models write the `repr` of an object; or None."""
    try:
        return ast.literal_eval(text.lstrip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _repair_by_library(text: str) -> Any:
    try:
        import json_repair
    except ImportError:
        message = "it is not quite JSON, and what repairs it is not installed"
        raise Refused("repair-not-installed", message, EXTRA) from None
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except _REPAIR_ERRORS as error:
        raise Refused("not-certain", f"it cannot be repaired ({type(error).__name__})") from None


def _check_leaves(leaves: list[object]) -> None:
    """Raise an error for duplicate names, and for numbers that are not finite."""
    objects: list[list[str]] = []
    for leaf in leaves:
        match leaf:
            case ("mark", "{"):
                objects.append([])
            case ("mark", "}"):
                _refuse_duplicates(objects.pop())
            case (True, _, str(key)):
                objects[-1].append(key)
            case (False, "number", float(number)) if not isfinite(number):
                raise Refused("number-too-large", "a number is larger than a float can be")
