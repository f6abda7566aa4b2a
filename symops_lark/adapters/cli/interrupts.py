"""Ctrl-C, pressed once or several times, never ends in a traceback.

The first interrupt raises `KeyboardInterrupt`: the command cleans up and ends. Python raises it
again for each further one, in the middle of the clean-up or of the interpreter's own end, and
prints a traceback there.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130  # exit code, as shells count
_SECOND = b"\nsymops: interrupted again: it is still ending; once more ends it at once\n"
# Seconds after which an interrupt is sent again that Python has ignored.
_PAUSE = 0.02
_count = 0


def hear_interrupts() -> None:
    """Let the first interrupt end the command, and the third one the process.

    To end at once loses nothing: logs and journals are written so that a kill at any moment loses
    nothing. A process that ignores interrupts, or has another handler, is not changed.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _send_again


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _count
    _count += 1
    if _count == 1:
        raise KeyboardInterrupt
    if _count == 2:
        with suppress(OSError):
            # Not by `print`, which may be running at this moment.
            os.write(2, _SECOND)
        return
    os._exit(INTERRUPTED)


def _send_again(ignored: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that arrived where Python ignores exceptions.

    It ignores them in `__del__` and in functions that the garbage collector calls: the command
    would continue.
    """
    global _count
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    _count = 0
    # A thread sends it, as an interrupt that arrives in here would be ignored, too.
    timer = threading.Timer(_PAUSE, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    # At the end of Python no thread can begin, and nothing is left to interrupt.
    with suppress(RuntimeError):
        timer.start()
