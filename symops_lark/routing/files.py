"""Read files below a manifest's folder, without following links out of it.

`acting.files.view` opens each part of a path relative to the folder before it, as for plans. On
Windows, which cannot do that, each part is checked before the next is opened. That does not protect
against a program that exchanges folders meanwhile.
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

_MAX_JSON = 4_000_000  # bytes
_MAX_LINKS = 40  # of one path, as in Linux


def open_below(folder: str, name: str) -> int:
    """Open a file below a folder.

    Links are resolved only here, one at a time. Then the new path is opened from the folder again,
    without any link. So a program that exchanges a folder for a link meanwhile has no effect.

    Args:
        folder: The manifest's folder, which may itself be a link.
        name: The file's path below it, parts separated by `/`.

    Returns:
        The descriptor of the file.

    Raises:
        RoutingError: There is no such file, or it is outside of the folder.
    """
    path = os.path.join(folder, name)
    descriptor = None
    try:
        if folder:
            descriptor = _open(os.path.realpath(folder), tuple(name.split("/")))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RoutingError(f"{path}: cannot be read: {reason}") from None
    if descriptor is None:
        raise RoutingError(f"{path}: this lies outside the manifest's folder")
    # A device or a pipe could block for ever.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RoutingError(f"{path}: this is not a file")
    return descriptor


def _open(root: str, parts: tuple[str, ...]) -> int | None:
    """Open a file by the parts of its path; None if the path leads out of the folder."""
    # The root stays open, so that it is the same folder for each link.
    with open_root(root) as place:
        for _ in range(_MAX_LINKS):
            # Checked again after each link, which may lead anywhere.
            if not _is_plain(parts):
                return None
            try:
                return open_file(place, parts)
            except LinkError:
                end = 1
                while end <= len(parts) and not _is_link(place, parts[:end]):
                    end += 1
                # Meanwhile, the link was replaced by something else.
                if end > len(parts):
                    continue
                target = _resolve(root, parts[: end - 1], read_link(place, parts[:end]))
                if target is None:
                    return None
                parts = (*target, *parts[end:])
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_link(place: Any, parts: tuple[str, ...]) -> bool:
    return look_below(place, parts, 0).kind is Kind.LINK


def _is_plain(parts: tuple[str, ...]) -> bool:
    for part in parts:
        if part in ("", ".", "..") or os.sep in part or "\0" in part:
            return False
    return bool(parts)


def _resolve(root: str, above: tuple[str, ...], link: str) -> tuple[str, ...] | None:
    """Return the parts of the path to which a link in the folder `above` leads; None if out."""
    if os.path.isabs(link):
        # An absolute link may still lead into the folder.
        if os.path.commonpath([root, os.path.normpath(link)]) != root:
            return None
        above = ()
        link = os.path.relpath(link, root)
    parts = [part for part in link.replace(os.sep, "/").split("/") if part not in ("", ".")]
    # The folders above are not links, so `..` is really the folder before.
    while parts and parts[0] == "..":
        if not above:
            return None
        above = above[:-1]
        del parts[0]
    return (*above, *parts)


def hash_file(descriptor: int) -> str:
    """Return the SHA-256 of an open file in constant memory, and close the file."""
    with open(descriptor, "rb", buffering=0) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_json_below(folder: str, name: str) -> dict[str, Any]:
    """Return the JSON object in a file below a folder.

    Raises:
        RoutingError: The file cannot be read, is too long, or has something else.
    """
    path = os.path.join(folder, name)
    with open(open_below(folder, name), "rb") as stream:
        data = stream.read(_MAX_JSON + 1)
    # Read before, since the size of a file may change.
    if len(data) > _MAX_JSON:
        raise RoutingError(f"{path}: longer than {_MAX_JSON:,} bytes")
    return parse_json(data, path)


def parse_json(data: bytes, path: str) -> dict[str, Any]:
    """Return the JSON object of a file.

    Raises:
        RoutingError: It is something else. The message has the line, if it is not JSON.
    """
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise RoutingError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise RoutingError(f"{path}: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise RoutingError(f"{path}: a JSON object is expected")
    return value


def _refuse_constant(word: str) -> Any:
    # Python accepts NaN and Infinity by default.
    raise ValueError(f"{word} is not a number of JSON")
