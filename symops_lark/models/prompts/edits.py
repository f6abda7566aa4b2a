"""Teach a model to change a part of a file: a paragraph and an example for each notation.

Each notation is one file of the folder `edits`: the paragraph, then the text of a file, the content
that changes it, and the changed text. The example of a prompt is made from these, in the marks of
the dialect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...core.document import Action, Document
from ...core.edits import show_anchors
from ...core.grammar.dialect import Dialect
from ...core.ground.errors import RenderError, SymOpsError
from ...core.rendering.renderer import render
from .examples import forms_for
from .template import enclose, quote

FOLDER = Path(__file__).parent / "edits"
WHOLE_TEXTS = "whole"
_FENCE = re.compile(r"^~~~ (old|content|new)\n(.*?)^~~~$", re.MULTILINE | re.DOTALL)
_PATH = "src/prices.py"


@dataclass(frozen=True, slots=True)
class Way:
    """A notation of edits as prompts teach it.

    Attributes:
        name: Its name, such as "search-replace".
        words: The paragraph, with `{verb}` for the verb of the dialect.
        old: The text of a file.
        content: The content of an edit of that file.
        new: The text after the edit.
    """

    name: str
    words: str
    old: str
    content: str
    new: str


def ways() -> tuple[str, ...]:
    """Return the names of all ways to change a file: whole texts, and the notations of edits."""
    return (WHOLE_TEXTS, *sorted(path.stem for path in FOLDER.glob("*.md")))


@cache
def read_way(name: str) -> Way | None:
    """Return a way to change a part of a file.

    Args:
        name: Its name.

    Returns:
        The way; None for whole texts.

    Raises:
        SymOpsError: There is none of that name.
    """
    if name == WHOLE_TEXTS:
        return None
    if name not in ways():
        raise SymOpsError(f"there are no edits called {name!r}: choose {', '.join(ways())}")
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    parts = dict(_FENCE.findall(text))
    # Lines of the file are not lines of the prompt.
    words = " ".join(text.partition("~~~")[0].split())
    return Way(name, words, parts["old"], parts["content"].removesuffix("\n"), parts["new"])


def editing_verb(dialect: Dialect) -> str:
    """Return the verb that changes an existing file in a dialect.

    Args:
        dialect: The dialect.

    Raises:
        SymOpsError: It has none.
    """
    # A grammar of a user may have other verbs than "edit".
    for verb in dialect.verbs["writing"]:
        if verb != "create":
            return verb
    problem = f"the dialect {dialect.name} has no verb that changes a file"
    raise SymOpsError(f"{problem}: use edits={WHOLE_TEXTS!r}")


def teach_edits(way: Way, dialect: Dialect, with_example: bool) -> str:
    """Return the section of a prompt on edits.

    Args:
        way: The way to change a part of a file.
        dialect: The dialect.
        with_example: Whether to show an example.

    Returns:
        The section, without a line break at its end.

    Raises:
        SymOpsError: The dialect has no verb for edits.
    """
    verb = editing_verb(dialect)
    text = "# Edits\n\n" + way.words.replace("{verb}", quote(verb))
    if not with_example:
        return text
    number = 1 if "numbers" in dialect.forms else None
    action = Action(verb, _PATH, way.content, number=number)
    try:
        reply = render(Document((action,)), dialect, forms_for(dialect))
    except RenderError:
        # A line of the example is a delimiter of the dialect.
        return text
    # As files are shown with requests.
    old = show_anchors(way.old) if way.name == "anchors" else way.old
    example = enclose("file", old, path=_PATH) + enclose("reply", reply)
    return f"{text}\n\n{example}".rstrip("\n")
