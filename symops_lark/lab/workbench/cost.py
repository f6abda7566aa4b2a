"""The cost of a dialect's markup in model tokens, for each kind of section.

The cost of a section is the tokens of its canonical text less the tokens of its payload: its
strings, each alone. Verbs, paths, texts, numbers and contents would cost the same in any format;
marks, blanks, line ends, quotes and the letters of vitals belong to the dialect. A section is
measured alone, a reply as one text, both on fixed sample documents and with public tokenizers that
need no network (`prompts.tokens`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...core.document import Action, Document, ErrorNote, Question, Section, Thought, Vitals
from ...core.grammar.dialect import Dialect
from ...core.ground.errors import RenderError
from ...core.ground.json_objects import JsonObject
from ...core.rendering.renderer import render
from ...models.prompts.tokens import ENCODING, Encoding, list_encodings, load_encoding
from .cost_documents import load_samples

# In the order of the tables.
KINDS = (
    "thought",
    "vitals",
    "action with block",
    "action without block",
    "command",
    "question",
    "error",
)


@dataclass(frozen=True, slots=True)
class Cost(JsonObject):
    """The cost of some sections: their number, the tokens of their texts and of their payloads."""

    WRITTEN: ClassVar[tuple[str, ...]] = ("sections", "rendered", "payload", "markup", "mean")

    sections: int = 0
    rendered: int = 0
    payload: int = 0

    @property
    def markup(self) -> int:
        """The tokens of the markup, of all sections together."""
        return self.rendered - self.payload

    @property
    def mean(self) -> float | None:
        """The tokens of markup of one section; None if there are no sections."""
        return self.markup / self.sections if self.sections else None

    def plus(self, rendered: int, payload: int, sections: int = 1) -> Cost:
        """Return the sum with further sections.

        Args:
            rendered: The tokens of their texts.
            payload: The tokens of their payloads.
            sections: Their number.
        """
        return Cost(self.sections + sections, self.rendered + rendered, self.payload + payload)


@dataclass(frozen=True, slots=True)
class Costs(JsonObject):
    """The costs of one dialect in one encoding.

    Attributes:
        dialect: The name of the dialect.
        encoding: The name of the encoding.
        by_kind: The costs for each of `KINDS`.
        actions: The costs of all actions and commands together.
        replies: The costs of complete sample documents, with the lines between sections; its
            `sections` is the number of actions in them.
        refused: The sections that the dialect cannot write, with its reason. They are in none of
            the numbers.
    """

    dialect: str
    encoding: str
    by_kind: Mapping[str, Cost]
    actions: Cost
    replies: Cost
    refused: tuple[str, ...]


def load_encodings(names: Sequence[str] = ()) -> dict[str, Encoding]:
    """Return the encodings of some names, or all; raise `SymOpsError` if one is missing."""
    # Without any installed encoding, the error names the one to install.
    return {name: load_encoding(name) for name in names or list_encodings() or (ENCODING,)}


def measure_costs(
    dialect: Dialect, name: str, encoding: Encoding, samples: Mapping[str, Document] | None = None
) -> Costs:
    """Measure a dialect on sample documents; all numbers are tokens.

    Args:
        dialect: The dialect.
        name: The name of the encoding.
        encoding: The encoding.
        samples: The documents, by their titles; None: those of `cost_documents.yaml`.
    """

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    by_kind = dict.fromkeys(KINDS, Cost())
    actions = Cost()
    replies = Cost()
    refused = []
    for title, document in (samples or load_samples()).items():
        sections = []
        spent = 0
        for section in document.sections:
            try:
                rendered = count(render(Document((section,)), dialect))
            except RenderError as error:
                refused.append(f"{title}: {error}")
                continue
            # Each string alone: markup may join it with a neighbor to one token.
            payload = sum(map(count, payload_of(section)))
            kind = kind_of(section, dialect)
            by_kind[kind] = by_kind[kind].plus(rendered, payload)
            if isinstance(section, Action):
                actions = actions.plus(rendered, payload)
            sections.append(section)
            spent += payload
        # Lines between sections are tokens, too: a reply is more than the sum of its sections.
        rendered = count(render(Document(tuple(sections)), dialect)) if sections else 0
        action_count = sum(isinstance(section, Action) for section in sections)
        replies = replies.plus(rendered, spent, action_count)
    return Costs(dialect.name, name, by_kind, actions, replies, tuple(refused))


def kind_of(section: Section, dialect: Dialect) -> str:
    """Return the kind of a section, one of `KINDS`."""
    if isinstance(section, Action):
        # A block has two more lines of markup than a path.
        if section.content is not None:
            return "action with block"
        return "command" if section.type in dialect.verbs["running"] else "action without block"
    names = {Thought: "thought", Vitals: "vitals", Question: "question"}
    return names.get(type(section), "error")


def payload_of(section: Section) -> tuple[str, ...]:
    """Return the strings of a section that every dialect writes; numbers of vitals as text."""
    strings: tuple[str | None, ...] = ()
    match section:
        case Thought(text):
            strings = (text,)
        case Vitals():
            strings = tuple(f"{value:g}" for value in section.values())
        case Action():
            # The verb is paid in any format, too.
            strings = (section.type, section.path, *section.dependencies, section.content)
        case Question():
            strings = (section.text, *section.choices)
        case ErrorNote():
            strings = (section.type, section.target, section.message)
    return tuple(filter(None, strings))
