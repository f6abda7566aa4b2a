"""Check and convert the values of a policy's fields, from Python and from files.

One table maps the annotation of a field to its converter, so a field cannot be accepted from Python
and refused from a file, or the reverse.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from ...core.ground.members import as_member
from ..changes import Decision


class WrongValue(Exception):
    """A value is not one that its field accepts.

    Attributes:
        expected: What the field accepts, for messages: `a number, 0 or above`.
        error: The exception that Python code gets: `ValueError`, or `TypeError` for another type.
        index: The index of the wrong item of a tuple. None: the value as such is wrong.
    """

    def __init__(
        self, expected: str, error: type[Exception] = ValueError, index: int | None = None
    ) -> None:
        self.expected = expected
        self.error = error
        self.index = index
        super().__init__(expected)


def take_value(annotation: str, value: object) -> object:
    """Convert a value to the type of its field.

    A word becomes a decision, a list a tuple, and an integer a float where the field is one.

    Args:
        annotation: The annotation of the field, as it is written in `Policy`.
        value: The value from Python or from a file.

    Returns:
        The converted value.

    Raises:
        WrongValue: The field does not accept it.
    """
    return _CONVERTERS[annotation](value)


def _take_decision(value: object) -> Decision:
    try:
        return as_member(Decision, value, "")
    except ValueError:
        raise WrongValue(f"one of {', '.join(Decision)}") from None


def _take_globs(value: object) -> tuple[str, ...]:
    # A string is refused here: as a tuple it would be globs of one letter each.
    if not isinstance(value, list | tuple):
        raise WrongValue("a tuple of globs", TypeError)
    for index, glob in enumerate(value):
        if not isinstance(glob, str) or not glob:
            raise WrongValue("a tuple of globs, which are texts", TypeError, index)
    return tuple(value)


def _take_integer(value: object) -> int:
    expected = "a whole number, 0 or above"
    # `bool` is a subclass of `int`: `max_actions: yes` is a mistake, not 1.
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongValue(expected, TypeError)
    if not 0 <= value <= sys.maxsize:
        raise WrongValue(expected)
    return value


def _take_float(value: object) -> float:
    expected = "a number, 0 or above"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongValue(expected, TypeError)
    # Also refuses NaN, for which every comparison is false.
    if not 0 <= value <= sys.maxsize:
        raise WrongValue(expected)
    return float(value)


_CONVERTERS: dict[str, Callable[[object], object]] = {
    "Decision": _take_decision,
    "tuple[str, ...]": _take_globs,
    "int": _take_integer,
    "float": _take_float,
}
