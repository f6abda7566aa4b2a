"""Reports: the figures of some records as Markdown, as one page, and as JSON.

Invariants: records of different provenances share no table; the same records in any order give the
same bytes, except for latencies; every rate has its n and its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ....core.ground.errors import SymOpsError
from ....core.ground.json_objects import write_object
from ....core.ground.json_text import spell_json
from ...measuring.statistics import load_library
from ..records import Record
from .html import write_page
from .sections import Section, split
from .text import write_markdown

__all__ = [
    "Section",
    "describe_sections",
    "find_form",
    "split",
    "write_markdown",
    "write_page",
    "write_report",
]
_PAGE_LIBRARIES = ("matplotlib", "markdown_it")


def write_report(records: Iterable[Record], path: str | Path) -> None:
    """Write the report to a file.

    Args:
        records: The records.
        path: The file; its ending selects the form: `.md`, `.html` or `.json`.

    Raises:
        SymOpsError: The ending is another one, or the file cannot be written.
    """
    place = Path(path)
    write = find_form(path)
    text = write(split(records))
    try:
        # A reply may hold halves of surrogate pairs, which cannot be encoded: they are written as
        # numbers.
        place.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise SymOpsError(f"{place}: cannot be written: {error.strerror or error}") from None


def find_form(path: str | Path) -> Callable[[Sequence[Section]], str]:
    """Return the function that writes the form of report of a file's ending.

    Raises:
        SymOpsError: There is no such form, or a library for it is missing.
    """
    forms = {".md": write_markdown, ".html": write_page, ".json": write_json}
    form = forms.get(Path(path).suffix.lower())
    if form is None:
        raise SymOpsError(f"{path}: a report ends in {', '.join(forms)}")
    # A missing library is reported before a run, which may take hours, not after it.
    load_library("numpy")
    if form is write_page:
        for name in _PAGE_LIBRARIES:
            load_library(name)
    return form


def write_json(sections: Sequence[Section]) -> str:
    """Return all figures as JSON."""
    return spell_json(describe_sections(sections), 2) + "\n"


def describe_sections(sections: Iterable[Section]) -> dict[str, Any]:
    """Return all figures as a JSON object: for each section its figures by measure."""
    return {"sections": list(map(_describe, sections))}


def _describe(section: Section) -> dict[str, Any]:
    figures = section.figures
    compared, differences = section.differences
    return {
        **write_object(section, "provenance", "model"),
        "replies": len(section.records),
        "unscored": len(section.failed),
        "tasks": dict(section.tasks),
        "same_tasks": not section.is_uneven,
        "assumed": section.assumed,
        "compared": compared,
        "differences": [difference.to_dict() for difference in differences],
        "figures": {name: list(map(write_object, figures[name])) for name in figures},
    }
