"""The example replies: read from `examples/*.md`, said in any dialect.

The files have the format of the test corpus: a heading names the example, the prose below it is what the user asked,
the first fence is the reply. What a dialect has no words for is put into its own: verbs go over to those of the same
group, thoughts and vitals are left out if it has none, and actions are numbered where it numbers them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ...core.document import Action, Document, Section, Thought, Vitals
from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import load_dialect
from ...core.ground.errors import RenderError
from ...core.rendering.renderer import can_render, render_and_read
from ...core.rendering.writer import RenderOptions
from ...core.strict.parser import parse

FOLDER = Path(__file__).parent / "examples"
WHOLE, TURNS = "whole_task", "turns"  # the example of the system prompt; the turns before the user's own
_FENCE = re.compile(r"(~{3,})[ \t]*(\w*)[ \t]*")


@dataclass(frozen=True, slots=True)
class Example:
    """What a user asked, and the document that answers it."""

    name: str
    request: str
    document: Document


@cache
def read_examples(stem: str) -> tuple[Example, ...]:
    """Return the examples of one file in their order."""
    path = FOLDER / f"{stem}.md"
    found: list[Example] = []
    for chapter in path.read_text(encoding="utf-8").split("\n## ")[1:]:
        lines = chapter.split("\n")
        first, fence = next((at, fence) for at, line in enumerate(lines) if (fence := _FENCE.fullmatch(line)))
        last = lines.index(fence[1], first)
        document = parse("".join(line + "\n" for line in lines[first + 1 : last]), fence[2] or "v2", name=str(path))
        found.append(Example(lines[0].strip(), " ".join(" ".join(lines[1:first]).split()), document))
    return tuple(found)


def forms_for(dialect: Dialect) -> RenderOptions:
    """Return the forms that examples are written in: numbers where there are numbers, else the shortest."""
    return RenderOptions(numbered="numbers" in dialect.forms)


def adapt(document: Document, dialect: Dialect) -> Document:
    """Put a document into the words of a dialect: its verbs, and thoughts and vitals only if it can say them."""
    sections: list[Section] = []
    groups = load_dialect(document.dialect).verbs
    known = {verb for verbs in dialect.verbs.values() for verb in verbs}
    for section in document.sections:
        if isinstance(section, Thought | Vitals) and not can_render(Document((section,)), dialect):
            continue
        if isinstance(section, Action) and section.type not in known:
            own = [dialect.verbs[group] for group, verbs in groups.items() if section.type in verbs]
            section = replace(section, type=own[0][0]) if own and own[0] else section
        sections.append(section)
    return Document(tuple(sections), dialect.name)


def say(example: Example, dialect: Dialect) -> tuple[str, Document] | None:
    """Return the reply of an example in a dialect, and the document that it is; None if the dialect cannot say it."""
    adapted = adapt(example.document, dialect)
    if not adapted.sections:
        return None
    try:
        return render_and_read(adapted, dialect, forms_for(dialect))
    except RenderError:
        return None
