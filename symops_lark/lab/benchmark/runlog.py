"""The run log: a file of JSON lines, a header first, then a record for each case when it is done.

Invariants:

1. A case is in it once.
2. Half a line, which a killed run left, is cut off before anything is added.
3. Any other damage is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_lines import JsonLines, open_lines, read_bytes, split_lines
from ...core.ground.json_objects import JsonObject, read_object, write_object
from .records import Provenance, Record
from .settings import RunSettings

VERSION = 1
_SIGN = "symops_bench"
_BEGIN = b'{"symops_bench":'
_NO_DECISION = "date"  # the setting that decides nothing: when the run began
_MAX_SHOWN = 5  # differences between two headers


@dataclass(frozen=True, slots=True)
class Header(JsonObject):
    """The first line of a log, with hashes of everything that decides about its records.

    Attributes:
        settings: The settings of the run.
        provenance: Where its replies come from.
        formats: The hashes of the formats, by name.
        tasks: The hashes of the tasks, by name.
        package: The version of the package.
        cases: The number of records that a complete log has.
    """

    settings: RunSettings
    provenance: Provenance
    formats: Mapping[str, str]
    tasks: Mapping[str, str]
    package: str
    cases: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {_SIGN: VERSION, **write_object(self)}


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read; the order of its records does not depend on that of the file."""

    path: Path
    header: Header
    records: tuple[Record, ...]

    @property
    def missing(self) -> int:
        """The number of cases without a record."""
        return self.header.cases - len(self.records)


def read_log(path: str | Path) -> Log:
    """Read a log.

    Raises:
        SymOpsError: A line is not as a run writes it. The message begins with `file:line`.
    """
    place = Path(path)
    data = read_bytes(place)
    header, records = _read(place, data)
    # `open_log` cuts half a line off; a reader may not.
    if header is None or not data.endswith(b"\n"):
        line = data.count(b"\n") + 1
        raise SymOpsError(
            f"{place}:{line}: the line is half written: the run was killed. Start it again with "
            "this log (--out), and it resumes from there; or remove the line"
        )
    return Log(place, header, tuple(sorted(records, key=_order)))


def _order(record: Record) -> tuple[str, int, str]:
    return record.case.task, record.case.repetition, record.case.format


class RunLog:
    """A log that is being written; `records` are its records by key. `open_log` makes it."""

    def __init__(self, file: JsonLines) -> None:
        self.header, records = _read(file.path, file.data)
        self.records = {record.key: record for record in records}
        self._file = file

    def begin(self, header: Header) -> None:
        """Write the header, or compare it with the existing one.

        Raises:
            SymOpsError: They differ.
        """
        if self.header is None:
            self._file.append(header.to_dict())
        else:
            changes = differences(self.header, header)
            if changes:
                path = self._file.path
                raise SymOpsError(
                    f"{path}: this log is of another run: {'; '.join(changes)}. Write to another "
                    f"file (--out); with --cache {path} no model is asked again for what it has"
                )
        self.header = header

    def add(self, record: Record) -> bool:
        """Append a record; return False if the log has it already."""
        if record.key in self.records:
            return False
        self._file.append(record.to_dict())
        # After it is written: an error leaves the log as it was.
        self.records[record.key] = record
        return True


@contextmanager
def open_log(path: str | Path) -> Iterator[RunLog]:
    """Open or create a log for writing. Only one run can do so at the same time.

    Raises:
        SymOpsError: The log is damaged, in use, or of another version.
    """
    in_use = "another run writes to this log: wait for it, or name another --out"
    with open_lines(Path(path), in_use) as file:
        log = RunLog(file)
        # Only now: a file that is not a log is not changed.
        file.cut()
        yield log


def differences(before: Header, after: Header) -> list[str]:
    """Return the differences between two headers, except those that decide nothing."""
    old, new = _flatten(before.to_dict()), _flatten(after.to_dict())
    ignored = {f"settings.{_NO_DECISION}", f"provenance.detail.{_NO_DECISION}"}
    changes = [
        f"{key} was {_show(old.get(key))} and is now {_show(new.get(key))}"
        for key in sorted({*old, *new} - ignored)
        if old.get(key) != new.get(key)
    ]
    further = len(changes) - _MAX_SHOWN
    return changes[:_MAX_SHOWN] + ([f"and {further} more"] if further > 0 else [])


def _flatten(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in value.items():
        # Keys such as `settings.seed` name a value for the user.
        if isinstance(item, Mapping):
            flat |= _flatten(item, f"{prefix}{key}.")
        else:
            flat[prefix + key] = item
    return flat


def _show(value: object) -> str:
    return "missing" if value is None else json.dumps(value)


def _read(path: Path, data: bytes) -> tuple[Header | None, list[Record]]:
    """Return the header and the records of the complete lines."""
    lines, half = split_lines(data)
    # A run may have been killed while it wrote the header.
    if not lines and not (half.startswith(_BEGIN) or _BEGIN.startswith(half)):
        raise _not_a_log(f"{path}:1")
    header: Header | None = None
    records = []
    places: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        try:
            value = json.loads(line)
        except ValueError as error:
            raise _damaged(where, line, str(error)) from None
        if header is None:
            header = _read_header(where, value)
            continue
        try:
            record = Record.from_dict(value)
        except (TypeError, ValueError) as error:
            raise _damaged(where, line, str(error)) from None
        # Two lines for a case can only come from an edited or concatenated file.
        if record.key in places:
            raise _damaged(where, line, f"the case is on line {places[record.key]} already")
        places[record.key] = number
        records.append(record)
    return header, records


def _read_header(where: str, value: Any) -> Header:
    version = value.get(_SIGN) if isinstance(value, dict) else None
    # Any other file of JSON lines.
    if not isinstance(version, int):
        raise _not_a_log(where)
    if version != VERSION:
        raise SymOpsError(
            f"{where}: this log has version {version}, and only {VERSION} can be read: "
            "use the release of symops-lark that wrote it, or a newer one"
        )
    try:
        return read_object(Header, {name: item for name, item in value.items() if name != _SIGN})
    except (TypeError, ValueError) as error:
        raise SymOpsError(f"{where}: the head of this log is damaged: {error}") from None


def _not_a_log(where: str) -> SymOpsError:
    return SymOpsError(
        f"{where}: this is not a run log of `symops bench run`: "
        f"the first line does not have {_SIGN!r}"
    )


def _damaged(where: str, line: bytes, reason: str) -> SymOpsError:
    excerpt = line[:80].decode("utf-8", "replace")
    if len(line) > 80:
        excerpt += "…"
    return SymOpsError(
        f"{where}: this line is damaged ({reason}): restore the file, or remove the line and run "
        f"again:\n  {excerpt}"
    )
