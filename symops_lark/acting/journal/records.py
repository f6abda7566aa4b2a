"""What a journal says of itself: its head, with a seal, and the bytes that it keeps; written, read and judged.

The law: a record is sure if its seal is this user's, it was written for this folder, and every byte that it keeps is
the one that was kept. Anything else is in doubt, and told; it is never taken for sure, and never thrown away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

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
_MOST = 1 << 26  # bytes of a head: some hundred thousand files
_TEMPORARY = r"\.symops-[0-9a-f]+-[0-9]+\.(new|old)"
_SHOWN = 16  # digits of a fingerprint


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it was before or after: its permission bits, and what its bytes must be."""

    mode: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Row:
    """What a journal knows of one file; None stands for no file."""

    path: str
    temporary: str
    aside: str
    before: Kept | None
    after: Kept | None


@dataclass(frozen=True, slots=True)
class Head:
    """What is sealed: for which folder it was written, which folders were to be made, which files to be changed."""

    version: int
    root: str
    folders: tuple[str, ...]
    files: tuple[Row, ...]
    emptied: tuple[tuple[str, int], ...] = ()  # folders that files take the place of, and their permission bits


@dataclass(frozen=True, slots=True)
class _Sealed:
    seal: str | None  # None where there was no key
    head: Head


@dataclass(frozen=True, slots=True)
class Record:
    """A journal as it was read.

    `doubt` says why it is not sure, or is empty; `is_own` whether this user wrote it, if only for another place, and
    all bytes in it. `lost` are the files whose bytes from before are not there; they have no step.
    """

    steps: tuple[FileStep, ...]
    numbers: tuple[int, ...]  # of the steps: their bytes are kept under them
    folders: tuple[str, ...]
    emptied: dict[str, int]
    doubt: str
    is_own: bool
    lost: tuple[str, ...]
    fingerprint: str  # of all that it would do


def write_record(
    inside: Folder, root: str, steps: Sequence[FileStep], folders: Sequence[str], emptied: Mapping[str, int]
) -> str:
    """Write down, in a journal's empty folder, what will be done; the head comes last. Return why it has no seal."""
    for index, step in enumerate(steps):
        for when, data in (("before", step.before), ("after", step.after)):
            if data is not None:
                inside.stage(f"{index}.{when}", data, 0o600)
    rows = tuple(
        Row(
            step.path,
            step.temporary,
            step.aside,
            _describe(step.before, step.before_mode),
            _describe(step.after, step.after_mode),
        )
        for step in steps
    )
    head, seal, unsealed = Head(_VERSION, root, tuple(folders), rows, tuple(emptied.items())), None, ""
    try:
        seal = sign(_encode(write_object(head)), load_key(make=True))
    except NoKeyError as error:
        unsealed = str(error)
    inside.stage("head", json.dumps(write_object(_Sealed(seal, head))).encode(), 0o600)
    inside.rename("head", OPEN)
    return unsealed


def read_record(inside: Folder, shown: str, root: str, is_open: bool, most: int) -> Record:
    """Read what `write_record` wrote, for whatever folder; of what is in doubt no more than `most` bytes.

    Raise `WorkspaceError` if it says nothing.
    """
    try:
        found = inside.look(OPEN if is_open else DONE, _MOST)
        if found.kind is Kind.FILE and found.data is None:
            raise ValueError(f"its head has more than {_MOST:,} bytes")
        said = json.loads(found.data or b"")
        if isinstance(said, dict) and "seal" not in said and "version" in said:
            raise ValueError("it is of another version of symops")
        sealed = read_object(_Sealed, said)
        _check(sealed.head)
    except (ValueError, RecursionError) as error:
        raise WorkspaceError(
            f"{shown}: the journal is damaged ({error}); nothing was done. The bytes from before are in "
            f"{shown}/*.before: take from there what you need, then remove {shown}"
        ) from None
    head = sealed.head
    problem = _find_problem(sealed.seal, said["head"])
    steps: dict[int, FileStep] = {}
    lost: list[str] = []
    changed: list[str] = []
    for index, row in enumerate(head.files):
        kept: dict[str, bytes | None] = {}
        for when, what in (("before", row.before), ("after", row.after)):
            data = None
            if what is not None:
                data = inside.look(f"{index}.{when}", most if problem else what.size).data
                most -= len(data or b"") if problem else 0
                if not problem and _describe(data, what.mode) != what:  # not what was kept, so it is written by nobody
                    data, changed = None, [*changed, row.path]
            kept[when] = data
        if row.before is not None and kept["before"] is None:
            lost.append(row.path)
        else:
            steps[index] = _make_step(row, **kept)
    doubt, is_own = problem, not problem
    if is_own and head.root != root:
        doubt = f"it was written in {head.root}, and the folder has been moved or copied since"
    elif is_own and changed:
        doubt = f"the bytes that it kept have been changed since, of {', '.join(dict.fromkeys(changed))}"
    fingerprint = _take_fingerprint(head, is_open, steps.values())
    emptied = dict(head.emptied)
    return Record(tuple(steps.values()), tuple(steps), head.folders, emptied, doubt, is_own, tuple(lost), fingerprint)


def _make_step(row: Row, before: bytes | None, after: bytes | None) -> FileStep:
    if row.after is not None and after is None:
        after = b""  # so that what stands there now counts as changed since, and is asked about
    before_mode, after_mode = (None if what is None else what.mode for what in (row.before, row.after))
    return FileStep(row.path, before, after, before_mode, after_mode, row.temporary, row.aside)


def _describe(data: bytes | None, mode: int | None) -> Kept | None:
    return None if data is None or mode is None else Kept(mode, len(data), sha256(data).hexdigest())


def _encode(head: object) -> bytes:
    return json.dumps(head, sort_keys=True, separators=(",", ":")).encode()


def _find_problem(seal: str | None, head: object) -> str:
    """Return why a seal does not say that this user wrote the journal; an empty text if it does.

    The head is sealed as it is written: another spelling of the same values is another text, and somebody else's.
    """
    if seal is None:
        return "it has no seal"
    try:
        key = load_key()
    except NoKeyError as error:
        return f"its seal cannot be checked: {error}"
    if is_signed(_encode(head), seal, key):
        return ""
    return "its seal is not yours: it came with a copy, an archive or a repository, or your key is another one now"


def _check(head: Head) -> None:
    """Raise `ValueError` for what no journal of ours says, sealed or not."""
    if head.version != _VERSION:
        raise ValueError("it is of another version of symops")
    for row in head.files:
        names = [name.removeprefix(beside(row.path, "")) for name in (row.temporary, row.aside)]
        if not all(re.fullmatch(_TEMPORARY, name) for name in names):
            raise ValueError(f"no file of ours: {row.path}")
    kept = (what.mode for row in head.files for what in (row.before, row.after) if what is not None)
    for mode in (*kept, *dict(head.emptied).values()):
        if not 0 <= mode <= 0o7777:
            raise ValueError(f"no permissions: {mode}")
    for path in (*head.folders, *dict(head.emptied), *(row.path for row in head.files)):
        split_path(path)
        if is_internal(path):
            raise ValueError(f"no file of ours: {path}")


def _take_fingerprint(head: Head, is_open: bool, steps: Iterable[FileStep]) -> str:
    """Return a digest of all that a journal would do, short enough to be typed."""
    digest = sha256(_encode(write_object(head)) + bytes([is_open]))
    for step in steps:
        for piece in (step.path.encode("utf-8", "surrogatepass"), step.before, step.after):
            digest.update(b"-" if piece is None else sha256(piece).digest())
    return digest.hexdigest()[:_SHOWN]
