"""The example replies: read from `examples/*.md`, and written in any dialect.

The files have the format of the test corpus: a heading is the name of an example, the prose below
it is the user's request, and the first fence is the reply. An example is adapted to a dialect:
verbs are replaced by those of the same group, thoughts and vitals are left out if the dialect has
none, and actions are numbered if the dialect numbers them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ...core.document import Action, Document, Thought, Vitals
from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import load_dialect
from ...core.ground.errors import RenderError
from ...core.rendering.renderer import can_render, render_and_read
from ...core.rendering.writer import RenderOptions
from ...core.strict.parser import parse

FOLDER = Path(__file__).parent / "examples"
# The example of the system prompt, and the turns before the user's request.
WHOLE, TURNS = "whole_task", "turns"
_CHAPTER = re.compile(
    r"""
    (?P<name>[^\n]*)\n
    (?P<request>.*?)
    ^(?P<fence>~{3,})[ \t]*(?P<dialect>\w*)[ \t]*\n
    (?P<reply>.*?)
    ^(?P=fence)\n
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Example:
    """A request of a user and its reply.

    Attributes:
        name: The name of the example.
        request: The request, on one line.
        document: The reply.
    """

    name: str
    request: str
    document: Document


@cache
def read_examples(stem: str) -> tuple[Example, ...]:
    """Return the examples of one file in their order."""
    path = FOLDER / f"{stem}.md"
    # The text before the first heading describes the file.
    examples = []
    for chapter in path.read_text(encoding="utf-8").split("\n## ")[1:]:
        match = _CHAPTER.match(f"{chapter}\n")
        assert match is not None, f"{path}: an example without a reply"
        document = parse(match["reply"], match["dialect"] or "v2", name=str(path))
        request = " ".join(match["request"].split())
        examples.append(Example(match["name"].strip(), request, document))
    return tuple(examples)


def forms_for(dialect: Dialect) -> RenderOptions:
    """Return the forms of examples: with numbers if the dialect has them, else the shortest."""
    return RenderOptions(numbered="numbers" in dialect.forms)


def adapt(document: Document, dialect: Dialect) -> Document:
    """Return a document with the verbs of a dialect, without sections that the dialect lacks.

    Args:
        document: The document.
        dialect: The dialect.
    """
    groups = load_dialect(document.dialect).verbs
    sections = []
    for section in document.sections:
        # Other sections are needed: without them the example is not shown.
        if isinstance(section, Thought | Vitals) and not can_render(Document((section,)), dialect):
            continue
        if isinstance(section, Action) and section.type not in dialect.all_verbs:
            # Groups are the same in all dialects: "write" may be "create" elsewhere.
            for group, verbs in groups.items():
                if section.type in verbs and dialect.verbs[group]:
                    section = replace(section, type=dialect.verbs[group][0])
                    break
        sections.append(section)
    return Document(tuple(sections), dialect.name)


def say(example: Example, dialect: Dialect) -> tuple[str, Document] | None:
    """Return the reply of an example in a dialect, as a text and as a document.

    Args:
        example: The example.
        dialect: The dialect.

    Returns:
        Both; None if the dialect cannot express the reply.
    """
    # A dialect that lacks all sections would give an empty reply.
    adapted = adapt(example.document, dialect)
    if not adapted.sections:
        return None
    try:
        return render_and_read(adapted, dialect, forms_for(dialect))
    except RenderError:
        return None
