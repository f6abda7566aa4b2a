"""The kinds of servers that misbehave, and what is right for each of them.

A kind is one function that writes an answer. Right is "reply" (one of its texts), "error", "partial" (an error that has
what was said before), or several of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ._wire import Wire

SAID, REST = ">> Grün ist 緑.\n", ":: run → make\n"
TEXT = SAID + REST


@dataclass(frozen=True)
class Kind:
    """One kind: what it writes, and what is right for whole and for streamed replies."""

    serve: Callable[[Wire], None]
    whole: tuple[str, ...]
    streamed: tuple[str, ...]
    texts: tuple[str, ...]


KINDS: dict[str, Kind] = {}


def kind(
    whole: str, streamed: str | None = None, texts: tuple[str, ...] = (TEXT,)
) -> Callable[[Callable[[Wire], None]], Callable[[Wire], None]]:
    def add(serve: Callable[[Wire], None]) -> Callable[[Wire], None]:
        name = serve.__name__.strip("_").replace("_", "-")
        KINDS[name] = Kind(serve, tuple(whole.split()), tuple((streamed or whole).split()), texts)
        return serve

    return add
