"""The content of a reply, independent of its dialect: frozen nodes with positions.

Each node has its span in the caller's text. Two documents are equal if they mean the same: spans,
confidence and completeness are not compared. So documents of one reply in two dialects are equal.
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

# The names of vitals by their marks in v1 and v2.
VITAL_NAMES = {"c": "confidence", "m": "mood", "f": "focus", "s": "stamina"}
_NOWHERE = Span(0, 0)  # of nodes that a program makes: they have no text


class Completeness(StrEnum):
    """Whether the content of an action is complete; independent of the confidence."""

    COMPLETE = "complete"
    UNTERMINATED = "unterminated"  # the closing delimiter was missing, and was added
    TRUNCATED = "truncated"  # the reply ended inside it
    SUSPECT = "suspect"  # signs of an early end: text after it, a stray closer, heads inside


@dataclass(frozen=True, slots=True)
class Thought:
    """One line of reasoning.

    Attributes:
        text: The line without its mark.
        span: Its position.
    """

    text: str
    span: Span = field(default=_NOWHERE, compare=False)


# `eq=False`: a mapping is equal to any mapping with the same items, in any order.
@dataclass(frozen=True, slots=True, eq=False)
class Vitals(Mapping[str, float]):
    """The model's self-assessment: a mapping from names to values of 0.0 to 1.0.

    Attributes:
        values_by_name: Pairs of a name (`confidence`, `mood`, `focus` or `stamina`) and a value, in
            the order of the text.
        span: The position of the section.
    """

    values_by_name: tuple[tuple[str, float], ...] = field(metadata={"json": "values"})
    span: Span = field(default=_NOWHERE, compare=False)

    # A tuple of pairs and a search, because a frozen node must be hashable: a dict is not.
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
        # `Mapping` compares without order, so the hash must not depend on it.
        return hash(frozenset(self.items()))


@dataclass(frozen=True, slots=True)
class Replacement:
    """An old text of a file and the new text that replaces it.

    Attributes:
        old: The text in the file.
        new: The text that replaces it.
        lines: Whether both are complete lines. If not, the old text may be inside of a line.
        every: Whether all places change. If not, the old text must occur once.
    """

    old: str
    new: str
    # Two fields with defaults: most tools of agents quote parts of lines, and mean one place.
    lines: bool = False
    every: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """An action that the model requests.

    Attributes:
        type: The verb, such as "create" or "run".
        path: A path, or the command for verbs that run one.
        content: The content of its block with its line endings, without the last one; None if it
            has no block.
        dependencies: The paths that must be done first.
        confidence: How sure the reading is, 0 to 1.
        completeness: Whether the content is complete.
        span: The position of the action with its block.
        content_span: The position of the content; None if it has no block.
        number: The number in the head, in dialects like v2.1; None if it has none.
        attributes: Pairs of a name and a value, in dialects like v2.1. If a name is
            repeated, only its last value is listed.
        repeated_attributes: The names that were repeated.
        edits: The changes of the file, for formats with pairs of old and new text. If there are
            any, a plan applies them, and the content shows them as search/replace blocks.
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
    edits: tuple[Replacement, ...] = ()

    def __post_init__(self) -> None:
        coerce_members(self)  # callers may give words: "truncated" for Completeness.TRUNCATED

    @property
    def depends_on(self) -> str | None:
        """The first dependency, or None."""
        return self.dependencies[0] if self.dependencies else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user.

    Attributes:
        text: The question.
        choices: The choices that are offered, in order; empty for a free answer.
        span: Its position.
    """

    text: str
    choices: tuple[str, ...] = ()
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """An error that the model reports.

    Attributes:
        type: The type of the error, any word.
        target: The path or command that it concerns, or None.
        message: A free text, or None.
        span: Its position.
    """

    type: str
    target: str | None = None
    message: str | None = None
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Text that belongs to no section.

    Attributes:
        text: The text.
        code: The code of the diagnostic about it.
        span: Its position.
    """

    text: str
    code: str = "prose"
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a custom section: the text of a terminal, or the parts of a rule.

    Attributes:
        name: The name of the terminal or rule, in lower case; "block" for a block.
        text: The text of a terminal, or the content of a block; "" for a rule.
        parts: The parts of a rule; empty for a terminal.
    """

    name: str
    text: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class CustomSection:
    """A section that only this dialect has.

    Attributes:
        name: The name of its rule in the grammar.
        parts: Its terminals and rules, in order.
        text: The section as it was written.
        confidence: How sure the reading is, 0 to 1.
        completeness: Whether its block is complete.
        span: Its position.
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
        """Return the text of the first part with a name; None if there is no such part."""
        return next((part.text for part in self.parts if part.name == name), None)


# A parser makes thousands of these two. A frozen dataclass sets each field by a call.
make_thought: Callable[..., Thought] = make_quickly(Thought)
make_action: Callable[..., Action] = make_quickly(Action)


def judge_action(
    action: Action,
    confidence: float,
    completeness: Completeness,
    span: Span,
    content_span: Span | None,
) -> Action:
    """Return a copy of an action with another assessment.

    It takes a fifth of the time of `dataclasses.replace`.

    Args:
        action: The action.
        confidence: How sure the reading is, 0 to 1.
        completeness: Whether the content is complete.
        span: The position of the action.
        content_span: The position of its content; None if it has no block.
    """
    return make_action(
        action.type,
        action.path,
        action.content,
        action.dependencies,
        confidence,
        completeness,
        span,
        content_span,
        action.number,
        action.attributes,
        action.repeated_attributes,
        action.edits,
    )


Section = Thought | Vitals | Action | Question | ErrorNote | Skipped | CustomSection
# The `kind` of a section in JSON.
KINDS: dict[str, type[Any]] = {
    "thought": Thought,
    "vitals": Vitals,
    "action": Action,
    "question": Question,
    "error": ErrorNote,
    "skipped": Skipped,
    "custom": CustomSection,
}
KIND_OF = {node: kind for kind, node in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Document:
    """The sections of one reply.

    Attributes:
        sections: The sections, in order.
        dialect: The name of the dialect that the reply was read in.
        price: The cost of the mistakes that the reading assumes; 0 after a strict parse.
        diagnostics: These mistakes.
    """

    sections: tuple[Section, ...] = ()
    dialect: str = field(default="", compare=False)
    price: int = field(default=0, compare=False)
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions in order."""
        # From a list: faster than from a generator, and this is asked for often.
        return tuple([section for section in self.sections if isinstance(section, Action)])

    @property
    def thoughts(self) -> tuple[str, ...]:
        """The texts of the thoughts in order."""
        return tuple(section.text for section in self.sections if isinstance(section, Thought))

    @property
    def vitals(self) -> Vitals:
        """All vitals as one mapping, with the last value of each name."""
        # A model may revise its vitals in the course of a reply.
        merged: dict[str, float] = {}
        for section in self.sections:
            if isinstance(section, Vitals):
                merged.update(section)
        return Vitals(tuple(merged.items()))

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions in order."""
        return tuple(section for section in self.sections if isinstance(section, Question))

    @property
    def errors(self) -> tuple[ErrorNote, ...]:
        """The error notes in order."""
        return tuple(section for section in self.sections if isinstance(section, ErrorNote))

    @property
    def custom(self) -> tuple[CustomSection, ...]:
        """The sections that only this dialect has, in order."""
        return tuple(section for section in self.sections if isinstance(section, CustomSection))

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The texts that belong to no section, in order."""
        return tuple(section for section in self.sections if isinstance(section, Skipped))

    def to_dict(self) -> dict[str, Any]:
        """Return the document as a JSON object (`symops_lark.schema("document")`)."""
        sections = [_section_to_dict(section) for section in self.sections]
        return {"dialect": self.dialect, "sections": sections}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Document:
        """Return the document that `to_dict` wrote.

        Args:
            data: The JSON object. Its price and diagnostics are not written, and so not read.

        Raises:
            SymOpsError: A member is missing or invalid; the message begins with its keys.
        """
        # Not exact: members that a later version adds are ignored.
        members = read_object(_Fields, data, exact=False)
        sections = []
        for index, section in enumerate(members.sections):
            sections.append(_section_from_dict(section, f"sections[{index}]"))
        return cls(tuple(sections), members.dialect)


@dataclass(frozen=True, slots=True)
class _Fields:
    """The members of a document in JSON."""

    sections: tuple[Any, ...]
    dialect: str = ""


def _section_to_dict(section: Section) -> dict[str, Any]:
    data = {"kind": KIND_OF[type(section)], **write_object(section)}
    # They are rare: without any, the member is left out.
    for name in ("repeated_attributes", "edits"):
        if not data.get(name, True):
            del data[name]
    return data


def _section_from_dict(data: Any, where: str) -> Section:
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        names = ", ".join(KINDS)
        raise FieldError(f"{where}: expected an object whose `kind` is one of {names}")
    members = {key: value for key, value in data.items() if key != "kind"}
    section: Section = read_object(KINDS[kind], members, where)
    return section
