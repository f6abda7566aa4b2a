"""Replies made up from a seed, which exported parsers are timed with, and the damage done to replies."""

from __future__ import annotations

import random

from symops_lark.lab.benchmark.faults.contents import real_contents
from symops_lark.lab.benchmark.faults.documents import Action, Document, document, write
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY, Draft, apply_mistakes

DAMAGES = {
    "an opener, an @ and a fence": ("opener-misspelt", "at-missing", "preamble"),
    "fences for delimiters": ("fence-for-block", "preamble-with-plan"),
    "a closer missing": ("closer-missing-in-the-middle",),
    "the other version": ("reply-in-the-other-version",),
    "truncated": ("truncated-in-content",),
}


def content_heavy(dialect: str, blocks: int = 40, size: int = 2500, number: int = 0) -> Document:
    """Actions with contents of about `size` characters; another document for each number."""
    rng = random.Random(f"{dialect}/heavy/{number}" if number else f"{dialect}/heavy")
    pool = [item for item in real_contents() if "\n--\n" not in item.text]
    actions = []
    for number in range(blocks):
        text = ""
        while len(text) < size:
            text += rng.choice(pool).text + "\n"
        actions.append(Action("create", f"src/file_{number}.py", text[:size].rstrip() + "\n"))
    return Document(tuple(actions))


def typical(dialect: str, number: int = 0, lines: int = 200) -> Document:
    """A reply of about so many lines; another one for each number."""
    rng = random.Random(f"{dialect}/typical/{number}")
    while True:
        created = document(rng, dialect, hard=0.2)
        if abs(write(created, dialect).count("\n") - lines) < 6 and len(created.actions) > 3:
            return created


def broken(made: Document, dialect: str, names: tuple[str, ...]) -> str | None:
    """A damaged text of a document; None where the damage does not apply."""
    for attempt in range(50):
        draft = apply_mistakes(Draft.of(made, dialect), [REGISTRY[name] for name in names], random.Random(attempt))
        if draft is not None:
            return draft.text()
    return None
