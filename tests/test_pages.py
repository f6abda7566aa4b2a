"""The form of the pages: short, for somebody, about one thing, with two ways on."""

from __future__ import annotations

import re

import prose
import pytest
from documents import DOCUMENTS, FENCE, INDEXES, ROOT, read

MOST_WORDS = 1_500  # of prose, without code
# Longer pages, with the most words that they may have. Lower a number, or remove a row; add none.
LONG = {
    "SECURITY.md": 4_000,
    "benchmarks/README.md": 2_500,
    "benchmarks/results/README.md": 2_100,
    "docs/embedding.md": 1_800,
    "docs/reference/findings.md": 1_700,
    "docs/status-judgment.md": 1_900,
    "docs/why.md": 1_800,
    "grammars/README.md": 4_300,
    "repair_rules/README.md": 1_700,
}
GROWING = ("CHANGELOG.md",)
PAGES = [name for name in DOCUMENTS if name.startswith("docs/") and name not in INDEXES]


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in GROWING])
def test_pages_are_short(name: str) -> None:
    words = prose.measure_markdown(ROOT / name).words
    assert words <= LONG.get(name, MOST_WORDS)
    assert name not in LONG or words > MOST_WORDS, "the page is short enough: remove its row"


@pytest.mark.parametrize("name", PAGES)
def test_pages_begin_with_their_readers(name: str) -> None:
    title, paragraph = FENCE.sub("", read(name)).split("\n\n")[:2]
    assert title.startswith("# ")
    assert paragraph.startswith("For "), "the first paragraph says for whom the page is, and what they have at its end"


@pytest.mark.parametrize("name", PAGES)
def test_pages_end_with_two_links(name: str) -> None:
    last = read(name).rstrip("\n").split("\n\n")[-1]
    assert last.startswith("Next: [")
    assert len(re.findall(r"\]\(([^)]+)\)", last)) in (2, 3)
