"""The limits of a reply: its time, and its size as it is sent and after decompression.

A reply ends at its limit, and only data that is kept is decompressed.
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
_EITHER = zlib.MAX_WBITS | 32  # gzip or zlib, as the header of the data says
_PACKINGS = ("gzip", "x-gzip", "deflate")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one reply.

    The defaults are many times the longest reply of any model. At a limit, the part that arrived is
    the `partial` of the `ModelError`.

    Attributes:
        seconds: The time from the question to the last piece, with all attempts and the waits
            between them.
        received: The number of bytes as they are sent.
        unpacked: The number of bytes after decompression.
    """

    seconds: float = 1800.0
    received: int = 64 * _MEGABYTE
    unpacked: int = 64 * _MEGABYTE

    def __post_init__(self) -> None:
        for name in ("seconds", "received", "unpacked"):
            value = getattr(self, name)
            # Also for a NaN.
            if not (is_number(value) and value > 0):
                raise ModelError(f"the limit {name} is {value!r}; it must be more than 0")


def is_number(value: object) -> bool:
    """Return whether a value is a number; in Python a bool is one, too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


class OverLimit(BaseException):
    """A reply exceeds a limit. Not an `Exception`: SDKs ask again after any exception."""


class Meter:
    """Counts the bytes of one answer, and decompresses them up to a limit.

    Args:
        limits: The limits.
        packing: The compression of the answer; empty for none.
    """

    def __init__(self, limits: Limits, packing: str = "") -> None:
        self._limits = limits
        self._received = 0
        self._unpacked = 0
        self._first: bytes | None = b""  # the first bytes, while they may be a byte order mark
        self._unpacker: Any = zlib.decompressobj(_EITHER) if packing else None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the next bytes, decompressed, up to a limit.

        Args:
            data: The bytes as they were sent.

        Raises:
            OverLimit: They exceed a limit.
            ValueError: They cannot be decompressed.
        """
        room = self._limits.received - self._received
        self._received += len(data)
        allowed = data[:room]
        for part in self._unpack(allowed) if self._unpacker else (allowed,):
            yield self._without_mark(part)
        # After the part that is allowed, which is kept.
        if len(data) > room:
            raise OverLimit(f"more than {show_size(self._limits.received)} came")

    def _without_mark(self, part: bytes) -> bytes:
        """Leave out a byte order mark: SDKs overlook the first event after one."""
        if self._first is None:
            return part
        self._first += part
        if len(self._first) < len(BOM_UTF8) and BOM_UTF8.startswith(self._first):
            return b""
        first = self._first.removeprefix(BOM_UTF8)
        self._first = None
        return first

    def _unpack(self, data: bytes) -> Iterator[bytes]:
        while data:
            room = self._limits.unpacked - self._unpacked
            # One byte more than allowed shows that there is more.
            try:
                part = self._unpacker.decompress(data, room + 1)
            except zlib.error as error:
                raise ValueError(f"not packed as it says: {error}") from None
            self._unpacked += len(part)
            yield part[:room]
            if len(part) > room:
                raise OverLimit(f"it unpacks to more than {show_size(self._limits.unpacked)}")
            data = self._unpacker.unused_data
            # One compressed text may follow another.
            if data:
                self._unpacker = zlib.decompressobj(_EITHER)

    def end(self) -> None:
        """End the answer.

        Raises:
            ValueError: The compressed data is truncated.
        """
        if self._unpacker is not None and not self._unpacker.eof and self._received:
            raise ValueError("packed, and cut off")


async def meter_response(limits: Limits, response: Any) -> None:
    """Replace the stream of a response by one that is counted, before an SDK's client reads it.

    Args:
        limits: The limits.
        response: The response of the library for HTTP.

    Raises:
        ValueError: The compression is unknown.
    """
    import httpx2

    packings = []
    for name in response.headers.get_list("content-encoding", split_commas=True):
        packing = name.strip().lower()
        if packing not in ("", "identity"):
            packings.append(packing)
    if len(packings) > 1 or not set(packings) <= set(_PACKINGS):
        raise ValueError(
            f"the answer is packed as {', '.join(packings)}, though it was asked for as it is"
        )
    # The library would decompress it without a limit.
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
    """Return a number of bytes in words, such as `64 MB`."""
    if size % _MEGABYTE:
        return counted(size, "byte")
    return f"{grouped(size // _MEGABYTE)} MB"
