"""What the fields of a policy may be, by their annotations: one table, for Python and for policy files."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ...core.ground.members import as_member
from ..changes import Decision


class WrongValue(Exception):
    """A value is not what its field may be.

    `wanted` says what the field is, `index` which part of the value is wrong; `error` is what Python calls it.
    """

    def __init__(self, wanted: str, error: type[Exception] = ValueError, index: int | None = None) -> None:
        self.wanted, self.error, self.index = wanted, error, index
        super().__init__(wanted)


def take_value(annotation: str, value: object) -> object:
    """Return a value as its field has it: a word as a decision, a list as a tuple, a whole number as one with a point.

    Args:
        annotation: The field's, as it is written in `Policy`.
        value: What somebody gives for it.

    Raises:
        WrongValue: It is none of what the field may be.
    """
    return _KINDS[annotation](value)


def _take_decision(value: object) -> Decision:
    try:
        return as_member(Decision, value, "")
    except ValueError:
        raise WrongValue(f"one of {', '.join(Decision)}") from None


def _take_globs(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise WrongValue("a tuple of globs", TypeError)
    for index, glob in enumerate(value):
        if not isinstance(glob, str) or not glob:
            raise WrongValue("a tuple of globs, which are texts", TypeError, index)
    return tuple(value)


def _take_whole(value: object) -> int:
    wanted = "a whole number, 0 or above"
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongValue(wanted, TypeError)
    if not 0 <= value <= sys.maxsize:
        raise WrongValue(wanted)
    return value


def _take_number(value: object) -> float:
    wanted = "a number, 0 or above"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongValue(wanted, TypeError)
    if not 0 <= value <= sys.maxsize:  # which is no number's answer where the value is none
        raise WrongValue(wanted)
    return float(value)


_KINDS: dict[str, Callable[[object], object]] = {
    "Decision": _take_decision,
    "tuple[str, ...]": _take_globs,
    "int": _take_whole,
    "float": _take_number,
}
