"""Inputs made of examples: parts of two of them joined, lines moved, words exchanged, bytes damaged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

_ODD: tuple[bytes, ...] = (
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r\n", b"\r", b"\t", b"\x1b[2J", b"\x85"),
    *(text.encode() for text in ("\u2028", "\u202e", "\u200b", "\u3000", "é", "e\u0301", "😀", "＠", "→", "İ")),
    *(
        b"\\ud800",
        b"\\u0000",
        b"\\x00",
        b"\\",
        b'"',
        b"'",
        b"`",
        b"```",
        b"#",
        b"%",
        b"{}",
        b"[]",
        b"null",
        b"true",
        b"~",
    ),
    *(
        b"-1",
        b"0",
        b"1e999",
        b"-1e999",
        b"NaN",
        b"Infinity",
        b"1" * 5000,
        b"0x10",
        b"1_000",
        b"0.1",
        b"99999999999999999999",
    ),
    *(
        b"!!python/object:os.system",
        b"!!python/name:os.system",
        b"!!binary x",
        b"!!set",
        b"!!timestamp 1",
        b"!a",
        b"&a",
        b"*a",
    ),
    *(
        b"<<: *a",
        b"? a",
        b": ",
        b"- ",
        b"|\n",
        b">\n",
        b"---\n",
        b"...\n",
        b"2001-01-01",
        b"12:30:45",
        b"0o7",
        b".inf",
        b".nan",
    ),
    *(
        b"../",
        b"/etc/passwd",
        b"C:\\",
        b"~",
        b"$(id)",
        b"%s",
        b"{0}",
        b"{mark}",
        b"<x>",
        b"(a+)+",
        b"[",
        b"(",
        b")",
        b"*",
        b"?",
    ),
)
_DEEP = (b"[", b"{", b'{"a":', b"(", b"- ", b"<", b"&a [", b"> ")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_-]*|[0-9]+(?:\.[0-9]+)?|\"[^\"\n]*\"")


def mutate(draws: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Return an input; some are an example as it is, with one change, and few are noise."""
    data = draws.choice(seeds)
    if draws.random() < 0.7 and (changed := _change_value(draws, data)) is not None:
        return changed
    if draws.random() < 0.3:
        other_chosen = draws.choice(seeds)
        data = data[: draws.randrange(len(data) + 1)] + other_chosen[draws.randrange(len(other_chosen) + 1) :]
    for _ in range(draws.choice((1, 1, 1, 2, 3, 5, 9))):
        data = draws.choice(_CHANGES)(draws, data, words)
    if draws.random() < 0.9:
        data = data.decode("utf-8", "ignore").encode()
    return data[:200_000]


_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        10**30,
        0.5,
        -0.0,
        1e308,
        float("inf"),
        float("nan"),
        [],
        {},
        "",
        "x",
        [[]],
        [None],
        {"a": {}},
    ),
    *(
        "\ud800",
        "\0",
        "../x",
        "/etc/passwd",
        "a" * 5000,
        "::create @a\n<<<\n",
        "\x1b[2J",
        "null",
        "1e999",
        "é",
        "2001-01-01",
    ),
)


def _change_value(draws: Random, data: bytes) -> bytes | None:
    """Put other values into JSON, or into one line of JSON lines, which stays JSON; None for what is none."""
    if data.lstrip()[:1] not in (b"{", b"["):
        return None
    lines = data.split(b"\n")
    place = draws.choice([number for number, line in enumerate(lines) if line.strip()])
    try:
        value = (
            json.loads(data)
            if (complete := len(lines) < 2 or not lines[0].rstrip().endswith(b"}"))
            else json.loads(lines[place])
        )
    except ValueError:
        return None
    for _ in range(draws.choice((1, 1, 2, 4))):
        inner = [node for node in _nodes(value) if node]
        if not inner:
            break
        node = draws.choice(inner)
        key = draws.choice(list(node) if isinstance(node, dict) else range(len(node)))
        other_chosen = draws.choice(inner)
        match draws.randrange(4):
            case 0 if isinstance(node, dict):
                node[draws.choice(("x", "path", "kind", "text"))] = node.pop(key)
            case 1:
                node[key] = deepcopy(
                    draws.choice(list(other_chosen.values()) if isinstance(other_chosen, dict) else other_chosen)
                )
            case _:
                node[key] = deepcopy(draws.choice(_VALUES))
    try:
        text = json.dumps(value).encode()
    except (ValueError, RecursionError):  # a value that holds itself
        return None
    return text if complete else b"\n".join((*lines[:place], text, *lines[place + 1 :]))


def _nodes(value: Any) -> Iterator[Any]:
    """Yield the objects and lists in a value."""
    waiting = [value]
    while waiting and len(waiting) < 10_000:
        node = waiting.pop()
        if isinstance(node, dict | list):
            yield node
            waiting += node.values() if isinstance(node, dict) else node


def _insert(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    at = draws.randrange(len(data) + 1)
    return data[:at] + _any(draws, words) + data[at:]


def _delete(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    at = draws.randrange(len(data) + 1)
    return data[:at] + data[at + draws.choice((1, 2, 5, 20, 100)) :]


def _cut(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    return data[: draws.randrange(len(data) + 1)]


def _damage(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    if not data:
        return bytes((draws.randrange(256),))
    at = draws.randrange(len(data))
    return data[:at] + bytes((draws.randrange(256),)) + data[at + 1 :]


def _exchange(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put another word, or something odd, in the place of a word."""
    matches = list(_WORD.finditer(data))
    if not matches:
        return _insert(draws, data, words)
    word = draws.choice(matches)
    other_any = draws.choice(matches)[0] if draws.random() < 0.4 else _any(draws, words)
    return data[: word.start()] + other_any + data[word.end() :]


def _move_lines(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    at, to = draws.randrange(len(lines)), draws.randrange(len(lines))
    match draws.randrange(4):
        case 0:
            lines[at], lines[to] = lines[to], lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            del lines[at]
        case _:
            lines[at] = b" " * draws.choice((1, 2, 4, 40)) + lines[at]
    return b"\n".join(lines)


def _repeat(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    at = draws.randrange(len(data) + 1)
    part = data[at : at + draws.choice((1, 3, 20, 200))]
    return data[:at] + part * draws.choice((2, 3, 10, 300)) + data[at:]


def _nest(draws: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    at = draws.randrange(len(data) + 1)
    return data[:at] + draws.choice(_DEEP) * draws.choice((3, 30, 3000)) + data[at:]


def _any(draws: Random, words: Sequence[bytes]) -> bytes:
    return draws.choice(words) if words and draws.random() < 0.5 else draws.choice(_ODD)


_CHANGES: tuple[Callable[[Random, bytes, Sequence[bytes]], bytes], ...] = (
    _insert,
    _insert,
    _delete,
    _cut,
    _damage,
    _exchange,
    _exchange,
    _exchange,
    _move_lines,
    _move_lines,
    _repeat,
    _nest,
)
