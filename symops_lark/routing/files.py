"""Files below a manifest's folder: nothing else is read here, and no link out of the folder is followed.

The ways are walked by `workspace/view`, as those of plans are. On systems that open nothing relative to folders
(Windows) each part is looked at before the next, which is no wall against who exchanges folders in between.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from typing import Any

from ..acting.files.entries import Kind
from ..acting.files.view import LinkError, look_below, open_file, open_root, read_link
from .errors import RoutingError

_MOST_JSON = 4_000_000
_MOST_LINKS = 40  # as Linux follows on one way


def open_below(folder: str, name: str) -> int:
    """Open a file below a folder.

    Links are followed only here, one at a time, and each way is then walked from the folder again, without any link:
    whoever exchanges a folder for a link meanwhile leads nobody out.

    Args:
        folder: The manifest's folder, which may be named by a link itself.
        name: The file's path below it, parts separated by `/`.

    Returns:
        The descriptor of the file.

    Raises:
        RoutingError: There is no such file, or it lies outside of the folder.
    """
    shown = os.path.join(folder, name)
    try:
        descriptor = _open(os.path.realpath(folder), tuple(name.split("/"))) if folder else None
    except (OSError, ValueError) as error:
        raise RoutingError(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if descriptor is None:
        raise RoutingError(f"{shown}: this lies outside the manifest's folder")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RoutingError(f"{shown}: this is no file")
    return descriptor


def _open(root: str, parts: tuple[str, ...]) -> int | None:
    """Open a file at the end of a way from a folder; None if the way leads out of it."""
    with open_root(root) as place:
        for _ in range(_MOST_LINKS):
            if not _is_plain(parts):
                return None
            try:
                return open_file(place, parts)
            except LinkError:
                at = next((at for at in range(len(parts)) if _is_link(place, parts[: at + 1])), None)
                if at is None:  # it is something else by now
                    continue
                target = _resolve(root, parts[:at], read_link(place, parts[: at + 1]))
                if target is None:
                    return None
                parts = (*target, *parts[at + 1 :])
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_link(place: Any, parts: tuple[str, ...]) -> bool:
    return look_below(place, parts, 0).kind is Kind.LINK


def _is_plain(parts: tuple[str, ...]) -> bool:
    return bool(parts) and not any(part in ("", ".", "..") or os.sep in part or "\0" in part for part in parts)


def _resolve(root: str, above: tuple[str, ...], link: str) -> tuple[str, ...] | None:
    """Return the way from the root that a link in the folder `above` stands for; None if it leads out."""
    if os.path.isabs(link):
        if os.path.commonpath([root, os.path.normpath(link)]) != root:
            return None
        above, link = (), os.path.relpath(link, root)
    parts = [part for part in link.replace(os.sep, "/").split("/") if part not in ("", ".")]
    while parts and parts[0] == "..":  # the folders above are no links, so this is their parent
        if not above:
            return None
        above, parts = above[:-1], parts[1:]
    return (*above, *parts)


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
