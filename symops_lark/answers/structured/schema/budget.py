"""What judging a value by a schema may cost: a number of steps, patterns in linear time, and a point in time.

A small schema can ask for endless work: references that double at each level, alternatives in alternatives, patterns
that backtrack. So every step is counted, and a budget that is spent ends the judgment (`TooComplexError`). The budget
grows with the size of the value, so that long values with plain schemas are judged, in time linear in their length.
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

STEPS = 100_000  # a step is a keyword, or a schema, that is applied to a value: about 10 microseconds
_PER_VALUE = 10  # further steps for each name and value in what is judged
_CHARACTERS = 50  # of a text, which cost as much as a value
_LOOKS = 8  # members that are only looked at, for a step
_WORK_OF_A_STEP = 1_000  # characters that are read, times instructions of the pattern that reads them
_MOST_PATTERNS = 100  # that are kept compiled
_STEPS_BETWEEN_CLOCKS = 200
_SIZED = (dict, list)

_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


class TooComplexError(SchemaError):
    """A value cannot be judged by a schema in a bounded number of steps."""


class NotLinearError(SchemaError):
    """A pattern of a schema is none of RE2's, which take linear time."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End all judgments inside the block after so many seconds, by `TooComplexError`.

    Args:
        seconds: The time for all of them together. An outer limit that ends earlier stays in force.
    """
    end = time.monotonic() + seconds
    outer = _DEADLINE.get()
    token = _DEADLINE.set(end if outer is None else min(end, outer))
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def seconds_left() -> float | None:
    """Return how many seconds the innermost `time_limit` leaves, less than 0 if it is over; None without one."""
    deadline = _DEADLINE.get()
    return None if deadline is None else deadline - time.monotonic()


class Budget:
    """The steps that are left, and what was compiled on the way.

    One budget serves all judgments of one reply: a reply with a thousand objects gets no thousand budgets.
    """

    def __init__(self, steps: int | None = None) -> None:
        steps = STEPS if steps is None else steps
        self._granted = steps
        self.left = steps
        self._next_clock = steps  # the number of steps left at which the clock is looked at, and the end
        self._patterns: dict[str, tuple[Any, int]] = {}
        self._fixed: dict[int, frozenset[str]] = {}

    def allow(self, value: Any) -> None:
        """Grant the steps that a value of this size may take."""
        more = _PER_VALUE * count_values(value)
        self._granted += more
        self.left += more
        self._next_clock = self.left

    def spend(self, steps: int = 1) -> None:
        """Take note of some steps.

        Raises:
            TooComplexError: No steps are left, or the time of `time_limit` is over.
        """
        self.left -= steps
        if self.left < 0:
            raise TooComplexError(
                f"judging this by the schema takes more than {self._granted:,} steps: simplify the schema"
            )
        if self.left < self._next_clock:
            self._next_clock = max(0, self.left - _STEPS_BETWEEN_CLOCKS)
            deadline = _DEADLINE.get()
            if deadline is not None and time.monotonic() > deadline:
                raise TooComplexError("the time limit was reached before this was judged by the schema")

    def look_at(self, part: Any, other: Any = None) -> None:
        """Take note that an object or list, or two, are walked through, without going into their values."""
        steps = 1
        if type(part) in _SIZED:
            steps += len(part) // _LOOKS
        if type(other) in _SIZED:
            steps += len(other) // _LOOKS
        self.left -= steps
        if self.left < self._next_clock:
            self.spend(0)

    def read(self, text: str) -> None:
        """Take note that a text was read or written once."""
        self.spend(1 + len(text) // _CHARACTERS)

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a pattern of RE2's occurs in a text.

        Raises:
            SchemaError: The pattern is none of RE2's.
            TooComplexError: Compiling and searching takes more steps than are left.
        """
        compiled, size = self.compile(pattern)
        self.spend(1 + len(text) * size // _WORK_OF_A_STEP)
        if not is_encodable(text):  # half of a surrogate pair is no character, so no pattern matches it
            return False
        return compiled.search(text) is not None

    def compile(self, pattern: str) -> tuple[Any, int]:
        """Return a compiled pattern and its size in instructions; raise `SchemaError` if it is none of RE2's."""
        known = self._patterns.get(pattern)
        if known is not None:
            return known
        self.spend(20 + len(pattern))
        if not is_encodable(pattern):
            raise NotLinearError(f"the pattern {pattern[:80]!r} has half of a surrogate pair")
        try:
            compiled = compile_linear(pattern)
        except PatternError as error:
            self.spend(STEPS // 20)  # a pattern that is too large is refused late
            raise NotLinearError(f"the pattern {pattern[:80]!r} is none that takes linear time: {error}") from None
        size = program_size(compiled)
        self.spend(size // 10)
        if len(self._patterns) >= _MOST_PATTERNS:
            self._patterns.clear()
        self._patterns[pattern] = (compiled, size)
        return compiled, size

    def is_among(self, value: Any, fixed: list[Any]) -> bool:
        """Return whether a value is one of some fixed values of a schema, as JSON compares them."""
        keys = self._fixed.get(id(fixed))
        if keys is None:
            keys = self._fixed[id(fixed)] = frozenset(self.canonical(item) for item in fixed)
        return self.canonical(value) in keys

    def canonical(self, value: Any) -> str:
        """Return the text that a value has in common with all that are equal to it in JSON."""
        written = canonical(value)
        self.read(written)
        return written


def canonical(value: Any) -> str:
    """Return a text that two values share if, and only if, they are equal in JSON: 1 is 1.0, but not true.

    It is a text because the hashes of texts are secret: whoever writes the value cannot make them collide.
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
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, Mapping):
        members = sorted(f"{canonical(key)}:{canonical(item)}" for key, item in value.items())
        return f"{{{','.join(members)}}}"
    return repr(value)


def count_values(value: Any) -> int:
    """Return how many names and values there are in a value; a long text counts as several."""
    count = 1
    waiting = [[value]]
    while waiting:
        for item in waiting.pop():
            count += 1
            kind = type(item)
            if kind is str:
                count += len(item) // _CHARACTERS
            elif kind is dict:
                waiting += [item, item.values()]
            elif kind is list:
                waiting += [item]
    return count
