"""What a reply says, free of how it was spelt: frozen nodes, each with its span in the caller's text.

Two documents are equal when they say the same: spans, confidence and completeness take no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .ground.frozen import make_quickly
from .ground.json_objects import FieldError, read_object, write_object
from .ground.members import coerce_members
from .text.diagnostics import Diagnostic
from .text.source import Span

VITAL_NAMES = {"c": "confidence", "m": "mood", "f": "focus", "s": "stamina"}
_NOWHERE = Span(0, 0)


class Completeness(StrEnum):
    """Whether an action's content is all there; independent of the confidence."""

    COMPLETE = "complete"
    UNTERMINATED = "unterminated"  # the closing delimiter was missing: closed by us
    TRUNCATED = "truncated"  # the reply was cut off inside it
    SUSPECT = "suspect"  # signs of an early close: leftovers, an orphan closer, heads inside


@dataclass(frozen=True, slots=True)
class Thought:
    """One line of reasoning."""

    text: str
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Vitals(Mapping[str, float]):
    """The writer's self-assessment: a mapping from `confidence`, `mood`, `focus`, `stamina` to 0.0 … 1.0."""

    values_by_name: tuple[tuple[str, float], ...] = field(metadata={"json": "values"})
    span: Span = field(default=_NOWHERE, compare=False)

    def __getitem__(self, name: str) -> float:
        for key, value in self.values_by_name:
            if key == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def __hash__(self) -> int:
        return hash(frozenset(self.values_by_name))


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do: `path` is a path, or a command for verbs that run one; `content` None means no block.

    `number` and `attributes` (name and value) are what dialects of v2.1 may say beside that; `repeated_attributes`
    names those that were given more than once, of which the last value counts.
    """

    type: str
    path: str
    content: str | None = None
    dependencies: tuple[str, ...] = ()
    confidence: float = field(default=1.0, compare=False)
    completeness: Completeness = field(default=Completeness.COMPLETE, compare=False)
    span: Span = field(default=_NOWHERE, compare=False)
    content_span: Span | None = field(default=None, compare=False)
    number: int | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    repeated_attributes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        coerce_members(self)

    @property
    def depends_on(self) -> str | None:
        """The first dependency, or None."""
        return self.dependencies[0] if self.dependencies else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user, with the choices offered."""

    text: str
    choices: tuple[str, ...] = ()
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """An error that the writer reports: its type, what it concerns, a free message."""

    type: str
    target: str | None = None
    message: str | None = None
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Text that belongs to no section; `code` names the mistake that it is."""

    text: str
    code: str = "prose"
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Part:
    """What one terminal or rule of a dialect's own section says: a `text`, or `parts` of its own."""

    name: str
    text: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class CustomSection:
    """A section that a dialect has of its own: `name` is that of the grammar's rule, `text` how it is written.

    `parts` are its terminals and rules in order, by their names in lower case; of a block, the content is the text.
    """

    name: str
    parts: tuple[Part, ...] = ()
    text: str = field(default="", compare=False)
    confidence: float = field(default=1.0, compare=False)
    completeness: Completeness = field(default=Completeness.COMPLETE, compare=False)
    span: Span = field(default=_NOWHERE, compare=False)

    def __post_init__(self) -> None:
        coerce_members(self)

    def part(self, name: str) -> str | None:
        """Return the text of the first part of a name, or None if there is none."""
        return next((part.text for part in self.parts if part.name == name), None)


make_thought: Callable[..., Thought] = make_quickly(Thought)
make_action: Callable[..., Action] = make_quickly(Action)


def judge_action(
    action: Action, confidence: float, completeness: Completeness, span: Span, content_span: Span | None
) -> Action:
    """Return an action that says the same, and of which this is known: in a fifth of the time that `replace` takes."""
    said, more = (action.type, action.path, action.content, action.dependencies), (action.number, action.attributes)
    return make_action(*said, confidence, completeness, span, content_span, *more, action.repeated_attributes)


Section = Thought | Vitals | Action | Question | ErrorNote | Skipped | CustomSection
KINDS: dict[str, type[Any]] = {
    "thought": Thought,
    "vitals": Vitals,
    "action": Action,
    "question": Question,
    "error": ErrorNote,
    "skipped": Skipped,
    "custom": CustomSection,
}
_KIND_OF = {node: kind for kind, node in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Document:
    """What one reply says: its sections in order, and the dialect it was read in."""

    sections: tuple[Section, ...] = ()
    dialect: str = field(default="", compare=False)
    price: int = field(default=0, compare=False)  # of the mistakes that the reading assumes; 0 after a strict parse
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)  # those mistakes

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions in order."""
        return tuple([s for s in self.sections if isinstance(s, Action)])

    @property
    def thoughts(self) -> tuple[str, ...]:
        """The texts of the thoughts in order."""
        return tuple(s.text for s in self.sections if isinstance(s, Thought))

    @property
    def vitals(self) -> Vitals:
        """All vitals as one mapping; the last value of a key wins."""
        merged: dict[str, float] = {}
        for section in self.sections:
            if isinstance(section, Vitals):
                merged.update(section)
        return Vitals(tuple(merged.items()))

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions in order."""
        return tuple(s for s in self.sections if isinstance(s, Question))

    @property
    def errors(self) -> tuple[ErrorNote, ...]:
        """The error notes in order."""
        return tuple(s for s in self.sections if isinstance(s, ErrorNote))

    @property
    def custom(self) -> tuple[CustomSection, ...]:
        """The sections that only this dialect has, in order."""
        return tuple(s for s in self.sections if isinstance(s, CustomSection))

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The stretches of text that belong to no section."""
        return tuple(s for s in self.sections if isinstance(s, Skipped))

    def to_dict(self) -> dict[str, Any]:
        """Return the document as a JSON object (`symops_lark.schema("document")`)."""
        return {"dialect": self.dialect, "sections": [_section_to_dict(s) for s in self.sections]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Document:
        """Read what `to_dict` wrote; raise `SymOpsError` with the keys that lead to what is wrong."""
        said = read_object(_Fields, data, exact=False)
        return cls(tuple(_section_from_dict(s, f"sections[{i}]") for i, s in enumerate(said.sections)), said.dialect)


@dataclass(frozen=True, slots=True)
class _Fields:
    """What a document is in JSON."""

    sections: tuple[Any, ...]
    dialect: str = ""


def _section_to_dict(section: Section) -> dict[str, Any]:
    data = {"kind": _KIND_OF[type(section)], **write_object(section)}
    if not data.get("repeated_attributes", True):
        del data["repeated_attributes"]
    return data


def _section_from_dict(data: Any, where: str) -> Section:
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise FieldError(f"{where}: an object is expected whose `kind` is one of {', '.join(KINDS)}")
    section: Section = read_object(KINDS[kind], {k: v for k, v in data.items() if k != "kind"}, where)
    return section
