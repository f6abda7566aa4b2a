"""Servers that misbehave on the way: connections, time, size, packing, framing."""

from __future__ import annotations

import gzip
import zlib

from ._kinds import REST, SAID, TEXT, kind
from ._wire import Wire

_ENDLESS = 10**9


# ---- connections


@kind("error")
def closed_before_headers(wire: Wire) -> None:
    """It hangs up."""


@kind("error")
def reset_before_headers(wire: Wire) -> None:
    wire.reset()


@kind("error")
def closed_in_headers(wire: Wire) -> None:
    wire.send("HTTP/1.1 200 OK\r\nContent-Ty")


@kind("error", "partial")
def closed_in_body(wire: Wire) -> None:
    wire.head(f"Content-Length: {_ENDLESS}")
    wire.send(wire.body(SAID, finish=False))


@kind("error", "partial error")
def reset_in_body(wire: Wire) -> None:
    wire.head(f"Content-Length: {_ENDLESS}")
    wire.send(wire.body(SAID, finish=False))
    wire.reset()


@kind("error")
def speaks_tls(wire: Wire) -> None:
    wire.send(b"\x15\x03\x01\x00\x02\x02\x46")


@kind("error")
def speaks_ssh(wire: Wire) -> None:
    wire.send("SSH-2.0-OpenSSH_9.6\r\n")


@kind("error")
def body_without_headers(wire: Wire) -> None:
    wire.send(wire.body(TEXT))


@kind("error")
def two_answers_in_one_head(wire: Wire) -> None:
    wire.send("HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\n\r\n")


# ---- time


@kind("error", silence=1.0)
def silent(wire: Wire) -> None:
    wire.hold()


@kind("error", silence=1.0)
def silent_after_head(wire: Wire) -> None:
    wire.head()
    wire.hold()


@kind("error", "partial", silence=2.0)
def silent_after_text(wire: Wire) -> None:
    wire.head()
    wire.send(wire.body(SAID, finish=False))
    wire.hold()


@kind("error", silence=1.0)
def drips_headers(wire: Wire) -> None:
    wire.drip("HTTP/1.1 200 OK\r\nX-Slow: " + "x" * 10_000)


@kind("error", "partial", silence=2.0)
def drips_body(wire: Wire) -> None:
    wire.head()
    wire.send(wire.body(SAID, finish=False))
    wire.drip(": slow\n\n" * 10_000 if wire.streams else " " * 10_000)


@kind("error", "partial", silence=2.0)
def comments_only(wire: Wire) -> None:
    wire.head()
    wire.send(wire.body(SAID, finish=False))
    wire.forever(": still here\n\n", 0.05)


@kind("error", silence=1.0)
def floods_of_1xx(wire: Wire) -> None:
    wire.forever("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")


@kind("error", silence=1.0)
def slow_1xx(wire: Wire) -> None:
    wire.forever("HTTP/1.1 100 Continue\r\n\r\n", 0.05)


@kind("reply error", "reply")
def goes_on_after_the_end(wire: Wire) -> None:
    wire.head()
    wire.send(wire.body(TEXT))
    wire.forever(": and on\n\n" if wire.streams else " ")


# ---- size


@kind("error")
def endless_body(wire: Wire) -> None:
    wire.head()
    wire.forever("x")


@kind("error")
def endless_blanks(wire: Wire) -> None:
    wire.head()
    wire.forever(" \n")


@kind("error")
def endless_headers(wire: Wire) -> None:
    wire.send("HTTP/1.1 200 OK\r\n")
    wire.forever("X-More: and more\r\n")


@kind("error")
def one_endless_header(wire: Wire) -> None:
    wire.send("HTTP/1.1 200 OK\r\nX-Long: ")
    wire.forever("x")


@kind("error", "partial")
def one_endless_line(wire: Wire) -> None:
    wire.head()
    wire.send(wire.body(SAID, finish=False))
    wire.send("data: ")
    wire.forever("x")


@kind("error", "partial")
def events_without_blank_lines(wire: Wire) -> None:
    wire.head()
    wire.send(wire.body(SAID, finish=False))
    wire.forever("data: 1\n")


@kind("error", "partial")
def endless_text(wire: Wire) -> None:
    wire.head()
    wire.send(wire.body(SAID, finish=False))
    wire.forever(wire.event("and on "))


@kind("error")
def endless_page_of_an_error(wire: Wire) -> None:
    wire.head(status="500 Internal Server Error")
    wire.forever("sorry ")


# ---- packing


@kind("reply")
def packed_by_gzip(wire: Wire) -> None:
    wire.answer(gzip.compress(wire.body(SAID, REST).encode()), "Content-Encoding: gzip")


@kind("reply")
def packed_by_deflate(wire: Wire) -> None:
    wire.answer(zlib.compress(wire.body(SAID, REST).encode()), "Content-Encoding: Deflate")


@kind("reply")
def packed_in_two(wire: Wire) -> None:
    data = wire.body(SAID, REST).encode()
    wire.answer(gzip.compress(data[:50]) + gzip.compress(data[50:]), "Content-Encoding: gzip")


@kind("error")
def gzip_bomb(wire: Wire) -> None:
    wire.answer(gzip.compress(b" " * 3_000_000), "Content-Encoding: gzip")


@kind("error", "partial")
def gzip_bomb_behind_text(wire: Wire) -> None:
    data = wire.body(SAID, finish=False).encode()
    wire.answer(gzip.compress(data + b": \n\n" * 1_000_000), "Content-Encoding: gzip")


@kind("error")
def gzip_of_gzip(wire: Wire) -> None:
    wire.answer(gzip.compress(gzip.compress(wire.body(TEXT).encode())), "Content-Encoding: gzip, gzip")


@kind("error")
def gzip_garbage(wire: Wire) -> None:
    wire.answer(b"\x1f\x8b\x08" + bytes(range(256)), "Content-Encoding: gzip")


@kind("error")
def packed_by_name_only(wire: Wire) -> None:
    wire.answer(wire.body(TEXT), "Content-Encoding: gzip")


@kind("error", "partial error")
def gzip_cut(wire: Wire) -> None:
    wire.answer(gzip.compress(wire.body(SAID, REST * 99, finish=False).encode())[:-20], "Content-Encoding: gzip")


@kind("error")
def packed_by_brotli(wire: Wire) -> None:
    wire.answer(b"\x0b\x02\x80\x00\x03", "Content-Encoding: br")


@kind("error")
def packed_by_zstd(wire: Wire) -> None:
    wire.answer(b"\x28\xb5\x2f\xfd\x04\x00", "Content-Encoding: zstd")


@kind("error")
def packed_by_a_thousand(wire: Wire) -> None:
    wire.answer(gzip.compress(b" "), "Content-Encoding: " + ", ".join(["gzip"] * 1000))


# ---- framing


@kind("error", "partial")
def length_too_small(wire: Wire) -> None:
    data = wire.body(SAID, REST).encode()
    size = len(wire.event(SAID).encode()) if wire.streams else len(data) - 9
    wire.head(f"Content-Length: {size}")
    wire.send(data)


@kind("error", "reply")
def length_too_large(wire: Wire) -> None:
    data = wire.body(SAID, REST).encode()
    wire.head(f"Content-Length: {len(data) + 9}")
    wire.send(data)


@kind("error")
def length_below_zero(wire: Wire) -> None:
    wire.head("Content-Length: -1")
    wire.send(wire.body(TEXT))


@kind("error")
def length_twice(wire: Wire) -> None:
    wire.head("Content-Length: 5", "Content-Length: 6")
    wire.send(wire.body(TEXT))


@kind("error")
def length_of_thousands_of_digits(wire: Wire) -> None:
    wire.head("Content-Length: " + "9" * 5000)
    wire.send(wire.body(TEXT))


@kind("reply error")
def length_and_chunks(wire: Wire) -> None:
    data = wire.body(TEXT).encode()
    wire.head("Content-Length: 3", "Transfer-Encoding: chunked")
    wire.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data))


@kind("error")
def chunks_without_a_size(wire: Wire) -> None:
    wire.head("Transfer-Encoding: chunked")
    wire.send("size\r\n" + wire.body(TEXT))


@kind("error", "partial")
def chunk_of_a_huge_size(wire: Wire) -> None:
    wire.head("Transfer-Encoding: chunked")
    wire.send(f"{_ENDLESS:x}\r\n" + wire.body(SAID, finish=False))


@kind("error")
def chunk_size_of_many_digits(wire: Wire) -> None:
    wire.head("Transfer-Encoding: chunked")
    wire.send("f" * 5000 + "\r\n" + wire.body(TEXT))


@kind("error", "partial")
def chunks_cut(wire: Wire) -> None:
    data = wire.body(SAID, finish=False).encode()
    wire.head("Transfer-Encoding: chunked")
    wire.send(b"%x\r\n%s\r\n" % (len(data), data))


@kind("error")
def unknown_transfer(wire: Wire) -> None:
    wire.head("Transfer-Encoding: gzip, identity")
    wire.send(wire.body(TEXT))
