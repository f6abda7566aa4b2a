"""How much a reply may cost: seconds, bytes on the way, and bytes once they are unpacked.

Law: what goes beyond a limit ends at the limit; nothing is unpacked that would not be kept.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from ..core.ground.numbers import counted, grouped
from ..core.replies.messages import ModelError

_MEGABYTE = 2**20
_EITHER = zlib.MAX_WBITS | 32  # gzip or zlib, whichever the header says
_PACKINGS = ("gzip", "x-gzip", "deflate")


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one reply may cost; what had arrived at a limit is kept as the `partial` of the `ModelError`.

    `seconds` count from the question to the last piece, with all attempts and the waits between them. `received` are
    bytes as they are sent, `unpacked` bytes after decompression. The defaults are many times what the longest reply of
    any model takes.
    """

    seconds: float = 1800.0
    received: int = 64 * _MEGABYTE
    unpacked: int = 64 * _MEGABYTE

    def __post_init__(self) -> None:
        for name in ("seconds", "received", "unpacked"):
            if not getattr(self, name) > 0:
                raise ModelError(f"the limit {name} is {getattr(self, name):g}; it must be more than 0")


class OverLimit(BaseException):
    """A reply goes beyond a limit. No `Exception`, because SDKs take these for reasons to ask again."""


class Meter:
    """Counts the bytes of one answer, and unpacks them as far as they may come."""

    def __init__(self, limits: Limits, packing: str = "") -> None:
        self._limits = limits
        self._received = self._unpacked = 0
        self._begun: bytes | None = b""  # the first bytes, as long as they may be a mark
        self._unpacker: Any = zlib.decompressobj(_EITHER) if packing else None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the next bytes, unpacked, up to a limit.

        Raises `OverLimit` beyond it, and `ValueError` for what cannot be unpacked.
        """
        room = self._limits.received - self._received
        self._received += len(data)
        for part in self._unpack(data[:room]) if self._unpacker else (data[:room],):
            yield self._without_mark(part)
        if len(data) > room:
            raise OverLimit(f"more than {show_size(self._limits.received)} came")

    def _without_mark(self, part: bytes) -> bytes:
        """Leave out a byte order mark, behind which SDKs overlook the first event."""
        if self._begun is None:
            return part
        self._begun += part
        if len(self._begun) < len(BOM_UTF8) and BOM_UTF8.startswith(self._begun):
            return b""
        begun, self._begun = self._begun.removeprefix(BOM_UTF8), None
        return begun

    def _unpack(self, data: bytes) -> Iterator[bytes]:
        while data:
            room = self._limits.unpacked - self._unpacked
            try:
                part = self._unpacker.decompress(data, room + 1)
            except zlib.error as error:
                raise ValueError(f"not packed as it says: {error}") from None
            self._unpacked += len(part)
            yield part[:room]
            if len(part) > room:
                raise OverLimit(f"it unpacks to more than {show_size(self._limits.unpacked)}")
            data = self._unpacker.unused_data
            if data:  # one packed text behind another
                self._unpacker = zlib.decompressobj(_EITHER)

    def end(self) -> None:
        """Raise `ValueError` if what was packed is not whole."""
        if self._unpacker is not None and not self._unpacker.eof and self._received:
            raise ValueError("packed, and cut off")


async def meter_response(limits: Limits, response: Any) -> None:
    """Put a counted stream in the place of a response's own, as an SDK's client arrives at it.

    Raises `ValueError` for an unknown packing.
    """
    import httpx2

    said = response.headers.get_list("content-encoding", split_commas=True)
    packings = [packing for name in said if (packing := name.strip().lower()) not in ("", "identity")]
    if len(packings) > 1 or not set(packings) <= set(_PACKINGS):
        raise ValueError(f"the answer is packed as {', '.join(packings)}, though it was asked for as it is")
    if packings:
        del response.headers["content-encoding"]
    inner = response.stream
    meter = Meter(limits, *packings)

    class Metered(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in inner:
                for part in meter.feed(data):
                    yield part
            meter.end()

        async def aclose(self) -> None:
            await inner.aclose()

    response.stream = Metered()


def show_size(size: int) -> str:
    """Return a number of bytes for people."""
    return counted(size, "byte") if size % _MEGABYTE else f"{grouped(size // _MEGABYTE)} MB"
