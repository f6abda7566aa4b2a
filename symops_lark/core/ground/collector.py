"""Pause Python's garbage collector while a very long text is read."""

from __future__ import annotations

import gc

# Characters. Below, the collector rarely runs in the course of one text, and a pause saves nothing.
_LARGE = 50_000


class collector_paused:
    """A context without the garbage collector, if a text is long.

    The collector would walk through the growing nodes again and again, and none is garbage. If it
    is already disabled, it stays disabled after the context.

    Args:
        size: The length of the text in characters.
    """

    __slots__ = ("_pauses",)

    def __init__(self, size: int) -> None:
        self._pauses = size > _LARGE and gc.isenabled()

    def __enter__(self) -> None:
        if self._pauses:
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._pauses:
            gc.enable()
