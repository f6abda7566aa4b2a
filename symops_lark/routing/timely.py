"""Run work on a model's reply that ends when the time for judging is over.

Judging takes time linear in the length of a reply, but a hostile reply of many megabytes, or a
large pattern of a manifest, still takes minutes. Python can end such work only if it is in another
thread, which is abandoned then.
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
_OVER = "the time limit was reached before the reply was judged (--time-limit)"


def finish_in_time(work: Callable[[], T]) -> T:
    """Return the result of some work, or raise its error.

    Args:
        work: A function without side effects, so that it may stop anywhere. It starts no
            processes, since they would not be ended. Without a `time_limit` around this call, it
            is called directly.

    Raises:
        RoutingError: The time of the `time_limit` was over first. The work ends with its next step
            in Python.
    """
    if seconds_left() is None:
        return work()
    done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def do() -> None:
        try:
            done.put((work(), None))
        except SystemExit:
            # Raised by `_stop`.
            return
        except Exception as error:  # noqa: BLE001  (raised again by the thread that waits)
            done.put((None, error))

    # A daemon: the process does not wait for it at its end.
    thread = Thread(target=copy_context().run, args=(do,), daemon=True)
    thread.start()
    try:
        value, error = done.get(timeout=expect_time())
    except (Empty, RoutingError):
        # It may be inside of a function in C, which ends only after a while.
        _stop(thread)
        raise RoutingError(_OVER) from None
    if error is not None:
        raise error
    result: T = value
    return result


def expect_time() -> float | None:
    """Return the seconds that are left; None without a limit.

    Raises:
        RoutingError: The time is over.
    """
    seconds = seconds_left()
    if seconds is not None and seconds <= 0:
        raise RoutingError(_OVER)
    return seconds


def _stop(thread: Thread) -> None:
    """Let a thread end with its next step, without a traceback. It would take processor time."""
    # `None` is a thread that has not started.
    if thread.ident is not None:
        identity = ctypes.c_ulong(thread.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(SystemExit))
