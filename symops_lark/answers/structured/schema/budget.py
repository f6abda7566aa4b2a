"""Limit the cost of judging a value by a schema: steps, linear patterns, and a point in time.

A small schema can require endless work: references that double at each level, alternatives in
alternatives, patterns that backtrack. So every step is counted, and a budget that is spent ends the
judgment (`TooComplexError`). The budget grows with the size of the value, so that long values with
plain schemas are judged, in time linear in their length.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ....core.patterns.regexes import PatternError, compile_linear, is_encodable, program_size
from .problems import SchemaError

STEPS = 100_000  # a step is a keyword, or a schema, that is applied to a value: about 10 µs
_STEPS_PER_VALUE = 10  # granted for each name and value that is judged
_CHARACTERS_PER_VALUE = 50  # of a text, which cost as much as a value
_MEMBERS_PER_STEP = 8  # members that are passed without judging them
_WORK_PER_STEP = 1_000  # characters of a text, times instructions of the pattern that reads them
_MAX_PATTERNS = 100  # compiled patterns that a budget keeps
_STEPS_BETWEEN_CLOCKS = 200
_SIZED = (dict, list)

_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


class TooComplexError(SchemaError):
    """A value cannot be judged by a schema in a bounded number of steps."""


class NotLinearError(SchemaError):
    """A pattern of a schema is not in the syntax of RE2, whose patterns take linear time."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End all judgments inside the block after a time, by `TooComplexError`.

    Args:
        seconds: The time for all of them together. An outer limit that ends earlier stays in force.
    """
    end = time.monotonic() + seconds
    outer = _DEADLINE.get()
    if outer is not None:
        end = min(end, outer)
    token = _DEADLINE.set(end)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def seconds_left() -> float | None:
    """Return the seconds that the innermost `time_limit` leaves; None without one.

    The number is less than 0 if the time is over.
    """
    deadline = _DEADLINE.get()
    return None if deadline is None else deadline - time.monotonic()


class Budget:
    """The steps that are left, and the patterns and values that were compiled on the way.

    One budget serves all judgments of one reply: a reply with a thousand objects does not get a
    thousand budgets.
    """

    def __init__(self, steps: int | None = None) -> None:
        steps = STEPS if steps is None else steps
        self._granted = steps
        self.left = steps
        self._next_clock = steps  # the clock is read when fewer steps are left
        self._patterns: dict[str, tuple[Any, int]] = {}
        self._fixed: dict[int, frozenset[str]] = {}  # by the id of the list in the schema

    def allow(self, value: Any) -> None:
        """Grant the steps that a value of this size may take."""
        steps = _STEPS_PER_VALUE * count_values(value)
        self._granted += steps
        self.left += steps
        self._next_clock = self.left

    def spend(self, steps: int = 1) -> None:
        """Count some steps.

        Raises:
            TooComplexError: No steps are left, or the time of `time_limit` is over.
        """
        self.left -= steps
        if self.left < 0:
            raise TooComplexError(
                f"judging this by the schema takes more than {self._granted:,} steps: "
                "simplify the schema"
            )
        if self.left < self._next_clock:
            self._next_clock = max(0, self.left - _STEPS_BETWEEN_CLOCKS)
            deadline = _DEADLINE.get()
            if deadline is not None and time.monotonic() > deadline:
                message = "the time limit was reached before this was judged by the schema"
                raise TooComplexError(message)

    def look_at(self, part: Any, second: Any = None) -> None:
        """Count a walk through one or two objects or lists, without their values."""
        steps = 1
        if type(part) in _SIZED:
            steps += len(part) // _MEMBERS_PER_STEP
        if type(second) in _SIZED:
            steps += len(second) // _MEMBERS_PER_STEP
        # This is the busiest function: it calls `spend` only when the clock is due.
        self.left -= steps
        if self.left < self._next_clock:
            self.spend(0)

    def read(self, text: str) -> None:
        """Count that a text is read or written once."""
        self.spend(1 + len(text) // _CHARACTERS_PER_VALUE)

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a pattern in the syntax of RE2 occurs in a text.

        Raises:
            NotLinearError: The pattern is not in this syntax.
            TooComplexError: Compiling and searching takes more steps than are left.
        """
        compiled, size = self.compile(pattern)
        self.spend(1 + len(text) * size // _WORK_PER_STEP)
        # Half of a surrogate pair is not a character, so no pattern matches it.
        if not is_encodable(text):
            return False
        return compiled.search(text) is not None

    def compile(self, pattern: str) -> tuple[Any, int]:
        """Return a compiled pattern and its size in instructions.

        Raises:
            NotLinearError: The pattern is not in the syntax of RE2.
        """
        cached = self._patterns.get(pattern)
        if cached is not None:
            return cached
        self.spend(20 + len(pattern))
        excerpt = repr(pattern[:80])
        if not is_encodable(pattern):
            raise NotLinearError(f"the pattern {excerpt} has half of a surrogate pair")
        try:
            compiled = compile_linear(pattern)
        except PatternError as error:
            self.spend(STEPS // 20)  # a pattern that is too large is refused late
            message = f"the pattern {excerpt} does not take linear time: {error}"
            raise NotLinearError(message) from None
        size = program_size(compiled)
        self.spend(size // 10)
        if len(self._patterns) >= _MAX_PATTERNS:
            self._patterns.clear()
        self._patterns[pattern] = (compiled, size)
        return compiled, size

    def is_among(self, value: Any, fixed: list[Any]) -> bool:
        """Return whether a value is one of some fixed values of a schema, as JSON compares them."""
        keys = self._fixed.get(id(fixed))
        if keys is None:
            keys = frozenset(self.canonical(item) for item in fixed)
            self._fixed[id(fixed)] = keys
        return self.canonical(value) in keys

    def canonical(self, value: Any) -> str:
        """Return `canonical` of a value, and count its text."""
        text = canonical(value)
        self.read(text)
        return text


def canonical(value: Any) -> str:
    """Return a text that two values share if they are equal in JSON: 1 is 1.0, but not true.

    It is a text because the hashes of texts are secret: the author of a value cannot choose values
    whose hashes collide.
    """
    if value is True or value is False or value is None:
        return str(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int):
        return format(value, "x")  # in decimal, long numbers take quadratic time
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list | tuple):
        items = ",".join(map(canonical, value))
        return f"[{items}]"
    if isinstance(value, Mapping):
        members = sorted(f"{canonical(key)}:{canonical(item)}" for key, item in value.items())
        return f"{{{','.join(members)}}}"
    return repr(value)


def count_values(value: Any) -> int:
    """Return the number of names and values in a value; a long text counts as several."""
    count = 1
    # A stack instead of recursion: the value may be nested more deeply than Python allows.
    waiting = [[value]]
    while waiting:
        for item in waiting.pop():
            count += 1
            kind = type(item)
            if kind is str:
                count += len(item) // _CHARACTERS_PER_VALUE
            elif kind is dict:
                waiting += [item, item.values()]
            elif kind is list:
                waiting += [item]
    return count
