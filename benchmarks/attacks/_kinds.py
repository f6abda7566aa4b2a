"""The kinds of servers that misbehave, and what is right for each of them.

A kind is one function that writes an answer. Right is "reply" (one of its texts), "error", "partial" (an error that has
what was said before), or several of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ._wire import Wire

PATIENT = 15.0  # seconds of silence that a client bears: a busy machine is slow, too
SAID, REST = ">> Grün ist 緑.\n", ":: run → make\n"
TEXT = SAID + REST


@dataclass(frozen=True)
class Kind:
    """One kind: what it writes, and what is right for whole and for streamed replies.

    After `silence` seconds a client gives up, and after twice as many where something still arrives.
    """

    serve: Callable[[Wire], None]
    whole: tuple[str, ...]
    streamed: tuple[str, ...]
    texts: tuple[str, ...]
    silence: float = PATIENT


KINDS: dict[str, Kind] = {}


def kind(
    whole: str, streamed: str | None = None, texts: tuple[str, ...] = (TEXT,), *, silence: float = PATIENT
) -> Callable[[Callable[[Wire], None]], Callable[[Wire], None]]:
    def add(serve: Callable[[Wire], None]) -> Callable[[Wire], None]:
        name = serve.__name__.strip("_").replace("_", "-")
        KINDS[name] = Kind(serve, tuple(whole.split()), tuple((streamed or whole).split()), texts, silence)
        return serve

    return add
