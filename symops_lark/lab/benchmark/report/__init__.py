"""Reports: the figures of some records as Markdown, as one page, and as JSON.

Laws: records of different provenances share no table; the same records in any order give the same bytes, latencies
aside; every rate has its n and its interval.
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

__all__ = ["Section", "describe_sections", "find_form", "split", "write_markdown", "write_page", "write_report"]
_PAGE_LIBRARIES = ("matplotlib", "markdown_it")


def write_report(records: Iterable[Record], path: str | Path) -> None:
    """Write the report to a file, in the form that its ending asks for: `.md`, `.html` or `.json`.

    Raises `SymOpsError` for another ending, and where the file cannot be written.
    """
    place, write = Path(path), find_form(path)
    text = write(split(records))
    try:
        # A reply may hold halves of surrogate pairs, which no file can: the report shows them by number.
        place.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise SymOpsError(f"{place}: cannot be written: {error.strerror or error}") from None


def find_form(path: str | Path) -> Callable[[Sequence[Section]], str]:
    """Return what writes the form of report that a file's ending asks for.

    Raises `SymOpsError` if nothing does, and where a library for it is missing.
    """
    forms = {".md": write_markdown, ".html": write_page, ".json": write_json}
    form = forms.get(Path(path).suffix.lower())
    if form is None:
        raise SymOpsError(f"{path}: a report ends in {', '.join(forms)}")
    # They had better be missed before a run than after it.
    for name in ("numpy", *(_PAGE_LIBRARIES if form is write_page else ())):
        load_library(name)
    return form


def write_json(sections: Sequence[Section]) -> str:
    """Return all figures as JSON."""
    return spell_json(describe_sections(sections), 2) + "\n"


def describe_sections(sections: Iterable[Section]) -> dict[str, Any]:
    """Return all figures as a JSON object: for each provenance its figures by measure, and what has no reply."""
    return {
        "sections": [
            {
                **write_object(section, "provenance", "model"),
                "replies": len(section.records),
                "unscored": len(section.failed),
                "tasks": dict(section.tasks),
                "same_tasks": not section.is_uneven,
                "assumed": section.assumed,
                "compared": section.differences[0],
                "differences": [shown.to_dict() for shown in section.differences[1]],
                "figures": {name: list(map(write_object, figures)) for name, figures in section.figures.items()},
            }
            for section in sections
        ]
    }
