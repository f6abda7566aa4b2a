"""The run log: a file of JSON lines, what was asked for first, then a record for each case as it is done.

Laws: a case is in it once; what a killed run left half written is cut off before anything is added; nothing else that
is damaged is passed over.
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
_NO_DECISION = "date"  # of the settings: when the run began


@dataclass(frozen=True, slots=True)
class Header(JsonObject):
    """The first line of a log: what was asked for, and hashes of all that decides what comes of it.

    `formats` and `tasks` are fingerprints by name, `cases` is the number of records that a whole log has.
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
    """A log that was read; `records` are in an order that does not depend on that of the file."""

    path: Path
    header: Header
    records: tuple[Record, ...]

    @property
    def missing(self) -> int:
        """How many cases are still to be done."""
        return self.header.cases - len(self.records)


def read_log(path: str | Path) -> Log:
    """Read a log; raises `SymOpsError` with file and line for anything that is not as a run writes it."""
    place = Path(path)
    data = read_bytes(place)
    header, records = _read(place, data)
    if header is None or not data.endswith(b"\n"):
        line = data.count(b"\n") + 1
        raise SymOpsError(
            f"{place}:{line}: the line is half written: the run was killed. Start it again with this log "
            "(--out), and it goes on from there; or remove the line"
        )
    order = sorted(records, key=lambda record: (record.case.task, record.case.repetition, record.case.format))
    return Log(place, header, tuple(order))


class RunLog:
    """A log that is written to; made by `open_log`; `records` are those that it has, by key."""

    def __init__(self, file: JsonLines) -> None:
        self.header, records = _read(file.path, file.data)
        self.records = {record.key: record for record in records}
        self._file = file

    def begin(self, header: Header) -> None:
        """Write the header, or compare it with the one that is there; raise `SymOpsError` where they differ."""
        if self.header is None:
            self._file.append(header.to_dict())
        elif told := differences(self.header, header):
            path = self._file.path
            raise SymOpsError(
                f"{path}: this log is of another run: {'; '.join(told)}. Write to another file (--out); with "
                f"--cache {path} no model is asked again for what it has"
            )
        self.header = header

    def add(self, record: Record) -> bool:
        """Append a record; return False if the log has it already."""
        if record.key in self.records:
            return False
        self._file.append(record.to_dict())
        self.records[record.key] = record
        return True


@contextmanager
def open_log(path: str | Path) -> Iterator[RunLog]:
    """Open a log to go on with, or make one; half a line at its end is cut off. Only one run at a time can.

    Raises `SymOpsError` for a log that is damaged, in use, or of another version.
    """
    in_use = "another run writes to this log: wait for it, or name another --out"
    with open_lines(Path(path), in_use) as file:
        log = RunLog(file)
        file.cut()
        yield log


def differences(one: Header, other: Header) -> list[str]:
    """Name what two headers differ in, but for what decides nothing."""
    flat = [_flatten(header.to_dict()) for header in (one, other)]
    keys = sorted({*flat[0], *flat[1]} - {f"settings.{_NO_DECISION}", f"provenance.detail.{_NO_DECISION}"})
    rows = ((key, *(values.get(key) for values in flat)) for key in keys)
    told = [f"{key} was {_show(before)} and is now {_show(now)}" for key, before, now in rows if before != now]
    return told[:5] + ([f"and {len(told) - 5} more"] if len(told) > 5 else [])


def _flatten(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, Mapping):
            flat |= _flatten(item, f"{prefix}{key}.")
        else:
            flat[prefix + key] = item
    return flat


def _show(value: object) -> str:
    return "missing" if value is None else json.dumps(value)


def _read(path: Path, data: bytes) -> tuple[Header | None, list[Record]]:
    """Return what the whole lines say: the header and the records."""
    lines, rest = split_lines(data)
    if not lines and not (rest.startswith(_BEGIN) or _BEGIN.startswith(rest)):
        raise _no_log(f"{path}:1")
    header: Header | None = None
    records: list[Record] = []
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
        if record.key in places:
            raise _damaged(where, line, f"the case is on line {places[record.key]} already")
        places[record.key] = number
        records.append(record)
    return header, records


def _read_header(where: str, value: Any) -> Header:
    version = value.get(_SIGN) if isinstance(value, dict) else None
    if not isinstance(version, int):
        raise _no_log(where)
    if version != VERSION:
        raise SymOpsError(
            f"{where}: this log has version {version}, and only {VERSION} can be read: "
            "use the release of symops-lark that wrote it, or a newer one"
        )
    try:
        return read_object(Header, {name: item for name, item in value.items() if name != _SIGN})
    except (TypeError, ValueError) as error:
        raise SymOpsError(f"{where}: the head of this log is damaged: {error}") from None


def _no_log(where: str) -> SymOpsError:
    return SymOpsError(f"{where}: this is no run log of `symops bench run`: the first line does not say {_SIGN!r}")


def _damaged(where: str, line: bytes, why: str) -> SymOpsError:
    shown = line[:80].decode("utf-8", "replace") + ("…" if len(line) > 80 else "")
    return SymOpsError(
        f"{where}: this line is damaged ({why}): restore the file, or remove the line and run again:\n  {shown}"
    )
