"""What the markup of a dialect costs in model tokens, for each kind of section.

The cost of a section is the tokens of its canonical text less the tokens of what it says: of its payload strings, each
alone. What a verb, a path, a text, a number or a content costs would be paid in any format; marks, blanks, line ends,
quotes and the letters of vitals are the dialect's. A section is measured alone, a reply as a whole, both on fixed
sample documents and with public tokenizers that need no network (`prompts.tokens`).
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
from .cost_documents import SAMPLES

KINDS = ("thought", "vitals", "action with block", "action without block", "command", "question", "error")


@dataclass(frozen=True, slots=True)
class Cost(JsonObject):
    """What some sections took: how many there are, the tokens of their texts and of their payloads alone."""

    WRITTEN: ClassVar[tuple[str, ...]] = ("sections", "rendered", "payload", "markup", "mean")

    sections: int = 0
    rendered: int = 0
    payload: int = 0

    @property
    def markup(self) -> int:
        """Tokens that the markup took, of all sections together."""
        return self.rendered - self.payload

    @property
    def mean(self) -> float | None:
        """Tokens of markup for one section; None if there is none."""
        return self.markup / self.sections if self.sections else None

    def plus(self, rendered: int, payload: int, sections: int = 1) -> Cost:
        """Return the cost with that of more sections."""
        return Cost(self.sections + sections, self.rendered + rendered, self.payload + payload)


@dataclass(frozen=True, slots=True)
class Costs(JsonObject):
    """The costs of one dialect in one encoding.

    `by_kind` has the keys `KINDS`; `actions` is all actions and commands together; `replies` whole sample documents,
    with what stands between sections, its `sections` being the number of actions in them. `refused` are the sections
    that the dialect cannot say, with its reason; they are in none of the numbers.
    """

    dialect: str
    encoding: str
    by_kind: Mapping[str, Cost]
    actions: Cost
    replies: Cost
    refused: tuple[str, ...]


def load_encodings(names: Sequence[str] = ()) -> dict[str, Encoding]:
    """Return the encodings of some names, or all that are installed; raise `SymOpsError` if any is missing."""
    return {name: load_encoding(name) for name in names or list_encodings() or (ENCODING,)}


def measure_costs(dialect: Dialect, name: str, encoding: Encoding, samples: Mapping[str, Document] = SAMPLES) -> Costs:
    """Measure a dialect on sample documents with an encoding called `name`; all numbers are tokens."""

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    by_kind = dict.fromkeys(KINDS, Cost())
    actions, replies, refused = Cost(), Cost(), []
    for title, document in samples.items():
        said, spent = [], 0
        for section in document.sections:
            try:
                rendered = count(render(Document((section,)), dialect))
            except RenderError as error:
                refused.append(f"{title}: {error}")
                continue
            payload = sum(map(count, payload_of(section)))
            kind = kind_of(section, dialect)
            by_kind[kind] = by_kind[kind].plus(rendered, payload)
            if isinstance(section, Action):
                actions = actions.plus(rendered, payload)
            said.append(section)
            spent += payload
        whole = count(render(Document(tuple(said)), dialect)) if said else 0
        replies = replies.plus(whole, spent, sum(isinstance(section, Action) for section in said))
    return Costs(dialect.name, name, by_kind, actions, replies, tuple(refused))


def kind_of(section: Section, dialect: Dialect) -> str:
    """Return the kind of a section, one of `KINDS`."""
    if isinstance(section, Action):
        if section.content is not None:
            return "action with block"
        return "command" if section.type in dialect.verbs["running"] else "action without block"
    return {Thought: "thought", Vitals: "vitals", Question: "question"}.get(type(section), "error")


def payload_of(section: Section) -> tuple[str, ...]:
    """Return the strings that a section says, whatever the dialect: numbers of vitals as they are written."""
    said: tuple[str | None, ...] = ()
    match section:
        case Thought(text):
            said = (text,)
        case Vitals():
            said = tuple(f"{value:g}" for value in section.values())
        case Action():
            said = (section.type, section.path, *section.dependencies, section.content)
        case Question():
            said = (section.text, *section.choices)
        case ErrorNote():
            said = (section.type, section.target, section.message)
    return tuple(filter(None, said))
