"""What is judged: the reports that a step wrote or, without any, its last response."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import grouped
from ...core.ground.resources import read_bounded

_MOST_BYTES = 4_000_000  # of a report


def join_reports(reports: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """Return several reports as one text: each below its name as a heading, a rule between two."""
    named = reports.items() if isinstance(reports, Mapping) else reports
    return "\n\n---\n\n".join(f"# {name}\n\n{text}" for name, text in named)


def read_source(reports: Sequence[str | Path] = (), last_response: str | None = None) -> str:
    """Return the text to judge: the report files that there are or, if there is none, the last response.

    Raises `SymOpsError` if there is neither, or a report is no text.
    """
    found = [(Path(path).name, _read(path)) for path in reports if Path(path).exists()]
    if found:
        return join_reports(found)
    if last_response is not None and last_response.strip():
        return last_response
    missing = f"none of the reports exists ({', '.join(map(str, reports))})" if reports else "there is no report"
    raise SymOpsError(f"there is nothing to judge: {missing}, and no last response")


def _read(path: str | Path) -> str:
    try:
        return read_bounded(path, _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte 0x{error.object[error.start]:02x} at offset {grouped(error.start)}"
        raise SymOpsError(f"{path}: not UTF-8: {where}") from None
    except OSError as error:
        raise SymOpsError(f"{path}: the report cannot be read: {error.strerror or error}") from None
