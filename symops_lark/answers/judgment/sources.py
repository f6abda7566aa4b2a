"""Read the text that is judged: the reports of a step or, without any, its last response."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import grouped
from ...core.ground.resources import read_bounded

# Bytes of one report. A longer one does not fit into the context of any model.
_MAX_BYTES = 4_000_000


def join_reports(reports: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """Return several reports as one text.

    Args:
        reports: The text of each report by its name.

    Returns:
        The reports in order, each after a heading with its name, with a rule between two.
    """
    pairs = reports.items() if isinstance(reports, Mapping) else reports
    return "\n\n---\n\n".join(f"# {name}\n\n{text}" for name, text in pairs)


def read_source(reports: Sequence[str | Path] = (), last_response: str | None = None) -> str:
    """Return the text to judge.

    Args:
        reports: The files of the reports. Missing files are passed over.
        last_response: The last response of the step, used if no report has a text.

    Returns:
        The reports joined, else the last response.

    Raises:
        SymOpsError: There is neither, or a report is not UTF-8 or cannot be read.
    """
    files = filter(Path.exists, map(Path, reports))
    texts = [(file.name, _read(file)) for file in files]
    # A heading and blanks alone are not worth a question, as in a response.
    if any(text.strip() for _, text in texts):
        return join_reports(texts)
    if last_response is not None and last_response.strip():
        return last_response
    missing = "there is no report"
    if reports:
        paths = ", ".join(map(str, reports))
        missing = f"none of the reports exists ({paths})"
        if texts:
            missing = f"the reports have no text ({paths})"
    raise SymOpsError(f"there is nothing to judge: {missing}, and no last response")


def _read(path: Path) -> str:
    try:
        # Editors on Windows begin a file with a byte order mark.
        return read_bounded(path, _MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        where = f"byte 0x{byte:02x} at offset {grouped(error.start)}"
        raise SymOpsError(f"{path}: not UTF-8: {where}") from None
    except OSError as error:
        reason = error.strerror or error
        raise SymOpsError(f"{path}: the report cannot be read: {reason}") from None
