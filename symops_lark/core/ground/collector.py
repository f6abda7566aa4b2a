"""Python's garbage collector, which very long texts had better do without."""

from __future__ import annotations

import gc

_LARGE = 50_000  # characters


class collector_paused:
    """Pause the garbage collector for a long text: it would walk the growing nodes, of which none is garbage."""

    __slots__ = ("_pause",)

    def __init__(self, size: int) -> None:
        self._pause = size > _LARGE and gc.isenabled()

    def __enter__(self) -> None:
        if self._pause:
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._pause:
            gc.enable()
