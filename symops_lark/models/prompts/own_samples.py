"""Samples of custom sections and verbs, made from the grammar's templates.

The renderer writes them: a sample that it cannot write is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ...core.document import Action, CustomSection, Document, Part, Section
from ...core.grammar.compiling.regular import Language, Unsupported, find_shortest
from ...core.grammar.dialect import Dialect
from ...core.patterns.regexes import compile_pattern
from ...core.rendering.renderer import can_render

# Texts that may fit a pattern, the plainest ones first.
_PHRASES = (
    "what stands here",
    "hashing",
    "src/auth.py",
    "src/db.py",
    "1",
    "12",
    "0.5",
    "2026-01-31",
    "a",
    "A",
    "yes",
    "high",
    "x = 1",
)
_CONTENT = "any text"
# Rules of all dialects: a terminal in one of them has no prefix.
_LINE_RULES = (
    "head",
    "verb_line",
    "run_line",
    "path_line",
    "command_line",
    "depends_line",
    "attribute",
)


def sample_sections(dialect: Dialect) -> Iterator[CustomSection]:
    """Yield a sample of each custom section of the dialect that can be written."""
    for name, row in dialect.own_sections.items():
        # A section of which no text can be made has no template.
        template = row[2]
        if template is not None:
            section = CustomSection(name, tuple(_parts(template)))
            if _can_write(section, dialect):
                yield section


def sample_actions(dialect: Dialect, number: int | None = None) -> Iterator[Action]:
    """Yield an action for each custom verb of the dialect, with the fewest possible arguments.

    Args:
        dialect: The dialect.
        number: The number of the actions, in a dialect that numbers them.
    """
    own = dialect.own
    for verb in own.get("verbs", ()):
        arguments = []
        if own["action"]:
            arguments = [(name, _text_of(own["action"], name)) for name in own["arguments"]]
        # Which arguments are needed is known only to the grammar.
        for attributes in _subsets(arguments):
            action = Action(verb, "src/auth.py", number=number, attributes=attributes)
            if _can_write(action, dialect):
                yield action
                break


def _subsets(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the subsets of some arguments, the smallest first."""
    for size in range(len(pairs) + 1):
        yield from combinations(pairs, size)


def _can_write(section: Section, dialect: Dialect) -> bool:
    return can_render(Document((section,)), dialect)


def _parts(node: Sequence[object]) -> Iterator[Part]:
    """Yield the parts of the plainest text of a template.

    Of alternatives the first is taken, and of a repetition one item.
    """
    match node:
        case ["leaf", str(name), str(pattern)]:
            yield Part(name, _CONTENT if name == "block" else _fitting(pattern))
        case ["rule", str(name), list(inner)]:
            parts = tuple(_parts(inner))
            # A rule with one terminal has its text, as the parser reads it.
            if len(parts) == 1 and not parts[0].parts and parts[0].name != "block":
                yield Part(name, parts[0].text)
            else:
                yield Part(name, "", parts)
        case ["any", list(first), *_]:
            yield from _parts(first)
        case ["all", *children]:
            for child in children:
                if isinstance(child, list):
                    yield from _parts(child)
        case ["many", list(inner), int(low), _]:
            for _ in range(max(1, low)):
                yield from _parts(inner)


def _fitting(pattern: str) -> str:
    """Return a text that a pattern matches: a phrase, or one of the shortest texts."""
    # A phrase that people would write, so that the model learns the meaning.
    compiled = compile_pattern(pattern)
    for phrase in _PHRASES:
        if compiled.fullmatch(phrase):
            return phrase
    try:
        return find_shortest(Language(pattern)) or ""
    except Unsupported:
        # The sample is then left out, unless the empty text fits.
        return ""


def _text_of(node: Sequence[object], name: str, prefix: str = "") -> str:
    """Return a text of the first terminal of a name in a template; empty if there is none.

    Args:
        node: The template, or a part of it.
        name: The name of an argument: a terminal, or a rule and its terminal with a dot.
        prefix: The rules around the part, with dots.
    """
    match node:
        case ["leaf", str(leaf), str(pattern)]:
            if name in (prefix or leaf, f"{prefix}.{leaf}"):
                return _fitting(pattern)
        case ["rule", str(rule), list(inner)]:
            if rule not in _LINE_RULES:
                prefix = f"{prefix}.{rule}".removeprefix(".")
            return _text_of(inner, name, prefix)
        case [str(_), *children]:
            for child in children:
                text = _text_of(child, name, prefix) if isinstance(child, list) else ""
                if text:
                    return text
    return ""
