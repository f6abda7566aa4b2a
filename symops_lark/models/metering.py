"""The bytes of an answer, counted and unpacked as they arrive: what an SDK's client calls for each response."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from .limits import PACKINGS, Limits, Meter


async def meter_response(limits: Limits, response: Any) -> None:
    """Put the counted stream in the place of a response's own; raise `ValueError` for an unknown packing."""
    import httpx2

    said = response.headers.get_list("content-encoding", split_commas=True)
    packings = [packing for name in said if (packing := name.strip().lower()) not in ("", "identity")]
    if len(packings) > 1 or not set(packings) <= set(PACKINGS):
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
