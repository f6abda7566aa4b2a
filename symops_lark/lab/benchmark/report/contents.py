"""The table of contents of a Markdown text, and the anchors of its headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator


def list_contents(lines: Iterable[str]) -> Iterator[str]:
    """Yield a table of contents: links to the headings of second and third order in some lines."""
    yield from ("## Contents", "")
    counts: Counter[str] = Counter()
    for line in lines:
        match = re.fullmatch(r"##(#?) (.+)", line)
        if match:
            level, title = match.groups()
            indent = "  " * len(level)
            anchor = find_anchor(title, counts)
            yield f"{indent}- [{title}](#{anchor})"


def find_anchor(heading: str, counts: Counter[str]) -> str:
    """Return the anchor of a heading, as GitHub writes it.

    Args:
        heading: The heading.
        counts: The anchors of the headings before it; this one is added.
    """
    # GitHub removes markup and punctuation, and numbers the headings of one name.
    text = re.sub(r"[`*\\]", "", heading)
    text = re.sub(r"[^\w\- ]", "", text)
    name = text.strip().lower().replace(" ", "-")
    number = counts[name]
    counts[name] += 1
    if number:
        name += f"-{number}"
    return name
