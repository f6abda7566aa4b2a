"""Read the types of a dialect's documents from its tables.

The tables list the verbs, vitals and custom sections of a dialect, so exports declare them:
TypeScript in `javascript/types`, stubs for Python in `bundle/stubs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.document import VITAL_NAMES
from ...core.grammar.dialect import UNSAID, Dialect

# The sections that dialects share, in the order of their declarations.
KINDS = ("thought", "vitals", "action", "question", "error")


@dataclass(frozen=True, slots=True)
class PartType:
    """The type of a part of a custom section.

    Attributes:
        name: The name of its terminal or rule.
        parts: The parts of a rule, empty for a terminal.
    """

    name: str
    parts: tuple[PartType, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionType:
    """The type of a custom section.

    Attributes:
        name: The name of its rule.
        mark: The mark that it begins with.
        parts: Its parts; None if the rule refers to itself, so that there is no end of them.
        has_block: Whether it may end with a block.
    """

    name: str
    mark: str
    parts: tuple[PartType, ...] | None
    has_block: bool


@dataclass(frozen=True, slots=True)
class DialectTypes:
    """The types of the documents of a dialect.

    Attributes:
        kinds: The kinds of shared sections that it has, of `KINDS`.
        verbs: The verbs by group, without groups that it does not have.
        has_other_verbs: Whether its parser accepts verbs of no group.
        vitals: The names of vitals.
        has_numbers: Whether an action may have a number.
        has_attributes: Whether an action has attributes of any name.
        arguments: The names of custom arguments of verbs.
        rules: The names of those arguments that may have several parts.
        sections: The custom sections.
    """

    kinds: tuple[str, ...]
    verbs: dict[str, tuple[str, ...]]
    has_other_verbs: bool
    vitals: tuple[str, ...]
    has_numbers: bool
    has_attributes: bool
    arguments: tuple[str, ...]
    rules: frozenset[str]
    sections: tuple[SectionType, ...]


def read_types(dialect: Dialect) -> DialectTypes:
    """Return the types of the documents of a dialect.

    Args:
        dialect: The dialect.
    """
    own = dialect.own
    groups = dialect.verbs.items()
    verbs = {group: words for group, words in groups if not words[0].startswith(UNSAID)}
    sections = []
    for name, (mark, block, template, _) in dialect.own_sections.items():
        parts = None if template is None else tuple(_find_parts(template).values())
        sections.append(SectionType(name, mark, parts, bool(block)))
    return DialectTypes(
        kinds=tuple(kind for kind in KINDS if kind in dialect.rules),
        verbs=verbs,
        has_other_verbs="VERB" in dialect.rules,
        vitals=(*VITAL_NAMES.values(), *own.get("vitals", {})),
        has_numbers="numbers" in dialect.forms,
        has_attributes="attributes" in dialect.forms,
        arguments=tuple(own.get("arguments", ())),
        rules=frozenset(own.get("parts", ())),
        sections=tuple(sections),
    )


def _find_parts(template: list[Any]) -> dict[str, PartType]:
    """Return the parts that a template writes, by name and in order."""
    match template:
        case ["leaf", name, *_]:
            return {name: PartType(name)}
        case ["rule", name, inner]:
            return {name: PartType(name, tuple(_find_parts(inner).values()))}
        case ["many", inner, *_]:
            return _find_parts(inner)
        case ["all" | "any", *inner]:
            parts: dict[str, PartType] = {}
            for part in inner:
                parts.update(_find_parts(part))
            return parts
    return {}
