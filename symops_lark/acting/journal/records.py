"""Write, read and judge the record of a journal: its sealed head, and the bytes that it keeps.

Purpose
    A journal is a folder with the files `N.before` and `N.after` for step number N, and a head in
    JSON (`open.json` or `done.json`). This module turns steps into such a folder and back.

Invariants
    1. A record is trusted if its seal is this user's, it was written for this folder, and every
       kept byte matches its digest in the head (`tests/acting/test_journal_trust.py`).
    2. Any other record is in doubt, and the reason is reported. It is never treated as trusted,
       and never deleted.
    3. Reading a record in doubt takes a bounded number of bytes.

Not here
    `trust` decides what happens with a record in doubt; `seal` has the key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ...core.ground.errors import WorkspaceError
from ...core.ground.json_objects import read_object, write_object
from ..files.entries import Kind
from ..files.filesystem import Folder, beside
from ..files.paths import is_internal
from ..files.view import split_path
from .seal import NoKeyError, is_signed, load_key, sign
from .steps import FileStep

OPEN, DONE = "open.json", "done.json"
_VERSION = 2
_MAX_HEAD_BYTES = 1 << 26  # 64 MiB: several hundred thousand files
# Matches ".symops-09af-12.new", not ".symops-new" or "notes.new".
_TEMPORARY = r"\.symops-[0-9a-f]+-[0-9]+\.(new|old)"
# Digits of a fingerprint: 64 bits, which a person can type and a stranger cannot hit by chance.
_FINGERPRINT_LENGTH = 16


@dataclass(frozen=True, slots=True)
class FileState:
    """A file before or after: its permission bits, and the size and digest of its bytes."""

    mode: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file in a head. `before` and `after` are None where there is no file."""

    path: str
    temporary: str
    aside: str
    before: FileState | None
    after: FileState | None


@dataclass(frozen=True, slots=True)
class Head:
    """The sealed part of a record.

    Attributes:
        version: The version of this layout.
        root: The folder that the journal was written for, without links.
        folders: The folders that are created, outer ones first.
        files: The files that are changed, in the order of the steps.
        emptied: The folders that files take the place of, with their permission bits.
        run_id: The run that the apply belongs to; empty: to no run.
    """

    version: int
    root: str
    folders: tuple[str, ...]
    files: tuple[FileRow, ...]
    emptied: tuple[tuple[str, int], ...] = ()
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class _Sealed:
    seal: str | None  # None: there was no key
    head: Head


@dataclass(frozen=True, slots=True)
class Record:
    """A journal as it was read.

    Attributes:
        steps: The steps that can be undone.
        numbers: The number of each step in the journal; its bytes are in files of that number.
        folders: The folders that were created, outer ones first.
        emptied: The permission bits of the folders that files took the place of, by path.
        doubt: Why the record is not trusted; empty: it is.
        is_own: Whether this user's seal fits, even if the folder or kept bytes have changed since.
        lost: The files whose bytes from before are missing or wrong. They have no step.
        fingerprint: A short digest of everything that undoing it would do.
        run_id: The run that the apply belongs to; empty: to no run.
    """

    steps: tuple[FileStep, ...]
    numbers: tuple[int, ...]
    folders: tuple[str, ...]
    emptied: dict[str, int]
    doubt: str
    is_own: bool
    lost: tuple[str, ...]
    fingerprint: str
    run_id: str = ""


def write_record(
    inside: Folder,
    root: str,
    steps: Sequence[FileStep],
    folders: Sequence[str],
    emptied: Mapping[str, int],
    run_id: str = "",
) -> str:
    """Write a record into the empty folder of a journal.

    Args:
        inside: The folder of the journal.
        root: The folder whose files are changed, without links.
        steps: The steps.
        folders: The folders to create, outer ones first.
        emptied: The permission bits of the folders that files take the place of, by path.
        run_id: The run that the apply belongs to.

    Returns:
        Why the record has no seal; empty: it has one.

    Raises:
        WorkspaceError: The record cannot be written.
    """
    for index, step in enumerate(steps):
        if step.before is not None:
            inside.stage(f"{index}.before", step.before, 0o600)
        if step.after is not None:
            inside.stage(f"{index}.after", step.after, 0o600)
    rows = tuple(map(_make_row, steps))
    head = Head(_VERSION, root, tuple(folders), rows, tuple(emptied.items()), run_id)
    seal = None
    unsealed = ""
    try:
        seal = sign(_encode(write_object(head)), load_key(make=True))
    except NoKeyError as error:
        unsealed = str(error)
    # The head comes last, and appears under its name all at once: a folder without it is rubbish.
    inside.stage("head", json.dumps(write_object(_Sealed(seal, head))).encode(), 0o600)
    inside.rename("head", OPEN)
    return unsealed


def _make_row(step: FileStep) -> FileRow:
    before = _describe(step.before, step.before_mode)
    after = _describe(step.after, step.after_mode)
    return FileRow(step.path, step.temporary, step.aside, before, after)


def read_record(inside: Folder, label: str, root: str, is_open: bool, max_bytes: int) -> Record:
    """Read a record, and judge whether it can be trusted.

    Args:
        inside: The folder of the journal.
        label: The path of the journal, for messages.
        root: The folder whose files would be changed, without links.
        is_open: Whether the files were being changed when the journal was last written.
        max_bytes: The number of kept bytes to read, in all, of a record without this user's seal.

    Returns:
        The record, with the reason for its doubt.

    Raises:
        WorkspaceError: The head is damaged.
    """
    raw, sealed = _read_head(inside, label, is_open)
    head = sealed.head
    problem = _find_problem(sealed.seal, raw["head"])
    is_own = not problem
    reader = _Reader(inside, is_own, max_bytes)
    steps = {}
    lost = []
    for index, row in enumerate(head.files):
        before = reader.read(f"{index}.before", row.path, row.before)
        after = reader.read(f"{index}.after", row.path, row.after)
        if row.before is not None and before is None:
            lost.append(row.path)
        else:
            steps[index] = _make_step(row, before, after)
    doubt = problem
    if is_own and head.root != root:
        doubt = f"it was written in {head.root}, and the folder has been moved or copied since"
    elif is_own and reader.changed:
        paths = ", ".join(dict.fromkeys(reader.changed))
        doubt = f"the bytes that it kept have been changed since, of {paths}"
    return Record(
        tuple(steps.values()),
        tuple(steps),
        head.folders,
        dict(head.emptied),
        doubt,
        is_own,
        tuple(lost),
        _take_fingerprint(head, is_open, steps.values()),
        head.run_id,
    )


def read_run_id(inside: Folder, label: str, is_open: bool) -> str:
    """Read which run a record says that it belongs to. No seal is checked, and no bytes are read.

    Args:
        inside: The folder of the journal.
        label: The path of the journal, for messages.
        is_open: Whether the files were being changed when the journal was last written.

    Raises:
        WorkspaceError: The head is damaged.
    """
    return _read_head(inside, label, is_open)[1].head.run_id


def _read_head(inside: Folder, label: str, is_open: bool) -> tuple[dict[str, Any], _Sealed]:
    """Return the head as JSON and as an object; raise `WorkspaceError` if it is damaged."""
    try:
        entry = inside.look(OPEN if is_open else DONE, _MAX_HEAD_BYTES)
        if entry.kind is Kind.FILE and entry.data is None:
            raise ValueError(f"its head has more than {_MAX_HEAD_BYTES:,} bytes")
        raw = json.loads(entry.data or b"")
        if isinstance(raw, dict) and "seal" not in raw and "version" in raw:
            raise ValueError("it is of another version of symops")  # version 1 had no seal
        sealed = read_object(_Sealed, raw)
        _check(sealed.head)
    except (ValueError, RecursionError) as error:
        raise WorkspaceError(
            f"{label}: the journal is damaged ({error}); nothing was done. The bytes from before "
            f"are in {label}/*.before: copy what you need from there, then remove {label}"
        ) from None
    return raw, sealed


class _Reader:
    """Read kept bytes: those that match the head, or a bounded number if the head is in doubt.

    `changed` lists the paths of files whose kept bytes do not match.
    """

    def __init__(self, inside: Folder, is_own: bool, max_bytes: int) -> None:
        self.changed: list[str] = []
        self._inside = inside
        self._is_own = is_own
        self._remaining = max_bytes

    def read(self, name: str, path: str, state: FileState | None) -> bytes | None:
        if state is None:
            return None
        if not self._is_own:
            # A stranger's head may claim any size, so its sizes are not used as limits.
            data = self._inside.look(name, self._remaining).data
            self._remaining -= len(data or b"")
            return data
        data = self._inside.look(name, state.size).data
        if _describe(data, state.mode) != state:
            self.changed.append(path)
            return None  # not the bytes that were kept: they must never be written
        return data


def _make_step(row: FileRow, before: bytes | None, after: bytes | None) -> FileStep:
    before_mode = None
    after_mode = None
    if row.before is not None:
        before_mode = row.before.mode
    if row.after is not None:
        after_mode = row.after.mode
        if after is None:
            # The bytes are lost. With other bytes, the file counts as changed since, so undo asks.
            after = b""
    return FileStep(row.path, before, after, before_mode, after_mode, row.temporary, row.aside)


def _describe(data: bytes | None, mode: int | None) -> FileState | None:
    if data is None or mode is None:
        return None
    return FileState(mode, len(data), sha256(data).hexdigest())


def _encode(head: object) -> bytes:
    return json.dumps(head, sort_keys=True, separators=(",", ":")).encode()


def _find_problem(seal: str | None, head: object) -> str:
    """Return why a seal does not prove that this user wrote the head; empty: it does.

    The head is checked as JSON, before it becomes an object: another spelling of the same values
    (`1.0` for `1`) was not written by this program.
    """
    if seal is None:
        return "it has no seal"
    try:
        key = load_key()
    except NoKeyError as error:
        return f"its seal cannot be checked: {error}"
    if is_signed(_encode(head), seal, key):
        return ""
    return (
        "its seal is not yours: it came with a copy, an archive or a repository, or your key has "
        "been replaced"
    )


def _check(head: Head) -> None:
    """Raise `ValueError` for a head that this program never writes, sealed or not."""
    if head.version != _VERSION:
        raise ValueError("it is of another version of symops")
    emptied = dict(head.emptied)
    modes = list(emptied.values())
    paths = [*head.folders, *emptied]
    for row in head.files:
        paths.append(row.path)
        states = (row.before, row.after)
        modes += [state.mode for state in states if state is not None]
        for name in (row.temporary, row.aside):
            # A temporary file is removed later, so it must be beside the file and named by us.
            if not re.fullmatch(_TEMPORARY, name.removeprefix(beside(row.path, ""))):
                raise ValueError(f"not a file of symops: {row.path}")
    for mode in modes:
        if not 0 <= mode <= 0o7777:
            raise ValueError(f"not permission bits: {mode}")
    for path in paths:
        split_path(path)
        if is_internal(path):
            raise ValueError(f"not a file of symops: {path}")


def _take_fingerprint(head: Head, is_open: bool, steps: Iterable[FileStep]) -> str:
    """Return a digest of everything that undoing a journal would do."""
    digest = sha256(_encode(write_object(head)) + bytes([is_open]))
    for step in steps:
        # Surrogates: a path may have bytes that are not UTF-8.
        for piece in (step.path.encode("utf-8", "surrogatepass"), step.before, step.after):
            digest.update(b"-" if piece is None else sha256(piece).digest())
    return digest.hexdigest()[:_FINGERPRINT_LENGTH]
