"""What people write in a reply and in a rule, with its documentation in the package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from ...core.document import Action, Document, ErrorNote, Question, Section, Thought
from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import dialects, load_dialect
from ...core.ground.errors import RenderError
from ...core.ground.resources import find_folder
from ...core.processor import SymOpsProcessor
from ...core.rendering.renderer import render

# Texts of a form, which the writer of the reply replaces.
PATH = "path"
CONTENT = "content"
COMMAND = "command"
BLANKS = (PATH, CONTENT, COMMAND, "thought", "question", "choice", "type", "message")
_USES = {
    "running": "It takes a command.",
    "writing": "It needs a content block.",
    "removing": "It has no content block.",
    "further": "This grammar adds it.",
}


class Form(NamedTuple):
    """A section of a dialect, to be filled in.

    Attributes:
        name: The verb, or the kind of section.
        text: Its canonical text, with words of `BLANKS`.
        description: What it is for.
    """

    name: str
    text: str
    description: str


@lru_cache(maxsize=32)
def list_forms(dialect: Dialect) -> tuple[Form, ...]:
    """Return the sections that a dialect can express: an action for each verb, then the others."""
    forms = []
    for section, name, description in _list_sections(dialect):
        try:
            text = render(Document((section,)), dialect)
        except RenderError:
            continue  # this dialect has no such section
        forms.append(Form(name, text.removesuffix("\n"), description))
    return tuple(forms)


def _list_sections(dialect: Dialect) -> Iterator[tuple[Section, str, str]]:
    for group, verbs in dialect.verbs.items():
        for verb in verbs:
            path = COMMAND if group == "running" else PATH
            content = CONTENT if group == "writing" else None
            yield Action(verb, path, content), verb, _USES.get(group, "")
    # Vitals are left out: their values are a judgement, which no form can suggest.
    sections: dict[str, Section] = {
        "thought": Thought("thought"),
        "question": Question("question", ("choice",)),
        "error": ErrorNote("type", None, "message"),
    }
    for name, section in sections.items():
        yield section, name, describe(section)


def list_triggers(processor: SymOpsProcessor) -> list[str]:
    """Return the signs after which an editor asks for completion: those that begin marks.

    Args:
        processor: The pipeline that reads replies, whose dialects count beside the installed ones.
    """
    chosen = [] if processor.format == "auto" else [load_dialect(processor.format)]
    # A directive of a grammar begins with a percent sign.
    triggers = {"%"}
    for dialect in (*map(load_dialect, dialects()), *processor.dialects, *chosen):
        triggers.update(mark[0] for mark in dialect.said_marks.values())
    # Editors ask at letters and digits anyway.
    return sorted(sign for sign in triggers if not sign.isalnum())


def describe(section: Section) -> str:
    """Return what a kind of section is: the first line of its documentation."""
    return (type(section).__doc__ or "").partition("\n")[0]


def describe_verb(verb: str, dialect: Dialect) -> str:
    """Return what a verb takes; empty for one that the dialect does not know."""
    for group, verbs in dialect.verbs.items():
        if verb in verbs:
            return _USES.get(group, "")
    return ""


@lru_cache(maxsize=1)
def _load_schema() -> dict[str, Any]:
    path = find_folder("repair_rules") / "rule.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema


def list_keys() -> dict[str, str]:
    """Return the keys of a repair rule, and what each is for."""
    descriptions = {}
    for key, schema in _load_schema()["properties"].items():
        descriptions[key] = schema.get("description", "")
    return descriptions


def list_values(key: str) -> list[str]:
    """Return the possible values of a key of a repair rule; empty if they are not a list."""
    if key in ("dialects", "dialect"):
        return list(dialects())
    # The values are at different places: of a text in the schema of the key, of a list in that of
    # its items, and the roles of lines in a definition that several keys share.
    schema = _load_schema()["properties"].get(key, {})
    if schema.get("type") == "boolean":
        return ["true", "false"]
    roles = _load_schema()["$defs"]["role"]["enum"]
    items = schema.get("items", {})
    values = [*schema.get("enum", ()), *items.get("enum", ())]
    if key == "lines":
        values += ["all", *roles]
    return values
