"""Fuzzing of each text that strangers write: the command line may refuse it, but must not call it a bug.

Inputs are real examples, spliced and mutated by a seed; `targets` says which text goes into which commands.
"""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from .mutations import mutate

WATCH = 60.0  # seconds of the processor for one input, by hand
_PATIENCE = 20  # times as many on the clock: what waits for ever uses no processor


@dataclass(frozen=True)
class Finding:
    """An input that a target fell over, and what was said."""

    target: str
    number: int
    command: str
    said: str
    data: bytes = field(repr=False)


class Hang(BaseException):
    """One input took longer than is watched for."""


def fuzz(name: str, count: int, seed: int, place: Path, *, first: int = 0, watch: bool = False) -> Iterator[Finding]:
    """Give inputs from the `first` on to a target, in an empty folder; yield what it falls over.

    An input is drawn from the target, the seed and its number alone, so each can be made again.
    """
    from .targets import TARGETS

    target = TARGETS[name]
    seeds = target.seeds()
    for number in range(first, first + count):
        draws = random.Random(f"{name} {seed} {number}")
        data = mutate(draws, seeds, target.words)
        here = place / f"{name}-{number}"
        here.mkdir()
        command, text = "", ""
        try:
            with _watched(WATCH if watch else 0):
                command, text = target.run(data, here, draws)
        except Hang:
            text = f"took more than {WATCH:g} s of the processor"
        except Exception as error:  # noqa: BLE001  (that there is none is what is looked at)
            text = f"{type(error).__name__}: {error}"
        if text:
            yield Finding(name, number, command, text, data)
        _remove(here)


@contextmanager
def _watched(seconds: float) -> Iterator[None]:
    """Raise `Hang` in the main thread when time is up: that of the processor, which other processes do not use up."""
    if not seconds or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang

    clocks = {signal.ITIMER_PROF: (signal.SIGPROF, seconds), signal.ITIMER_REAL: (signal.SIGALRM, seconds * _PATIENCE)}
    handlers = {number: signal.signal(number, stop) for number, _ in clocks.values()}
    for clock, (_, limit) in clocks.items():
        signal.setitimer(clock, limit)
    try:
        yield
    finally:
        for clock in clocks:
            signal.setitimer(clock, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


__all__: Sequence[str] = ("Finding", "Hang", "fuzz")
