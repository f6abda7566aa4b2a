"""Files below a manifest's folder: nothing else is read here, and no link out of the folder is followed."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from typing import Any

from .errors import RoutingError

_MOST_JSON = 4_000_000


def open_below(folder: str, name: str) -> int:
    """Return the descriptor of a file below a folder; raise `RoutingError` if there is none, or a link leads out."""
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, name))
    shown = os.path.join(folder, name)
    if not folder or os.path.commonpath([root, path]) != root or path == root:
        raise RoutingError(f"{shown}: this lies outside the manifest's folder")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise RoutingError(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RoutingError(f"{shown}: this is no file")
    return descriptor


def hash_file(descriptor: int) -> str:
    """Return the SHA-256 of an open file, which is closed then, in constant memory."""
    with open(descriptor, "rb", buffering=0) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_json_below(folder: str, name: str) -> dict[str, Any]:
    """Return the JSON object in a file below a folder; raise `RoutingError` for anything else."""
    shown = os.path.join(folder, name)
    with open(open_below(folder, name), "rb") as stream:
        data = stream.read(_MOST_JSON + 1)
    if len(data) > _MOST_JSON:
        raise RoutingError(f"{shown}: longer than {_MOST_JSON:,} bytes")
    return parse_json(data, shown)


def parse_json(data: bytes, shown: str) -> dict[str, Any]:
    """Return the JSON object that bytes say; raise `RoutingError` with the line for anything else."""
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise RoutingError(f"{shown}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise RoutingError(f"{shown}: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise RoutingError(f"{shown}: a JSON object is expected")
    return value


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON's")
