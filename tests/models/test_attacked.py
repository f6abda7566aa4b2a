"""Servers that misbehave, over a loopback connection: the reply, or an error that keeps what had arrived."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.attacks.servers import KEY, KINDS, PROTOCOLS, WAYS, exchange, loopback_keys
from symops_lark import ModelError
from symops_lark.core.replies.contents import ContentError, read_text
from symops_lark.models import Limits, Way, load_model, remote
from symops_lark.models.limits import Meter, OverLimit


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(remote, "_LAST_WORDS", 0.2)
    with loopback_keys():
        yield


@pytest.mark.alike(6)
@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_of_misbehaving_server(name: str) -> None:
    ways: list[tuple[str, str, Way | None]] = [(protocol, way, None) for protocol in PROTOCOLS for way in WAYS]
    ways += [(protocol, "stream", Way.TOOL) for protocol in PROTOCOLS]
    with ThreadPoolExecutor(len(ways)) as pool:
        faults = list(pool.map(lambda way: exchange(KINDS[name], *way[:2], form=way[2]), ways))
    assert {way: fault for way, fault in zip(ways, faults, strict=True) if fault} == {}


def test_the_kinds_are_many() -> None:
    assert len(KINDS) >= 100 and KEY


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    "address",
    ["http://localhost/\r\nX: y", "http://local host", "http://localhost:99999", "http://localhost:x", "http://a\x00b"],
)
def test_addresses_with_more_than_an_address(address: str) -> None:
    with pytest.raises(ModelError, match="not an address of a server"):
        load_model("vllm", "m", base_url=address)


@pytest.mark.parametrize(
    "limits",
    [
        {"seconds": 0},
        {"received": 0},
        {"unpacked": -1},
        {"seconds": float("nan")},
        {"seconds": "5"},
        {"received": None},
    ],
)
def test_limits_are_more_than_nothing(limits: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="must be more than 0"):
        Limits(**limits)


# ---- laws


def meter(data: bytes, sizes: list[int], packing: str, **limits: int) -> tuple[bytes, bool]:
    """Give what comes through, and whether a limit was reached."""
    counts, output = Meter(Limits(**limits), packing), b""
    try:
        for size in [*sizes, len(data)]:
            for part in counts.feed(data[:size]):
                output += part
            data = data[size:]
        counts.end()
    except OverLimit:
        return output, True
    return output, False


@given(st.binary(max_size=300), st.lists(st.integers(0, 50)), st.integers(1, 300))
def test_what_is_within_the_limits_comes_through_and_no_more(data: bytes, sizes: list[int], most: int) -> None:
    plain = data.removeprefix(b"\xef\xbb\xbf")
    assert meter(data, sizes, "", received=most) == (data[:most].removeprefix(b"\xef\xbb\xbf"), len(data) > most) or (
        data[:most] in (b"\xef", b"\xef\xbb")
    )
    packed = gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])
    result, over = meter(packed, sizes, "gzip", unpacked=most)
    assert over == (len(data) > most) and plain.startswith(result) and (over or result == plain or len(data) < 3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "text", "x"]) | st.text(), inner),
)


@given(JSON)
def test_any_content_is_a_text_or_an_error(content: object) -> None:
    try:
        text = read_text(content)
    except ContentError as error:
        assert str(error)
    else:
        text.encode()
        if isinstance(content, str):
            assert len(text) == len(content)
