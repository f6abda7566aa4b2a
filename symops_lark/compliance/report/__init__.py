"""Reports: the figures of some records as Markdown, as one page, and as JSON.

Laws: records of different provenances share no table; the same records in any order give the same bytes, latencies
aside; every rate has its n and its interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..records import Record
from .html import write_page
from .sections import Section, split
from .text import write_report

__all__ = ["describe_sections", "split", "write_page", "write_report"]


def describe_sections(records: Iterable[Record]) -> dict[str, Any]:
    """Give all figures as a JSON object: for each provenance its figures by measure, and what has no reply."""
    return {"sections": [_describe(section) for section in split(records)]}


def _describe(section: Section) -> dict[str, Any]:
    return {
        "provenance": section.provenance.to_dict(),
        "model": section.model,
        "replies": len(section.records),
        "unscored": len(section.failed),
        "figures": {name: [f.to_dict() for f in figures] for name, figures in section.figures.items()},
    }
