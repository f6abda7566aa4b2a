"""Report to the loggers below `symops_lark`, for programs that have configured them.

Invariants (tests/test_logs.py):

1. No text of a reply, content of a file, key or environment variable is logged: only names, numbers
   and paths below the root.
2. Nothing is written before the program configures a handler; the package configures none.
3. A program that never imports `logging` pays nothing: this module does not import it.

`docs/in-your-program.md` has the table of all loggers and events. How names and handlers are used
follows the guide of the standard library for libraries.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, Literal, TypeVar

_Step = TypeVar("_Step")


def log_event(
    part: str, level: Literal["debug", "info", "warning"], event: str, **facts: object
) -> None:
    """Report an event to the logger of a part of the package.

    Args:
        part: The name of the logger below `symops_lark`.
        level: The level.
        event: What happened, in a few words that never change.
        facts: Names, numbers and paths; they are in the message, and in `record.symops`.
    """
    # Without it, no program can have configured a logger.
    logging: Any = sys.modules.get("logging")
    if logging is None:
        return
    root = logging.getLogger("symops_lark")
    if not root.handlers:
        # Else a warning would be printed to standard error by the handler of last resort.
        root.addHandler(logging.NullHandler())
    logger = root.getChild(part)
    number = getattr(logging, level.upper())
    if not logger.isEnabledFor(number):
        return
    message = event
    separator = ":"
    for name, value in facts.items():
        message += f"{separator} {name}={value}"
        separator = ""
    members = {"event": event, **facts}
    extra = {"symops": members}
    logger.log(number, "%s", message, extra=extra)


def log_phases(steps: Iterator[tuple[_Step, Any]], characters: int) -> Iterator[tuple[_Step, Any]]:
    """Report each phase of the pipeline with its time.

    Args:
        steps: The phases with their results.
        characters: The length of the text.

    Yields:
        The same phases.
    """
    begun = time.perf_counter()
    for phase, result in steps:
        outcome = "no result"
        repairs = 0
        if result is not None:
            outcome = "result"
            repairs = len(result.repairs)
        log_event(
            "pipeline",
            "debug",
            "phase",
            name=phase,
            outcome=outcome,
            repairs=repairs,
            characters=characters,
            milliseconds=elapsed_since(begun),
        )
        yield phase, result
        begun = time.perf_counter()


def elapsed_since(begun: float) -> float:
    """Return the milliseconds since a time of `time.perf_counter`."""
    return round((time.perf_counter() - begun) * 1000, 1)
