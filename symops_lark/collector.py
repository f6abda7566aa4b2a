"""Python's garbage collector, which very long texts had better do without."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_LARGE = 50_000  # characters


@contextmanager
def collector_paused(size: int) -> Iterator[None]:
    """Pause the garbage collector for a long text: it would walk the growing nodes, of which none is garbage."""
    pause = size > _LARGE and gc.isenabled()
    if pause:
        gc.disable()
    try:
        yield
    finally:
        if pause:
            gc.enable()
