"""Work on what a model has said, which ends with the time for judging it.

Judging takes time linear in the length of a reply, but a hostile reply of many megabytes, or a large pattern of a
manifest, still takes minutes. Nothing in Python ends that from outside but a thread of its own, which is left behind.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from ..answers.structured.schema.budget import seconds_left
from .errors import RoutingError

T = TypeVar("T")
_TOLD = "the time limit was reached before the reply was judged (--time-limit)"


def finish_in_time(work: Callable[[], T]) -> T:
    """Return what some work gives, or what it raises.

    Args:
        work: Something that changes nothing, so that it may stop anywhere. It starts no processes: nobody would end
            them. Without a `time_limit` around, it is just done.

    Raises:
        RoutingError: The time of the `time_limit` was over before. The work ends with its next step in Python.
    """
    if seconds_left() is None:
        return work()
    done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def do() -> None:
        try:
            done.put((work(), None))
        except SystemExit:  # of `_stop`
            return
        except Exception as error:  # noqa: BLE001  (it is raised again, where it is waited for)
            done.put((None, error))

    thread = Thread(target=copy_context().run, args=(do,), daemon=True)
    thread.start()
    try:
        value, error = done.get(timeout=expect_time())
    except (Empty, RoutingError):
        _stop(thread)
        raise RoutingError(_TOLD) from None
    if error is not None:
        raise error
    found: T = value
    return found


def expect_time() -> float | None:
    """Return how many seconds are left, None without a limit; raise `RoutingError` if there are none."""
    left = seconds_left()
    if left is not None and left <= 0:
        raise RoutingError(_TOLD)
    return left


def _stop(thread: Thread) -> None:
    """Let a thread end with its next step, quietly; other threads would wait for the processor otherwise."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
